// SPDX-License-Identifier: Apache-2.0
#include "execution/scheduler.hpp"

namespace coopvk::reference {

namespace {

struct Invocation {
    const Workgroup& group;
    const Subgroup& subgroup;
    uint32_t lane;

    uint32_t index() const { return subgroup.index * subgroup.lanes + lane; }
    // Invocations are numbered along x, then y, then z.
    uint32_t local(uint32_t dimension) const {
        const auto& size = group.program->workgroupSize;
        const uint32_t at = index();
        return dimension == 0   ? at % size[0]
               : dimension == 1 ? at / size[0] % size[1]
                                : at / size[0] / size[1];
    }
};

using Getter = uint64_t (*)(const Invocation&, uint32_t component);

struct BuiltInRow {
    spv::BuiltIn builtIn;
    Getter value;
};

// Word `component` of a mask of lanes.
uint64_t word(LaneMask mask, uint32_t component) {
    const uint64_t half = component < 2 ? mask.low : mask.high;
    return (half >> (component % 2 * 32)) & 0xFFFFFFFFu;
}
LaneMask below(const Invocation& at) { return LaneMask::firstLanes(at.lane); }
LaneMask upTo(const Invocation& at) { return LaneMask::firstLanes(at.lane + 1); }
LaneMask lanesOf(const Invocation& at) { return LaneMask::firstLanes(at.subgroup.lanes); }

constexpr BuiltInRow kBuiltIns[] = {
    {spv::BuiltIn::NumWorkgroups,
     [](const Invocation& at, uint32_t c) -> uint64_t { return at.group.dispatch->groups[c]; }},
    {spv::BuiltIn::WorkgroupId,
     [](const Invocation& at, uint32_t c) -> uint64_t { return at.group.id[c]; }},
    {spv::BuiltIn::LocalInvocationId,
     [](const Invocation& at, uint32_t c) -> uint64_t { return at.local(c); }},
    {spv::BuiltIn::GlobalInvocationId,
     [](const Invocation& at, uint32_t c) -> uint64_t {
         return at.group.id[c] * at.group.program->workgroupSize[c] + at.local(c);
     }},
    {spv::BuiltIn::LocalInvocationIndex,
     [](const Invocation& at, uint32_t) -> uint64_t { return at.index(); }},
    {spv::BuiltIn::WorkgroupSize,
     [](const Invocation& at, uint32_t c) -> uint64_t {
         return at.group.program->workgroupSize[c];
     }},
    {spv::BuiltIn::SubgroupSize,
     [](const Invocation& at, uint32_t) -> uint64_t { return at.subgroup.lanes; }},
    {spv::BuiltIn::NumSubgroups,
     [](const Invocation& at, uint32_t) -> uint64_t { return at.group.program->subgroups; }},
    {spv::BuiltIn::SubgroupId,
     [](const Invocation& at, uint32_t) -> uint64_t { return at.subgroup.index; }},
    {spv::BuiltIn::SubgroupLocalInvocationId,
     [](const Invocation& at, uint32_t) -> uint64_t { return at.lane; }},
    {spv::BuiltIn::SubgroupEqMask,
     [](const Invocation& at, uint32_t c) { return word(LaneMask::one(at.lane), c); }},
    {spv::BuiltIn::SubgroupGeMask,
     [](const Invocation& at, uint32_t c) { return word(lanesOf(at) & ~below(at), c); }},
    {spv::BuiltIn::SubgroupGtMask,
     [](const Invocation& at, uint32_t c) { return word(lanesOf(at) & ~upTo(at), c); }},
    {spv::BuiltIn::SubgroupLeMask,
     [](const Invocation& at, uint32_t c) { return word(upTo(at), c); }},
    {spv::BuiltIn::SubgroupLtMask,
     [](const Invocation& at, uint32_t c) { return word(below(at), c); }},
    {spv::BuiltIn::DeviceIndex, [](const Invocation&, uint32_t) -> uint64_t { return 0; }},
};

}  // namespace

void setBuiltIns(Workgroup& group, Subgroup& subgroup) {
    for (const Variable& variable : group.program->variables) {
        if (variable.builtIn == kNone || variable.type == nullptr) continue;
        for (const BuiltInRow& row : kBuiltIns) {
            if (static_cast<uint32_t>(row.builtIn) != variable.builtIn) continue;
            const uint32_t lanes = subgroup.lanes;
            for (uint32_t c = 0; c < variable.type->components; ++c) {
                uint64_t* data = subgroup.privateData.data() + (variable.offset + c) * lanes;
                for (uint32_t lane = 0; lane < lanes; ++lane)
                    data[lane] = row.value({group, subgroup, lane}, c) &
                                 widthMask(scalarOf(*variable.type, c).width);
                subgroup.privateDefined[variable.offset + c] = LaneMask::firstLanes(kMaxLanes);
            }
        }
    }
}

}  // namespace coopvk::reference
