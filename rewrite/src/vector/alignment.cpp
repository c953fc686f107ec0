// SPDX-License-Identifier: Apache-2.0
//
// Offsets, addresses and strides that break Vulkan's rules of alignment. A multiple of 4 is
// accessed by words, of 2 and 1 by as many bytes, so that results are those of the bytes that the
// module names. What a buffer or a push constant gives is taken for a multiple, as the rules say.
#include <algorithm>
#include <bit>

#include "ir/composites.hpp"
#include "ir/multiples.hpp"
#include "lowering/element_pointer.hpp"
#include "vector/memory.hpp"

namespace coopvk::rewrite {

namespace {

// A power of two that divides a sum. Its constants count together: two that are no multiples may
// make one.
uint32_t multipleOfSum(const Module& module, const Multiples& known, Id sum) {
    constexpr size_t kMostTerms = 16;
    constexpr uint32_t kMostKnown = 64;
    uint64_t constant = 0;
    uint32_t multiple = kMostKnown;
    const auto isInteger = [&](Id value) {
        return module.def(module.def(value).type).opcode == OpTypeInt;
    };
    const auto isChanged = [&](const Instruction& i) {
        return isOneOf(i.opcode, {OpBitcast, OpUConvert, OpSConvert}) && isInteger(i.word(0));
    };
    std::vector<Id> terms = {sum};
    for (size_t t = 0; t < terms.size(); ++t) {
        const Instruction& term = module.def(terms[t]);
        if (const std::optional<uint64_t> value = module.constantValue(terms[t])) {
            constant += *value;
        } else if (term.opcode == OpIAdd && terms.size() < kMostTerms) {
            terms.insert(terms.end(), {term.word(0), term.word(1)});
        } else if (isChanged(term) && terms.size() < kMostTerms) {
            terms.push_back(term.word(0));
        } else {
            multiple = std::min(multiple, known.of(terms[t]));
        }
    }
    return constant == 0 ? multiple
                         : std::min(multiple, 1u << std::min(std::countr_zero(constant), 6));
}

void narrow(VectorContext& context, Location& location, uint32_t multiple,
            const AlignmentRule& rule) {
    location.alignment = std::min(location.alignment, multiple);
    if (multiple >= rule.bytes) return;
    context.warnings.insert(std::format(
        "{} is a multiple of {} only, and Vulkan requires {} ({}{}): other drivers may compute "
        "something else",
        rule.what, multiple, rule.bytes, kVuid, rule.vuid));
}

}  // namespace

void obeyAlignment(VectorContext& context, Location& location, const AlignmentRule& rule) {
    if (!location.valid()) return;
    const Multiples& known = *context.claimed;
    uint32_t multiple = multipleOfSum(context.module, known, location.arguments.back());
    if (location.kind == Location::Kind::kPhysical) {
        const Id pointer = location.arguments.front();
        const Instruction& root = context.module.def(rootOf(context.module, pointer));
        multiple = std::min(multiple, multipleBehindRoot(context, known, pointer));
        // From an integer; other pointers are as their variables and buffers have them.
        if (isOneOf(root.opcode, {OpConvertUToPtr, OpBitcast})) {
            multiple = std::min(multiple, known.of(root.word(0)));
        }
    }
    narrow(context, location, multiple, rule);
}

void obeyAlignment(VectorContext& context, Location& location, Id stride,
                   const AlignmentRule& rule) {
    if (location.valid()) narrow(context, location, context.claimed->of(stride), rule);
}

}  // namespace coopvk::rewrite
