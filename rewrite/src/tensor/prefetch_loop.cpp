// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/cloner.hpp"
#include "ir/composites.hpp"
#include "ir/effects.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "tensor/load_order.hpp"

namespace coopvk::rewrite {

namespace {

bool isProduct(const Instruction& i) { return i.opcode == OpCooperativeMatrixMulAddKHR; }

bool branchesTo(const Block& block, Id label) {
    return block.body.back()->opcode == OpBranch && block.body.back()->word(0) == label;
}

// Whether it suffices to move the load. Decoding is work that overlaps nothing there, and where a
// view clips elements, these are those of Object.
bool isSimple(const Module& module, const TensorTypes& tensors, const Instruction& load) {
    const std::span<const Operand> addressing = tensorAddressing(load);
    if (isVolatile(operandsBehind(load, 3)) || addressing.empty()) return false;
    using enum spv::TensorAddressingOperandsMask;
    const auto has = [&](spv::TensorAddressingOperandsMask bit) {
        return (addressing[0].word & static_cast<uint32_t>(bit)) != 0;
    };
    if (has(DecodeFunc)) return false;
    if (!has(TensorView)) return true;
    const TensorViewType* view =
        addressing.size() < 2 ? nullptr : tensors.viewOf(module, addressing[1].word);
    return view != nullptr && !view->mayClip;
}

// Fills the blocks of the loop. False if it has others.
bool findBlocks(const Function& function, const BlockGraph& graph, const Loop& found,
                PrefetchLoop& loop) {
    const auto block = [&](size_t number) -> const Block& { return *function.blocks[number]; };
    const Block &header = block(found.header), &step = block(found.continueTarget);
    const Id merge = block(found.merge).id();
    const Instruction& branch = *header.body.back();
    const std::vector<size_t>& from = graph.predecessors(found.header);
    if (header.body.front()->opcode != OpPhi || branch.opcode != OpBranchConditional ||
        from.size() != 2 || from[0] >= found.header || from[1] != found.continueTarget) {
        return false;
    }
    loop.goesOnIf = branch.word(2) == merge;
    if (!loop.goesOnIf && branch.word(1) != merge) return false;
    const auto body = graph.number(branch.word(loop.goesOnIf ? 1 : 2));
    if (!body || *body == found.header || !branchesTo(block(from[0]), header.id()) ||
        !branchesTo(step, header.id())) {
        return false;
    }
    loop.before = from[0];
    loop.header = found.header;
    loop.body = *body;
    loop.step = found.continueTarget;
    loop.merge = mergeOf(header);
    loop.condition = branch.word(0);
    const auto merges = [](const InstructionPtr& i) {
        return isOneOf(i->opcode, {OpLoopMerge, OpSelectionMerge, OpPhi});
    };
    return (loop.step == loop.body || branchesTo(block(loop.body), step.id())) &&
           std::ranges::none_of(block(loop.body).body, merges) &&
           std::ranges::none_of(step.body, merges) && mergeOf(block(loop.before)) == nullptr;
}

// Finds the loads and the one product that uses two of them.
bool findProduct(const InstructionList& body, PrefetchLoop& loop) {
    std::set<Id> loaded;
    for (const InstructionPtr& i : body) {
        if (isProduct(*i)) {
            if (loop.product != nullptr) return false;
            loop.product = i.get();
        } else if (isTensorLoad(*i)) {
            if (loop.product != nullptr) return false;
            loop.loads.push_back(i.get());
            loaded.insert(i->result);
        }
    }
    return loop.product != nullptr && loop.loads.size() == 2 &&
           loaded.contains(loop.product->word(0)) && loaded.contains(loop.product->word(1));
}

}  // namespace

LoopValues::LoopValues(const Module& module, const Function& function, const PrefetchLoop& loop)
    : module_(module), step_(function.blocks[loop.step]->id()) {
    for (const size_t block : {loop.header, loop.body, loop.step}) {
        for (const InstructionPtr& i : function.blocks[block]->body) visit(*i);
    }
}

void LoopValues::visit(const Instruction& i) {
    if (i.opcode != OpPhi) {
        for (const Operand& o : i.operands) {
            if (o.isId && !defined_.contains(o.word)) fromOutside_.insert(o.word);
        }
    }
    if (i.result != 0) {
        isInOrder_ &= !fromOutside_.contains(i.result);
        defined_[i.result] = &i;
    }
    if (i.opcode == OpStore) {
        const Id variable = rootOf(module_, i.word(0));
        stored_.insert(variable);
    }
    onlyPrivateStores_ &= mayRepeat(effectsOf(module_, i));
}

bool LoopValues::canRepeat(Id value) {
    std::vector<Id> pending = {value};
    while (!pending.empty()) {
        const Id one = pending.back();
        pending.pop_back();
        const Instruction* i = find(one);
        if (i == nullptr || !visited_.insert(one).second) continue;
        if (i->opcode == OpPhi) {
            pending.push_back(next(*i));
            continue;
        }
        if (!canRepeatAlone(*i)) return false;
        for (const Operand& o : i->operands) {
            if (o.isId) pending.push_back(o.word);
        }
    }
    return true;
}

// Whether an instruction may run once more with operands that may be computed once more.
bool LoopValues::canRepeatAlone(const Instruction& i) const {
    if (i.opcode != OpLoad) return onlyComputes(effectsOf(module_, i));
    const Id variable = rootOf(module_, i.word(0));
    using enum spv::StorageClass;
    return !stored_.contains(variable) &&
           isOneOf(module_.storage(variable), {Function, Private, PushConstant, Input});
}

std::optional<PrefetchLoop> findPrefetchLoop(const Module& module, const TensorTypes& tensors,
                                             const Function& function, const BlockGraph& graph,
                                             const Loop& found) {
    PrefetchLoop loop;
    if (!findBlocks(function, graph, found, loop) ||
        !findProduct(function.blocks[loop.body]->body, loop)) {
        return std::nullopt;
    }
    LoopValues values(module, function, loop);
    if (!values.isInOrder() || !values.hasOnlyPrivateStores() || !values.canRepeat(loop.condition))
        return std::nullopt;
    for (const Instruction* load : loop.loads) {
        if (!isSimple(module, tensors, *load)) return std::nullopt;
        // Object, operand 1, stays unused.
        for (size_t o = 0; o < load->operands.size(); ++o) {
            if (o != 1 && load->operands[o].isId && !values.canRepeat(load->word(o))) {
                return std::nullopt;
            }
        }
    }
    return loop;
}

Id LoopCopies::at(When when, Id value, InstructionList& out) {
    // Not by recursion: a value may depend on any number of others.
    std::vector<Key> pending = {source({when, value})};
    while (!pending.empty()) {
        const Key key = pending.back();
        const size_t before = pending.size();
        if (!known(key)) {
            for (const Operand& o : values_.find(key.second)->operands) {
                const Key needed = source({key.first, o.word});
                if (o.isId && !known(needed)) pending.push_back(needed);
            }
        }
        if (pending.size() > before) continue;
        pending.pop_back();
        if (!known(key)) copies_[key] = copy(key.first, *values_.find(key.second), out);
    }
    return *known(source({when, value}));
}

Id LoopCopies::copy(When when, const Instruction& i, InstructionList& out) {
    InstructionPtr made = clone(module_, i, [&](Id id) { return at(when, id, out); });
    out.push_back(std::move(made));
    return out.back()->result;
}

// In the next iteration, a phi has a value of the present one.
LoopCopies::Key LoopCopies::source(const Key& key) const {
    const Instruction* i = values_.find(key.second);
    const bool isNextPhi = key.first == When::kNext && i != nullptr && i->opcode == OpPhi;
    return isNextPhi ? Key(When::kPresent, values_.next(*i)) : key;
}

// The id of a value at that time; nullopt: it is not copied yet.
std::optional<Id> LoopCopies::known(const Key& key) const {
    const auto [when, value] = key;
    const Instruction* i = values_.find(value);
    if (i == nullptr) return value;
    if (when == When::kPresent && loaded_.contains(value)) return loaded_.at(value);
    if (i->opcode == OpPhi) return when == When::kFirst ? values_.first(*i) : value;
    const auto copied = copies_.find(key);
    return copied == copies_.end() ? std::nullopt : std::optional(copied->second);
}

}  // namespace coopvk::rewrite
