// SPDX-License-Identifier: Apache-2.0
//
// What orders accesses: barriers, memory barriers and atomic operations.
#include <utility>

#include "memory/races.hpp"

namespace coopvk::reference {
namespace {

uint32_t semanticsOf(const Subgroup& s, const Instruction& i, uint32_t operand) {
    return uint32_t(s.operand(i, operand).at(0, s.mask.first()));
}

template <typename T>
void reset(std::vector<T>& all) {
    std::fill(all.begin(), all.end(), T{});
}

}  // namespace

Races::Races(const Workgroup& group, BufferHistory& history)
    : history_(history),
      lanes_(group.program->lanes),
      vulkan_(group.program->vulkanMemoryModel),
      stale_(group.settings->schedule == Choice::kAdversarial) {
    const size_t subgroups = group.program->subgroups;
    for (auto& orders : subgroups_) orders.resize(subgroups);
    for (auto& seen : seen_) seen.resize(subgroups * lanes_);
    fences_.resize(subgroups * lanes_);
    released_.resize(subgroups * lanes_);
    sent_.resize(subgroups * lanes_);
    acquired_.resize(subgroups * lanes_);
    pending_.resize(subgroups * lanes_);
    shared_.resize((group.program->sharedSize + kCellSize - 1) / kCellSize);
}

void Races::begin(const Workgroup& group) {
    const auto& groups = group.dispatch->groups;
    const auto& base = group.dispatch->base;
    group_ = ((group.id[2] - base[2]) * groups[1] + group.id[1] - base[1]) * groups[0] +
             group.id[0] - base[0];
    clock_ = 1;
    arrived_ = 0;
    for (Order& order : all_) order = {};
    for (auto& orders : subgroups_) reset(orders);
    for (auto& seen : seen_) reset(seen);
    reset(fences_);
    reset(released_);
    reset(sent_);
    common_.clear();
    for (Knowledge& knowledge : acquired_) knowledge.clear();
    for (Knowledge& knowledge : pending_) knowledge.clear();
    sharedReleases_.clear();
    reset(shared_);
}

// With the Vulkan memory model, a write is seen only if it was made available and visible.
void Races::advance(Order& order, uint32_t semantics, bool visible) const {
    order.advance(clock_, !vulkan_ || (semantics & kMakesAvailable) != 0,
                  visible && (!vulkan_ || (semantics & kMakesVisible) != 0));
}

// "A visibility operation that happens-after" the availability operation makes the write visible
// (Vulkan, "Availability and Visibility"): also what a barrier ordered, and another one acquires.
void Races::makeVisible(uint32_t invocation, uint32_t semantics) {
    if (vulkan_ && (semantics & kMakesVisible) == 0) return;
    acquired_[invocation].makeVisible();
    const auto availableIn = [](const Order& order) {
        return std::array{order.times[0][1], order.times[1][1]};
    };
    for (int kind = 0; kind < kKinds; ++kind)
        if ((semantics & kMemory[kind]) != 0)
            seen_[kind][invocation] = {availableIn(all_[kind]),
                                       availableIn(subgroups_[kind][invocation / lanes_])};
}

void Races::meet(const Workgroup& group, const Instruction& i) {
    const bool isWait = i.opcode == OpControlBarrierWaitEXT;
    if (i.opcode != OpControlBarrier && !isWait) return;
    const Subgroup& first = group.subgroups[0];
    const auto scope = spv::Scope(first.operand(i, 1).at(0, 0));
    auto semantics = uint32_t(first.operand(i, 2).at(0, 0));
    if (isWait) semantics = together(std::exchange(arrived_, 0), semantics);
    ++clock_;
    // Memory barriers before it release for all.
    released_ = fences_;
    for (Order& order : released_) order.makeVisible();
    // What atomic operations made available stays so.
    for (size_t each = 0; each < sent_.size(); ++each) released_[each].learn(sent_[each]);
    if ((semantics & kOrders) == 0 || scope >= spv::Scope::Subgroup) return;
    for (int kind = 0; kind < kKinds; ++kind)
        if ((semantics & kMemory[kind]) != 0) advance(all_[kind], semantics, true);
    for (Knowledge& knowledge : acquired_) {
        common_.learn(knowledge);
        knowledge.clear();
    }
    common_.makeVisible();
}

void Races::meetLanes(const Subgroup& s, const Instruction& i) {
    uint32_t semantics = semanticsOf(s, i, 2);
    if (i.opcode == OpControlBarrierWaitEXT) semantics = together(arrived_, semantics);
    ++clock_;
    if ((semantics & kOrders) == 0 || s.mask != s.all) return;
    for (int kind = 0; kind < kKinds; ++kind)
        if ((semantics & kMemory[kind]) != 0) advance(subgroups_[kind][s.index], semantics, true);
    Knowledge together;
    for (uint32_t lane = 0; lane < lanes_; ++lane)
        together.learn(acquired_[s.index * lanes_ + lane]);
    if (together.empty()) return;
    together.makeVisible();
    for (uint32_t lane = 0; lane < lanes_; ++lane) acquired_[s.index * lanes_ + lane] = together;
}

void Races::fence(const Subgroup& s, uint32_t semantics) {
    ++clock_;
    s.mask.forEach([&](uint32_t lane) {
        const uint32_t invocation = s.index * lanes_ + lane;
        if ((semantics & kReleases) != 0) advance(fences_[invocation], semantics, false);
        if ((semantics & kAcquires) == 0) return;
        acquired_[invocation].learn(pending_[invocation]);
        pending_[invocation].clear();
        makeVisible(invocation, semantics);
    });
}

void Races::synchronise(const Subgroup& s, uint32_t lane, const Pointer& pointer,
                        const std::byte* data, uint32_t semantics) {
    const uint32_t invocation = s.index * lanes_ + lane;
    Knowledge released;
    Order own = fences_[invocation];
    if ((semantics & kReleases) != 0) {
        ++clock_;
        advance(own, semantics, false);
        sent_[invocation] = own;
    }
    if (own.happened() != 0) {
        released = common_;
        released.learn(acquired_[invocation]);
        released.of(group_, Knowledge::kAll) = all_[kBuffer];
        released.of(group_, invocation) = own;
    }
    const bool acquires = (semantics & kAcquires) != 0;
    Knowledge& to = acquires ? acquired_[invocation] : pending_[invocation];
    const auto address = reinterpret_cast<uint64_t>(data);
    if (pointer.storage == spv::StorageClass::Workgroup) {
        Knowledge& there = sharedReleases_[address];
        to.learn(there);
        there.learn(released);
    } else {
        history_.exchange(address, released, to);
    }
    if (acquires) makeVisible(invocation, semantics);
}

}  // namespace coopvk::reference
