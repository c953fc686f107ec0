// SPDX-License-Identifier: Apache-2.0
#include "execution/tangles.hpp"

namespace coopvk::reference {
namespace {

bool flips(Subgroup& s) { return s.group->nextRandom() % 2 == 0; }
bool isRandom(const Subgroup& s) {
    return s.group->settings->reconvergence == Reconvergence::kRandom;
}

Tangle current(const Subgroup& s) {
    return {s.mask, s.frames, s.iterations, s.tangles->joins, nullptr, nullptr};
}

void restore(Subgroup& s, Tangle tangle) {
    s.mask = tangle.mask;
    s.frames = tangle.frames;  // a copy: frames stay where they are, in what is reserved
    s.iterations.swap(tangle.iterations);
    s.tangles->joins.swap(tangle.joins);
}

void park(Subgroup& s, std::shared_ptr<Join> awaited) {
    Tangle& tangle = s.tangles->others.emplace_back(current(s));
    tangle.awaited = std::move(awaited);
}

// Lanes go another way.
void goElsewhere(Join& join, uint32_t lanes) {
    if (join.mayLeave)
        join.expected -= lanes;
    else
        join.isPromised = false;
}
void leaveInnermost(Subgroup& s) {
    goElsewhere(*s.tangles->joins.back(), s.mask.count());
    s.tangles->joins.pop_back();
}

bool isBehind(const Subgroup& s, const Join& join) {
    if (join.header == kNone) return join.depth == s.frames.size() + 1;
    return join.depth == s.frames.size() && join.merge == s.frames.back().block;
}

// The lanes are behind what they entered: what they wait for there, or null.
std::shared_ptr<Join> arriveBehind(Subgroup& s) {
    std::vector<std::shared_ptr<Join>>& joins = s.tangles->joins;
    while (!joins.empty() && isBehind(s, *joins.back())) {
        const std::shared_ptr<Join> join = std::move(joins.back());
        joins.pop_back();
        if (s.tangles->isUniform || !join->isPromised) continue;
        join->arrived += s.mask.count();
        return join;
    }
    return nullptr;
}

// Lanes go along an edge. What they wait for at its end, or null.
std::shared_ptr<Join> goAlong(Subgroup& s, const Edge& edge) {
    pass(s, edge, s.mask);
    Frame& frame = s.frames.back();
    frame.block = edge.block;
    frame.position = 0;
    const std::vector<std::shared_ptr<Join>>& joins = s.tangles->joins;
    for (size_t at = joins.size(); at-- > 0 && joins[at]->depth == s.frames.size();) {
        const Join& join = *joins[at];
        if (join.merge != edge.block && join.continueTarget != edge.block) continue;
        while (joins.size() > at + 1) leaveInnermost(s);
        break;
    }
    return arriveBehind(s);
}

// The lanes enter a construct or a function.
void open(Subgroup& s, const Join& entered) {
    Tangles& tangles = *s.tangles;
    for (const auto& join : tangles.joins)
        if (join->depth == entered.depth && join->header == entered.header) return;  // again
    if (tangles.isUniform) tangles.joins.push_back(tangles.together);
    const bool isWhole = s.mask == s.all;
    if (tangles.isUniform && (!s.program->subgroupUniform || s.program->subgroups == 1)) return;
    const auto join = std::make_shared<Join>(entered);
    join->expected = s.mask.count();
    join->isPromised = isWhole && s.program->subgroupUniform;
    if (!join->isPromised && isRandom(s)) join->isPromised = join->mayLeave = flips(s);
    tangles.joins.push_back(join);
}

Join joinOfBlock(const Subgroup& s) {
    const Frame& frame = s.frames.back();
    const Block& block = frame.function->blocks[frame.block];
    return {.depth = s.frames.size(),
            .header = frame.block,
            .merge = block.merge,
            .continueTarget = block.continueTarget};
}
Join joinOfCall(const Subgroup& s) { return {.depth = s.frames.size() + 1}; }

// Whether all subgroups have to be here before this one can go on: see decide().
bool hasToDecide(Subgroup& s, uint32_t target) {
    if (!s.tangles->isUniform || s.phase != 0) return false;
    s.tangles->target = target;
    return true;
}

bool isAtSamePlace(const Tangle& a, const Tangle& b) {
    return std::ranges::equal(a.frames, b.frames, [](const Frame& x, const Frame& y) {
        return x.function == y.function && x.block == y.block && x.position == y.position;
    });
}

// Takes the tangles out that are together with the one at `index`.
template <typename With>
Tangle take(Tangles& tangles, size_t index, With with) {
    Tangle taken = std::move(tangles.others[index]);
    tangles.others.erase(tangles.others.begin() + std::ptrdiff_t(index));
    std::erase_if(tangles.others, [&](const Tangle& other) {
        if (!with(other, taken)) return false;
        taken.mask |= other.mask;
        return true;
    });
    return taken;
}

// Nothing but barriers keeps lanes.
Step meetAtBarrier(Subgroup& s, size_t index) {
    const size_t before = s.tangles->others.size();
    Tangle tangle = take(*s.tangles, index, [](const Tangle& other, const Tangle& first) {
        return other.barrier == first.barrier && isAtSamePlace(other, first);
    });
    s.at = tangle.barrier;
    restore(s, std::move(tangle));
    s.tangles->isTogether = true;
    if (before - s.tangles->others.size() > 1)
        s.tell<&Observer::barrier>(kEventBarrier, Barrier{Barrier::kApart});
    return Step::kBranched;
}

}  // namespace

bool isAtDecision(const Subgroup& s) {
    if (s.tangles == nullptr) return false;
    const spv::Op opcode = s.at->opcode;
    return opcode == OpFunctionCall || opcode == OpBranch || opcode == OpBranchConditional ||
           opcode == OpSwitch;
}

void decide(Workgroup& group) {
    Subgroup& first = group.subgroups.front();
    const uint32_t target = first.tangles->target;
    const bool isCall = first.at->opcode == OpFunctionCall;
    const auto join = std::make_shared<Join>(isCall ? joinOfCall(first) : joinOfBlock(first));
    join->expected = first.program->invocations;
    join->isPromised = join->ofWorkgroup = true;
    const bool isSame =
        target != kNone && std::ranges::all_of(group.subgroups, [&](const Subgroup& s) {
            return s.tangles->target == target && s.at == first.at;
        });
    for (Subgroup& s : group.subgroups) {
        s.tangles->staysUniform = isSame;
        s.tangles->together = join;
    }
}

Step branchApart(Subgroup& s, std::span<const Parting> parts) {
    Tangles& tangles = *s.tangles;
    const Frame& frame = s.frames.back();
    const Block& block = frame.function->blocks[frame.block];
    const bool isHeader = block.merge != kNone;
    if (isHeader || block.edges.size() > 1) {
        if (hasToDecide(s, parts.size() == 1 ? parts[0].edge->block : kNone)) return Step::kMeet;
        if (isHeader) open(s, joinOfBlock(s));
        tangles.isUniform &= tangles.staysUniform;
    }
    const bool changes = parts.size() == 1 && parts[0].edge->repeats && !tangles.others.empty();
    if (parts.size() == 1) {
        auto awaited = goAlong(s, *parts[0].edge);
        if (awaited == nullptr && !changes) return Step::kBranched;
        park(s, std::move(awaited));
        return resumeApart(s);
    }
    const Tangle before = current(s);
    for (const Parting& part : parts) {
        restore(s, before);
        s.mask = part.mask;
        auto awaited = goAlong(s, *part.edge);
        park(s, std::move(awaited));
    }
    return resumeApart(s);
}

Step callApart(Subgroup& s, const Function& function) {
    if (hasToDecide(s, 0)) return Step::kMeet;
    open(s, joinOfCall(s));
    enter(s, function, s.mask, s.at->result);
    return Step::kBranched;
}

Step returnApart(Subgroup& s) {
    const auto& joins = s.tangles->joins;
    while (!joins.empty() && joins.back()->depth == s.frames.size() &&
           joins.back()->header != kNone)
        leaveInnermost(s);
    const Frame frame = std::move(s.frames.back());
    s.frames.pop_back();
    if (s.frames.empty()) return resumeApart(s);
    if (frame.result != kNone)
        copyValue(s, s.values[frame.result], s.values[frame.function->result], s.mask);
    auto awaited = arriveBehind(s);
    if (awaited == nullptr) return Step::kBranched;
    park(s, std::move(awaited));
    return resumeApart(s);
}

Step endApart(Subgroup& s) {
    while (!s.tangles->joins.empty()) leaveInnermost(s);
    return resumeApart(s);
}

Step waitApart(Subgroup& s) {
    if (std::exchange(s.tangles->isTogether, false) || s.tangles->others.empty())
        return Step::kNext;
    park(s, nullptr);
    Tangle& tangle = s.tangles->others.back();
    tangle.barrier = s.at;
    --tangle.frames.back().position;  // it executes the barrier again
    return resumeApart(s);
}

Step resumeApart(Subgroup& s) {
    Tangles& tangles = *s.tangles;
    std::vector<Tangle>& others = tangles.others;
    for (;;) {
        s.mask = {};
        s.frames.clear();
        const size_t start = isRandom(s) && !others.empty() ? s.group->nextRandom() : 0;
        size_t next = others.size(), barrier = others.size();
        for (size_t i = 0; i < others.size() && next == others.size(); ++i) {
            const size_t at = (start + i) % others.size();
            if (others[at].canGoOn()) next = at;
            if (others[at].barrier != nullptr) barrier = std::min(barrier, at);
        }
        if (next == others.size() && barrier != others.size()) return meetAtBarrier(s, barrier);
        if (next == others.size()) return others.empty() ? Step::kBranched : Step::kWait;
        const std::shared_ptr<Join> awaited = others[next].awaited;
        const bool isComplete = awaited != nullptr && awaited->isComplete();
        const size_t before = others.size();
        restore(s, take(tangles, next, [&](const Tangle& other, const Tangle&) {
                    return isComplete && other.awaited == awaited;
                }));
        const bool isCall = isComplete && awaited->header == kNone;
        tangles.haveReturned |= isCall && before - others.size() > 1;
        if (!isComplete) {
            if (awaited == nullptr) return Step::kBranched;
        } else {
            tangles.isUniform = awaited->ofWorkgroup;
        }
        auto more = arriveBehind(s);
        if (more == nullptr) return Step::kBranched;
        park(s, std::move(more));
    }
}

bool canGoOn(const Subgroup& s) { return std::ranges::any_of(s.tangles->others, &Tangle::canGoOn); }

}  // namespace coopvk::reference
