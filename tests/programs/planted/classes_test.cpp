// SPDX-License-Identifier: Apache-2.0
//
// The reference device as each class of device for which the rewriter has choices.
#include <gtest/gtest.h>

#include "check.hpp"
#include "coopvk/plan.hpp"

namespace coopvk::programs {
namespace {

// Else programs and inputs would leave out a class.
TEST(DeviceClasses, AreThoseOfTheRewriter) {
    for (const check::DeviceClass& deviceClass : check::deviceClasses()) {
        rewrite::Target target{.device = check::referenceTraits(deviceClass)};
        target.subgroupSize = deviceClass.maxLanes;
        const std::vector<rewrite::PlanRow> plan = rewrite::devicePlan(target);
        ASSERT_FALSE(plan.empty());
        EXPECT_EQ(plan.front().value, deviceClass.name);
    }
}

}  // namespace
}  // namespace coopvk::programs
