// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include <algorithm>
#include <array>

#include "device.hpp"
#include "guard.hpp"

namespace coopvk::reference::icd {
namespace {

struct Implemented {
    std::string_view name;
    PFN_vkVoidFunction function;
};

#define COOPVK_ROW(name) \
    Implemented{"vk" #name, reinterpret_cast<PFN_vkVoidFunction>(&Guard<&icd::name>::call)},
const Implemented kImplemented[] = {COOPVK_REFERENCE_COMMANDS(COOPVK_ROW)};
#undef COOPVK_ROW

PFN_vkVoidFunction implementation(std::string_view name, PFN_vkVoidFunction otherwise) {
    const auto* found = std::find_if(std::begin(kImplemented), std::end(kImplemented),
                                     [&](const Implemented& row) { return row.name == name; });
    return found == std::end(kImplemented) ? otherwise : found->function;
}

#define COOPVK_COMMAND(name, target, level, extension) \
    Command{                                           \
        #name, Level::level, extension,                \
        implementation(#target, reinterpret_cast<PFN_vkVoidFunction>(&Absent<PFN_##name>::call))},
auto sortedCommands() {
    auto rows = std::to_array<Command>({
#include "commands.inc"
    });
    std::sort(rows.begin(), rows.end(),
              [](const Command& a, const Command& b) { return a.name < b.name; });
    return rows;
}
#undef COOPVK_COMMAND

PFN_vkVoidFunction instanceCommand(VkInstance instance, const char* name) {
    const Command* command = findCommand(name);
    if (command == nullptr || (instance == VK_NULL_HANDLE && command->level != Level::kGlobal))
        return nullptr;
    return command->function;
}

}  // namespace

const Command* findCommand(std::string_view name) {
    static const auto commands = sortedCommands();
    const auto found = std::lower_bound(
        commands.begin(), commands.end(), name,
        [](const Command& row, std::string_view wanted) { return row.name < wanted; });
    return found != commands.end() && found->name == name ? &*found : nullptr;
}

PFN_vkVoidFunction GetInstanceProcAddr(VkInstance instance, const char* name) {
    // The only command that an instance need not exist for, besides the global ones.
    if (std::string_view(name) == "vkGetInstanceProcAddr") return findCommand(name)->function;
    return instanceCommand(instance, name);
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

// The loader's interface to drivers (LoaderDriverInterface.md): these three symbols alone are
// exported.

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
