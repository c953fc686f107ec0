// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic that gives the same bits on every device: Numerics::kSame.
#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>

#include "ir/arithmetic_decorations.hpp"
#include "ir/emitter.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

// Also the components of a vector, cooperative ones and long ones, too.
bool isFloat(const Module& module, Id type) {
    const Instruction& t = module.def(type);
    const bool isVector = t.opcode == OpTypeVector || t.opcode == OpTypeCooperativeVectorNV;
    return module.def(isVector ? t.word(0) : type).opcode == OpTypeFloat;
}

std::optional<Id> glslSet(const Module& module) {
    for (const InstructionPtr& i : module.section(Section::kExtInstImports))
        if (stringFromOperands(*i, 0) == "GLSL.std.450") return i->result;
    return std::nullopt;
}

bool saysHowItContracts(const Module& module, Id result) {
    return std::ranges::any_of(module.annotationsOf(result), [](const Instruction* a) {
        const auto decoration = static_cast<spv::Decoration>(a->word(1));
        return a->opcode == OpDecorate && (decoration == spv::Decoration::NoContraction ||
                                           decoration == spv::Decoration::FPFastMathMode);
    });
}

}  // namespace

void divideFusedMultiplyAdds(TypeTable& types) {
    Module& module = types.module();
    const std::optional<Id> glsl = glslSet(module);
    if (!glsl) return;
    const auto divide = [&](Emitter& emit, const Instruction& i) {
        const bool isFma =
            i.opcode == OpExtInst && i.word(0) == *glsl && i.word(1) == GLSLstd450Fma;
        if (!isFma || !isFloat(module, i.type)) return false;
        const Id product = emit.op(OpFMul, i.type, {i.word(2), i.word(3)});
        emit.op(OpFAdd, i.type, {product, i.word(4)}, i.result);
        return true;
    };
    for (const auto& function : module.functions()) replaceInBlocks(types, *function, divide);
}

void forbidContractions(Module& module) {
    constexpr spv::Op kRounding[] = {OpFAdd, OpFSub, OpFMul, OpVectorTimesScalar};
    for (const auto& function : module.functions()) {
        for (const auto& block : function->blocks) {
            for (const InstructionPtr& i : block->body) {
                const bool rounds = std::ranges::count(kRounding, i->opcode) != 0;
                if (rounds && isFloat(module, i->type) && !saysHowItContracts(module, i->result))
                    forbidContraction(module, i->result);
            }
        }
    }
}

}  // namespace coopvk::rewrite
