// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/cloner.hpp"
#include "ir/emitter.hpp"
#include "ir/memory_operands.hpp"
#include "matrix/equal_code.hpp"
#include "matrix/product_loops.hpp"

namespace coopvk::rewrite {

namespace {

// Ahead of the instructions that lead to other blocks.
void insertAtEnd(Block& block, InstructionList&& code) {
    const Instruction* merge = mergeOf(block);
    const auto last = std::ranges::find_if(block.body, [&](const InstructionPtr& i) {
        return i.get() == (merge != nullptr ? merge : block.body.back().get());
    });
    insertAt(block.body, static_cast<size_t>(last - block.body.begin()), std::move(code));
}

class Joining {
 public:
    Joining(TypeTable& types, Function& function, const Users& users, const LoopPair& pair)
        : types_(types), module_(types.module()), function_(function), users_(users), pair_(pair) {}

    void run() {
        for (const Counting* counting : {&pair_.outerCounting, &pair_.innerCounting}) {
            for (const Instruction* phi : counting->phis) counters_[phi] = module_.takeId();
        }
        begin();
        step();
        test();
        leadToRest();
    }

 private:
    Id label(size_t block) const { return function_.blocks[block]->id(); }

    // Copies of instructions, in which counters have other values.
    Cloner copied(const Slice& slice, Cloner values, Emitter& emit) {
        for (const auto& [position, i] : slice.code) emit.add(values.copy(*i));
        return values;
    }
    Cloner present(const Counting& counting) {
        Cloner values(module_);
        for (const Instruction* phi : counting.phis) values.set(phi->result, counters_.at(phi));
        return values;
    }
    Id goesOn(const TestedLoop& loop, Id condition, Emitter& emit) {
        if (loop.goesOnIf) return condition;
        return emit.op(OpLogicalNot, types_.boolType(), {condition});
    }
    void addPhi(InstructionList& phis, Id type, Id result, Id init, Id next) {
        Emitter(types_, phis)
            .op(OpPhi, type, {init, label(pair_.outer.before), next, label(pair_.rest.latch)},
                result);
    }

    // Ahead of the loop: whether the inner loop's body runs at all, which is the same each time.
    void begin() {
        begins_ = types_.constantBool(true);
        if (!pair_.inner) return;
        InstructionList code;
        Emitter emit(types_, code);
        Cloner values(module_);
        for (const Instruction* phi : pair_.innerCounting.phis) {
            values.set(phi->result, pair_.inner->init(*phi));
        }
        const Cloner tested = copied(pair_.innerCounting.test, values, emit);
        begins_ = goesOn(*pair_.inner, tested(pair_.inner->condition), emit);
        insertAtEnd(*function_.blocks[pair_.outer.before], std::move(code));
    }

    // At the end of an iteration: the counters' next values.
    void step() {
        InstructionList code;
        Emitter emit(types_, code);
        const Counting &outer = pair_.outerCounting, &inner = pair_.innerCounting;
        const Cloner next = copied(outer.step, present(outer), emit);
        for (const Instruction* phi : outer.phis) next_[phi] = next(pair_.outer.next(*phi));
        if (pair_.inner) {
            const Cloner stepped = copied(inner.step, present(inner), emit);
            Cloner values(module_);
            for (const Instruction* phi : inner.phis) {
                values.set(phi->result, stepped(pair_.inner->next(*phi)));
            }
            const Cloner tested = copied(inner.test, values, emit);
            middle_ = goesOn(*pair_.inner, tested(pair_.inner->condition), emit);
            const auto choose = [&](const Instruction& phi, Id inMiddle, Id otherwise) {
                next_[&phi] = emit.op(OpSelect, phi.type, {middle_, inMiddle, otherwise});
            };
            for (const Instruction* phi : outer.phis) {
                choose(*phi, counters_.at(phi), next_.at(phi));
            }
            for (const Instruction* phi : inner.phis) {
                choose(*phi, values(phi->result), pair_.inner->init(*phi));
            }
        }
        insertAtEnd(*function_.blocks[pair_.rest.latch], std::move(code));
    }

    // In the header: whether the first loop goes on, or else the second one.
    void test() {
        InstructionList phis, code;
        Emitter emit(types_, code);
        const Id boolean = types_.boolType();
        const Counting &outer = pair_.outerCounting, &inner = pair_.innerCounting;
        Cloner values = present(outer);
        for (const JoinedState& s : pair_.state) values.set(s.outer->result, s.rest->result);
        const Cloner tested = copied(outer.test, values, emit);
        Id more = goesOn(pair_.outer, tested(pair_.outer.condition), emit);
        if (pair_.inner) {
            const Id isMiddle = module_.takeId();
            addPhi(phis, boolean, isMiddle, types_.constantBool(false), middle_);
            more = emit.op(OpLogicalOr, boolean, {isMiddle, more});
        }
        const Id wasFirst = module_.takeId();
        const Id isFirst = emit.op(OpLogicalAnd, boolean, {wasFirst, more});
        addPhi(phis, boolean, wasFirst, begins_, isFirst);
        for (const Instruction* phi : outer.phis) {
            addPhi(phis, phi->type, counters_.at(phi), pair_.outer.init(*phi), next_.at(phi));
        }
        for (const Instruction* phi : inner.phis) {
            addPhi(phis, phi->type, counters_.at(phi), pair_.inner->init(*phi), next_.at(phi));
        }
        const Id isRest = goesOn(pair_.rest, pair_.rest.condition, emit);
        const Id goes = emit.op(OpLogicalOr, boolean, {isFirst, isRest});

        Block& header = *function_.blocks[pair_.rest.header];
        Instruction& merge = *mergeOf(header);
        Instruction& branch = *header.body.back();
        branch.operands = {idOperand(goes), idOperand(label(pair_.rest.first)),
                           idOperand(merge.word(0))};
        // What else the control says is of the second loop alone.
        constexpr auto kKept = spv::LoopControlMask::Unroll | spv::LoopControlMask::DontUnroll;
        merge.operands.resize(3);
        merge.operands[2].word &= static_cast<uint32_t>(kKept);
        insertAtEnd(header, std::move(code));
        insertAt(header.body, 0, std::move(phis));
    }

    void leadToRest() {
        const Id before = label(pair_.rest.before);
        for (const JoinedState& state : pair_.state) {
            Operands& operands = state.rest->operands;
            const size_t at = operands[1].word == before ? 0 : 2;
            operands[at].word = pair_.outer.init(*state.outer);
            operands[at + 1].word = label(pair_.outer.before);
        }
        for (const Usage& use : users_.of(label(pair_.outer.header))) {
            if (pair_.has(use.position.block)) continue;
            use.user->operands[use.operand].word = label(pair_.rest.header);
        }
    }

    TypeTable& types_;
    Module& module_;
    Function& function_;
    const Users& users_;
    const LoopPair& pair_;
    std::map<const Instruction*, Id> counters_, next_;  // of phis of the first loops
    Id begins_ = 0, middle_ = 0;  // whether the inner loop begins, and whether it goes on
};

void drop(Module& module, Function& function, const std::vector<LoopPair>& pairs) {
    std::vector<bool> isGone(function.blocks.size());
    for (const LoopPair& pair : pairs) {
        std::fill(isGone.begin() + static_cast<std::ptrdiff_t>(pair.outer.header),
                  isGone.begin() + static_cast<std::ptrdiff_t>(pair.rest.header), true);
    }
    std::unordered_set<Id> gone;
    std::vector<std::unique_ptr<Block>> kept;
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        auto& block = function.blocks[b];
        if (!isGone[b]) {
            kept.push_back(std::move(block));
            continue;
        }
        gone.insert(block->id());
        for (const Id id : module.takeOut(block->body, [](const Instruction&) { return true; }))
            gone.insert(id);
    }
    function.blocks = std::move(kept);
    gone.erase(0);
    module.forget(gone);
}

// Most functions have no pairs, and their users take as long as the module has ids.
bool hasTwoLoops(const Function& function) {
    return std::ranges::count_if(function.blocks,
                                 [](const auto& block) { return isLoopHeader(*block); }) > 1;
}

bool decodesIn(const Function& function, const LoopPair& pair) {
    return std::ranges::any_of(pair.body, [&](size_t block) {
        return std::ranges::any_of(function.blocks[block]->body, [](const InstructionPtr& i) {
            return i->opcode == OpCooperativeMatrixLoadTensorNV && decodesElements(*i);
        });
    });
}

}  // namespace

size_t joinEqualLoops(TypeTable& types, bool withDecoding) {
    Module& module = types.module();
    size_t joined = 0;
    for (const auto& function : module.functions()) {
        if (!hasTwoLoops(*function)) continue;
        const LoopPairs found(module, *function);
        std::vector<LoopPair> pairs = found.find();
        std::erase_if(pairs, [&](const LoopPair& pair) {
            return !withDecoding && decodesIn(*function, pair);
        });
        if (pairs.empty()) continue;
        for (const LoopPair& pair : pairs) Joining(types, *function, found.users(), pair).run();
        drop(module, *function, pairs);
        joined += pairs.size();
    }
    if (joined != 0) module.dropDanglingNonSemantic();
    return joined;
}

}  // namespace coopvk::rewrite
