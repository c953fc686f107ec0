// SPDX-License-Identifier: Apache-2.0
#include "memory/races.hpp"

#include <algorithm>

namespace coopvk::reference {

namespace {

constexpr uint32_t bit(spv::MemorySemanticsMask mask) { return static_cast<uint32_t>(mask); }
constexpr uint32_t kOrders = bit(spv::MemorySemanticsMask::AcquireRelease) |
                             bit(spv::MemorySemanticsMask::SequentiallyConsistent);
constexpr uint32_t kReleases = kOrders | bit(spv::MemorySemanticsMask::Release);
constexpr uint32_t kAcquires = kOrders | bit(spv::MemorySemanticsMask::Acquire);
constexpr uint32_t kMakes =
    bit(spv::MemorySemanticsMask::MakeAvailable) | bit(spv::MemorySemanticsMask::MakeVisible);
// Semantics for each kind of memory.
constexpr uint32_t kMemory[] = {bit(spv::MemorySemanticsMask::WorkgroupMemory),
                                bit(spv::MemorySemanticsMask::UniformMemory)};

uint32_t semanticsOf(const Subgroup& s, const Instruction& i, uint32_t operand) {
    return static_cast<uint32_t>(s.operand(i, operand).at(0, s.mask.first()));
}

}  // namespace

Races::Races(const Workgroup& group, BufferHistory& history)
    : history_(history), lanes_(group.program->lanes), vulkan_(group.program->vulkanMemoryModel) {
    const size_t subgroups = group.program->subgroups;
    for (auto& orders : subgroups_) orders.resize(subgroups);
    fences_.resize(subgroups * lanes_);
    released_.resize(subgroups * lanes_);
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
    for (Order& order : all_) order = {};
    for (auto& orders : subgroups_) std::fill(orders.begin(), orders.end(), Order{});
    std::fill(fences_.begin(), fences_.end(), 0u);
    std::fill(released_.begin(), released_.end(), 0u);
    common_.clear();
    for (Knowledge& knowledge : acquired_) knowledge.clear();
    for (Knowledge& knowledge : pending_) knowledge.clear();
    sharedReleases_.clear();
    std::fill(shared_.begin(), shared_.end(), Cell{});
}

// With the Vulkan memory model, a write is seen only if it was made available and visible.
void Races::order(Order& order, uint32_t semantics) {
    order.reads = clock_;
    if (!vulkan_ || (semantics & kMakes) == kMakes) order.writes = clock_;
}

void Races::meet(const Workgroup& group, const Instruction& i) {
    if (i.opcode != spv::Op::OpControlBarrier) return;
    const Subgroup& first = group.subgroups[0];
    const auto scope = static_cast<spv::Scope>(first.operand(i, 1).at(0, 0));
    const auto semantics = static_cast<uint32_t>(first.operand(i, 2).at(0, 0));
    ++clock_;
    // Memory barriers before it release for all.
    released_ = fences_;
    if ((semantics & kOrders) == 0 || scope >= spv::Scope::Subgroup) return;
    for (int kind = 0; kind < kKinds; ++kind)
        if ((semantics & kMemory[kind]) != 0) order(all_[kind], semantics);
    for (Knowledge& knowledge : acquired_) {
        learn(common_, knowledge);
        knowledge.clear();
    }
}

void Races::meetLanes(const Subgroup& s, const Instruction& i) {
    const uint32_t semantics = semanticsOf(s, i, 2);
    ++clock_;
    if ((semantics & kOrders) == 0 || s.mask != s.all) return;
    for (int kind = 0; kind < kKinds; ++kind)
        if ((semantics & kMemory[kind]) != 0) order(subgroups_[kind][s.index], semantics);
    Knowledge together;
    for (uint32_t lane = 0; lane < lanes_; ++lane)
        learn(together, acquired_[s.index * lanes_ + lane]);
    if (together.empty()) return;
    for (uint32_t lane = 0; lane < lanes_; ++lane) acquired_[s.index * lanes_ + lane] = together;
}

void Races::fence(const Subgroup& s, uint32_t semantics) {
    ++clock_;
    s.mask.forEach([&](uint32_t lane) {
        const uint32_t invocation = s.index * lanes_ + lane;
        if ((semantics & kReleases) != 0) fences_[invocation] = clock_;
        if ((semantics & kAcquires) == 0 || pending_[invocation].empty()) return;
        learn(acquired_[invocation], pending_[invocation]);
        pending_[invocation].clear();
    });
}

void Races::synchronise(const Subgroup& s, uint32_t lane, const Pointer& pointer,
                        const std::byte* data, uint32_t semantics) {
    const uint32_t invocation = s.index * lanes_ + lane;
    Knowledge released;
    const bool releases = (semantics & kReleases) != 0;
    if (releases || fences_[invocation] != 0) {
        released = common_;
        learn(released, acquired_[invocation]);
        released[knowledgeKey(group_, kAllInvocations)] = all_[kBuffer].writes;
        released[knowledgeKey(group_, invocation)] = releases ? ++clock_ : fences_[invocation];
    }
    const bool acquires = (semantics & kAcquires) != 0;
    Knowledge& to = acquires ? acquired_[invocation] : pending_[invocation];
    const auto address = reinterpret_cast<uint64_t>(data);
    if (pointer.storage != spv::StorageClass::Workgroup) {
        history_.exchange(address, released, to);
        return;
    }
    const auto found = sharedReleases_.find(address);
    if (found != sharedReleases_.end()) learn(to, found->second);
    if (!released.empty()) learn(sharedReleases_[address], released);
}

bool Races::happenedBefore(const Observer& observer, const Stamp& other, bool otherWrites) const {
    const bool needs = otherWrites && !(other.available && observer.visible);
    const auto before = [&](const Order& order) {
        return other.time < (needs ? order.writes : order.reads);
    };
    if (other.group == group_) {
        if (other.invocation == observer.invocation) return true;
        if (before(all_[observer.kind]) || other.time < released_[other.invocation]) return true;
        if (other.invocation / lanes_ == observer.subgroup &&
            before(subgroups_[observer.kind][observer.subgroup]))
            return true;
    }
    for (const Knowledge* knowledge : {&common_, &acquired_[observer.invocation]}) {
        if (knowledge->empty()) continue;
        for (const uint32_t source : {other.invocation, kAllInvocations}) {
            const auto found = knowledge->find(knowledgeKey(other.group, source));
            if (found != knowledge->end() && other.time < found->second) return true;
        }
    }
    return false;
}

// The access with which this one is in a race.
const Stamp* Races::conflict(const Observer& observer, const Cell& cell, const Stamp& now,
                             bool write) const {
    const auto races = [&](const Stamp& other, bool otherWrites) {
        if (other.time == 0 || (other.bytes & now.bytes) == 0 || (other.atomic && now.atomic))
            return false;
        if (other.group == group_ && other.invocation == observer.invocation) return false;
        return !(now.shared && other.shared) || !happenedBefore(observer, other, otherWrites);
    };
    if (!observer.repeats && races(cell.write, true)) return &cell.write;
    if (!write) return nullptr;
    for (const Stamp& read : cell.reads)
        if (races(read, false)) return &read;
    return nullptr;
}

void Races::remember(const Observer& observer, Cell& cell, const Stamp& now, bool write) const {
    if (write) {
        cell.write = now;
        return;
    }
    // In place of a read that happened before, or of the same invocation; else of the first.
    for (Stamp& read : cell.reads) {
        const bool same = read.group == group_ && read.invocation == now.invocation;
        if (read.time == 0 || same || happenedBefore(observer, read, false)) {
            read = now;
            return;
        }
    }
    cell.reads[0] = now;
}

void Races::noteCell(Subgroup& s, const Instruction& i, const Observer& observer, Cell& cell,
                     const Stamp& now, bool write) {
    if (const Stamp* other = conflict(observer, cell, now, write)) {
        std::string text = write ? "writes" : "reads";
        text += observer.kind == kShared ? " shared memory" : " a buffer";
        text += other == &cell.write ? " that invocation " : " that was read by invocation ";
        text += std::to_string(other->invocation) + " of workgroup " + std::to_string(other->group);
        if (other == &cell.write) text += " wrote";
        text += " (word " + std::to_string(other->word) + "), and nothing orders the two";
        if (!now.shared || !other->shared) text += ": one is private";
        s.report(kCheckRaces, i, now.invocation % lanes_, std::move(text));
    }
    remember(observer, cell, now, write);
}

void Races::note(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& pointer,
                 const std::byte* data, uint64_t size, bool write, const Access& access) {
    if (pointer.storage == spv::StorageClass::PushConstant) return;
    const auto has = [&](spv::MemoryAccessMask mask) {
        return (access.operands & static_cast<uint32_t>(mask)) != 0;
    };
    const Kind kind = pointer.storage == spv::StorageClass::Workgroup ? kShared : kBuffer;
    const uint32_t invocation = s.index * lanes_ + lane;
    const Observer observer{
        *s.group,
        kind,
        invocation,
        s.index,
        write || access.atomic || has(spv::MemoryAccessMask::MakePointerVisible),
        write && access.repeats};
    Stamp now{group_, invocation, clock_, i.word, 0, access.atomic, true, false};
    now.shared = !vulkan_ || access.atomic || has(spv::MemoryAccessMask::NonPrivatePointer);
    now.available = write && (access.atomic || has(spv::MemoryAccessMask::MakePointerAvailable));
    uint64_t at = kind == kShared ? static_cast<uint64_t>(data - s.group->shared.data())
                                  : reinterpret_cast<uint64_t>(data);
    for (const uint64_t end = at + size; at < end;) {
        const uint64_t first = at % kCellSize, count = std::min(end - at, kCellSize - first);
        now.bytes = static_cast<uint8_t>(((1u << count) - 1) << first);
        if (kind == kShared) {
            noteCell(s, i, observer, shared_[at / kCellSize], now, write);
        } else {
            if (page_ == nullptr || at / BufferHistory::kPageSize != pageNumber_) {
                pageNumber_ = at / BufferHistory::kPageSize;
                page_ = &history_.page(at);
            }
            const std::lock_guard lock(page_->mutex);
            noteCell(s, i, observer, page_->cells[at / kCellSize % page_->cells.size()], now,
                     write);
        }
        at += count;
    }
}

}  // namespace coopvk::reference
