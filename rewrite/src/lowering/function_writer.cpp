// SPDX-License-Identifier: Apache-2.0
#include "lowering/function_writer.hpp"

#include "lowering/built_ins.hpp"

namespace coopvk::rewrite {

namespace {

bool isVariableOrDebug(spv::Op opcode) {
    return opcode == spv::Op::OpVariable || opcode == spv::Op::OpLine ||
           opcode == spv::Op::OpNoLine || opcode == spv::Op::OpUntypedVariableKHR ||
           opcode == spv::Op::OpExtInst;  // debug declarations stand among the variables
}

}  // namespace

FunctionWriter::FunctionWriter(LoweringContext& context, Function& function)
    : context_(context), function_(function), emitter_(context.types, prologue_) {}

void FunctionWriter::startNewBlock(Id label) {
    blocks_.push_back(std::make_unique<Block>());
    Block& block = *blocks_.back();
    block.label = makeInstruction(spv::Op::OpLabel, 0, label, {});
    context_.module.setDef(block.label.get());
    emitter_.setOut(block.body);
}

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
           (head[phis]->opcode == spv::Op::OpPhi || head[phis]->opcode == spv::Op::OpLine ||
            head[phis]->opcode == spv::Op::OpNoLine)) {
        ++phis;
    }
    InstructionList rest;
    for (size_t i = phis; i < head.size(); ++i) rest.push_back(std::move(head[i]));
    head.resize(phis);
    const Id next = context_.module.takeId();
    // A header that is its own continue target: the back edge now leaves the last part, which
    // mendPhis makes the continue target.
    head.push_back(std::move(loopMerge_));
    emitter_.opVoid(spv::Op::OpBranch, {idOperand(next)});
    header_ = nullptr;
    startNewBlock(next);
    blocks_.back()->body = std::move(rest);
}

Id FunctionWriter::beginGuard(Id condition) {
    leaveLoopHeader();
    const Id then = context_.module.takeId();
    const Id merge = context_.module.takeId();
    emitter_.opVoid(spv::Op::OpSelectionMerge,
                    {idOperand(merge), literal(spv::SelectionControlMask::MaskNone)});
    emitter_.opVoid(spv::Op::OpBranchConditional,
                    {idOperand(condition), idOperand(then), idOperand(merge)});
    startNewBlock(then);
    return merge;
}

FunctionWriter::Loop FunctionWriter::beginLoop(uint32_t count) {
    leaveLoopHeader();
    Module& module = context_.module;
    TypeTable& types = context_.types;
    const Loop loop = {module.takeId(), module.takeId(), module.takeId(), module.takeId(),
                       module.takeId()};
    // A block of its own ahead of the loop: mendPhis would take the old block's label for its end.
    const Id before = module.takeId();
    emitter_.opVoid(spv::Op::OpBranch, {idOperand(before)});
    startNewBlock(before);
    emitter_.opVoid(spv::Op::OpBranch, {idOperand(loop.header)});
    startNewBlock(loop.header);
    emitter_.add(makeInstruction(spv::Op::OpPhi, types.uint32(), loop.index,
                                 {idOperand(types.constantU32(0)), idOperand(before),
                                  idOperand(loop.incremented), idOperand(loop.next)}));
    const Id more =
        emitter_.op(spv::Op::OpULessThan, types.boolType(), {loop.index, types.constantU32(count)});
    const Id inside = module.takeId();
    emitter_.opVoid(spv::Op::OpLoopMerge, {idOperand(loop.merge), idOperand(loop.next),
                                           literal(spv::LoopControlMask::MaskNone)});
    emitter_.opVoid(spv::Op::OpBranchConditional,
                    {idOperand(more), idOperand(inside), idOperand(loop.merge)});
    startNewBlock(inside);
    return loop;
}

void FunctionWriter::endLoop(const Loop& loop) {
    emitter_.opVoid(spv::Op::OpBranch, {idOperand(loop.next)});
    startNewBlock(loop.next);
    TypeTable& types = context_.types;
    emitter_.add(makeInstruction(spv::Op::OpIAdd, types.uint32(), loop.incremented,
                                 {idOperand(loop.index), idOperand(types.constantU32(1))}));
    emitter_.opVoid(spv::Op::OpBranch, {idOperand(loop.header)});
    startNewBlock(loop.merge);
}

void FunctionWriter::endGuard(Id merge) {
    emitter_.opVoid(spv::Op::OpBranch, {idOperand(merge)});
    startNewBlock(merge);
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
        auto place = entry.begin();
        while (place != entry.end() && isVariableOrDebug((*place)->opcode)) ++place;
        entry.insert(place, std::make_move_iterator(prologue_.begin()),
                     std::make_move_iterator(prologue_.end()));
        prologue_.clear();
    }
    function_.blocks = std::move(blocks_);
}

}  // namespace coopvk::rewrite
