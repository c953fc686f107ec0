// SPDX-License-Identifier: Apache-2.0
#include "subgroups/uniformity.hpp"

#include <algorithm>
#include <ranges>

#include "ir/composites.hpp"
#include "ir/effects.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

constexpr size_t kNowhere = ~size_t{0};  // behind the end of the function

// The immediate post-dominator of each block (Cooper, Harvey, Kennedy: A Simple, Fast Dominance
// Algorithm, on the reversed graph). kNowhere: the end; also of blocks that do not lead there.
class PostDominators {
 public:
    PostDominators(const BlockGraph& graph, size_t blocks)
        : graph_(graph), order_(blocks, kNowhere), found_(blocks, kUnknown) {
        numberFromExits(blocks);
        bool changed = true;
        while (changed) {
            changed = false;
            for (const size_t block : std::views::reverse(postorder_)) {
                const size_t meets = meetOf(block);
                changed |= std::exchange(found_[block], meets) != meets;
            }
        }
        for (size_t& block : found_) block = block == kUnknown ? kNowhere : block;
    }
    std::vector<size_t> take() { return std::move(found_); }

 private:
    static constexpr size_t kUnknown = kNowhere - 1;

    // In the order in which a depth-first search from the exits leaves blocks.
    void numberFromExits(size_t blocks) {
        std::vector<bool> seen(blocks, false);
        std::vector<std::pair<size_t, size_t>> stack;
        for (size_t exit = 0; exit < blocks; ++exit) {
            if (!graph_.successors(exit).empty()) continue;
            seen[exit] = true;
            stack.push_back({exit, 0});
            while (!stack.empty()) {
                auto& [block, next] = stack.back();
                if (next == graph_.predecessors(block).size()) {
                    order_[block] = postorder_.size();
                    postorder_.push_back(block);
                    stack.pop_back();
                    continue;
                }
                const size_t before = graph_.predecessors(block)[next++];
                if (seen[before]) continue;
                seen[before] = true;
                stack.push_back({before, 0});
            }
        }
    }

    size_t meetOf(size_t block) const {
        if (graph_.successors(block).empty()) return kNowhere;
        size_t meets = kUnknown;
        for (const size_t next : graph_.successors(block)) {
            if (order_[next] == kNowhere) return kNowhere;  // it may run forever
            if (found_[next] == kUnknown && !graph_.successors(next).empty()) continue;
            meets = meets == kUnknown ? next : intersect(meets, next);
        }
        return meets;
    }

    size_t intersect(size_t a, size_t b) const {
        while (a != b) {
            if (a == kNowhere || b == kNowhere) return kNowhere;
            size_t& lower = order_[a] < order_[b] ? a : b;
            lower = found_[lower];
        }
        return a;
    }

    const BlockGraph& graph_;
    std::vector<size_t> postorder_, order_;
    std::vector<size_t> found_;
};

bool isSameInWorkgroup(spv::BuiltIn builtIn) {
    using enum spv::BuiltIn;
    return isOneOf(builtIn, {NumWorkgroups, WorkgroupSize, WorkgroupId, SubgroupSize, NumSubgroups,
                             DeviceIndex});
}

// What operations on a subgroup give all of its invocations, if their own operands say so.
bool givesOneValue(const Instruction& i) {
    const bool isReduction =
        i.opcode >= OpGroupNonUniformIAdd && i.opcode <= OpGroupNonUniformLogicalXor;
    if (isReduction) return i.word(1) == static_cast<uint32_t>(spv::GroupOperation::Reduce);
    return isOneOf(i.opcode, {OpGroupNonUniformAll, OpGroupNonUniformAny, OpGroupNonUniformAllEqual,
                              OpGroupNonUniformBroadcast, OpGroupNonUniformBroadcastFirst,
                              OpGroupNonUniformBallot, OpSubgroupBallotKHR, OpSubgroupAllKHR,
                              OpSubgroupAnyKHR, OpSubgroupAllEqualKHR, OpSubgroupFirstInvocationKHR,
                              OpSubgroupReadInvocationKHR});
}

// Those of a ballot's value alone, which no other invocation takes part in.
bool countsBallot(const Instruction& i) {
    return isOneOf(i.opcode, {OpGroupNonUniformBallotFindLSB, OpGroupNonUniformBallotFindMSB,
                              OpGroupNonUniformBallotBitExtract}) ||
           (i.opcode == OpGroupNonUniformBallotBitCount &&
            i.word(1) == static_cast<uint32_t>(spv::GroupOperation::Reduce));
}

bool isMatrixType(spv::Op opcode) {
    return isOneOf(
        opcode, {OpTypeCooperativeMatrixKHR, OpTypeCooperativeMatrixNV, OpTypeCooperativeVectorNV});
}

// Whether an instruction orders memory of others, so that invocations may see what another
// workgroup wrote at different times without a race.
bool ordersMemory(const Module& module, const Instruction& i) {
    constexpr auto kOrders = static_cast<uint64_t>(
        spv::MemorySemanticsMask::Acquire | spv::MemorySemanticsMask::Release |
        spv::MemorySemanticsMask::AcquireRelease |
        spv::MemorySemanticsMask::SequentiallyConsistent);
    if (i.opcode == OpMemoryBarrier) return true;
    if (i.opcode < OpAtomicLoad || i.opcode > OpAtomicXor) return false;
    return (module.constantValue(i.word(2)).value_or(kOrders) & kOrders) != 0;
}

}  // namespace

Uniformity::Known::Known(const Function& function)
    : graph(function),
      meets(PostDominators(graph, function.blocks.size()).take()),
      apart(function.blocks.size(), false) {}

Uniformity::Uniformity(const Module& module, bool isOneSubgroup)
    : module_(module), isOneSubgroup_(isOneSubgroup), functions_(module) {
    module.visitBlocks([&](const Instruction& i) { isMemorySteady_ &= !ordersMemory(module, i); });
    for (const auto& function : module.functions())
        known_.emplace(function->id(), std::make_unique<Known>(*function));
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode == OpVariable && storageOf(*i) == spv::StorageClass::Input &&
            inputVaries(i->result)) {
            vary(i->result);
        }
    }
    do {
        changed_ = false;
        for (const auto& function : module.functions()) visit(*function);
    } while (changed_);
}

bool Uniformity::isTogether(const Function& function, size_t block) const {
    const Known& known = *known_.at(function.id());
    return !known.isCalledApart && !known.apart[block];
}

bool Uniformity::inputVaries(Id variable) const {
    const auto builtIn = module_.decoration(variable, spv::Decoration::BuiltIn);
    if (!builtIn) return true;
    const auto which = static_cast<spv::BuiltIn>(*builtIn);
    return !isSameInWorkgroup(which) && !(isOneSubgroup_ && which == spv::BuiltIn::SubgroupId);
}

// Invocations part at the end of a block, and meet where all ways from it lead.
void Uniformity::divide(Known& known, size_t block) {
    const size_t meets = known.meets[block];
    std::vector<size_t> pending(known.graph.successors(block));
    while (!pending.empty()) {
        const size_t next = pending.back();
        pending.pop_back();
        if (next == meets || known.apart[next]) continue;
        known.apart[next] = true;
        changed_ = true;
        for (const size_t more : known.graph.successors(next)) pending.push_back(more);
    }
}

void Uniformity::visit(const Function& function) {
    Known& known = *known_.at(function.id());
    for (size_t block = 0; block < function.blocks.size(); ++block) {
        visitBlock(function, block, known.isCalledApart || known.apart[block]);
    }
}

void Uniformity::visitBlock(const Function& function, size_t block, bool isApart) {
    Known& known = *known_.at(function.id());
    for (const InstructionPtr& i : function.blocks[block]->body) {
        visitInstruction(known, *i, isApart);
    }
    if (function.blocks[block]->body.empty()) return;
    const Instruction& end = *function.blocks[block]->body.back();
    const bool isBranch = isOneOf(end.opcode, {OpBranchConditional, OpSwitch});
    // Where they are apart already, they may come at different times to what is equal in each.
    if (isBranch && (isApart || varies(end.word(0)))) divide(known, block);
}

void Uniformity::visitInstruction(Known& known, const Instruction& i, bool isApart) {
    if (i.opcode == OpFunctionCall) return visitCall(i, isApart);
    if (i.opcode == OpReturnValue && (isApart || varies(i.word(0)))) {
        changed_ |= !std::exchange(known.resultVaries, true);
    }
    visitWrites(i, isApart);
    // What a variable holds is what is written to it.
    if (i.result == 0 || i.opcode == OpVariable) return;
    if (isApart || resultVaries(known, i)) vary(i.result);
}

void Uniformity::visitCall(const Instruction& call, bool isApart) {
    const Function* callee = functions_.find(call.word(0));
    if (callee == nullptr) return vary(call.result);
    Known& known = *known_.at(callee->id());
    if (isApart) changed_ |= !std::exchange(known.isCalledApart, true);
    for (size_t p = 0; p < callee->parameters.size(); ++p) {
        const Id argument = call.word(p + 1), parameter = callee->parameters[p]->result;
        const bool isPointer = isPointerType(module_.def(callee->parameters[p]->type).opcode);
        // What the callee writes through a pointer is not followed.
        if (isPointer && isPrivate(module_.storage(argument))) {
            vary(rootOf(module_, argument));
            vary(parameter);
        } else if (varies(argument)) {
            vary(parameter);
        }
    }
    if (isApart || known.resultVaries) vary(call.result);
}

// Variables of the invocation: stores to them, and all else that takes pointers to them.
void Uniformity::visitWrites(const Instruction& i, bool isApart) {
    if (i.opcode == OpLoad || i.opcode == OpCopyObject || isAccessChain(i.opcode)) return;
    for (const Operand& o : i.operands) {
        if (!o.isId || !isPointerType(module_.def(module_.def(o.word).type).opcode) ||
            !isPrivate(module_.storage(o.word))) {
            continue;
        }
        const bool isStore = i.opcode == OpStore && o.word == i.word(0);
        if (isStore && !isApart && !varies(i.word(1)) && !varies(i.word(0))) continue;
        vary(rootOf(module_, o.word));
    }
}

bool Uniformity::anyVaries(const Instruction& i) const {
    return std::ranges::any_of(i.operands,
                               [&](const Operand& o) { return o.isId && varies(o.word); });
}

bool Uniformity::phiVaries(const Known& known, const Instruction& phi) const {
    for (size_t at = 0; at + 1 < phi.operands.size(); at += 2) {
        const auto from = known.graph.number(phi.word(at + 1));
        if (varies(phi.word(at)) || !from || known.apart[*from]) return true;
    }
    return false;
}

bool Uniformity::loadVaries(Id pointer, const Instruction& load) const {
    using enum spv::StorageClass;
    if (varies(pointer) || varies(rootOf(module_, pointer))) return true;
    if (load.opcode == OpLoad && isVolatile(operandsBehind(load, 1))) return true;
    const spv::StorageClass storage = module_.storage(pointer);
    if (isPrivate(storage) || isOneOf(storage, {Input, PushConstant, UniformConstant}))
        return false;
    return !isMemorySteady_ ||
           !isOneOf(storage, {Uniform, StorageBuffer, PhysicalStorageBuffer, Workgroup});
}

bool Uniformity::resultVaries(const Known& known, const Instruction& i) const {
    if (isMatrixType(module_.def(i.type).opcode)) return true;
    if (i.opcode == OpPhi) return phiVaries(known, i);
    if (i.opcode == OpLoad) return loadVaries(i.word(0), i);
    if (givesOneValue(i)) return !isOneSubgroup_;
    if (countsBallot(i)) return anyVaries(i);
    constexpr uint32_t kDiffers = kReads | kChanges | kConvergent | kOfLane | kVaries;
    const bool isImageLoad = isOneOf(i.opcode, {OpImageFetch, OpImageSampleExplicitLod});
    const uint32_t effects = ownEffects(module_, i) & (isImageLoad ? ~uint32_t{kReads} : ~0u);
    return (effects & kDiffers) != 0 || anyVaries(i);
}

}  // namespace coopvk::rewrite
