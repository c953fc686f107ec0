// SPDX-License-Identifier: Apache-2.0
#include "blockio/natural_layout.hpp"

#include <algorithm>
#include <bit>

#include "coopvk/vector_matrix.hpp"
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

bool isPacked(const Module& module, Id type) {
    return module.decoration(type, spv::Decoration::CPacked).has_value();
}

}  // namespace

NaturalLayout::NaturalLayout(LoweringContext& context, const std::unordered_set<Id>& pointers)
    : MemoryTypes(context), pointers_(pointers) {
    // The types of members are declared first.
    for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
        if (i->result != 0 && i->type == 0) extents_[i->result] = measure(*i);
    }
    make();
}

NaturalLayout::Extent NaturalLayout::extent(Id type) const {
    const auto found = extents_.find(type);
    return found == extents_.end() ? Extent{} : found->second;
}

NaturalLayout::Extent NaturalLayout::measure(const Instruction& type) const {
    constexpr uint32_t kPointer = 8;
    switch (type.opcode) {
        case spv::Op::OpTypeInt:
        case spv::Op::OpTypeFloat: {
            const uint32_t bytes = std::max(type.word(0) / 8, 1u);
            return {bytes, bytes, bytes};
        }
        case spv::Op::OpTypePointer:
        case spv::Op::OpTypeUntypedPointerKHR:
            return {kPointer, kPointer, kPointer};
        case spv::Op::OpTypeVector: {
            const uint32_t scalar = extent(type.word(0)).scalarBytes;
            const uint32_t bytes = scalar * std::bit_ceil(std::min(type.word(1), 16u));
            return {bytes, bytes, scalar};
        }
        case spv::Op::OpTypeArray:
        case spv::Op::OpTypeRuntimeArray: {
            const Extent element = extent(type.word(0));
            const auto stride = module_.decoration(type.result, spv::Decoration::ArrayStride);
            const uint64_t unknown = type.opcode == spv::Op::OpTypeArray ? kMaxBytes : 0;
            const uint64_t length =
                std::min(memberCount(module_, type.result).value_or(unknown), kMaxBytes);
            return {std::min(length * (stride ? *stride : element.size), kMaxBytes),
                    element.alignment, element.scalarBytes};
        }
        case spv::Op::OpTypeStruct:
            return measureStruct(type);
        default:
            return {};
    }
}

// The offset of a member; the member before it ends at `end`.
uint64_t NaturalLayout::memberStart(const Instruction& type, uint32_t member, uint64_t end) const {
    const auto offset = module_.memberDecoration(type.result, member, spv::Decoration::Offset);
    if (offset) return *offset;
    return isPacked(module_, type.result) ? end : roundUp(end, extent(type.word(member)).alignment);
}

NaturalLayout::Extent NaturalLayout::measureStruct(const Instruction& type) const {
    Extent all;
    for (uint32_t m = 0; m < type.operands.size(); ++m) {
        const Extent member = extent(type.word(m));
        all.size = std::max(all.size, memberStart(type, m, all.size) + member.size);
        all.scalarBytes = std::max(all.scalarBytes, member.scalarBytes);
        if (!isPacked(module_, type.result)) {
            all.alignment = std::max(all.alignment, member.alignment);
        }
    }
    all.size = std::min(roundUp(all.size, all.alignment), kMaxBytes);
    return all;
}

bool NaturalLayout::hasLayout(const Instruction& type) const {
    if (isArrayType(type.opcode)) {
        return module_.decoration(type.result, spv::Decoration::ArrayStride).has_value();
    }
    for (uint32_t m = 0; m < type.operands.size(); ++m) {
        if (!module_.memberDecoration(type.result, m, spv::Decoration::Offset)) return false;
    }
    return true;
}

void NaturalLayout::addLayout(const Instruction& type, Id copy) {
    if (isArrayType(type.opcode)) {
        module_.decorate(copy, spv::Decoration::ArrayStride,
                         {static_cast<uint32_t>(size(type.word(0)))});
        return;
    }
    uint64_t end = 0;
    for (uint32_t m = 0; m < type.operands.size(); ++m) {
        const uint64_t start = memberStart(type, m, end);
        if (!module_.memberDecoration(type.result, m, spv::Decoration::Offset)) {
            module_.decorateMember(copy, m, spv::Decoration::Offset,
                                   {static_cast<uint32_t>(start)});
        }
        end = start + size(type.word(m));
    }
    module_.removeDecoration(copy, spv::Decoration::CPacked);  // Vulkan does not support it
}

}  // namespace coopvk::rewrite
