// SPDX-License-Identifier: Apache-2.0
#include "instance.hpp"

#include <cstdio>

#include "commands.hpp"

namespace coopvk::reference::icd {
namespace {

enum class Kind { kInstance, kDevice };
enum class Group { kAlways, kCooperative };

struct ExtensionRow {
    std::string_view name;
    uint32_t version;
    Kind kind;
    Group group;
};

#define COOPVK_EXTENSION(name, version, kind, group) \
    ExtensionRow{name, version, Kind::kind, Group::group},
constexpr ExtensionRow kRows[] = {
#include "extensions.inc"
};
#undef COOPVK_EXTENSION

// Of the cooperative ones: those that `chosen` names, with commas between, or "all" or "none".
ExtensionSet extensionsOf(Kind kind, const std::string& chosen) {
    const std::string list = "," + chosen + ",";
    ExtensionSet set;
    for (const ExtensionRow& row : kRows) {
        const std::string item = "," + std::string(row.name) + ",";
        const bool wanted =
            row.group == Group::kAlways || chosen == "all" || list.find(item) != std::string::npos;
        if (row.kind == kind && wanted) set.emplace(row.name, row.version);
    }
    return set;
}

VkResult listExtensions(const ExtensionSet& set, uint32_t* count, VkExtensionProperties* out) {
    auto next = set.begin();
    return writeList(static_cast<uint32_t>(set.size()), count, out,
                     [&](VkExtensionProperties& to, uint32_t) {
                         to = {};
                         next->first.copy(to.extensionName, VK_MAX_EXTENSION_NAME_SIZE - 1);
                         to.specVersion = next->second;
                         ++next;
                     });
}

}  // namespace

bool enable(std::span<const char* const> names, const ExtensionSet& available,
            ExtensionSet& enabled) {
    for (const char* name : names) {
        const auto found = available.find(name);
        if (found == available.end()) return false;
        enabled.insert(*found);
    }
    return true;
}

VkResult EnumerateInstanceVersion(uint32_t* version) {
    *version = VK_API_VERSION_1_4;
    return VK_SUCCESS;
}

VkResult EnumerateInstanceExtensionProperties(const char*, uint32_t* count,
                                              VkExtensionProperties* out) {
    return listExtensions(extensionsOf(Kind::kInstance, "all"), count, out);
}

VkResult EnumerateDeviceExtensionProperties(VkPhysicalDevice handle, const char* layer,
                                            uint32_t* count, VkExtensionProperties* out) {
    const ExtensionSet none;
    const ExtensionSet& available = from<PhysicalDevice>(handle)->extensions;
    return listExtensions(layer == nullptr ? available : none, count, out);
}

VkResult CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks*,
                        VkInstance* handle) {
    ExtensionSet enabled;
    const std::span names(info->ppEnabledExtensionNames, info->enabledExtensionCount);
    if (!enable(names, extensionsOf(Kind::kInstance, "all"), enabled))
        return VK_ERROR_EXTENSION_NOT_PRESENT;
    auto instance = std::make_unique<Instance>();
    const Result<Settings> settings = settingsFromEnvironment();
    if (!settings) {
        std::fprintf(stderr, "coopvk reference device: %s\n", settings.error().message.c_str());
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    instance->physical.instance = instance.get();
    instance->physical.settings = *settings;
    instance->physical.extensions = extensionsOf(Kind::kDevice, settings->extensions);
    *handle = handleOf(instance.release());
    return VK_SUCCESS;
}

void DestroyInstance(VkInstance handle, const VkAllocationCallbacks*) {
    delete from<Instance>(handle);
}

VkResult EnumeratePhysicalDevices(VkInstance handle, uint32_t* count, VkPhysicalDevice* out) {
    PhysicalDevice& device = from<Instance>(handle)->physical;
    return writeList(1, count, out,
                     [&](VkPhysicalDevice& to, uint32_t) { to = handleOf(&device); });
}

VkResult EnumeratePhysicalDeviceGroups(VkInstance handle, uint32_t* count,
                                       VkPhysicalDeviceGroupProperties* out) {
    PhysicalDevice& device = from<Instance>(handle)->physical;
    return writeList(1, count, out, [&](VkPhysicalDeviceGroupProperties& to, uint32_t) {
        to.physicalDeviceCount = 1;
        to.physicalDevices[0] = handleOf(&device);
        to.subsetAllocation = VK_FALSE;
    });
}

}  // namespace coopvk::reference::icd
