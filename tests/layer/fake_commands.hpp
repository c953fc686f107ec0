// SPDX-License-Identifier: Apache-2.0
//
// The fake driver's entry points.
#pragma once

#include <vulkan/vulkan.h>

namespace coopvk::test {

class FakeDriver;

namespace fake {

FakeDriver*& current();
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice, const char* name);

}  // namespace fake
}  // namespace coopvk::test
