// SPDX-License-Identifier: Apache-2.0
//
// What orders accesses (Vulkan, appendix "Memory Model", "Synchronizes-With"): control barriers and
// memory barriers. Atomic operations: release_sequences.cpp.
#include <ranges>
#include <spirv/unified1/spirv.hpp11>

#include "checks/races.hpp"

namespace coopvk::reference {
// Who meets at a barrier, and what they release there: to all, and to their subgroups.
struct Races::Meeting {
    Place all;             // of the workgroup, or of a subgroup
    uint32_t first, last;  // their invocations
    Semantics semantics;
    bool split = false;  // what they released, they did at their arrival
    Common* common;
    bool waits = false;  // what they release, they acquire by a later barrier
    Knowledge wide = {};
    std::vector<Knowledge> narrow = {};  // from the first subgroup on
    Semantics before = {};               // of memory barriers before it: what all have of these

    bool isWide() const { return all.subgroup == Place::kEach; }
    bool releases(MemoryKind kind) const {
        return !split && semantics.releases && semantics.kinds[kind];
    }
    bool acquires(MemoryKind kind) const { return semantics.acquires && semantics.kinds[kind]; }
    bool makesVisible(MemoryKind kind) const { return acquires(kind) && semantics.visible; }
};

template <typename F>
void Races::forStates(const Meeting& meeting, F&& f) {
    for (uint32_t i = meeting.first; i < meeting.last; ++i)
        if (states_[i]) f(placeOf(i), *states_[i]);
}

void Races::barrier(const Moment& at, const Barrier& barrier) {
    const Semantics& semantics = barrier.semantics;
    if (barrier.stage == Barrier::kArrived) arrive(at, semantics);
    if (barrier.stage == Barrier::kMet) meet(at, semantics);
    if (barrier.stage == Barrier::kLanesMet) meetLanes(at, semantics);
    if (barrier.stage == Barrier::kMemory) fence(at, semantics);
}

void Races::arrive(const Moment& moment, const Semantics& semantics) {
    ++clock_;
    moment.active().forEach([&](uint32_t lane) {
        const Place at = placeOf(moment, lane);
        State& own = state(at);
        if (semantics.releases) release(at, own, semantics);
        own.arrived = own.fences;
    });
}

static bool isSplit(const Moment& at) {
    return spv::Op(at.opcode()) == spv::Op::OpControlBarrierWaitEXT;
}

void Races::meet(const Moment& at, const Semantics& semantics) {
    if (spv::Op(at.opcode()) != spv::Op::OpControlBarrier && !isSplit(at)) return;
    Meeting meeting{{group_}, 0, uint32_t(states_.size()), semantics, isSplit(at), &common_};
    synchronise(meeting);
}

void Races::meetLanes(const Moment& at, const Semantics& semantics) {
    if (at.active() != at.all()) return;  // reported
    const uint32_t subgroup = at.subgroup(), first = subgroup * lanes_;
    Meeting meeting{{group_, subgroup}, first,       first + lanes_,
                    semantics,          isSplit(at), &subgroups_[subgroup]};
    synchronise(meeting);
}

// A control barrier is a memory barrier, too: it acquires what atomic operations before it read,
// orders what all released by it or before it, and releases for atomic operations behind it.
void Races::synchronise(Meeting& meeting) {
    const Semantics& semantics = meeting.semantics;
    if (semantics.acquires)
        forStates(meeting,
                  [&](const Place& at, State& own) { acquirePending(at, own, semantics); });
    ++clock_;
    const bool onlyReleases = semantics.releases && !semantics.acquires;
    if (onlyReleases && isGlsl(meeting)) {
        // GLSL's memory barriers before it need no acquire, but what it releases itself does.
        meeting.semantics.releases = false;
        passAll(meeting);
        meeting.semantics.releases = meeting.waits = true;
    }
    if (onlyReleases)
        for (const uint32_t i : std::views::iota(meeting.first, meeting.last))
            release(placeOf(i), state(placeOf(i)), meeting.semantics);
    passAll(meeting);
}

void Races::passAll(Meeting& meeting) {
    for (const MemoryKind kind : kEachKind) {
        releaseAll(meeting, kind);
        acquireAll(meeting, kind);
        if (meeting.releases(kind) && meeting.acquires(kind))
            keepFence(meeting, kind, meeting.semantics, clock_);
    }
    if (isGlsl(meeting)) passOn(meeting);
}

// GLSL's memory barriers order stores before them for all that follows, so without the Vulkan
// memory model a control barrier passes on what they released, and what atomic operations read.
bool Races::isGlsl(const Meeting& meeting) const {
    return !vulkan_ && !meeting.split && !meeting.waits;
}

void Races::passOn(const Meeting& meeting) {
    for (const MemoryKind kind : kEachKind)
        if (meeting.before.kinds[kind]) keepFence(meeting, kind, meeting.before, 0);
    forStates(meeting, [&](const Place& at, const State& own) {
        for (const auto& [key, pending] : own.pending)
            meeting.common->met[std::get<2>(key)].learn(meeting.all, pending, at,
                                                        Reach::kWorkgroup);
    });
}

void Races::releaseAll(Meeting& meeting, MemoryKind kind) {
    const Semantics& semantics = meeting.semantics;
    meeting.wide = {};
    meeting.narrow.assign((meeting.last - meeting.first + lanes_ - 1) / lanes_, {});
    if (meeting.releases(kind)) {
        if (vulkan_ && semantics.available) {
            forEachWithin(semantics.reach,
                          [&](size_t r) { meeting.common->available[kind][r] = clock_; });
            meeting.common->own(kind).makeAvailable(meeting.all, semantics.reach);
            forStates(meeting, [&](const Place& at, State& own) {
                own.known[kind].makeAvailable(at, semantics.reach);
            });
        }
        const Before all{clock_, meeting.common->available[kind]};
        if (meeting.isWide() && semantics.reach >= Reach::kWorkgroup) meeting.wide.group = all;
        for (Knowledge& each : meeting.narrow) each.subgroup = all;
    }
    forStates(meeting, [&](const Place& at, const State& own) { unite(meeting, kind, own, at); });
}

// Adds what one of them releases: by memory barriers before the barrier, and what it knows.
void Races::unite(Meeting& meeting, MemoryKind kind, const State& own, const Place& at) const {
    const Place subgroup{group_, at.subgroup};
    Knowledge& narrow = meeting.narrow[at.subgroup - meeting.first / lanes_];
    const auto add = [&](const Release& release, Reach reach) {
        if (meeting.isWide() && reach >= Reach::kWorkgroup)
            release.teach(meeting.wide, meeting.all);
        if (reach >= Reach::kSubgroup) release.teach(narrow, subgroup);
    };
    if (meeting.releases(kind))
        add({at, {clock_, own.available[kind]}, own.known[kind], nullptr, nullptr},
            meeting.semantics.reach);
    for (const Fence& fence : meeting.split ? own.arrived : own.fences) {
        if (!fence.released[kind] || fence.met[kind]) continue;
        add(*fence.released[kind], fence.semantics.reach);
        Semantics& before = meeting.before;
        const bool first = !before.releases;
        before.releases = before.kinds[kind] = true;
        before.reach =
            first ? fence.semantics.reach : std::min(before.reach, fence.semantics.reach);
    }
}

void Races::acquireAll(Meeting& meeting, MemoryKind kind) {
    const Semantics& semantics = meeting.semantics;
    Reach reach = meeting.acquires(kind) ? semantics.reach : Reach::kInvocation;
    if (isGlsl(meeting)) reach = Reach::kDevice;
    const bool whole = meeting.isWide() && reach >= Reach::kWorkgroup;
    const auto add = [&](Common& to, const Place& at, const Knowledge& released, bool acquires) {
        if (!released.empty()) {
            Knowledge& learns = acquires ? to.own(kind) : to.met[kind];
            learns.learn(at, released, at, Reach::kInvocation);
        }
        if (acquires && vulkan_ && meeting.makesVisible(kind)) {
            Knowledge& known = to.own(kind);
            known.group.merge(common_.known[kind]->group, Reach::kInvocation);
            known.makeVisible(at, semantics.reach);
        }
    };
    if (meeting.isWide()) add(common_, meeting.all, meeting.wide, whole);
    for (uint32_t n = 0; n < meeting.narrow.size(); ++n) {
        const uint32_t subgroup = meeting.first / lanes_ + n;
        add(subgroups_[subgroup], {group_, subgroup}, meeting.narrow[n],
            reach != Reach::kInvocation);
    }
    if (vulkan_ && meeting.makesVisible(kind))
        forStates(meeting, [&](const Place& at, State& own) {
            makeVisible(kind, at, own, semantics.reach);
        });
    if (whole) forgetMet(meeting, kind);
}

// Invocations keep nothing that all know.
void Races::forgetMet(const Meeting& meeting, MemoryKind kind) {
    const bool all = meeting.releases(kind) && meeting.semantics.reach >= Reach::kWorkgroup &&
                     (!vulkan_ || meeting.makesVisible(kind));
    forStates(meeting, [&](const Place&, State& own) {
        for (Fence& fence : own.fences)
            fence.met[kind] |= fence.semantics.reach >= Reach::kWorkgroup;
        if (all) own.known[kind] = {};
    });
    Knowledge& known = common_.own(kind);
    std::erase_if(known.others, [&](const auto& each) {
        return each.first.group == group_ && each.second.isWithin(known.group);
    });
}

// For atomic operations behind the barrier. `time`: until then it released accesses itself.
void Races::keepFence(const Meeting& meeting, MemoryKind kind, const Semantics& semantics,
                      uint32_t time) {
    Common& common = *meeting.common;
    Release all{meeting.all, {time, common.available[kind]}, {}, common_.known[kind], nullptr};
    if (!meeting.isWide()) all.ofSubgroup = common.known[kind];
    auto fence = std::ranges::find_if(common.fences, [&](const Fence& each) {
        return each.semantics.kinds == semantics.kinds && each.semantics.reach == semantics.reach;
    });
    if (fence == common.fences.end()) fence = common.fences.insert(fence, Fence{semantics, {}});
    fence->released[kind] = std::make_shared<const Release>(std::move(all));
}

std::shared_ptr<const Release> Races::snapshot(MemoryKind kind, const Place& at, const State& own) {
    const Common& subgroup = subgroups_[at.subgroup];
    Release made{at, {clock_}, own.known[kind], common_.known[kind], subgroup.known[kind]};
    for (size_t r = 1; r < made.self.available.size(); ++r)
        made.self.available[r] = std::max(
            {own.available[kind][r], common_.available[kind][r], subgroup.available[kind][r]});
    return std::make_shared<const Release>(std::move(made));
}

// What all of its workgroup and of its subgroup know may become available or visible to one alone.
Knowledge& Races::learnCommon(MemoryKind kind, const Place& at, Knowledge& known) const {
    known.learn(at, *common_.known[kind], {group_}, Reach::kInvocation);
    known.learn(at, *subgroups_[at.subgroup].known[kind], {group_, at.subgroup},
                Reach::kInvocation);
    return known;
}

void Races::makeAvailable(MemoryKind kind, const Place& at, State& own, Reach reach) {
    forEachWithin(reach, [&](size_t r) { own.available[kind][r] = clock_; });
    learnCommon(kind, at, own.known[kind]).makeAvailable(at, reach);
}

void Races::makeVisible(MemoryKind kind, const Place& at, State& own, Reach reach) {
    learnCommon(kind, at, own.known[kind]).makeVisible(at, reach);
}

// Of a barrier: what relaxed atomic operations read, and what was released at control barriers.
void Races::acquirePending(const Place& at, State& own, const Semantics& semantics) {
    std::erase_if(own.pending, [&](const auto& each) {
        const auto& [of, apart, kind] = each.first;
        if (!semantics.kinds[of] || !semantics.kinds[kind] || apart > semantics.reach) return false;
        own.known[kind].learn(at, each.second, at, Reach::kInvocation);
        return true;
    });
    for (const MemoryKind kind : kEachKind) {
        if (!semantics.kinds[kind]) continue;
        const auto learn = [&](const Knowledge& met, const Place& there) {
            if (!met.empty()) own.known[kind].learn(at, met, there, Reach::kInvocation);
        };
        const Place subgroup{group_, at.subgroup};
        learn(subgroups_[at.subgroup].met[kind], subgroup);
        if (semantics.reach >= Reach::kWorkgroup) learn(common_.met[kind], {group_});
    }
}

// Of a barrier of one invocation.
void Races::release(const Place& at, State& own, const Semantics& semantics) {
    std::erase_if(own.fences, [&](const Fence& fence) {  // it releases no more than this one
        const Semantics& other = fence.semantics;
        bool within = other.reach <= semantics.reach;
        for (const MemoryKind kind : kEachKind)
            within &= semantics.kinds[kind] || !other.kinds[kind];
        return within;
    });
    Fence& fence = own.fences.emplace_back(Fence{semantics, {}});
    for (const MemoryKind kind : kEachKind) {
        if (!semantics.kinds[kind]) continue;
        if (vulkan_ && semantics.available) makeAvailable(kind, at, own, semantics.reach);
        fence.released[kind] = snapshot(kind, at, own);
    }
}

void Races::fence(const Moment& moment, const Semantics& semantics) {
    ++clock_;
    moment.active().forEach([&](uint32_t lane) {
        const Place at = placeOf(moment, lane);
        State& own = state(at);
        if (semantics.acquires) acquirePending(at, own, semantics);
        if (semantics.releases) release(at, own, semantics);
        for (const MemoryKind kind : kEachKind)
            if (vulkan_ && semantics.acquires && semantics.visible && semantics.kinds[kind])
                makeVisible(kind, at, own, semantics.reach);
    });
}

}  // namespace coopvk::reference
