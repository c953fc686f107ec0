// SPDX-License-Identifier: Apache-2.0
#include "ir/function_builder.hpp"

namespace coopvk::rewrite {

FunctionBuilder::FunctionBuilder(TypeTable& types, FunctionList& functions, std::string_view name,
                                 Id resultType, std::span<const Id> parameterTypes)
    : types_(types),
      functions_(functions),
      function_(std::make_unique<Function>()),
      emitter_(types, variables_) {
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

void FunctionBuilder::startBlock(Id label) {
    function_->blocks.push_back(std::make_unique<Block>());
    Block& block = *function_->blocks.back();
    block.label = makeInstruction(spv::Op::OpLabel, 0, label, {});
    module().setDef(block.label.get());
    emitter_.setOut(block.body);
}

void FunctionBuilder::branch(Id label) { emitter_.opVoid(spv::Op::OpBranch, {idOperand(label)}); }

Id FunctionBuilder::variable(Id type) {
    const Id pointer = types_.pointerType(spv::StorageClass::Function, type);
    variables_.push_back(makeInstruction(spv::Op::OpVariable, pointer, module().takeId(),
                                         {literal(spv::StorageClass::Function)}));
    module().setDef(variables_.back().get());
    return variables_.back()->result;
}

Id FunctionBuilder::load(Id pointer) {
    const Id type = module().def(emitter_.typeOf(pointer)).word(1);
    return emitter_.op(spv::Op::OpLoad, type, {pointer});
}

void FunctionBuilder::store(Id pointer, Id value) {
    emitter_.opVoid(spv::Op::OpStore, {idOperand(pointer), idOperand(value)});
}

Id FunctionBuilder::element(Id array, Id index) {
    const Instruction& pointer = module().def(emitter_.typeOf(array));
    const auto storage = static_cast<spv::StorageClass>(pointer.word(0));
    const Id type = module().def(pointer.word(1)).word(0);
    return emitter_.op(spv::Op::OpAccessChain, types_.pointerType(storage, type), {array, index});
}

void FunctionBuilder::loop(uint32_t count, const std::function<void(Id index)>& body,
                           spv::LoopControlMask control) {
    Module& module = this->module();
    const Id u32 = types_.uint32();
    const Id header = module.takeId();
    const Id test = module.takeId();
    const Id inside = module.takeId();
    const Id next = module.takeId();
    const Id merge = module.takeId();
    const Id index = module.takeId();
    const Id incremented = module.takeId();
    const Id before = function_->blocks.back()->id();
    branch(header);
    startBlock(header);
    emitter_.add(makeInstruction(spv::Op::OpPhi, u32, index,
                                 {idOperand(types_.constantU32(0)), idOperand(before),
                                  idOperand(incremented), idOperand(next)}));
    emitter_.opVoid(spv::Op::OpLoopMerge, {idOperand(merge), idOperand(next), literal(control)});
    branch(test);
    startBlock(test);
    const Id more =
        emitter_.op(spv::Op::OpULessThan, types_.boolType(), {index, types_.constantU32(count)});
    emitter_.opVoid(spv::Op::OpBranchConditional,
                    {idOperand(more), idOperand(inside), idOperand(merge)});
    startBlock(inside);
    body(index);
    branch(next);
    startBlock(next);
    emitter_.add(makeInstruction(spv::Op::OpIAdd, u32, incremented,
                                 {idOperand(index), idOperand(types_.constantU32(1))}));
    branch(header);
    startBlock(merge);
}

void FunctionBuilder::repeat(uint32_t count, uint32_t limit,
                             const std::function<void(Id index)>& body) {
    if (count > limit) return loop(count, body);
    for (uint32_t i = 0; i < count; ++i) body(types_.constantU32(i));
}

void FunctionBuilder::loopUntil(const std::function<Id()>& body) {
    Module& module = this->module();
    const Id header = module.takeId();
    const Id inside = module.takeId();
    const Id next = module.takeId();
    const Id merge = module.takeId();
    branch(header);
    startBlock(header);
    emitter_.opVoid(spv::Op::OpLoopMerge,
                    {idOperand(merge), idOperand(next), literal(spv::LoopControlMask::DontUnroll)});
    branch(inside);
    startBlock(inside);
    const Id done = body();
    emitter_.opVoid(spv::Op::OpBranchConditional,
                    {idOperand(done), idOperand(merge), idOperand(next)});
    startBlock(next);
    branch(header);
    startBlock(merge);
}

void FunctionBuilder::when(Id condition, const std::function<void()>& then) {
    const Id inside = module().takeId();
    const Id merge = module().takeId();
    emitter_.opVoid(spv::Op::OpSelectionMerge,
                    {idOperand(merge), literal(spv::SelectionControlMask::MaskNone)});
    emitter_.opVoid(spv::Op::OpBranchConditional,
                    {idOperand(condition), idOperand(inside), idOperand(merge)});
    startBlock(inside);
    then();
    branch(merge);
    startBlock(merge);
}

void FunctionBuilder::choose(Id condition, const std::function<void()>& then,
                             const std::function<void()>& otherwise) {
    const Id yes = module().takeId();
    const Id no = module().takeId();
    const Id merge = module().takeId();
    emitter_.opVoid(spv::Op::OpSelectionMerge,
                    {idOperand(merge), literal(spv::SelectionControlMask::MaskNone)});
    emitter_.opVoid(spv::Op::OpBranchConditional,
                    {idOperand(condition), idOperand(yes), idOperand(no)});
    startBlock(yes);
    then();
    branch(merge);
    startBlock(no);
    otherwise();
    branch(merge);
    startBlock(merge);
}

Id FunctionBuilder::finish(Id value) {
    if (value == 0) {
        emitter_.opVoid(spv::Op::OpReturn, {});
    } else {
        emitter_.opVoid(spv::Op::OpReturnValue, {idOperand(value)});
    }
    InstructionList& entry = function_->blocks.front()->body;
    entry.insert(entry.begin(), std::make_move_iterator(variables_.begin()),
                 std::make_move_iterator(variables_.end()));
    function_->end = makeInstruction(spv::Op::OpFunctionEnd, 0, 0, {});
    const Id result = id();
    functions_.push_back(std::move(function_));
    return result;
}

}  // namespace coopvk::rewrite
