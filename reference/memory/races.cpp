// SPDX-License-Identifier: Apache-2.0
#include "memory/races.hpp"

#include <format>

namespace coopvk::reference {

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
        const Seen& seen = seen_[note.kind][now.invocation];
        if (before(all_[note.kind]) || before(released_[other.invocation]) ||
            other.time < seen.workgroup[available])
            return true;
        const uint32_t subgroup = now.invocation / lanes_;
        if (other.invocation / lanes_ == subgroup &&
            (before(subgroups_[note.kind][subgroup]) || other.time < seen.subgroup[available]))
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
