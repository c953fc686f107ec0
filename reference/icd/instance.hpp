// SPDX-License-Identifier: Apache-2.0
//
// The instance with its one physical device, its extensions and its messages.
#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coopvk_reference/settings.hpp"
#include "object.hpp"

namespace coopvk::reference::icd {

inline constexpr uint32_t kMaxSets = 32;
inline constexpr uint32_t kMaxDescriptors = 1u << 20;
inline constexpr uint32_t kMaxPushConstantBytes = 256;
inline constexpr uint32_t kMaxPushDescriptors = 32;
inline constexpr uint32_t kMaxInvocations = 1024;  // of a workgroup
inline constexpr VkDeviceSize kBufferAlignment = 64;
inline constexpr VkDeviceSize kHeapSize = VkDeviceSize{16} << 30;

inline constexpr VkMemoryPropertyFlags kCoherent =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
inline constexpr VkMemoryPropertyFlags kMemoryTypes[] = {
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
    kCoherent,
    kCoherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | kCoherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
};

// Names with versions.
using ExtensionSet = std::map<std::string_view, uint32_t>;

struct Instance;

// The one device; part of the instance.
struct PhysicalDevice : ObjectOf<VkPhysicalDevice> {
    Instance* instance = nullptr;
    Settings settings;
    ExtensionSet extensions;  // that devices may enable
};

// Adds names that the caller asked for; false if one is not available.
bool enable(std::span<const char* const> names, const ExtensionSet& available,
            ExtensionSet& enabled);
// Whether the device has all features that the creation of a device asks for.
bool hasFeatures(const PhysicalDevice& device, const VkDeviceCreateInfo& info);

struct Messenger : ObjectOf<VkDebugUtilsMessengerEXT> {
    VkDebugUtilsMessengerCreateInfoEXT info;
};

struct Instance : ObjectOf<VkInstance> {
    PhysicalDevice physical;
    std::mutex mutex;  // guards messengers
    std::vector<Messenger*> messengers;
};

// What a message is about.
struct Message {
    std::string id;
    std::string text;
    const Object* object = nullptr;  // null: of no object
    VkObjectType type = VK_OBJECT_TYPE_UNKNOWN;
    VkDebugUtilsMessageSeverityFlagBitsEXT severity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    VkDebugUtilsMessageTypeFlagsEXT types = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
};

// To the instance's messengers that want it; to stderr if there is no messenger at all.
void send(Instance& instance, const Message& message);

}  // namespace coopvk::reference::icd
