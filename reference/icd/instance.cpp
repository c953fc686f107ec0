// SPDX-License-Identifier: Apache-2.0
#include "instance.hpp"

#include <cstdio>
#include <memory>

#include "commands.hpp"

namespace coopvk::reference::icd {
namespace {

bool knowsAll(const VkInstanceCreateInfo& info) {
    ExtensionSet known;
    for (const ExtensionRow& row : extensionTable()) {
        if (row.kind == ExtensionKind::kInstance) known.insert(row.name);
    }
    ExtensionSet enabled;
    return enable({info.ppEnabledExtensionNames, info.enabledExtensionCount}, known, enabled);
}

}  // namespace

VkResult EnumerateInstanceVersion(uint32_t* version) {
    *version = VK_API_VERSION_1_4;
    return VK_SUCCESS;
}

VkResult EnumerateInstanceExtensionProperties(const char*, uint32_t* count,
                                              VkExtensionProperties* out) {
    return listExtensions(ExtensionKind::kInstance, {}, count, out);
}

VkResult EnumerateInstanceLayerProperties(uint32_t* count, VkLayerProperties*) {
    *count = 0;
    return VK_SUCCESS;
}

VkResult CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks*,
                        VkInstance* handle) {
    if (!knowsAll(*info)) return VK_ERROR_EXTENSION_NOT_PRESENT;
    auto instance = std::make_unique<Instance>();
    const Result<Settings> settings = settingsFromEnvironment();
    if (!settings) {
        std::fprintf(stderr, "coopvk reference device: %s\n", settings.error().message.c_str());
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    instance->physical.instance = instance.get();
    instance->physical.settings = *settings;
    instance->physical.extensions = deviceExtensions(settings->extensions);
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
