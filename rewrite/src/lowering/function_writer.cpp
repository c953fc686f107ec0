// SPDX-License-Identifier: Apache-2.0
#include "lowering/function_writer.hpp"

#include "ir/opcodes.hpp"
#include "lowering/built_ins.hpp"

namespace coopvk::rewrite {

namespace {

bool isVariableOrDebug(spv::Op opcode) {
    // Debug declarations are among the variables.
    return isVariable(opcode) || isDebugLine(opcode) || opcode == spv::Op::OpExtInst;
}

}  // namespace

FunctionWriter::FunctionWriter(LoweringContext& context, Function& function)
    : ControlFlow(context.types, prologue_), context_(context), function_(function) {}

void FunctionWriter::beginBlock(Block& block) {
    blocks_.push_back(std::make_unique<Block>());
    Block& copy = *blocks_.back();
    copy.lead = std::move(block.lead);
    copy.label = std::move(block.label);
    current_ = copy.id();
    emitter_.setOut(copy.body);
    header_ = nullptr;
    loopMerge_ = nullptr;
    for (size_t i = 0; i < block.body.size(); ++i) {
        if (block.body[i]->opcode != spv::Op::OpLoopMerge) continue;
        // Taken out of the stream: it belongs to the first part if the block gets split.
        loopMerge_ = std::move(block.body[i]);
        block.body.erase(block.body.begin() + static_cast<std::ptrdiff_t>(i));
        header_ = &copy;
        break;
    }
}

void FunctionWriter::keep(InstructionPtr instruction) {
    const spv::Op opcode = instruction->opcode;
    const bool branches = opcode == spv::Op::OpBranch || opcode == spv::Op::OpBranchConditional;
    if (branches && loopMerge_ != nullptr) emitter_.add(std::move(loopMerge_));
    emitter_.add(std::move(instruction));
}

void FunctionWriter::endBlock() { lastPartOf_[current_] = blocks_.back()->id(); }

// A loop header keeps its phis and its merge and branches to the rest of itself: the back edge must
// still reach a block with the OpLoopMerge.
void FunctionWriter::leaveLoopHeader() {
    if (header_ == nullptr) return;
    InstructionList& head = header_->body;
    size_t phis = 0;
    while (phis < head.size() &&
           (head[phis]->opcode == spv::Op::OpPhi || isDebugLine(head[phis]->opcode))) {
        ++phis;
    }
    InstructionList rest = takeFrom(head, phis);
    const Id next = context_.module.takeId();
    // A header that is its own continue target: the back edge now leaves the last part, which
    // mendPhis makes the continue target.
    head.push_back(std::move(loopMerge_));
    emitter_.opVoid(spv::Op::OpBranch, {idOperand(next)});
    header_ = nullptr;
    startBlock(next);
    blocks_.back()->body = std::move(rest);
}

void FunctionWriter::guarded(Id condition, const std::function<void()>& body) {
    if (condition == 0) return body();
    leaveLoopHeader();
    when(condition, body);
}

void FunctionWriter::chosen(Id condition, const std::function<void()>& then,
                            const std::function<void()>& otherwise) {
    leaveLoopHeader();
    choose(condition, then, otherwise);
}

Id FunctionWriter::chosenValue(Id type, Id condition, const std::function<Id()>& then,
                               const std::function<Id()>& otherwise) {
    leaveLoopHeader();
    return chooseValue(type, condition, then, otherwise);
}

void FunctionWriter::repeated(uint32_t count, const std::function<void(Id index)>& body) {
    leaveLoopHeader();
    // A new block ahead of the loop: mendPhis would take the old block's label for its end.
    startNewBlock();
    loop(count, body, spv::LoopControlMask::MaskNone);
}

Id FunctionWriter::variable(Id type) {
    const Id pointer = context_.types.pointerType(spv::StorageClass::Function, type);
    const Id result = context_.module.takeId();
    Emitter(context_.types, variables_)
        .add(makeInstruction(spv::Op::OpVariable, pointer, result,
                             {literal(spv::StorageClass::Function)}));
    return result;
}

Id FunctionWriter::lane() { return once({0, 0}, readLane); }

void FunctionWriter::mendPhis() {
    for (const auto& block : blocks_) {
        for (const InstructionPtr& i : block->body) {
            if (i->opcode == spv::Op::OpPhi) {
                for (size_t p = 1; p < i->operands.size(); p += 2) {
                    const auto found = lastPartOf_.find(i->word(p));
                    if (found != lastPartOf_.end()) i->operands[p].word = found->second;
                }
            } else if (i->opcode == spv::Op::OpLoopMerge && i->word(1) == block->id()) {
                i->operands[1].word = lastPartOf_[block->id()];
            }
        }
    }
}

void FunctionWriter::finish() {
    mendPhis();
    if (!blocks_.empty() && !prologue_.empty()) {
        InstructionList& entry = blocks_.front()->body;
        size_t at = 0;
        while (at < entry.size() && isVariableOrDebug(entry[at]->opcode)) ++at;
        insertAt(entry, at, std::move(prologue_));
    }
    if (!variables_.empty()) {
        InstructionList& entry = blocks_.front()->body;
        entry.insert(entry.begin(), std::make_move_iterator(variables_.begin()),
                     std::make_move_iterator(variables_.end()));
        variables_.clear();
    }
    function_.blocks = std::move(blocks_);
}

}  // namespace coopvk::rewrite
