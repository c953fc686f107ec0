// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>

#include "ir/blocks.hpp"
#include "ir/emitter.hpp"
#include "matrix/slices/segments.hpp"

namespace coopvk::rewrite {

namespace {

using spv::Op;

bool isInside(const Segment& s, size_t block, size_t at) {
    if (block < s.begin.block || (block == s.begin.block && at < s.begin.at)) return false;
    return block < s.end.block || (block == s.end.block && at < s.end.at);
}

// A loop header cannot be split: the back edge of its loop leads to it.
bool isLoopHeader(const Block& block) {
    const Instruction* merge = mergeOf(block);
    return merge != nullptr && merge->opcode == Op::OpLoopMerge;
}

}  // namespace

bool canRepeat(const Function& function, const Segment& segment) {
    const Block& first = *function.blocks[segment.begin.block];
    const Block& last = *function.blocks[segment.end.block];
    if (isLoopHeader(first) || isLoopHeader(last)) return false;
    std::unordered_set<Id> inside;
    for (size_t b = segment.begin.block; b <= segment.end.block; ++b) {
        const InstructionList& body = function.blocks[b]->body;
        for (size_t at = 0; at < body.size(); ++at) {
            if (isInside(segment, b, at)) inside.insert(body[at]->result);
        }
    }
    inside.erase(0);
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        const InstructionList& body = function.blocks[b]->body;
        for (size_t at = 0; at < body.size(); ++at) {
            if (isInside(segment, b, at)) continue;
            for (const Operand& o : body[at]->operands) {
                if (o.isId && inside.contains(o.word)) return false;
            }
        }
    }
    return true;
}

void keepLoopRolled(Function& function, const Segment& segment) {
    for (size_t b = segment.begin.block; b-- > 0;) {
        Block& header = *function.blocks[b];
        if (!isLoopHeader(header)) continue;
        Instruction& merge = *mergeOf(header);
        const auto end = std::ranges::find(function.blocks, merge.word(0),
                                           [](const auto& block) { return block->id(); });
        if (end - function.blocks.begin() <= static_cast<std::ptrdiff_t>(segment.end.block)) {
            continue;
        }
        constexpr auto kUnroll = static_cast<uint32_t>(spv::LoopControlMask::Unroll);
        if ((merge.word(2) & ~kUnroll) == 0) {
            merge.operands[2] = literal(spv::LoopControlMask::DontUnroll);
        }
        return;
    }
}

void repeat(TypeTable& types, Function& function, const Segment& segment, const SliceLoop& loop) {
    Module& module = types.module();
    const Id u32 = types.uint32();
    auto& blocks = function.blocks;
    const Id header = module.takeId(), body = module.takeId(), next = module.takeId();
    const Id merge = module.takeId(), index = module.takeId(), following = module.takeId();
    const Id firstLabel = blocks[segment.begin.block]->id();
    const Id lastLabel = blocks[segment.end.block]->id();
    const bool isOne = segment.begin.block == segment.end.block;
    Block& first = *blocks[segment.begin.block];
    Block& last = *blocks[segment.end.block];
    // Splits the last block behind the segment, then the first block ahead of it.
    auto after = makeBlock(module, merge);
    after->body = takeFrom(last.body, segment.end.at);
    auto inside = makeBlock(module, body);
    inside->body = takeFrom(first.body, segment.begin.at);
    renameParent(function, lastLabel, merge);
    if (!isOne) renameParent(function, firstLabel, body);

    Emitter emit(types, first.body);
    emit.opVoid(Op::OpBranch, {idOperand(header)});
    auto head = makeBlock(module, header);
    emit.setOut(head->body);
    emit.add(makeInstruction(Op::OpPhi, u32, index,
                             {idOperand(types.constantU32(0)), idOperand(firstLabel),
                              idOperand(following), idOperand(next)}));
    const Id more =
        emit.op(Op::OpULessThan, types.boolType(), {index, types.constantU32(loop.count)});
    emit.opVoid(Op::OpLoopMerge, {idOperand(merge), idOperand(next), literal(loop.control)});
    emit.opVoid(Op::OpBranchConditional, {idOperand(more), idOperand(body), idOperand(merge)});
    InstructionList start;
    emit.setOut(start);
    emit.opVoid(Op::OpStore, {idOperand(loop.number), idOperand(index)});
    insertAt(inside->body, 0, std::move(start));
    emit.setOut(isOne ? inside->body : last.body);
    emit.opVoid(Op::OpBranch, {idOperand(next)});
    auto continuing = makeBlock(module, next);
    emit.setOut(continuing->body);
    emit.add(makeInstruction(Op::OpIAdd, u32, following,
                             {idOperand(index), idOperand(types.constantU32(1))}));
    emit.opVoid(Op::OpBranch, {idOperand(header)});

    const auto place = [&](size_t at) { return blocks.begin() + static_cast<std::ptrdiff_t>(at); };
    const size_t behind = segment.end.block + 1;
    blocks.insert(place(behind), std::move(after));
    blocks.insert(place(behind), std::move(continuing));
    blocks.insert(place(segment.begin.block + 1), std::move(inside));
    blocks.insert(place(segment.begin.block + 1), std::move(head));
}

}  // namespace coopvk::rewrite
