// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fakes/fake_driver.hpp"
#include "loader/by_configuration.hpp"
#include "loader/pass_through.hpp"

namespace coopvk::test::instance_version_test {
namespace {

// Layers above ask before they create their instance.
TEST(InstanceVersion, WithoutAnInstance) {
    FakeDriver driver;
    constexpr const char* kName = "vkEnumerateInstanceVersion";
    using Command = PFN_vkEnumerateInstanceVersion;
    for (const PFN_vkVoidFunction found :
         {driver.instanceCommand(kName), layer::pass::getInstanceProcAddr(VK_NULL_HANDLE, kName),
          layer::configured::getInstanceProcAddr(VK_NULL_HANDLE, kName)}) {
        ASSERT_NE(found, nullptr);
        uint32_t version = 0;
        EXPECT_EQ(reinterpret_cast<Command>(found)(&version), VK_SUCCESS);
        EXPECT_GE(version, VK_API_VERSION_1_1);
    }
}

}  // namespace
}  // namespace coopvk::test::instance_version_test
