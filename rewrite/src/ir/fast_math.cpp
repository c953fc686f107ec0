// SPDX-License-Identifier: Apache-2.0
#include "ir/fast_math.hpp"

namespace coopvk::rewrite {

bool isFastMathDefault(const Instruction& i) {
    return i.opcode == spv::Op::OpExecutionModeId &&
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

void forbidContraction(Module& module, Id result) {
    const Instruction& type = module.def(module.def(result).type);
    const Id scalar = type.opcode == spv::Op::OpTypeVector ? type.word(0) : type.result;
    const std::optional<uint32_t> flags = fastMathDefault(module, scalar);
    if (!flags) {
        module.decorate(result, spv::Decoration::NoContraction);
        return;
    }
    using enum spv::FPFastMathModeMask;
    constexpr uint32_t kRearranging = static_cast<uint32_t>(AllowContract) |
                                      static_cast<uint32_t>(AllowReassoc) |
                                      static_cast<uint32_t>(AllowTransform);
    if ((*flags & kRearranging) == 0) return;
    module.decorate(result, spv::Decoration::FPFastMathMode, {*flags & ~kRearranging});
}

}  // namespace coopvk::rewrite
