// SPDX-License-Identifier: Apache-2.0
//
// A Vulkan layer for tests, directly above the driver. It plants the fault that COOPVK_FAULT names
// into each shader module.
#include <cstdlib>

#include "../module_layer.hpp"
#include "faults.hpp"

namespace coopvk::test {

VKAPI_ATTR VkResult VKAPI_CALL createShaderModule(VkDevice device,
                                                  const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks* allocator,
                                                  VkShaderModule* module) {
    const char* fault = std::getenv("COOPVK_FAULT");
    if (!fault) return createShaderModuleBelow(device, info, allocator, module);
    const std::vector<uint32_t> words =
        plant(fault, {info->pCode, info->pCode + info->codeSize / 4});
    VkShaderModuleCreateInfo changed = *info;
    changed.codeSize = words.size() * sizeof(uint32_t);
    changed.pCode = words.data();
    return createShaderModuleBelow(device, &changed, allocator, module);
}

std::span<const Command> furtherCommands() { return {}; }

}  // namespace coopvk::test
