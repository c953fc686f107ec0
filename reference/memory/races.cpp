// SPDX-License-Identifier: Apache-2.0
//
// What orders accesses: barriers, memory barriers and atomic operations; and the accesses.
#include "memory/races.hpp"

namespace coopvk::reference {

Races::Races(const Workgroup& group, BufferHistory& history)
    : history_(history),
      lanes_(group.program->lanes),
      vulkan_(group.program->vulkanMemoryModel),
      stale_(group.settings->schedule == Choice::kAdversarial) {}

void Races::begin(const Workgroup& group) {
    const auto& groups = group.dispatch->groups;
    const auto& base = group.dispatch->base;
    group_ = ((group.id[2] - base[2]) * groups[1] + group.id[1] - base[1]) * groups[0] +
             group.id[0] - base[0];
    clock_ = 1;
    arrived_ = 0;
    all_ = {};
    const size_t subgroups = group.program->subgroups;
    subgroups_.assign(subgroups, {});
    invocations_.assign(subgroups * lanes_, {});
    common_.clear();
    sharedReleases_.clear();
    shared_.assign((group.program->sharedSize + kCellSize - 1) / kCellSize, {});
}

// With the Vulkan memory model, a write is seen only if it was made available and visible.
void Races::advance(Order& order, uint32_t semantics, bool visible) const {
    order.advance(clock_, !vulkan_ || (semantics & kMakesAvailable) != 0,
                  visible && (!vulkan_ || (semantics & kMakesVisible) != 0));
}

// "A visibility operation that happens-after" the availability operation makes the write visible
// (Vulkan, "Availability and Visibility"): also what a barrier ordered, and another one acquires.
void Races::makeVisible(uint32_t number, uint32_t semantics) {
    if (vulkan_ && (semantics & kMakesVisible) == 0) return;
    Invocation& to = invocations_[number];
    to.acquired.makeVisible();
    const auto availableIn = [](const Order& order) {
        return std::array{order.times[0][1], order.times[1][1]};
    };
    forKinds(semantics, [&](Kind kind) {
        to.seen[kind] = {availableIn(all_[kind]), availableIn(subgroups_[number / lanes_][kind])};
    });
}

void Races::meet(const Subgroup& first) {
    const bool isWait = first.at->opcode == OpControlBarrierWaitEXT;
    if (first.at->opcode != OpControlBarrier && !isWait) return;
    const auto scope = spv::Scope(first.operand(1).at(0, 0));
    auto semantics = uint32_t(first.operand(2).at(0, 0));
    if (isWait) semantics = together(std::exchange(arrived_, 0), semantics);
    ++clock_;
    for (Invocation& each : invocations_) {
        // Memory barriers before it release for all.
        each.released = each.fence;
        each.released.makeVisible();
        // What atomic operations made available stays so.
        each.released.learn(each.sent);
    }
    if ((semantics & kOrders) == 0 || scope >= spv::Scope::Subgroup) return;
    forKinds(semantics, [&](Kind kind) { advance(all_[kind], semantics, true); });
    for (Invocation& each : invocations_) common_.learn(std::exchange(each.acquired, {}));
    common_.makeVisible();
}

void Races::meetLanes(const Subgroup& s) {
    auto semantics = uint32_t(s.first(2));
    if (s.at->opcode == OpControlBarrierWaitEXT) semantics = together(arrived_, semantics);
    ++clock_;
    if ((semantics & kOrders) == 0 || s.mask != s.all) return;
    forKinds(semantics, [&](Kind kind) { advance(subgroups_[s.index][kind], semantics, true); });
    Knowledge together;
    for (uint32_t lane = 0; lane < lanes_; ++lane) together.learn(invocation(s, lane).acquired);
    if (together.empty()) return;
    together.makeVisible();
    for (uint32_t lane = 0; lane < lanes_; ++lane) invocation(s, lane).acquired = together;
}

void Races::fence(const Subgroup& s, uint32_t semantics) {
    ++clock_;
    s.mask.forEach([&](uint32_t lane) {
        Invocation& own = invocation(s, lane);
        if ((semantics & kReleases) != 0) advance(own.fence, semantics, false);
        if ((semantics & kAcquires) == 0) return;
        own.acquired.learn(std::exchange(own.pending, {}));
        makeVisible(s.index * lanes_ + lane, semantics);
    });
}

void Races::synchronise(const Memory& memory, uint32_t lane, uint32_t semantics) {
    const std::byte* data = memory.locate(lane, 0, 1).data;
    if (data == nullptr) return;
    const uint32_t number = memory.s.index * lanes_ + lane;
    Invocation& own = invocations_[number];
    Knowledge released;
    Order order = own.fence;
    if ((semantics & kReleases) != 0) {
        ++clock_;
        advance(order, semantics, false);
        own.sent = order;
    }
    if (order.happened() != 0) {
        released = common_;
        released.learn(own.acquired);
        released.of(group_, Knowledge::kAll) = all_[kBuffer];
        released.of(group_, number) = order;
    }
    const bool acquires = (semantics & kAcquires) != 0;
    Knowledge& to = acquires ? own.acquired : own.pending;
    const auto address = reinterpret_cast<uint64_t>(data);
    if (memory.pointer.storage == spv::StorageClass::Workgroup) {
        Knowledge& there = sharedReleases_[address];
        to.learn(there);
        there.learn(released);
    } else {
        history_.exchange(address, released, to);
    }
    if (acquires) makeVisible(number, semantics);
}

struct Races::Note {
    Subgroup& subgroup;
    Kind kind;
    Stamp now;
    Cell* cell;
    const std::byte* data;  // the first of the bytes of the cell that are accessed
    std::byte* seen;        // what the read got of them, or null

    uint32_t first() const { return uint32_t(std::countr_zero(now.bytes)); }
};

// Whether both accesses are in one instance of the scope.
bool Races::covers(uint8_t scope, const Stamp& a, const Stamp& b) const {
    switch (spv::Scope(scope)) {
        case spv::Scope::Invocation:
            return false;
        case spv::Scope::Subgroup:
            return a.group == b.group && a.invocation / lanes_ == b.invocation / lanes_;
        case spv::Scope::Workgroup:
            return a.group == b.group;
        default:
            return true;
    }
}

bool Races::happenedBefore(const Note& note, const Stamp& other) const {
    const Stamp& now = note.now;
    const bool available = !other.writes || covers(other.makes, other, now);
    const bool visible = !other.writes || now.writes || covers(now.makes, other, now);
    const auto before = [&](const Order& order) {
        return other.time < order.times[available][visible];
    };
    const Invocation& own = invocations_[now.invocation];
    if (other.group == group_) {
        const Seen& seen = own.seen[note.kind];
        if (before(all_[note.kind]) || before(invocations_[other.invocation].released) ||
            other.time < seen.workgroup[available])
            return true;
        const uint32_t subgroup = now.invocation / lanes_;
        if (other.invocation / lanes_ == subgroup &&
            (before(subgroups_[subgroup][note.kind]) || other.time < seen.subgroup[available]))
            return true;
    }
    for (const Knowledge* knowledge : {&common_, &own.acquired}) {
        if (knowledge->empty()) continue;
        for (const uint32_t source : {uint32_t{other.invocation}, Knowledge::kAll}) {
            const Order* order = knowledge->find(other.group, source);
            if (order != nullptr && before(*order)) return true;
        }
    }
    return false;
}

// The access with which this one is in a race.
const Stamp* Races::conflict(const Note& note) const {
    const Stamp& now = note.now;
    const auto races = [&](const Stamp& other) {
        if ((other.bytes & now.bytes) == 0 || isSame(other, now)) return false;
        // "mutually-ordered atomic operations"
        if (covers(now.atomic, now, other) && covers(other.atomic, now, other)) return false;
        return !(now.shared && other.shared) || !happenedBefore(note, other);
    };
    for (uint32_t i = 0; i < note.cell->count; ++i)
        if (races(note.cell->writes[i])) return &note.cell->writes[i];
    if (!now.writes) return nullptr;
    for (const Stamp& read : note.cell->reads)
        if (races(read)) return &read;
    return nullptr;
}

void Races::remember(const Note& note) const {
    Cell& cell = *note.cell;
    const Stamp& now = note.now;
    if (now.writes) {
        uint32_t again = 0;  // bytes that the invocation wrote at this time before
        uint32_t count = 0;  // of the writes that remain for some bytes
        for (uint32_t i = 0; i < cell.count; ++i) {
            Stamp write = cell.writes[i];
            if (isSame(write, now) && write.time == now.time) again |= write.bytes;
            write.bytes &= uint8_t(~now.bytes);
            if (write.bytes != 0) cell.writes[count++] = write;
        }
        cell.writes[count] = now;
        cell.count = count + 1;
        for (uint32_t at = 0; stale_ && at < kCellSize; ++at)
            if ((now.bytes & ~again) >> at & 1) cell.before[at] = note.data[at - note.first()];
        return;
    }
    // In place of a read that happened before, or of the same invocation; else of the first.
    for (Stamp& read : cell.reads) {
        if (read.time != 0 && !isSame(read, now) && !happenedBefore(note, read)) continue;
        read = now;
        return;
    }
    cell.reads[0] = now;
}

void Races::reportRace(const Note& note, const Stamp& other) const {
    note.subgroup.report(
        kCheckRaces, note.now.invocation % lanes_,
        std::format("{} {} that {}invocation {} of workgroup {}{} (word {}), and nothing orders "
                    "the two{}",
                    note.now.writes ? "writes" : "reads",
                    note.kind == kShared ? "shared memory" : "a buffer",
                    other.writes ? "" : "was read by ", other.invocation, other.group,
                    other.writes ? " wrote" : "", other.word,
                    note.now.shared && other.shared ? "" : ": one is private"),
        other.word);
}

void Races::noteCell(const Note& note) const {
    if (const Stamp* other = conflict(note)) {
        reportRace(note, *other);
        for (uint32_t at = 0; stale_ && note.seen != nullptr && at < kCellSize; ++at)
            if ((note.now.bytes & other->bytes) >> at & 1)
                note.seen[at - note.first()] = note.cell->before[at];
    }
    remember(note);
}

void Races::note(const Memory& memory, uint32_t lane, const std::byte* data, uint64_t size,
                 std::byte* seen) {
    const auto& [s, pointer, access] = memory;
    if (pointer.storage == spv::StorageClass::PushConstant) return;
    const bool isShared = pointer.storage == spv::StorageClass::Workgroup;
    Note note{s, isShared ? kShared : kBuffer, {group_, clock_}, nullptr, data, seen};
    Stamp& now = note.now;
    now.invocation = uint16_t(s.index * lanes_ + lane);
    now.word = s.at->word;
    now.writes = seen == nullptr;
    now.atomic = now.makes = uint8_t(access.atomic);
    if (now.atomic == kNoScope)
        now.makes = uint8_t(now.writes ? access.availableScope : access.visibleScope);
    constexpr auto kNonPrivate = uint32_t(spv::MemoryAccessMask::NonPrivatePointer);
    now.shared = !vulkan_ || now.atomic != kNoScope || (access.operands & kNonPrivate) != 0;
    uint64_t at =
        isShared ? uint64_t(data - s.group->shared.data()) : reinterpret_cast<uint64_t>(data);
    for (const uint64_t end = at + size; at < end;) {
        const uint64_t first = at % kCellSize, count = std::min(end - at, kCellSize - first);
        now.bytes = uint8_t(((1u << count) - 1) << first);
        if (isShared) {
            note.cell = &shared_[at / kCellSize];
            noteCell(note);
        } else {
            if (page_ == nullptr || at / BufferHistory::kPageSize != pageNumber_) {
                pageNumber_ = at / BufferHistory::kPageSize;
                page_ = &history_.page(at);
            }
            const std::lock_guard lock(page_->mutex);
            note.cell = &page_->cells[at / kCellSize % page_->cells.size()];
            noteCell(note);
        }
        at += count;
        note.data += count;
        if (note.seen != nullptr) note.seen += count;
    }
}

}  // namespace coopvk::reference
