// SPDX-License-Identifier: Apache-2.0
//
// Accesses: which of them are in a race.
#include "checks/races.hpp"

#include <format>

#include "checks/checks.hpp"
#include "program/program.hpp"

namespace coopvk::reference {

void Races::begin(const Group& group) {
    group_ = group.number;
    lanes_ = group.lanes;
    vulkan_ = group.vulkanMemoryModel;
    clock_ = 1;
    common_ = {};
    subgroups_.clear();  // commons share nothing
    subgroups_.resize(group.subgroups);
    states_.clear();
    states_.resize(size_t{group.subgroups} * lanes_);
    sharedHeads_.clear();
    sharedAccesses_.clear();
    shared_.assign((group.sharedSize + kCellSize - 1) / kCellSize, {});
}

struct Races::Note {
    const Moment& at;
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

bool Races::isRace(const Note& note, const Stamp& other) const {
    const Stamp& now = note.now;
    if ((other.bytes & now.bytes) == 0 || isSame(other, now)) return false;
    // "mutually-ordered atomic operations"
    if (std::min(now.atomic, other.atomic) >= apart(now, other)) return false;
    return !(now.shared && other.shared) || !happenedBefore(note, other);
}

// The access with which this one is in a race.
const Stamp* Races::conflict(const Note& note) const {
    for (uint32_t i = 0; i < note.cell->count; ++i)
        if (isRace(note, note.cell->writes[i])) return &note.cell->writes[i];
    if (!note.now.writes) return nullptr;
    for (const Stamp& read : note.cell->reads)
        if (isRace(note, read)) return &read;
    return nullptr;
}

std::vector<Stamp>& Races::accessesTo(const Note& note) {
    return (note.page != nullptr ? note.page->accesses : sharedAccesses_)[note.cell];
}

// The same of all accesses before. Those are forgotten behind which this one is in each race in
// which they are.
const Stamp* Races::conflictInAnyOrder(const Note& note) {
    const Stamp& now = note.now;
    std::vector<Stamp>& all = accessesTo(note);
    const auto races = [&](const Stamp& other) {
        return (other.writes || now.writes) && isRace(note, other);
    };
    if (const auto found = std::ranges::find_if(all, races); found != all.end()) return &*found;
    std::erase_if(all, [&](const Stamp& other) {
        const bool isHidden = other.atomic < now.atomic || (!other.shared && now.shared) ||
                              (other.writes && !now.writes) || (other.bytes & ~now.bytes) != 0;
        return !isHidden && (isSame(other, now) || happenedBefore(note, other));
    });
    all.push_back(now);
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
    note.at.report(
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
        note.at.report(
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

void Races::noteCell(const Note& note) {
    if (note.now.object != 0) checkRestrict(note);
    if (const Stamp* other = isForAll_ ? conflictInAnyOrder(note) : conflict(note)) {
        reportRace(note, *other);
        for (uint32_t at = 0; stale_ && note.seen != nullptr && at < kCellSize; ++at)
            if ((note.now.bytes & other->bytes) >> at & 1)
                note.seen[at - note.first()] = note.cell->before[at];
    }
    remember(note);
}

Races::Note Races::noteOf(const Moment& at, const MemoryAccess& access,
                          const std::byte* data) const {
    const uint32_t invocation = access.subgroup * lanes_ + access.lane;
    Note note{at, access.kind, {group_, access.subgroup, invocation}, {group_, clock_}};
    note.data = data;
    note.now.invocation = uint16_t(invocation);
    note.now.word = access.word;
    note.now.object = access.how.object;
    note.now.matrix = access.how.matrix;
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
void Races::forCells(const MemoryAccess& access, Note& note, F&& f) {
    const bool isShared = note.kind == kShared;
    uint64_t at = isShared ? access.offset : reinterpret_cast<uint64_t>(access.data);
    for (const uint64_t end = at + access.size; at < end;) {
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

void Races::note(const Moment& at, const MemoryAccess& access, std::byte* seen) {
    if (access.kind != kShared && access.kind != kBuffer) return;
    Note note = noteOf(at, access, access.data);
    note.seen = seen;
    Stamp& now = note.now;
    now.writes = seen == nullptr;
    now.makes = now.writes ? access.how.available : access.how.visible;
    now.shared = !vulkan_ || access.how.isNonPrivate;
    forCells(access, note, [&] {
        if (note.kind == kShared) return noteCell(note);
        const auto held = history_.lock(note.page->mutex);
        noteCell(note);
    });
}

void Races::atomic(const Moment& at, const MemoryAccess& access, const AtomicOperation& operation) {
    if (access.kind != kShared && access.kind != kBuffer) return;
    std::unique_lock<std::mutex> held;
    if (access.kind == kBuffer)
        held = history_.lock(pageAt(reinterpret_cast<uint64_t>(access.data)).mutex);
    Note note = noteOf(at, access, operation.before);
    Stamp& now = note.now;
    now.writes = operation.writes;
    now.atomic = now.makes = operation.semantics.reach;
    now.shared = true;
    Heads& heads = headsAt(access);
    forCells(access, note, [&] {  // another write ends release sequences
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
    forCells(access, note, [&] { noteCell(note); });
    if (operation.writes) extendHeads(heads, note.place, note.kind, operation);
}

namespace {

// One history for the workgroups of all threads.
class RaceCheck final : public Observer {
 public:
    RaceCheck(bool isStale, bool isForAll, bool hasThreads)
        : history_(hasThreads), isStale_(isStale), isForAll_(isForAll) {}
    uint32_t events() const override { return 0; }
    std::unique_ptr<Observer> ofThread() override {
        return std::make_unique<Races>(history_, isStale_, isForAll_);
    }

 private:
    BufferHistory history_;
    const bool isStale_, isForAll_;
};

}  // namespace

std::unique_ptr<Observer> checks::races(const Settings& settings, bool hasThreads) {
    return std::make_unique<RaceCheck>(settings.schedule == Choice::kAdversarial,
                                       settings.symbols != nullptr, hasThreads);
}

}  // namespace coopvk::reference
