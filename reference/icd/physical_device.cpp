// SPDX-License-Identifier: Apache-2.0
//
// What the device has: features, properties, queues and memory. The registry and the lists beside
// this file give the tables of features and properties.
#include <limits>

#include "commands.hpp"
#include "device.hpp"

namespace coopvk::reference::icd {
namespace {

// What properties.txt names.
constexpr auto kMax32 = std::numeric_limits<uint32_t>::max();
constexpr auto kMax64 = std::numeric_limits<uint64_t>::max();
constexpr auto kMaxInt32 = std::numeric_limits<int32_t>::max();
constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_COMPUTE_BIT;
constexpr VkSubgroupFeatureFlags kSubgroupOperations =
    VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
    VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
    VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
    VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT |
    VK_SUBGROUP_FEATURE_ROTATE_BIT | VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT;

std::string deviceName(const PhysicalDevice& device) {
    return "coopvk reference device, " + std::to_string(device.settings.subgroupSize) + " lanes";
}

std::string deviceIdentity(const PhysicalDevice& device) {
    std::string identity = "coopvk-ref";
    identity.resize(VK_UUID_SIZE);
    identity.back() = static_cast<char>(device.settings.subgroupSize);
    return identity;
}

struct FeatureRow {
    VkStructureType type;
    std::string_view extension;  // that adds the structure, or ""
    std::string_view supported;  // 0 or 1 for each feature, in order
};
#define COOPVK_FEATURES(type, extension, supported) FeatureRow{type, extension, supported},
constexpr FeatureRow kFeatures[] = {
#include "features.inc"
};
#undef COOPVK_FEATURES

struct PropertyRow {
    VkStructureType type;
    std::string_view extension;
    void (*fill)(const PhysicalDevice& device, void* structure);
};

// An array of numbers or letters gets the text or, in all its elements, the number.
template <typename T, typename V>
void set(T& to, const V& value) {
    if constexpr (!std::is_array_v<T>) {
        to = static_cast<T>(value);
    } else if constexpr (std::is_convertible_v<V, std::string_view>) {
        const std::string_view text = value;
        std::fill(std::begin(to), std::end(to), 0);
        std::copy_n(text.begin(), std::min(text.size(), std::size(to)), to);
    } else {
        for (auto& element : to) set(element, value);
    }
}

#define COOPVK_PROPERTIES(T, type, extension) \
    PropertyRow {                             \
        type, extension, []([[maybe_unused]] const PhysicalDevice& device, void* structure) { \
                    T& to = *static_cast<T*>(structure);
#define COOPVK_PROPERTY(member, value) set(to.member, value);
#define COOPVK_PROPERTIES_END \
    }                         \
    }                         \
    ,
constexpr PropertyRow kProperties[] = {
#include "properties.inc"
};
#undef COOPVK_PROPERTIES
#undef COOPVK_PROPERTY
#undef COOPVK_PROPERTIES_END

// Calls use(structure, row, known) for the structures of a chain that have a row; `known` if the
// device has the extension.
template <typename Row, size_t N, typename Use>
void forRows(const Row (&rows)[N], const PhysicalDevice& device, const void* chain,
             const Use& use) {
    const auto* node = static_cast<const VkBaseOutStructure*>(chain);
    for (; node != nullptr; node = node->pNext) {
        for (const Row& row : rows) {
            if (row.type != node->sType) continue;
            const bool known = row.extension.empty() || device.extensions.contains(row.extension);
            use(const_cast<VkBaseOutStructure*>(node), row, known);
        }
    }
}

// Calls use(feature, supported) for each feature: VkBool32 after VkBool32, behind sType and pNext.
template <typename Use>
void forFeatures(const PhysicalDevice& device, const void* chain, const Use& use) {
    forRows(kFeatures, device, chain, [&](auto* structure, const FeatureRow& row, bool known) {
        auto* features = reinterpret_cast<VkBool32*>(structure + 1);
        for (size_t i = 0; i < row.supported.size(); ++i)
            use(features[i], known && row.supported[i] == '1');
    });
}

constexpr VkQueueFamilyProperties kFamily = {
    VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 1, 64, {1, 1, 1}};

}  // namespace

bool hasFeatures(const PhysicalDevice& device, const VkDeviceCreateInfo& info) {
    bool all = true;
    const auto check = [&](VkBool32 asked, bool supported) { all &= supported || !asked; };
    VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    if (info.pEnabledFeatures != nullptr) core.features = *info.pEnabledFeatures;
    forFeatures(device, &core, check);
    forFeatures(device, info.pNext, check);
    return all;
}

void GetPhysicalDeviceFeatures2(VkPhysicalDevice handle, VkPhysicalDeviceFeatures2* out) {
    forFeatures(*from<PhysicalDevice>(handle), out,
                [](VkBool32& feature, bool supported) { feature = supported; });
}

void GetPhysicalDeviceFeatures(VkPhysicalDevice handle, VkPhysicalDeviceFeatures* out) {
    VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    GetPhysicalDeviceFeatures2(handle, &all);
    *out = all.features;
}

void GetPhysicalDeviceProperties2(VkPhysicalDevice handle, VkPhysicalDeviceProperties2* out) {
    const PhysicalDevice& device = *from<PhysicalDevice>(handle);
    forRows(kProperties, device, out, [&](void* structure, const PropertyRow& row, bool known) {
        if (known) row.fill(device, structure);
    });
}

void GetPhysicalDeviceProperties(VkPhysicalDevice handle, VkPhysicalDeviceProperties* out) {
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    GetPhysicalDeviceProperties2(handle, &all);
    *out = all.properties;
}

void GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice, uint32_t* count,
                                            VkQueueFamilyProperties* out) {
    writeList(1, count, out, [](VkQueueFamilyProperties& to, uint32_t) { to = kFamily; });
}

void GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice, uint32_t* count,
                                             VkQueueFamilyProperties2* out) {
    writeList(1, count, out,
              [](VkQueueFamilyProperties2& to, uint32_t) { to.queueFamilyProperties = kFamily; });
}

void GetPhysicalDeviceMemoryProperties(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* out) {
    *out = {};
    out->memoryTypeCount = static_cast<uint32_t>(std::size(kMemoryTypes));
    for (size_t i = 0; i < std::size(kMemoryTypes); ++i) out->memoryTypes[i] = {kMemoryTypes[i], 0};
    out->memoryHeapCount = 1;
    out->memoryHeaps[0] = {kHeapSize, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
}

void GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice handle,
                                        VkPhysicalDeviceMemoryProperties2* out) {
    GetPhysicalDeviceMemoryProperties(handle, &out->memoryProperties);
}

// There are no images, so formats have no features.
void GetPhysicalDeviceFormatProperties2(VkPhysicalDevice, VkFormat, VkFormatProperties2* out) {
    out->formatProperties = {};
    if (auto* more = find<VkFormatProperties3>(out->pNext))
        more->linearTilingFeatures = more->optimalTilingFeatures = more->bufferFeatures = 0;
}

// Nothing can be exported or imported.
void GetPhysicalDeviceExternalBufferProperties(VkPhysicalDevice,
                                               const VkPhysicalDeviceExternalBufferInfo* info,
                                               VkExternalBufferProperties* out) {
    out->externalMemoryProperties = {0, 0, info->handleType};
}

}  // namespace coopvk::reference::icd
