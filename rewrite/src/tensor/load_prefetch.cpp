// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <list>

#include "ir/cloner.hpp"
#include "ir/composites.hpp"
#include "ir/control_flow.hpp"
#include "ir/effects.hpp"
#include "ir/loop_slices.hpp"
#include "ir/memory_operands.hpp"
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
    if (addressing.empty()) return false;
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
struct PrefetchLoop : TestedLoop {
    bool has(size_t block) const { return isOneOf(block, {header, first, latch}); }

    Instruction* mergeInstruction = nullptr;
    std::vector<const Instruction*> loads;  // in the body, ahead of the product
    const Instruction* product = nullptr;
    // What computes the condition and the operands of the loads, and what the phis of both are in
    // the next iteration.
    Slice test, operands, step;
};

// False if the loop has other blocks.
bool findBlocks(const Function& function, const BlockGraph& graph, const Loop& found,
                PrefetchLoop& loop) {
    const auto tested = testedLoop(function, graph, found);
    if (!tested || tested->latch != found.continueTarget) return false;
    static_cast<TestedLoop&>(loop) = *tested;
    const auto block = [&](size_t number) -> const Block& { return *function.blocks[number]; };
    const Block &header = block(loop.header), &body = block(loop.first), &step = block(loop.latch);
    loop.mergeInstruction = mergeOf(header);
    const auto merges = [](const InstructionPtr& i) {
        return isOneOf(i->opcode, {OpLoopMerge, OpSelectionMerge, OpPhi});
    };
    return header.body.front()->opcode == OpPhi && loop.first != loop.header &&
           branchesTo(block(loop.before), header.id()) && branchesTo(step, header.id()) &&
           (loop.latch == loop.first || branchesTo(body, step.id())) &&
           std::ranges::none_of(body.body, merges) && std::ranges::none_of(step.body, merges) &&
           mergeOf(block(loop.before)) == nullptr;
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

// Finds the slices. False if the instructions that compute these values may not run once more
// elsewhere in the loop and ahead of it, or the loop may change memory that a tensor load reads.
bool findSlices(const Module& module, const Function& function, PrefetchLoop& loop) {
    std::set<Id> stored;  // variables
    for (const size_t block : {loop.header, loop.first, loop.latch}) {
        for (const InstructionPtr& i : function.blocks[block]->body) {
            if (!mayRepeat(effectsOf(module, *i))) return false;
            if (i->opcode == OpStore) stored.insert(rootOf(module, i->word(0)));
        }
    }
    const auto isRepeatable = [&](const Instruction& i) {
        if (i.opcode != OpLoad) return onlyComputes(effectsOf(module, i));
        const Id variable = rootOf(module, i.word(0));
        using enum spv::StorageClass;
        return !stored.contains(variable) &&
               isOneOf(module.storage(variable), {Function, Private, PushConstant, Input});
    };
    const Definitions definitions(function);
    const auto collect = [&](Id value, Slice& slice) {
        return definitions.collect(
            value, [&](size_t block) { return loop.has(block); }, isRepeatable, slice);
    };
    if (!collect(loop.condition, loop.test)) return false;
    for (const Instruction* load : loop.loads) {
        // Object, operand 1, stays unused.
        for (size_t o = 0; o < load->operands.size(); ++o) {
            const bool isNeeded = o != 1 && load->operands[o].isId;
            if (isNeeded && !collect(load->word(o), loop.operands)) return false;
        }
    }
    for (const Slice* slice : {&loop.test, &loop.operands}) {
        for (const Id phi : slice->phis) {
            if (!collect(loop.next(module.def(phi)), loop.step)) return false;
        }
    }
    return true;
}

// A loop in which tensor loads can move to the iteration before (prefetchTensorLoads()).
std::optional<PrefetchLoop> findPrefetchLoop(const Module& module, const TensorTypes& tensors,
                                             const Function& function, const BlockGraph& graph,
                                             const Loop& found) {
    PrefetchLoop loop;
    const bool fits = findBlocks(function, graph, found, loop) &&
                      findProduct(function.blocks[loop.first]->body, loop) &&
                      std::ranges::all_of(loop.loads, [&](const Instruction* load) {
                          return isSimple(module, tensors, *load);
                      });
    if (!fits || !findSlices(module, function, loop)) return std::nullopt;
    return loop;
}

// Which iteration copies are of.
enum class When { kFirst, kNext };

// Moves the loads of one loop, as the blocks of its function are rewritten in order.
class Prefetcher {
 public:
    Prefetcher(FunctionEditor& editor, const Function& function, const PrefetchLoop& loop)
        : editor_(editor),
          module_(editor.emit().module()),
          loop_(loop),
          before_(function.blocks[loop.before]->id()),
          step_(function.blocks[loop.latch]->id()) {
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
        if (block == loop_.latch && block == loop_.first) {
            loop_.mergeInstruction->operands[1].word = editor_.split();
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

    void copy(const Slice& slice, Cloner& values) {
        for (const auto& [position, i] : slice.code) {
            if (values(i->result) == i->result) emit().add(values.copy(*i));
        }
    }

    // The phis' values in an iteration.
    Cloner begin(When when) {
        Cloner present(module_), values(module_);
        if (when == When::kNext) copy(loop_.step, present);
        for (const Slice* slice : {&loop_.test, &loop_.operands}) {
            for (const Id id : slice->phis) {
                const Instruction& phi = module_.def(id);
                values.set(id, when == When::kFirst ? loop_.init(phi) : present(loop_.next(phi)));
            }
        }
        return values;
    }

    // Copies of the loads.
    std::vector<Id> load(Cloner& values) {
        copy(loop_.operands, values);
        std::vector<Id> loaded;
        for (size_t k = 0; k < loop_.loads.size(); ++k) {
            Instruction other = *loop_.loads[k];
            other.operands[1].word = undefined_[k];  // Object
            emit().add(clone(module_, other, [&](Id id) { return values(id); }));
            loaded.push_back(emit().out().back()->result);
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
        ifItGoesOn(When::kFirst, joined, [](std::vector<Id> values) { return values; });
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
        ifItGoesOn(When::kNext, joined, endWith);
        return opened;
    }

    // finish(loaded) gives the values that are joined.
    template <typename Finish>
    void ifItGoesOn(When when, std::span<const JoinedValue> joined, const Finish& finish) {
        Cloner values = begin(when);
        copy(loop_.test, values);
        const std::function<std::vector<Id>()> more = [&] { return finish(load(values)); },
                                               none = [&] { return finish(undefined_); };
        editor_.chooseValues(joined, values(loop_.condition), loop_.goesOnIf ? more : none,
                             loop_.goesOnIf ? none : more);
    }

    FunctionEditor& editor_;
    Module& module_;
    const PrefetchLoop loop_;
    std::map<Id, Id> present_;       // the header's phis, by the loads' results
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
        for (const size_t b : {loop.before, loop.header, loop.first}) byBlock[b].push_back(&one);
    }
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        InstructionList& body = function.blocks[b]->body;
        const std::vector<Prefetcher*>& here = byBlock[b];
        editor.beginBlock(*function.blocks[b]);
        for (Prefetcher* one : here) one->begin(b);
        for (InstructionPtr& i : body) {
            replaceIds(*i, replaced);
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
