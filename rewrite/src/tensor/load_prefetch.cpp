// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <list>

#include "ir/cloner.hpp"
#include "ir/composites.hpp"
#include "ir/control_flow.hpp"
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

// A loop of a header, which tests the condition, a body, and perhaps a block behind the body that
// is the continue target. The body loads from tensors, and multiplies what it loads once.
struct PrefetchLoop {
    // Numbers of blocks. `before` branches to the header. `step` is the continue target, which may
    // be the body.
    size_t before = 0, header = 0, body = 0, step = 0;
    Instruction* merge = nullptr;  // OpLoopMerge
    Id condition = 0;
    bool goesOnIf = true;                   // the value of the condition with which the body runs
    std::vector<const Instruction*> loads;  // in the body, ahead of the product
    const Instruction* product = nullptr;
};

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

// Copies of the values of a loop whose tensor loads move.
//
// What the instructions of a loop depend on.
class LoopValues {
 public:
    LoopValues(const Module& module, const Function& function, const PrefetchLoop& loop)
        : module_(module), step_(function.blocks[loop.step]->id()) {
        for (const size_t block : {loop.header, loop.body, loop.step}) {
            for (const InstructionPtr& i : function.blocks[block]->body) visit(*i);
        }
    }

    // The instruction of the loop that defines a value; nullptr: the value is the same in all
    // iterations.
    const Instruction* find(Id value) const {
        const auto found = defined_.find(value);
        return found == defined_.end() ? nullptr : found->second;
    }
    // The value of the header's phi in the first iteration, and that in the next one.
    Id first(const Instruction& phi) const { return phi.word(beginsWithNext(phi) ? 2 : 0); }
    Id next(const Instruction& phi) const { return phi.word(beginsWithNext(phi) ? 0 : 2); }
    // Whether instructions other than phis use only what stands ahead of them, as in all loops that
    // can be reached.
    bool isInOrder() const { return isInOrder_; }

    // Whether the instructions that compute a value, of this iteration and of the next one, may run
    // once more elsewhere in the loop and ahead of it.
    bool canRepeat(Id value) {
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

    // Whether nothing in the loop can change memory that a tensor load reads.
    bool hasOnlyPrivateStores() const { return onlyPrivateStores_; }

 private:
    void visit(const Instruction& i) {
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

    bool beginsWithNext(const Instruction& phi) const { return phi.word(1) == step_; }

    // Whether an instruction may run once more with operands that may be computed once more.
    bool canRepeatAlone(const Instruction& i) const {
        if (i.opcode != OpLoad) return onlyComputes(effectsOf(module_, i));
        const Id variable = rootOf(module_, i.word(0));
        using enum spv::StorageClass;
        return !stored_.contains(variable) &&
               isOneOf(module_.storage(variable), {Function, Private, PushConstant, Input});
    }

    const Module& module_;
    const Id step_;  // label
    std::map<Id, const Instruction*> defined_;
    std::set<Id> stored_;       // variables
    std::set<Id> fromOutside_;  // ids that instructions of the loop use, and none above defines
    std::set<Id> visited_;
    bool isInOrder_ = true;
    bool onlyPrivateStores_ = true;
};

// Finds the loops in which tensor loads can move to the iteration before (prefetchTensorLoads()).
//
// A loop, if its loads can move.
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

// Which iteration a copy is of. The next one follows the present one.
enum class When { kFirst, kPresent, kNext };

class LoopCopies {
 public:
    // `loaded`: what holds the present iteration's loads, by the loads' results.
    LoopCopies(Module& module, const LoopValues& values, const std::map<Id, Id>& loaded)
        : module_(module), values_(values), loaded_(loaded) {}

    // The value at that time. Appends the instructions that compute it to `out`, once each.
    Id at(When when, Id value, InstructionList& out) {
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

    // A copy of an instruction, with a new result.
    Id copy(When when, const Instruction& i, InstructionList& out) {
        InstructionPtr made = clone(module_, i, [&](Id id) { return at(when, id, out); });
        out.push_back(std::move(made));
        return out.back()->result;
    }

 private:
    using Key = std::pair<When, Id>;

    // In the next iteration, a phi has a value of the present one.
    Key source(const Key& key) const {
        const Instruction* i = values_.find(key.second);
        const bool isNextPhi = key.first == When::kNext && i != nullptr && i->opcode == OpPhi;
        return isNextPhi ? Key(When::kPresent, values_.next(*i)) : key;
    }

    // The id of a value at that time; nullopt: it is not copied yet.
    std::optional<Id> known(const Key& key) const {
        const auto [when, value] = key;
        const Instruction* i = values_.find(value);
        if (i == nullptr) return value;
        if (when == When::kPresent && loaded_.contains(value)) return loaded_.at(value);
        if (i->opcode == OpPhi) return when == When::kFirst ? values_.first(*i) : value;
        const auto copied = copies_.find(key);
        return copied == copies_.end() ? std::nullopt : std::optional(copied->second);
    }

    Module& module_;
    const LoopValues& values_;
    const std::map<Id, Id>& loaded_;
    std::map<Key, Id> copies_;
};

// Moves the loads of one loop, as the blocks of its function are rewritten in order.
class Prefetcher {
 public:
    Prefetcher(FunctionEditor& editor, const Function& function, const PrefetchLoop& loop)
        : editor_(editor),
          module_(editor.emit().module()),
          loop_(loop),
          values_(module_, function, loop),
          copies_(module_, values_, present_),
          before_(function.blocks[loop.before]->id()),
          step_(function.blocks[loop.step]->id()) {
        for (const Instruction* load : loop.loads) {
            present_[load->result] = module_.takeId();
            next_.push_back({load->type, module_.takeId()});
        }
    }
    Prefetcher(const Prefetcher&) = delete;

    // What gives the loads' results from now on.
    const std::map<Id, Id>& replaced() const { return present_; }

    // At the start of a block.
    void begin(size_t block) {
        if (block == loop_.header) joinInHeader();
    }
    // Ahead of the last instruction of a block.
    void end(size_t block) {
        if (block == loop_.before) loadFirst();
        // The continue target shall have no branches.
        if (block == loop_.step && block == loop_.body) {
            loop_.merge->operands[1].word = editor_.split();
        }
    }
    // Whether an instruction, whose operands are replaced, is the product: then it is copied.
    bool opens(const Instruction& i, std::set<Id>& opened) {
        if (&i != loop_.product) return false;
        opened.insert(loadNext(i));
        return true;
    }

 private:
    Emitter& emit() { return editor_.emit(); }

    // Copies of the loads, of the first or of the next iteration.
    std::vector<Id> loadsOf(When when) {
        std::vector<Id> loaded;
        for (size_t k = 0; k < loop_.loads.size(); ++k) {
            Instruction other = *loop_.loads[k];
            other.operands[1].word = undefined_[k];  // Object
            loaded.push_back(copies_.copy(when, other, emit().out()));
        }
        return loaded;
    }

    void loadFirst() {
        std::map<Id, Id> byType;
        std::vector<JoinedValue> joined;
        for (const Instruction* load : loop_.loads) {
            Id& value = byType[load->type];
            if (value == 0) value = emit().op(OpUndef, load->type, Operands());
            undefined_.push_back(value);
            joined.push_back({load->type, first_.emplace_back(module_.takeId())});
        }
        ifItGoesOn(
            When::kFirst, joined, [&] { return loadsOf(When::kFirst); },
            [&] { return undefined_; });
    }

    void joinInHeader() {
        for (size_t k = 0; k < loop_.loads.size(); ++k) {
            const Instruction& load = *loop_.loads[k];
            emit().op(OpPhi, load.type, {first_[k], before_, *next_[k].result, step_},
                      present_.at(load.result));
        }
    }

    // Opens the product, loads for the next iteration, then ends it. Returns the opened product.
    Id loadNext(const Instruction& product) {
        const Id opened = emit().op(product.opcode, product.type, product.operands);
        std::vector<JoinedValue> joined = next_;
        joined.insert(joined.begin(), {product.type, product.result});
        const auto endWith = [&](std::vector<Id> values) {
            values.insert(values.begin(), emit().op(OpCopyObject, product.type, {opened}));
            return values;
        };
        ifItGoesOn(
            When::kNext, joined, [&] { return endWith(loadsOf(When::kNext)); },
            [&] { return endWith(undefined_); });
        return opened;
    }

    using Values = std::function<std::vector<Id>()>;
    void ifItGoesOn(When when, std::span<const JoinedValue> joined, const Values& more,
                    const Values& none) {
        const Id condition = copies_.at(when, loop_.condition, emit().out());
        editor_.chooseValues(joined, condition, loop_.goesOnIf ? more : none,
                             loop_.goesOnIf ? none : more);
    }

    FunctionEditor& editor_;
    Module& module_;
    const PrefetchLoop loop_;
    const LoopValues values_;
    std::map<Id, Id> present_;  // the header's phis, by the loads' results
    LoopCopies copies_;
    const Id before_, step_;         // labels
    std::vector<Id> undefined_;      // by load: values ahead of the loop
    std::vector<Id> first_;          // by load: what is loaded ahead of the loop
    std::vector<JoinedValue> next_;  // by load: what is loaded for the next iteration
};

// Moves the loads of all loops of a function.
void prefetch(TypeTable& types, Function& function, std::span<const PrefetchLoop> loops,
              std::set<Id>& opened) {
    FunctionEditor editor(types, function);
    std::map<Id, Id> replaced;
    std::list<Prefetcher> all;
    std::map<size_t, std::vector<Prefetcher*>> byBlock;
    for (const PrefetchLoop& loop : loops) {
        Prefetcher& one = all.emplace_back(editor, function, loop);
        replaced.insert(one.replaced().begin(), one.replaced().end());
        for (const size_t b : {loop.before, loop.header, loop.body}) byBlock[b].push_back(&one);
    }
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        InstructionList& body = function.blocks[b]->body;
        const std::vector<Prefetcher*>& here = byBlock[b];
        editor.beginBlock(*function.blocks[b]);
        for (Prefetcher* one : here) one->begin(b);
        for (InstructionPtr& i : body) {
            for (Operand& o : i->operands) {
                const auto found = o.isId ? replaced.find(o.word) : replaced.end();
                if (found != replaced.end()) o.word = found->second;
            }
            bool isGone = replaced.contains(i->result);
            for (Prefetcher* one : here) {
                if (&i == &body.back()) one->end(b);
                isGone |= one->opens(*i, opened);
            }
            isGone ? types.module().retire(std::move(i)) : editor.keep(std::move(i));
        }
        editor.endBlock();
    }
    editor.finish();
}

}  // namespace

std::set<Id> prefetchTensorLoads(TypeTable& types, const TensorTypes& tensors) {
    std::set<Id> opened;
    for (const auto& function : types.module().functions()) {
        const BlockGraph graph(*function);
        std::vector<PrefetchLoop> loops;
        for (const Loop& found : graph.loops()) {
            const std::optional<PrefetchLoop> loop =
                findPrefetchLoop(types.module(), tensors, *function, graph, found);
            if (loop) loops.push_back(*loop);
        }
        if (!loops.empty()) prefetch(types, *function, loops, opened);
    }
    return opened;
}

bool endsProduct(const Module& module, const Instruction& i) {
    return i.opcode == OpCopyObject && module.def(i.word(0)).opcode == OpCooperativeMatrixMulAddKHR;
}

}  // namespace coopvk::rewrite
