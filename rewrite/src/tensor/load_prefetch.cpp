// SPDX-License-Identifier: Apache-2.0
#include <list>

#include "ir/control_flow.hpp"
#include "tensor/load_order.hpp"

namespace coopvk::rewrite {

namespace {

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
