// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "execution/frame.hpp"
#include "execution/report_sink.hpp"
#include "memory/pointer.hpp"
#include "memory/races.hpp"

namespace coopvk::reference {

namespace {

enum class State : uint8_t { kReady, kMeeting, kFinished };

// Bits of memory that nothing wrote, where the schedule is not plain.
constexpr uint64_t kGarbage = 0xC7D3A5E96B4F1D2Cull;

class Scheduler {
 public:
    explicit Scheduler(Workgroup& group)
        : group_(group), states_(group.subgroups.size(), State::kReady) {}

    bool run() {
        for (;;) {
            const uint32_t next = choose();
            if (next == kNone) {
                if (!meet()) return finished();
                continue;
            }
            current_ = next;
            Subgroup& s = group_.subgroups[next];
            switch (reference::run(s, 0)) {
                case Outcome::kFinished:
                    states_[next] = State::kFinished;
                    break;
                case Outcome::kMeet:
                    states_[next] = State::kMeeting;
                    break;
                case Outcome::kYield:
                    break;
                case Outcome::kStop:
                    return false;
            }
        }
    }

 private:
    // The subgroup that executes next, or kNone if none can.
    uint32_t choose() {
        const auto count = static_cast<uint32_t>(states_.size());
        const Choice schedule = group_.settings->schedule;
        const auto start = schedule == Choice::kPlain
                               ? current_ + 1
                               : static_cast<uint32_t>(group_.nextRandom() % count);
        for (uint32_t i = 0; i < count; ++i) {
            // The last ones first: what a program expects of the first ones is not done yet.
            const uint32_t at =
                schedule == Choice::kAdversarial ? count - 1 - i : (start + i) % count;
            if (states_[at] == State::kReady) return at;
        }
        return kNone;
    }

    bool finished() const {
        return std::all_of(states_.begin(), states_.end(),
                           [](State state) { return state == State::kFinished; });
    }

    // All that have not finished wait: lets them go on. False: none waits.
    bool meet() {
        Subgroup* first = nullptr;
        for (size_t i = 0; i < states_.size(); ++i)
            if (states_[i] == State::kMeeting && first == nullptr) first = &group_.subgroups[i];
        if (first == nullptr) return false;
        for (size_t i = 0; i < states_.size(); ++i) {
            const Subgroup& s = group_.subgroups[i];
            if (states_[i] == State::kFinished)
                first->report(kCheckDivergence, *first->meeting, 0,
                              "subgroup " + std::to_string(i) + " ended without it");
            else if (s.meeting != first->meeting)
                first->report(kCheckDivergence, *first->meeting, 0,
                              "subgroup " + std::to_string(i) + " waits at another instruction");
        }
        if (group_.races != nullptr) group_.races->meet(group_, *first->meeting);
        for (size_t i = 0; i < states_.size(); ++i) {
            if (states_[i] != State::kMeeting) continue;
            Subgroup& s = group_.subgroups[i];
            s.phase = 1;
            const Step step = s.meeting->handler(s, *s.meeting);
            s.phase = 0;
            s.meeting = nullptr;
            if (step == Step::kStop) group_.sink->stop();
            states_[i] = State::kReady;
        }
        return !group_.sink->stopped();
    }

    Workgroup& group_;
    std::vector<State> states_;
    uint32_t current_ = ~uint32_t{0};
};

void prepareSubgroup(Workgroup& group, Subgroup& s, uint32_t index) {
    const Program& program = *group.program;
    s.program = &program;
    s.group = &group;
    s.index = index;
    s.lanes = program.lanes;
    s.all =
        LaneMask::firstLanes(std::min(program.lanes, program.invocations - index * program.lanes));
    s.frames.reserve(program.functions.size() + 1);  // frames stay where they are
    s.storage.resize(program.storageComponents * s.lanes);
    s.storageDefined.resize(program.storageComponents, LaneMask::firstLanes(kMaxLanes));
    s.privateData.resize(size_t{program.privateComponents} * s.lanes);
    s.privateDefined.resize(program.privateComponents);
    s.values.resize(program.slots.size());
    for (size_t i = 0; i < program.slots.size(); ++i) {
        const Slot& slot = program.slots[i];
        if (slot.constant) {  // never written
            s.values[i] = {
                const_cast<uint64_t*>(program.constantData.data()) + slot.storage * s.lanes,
                const_cast<LaneMask*>(program.constantDefined.data()) + slot.storage, slot.type,
                s.lanes};
        } else {
            s.values[i] = {s.storage.data() + slot.storage * s.lanes,
                           s.storageDefined.data() + slot.storage, slot.type, s.lanes};
        }
    }
}

// Pointers to the program's variables.
void pointToVariables(Workgroup& group, Subgroup& s) {
    for (const Variable& variable : group.program->variables) {
        uint64_t base = 0;
        switch (variable.storage) {
            case spv::StorageClass::Workgroup:
                base = reinterpret_cast<uint64_t>(&group.sharedRange);
                break;
            case spv::StorageClass::PushConstant:
                base = reinterpret_cast<uint64_t>(&group.pushRange);
                break;
            case spv::StorageClass::Uniform:
            case spv::StorageClass::StorageBuffer:
                if (!variable.descriptorArray)
                    base = reinterpret_cast<uint64_t>(
                        group.resources->descriptor(variable.set, variable.binding, 0));
                break;
            default:
                break;
        }
        const Value pointer = s.values[variable.slot];
        if (pointer.components() != 2) continue;
        std::fill_n(pointer.component(0), s.lanes, base);
        std::fill_n(pointer.component(1), s.lanes, variable.offset);
        pointer.defined[0] = pointer.defined[1] = LaneMask::firstLanes(kMaxLanes);
    }
}

// Variables of the module before the entry point runs: initializers, else undefined.
void initialise(Workgroup& group, Subgroup& s) {
    std::fill(s.privateDefined.begin(), s.privateDefined.end(), LaneMask{});
    if (group.settings->schedule != Choice::kPlain)
        std::fill(s.privateData.begin(), s.privateData.end(), kGarbage);
    for (const Variable& variable : group.program->variables) {
        if (variable.initializer == kNone || (variable.storage != spv::StorageClass::Private &&
                                              variable.storage != spv::StorageClass::Output))
            continue;
        const Value to{s.privateData.data() + variable.offset * s.lanes,
                       s.privateDefined.data() + variable.offset, variable.type, s.lanes};
        copyValue(to, s.values[variable.initializer], s.all);
    }
    setBuiltIns(group, s);
    s.ended = {};
    s.lastBuffer = nullptr;
    s.steps = 0;
    s.meeting = nullptr;
    s.phase = 0;
    s.frames.clear();
    enter(s, *group.program->entry, s.all, kNone);
}

void initialiseShared(Workgroup& group) {
    std::fill(group.sharedWritten.begin(), group.sharedWritten.end(), uint8_t{0});
    if (group.settings->schedule != Choice::kPlain)
        std::fill(group.shared.begin(), group.shared.end(), std::byte{kGarbage & 0xFF});
    for (const Variable& variable : group.program->variables) {
        if (variable.initializer == kNone || variable.storage != spv::StorageClass::Workgroup)
            continue;  // OpConstantNull (VUID-StandaloneSpirv-OpVariable-04734)
        const uint64_t size = sizeOf({variable.type});
        std::fill_n(group.shared.begin() + static_cast<ptrdiff_t>(variable.offset), size,
                    std::byte{0});
        std::fill_n(group.sharedWritten.begin() + static_cast<ptrdiff_t>(variable.offset), size,
                    uint8_t{1});
    }
}

}  // namespace

uint64_t Workgroup::nextRandom() {
    random += 0x9E3779B97F4A7C15ull;  // SplitMix64
    uint64_t bits = random;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
    return bits ^ (bits >> 31);
}

void prepare(Workgroup& group, const Program& program) {
    group.program = &program;
    group.shared.resize(program.sharedSize);
    group.sharedWritten.resize(program.sharedSize);
    group.sharedRange = {group.shared.data(), program.sharedSize, 0,
                         (group.settings->checks & (kCheckUnwritten | kCheckUndefined)) != 0
                             ? group.sharedWritten.data()
                             : nullptr};
    // Push constants are only read.
    group.pushRange = {const_cast<std::byte*>(group.dispatch->pushConstants.data()),
                       group.dispatch->pushConstants.size(), 0, nullptr};
    group.subgroups.resize(program.subgroups);
    for (uint32_t i = 0; i < program.subgroups; ++i) {
        prepareSubgroup(group, group.subgroups[i], i);
        pointToVariables(group, group.subgroups[i]);
    }
}

bool runWorkgroup(Workgroup& group, std::array<uint32_t, 3> id) {
    group.id = id;
    const auto& groups = group.dispatch->groups;
    group.random = group.settings->seed +
                   ((uint64_t{id[2]} * groups[1] + id[1]) * groups[0] + id[0]) * 0x1000193;
    initialiseShared(group);
    for (Subgroup& s : group.subgroups) initialise(group, s);
    if (group.races != nullptr) group.races->begin(group);
    return Scheduler(group).run();
}

}  // namespace coopvk::reference
