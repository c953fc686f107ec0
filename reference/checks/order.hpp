// SPDX-License-Identifier: Apache-2.0
//
// What happened before: until which time the accesses of others did, and how far their writes are
// available and visible (Vulkan, appendix "Memory Model": "Happens-Before", "Availability and
// Visibility"). "Inter-thread-happens-before" holds for each storage class apart, so all this is
// known for each kind of memory.
#pragma once

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "coopvk_reference/observer.hpp"
#include "program/types.hpp"

namespace coopvk::reference {

// Calls f for the index of each reach from the subgroup's to this one.
template <typename F>
constexpr void forEachWithin(Reach reach, F&& f) {
    for (size_t r = 1; r <= size_t(reach); ++r) f(r);
}

// An invocation, or all of a subgroup or of a workgroup.
struct Place {
    static constexpr uint32_t kEach = ~uint32_t{0};
    uint32_t group = 0;  // number in the dispatch
    uint32_t subgroup = kEach;
    uint32_t invocation = kEach;  // in the workgroup

    bool operator==(const Place&) const = default;
};
struct PlaceHash {
    size_t operator()(const Place& p) const {
        return spread(uint64_t{p.group} << 32 ^ uint64_t{p.subgroup} << 16 ^ p.invocation);
    }
};
constexpr Reach distance(const Place& a, const Place& b) {
    if (a.group != b.group) return Reach::kDevice;
    if (a.subgroup != b.subgroup) return Reach::kWorkgroup;
    return a.invocation == b.invocation ? Reach::kInvocation : Reach::kSubgroup;
}

// Times in the clock of the accesses' workgroup: what has an earlier one is meant.
struct Before {
    uint32_t happened = 0;
    // Writes that are available so far, by Reach.
    std::array<uint32_t, 4> available = {};
    // Available writes that are visible to the invocation that knows this, and to another one of
    // its subgroup and of its workgroup: from there they need visibility of that scope only ("a
    // visibility chain"). And such that made themselves available.
    std::array<uint32_t, 3> visible = {}, visibleAlone = {};

    // What another invocation knows, at this distance.
    void merge(const Before& other, Reach from) {
        const auto rise = [](uint32_t& to, uint32_t time) { to = std::max(to, time); };
        rise(happened, other.happened);
        for (size_t r = 1; r < available.size(); ++r) rise(available[r], other.available[r]);
        for (auto r = size_t(from); r < visible.size(); ++r) {
            rise(visible[r], other.visible[r]);
            rise(visibleAlone[r], other.visibleAlone[r]);
        }
    }
    // "An availability chain": what is available to an invocation at this distance from the writes.
    void makeAvailable(Reach reach, Reach from) {
        if (from > reach) return;
        forEachWithin(reach, [&](size_t r) {
            available[r] = std::max(available[r], available[size_t(from)]);
        });
    }
    void makeVisible(Reach reach, Reach from) {
        uint32_t time = 0, alone = 0;
        if (reach >= from) time = available[size_t(from)], alone = happened;
        forEachWithin(std::min(reach, Reach::kWorkgroup), [&](size_t r) {
            time = std::max(time, visible[r]);
            alone = std::max(alone, visibleAlone[r]);
        });
        for (uint32_t& each : visible) each = std::max(each, time);
        for (uint32_t& each : visibleAlone) each = std::max(each, alone);
    }
    bool isWithin(const Before& other) const {
        const auto within = [](const auto& a, const auto& b) {
            return std::ranges::equal(a, b, std::ranges::less_equal());
        };
        return happened <= other.happened && within(available, other.available) &&
               within(visible, other.visible) && within(visibleAlone, other.visibleAlone);
    }
    // Whether a write at this distance is available; `makes`: as far as it made itself.
    bool hasWrite(uint32_t time, Reach makes, Reach from) const {
        return time < happened && (makes >= from || time < available[size_t(from)]);
    }
    // The same, and visible to a read that makes it so as far as `sees`.
    bool seesWrite(uint32_t time, Reach makes, Reach from, Reach sees) const {
        if (time >= happened) return false;
        if (sees >= from && hasWrite(time, makes, from)) return true;
        const auto& times = makes >= from ? visibleAlone : visible;
        for (size_t r = 0; r <= size_t(std::min(sees, Reach::kWorkgroup)); ++r)
            if (time < times[r]) return true;
        return false;
    }
};

// What an invocation knows of others.
struct Knowledge {
    Before subgroup, group;  // all of its subgroup, all of its workgroup
    std::unordered_map<Place, Before, PlaceHash> others;

    bool empty() const { return subgroup.happened == 0 && group.happened == 0 && others.empty(); }
    // The record of `of`, as the invocation at `at` keeps it.
    Before& record(const Place& of, const Place& at) {
        if (of.group == at.group && of.subgroup == Place::kEach) return group;
        const bool isOwn = of.group == at.group && of.subgroup == at.subgroup;
        return isOwn && of.invocation == Place::kEach ? subgroup : others[of];
    }
    // What is known at another place.
    void learn(const Place& at, const Knowledge& from, const Place& there, Reach apart) {
        if (from.subgroup.happened != 0)
            record({there.group, there.subgroup}, at).merge(from.subgroup, apart);
        if (from.group.happened != 0) record({there.group}, at).merge(from.group, apart);
        for (const auto& [of, before] : from.others) record(of, at).merge(before, apart);
    }
    template <typename F>
    void forEach(const Place& at, F&& f) {  // f(record, its distance)
        f(group, Reach::kWorkgroup);
        f(subgroup, Reach::kSubgroup);
        for (auto& [of, before] : others) f(before, distance(of, at));
    }
    void makeAvailable(const Place& at, Reach reach) {
        forEach(at, [&](Before& before, Reach from) { before.makeAvailable(reach, from); });
    }
    void makeVisible(const Place& at, Reach reach) {
        if (at.subgroup != Place::kEach) subgroup.merge(group, Reach::kInvocation);
        forEach(at, [&](Before& before, Reach from) { before.makeVisible(reach, from); });
    }
    // Whether ordered(record) is true of one that is of the invocation `of`.
    template <typename F>
    bool any(const Place& of, const Place& at, F&& ordered) const {
        const Reach from = distance(of, at);
        if (from <= Reach::kSubgroup && ordered(subgroup)) return true;
        if (from <= Reach::kWorkgroup && ordered(group)) return true;
        if (others.empty()) return false;
        for (const Place& place :
             {of, Place{of.group, of.subgroup, Place::kEach}, Place{of.group}}) {
            const auto found = others.find(place);
            if (found != others.end() && ordered(found->second)) return true;
        }
        return false;
    }
};

// What an invocation releases: its own accesses, what it knows, and what all of its workgroup and
// of its subgroup know. If `from` is all of a subgroup or workgroup, what each of them releases.
struct Release {
    Place from;
    Before self;
    Knowledge known;
    std::shared_ptr<const Knowledge> ofGroup, ofSubgroup;

    void teach(Knowledge& to, const Place& at) const {
        const Reach apart = distance(from, at);
        if (apart == Reach::kInvocation) return;
        to.record(from, at).merge(self, apart);
        to.learn(at, known, from, apart);
        if (apart == Reach::kDevice && ofGroup) to.learn(at, *ofGroup, {from.group}, apart);
        if (apart >= Reach::kWorkgroup && ofSubgroup)
            to.learn(at, *ofSubgroup, {from.group, from.subgroup}, apart);
    }
};

}  // namespace coopvk::reference
