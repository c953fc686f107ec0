// SPDX-License-Identifier: Apache-2.0
#include "matrix/callbacks.hpp"

#include "ir/called_functions.hpp"

namespace coopvk::rewrite {

namespace {

using enum spv::Op;

bool callsFunctions(spv::Op opcode) {
    return isOneOf(opcode, {OpCooperativeMatrixLoadTensorNV, OpCooperativeMatrixPerElementOpNV,
                            OpCooperativeMatrixReduceNV});
}

// Tangled instructions on matrices (SPIR-V 2.2.5), which all invocations of the scope execute
// together. Invocations call callbacks for different elements, and not equally often.
bool isTangled(spv::Op opcode) {
    return callsFunctions(opcode) ||
           isOneOf(opcode, {OpCooperativeMatrixLoadKHR, OpCooperativeMatrixStoreKHR,
                            OpCooperativeMatrixMulAddKHR, OpCooperativeMatrixStoreTensorNV,
                            OpCooperativeMatrixConvertNV, OpCooperativeMatrixTransposeNV});
}

}  // namespace

std::unordered_set<Id> callbacksOf(MatrixContext& context) {
    const Module& module = context.module;
    std::unordered_set<Id> callbacks;
    module.visitBlocks([&](const Instruction& i) {
        if (!callsFunctions(i.opcode)) return;
        for (const Operand& o : i.operands) {
            const bool calls = o.isId && module.def(o.word).opcode == OpFunction;
            if (calls && !callbacks.contains(o.word)) {
                callbacks.merge(functionsReachedFrom(module, o.word));
            }
        }
    });
    for (const auto& function : module.functions()) {
        if (!callbacks.contains(function->id())) continue;
        for (const auto& block : function->blocks) {
            for (const InstructionPtr& i : block->body) {
                if (!isTangled(i->opcode)) continue;
                context.fail(ErrorCode::kInvalidModule, *i,
                             "DecodeFunc, Func and CombineFunc must not lead to an instruction "
                             "that loads, stores, multiplies or converts matrices");
            }
        }
    }
    return callbacks;
}

}  // namespace coopvk::rewrite
