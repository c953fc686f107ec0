// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/effects.hpp"
#include "ir/opcodes.hpp"
#include "matrix/equal_code.hpp"

namespace coopvk::rewrite {

namespace {

bool isMerge(spv::Op opcode) { return isOneOf(opcode, {OpLoopMerge, OpSelectionMerge}); }

bool isScalar(const Instruction& type) {
    return isOneOf(type.opcode, {OpTypeInt, OpTypeFloat, OpTypeBool});
}

}  // namespace

LoopPairs::LoopPairs(const Module& module, const Function& function)
    : module_(module),
      function_(function),
      graph_(function),
      users_(function),
      definitions_(function) {}

// Whether an instruction may run more often: it has no effect, and all operands are allowed.
bool LoopPairs::mayRepeat(const Instruction& i) const {
    return effectsOf(module_, i) == 0 &&
           !module_.decoration(i.result, spv::Decoration::NoSignedWrap) &&
           !module_.decoration(i.result, spv::Decoration::NoUnsignedWrap);
}

std::vector<LoopPair> LoopPairs::find() const {
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

// A loop whose header only tests.
std::optional<TestedLoop> LoopPairs::tested(const Loop& loop) const {
    const auto found = testedLoop(function_, graph_, loop);
    const auto onlyTests = [&](const InstructionPtr& i) {
        return i->opcode == OpPhi ? i->operands.size() == 4
                                  : isTerminator(i->opcode) || isMerge(i->opcode) || mayRepeat(*i);
    };
    const bool fits = found && std::ranges::all_of(function_.blocks[loop.header]->body, onlyTests);
    return fits ? found : std::nullopt;
}

// Adds the blocks from one to another one. False if there are other ways.
bool LoopPairs::follow(size_t from, size_t to, std::vector<size_t>& blocks) const {
    for (size_t b = from;;) {
        const Block& block = *function_.blocks[b];
        if (graph_.predecessors(b).size() != 1 || mergeOf(block) != nullptr ||
            block.body.back()->opcode != OpBranch || block.body.front()->opcode == OpPhi) {
            return false;
        }
        blocks.push_back(b);
        if (b == to) return true;
        const auto next = graph_.number(block.body.back()->word(0));
        if (!next || blocks.size() > function_.blocks.size()) return false;
        b = *next;
    }
}

// Whether each iteration of the outer loop runs the inner one, and goes on.
bool LoopPairs::hasOneWay(const LoopPair& pair) const {
    return !pair.inner || (graph_.alwaysLeads(pair.outer.first, pair.inner->before) &&
                           graph_.alwaysLeads(pair.inner->merge, pair.outer.latch));
}

std::optional<LoopPair> LoopPairs::pairOf(const Loop& first, const Loop& rest) const {
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
bool LoopPairs::isClosed(const LoopPair& pair) const {
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
    return !pair.has(pair.outer.before) && pair.has(pair.outer.latch) && pair.has(pair.rest.before);
}

bool LoopPairs::hasOnlyTheBody(const LoopPair& pair) const {
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

// Of what the blocks between the headers define, only phis of the second header may use something,
// and what leads to the first one.
bool LoopPairs::isUnusedBehind(const LoopPair& pair) const {
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

bool LoopPairs::isDefinedIn(const LoopPair& pair, Id value) const {
    const auto found = definitions_.of(value);
    return found && pair.has(found->block);
}

// Each phi of the second loop goes on with one of the first loop.
bool LoopPairs::findState(LoopPair& pair, Counterparts& values) const {
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

// Instructions that the first body has beside the second one's only count, or compute nothing that
// is used.
bool LoopPairs::haveSameBody(const LoopPair& pair, Counterparts& values) const {
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

bool LoopPairs::goOnAlike(const LoopPair& pair, const Counterparts& values) const {
    return std::ranges::all_of(pair.state, [&](const JoinedState& state) {
        const Id next = pair.rest.next(*state.rest);
        return !isDefinedIn(pair, next) &&
               values.areSame(pair.innermost().next(*state.first), next);
    });
}

// Adds what computes a value between the headers, and the phis on which that depends. False if some
// of it may not run more often.
bool LoopPairs::collect(const LoopPair& pair, Id value, Slice& slice) const {
    return definitions_.collect(
        value, [&](size_t block) { return pair.has(block); },
        [&](const Instruction& i) { return mayRepeat(i); }, slice);
}

// The condition may depend on the outer loop's state, too, but counters only on themselves.
bool LoopPairs::findCounting(const LoopPair& pair, const TestedLoop& loop,
                             Counting& counting) const {
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
        const bool isCounter = definitions_.of(phi.result)->block == loop.header &&
                               !states.contains(phi.result) && isScalar(module_.def(phi.type)) &&
                               !isDefinedIn(pair, loop.init(phi));
        if (!isCounter || !collect(pair, loop.next(phi), counting.step)) return false;
        std::ranges::move(counting.step.phis, std::back_inserter(pending));
        counting.step.phis.clear();
        counting.phis.push_back(&phi);
    }
    return true;
}

}  // namespace coopvk::rewrite
