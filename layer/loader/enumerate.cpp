// SPDX-License-Identifier: Apache-2.0
//
// Lists of layers and extensions.
#include <cstring>
#include <string_view>

#include "chain/arrays.hpp"
#include "loader/commands.hpp"
#include "objects/registry.hpp"
#include "settings/names.hpp"
#include "system/system.hpp"

namespace coopvk::layer {
namespace {

VkExtensionProperties extensionProperties(std::string_view name, uint32_t version) {
    VkExtensionProperties properties = {};
    name.copy(properties.extensionName, sizeof(properties.extensionName) - 1);
    properties.specVersion = version;
    return properties;
}

VkResult listLayers(uint32_t* count, VkLayerProperties* out) {
    VkLayerProperties layer = {};
    std::string_view(kLayerName).copy(layer.layerName, sizeof(layer.layerName) - 1);
    std::string_view(kLayerDescription).copy(layer.description, sizeof(layer.description) - 1);
    layer.specVersion = VK_HEADER_VERSION_COMPLETE;
    layer.implementationVersion = 1;
    return giveArray(std::span<const VkLayerProperties>(&layer, 1), count, out);
}

bool isThisLayer(const char* name) { return name != nullptr && std::strcmp(name, kLayerName) == 0; }

// The extensions that the layer adds to the device.
std::vector<VkExtensionProperties> layerExtensions(const PhysicalDeviceContext& device) {
    std::vector<VkExtensionProperties> list;
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        if (!device.emulated.contains(info.extension)) continue;
        list.push_back(extensionProperties(info.vulkanName, info.specVersion));
    }
    list.push_back(extensionProperties(kToolingExtension, VK_EXT_TOOLING_INFO_SPEC_VERSION));
    return list;
}

// The driver's list without hidden extensions, and after it those that only the layer has.
std::vector<VkExtensionProperties> allExtensions(const PhysicalDeviceContext& device) {
    std::vector<VkExtensionProperties> list = device.facts.extensions;
    std::erase_if(list, [&](const VkExtensionProperties& listed) {
        return device.hidden.hasExtension(listed.extensionName);
    });
    for (const VkExtensionProperties& added : layerExtensions(device)) {
        if (!device.facts.lists(added.extensionName)) list.push_back(added);
    }
    return list;
}

}  // namespace

VkResult enumerateInstanceLayers(uint32_t* count, VkLayerProperties* out) {
    return listLayers(count, out);
}

VkResult enumerateDeviceLayers(VkPhysicalDevice, uint32_t* count, VkLayerProperties* out) {
    return listLayers(count, out);
}

// None, as the manifest. VK_EXT_layer_settings works without being listed, and loaders
// before 1.3.272 list each extension of a manifest, but create no instance with one that they do
// not know.
VkResult enumerateInstanceExtensions(const char* layerName, uint32_t* count,
                                     VkExtensionProperties* out) {
    if (!isThisLayer(layerName)) return VK_ERROR_LAYER_NOT_PRESENT;
    return giveArray(std::span<const VkExtensionProperties>(), count, out);
}

// The chain has no next command without an instance. Layers above ask for this one before they
// create theirs, and expect what the loader says.
VkResult enumerateInstanceVersion(uint32_t* version) {
    *version = VK_HEADER_VERSION_COMPLETE;
    for (const char* const loader : {"libvulkan.so.1", "vulkan-1.dll"}) {
        void* const found = system::functionOfLoaded(loader, "vkEnumerateInstanceVersion");
        if (found == nullptr) continue;
        return reinterpret_cast<PFN_vkEnumerateInstanceVersion>(found)(version);
    }
    return VK_SUCCESS;
}

VkResult enumerateDeviceExtensions(VkPhysicalDevice device, const char* layerName, uint32_t* count,
                                   VkExtensionProperties* out) {
    const auto instance = instances().find(device);
    const auto& next = instance->next.EnumerateDeviceExtensionProperties;
    const bool ours = isThisLayer(layerName);
    if (layerName != nullptr && !ours) return next(device, layerName, count, out);
    const PhysicalDeviceContext& physical = instance->physicalDevice(device);
    if (physical.facts.listing != VK_SUCCESS) return physical.facts.listing;
    const auto list = ours ? layerExtensions(physical) : allExtensions(physical);
    return giveArray(std::span(list), count, out);
}

}  // namespace coopvk::layer
