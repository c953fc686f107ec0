// SPDX-License-Identifier: Apache-2.0
//
// A workgroup: the memory and the values of its subgroups.

#include "execution/shadow.hpp"
#include "execution/tangles.hpp"
#include "memory/pointer.hpp"
#include "stages/lists.hpp"

namespace coopvk::reference {
namespace {

using Storage = spv::StorageClass;

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
    s.intervals = group.settings->intervals;
    s.shadow = group.shadow.get();
    if (s.shadow != nullptr) {
        s.storageDeviations.resize(s.storage.size());
        s.privateDeviations.resize(s.privateData.size());
    }
    for (size_t i = 0; i < program.slots.size(); ++i) {
        const Slot& slot = program.slots[i];
        const Value own{
            s.storage.data() + slot.storage * s.lanes, s.storageDefined.data() + slot.storage,
            slot.type, s.lanes,
            s.shadow != nullptr ? s.storageDeviations.data() + slot.storage * s.lanes : nullptr};
        s.values.push_back(slot.constant ? program.constant(i) : own);
    }
}

// Pointers to the program's variables.
void pointToVariables(Workgroup& group, Subgroup& s) {
    for (const Variable& variable : group.program->variables) {
        const Range* range = nullptr;
        if (variable.storage == Storage::Workgroup) range = &group.sharedRange;
        if (variable.storage == Storage::PushConstant) range = &group.pushRange;
        if (!variable.descriptorArray &&
            (variable.storage == Storage::Uniform || variable.storage == Storage::StorageBuffer))
            range = group.resources->descriptor(variable.set, variable.binding, 0);
        const Value pointer = s.values[variable.slot];
        auto base = reinterpret_cast<uint64_t>(range);
        if (variable.storage == Storage::UniformConstant)
            base = reinterpret_cast<uint64_t>(&variable) | kVariableBase;
        if (variable.lists != nullptr && !holdsComponents(variable.storage))
            base = reinterpret_cast<uint64_t>(sharedList(group, variable));
        std::fill_n(pointer.component(0), s.lanes, base);
        std::fill_n(pointer.component(1), s.lanes, variable.offset);
    }
}

// Bits of memory that nothing wrote, where the schedule is not plain.
constexpr uint64_t kGarbage = 0xC7D3A5E96B4F1D2Cull;

// Variables of the module before the entry point runs: initializers, else undefined.
void initialise(Workgroup& group, Subgroup& s) {
    std::fill(s.privateDefined.begin(), s.privateDefined.end(), LaneMask{});
    if (group.settings->schedule != Choice::kPlain)
        std::fill(s.privateData.begin(), s.privateData.end(), kGarbage);
    for (const Variable& variable : group.program->variables)
        if (variable.initializer != kNone &&
            (variable.storage == Storage::Private || variable.storage == Storage::Output))
            copyValue(s, s.variable(variable.offset, *variable.type),
                      s.values[variable.initializer], s.all);
    startInvocations(group, s);
    s.holes = {};
    s.strays.clear();
    s.iterations.assign(s.program->loops, 0);
    s.lastBuffer = nullptr;
    s.steps = 0;
    s.phase = 0;
    s.frames.clear();
    const bool isApart = group.settings->reconvergence != Reconvergence::kMaximal &&
                         !group.program->maximallyReconverges;
    s.tangles = isApart ? std::make_shared<Tangles>() : nullptr;
    enter(s, *group.program->entry, s.all, kNone);
}

void initialiseShared(Workgroup& group) {
    std::fill(group.sharedWritten.begin(), group.sharedWritten.end(), uint8_t{0});
    std::fill(group.sharedDeviations.begin(), group.sharedDeviations.end(), Deviation{0});
    if (group.settings->schedule != Choice::kPlain)
        std::fill(group.shared.begin(), group.shared.end(), std::byte{kGarbage & 0xFF});
    for (const Variable& variable : group.program->variables) {
        if (variable.initializer == kNone || variable.storage != Storage::Workgroup)
            continue;  // OpConstantNull (VUID-StandaloneSpirv-OpVariable-04734)
        const uint64_t size = sizeOf({variable.type});
        std::fill_n(group.shared.data() + variable.offset, size, std::byte{0});
        std::fill_n(group.sharedWritten.data() + variable.offset, size, uint8_t{true});
    }
}

}  // namespace

void prepare(Workgroup& group) {
    const Program& program = *group.program;
    group.shared.resize(program.sharedSize);
    group.sharedWritten.resize(program.sharedSize);
    group.sharedRange = {group.shared.data(), program.sharedSize, 0, nullptr};
    group.shadow = makeShadow(*group.settings);
    if (group.shadow != nullptr) {
        group.sharedDeviations.resize(program.sharedSize);
        group.sharedRange.deviations = group.sharedDeviations.data();
    }
    // Push constants are only read.
    group.pushRange = {const_cast<std::byte*>(group.dispatch->pushConstants.data()),
                       group.dispatch->pushConstants.size(), 0, group.dispatch->pushWritten};
    group.subgroups.resize(program.subgroups);
    for (uint32_t i = 0; i < program.subgroups; ++i) {
        prepareSubgroup(group, group.subgroups[i], i);
        pointToVariables(group, group.subgroups[i]);
    }
}

void observe(Workgroup& group, const Observers& observers) {
    group.observers = &observers;
    const bool tracksWritten = (group.settings->checks & kCheckUndefined) != 0 ||
                               (observers.events() & kEventUnwrittenLoad) != 0;
    if (tracksWritten) group.sharedRange.written = group.sharedWritten.data();
    for (Subgroup& s : group.subgroups) {
        s.observers = &observers;
        s.events = observers.events();
    }
}

void begin(Workgroup& group, std::array<uint32_t, 3> id) {
    group.id = id;
    const auto& groups = group.dispatch->groups;
    group.random = group.settings->seed;
    for (const uint32_t number : id) group.random = spread(group.random ^ number);
    initialiseShared(group);
    for (Subgroup& s : group.subgroups) initialise(group, s);
    const Program& program = *group.program;
    const auto& base = group.dispatch->base;
    const uint32_t number =
        ((id[2] - base[2]) * groups[1] + id[1] - base[1]) * groups[0] + id[0] - base[0];
    group.observers->begin({id, number, program.lanes, program.subgroups, program.sharedSize,
                            program.vulkanMemoryModel});
}

}  // namespace coopvk::reference
