// SPDX-License-Identifier: Apache-2.0
#include "matrix/helper_function.hpp"

namespace coopvk::rewrite {

HelperFunction::HelperFunction(LoweringContext& context, std::string_view name, Id resultType,
                               std::span<const Id> parameterTypes)
    : context_(context),
      function_(std::make_unique<Function>()),
      emitter_(context.types, variables_) {
    Module& module = context.module;
    const Id type = context.types.functionType(resultType, parameterTypes);
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

void HelperFunction::startBlock(Id label) {
    function_->blocks.push_back(std::make_unique<Block>());
    Block& block = *function_->blocks.back();
    block.label = makeInstruction(spv::Op::OpLabel, 0, label, {});
    context_.module.setDef(block.label.get());
    emitter_.setOut(block.body);
}

Id HelperFunction::variable(Id type) {
    const Id pointer = context_.types.pointerType(spv::StorageClass::Function, type);
    variables_.push_back(makeInstruction(spv::Op::OpVariable, pointer, context_.module.takeId(),
                                         {literal(spv::StorageClass::Function)}));
    context_.module.setDef(variables_.back().get());
    return variables_.back()->result;
}

void HelperFunction::loop(uint32_t count, const std::function<void(Id index)>& body) {
    Module& module = context_.module;
    TypeTable& types = context_.types;
    const Id u32 = types.uint32();
    const Id header = module.takeId();
    const Id test = module.takeId();
    const Id inside = module.takeId();
    const Id next = module.takeId();
    const Id merge = module.takeId();
    const Id index = module.takeId();
    const Id incremented = module.takeId();
    const Id before = function_->blocks.back()->id();
    emitter_.opVoid(spv::Op::OpBranch, {idOperand(header)});
    startBlock(header);
    emitter_.add(makeInstruction(spv::Op::OpPhi, u32, index,
                                 {idOperand(types.constantU32(0)), idOperand(before),
                                  idOperand(incremented), idOperand(next)}));
    emitter_.opVoid(spv::Op::OpLoopMerge,
                    {idOperand(merge), idOperand(next), literal(spv::LoopControlMask::DontUnroll)});
    emitter_.opVoid(spv::Op::OpBranch, {idOperand(test)});
    startBlock(test);
    const Id more =
        emitter_.op(spv::Op::OpULessThan, types.boolType(), {index, types.constantU32(count)});
    emitter_.opVoid(spv::Op::OpBranchConditional,
                    {idOperand(more), idOperand(inside), idOperand(merge)});
    startBlock(inside);
    body(index);
    emitter_.opVoid(spv::Op::OpBranch, {idOperand(next)});
    startBlock(next);
    emitter_.add(makeInstruction(spv::Op::OpIAdd, u32, incremented,
                                 {idOperand(index), idOperand(types.constantU32(1))}));
    emitter_.opVoid(spv::Op::OpBranch, {idOperand(header)});
    startBlock(merge);
}

void HelperFunction::finish(Id value) {
    emitter_.opVoid(spv::Op::OpReturnValue, {idOperand(value)});
    InstructionList& entry = function_->blocks.front()->body;
    entry.insert(entry.begin(), std::make_move_iterator(variables_.begin()),
                 std::make_move_iterator(variables_.end()));
    function_->end = makeInstruction(spv::Op::OpFunctionEnd, 0, 0, {});
    context_.newFunctions.push_back(std::move(function_));
}

}  // namespace coopvk::rewrite
