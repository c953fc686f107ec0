// SPDX-License-Identifier: Apache-2.0
#include "memory/races.hpp"

#include <format>
#include <utility>

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

struct Races::Note {
    Subgroup& subgroup;
    const Instruction& instruction;
    Kind kind;
    Stamp now;
    Cell* cell;
    const std::byte* data;  // the first of the bytes of the cell that are accessed
    std::byte* seen;        // what the read got of them, or null

    uint32_t first() const { return uint32_t(std::countr_zero(now.bytes)); }
};

Races::Races(const Workgroup& group, BufferHistory& history)
    : history_(history),
      lanes_(group.program->lanes),
      vulkan_(group.program->vulkanMemoryModel),
      stale_(group.settings->schedule == Choice::kAdversarial) {
    const size_t subgroups = group.program->subgroups;
    for (auto& orders : subgroups_) orders.resize(subgroups);
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
        Knowledge& known = acquired_[invocation];
        known.learn(pending_[invocation]);
        pending_[invocation].clear();
        if (!vulkan_ || (semantics & kMakesVisible) != 0) known.makeVisible();
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
    if (acquires && (!vulkan_ || (semantics & kMakesVisible) != 0)) to.makeVisible();
}

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
    if (other.group == group_) {
        if (before(all_[note.kind]) || before(released_[other.invocation])) return true;
        const uint32_t subgroup = now.invocation / lanes_;
        if (other.invocation / lanes_ == subgroup && before(subgroups_[note.kind][subgroup]))
            return true;
    }
    for (const Knowledge* knowledge : {&common_, &acquired_[now.invocation]}) {
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
        if ((other.bytes & now.bytes) == 0) return false;
        if (other.group == group_ && other.invocation == now.invocation) return false;
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
    const auto same = [&](const Stamp& other) {
        return other.group == group_ && other.invocation == now.invocation;
    };
    if (now.writes) {
        uint32_t again = 0;  // bytes that the invocation wrote at this time before
        uint32_t count = 0;  // of the writes that remain for some bytes
        for (uint32_t i = 0; i < cell.count; ++i) {
            Stamp write = cell.writes[i];
            if (same(write) && write.time == now.time) again |= write.bytes;
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
        if (read.time != 0 && !same(read) && !happenedBefore(note, read)) continue;
        read = now;
        return;
    }
    cell.reads[0] = now;
}

void Races::reportRace(const Note& note, const Stamp& other) const {
    note.subgroup.report(
        kCheckRaces, note.instruction, note.now.invocation % lanes_,
        std::format(
            "{} {} that {}invocation {} of workgroup {}{} (word {}), and nothing orders the "
            "two{}",
            note.now.writes ? "writes" : "reads",
            note.kind == kShared ? "shared memory" : "a buffer", other.writes ? "" : "was read by ",
            other.invocation, other.group, other.writes ? " wrote" : "", other.word,
            note.now.shared && other.shared ? "" : ": one is private"));
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

void Races::note(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& pointer,
                 const std::byte* data, uint64_t size, std::byte* seen, const Access& access) {
    if (pointer.storage == spv::StorageClass::PushConstant) return;
    const auto has = [&](spv::MemoryAccessMask mask) {
        return (access.operands & uint32_t(mask)) != 0;
    };
    Note note{s,
              i,
              pointer.storage == spv::StorageClass::Workgroup ? kShared : kBuffer,
              {group_, clock_, uint16_t(s.index * lanes_ + lane)},
              nullptr,
              data,
              seen};
    Stamp& now = note.now;
    now.word = i.word;
    now.writes = seen == nullptr;
    now.atomic = uint8_t(access.atomic);
    now.shared =
        !vulkan_ || now.atomic != kNoScope || has(spv::MemoryAccessMask::NonPrivatePointer);
    now.makes = now.atomic != kNoScope
                    ? now.atomic
                    : uint8_t(now.writes ? access.availableScope : access.visibleScope);
    uint64_t at = note.kind == kShared ? uint64_t(data - s.group->shared.data())
                                       : reinterpret_cast<uint64_t>(data);
    for (const uint64_t end = at + size; at < end;) {
        const uint64_t first = at % kCellSize, count = std::min(end - at, kCellSize - first);
        now.bytes = uint8_t(((1u << count) - 1) << first);
        if (note.kind == kShared) {
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
