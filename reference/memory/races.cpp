// SPDX-License-Identifier: Apache-2.0
//
// Accesses: which of them are in a race.
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
    common_ = {};
    subgroups_.clear();  // commons share nothing
    subgroups_.resize(group.program->subgroups);
    states_.clear();
    states_.resize(size_t{group.program->subgroups} * lanes_);
    sharedHeads_.clear();
    shared_.assign((group.program->sharedSize + kCellSize - 1) / kCellSize, {});
}

struct Races::Note {
    Subgroup& subgroup;
    MemoryKind kind;
    Place place;
    Stamp now;
    Cell* cell = nullptr;
    BufferHistory::Page* page = nullptr;  // that has the cell; null: shared memory
    const std::byte* data = nullptr;      // of the first of the bytes of the cell: what was there
    std::byte* seen = nullptr;            // what the read got of them, or null

    uint32_t first() const { return uint32_t(std::countr_zero(now.bytes)); }
};

bool Races::happenedBefore(const Note& note, const Stamp& other) const {
    const Stamp& now = note.now;
    const Place of{other.group, other.invocation / lanes_, other.invocation};
    const Reach far = apart(now, other);
    const auto ordered = [&](const Before& before) {
        if (!vulkan_ || !other.writes) return other.time < before.happened;
        return now.writes ? before.hasWrite(other.time, other.makes, far)
                          : before.seesWrite(other.time, other.makes, far, now.makes);
    };
    if (common_.known[note.kind]->any(of, note.place, ordered)) return true;
    if (subgroups_[note.place.subgroup].known[note.kind]->any(of, note.place, ordered)) return true;
    const auto& own = states_[now.invocation];
    return own && own->known[note.kind].any(of, note.place, ordered);
}

// The access with which this one is in a race.
const Stamp* Races::conflict(const Note& note) const {
    const Stamp& now = note.now;
    const auto races = [&](const Stamp& other) {
        if ((other.bytes & now.bytes) == 0 || isSame(other, now)) return false;
        // "mutually-ordered atomic operations"
        if (std::min(now.atomic, other.atomic) >= apart(now, other)) return false;
        return !(now.shared && other.shared) || !happenedBefore(note, other);
    };
    for (uint32_t i = 0; i < note.cell->count; ++i)
        if (races(note.cell->writes[i])) return &note.cell->writes[i];
    if (!now.writes) return nullptr;
    for (const Stamp& read : note.cell->reads)
        if (races(read)) return &read;
    return nullptr;
}

static bool isPlain(const Stamp& access) { return access.atomic == Reach::kInvocation; }

void Races::remember(const Note& note) const {
    Cell& cell = *note.cell;
    const Stamp& now = note.now;
    if (now.writes) {
        uint32_t again = 0;  // bytes that the invocation wrote at this time before
        uint32_t count = 0;  // of the writes that remain for some bytes
        for (uint32_t i = 0; i < cell.count; ++i) {
            Stamp write = cell.writes[i];
            if (isSame(write, now) && write.time == now.time) again |= write.bytes;
            // Others may be in a race with it still.
            const bool hidden = now.atomic != Reach::kInvocation && isPlain(write) &&
                                isSame(write, now) && cell.count < cell.writes.size();
            if (!hidden) write.bytes &= uint8_t(~now.bytes);
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
        const bool hides = now.atomic != Reach::kInvocation && isPlain(read);
        if (read.time != 0 && !(isSame(read, now) && !hides) && !happenedBefore(note, read))
            continue;
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

// Only through a variable that is decorated Restrict its memory is accessed, if something writes
// it.
void Races::checkRestrict(const Note& note) const {
    const auto check = [&](const Stamp& other) {
        const bool overlaps = (other.bytes & note.now.bytes) != 0 && other.object != 0;
        const bool restricted = ((other.object | note.now.object) & kRestricted) != 0;
        if (!overlaps || !restricted || other.object == note.now.object) return;
        note.subgroup.report(
            kCheckProgram, note.now.invocation % lanes_,
            std::format("accesses memory that invocation {} of workgroup {} accessed through "
                        "another variable (word {}), and one of them is decorated Restrict",
                        other.invocation, other.group, other.word),
            other.word);
    };
    for (uint32_t i = 0; i < note.cell->count; ++i) check(note.cell->writes[i]);
    for (uint32_t i = 0; note.now.writes && i < note.cell->reads.size(); ++i)
        check(note.cell->reads[i]);
}

void Races::noteCell(const Note& note) const {
    if (note.now.object != 0) checkRestrict(note);
    if (const Stamp* other = conflict(note)) {
        reportRace(note, *other);
        for (uint32_t at = 0; stale_ && note.seen != nullptr && at < kCellSize; ++at)
            if ((note.now.bytes & other->bytes) >> at & 1)
                note.seen[at - note.first()] = note.cell->before[at];
    }
    remember(note);
}

Races::Note Races::noteOf(const Memory& memory, uint32_t lane, const std::byte* data) const {
    const auto& [s, pointer, access] = memory;
    const bool isShared = pointer.storage == spv::StorageClass::Workgroup;
    Note note{s, isShared ? kShared : kBuffer, placeOf(s, lane), {group_, clock_}};
    note.data = data;
    note.now.invocation = uint16_t(note.place.invocation);
    note.now.word = s.at->word;
    note.now.object = access.object;
    note.now.matrix = access.matrix;
    return note;
}

BufferHistory::Page& Races::pageAt(uint64_t address) {
    const uint64_t number = address / BufferHistory::kPageSize;
    KnownPage& known = pages_[number % pages_.size()];
    if (known.number != number) known = {number, &history_.page(number)};
    return *known.page;
}

// Calls f with the cell of each four bytes.
template <typename F>
void Races::forCells(const Memory& memory, Note& note, const std::byte* data, uint64_t size,
                     F&& f) {
    const bool isShared = note.kind == kShared;
    uint64_t at = isShared ? uint64_t(data - memory.s.group->shared.data())
                           : reinterpret_cast<uint64_t>(data);
    for (const uint64_t end = at + size; at < end;) {
        const uint64_t first = at % kCellSize, count = std::min(end - at, kCellSize - first);
        note.now.bytes = uint8_t(((1u << count) - 1) << first);
        if (isShared) {
            note.cell = &shared_[at / kCellSize];
        } else {
            note.page = &pageAt(at);
            note.cell = &note.page->cells[at / kCellSize % note.page->cells.size()];
        }
        f();
        at += count;
        note.data += count;
        if (note.seen != nullptr) note.seen += count;
    }
}

void Races::note(const Memory& memory, uint32_t lane, const std::byte* data, uint64_t size,
                 std::byte* seen) {
    const auto& [s, pointer, access] = memory;
    if (pointer.storage == spv::StorageClass::PushConstant) return;
    Note note = noteOf(memory, lane, data);
    note.seen = seen;
    Stamp& now = note.now;
    now.writes = seen == nullptr;
    now.makes = reachOf(now.writes ? access.availableScope : access.visibleScope);
    constexpr auto kNonPrivate = uint32_t(spv::MemoryAccessMask::NonPrivatePointer);
    now.shared = !vulkan_ || (access.operands & kNonPrivate) != 0;
    forCells(memory, note, data, size, [&] {
        if (note.kind == kShared) return noteCell(note);
        const auto held = history_.lock(note.page->mutex);
        noteCell(note);
    });
}

std::unique_lock<std::mutex> Races::lock(const Memory& memory, const std::byte* data) {
    if (memory.pointer.storage == spv::StorageClass::Workgroup) return {};
    return history_.lock(pageAt(reinterpret_cast<uint64_t>(data)).mutex);
}

void Races::noteAtomic(const Memory& memory, uint32_t lane, const std::byte* data, uint64_t size,
                       const Atomic& operation) {
    if (memory.pointer.storage == spv::StorageClass::PushConstant) return;
    Note note = noteOf(memory, lane, operation.before);
    Stamp& now = note.now;
    now.writes = operation.writes;
    now.atomic = now.makes = operation.semantics.reach;
    now.shared = true;
    Heads& heads = headsAt(memory, data);
    forCells(memory, note, data, size, [&] {  // another write ends release sequences
        bool plain = false, atomic = false;
        for (uint32_t i = 0; i < note.cell->count; ++i) {
            const Stamp& write = note.cell->writes[i];
            if ((write.bytes & now.bytes) != 0) (isPlain(write) ? plain : atomic) = true;
        }
        if (plain && !atomic) heads.clear();
    });
    if (operation.reads) acquireHeads(heads, note.place, note.kind, operation.semantics);
    note.data = operation.before;
    std::array<std::byte, 8> seen;
    note.seen = now.writes ? nullptr : seen.data();
    forCells(memory, note, data, size, [&] { noteCell(note); });
    if (operation.writes) extendHeads(heads, note.place, note.kind, operation);
}

}  // namespace coopvk::reference
