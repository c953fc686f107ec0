// SPDX-License-Identifier: Apache-2.0
#include "ir/function_builder.hpp"

namespace coopvk::rewrite {

FunctionBuilder::FunctionBuilder(TypeTable& types, FunctionList& functions, std::string_view name,
                                 Id resultType, std::span<const Id> parameterTypes)
    : ControlFlow(types), functions_(functions), function_(std::make_unique<Function>()) {
    Module& module = types.module();
    if (resultType == 0) resultType = types.voidType();
    const Id type = types.functionType(resultType, parameterTypes);
    function_->definition =
        makeInstruction(spv::Op::OpFunction, resultType, module.takeId(),
                        {literal(spv::FunctionControlMask::MaskNone), idOperand(type)});
    module.setDef(function_->definition.get());
    module.addName(id(), name);
    for (Id parameterType : parameterTypes) {
        function_->parameters.push_back(
            makeInstruction(spv::Op::OpFunctionParameter, parameterType, module.takeId(), {}));
        module.setDef(function_->parameters.back().get());
    }
    startBlock(module.takeId());
}

Id FunctionBuilder::load(Id pointer) { return emitter_.load(module().pointee(pointer), pointer); }

void FunctionBuilder::store(Id pointer, Id value) { emitter_.store(pointer, value); }

Id FunctionBuilder::element(Id array, Id index) {
    return emitter_.chain(module().def(module().pointee(array)).word(0), {array, index});
}

Id FunctionBuilder::finish(Id value) {
    const spv::Op opcode = value == 0 ? spv::Op::OpReturn : spv::Op::OpReturnValue;
    emitter_.opVoid(opcode, value == 0 ? Operands() : Operands{idOperand(value)});
    insertAt(blocks_.front()->body, 0, std::move(variables_));
    function_->blocks = std::move(blocks_);
    function_->end = makeInstruction(spv::Op::OpFunctionEnd, 0, 0, {});
    const Id result = id();
    functions_.push_back(std::move(function_));
    return result;
}

}  // namespace coopvk::rewrite
