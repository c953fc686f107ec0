// SPDX-License-Identifier: Apache-2.0
#include "assumptions.hpp"

#include "assertions.hpp"
#include "coopvk_reference/stages.hpp"
#include "coopvk_reference/symbols.hpp"

namespace coopvk::check {

namespace {

struct AssumptionRow {
    uint32_t assumption;
    std::string_view text;
};
constexpr AssumptionRow kAssumptions[] = {
    {reference::kOpenSums, "sums that only products read are open"},
    {reference::kZeroSigns, "zero sums have either sign"},
    {reference::kNanBits, "a NaN is each NaN"},
    {reference::kNanSigns, "a NaN has the sign of the NaN from which it comes"},
    {reference::kContractions, "products and sums are contracted"},
    {reference::kInRange, "floats are in the range of the integers that they become"},
    {reference::kSameFunctions, "an instruction gives equal results of equal operands"},
    {kLanesInOrder, "invocations are lanes in their order"},
    {kElementLayout, "matrices have this layout of elements"},
    {kBindingsApart, "bindings share no memory, although they are Aliased"},
    {kMadeUpValues, "uniform buffers and push constants have made-up values"},
    {kLanesMeet, "lanes that part meet at merge blocks"},
    {kOptimalLayouts, "optimal layouts are those of the reference device"},
    {kVolatileMemory, "Volatile memory changes by accesses alone"},
    {kMoreCapabilities, "the device has what the module's further capabilities need"},
    {kRestrictPointers, "Restrict and Aliased pointers are those of the original"},
    {kKnownAddresses, "addresses in memory are as they are"},
    {kSharedOutputs, "invocations do not race on outputs that they share"},
};

}  // namespace

uint32_t assumedOf(const Module& module, spv::ExecutionModel stage) {
    const reference::Stage* row = reference::findStage(stage);
    return (knowsLanes(module) ? kLanesInOrder : 0) | (knowsLayout(module) ? kElementLayout : 0) |
           (mayShareMemory(module) ? kBindingsApart : 0) |
           (hasVolatileAccess(module) ? kVolatileMemory : 0) |
           (row != nullptr && row->sharesOutputs ? kSharedOutputs : 0);
}

std::vector<std::string_view> assumptionsOf(uint32_t assumptions) {
    std::vector<std::string_view> texts;
    for (const AssumptionRow& row : kAssumptions)
        if ((assumptions & row.assumption) != 0) texts.push_back(row.text);
    return texts;
}

}  // namespace coopvk::check
