// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ir/cloner.hpp"
#include "ir/effects.hpp"
#include "ir/emitter.hpp"
#include "ir/loop_slices.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "matrix/equal_code.hpp"
#include "matrix/product_loops.hpp"

namespace coopvk::rewrite {

namespace {

bool isMerge(spv::Op opcode) { return isOneOf(opcode, {OpLoopMerge, OpSelectionMerge}); }

bool isScalar(const Instruction& type) {
    return isOneOf(type.opcode, {OpTypeInt, OpTypeFloat, OpTypeBool});
}

// Finds loops that do the same, one after the other (joinEqualLoops()).

// What counts the iterations of a loop.
struct Counting {
    std::vector<const Instruction*> phis;  // of the header
    Slice test, step;                      // the condition; the phis' next values
};

// A value that both loops change: phis of the second loop's header, of the outer loop's, with which
// the second loop begins, and of the header ahead of the first body.
struct JoinedState {
    Instruction* rest = nullptr;
    const Instruction *outer = nullptr, *first = nullptr;
};

// `outer`, which perhaps has a loop `inner`, and `rest` behind it. The innermost loop's body is
// also that of `rest`. There is nothing else between the headers but code that nothing else uses.
struct LoopPair {
    TestedLoop outer, rest;
    std::optional<TestedLoop> inner;
    std::vector<size_t> body, restBody;  // blocks
    std::vector<JoinedState> state;
    Counting outerCounting, innerCounting;

    bool has(size_t block) const { return block >= outer.header && block < rest.header; }
    const TestedLoop& innermost() const { return inner ? *inner : outer; }
};

class LoopPairs {
 public:
    LoopPairs(const Module& module, const Function& function)
        : module_(module),
          function_(function),
          graph_(function),
          users_(function),
          definitions_(function) {}

    // Whether an instruction may run more often: it has no effect, and all operands are allowed.
    bool mayRepeat(const Instruction& i) const {
        return effectsOf(module_, i) == 0 &&
               !module_.decoration(i.result, spv::Decoration::NoSignedWrap) &&
               !module_.decoration(i.result, spv::Decoration::NoUnsignedWrap);
    }

    // Without common loops.
    std::vector<LoopPair> find() const {
        std::vector<LoopPair> pairs;
        std::map<const Loop*, const Loop*> last;  // by the loop around it; nullptr: it is in a pair
        for (const Loop& loop : graph_.loops()) {
            const Loop* first = std::exchange(last[loop.around], &loop);
            std::optional<LoopPair> pair = first ? pairOf(*first, loop) : std::nullopt;
            if (!pair) continue;
            pairs.push_back(*std::move(pair));
            last[loop.around] = nullptr;
        }
        return pairs;
    }

    const Users& users() const { return users_; }

 private:
    // A loop whose header only tests.
    std::optional<TestedLoop> tested(const Loop& loop) const {
        const auto found = testedLoop(function_, graph_, loop);
        const auto onlyTests = [&](const InstructionPtr& i) {
            return i->opcode == OpPhi
                       ? i->operands.size() == 4
                       : isTerminator(i->opcode) || isMerge(i->opcode) || mayRepeat(*i);
        };
        const bool fits =
            found && std::ranges::all_of(function_.blocks[loop.header]->body, onlyTests);
        return fits ? found : std::nullopt;
    }

    // Adds the blocks from one to another one. False if there are other ways. It ends: no block has
    // two predecessors, so none is visited twice.
    bool follow(size_t from, size_t to, std::vector<size_t>& blocks) const {
        for (size_t b = from;;) {
            const Block& block = *function_.blocks[b];
            if (graph_.predecessors(b).size() != 1 || mergeOf(block) != nullptr ||
                block.body.back()->opcode != OpBranch || block.body.front()->opcode == OpPhi) {
                return false;
            }
            blocks.push_back(b);
            if (b == to) return true;
            const auto next = graph_.number(block.body.back()->word(0));
            if (!next) return false;
            b = *next;
        }
    }

    bool findBody(const TestedLoop& loop, std::vector<size_t>& body) const {
        return follow(loop.first, loop.latch, body);
    }
    // Whether each iteration of the outer loop runs the inner one, and goes on.
    bool hasOneWay(const LoopPair& pair) const {
        return !pair.inner || (graph_.alwaysLeads(pair.outer.first, pair.inner->before) &&
                               graph_.alwaysLeads(pair.inner->merge, pair.outer.latch));
    }

    std::optional<LoopPair> pairOf(const Loop& first, const Loop& rest) const {
        const auto outer = tested(first), later = tested(rest);
        if (!outer || !later || later->before < outer->header) return std::nullopt;
        LoopPair pair{.outer = *outer, .rest = *later};
        if (!findBody(pair.rest, pair.restBody)) return std::nullopt;
        const bool multiplies = std::ranges::any_of(pair.restBody, [&](size_t b) {
            return std::ranges::any_of(function_.blocks[b]->body, [](const InstructionPtr& i) {
                return i->opcode == OpCooperativeMatrixMulAddKHR;
            });
        });
        if (!multiplies) return std::nullopt;
        for (const Loop* loop = &first + 1; loop != &rest; ++loop) {  // they are in a list
            if (pair.inner || loop->around != &first) return std::nullopt;
            pair.inner = tested(*loop);
            if (!pair.inner) return std::nullopt;
        }
        Counterparts values(module_);
        if (!findBody(pair.innermost(), pair.body) || !hasOneWay(pair) || !isClosed(pair) ||
            !hasOnlyTheBody(pair) || !isUnusedBehind(pair) || !findState(pair, values) ||
            !haveSameBody(pair, values) || !goOnAlike(pair, values) ||
            !findCounting(pair, pair.outer, pair.outerCounting)) {
            return std::nullopt;
        }
        if (pair.inner && !findCounting(pair, *pair.inner, pair.innerCounting)) return std::nullopt;
        return pair;
    }

    // Whether the blocks from one header to the other are those between them in the list.
    bool isClosed(const LoopPair& pair) const {
        for (size_t b = pair.outer.header; b < pair.rest.header; ++b) {
            const Instruction& branch = *function_.blocks[b]->body.back();
            if (!isOneOf(branch.opcode, {OpBranch, OpBranchConditional})) return false;
            const bool staysInside = std::ranges::all_of(branch.operands, [&](const Operand& o) {
                const auto to = o.isId ? graph_.number(o.word) : std::nullopt;
                return !to || pair.has(*to) || *to == pair.rest.header;
            });
            const bool isEntered = b == pair.outer.header ||
                                   std::ranges::all_of(graph_.predecessors(b),
                                                       [&](size_t from) { return pair.has(from); });
            if (!staysInside || !isEntered) return false;
        }
        return !pair.has(pair.outer.before) && pair.has(pair.outer.latch) &&
               pair.has(pair.rest.before);
    }

    bool hasOnlyTheBody(const LoopPair& pair) const {
        const std::set<size_t> body(pair.body.begin(), pair.body.end());
        for (size_t b = pair.outer.header; b < pair.rest.header; ++b) {
            if (body.contains(b)) continue;
            const bool isPureBlock =
                std::ranges::all_of(function_.blocks[b]->body, [&](const InstructionPtr& i) {
                    return isPure(effectsOf(module_, *i)) && i->opcode != OpVariable;
                });
            if (!isPureBlock) return false;
        }
        return true;
    }

    // Of what the blocks between the headers define, only phis of the second header may use
    // something, and what leads to the first one.
    bool isUnusedBehind(const LoopPair& pair) const {
        const auto isInside = [&](const Usage& use) {
            return pair.has(use.position.block) ||
                   (use.position.block == pair.rest.header && use.user->opcode == OpPhi);
        };
        for (size_t b = pair.outer.header; b < pair.rest.header; ++b) {
            const Block& block = *function_.blocks[b];
            if (b != pair.outer.header && !users_.all(block.id(), isInside)) return false;
            for (const InstructionPtr& i : block.body) {
                if (i->result != 0 && !users_.all(i->result, isInside)) return false;
            }
        }
        return true;
    }

    // Each phi of the second loop goes on with one of the first loop.
    bool findState(LoopPair& pair, Counterparts& values) const {
        const auto phiOf = [&](const TestedLoop& loop, Id value) -> const Instruction* {
            const auto found = definitions_.of(value);
            const bool isThere = found && found->block == loop.header;
            return isThere && module_.def(value).opcode == OpPhi ? &module_.def(value) : nullptr;
        };
        for (const InstructionPtr& i : function_.blocks[pair.rest.header]->body) {
            if (i->opcode != OpPhi) continue;
            const Instruction* outer = phiOf(pair.outer, pair.rest.init(*i));
            if (outer == nullptr) return false;
            const Instruction* first = outer;
            if (pair.inner) {
                first = phiOf(*pair.inner, pair.outer.next(*outer));
                if (first == nullptr || pair.inner->init(*first) != outer->result) {
                    return false;
                }
            }
            pair.state.push_back({i.get(), outer, first});
            if (!values.areAlike(*first, *i) || !values.add(first->result, i->result)) return false;
        }
        return true;
    }

    // Instructions that the first body has beside the second one's only count, or compute nothing
    // that is used.
    bool haveSameBody(const LoopPair& pair, Counterparts& values) const {
        std::vector<const Instruction*> first;
        for (const size_t b : pair.body) {
            for (const InstructionPtr& i : function_.blocks[b]->body) first.push_back(i.get());
        }
        const auto isSkipped = [](const Instruction& i) {
            return isTerminator(i.opcode) || isDebugLine(i.opcode);
        };
        size_t at = 0;
        for (const size_t b : pair.restBody) {
            for (const InstructionPtr& i : function_.blocks[b]->body) {
                if (isSkipped(*i)) continue;
                while (at < first.size() && !values.areEqual(*first[at], *i)) {
                    if (!isPure(effectsOf(module_, *first[at]))) return false;
                    ++at;
                }
                if (at == first.size()) return false;
                if (i->result != 0 && !values.add(first[at]->result, i->result)) return false;
                ++at;
            }
        }
        return std::all_of(first.begin() + static_cast<std::ptrdiff_t>(at), first.end(),
                           [&](const Instruction* i) { return isPure(effectsOf(module_, *i)); });
    }

    bool goOnAlike(const LoopPair& pair, const Counterparts& values) const {
        return std::ranges::all_of(pair.state, [&](const JoinedState& state) {
            const Id next = pair.rest.next(*state.rest);
            return !isDefinedIn(pair, next) &&
                   values.areSame(pair.innermost().next(*state.first), next);
        });
    }

    bool isDefinedIn(const LoopPair& pair, Id value) const {
        const auto found = definitions_.of(value);
        return found && pair.has(found->block);
    }

    // Adds what computes a value between the headers, and the phis on which that depends. False if
    // some of it may not run more often.
    bool collect(const LoopPair& pair, Id value, Slice& slice) const {
        return definitions_.collect(
            value, [&](size_t block) { return pair.has(block); },
            [&](const Instruction& i) { return mayRepeat(i); }, slice);
    }

    // The condition may depend on the outer loop's state, too, but counters only on themselves.
    bool findCounting(const LoopPair& pair, const TestedLoop& loop, Counting& counting) const {
        if (!collect(pair, loop.condition, counting.test)) return false;
        std::vector<Id> pending = counting.test.phis;
        std::set<Id> states, known;
        for (const JoinedState& state : pair.state) states.insert(state.outer->result);
        if (loop.header == pair.outer.header) {
            std::erase_if(pending, [&](Id phi) { return states.contains(phi); });
        }
        while (!pending.empty()) {
            const Instruction& phi = module_.def(pending.back());
            pending.pop_back();
            if (!known.insert(phi.result).second) continue;
            const bool isCounter =
                definitions_.of(phi.result)->block == loop.header && !states.contains(phi.result) &&
                isScalar(module_.def(phi.type)) && !isDefinedIn(pair, loop.init(phi));
            if (!isCounter || !collect(pair, loop.next(phi), counting.step)) return false;
            std::ranges::move(counting.step.phis, std::back_inserter(pending));
            counting.step.phis.clear();
            counting.phis.push_back(&phi);
        }
        return true;
    }

    const Module& module_;
    const Function& function_;
    const BlockGraph graph_;
    const Users users_;
    const Definitions definitions_;
};

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
    std::unordered_set<Id> gone;
    for (const LoopPair& pair : pairs) {
        for (size_t b = pair.outer.header; b < pair.rest.header; ++b) {
            auto& block = function.blocks[b];
            if (!block) continue;
            gone.insert(block->id());
            for (const Id id : module.takeOut(block->body, [](const Instruction&) { return true; }))
                gone.insert(id);
            block = nullptr;
        }
    }
    std::erase(function.blocks, nullptr);
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
