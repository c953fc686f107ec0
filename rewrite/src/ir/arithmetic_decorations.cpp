// SPDX-License-Identifier: Apache-2.0
#include "ir/arithmetic_decorations.hpp"

#include <algorithm>

#include "ir/component_kinds.hpp"

namespace coopvk::rewrite {

namespace {

enum class Fate {
    kMoves,    // to the instructions that compute the parts
    kDropped,  // it only permits: some drivers reject it on arrays
    kUniform,  // not true of a value of which each invocation holds another part
};

struct DecorationRow {
    spv::Decoration decoration;
    Fate fate = Fate::kMoves;
    bool hasLiteral = false;
};

// The decorations that a module for Vulkan may give to the result of an instruction that computes a
// value. All others stay true and valid: NonUniform and those of SPV_GOOGLE_user_type on any
// value, those of memory, interfaces and types on variables, pointers and types.
constexpr DecorationRow kDecorationRows[] = {
    {spv::Decoration::NoContraction},
    {spv::Decoration::NoSignedWrap},
    {spv::Decoration::NoUnsignedWrap},
    {spv::Decoration::FPFastMathMode, Fate::kMoves, true},
    {spv::Decoration::FPRoundingMode, Fate::kMoves, true},
    {spv::Decoration::SaturatedToLargestFloat8NormalConversionEXT},
    {spv::Decoration::RelaxedPrecision, Fate::kDropped},
    {spv::Decoration::Uniform, Fate::kUniform},
    {spv::Decoration::UniformId, Fate::kUniform},
};

const DecorationRow* findRow(spv::Decoration decoration) {
    const auto found = std::ranges::find(kDecorationRows, decoration, &DecorationRow::decoration);
    return found == std::end(kDecorationRows) ? nullptr : found;
}

bool hasFate(spv::Decoration decoration, Fate fate) {
    const DecorationRow* row = findRow(decoration);
    return row != nullptr && row->fate == fate;
}

}  // namespace

bool decoratesArithmetic(const Instruction& i) {
    return i.opcode == OpDecorate && hasFate(static_cast<spv::Decoration>(i.word(1)), Fate::kMoves);
}

bool isOfParts(spv::Decoration decoration) {
    return hasFate(decoration, Fate::kMoves) || hasFate(decoration, Fate::kDropped);
}

bool isUniform(spv::Decoration decoration) { return hasFate(decoration, Fate::kUniform); }

ArithmeticDecorations::ArithmeticDecorations(Module& module, Id result) : module_(module) {
    for (const Instruction* i : module.annotationsOf(result)) {
        if (!decoratesArithmetic(*i)) continue;
        found_.emplace_back(static_cast<spv::Decoration>(i->word(1)), i->word(2));
    }
}

void ArithmeticDecorations::addTo(Id part) const {
    for (const auto& [decoration, value] : found_) {
        if (findRow(decoration)->hasLiteral) {
            module_.decorate(part, decoration, {value});
        } else {
            module_.decorate(part, decoration);
        }
    }
}

void ArithmeticDecorations::appendTo(std::vector<uint32_t>& words) const {
    for (const auto& [decoration, value] : found_) {
        words.insert(words.end(), {static_cast<uint32_t>(decoration), value});
    }
}

void ArithmeticDecorations::removeFrom(Id result) const {
    for (const auto& [decoration, value] : found_) module_.removeDecoration(result, decoration);
}

bool isFastMathDefault(const Instruction& i) {
    return i.opcode == OpExecutionModeId &&
           i.word(1) == static_cast<uint32_t>(spv::ExecutionMode::FPFastMathDefault);
}

std::optional<uint32_t> fastMathDefault(const Module& module, Id scalar) {
    std::optional<uint32_t> flags;
    for (const InstructionPtr& i : module.section(Section::kExecutionModes)) {
        if (!isFastMathDefault(*i)) continue;
        const uint32_t ofType =
            i->word(2) != scalar
                ? 0u
                : static_cast<uint32_t>(module.constantValue(i->word(3)).value_or(0));
        flags = flags.value_or(0) | ofType;
    }
    return flags;
}

namespace {

constexpr uint32_t kRearranging = static_cast<uint32_t>(spv::FPFastMathModeMask::AllowContract) |
                                  static_cast<uint32_t>(spv::FPFastMathModeMask::AllowReassoc) |
                                  static_cast<uint32_t>(spv::FPFastMathModeMask::AllowTransform);

}  // namespace

bool forbidsContraction(const Module& module, Id result) {
    if (module.decoration(result, spv::Decoration::NoContraction)) return true;
    constexpr auto kFast = static_cast<uint32_t>(spv::FPFastMathModeMask::Fast);
    std::optional<uint32_t> mode = module.decoration(result, spv::Decoration::FPFastMathMode);
    if (!mode) mode = fastMathDefault(module, componentOf(module, module.def(result).type));
    return mode && (*mode & (kRearranging | kFast)) == 0;
}

void forbidContraction(Module& module, Id result) {
    const Instruction& type = module.def(module.def(result).type);
    const Id scalar = type.opcode == OpTypeVector ? type.word(0) : type.result;
    const std::optional<uint32_t> flags = fastMathDefault(module, scalar);
    if (!flags) {
        module.decorate(result, spv::Decoration::NoContraction);
        return;
    }
    if ((*flags & kRearranging) == 0) return;
    module.decorate(result, spv::Decoration::FPFastMathMode, {*flags & ~kRearranging});
}

}  // namespace coopvk::rewrite
