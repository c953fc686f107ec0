// SPDX-License-Identifier: Apache-2.0
//
// Features, general properties and tools of physical devices. The chains of these queries are
// output. The next layer fills all structures that it knows; then this layer overwrites those of
// emulated extensions.
#include <algorithm>
#include <string_view>
#include <vector>

#include "chain/pnext.hpp"
#include "device/extension_rows.hpp"
#include "loader/commands.hpp"
#include "objects/registry.hpp"
#include "settings/names.hpp"
#include "shaders/identity.hpp"

namespace coopvk::layer {
namespace {

template <typename Visit>
void visitEmulated(const PhysicalDeviceContext& device, void* chain, const Visit& visit) {
    auto* node = static_cast<VkBaseOutStructure*>(chain);
    for (; node != nullptr; node = node->pNext) {
        for (const ExtensionRow& row : extensionRows()) {
            if (device.emulated.contains(row.extension)) visit(row, node);
        }
    }
}

// Whether it is a structure of vulkan_coopvk.h that the next layer does not know.
bool isOnlyCoopvks(const DeviceFacts& facts, VkStructureType type) {
    if (!isCoopvkStructure(type)) return false;
    return std::ranges::none_of(extensionRows(), [&](const ExtensionRow& row) {
        return (type == row.featureType || type == row.propertiesType) &&
               facts.lists(rewrite::info(row.extension).vulkanName);
    });
}

// Removes those structures from a chain while the next layer fills it.
class CoopvkStructuresHidden {
 public:
    CoopvkStructuresHidden(const DeviceFacts& facts, void* head) {
        hidden_.reserve(countCoopvks(head));  // nothing may fail once the chain is in parts
        auto* node = static_cast<VkBaseOutStructure*>(head);
        while (node->pNext != nullptr) {
            if (!isOnlyCoopvks(facts, node->pNext->sType)) {
                node = node->pNext;
                continue;
            }
            hidden_.push_back({node, node->pNext});
            node->pNext = node->pNext->pNext;
        }
    }
    ~CoopvkStructuresHidden() {
        for (auto i = hidden_.rbegin(); i != hidden_.rend(); ++i) i->before->pNext = i->node;
    }
    CoopvkStructuresHidden(const CoopvkStructuresHidden&) = delete;
    CoopvkStructuresHidden& operator=(const CoopvkStructuresHidden&) = delete;

 private:
    struct Hidden {
        VkBaseOutStructure* before;
        VkBaseOutStructure* node;
    };

    static size_t countCoopvks(const void* head) {
        size_t count = 0;
        auto* node = static_cast<const VkBaseInStructure*>(head);
        for (; node != nullptr; node = node->pNext) count += isCoopvkStructure(node->sType) ? 1 : 0;
        return count;
    }

    std::vector<Hidden> hidden_;
};

void copyText(std::string_view text, char (&out)[VK_MAX_EXTENSION_NAME_SIZE]) {
    const size_t length = text.copy(out, sizeof(out) - 1);
    out[length] = '\0';
}

void fillTool(VkPhysicalDeviceToolProperties& tool) {
    static_assert(VK_MAX_EXTENSION_NAME_SIZE == VK_MAX_DESCRIPTION_SIZE);
    copyText("coopvk", tool.name);
    copyText(rewrite::version(), tool.version);
    tool.purposes =
        VK_TOOL_PURPOSE_ADDITIONAL_FEATURES_BIT | VK_TOOL_PURPOSE_MODIFYING_FEATURES_BIT;
    copyText(kLayerDescription, tool.description);
    copyText(kLayerName, tool.layer);
}

// Null if the next layer has none.
PFN_vkGetPhysicalDeviceToolProperties nextToolProperties(const InstanceContext& instance,
                                                         const DeviceFacts& facts) {
    if (facts.apiVersion >= VK_API_VERSION_1_3) {
        return instance.next.GetPhysicalDeviceToolProperties;
    }
    if (!facts.lists(kToolingExtension)) return nullptr;
    return instance.next.GetPhysicalDeviceToolPropertiesEXT;
}

// Emulated half floats keep signed zeros, infinities and NaN as f32 does. Else, only the
// specification's rules hold.
template <typename Properties>
void setHalfControls(VkBaseOutStructure* node) {
    auto& properties = *reinterpret_cast<Properties*>(node);
    properties.shaderSignedZeroInfNanPreserveFloat16 =
        properties.shaderSignedZeroInfNanPreserveFloat32;
    properties.shaderDenormPreserveFloat16 = VK_FALSE;
    properties.shaderDenormFlushToZeroFloat16 = VK_FALSE;
    properties.shaderRoundingModeRTEFloat16 = VK_FALSE;
    properties.shaderRoundingModeRTZFloat16 = VK_FALSE;
}

void setFloatControls(VkBaseOutStructure* node) {
    if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES) {
        setHalfControls<VkPhysicalDeviceFloatControlsProperties>(node);
    } else if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES) {
        setHalfControls<VkPhysicalDeviceVulkan12Properties>(node);
    }
}

// The subgroup size that all shaders get which can require it (the setting `as`).
void showSubgroupSize(uint32_t size, VkBaseOutStructure* node) {
    if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
        reinterpret_cast<VkPhysicalDeviceSubgroupProperties*>(node)->subgroupSize = size;
    } else if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES) {
        reinterpret_cast<VkPhysicalDeviceVulkan11Properties*>(node)->subgroupSize = size;
    }
}

// The operations that the rewriter lowers where it emulates subgroups, as far as the driver has
// them in other stages.
constexpr VkSubgroupFeatureFlags kEmulatedOperations =
    VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
    VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
    VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
    VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT |
    VK_SUBGROUP_FEATURE_ROTATE_BIT_KHR | VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT_KHR;

template <typename Properties>
void setSizeControl(const DeviceFacts& facts, VkBaseOutStructure* node) {
    auto& properties = *reinterpret_cast<Properties*>(node);
    properties.minSubgroupSize = properties.maxSubgroupSize = facts.traits.subgroupSize;
    properties.maxComputeWorkgroupSubgroups = facts.maxComputeWorkgroupSubgroups;
    properties.requiredSubgroupSizeStages = facts.requiredSubgroupSizeStages;
}

void showEmulatedSubgroups(const DeviceFacts& facts, VkBaseOutStructure* node) {
    showSubgroupSize(facts.traits.subgroupSize, node);
    switch (node->sType) {
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES:
            reinterpret_cast<VkPhysicalDeviceSubgroupProperties*>(node)->supportedOperations &=
                kEmulatedOperations;
            return;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES:
            reinterpret_cast<VkPhysicalDeviceVulkan11Properties*>(node)
                ->subgroupSupportedOperations &= kEmulatedOperations;
            return;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES:
            return setSizeControl<VkPhysicalDeviceSubgroupSizeControlProperties>(facts, node);
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES:
            return setSizeControl<VkPhysicalDeviceVulkan13Properties>(facts, node);
        default:
            return;
    }
}

// Replaces the UUID of data that programs keep on disk, in a structure that has one.
void mixUuid(const Settings& settings, const PhysicalDeviceContext& device,
             VkBaseOutStructure* node) {
    if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_PROPERTIES_EXT) {
        auto& objects = *reinterpret_cast<VkPhysicalDeviceShaderObjectPropertiesEXT*>(node);
        mixIdentity(settings, device, UuidOf::kShaderBinaries, objects.shaderBinaryUUID);
    }
    if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MODULE_IDENTIFIER_PROPERTIES_EXT) {
        auto& identifiers =
            *reinterpret_cast<VkPhysicalDeviceShaderModuleIdentifierPropertiesEXT*>(node);
        mixIdentity(settings, device, UuidOf::kModuleIdentifiers,
                    identifiers.shaderModuleIdentifierAlgorithmUUID);
    }
}

}  // namespace

void getFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
    const auto instance = instances().find(device);
    const auto next = instance->queries.getFeatures2;
    if (next == nullptr) return;
    const PhysicalDeviceContext& physical = instance->physicalDevice(device);
    {
        const CoopvkStructuresHidden hidden(physical.facts, features);
        next(device, features);
    }
    auto* node = static_cast<VkBaseOutStructure*>(features->pNext);
    for (; node != nullptr; node = node->pNext) physical.hidden.clearFeatures(node);
    visitEmulated(physical, features->pNext,
                  [&](const ExtensionRow& row, VkBaseOutStructure* structure) {
                      if (!row.isIn(structure->sType)) return;
                      const Decision& decision = physical.decision(row.extension);
                      row.remove(structure, ~decision.native);
                      row.add(structure, decision.added);
                  });
}

void getProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
    const auto instance = instances().find(device);
    instance->queries.getProperties(device, properties);
    show(instance->settings.shownIds, *properties);
}

void getProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
    const auto instance = instances().find(device);
    const auto next = instance->queries.getProperties2;
    if (next == nullptr) return;
    const PhysicalDeviceContext& physical = instance->physicalDevice(device);
    {
        const CoopvkStructuresHidden hidden(physical.facts, properties);
        next(device, properties);
    }
    visitEmulated(
        physical, properties->pNext, [&](const ExtensionRow& row, VkBaseOutStructure* structure) {
            if (structure->sType != row.propertiesType) return;
            row.fillProperties(physical.facts, physical.decision(row.extension).native, structure);
        });
    show(instance->settings.shownIds, properties->properties);
    auto* node = static_cast<VkBaseOutStructure*>(properties->pNext);
    for (; node != nullptr; node = node->pNext) {
        show(instance->settings.shownIds, node);
        if (physical.requiredSubgroupSize != 0)
            showSubgroupSize(physical.requiredSubgroupSize, node);
        if (physical.facts.traits.driverSubgroupSize != 0)
            showEmulatedSubgroups(physical.facts, node);
        if (physical.facts.traits.emulatesFloat16) setFloatControls(node);
        mixUuid(instance->settings, physical, node);
    }
}

// Names the layer, so that nobody takes emulation for hardware.
VkResult getToolProperties(VkPhysicalDevice device, uint32_t* count,
                           VkPhysicalDeviceToolProperties* out) {
    const auto instance = instances().find(device);
    const auto next = nextToolProperties(*instance, instance->physicalDevice(device).facts);
    uint32_t below = 0;
    if (next != nullptr) {
        if (VkResult result = next(device, &below, nullptr); result < 0) return result;
    }
    if (out == nullptr) {
        *count = below + 1;
        return VK_SUCCESS;
    }
    const uint32_t room = *count;
    *count = room < below ? room : below;
    if (next != nullptr && *count > 0) {
        if (VkResult result = next(device, count, out); result < 0) return result;
    }
    if (*count >= room) return VK_INCOMPLETE;
    fillTool(out[(*count)++]);
    return VK_SUCCESS;
}

}  // namespace coopvk::layer
