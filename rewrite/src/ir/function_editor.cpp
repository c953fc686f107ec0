// SPDX-License-Identifier: Apache-2.0
#include "ir/blocks.hpp"
#include "ir/cloner.hpp"
#include "ir/control_flow.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

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
