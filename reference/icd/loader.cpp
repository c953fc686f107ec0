// SPDX-License-Identifier: Apache-2.0
//
// How the loader and programs find commands. The loader's interface to drivers
// (LoaderDriverInterface.md): the three symbols at the end alone are exported.
#include <algorithm>

#include "commands.hpp"
#include "device.hpp"

namespace coopvk::reference::icd {

PFN_vkVoidFunction GetInstanceProcAddr(VkInstance instance, const char* name) {
    const Command* command = findCommand(name);
    if (command == nullptr) return nullptr;
    // The only command that an instance need not exist for, besides the global ones.
    const bool global =
        command->level == Level::kGlobal || command->name == "vkGetInstanceProcAddr";
    return global || instance != VK_NULL_HANDLE ? command->function : nullptr;
}

PFN_vkVoidFunction GetDeviceProcAddr(VkDevice device, const char* name) {
    const Command* command = findCommand(name);
    if (command == nullptr || command->level != Level::kDevice) return nullptr;
    // The instance's extension adds commands of devices, too.
    const bool has = command->extension.empty() || command->extension == "VK_EXT_debug_utils" ||
                     from<Device>(device)->extensions.contains(command->extension);
    return has ? command->function : nullptr;
}

}  // namespace coopvk::reference::icd

#define COOPVK_EXPORT extern "C" __attribute__((visibility("default"))) VKAPI_ATTR

COOPVK_EXPORT VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
    constexpr uint32_t kOldest = 5;  // the first in which drivers take any version of instances
    constexpr uint32_t kNewest = 7;
    if (*version < kOldest) return VK_ERROR_INCOMPATIBLE_DRIVER;
    *version = std::min(*version, kNewest);
    return VK_SUCCESS;
}

COOPVK_EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance,
                                                                            const char* name) {
    using namespace coopvk::reference::icd;
    const Command* command = findCommand(name);
    const bool has = command != nullptr && command->level == Level::kPhysicalDevice;
    return has ? command->function : nullptr;
}

COOPVK_EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance,
                                                                      const char* name) {
    const std::string_view wanted = name;
    if (wanted == "vk_icdNegotiateLoaderICDInterfaceVersion")
        return reinterpret_cast<PFN_vkVoidFunction>(&vk_icdNegotiateLoaderICDInterfaceVersion);
    if (wanted == "vk_icdGetPhysicalDeviceProcAddr")
        return reinterpret_cast<PFN_vkVoidFunction>(&vk_icdGetPhysicalDeviceProcAddr);
    return coopvk::reference::icd::GetInstanceProcAddr(instance, name);
}
