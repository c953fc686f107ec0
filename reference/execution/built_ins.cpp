// SPDX-License-Identifier: Apache-2.0
#include "execution/frame.hpp"

namespace coopvk::reference {

namespace {

struct Invocation {
    const Workgroup& group;
    const Subgroup& subgroup;
    uint32_t lane;

    uint32_t index() const { return subgroup.index * subgroup.lanes + lane; }
    // Invocations are numbered along x, then y, then z.
    uint32_t local(uint32_t dimension) const {
        const uint32_t at = index();
        return dimension == 0   ? at % size(0)
               : dimension == 1 ? at / size(0) % size(1)
                                : at / size(0) / size(1);
    }
    uint32_t size(uint32_t dimension) const { return group.program->workgroupSize[dimension]; }
    LaneMask all() const { return LaneMask::firstLanes(subgroup.lanes); }
    // Lanes before this one.
    LaneMask below() const { return LaneMask::firstLanes(lane); }
    LaneMask upTo() const { return LaneMask::firstLanes(lane + 1); }
};
using At = const Invocation&;

struct BuiltInRow {
    spv::BuiltIn builtIn;
    uint64_t (*value)(At, uint32_t component);
};

using enum spv::BuiltIn;
constexpr BuiltInRow kBuiltIns[] = {
    {NumWorkgroups, [](At at, uint32_t c) { return uint64_t{at.group.dispatch->groups[c]}; }},
    {WorkgroupId, [](At at, uint32_t c) { return uint64_t{at.group.id[c]}; }},
    {LocalInvocationId, [](At at, uint32_t c) { return uint64_t{at.local(c)}; }},
    {GlobalInvocationId,
     [](At at, uint32_t c) { return uint64_t{at.group.id[c] * at.size(c) + at.local(c)}; }},
    {LocalInvocationIndex, [](At at, uint32_t) { return uint64_t{at.index()}; }},
    {WorkgroupSize, [](At at, uint32_t c) { return uint64_t{at.size(c)}; }},
    {SubgroupSize, [](At at, uint32_t) { return uint64_t{at.subgroup.lanes}; }},
    {NumSubgroups, [](At at, uint32_t) { return uint64_t{at.group.program->subgroups}; }},
    {SubgroupId, [](At at, uint32_t) { return uint64_t{at.subgroup.index}; }},
    {SubgroupLocalInvocationId, [](At at, uint32_t) { return uint64_t{at.lane}; }},
    {SubgroupEqMask, [](At at, uint32_t c) { return LaneMask::one(at.lane).word(c); }},
    {SubgroupGeMask, [](At at, uint32_t c) { return (at.all() & ~at.below()).word(c); }},
    {SubgroupGtMask, [](At at, uint32_t c) { return (at.all() & ~at.upTo()).word(c); }},
    {SubgroupLeMask, [](At at, uint32_t c) { return at.upTo().word(c); }},
    {SubgroupLtMask, [](At at, uint32_t c) { return at.below().word(c); }},
    {DeviceIndex, [](At, uint32_t) { return uint64_t{0}; }},
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
