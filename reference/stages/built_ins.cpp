// SPDX-License-Identifier: Apache-2.0
//
// Built-in variables that follow from where an invocation is.
#include "execution/shadow.hpp"
#include "stages/lists.hpp"

namespace coopvk::reference {
namespace {

struct Invocation {
    const Workgroup& group;
    const Subgroup& subgroup;
    uint32_t lane;

    uint32_t index() const { return subgroup.index * subgroup.lanes + lane; }
    // Invocations are in subgroups along x, then y, then z; or their quads are, if these are
    // squares.
    uint32_t local(uint32_t dimension) const {
        const uint32_t side = group.program->quadsAreSquares ? 2 : 1;
        const uint32_t at = index() / (side * side), part = index() % (side * side);
        const uint32_t across = std::max(size(0) / side, 1u);
        const uint32_t down = std::max(size(1) / side, 1u);
        return dimension == 0   ? at % across * side + part % side
               : dimension == 1 ? at / across % down * side + part / side
                                : at / across / down;
    }
    // LocalInvocationIndex.
    uint32_t localIndex() const { return (local(2) * size(1) + local(1)) * size(0) + local(0); }
    uint32_t size(uint32_t dimension) const { return group.program->workgroupSize[dimension]; }
    // Fragments are in quads of 2 x 2, eight of which are in a row.
    uint32_t pixel(uint32_t dimension) const {
        constexpr uint32_t kQuads = 8;
        const uint32_t quad = lane / 4;
        return dimension == 0 ? quad % kQuads * 2 + lane % 2 : quad / kQuads * 2 + lane / 2 % 2;
    }
    LaneMask all() const { return LaneMask::firstLanes(subgroup.lanes); }
    // Lanes before this one.
    LaneMask below() const { return LaneMask::firstLanes(lane); }
    LaneMask upTo() const { return LaneMask::firstLanes(lane + 1); }
};
using At = const Invocation&;

// The middle of the fragment, at half of the depth.
uint64_t fragmentCoordinate(At at, uint32_t component) {
    const double coordinates[] = {at.pixel(0) + 0.5, at.pixel(1) + 0.5, 0.5, 1};
    return numbers::encodeDouble(numbers::Number::f32, coordinates[component]);
}

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
    {LocalInvocationIndex, [](At at, uint32_t) { return uint64_t{at.localIndex()}; }},
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
    // Of other stages. An invocation is a vertex, a primitive, a ray; of tessellation control, a
    // vertex of one patch.
    {VertexIndex, [](At at, uint32_t) { return uint64_t{at.index()}; }},
    {PrimitiveId,
     [](At at, uint32_t) {
         return at.group.program->stage->sharesOutputs ? uint64_t{0} : at.index();
     }},
    {InvocationId,
     [](At at, uint32_t) {
         return at.group.program->stage->sharesOutputs ? at.index() : uint64_t{0};
     }},
    {FragCoord, fragmentCoordinate},
    {HelperInvocation, [](At at, uint32_t) { return uint64_t{at.subgroup.helpers.test(at.lane)}; }},
    {LaunchIdKHR, [](At at, uint32_t c) { return uint64_t{c == 0 ? at.index() : 0u}; }},
    {LaunchSizeKHR, [](At at, uint32_t c) { return uint64_t{c == 0 ? at.subgroup.lanes : 1u}; }},
};

// Sizes and numbers in each dimension; the others have up to four components.
bool isOfThree(spv::BuiltIn builtIn) {
    return builtIn == NumWorkgroups || builtIn == WorkgroupId || builtIn == LocalInvocationId ||
           builtIn == GlobalInvocationId || builtIn == WorkgroupSize;
}

const BuiltInRow* findRowOf(const Variable& variable) {
    const auto* row =
        std::ranges::find(kBuiltIns, spv::BuiltIn(variable.builtIn), &BuiltInRow::builtIn);
    return row != std::end(kBuiltIns) && variable.storage == spv::StorageClass::Input ? row
                                                                                      : nullptr;
}

}  // namespace

bool setBuiltIn(const Workgroup& group, Subgroup& s, const Variable& variable) {
    const BuiltInRow* row = findRowOf(variable);
    // No built-in variable of these has more; of a module that nobody validated, one may.
    if (row == nullptr || variable.type == nullptr ||
        variable.type->components > (isOfThree(row->builtIn) ? 3 : 4))
        return false;
    const Value value = s.variable(variable.offset, *variable.type);
    const bool isOfDevice = row->builtIn == DeviceIndex && s.shadow != nullptr;
    const Deviation deviation = isOfDevice ? s.shadow->ofDeviceIndex() : 0;
    for (uint32_t c = 0; c < value.components(); ++c) {
        const uint64_t mask = lowBits(scalarOf(*variable.type, c).width);
        // Workgroups may be smaller than a subgroup.
        s.all.forEach([&](uint32_t lane) {
            value.set(c, lane, {row->value({group, s, lane}, c) & mask, true, deviation});
        });
    }
    return true;
}

}  // namespace coopvk::reference
