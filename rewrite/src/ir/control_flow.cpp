// SPDX-License-Identifier: Apache-2.0
#include "ir/control_flow.hpp"

#include "ir/blocks.hpp"
#include "ir/cloner.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

Id ControlFlow::variable(Id type) {
    const Id pointer = types_.pointerType(spv::StorageClass::Function, type);
    return Emitter(types_, variables_)
        .op(OpVariable, pointer, Operands{literal(spv::StorageClass::Function)});
}

void ControlFlow::startBlock(Id label) {
    blocks_.push_back(std::make_unique<Block>());
    Block& block = *blocks_.back();
    block.label = makeInstruction(OpLabel, 0, label, {});
    types_.module().setDef(block.label.get());
    emitter_.setOut(block.body);
}

void ControlFlow::branch(Id label) { emitter_.opVoid(OpBranch, {idOperand(label)}); }

void ControlFlow::startNewBlock() {
    const Id label = types_.module().takeId();
    branch(label);
    startBlock(label);
}

void ControlFlow::loop(uint32_t count, const std::function<void(Id index)>& body,
                       spv::LoopControlMask control) {
    Module& module = types_.module();
    const Id u32 = types_.uint32();
    const Id header = module.takeId();
    const Id test = module.takeId();
    const Id inside = module.takeId();
    const Id next = module.takeId();
    const Id merge = module.takeId();
    const Id index = module.takeId();
    const Id incremented = module.takeId();
    const Id before = label();
    branch(header);
    startBlock(header);
    emitter_.add(makeInstruction(OpPhi, u32, index,
                                 {idOperand(types_.constantU32(0)), idOperand(before),
                                  idOperand(incremented), idOperand(next)}));
    emitter_.opVoid(OpLoopMerge, {idOperand(merge), idOperand(next), literal(control)});
    branch(test);
    startBlock(test);
    const Id more = emitter_.op(OpULessThan, types_.boolType(), {index, types_.constantU32(count)});
    emitter_.opVoid(OpBranchConditional, {idOperand(more), idOperand(inside), idOperand(merge)});
    startBlock(inside);
    body(index);
    branch(next);
    startBlock(next);
    emitter_.add(makeInstruction(OpIAdd, u32, incremented,
                                 {idOperand(index), idOperand(types_.constantU32(1))}));
    branch(header);
    startBlock(merge);
}

void ControlFlow::loopAbove(uint32_t limit, uint32_t count,
                            const std::function<void(Id index)>& body,
                            spv::LoopControlMask control) {
    if (count > limit) return loop(count, body, control);
    for (uint32_t i = 0; i < count; ++i) body(types_.constantU32(i));
}

void ControlFlow::loopUntil(const std::function<Id()>& body) {
    Module& module = types_.module();
    const Id header = module.takeId();
    const Id inside = module.takeId();
    const Id next = module.takeId();
    const Id merge = module.takeId();
    branch(header);
    startBlock(header);
    emitter_.opVoid(OpLoopMerge,
                    {idOperand(merge), idOperand(next), literal(spv::LoopControlMask::DontUnroll)});
    branch(inside);
    startBlock(inside);
    const Id done = body();
    emitter_.opVoid(OpBranchConditional, {idOperand(done), idOperand(merge), idOperand(next)});
    startBlock(next);
    branch(header);
    startBlock(merge);
}

void ControlFlow::when(Condition condition, const std::function<void()>& then) {
    if (emitter_.known(condition).isAlways()) return then();
    if (!condition.isNever()) fork(*condition.id(), then, nullptr);
}

void ControlFlow::choose(Condition condition, const std::function<void()>& then,
                         const std::function<void()>& otherwise) {
    const Condition found = emitter_.known(condition);
    if (found.isAlways()) return then();
    if (found.isNever()) return otherwise();
    fork(*found.id(), then, otherwise);
}

// `otherwise` may be null.
void ControlFlow::fork(Id condition, const std::function<void()>& then,
                       const std::function<void()>& otherwise) {
    beforeFork();
    const Id yes = types_.module().takeId();
    const Id no = otherwise ? types_.module().takeId() : 0;
    const Id merge = types_.module().takeId();
    emitter_.opVoid(OpSelectionMerge,
                    {idOperand(merge), literal(spv::SelectionControlMask::MaskNone)});
    emitter_.opVoid(OpBranchConditional,
                    {idOperand(condition), idOperand(yes), idOperand(otherwise ? no : merge)});
    startBlock(yes);
    then();
    branch(merge);
    if (otherwise) {
        startBlock(no);
        otherwise();
        branch(merge);
    }
    startBlock(merge);
}

Id ControlFlow::chooseValue(Id type, Id condition, const std::function<Id()>& then,
                            const std::function<Id()>& otherwise) {
    const JoinedValue value[] = {{type}};
    const auto one = [](const std::function<Id()>& make) { return std::vector{make()}; };
    return chooseValues(
        value, condition, [&] { return one(then); }, [&] { return one(otherwise); })[0];
}

std::vector<Id> ControlFlow::chooseValues(std::span<const JoinedValue> values, Id condition,
                                          const std::function<std::vector<Id>()>& then,
                                          const std::function<std::vector<Id>()>& otherwise) {
    std::vector<Operands> sources(values.size());
    const auto take = [&](const std::vector<Id>& made) {
        for (size_t v = 0; v < values.size(); ++v) {
            append(sources[v], {idOperand(made[v]), idOperand(label())});
        }
    };
    fork(condition, [&] { take(then()); }, [&] { take(otherwise()); });
    std::vector<Id> phis;
    for (size_t v = 0; v < values.size(); ++v) {
        phis.push_back(emitter_.op(OpPhi, values[v].type, std::move(sources[v]), values[v].result));
    }
    return phis;
}

FunctionBuilder::FunctionBuilder(TypeTable& types, FunctionList& functions, std::string_view name,
                                 std::optional<Id> resultType, std::span<const Id> parameterTypes)
    : ControlFlow(types), functions_(functions), function_(std::make_unique<Function>()) {
    Module& module = types.module();
    const Id returned = resultType.value_or(0) != 0 ? *resultType : types.voidType();
    const Id type = types.functionType(returned, parameterTypes);
    function_->definition =
        makeInstruction(OpFunction, returned, module.takeId(),
                        {literal(spv::FunctionControlMask::MaskNone), idOperand(type)});
    module.setDef(function_->definition.get());
    module.addName(id(), name);
    for (Id parameterType : parameterTypes) {
        function_->parameters.push_back(
            makeInstruction(OpFunctionParameter, parameterType, module.takeId(), {}));
        module.setDef(function_->parameters.back().get());
    }
    startBlock(module.takeId());
}

Id FunctionBuilder::load(Id pointer) { return emitter_.load(module().pointee(pointer), pointer); }

void FunctionBuilder::dontInline() {
    function_->definition->operands[0] = literal(spv::FunctionControlMask::DontInline);
}

void FunctionBuilder::store(Id pointer, Id value) { emitter_.store(pointer, value); }

Id FunctionBuilder::element(Id array, Id index) {
    return emitter_.chain(module().def(module().pointee(array)).word(0), {array, index});
}

Id FunctionBuilder::finish(std::optional<Id> value) {
    emitter_.opVoid(value ? OpReturnValue : OpReturn,
                    value ? Operands{idOperand(*value)} : Operands());
    insertAt(blocks_.front()->body, 0, std::move(variables_));
    function_->blocks = std::move(blocks_);
    function_->end = makeInstruction(OpFunctionEnd, 0, 0, {});
    const Id result = id();
    functions_.push_back(std::move(function_));
    return result;
}

namespace {

bool isVariableOrDebug(spv::Op opcode) {
    // Debug declarations may stand between the variables.
    return isVariable(opcode) || isDebugLine(opcode) || isExtInst(opcode);
}

size_t endOfVariables(const InstructionList& entry) {
    size_t at = 0;
    while (at < entry.size() && isVariableOrDebug(entry[at]->opcode)) ++at;
    return at;
}

// DebugFunctionDefinition, which must be in the entry block.
bool isFunctionDefinition(const Module& module, const Instruction& i) {
    constexpr uint32_t kDebugFunctionDefinition = 101;
    return isExtInst(i.opcode) && i.word(1) == kDebugFunctionDefinition &&
           stringFromOperands(module.def(i.word(0)), 0).starts_with("NonSemantic.Shader.DebugInfo");
}

}  // namespace

FunctionEditor::FunctionEditor(TypeTable& types, Function& function)
    : ControlFlow(types, prologue_), function_(function) {}

void FunctionEditor::beginBlock(Block& block) {
    blocks_.push_back(std::make_unique<Block>());
    Block& copy = *blocks_.back();
    copy.lead = std::move(block.lead);
    copy.label = std::move(block.label);
    current_ = copy.id();
    emitter_.setOut(copy.body);
    header_ = nullptr;
    loopMerge_ = nullptr;
    sampledImages_.clear();
    for (size_t i = 0; i < block.body.size(); ++i) {
        if (block.body[i]->opcode != OpLoopMerge) continue;
        // Kept apart: if the block is split, it ends the first part.
        loopMerge_ = std::move(block.body[i]);
        block.body.erase(block.body.begin() + static_cast<std::ptrdiff_t>(i));
        header_ = &copy;
        break;
    }
}

void FunctionEditor::keep(InstructionPtr instruction) {
    const spv::Op opcode = instruction->opcode;
    const bool branches = opcode == OpBranch || opcode == OpBranchConditional;
    if (branches && loopMerge_ != nullptr) emitter_.add(std::move(loopMerge_));
    if (opcode == OpSampledImage) {
        sampledImages_[instruction->result] = {instruction->result, blocks_.back()->id()};
    }
    if (!sampledImages_.empty()) repeatSampledImages(*instruction);
    if (blocks_.size() > 1 && isFunctionDefinition(types_.module(), *instruction)) {
        InstructionList& entry = blocks_.front()->body;
        entry.insert(entry.begin() + static_cast<std::ptrdiff_t>(endOfVariables(entry)),
                     std::move(instruction));
        return;
    }
    emitter_.add(std::move(instruction));
}

void FunctionEditor::endBlock() { lastPartOf_[current_] = blocks_.back()->id(); }

// The instruction that uses an OpSampledImage must be in the same block (SPIR-V, OpSampledImage).
void FunctionEditor::repeatSampledImages(Instruction& user) {
    Module& module = types_.module();
    const Id part = blocks_.back()->id();
    for (Operand& o : user.operands) {
        const auto found = o.isId ? sampledImages_.find(o.word) : sampledImages_.end();
        if (found == sampledImages_.end()) continue;
        SampledImage& image = found->second;
        if (image.part != part) {
            emitter_.add(clone(module, module.def(found->first), std::identity()));
            image = {emitter_.out().back()->result, part};
        }
        o.word = image.result;
    }
}

// Splits a loop header before control flow is added to it. The first part keeps phis and
// OpLoopMerge, since the back edge must branch to a block with these.
void FunctionEditor::splitLoopHeader() {
    if (header_ == nullptr) return;
    InstructionList& head = header_->body;
    InstructionList rest = takeFrom(head, endOfPhis(*header_));
    const Id next = types_.module().takeId();
    head.push_back(std::move(loopMerge_));
    emitter_.opVoid(OpBranch, {idOperand(next)});
    header_ = nullptr;
    startBlock(next);
    blocks_.back()->body = std::move(rest);
}

Id FunctionEditor::split() {
    splitLoopHeader();
    startNewBlock();
    return label();
}

void FunctionEditor::loop(uint32_t count, const std::function<void(Id index)>& body,
                          spv::LoopControlMask control) {
    // The loop's phi names the block before it. That must not be the original block, whose label
    // updatePhis() replaces.
    split();
    ControlFlow::loop(count, body, control);
}

void FunctionEditor::updatePhis() {
    for (const auto& block : blocks_) {
        for (const InstructionPtr& i : block->body) {
            if (i->opcode != OpPhi) continue;
            for (size_t p = 1; p < i->operands.size(); p += 2) {
                const auto found = lastPartOf_.find(i->word(p));
                if (found != lastPartOf_.end()) i->operands[p].word = found->second;
            }
        }
    }
}

void FunctionEditor::finish() {
    updatePhis();
    if (!blocks_.empty() && !prologue_.empty()) {
        InstructionList& entry = blocks_.front()->body;
        insertAt(entry, endOfVariables(entry), std::move(prologue_));
    }
    if (!blocks_.empty()) insertAt(blocks_.front()->body, 0, std::move(variables_));
    function_.blocks = std::move(blocks_);
}

}  // namespace coopvk::rewrite
