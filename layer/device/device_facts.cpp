// SPDX-License-Identifier: Apache-2.0
#include "device/device_facts.hpp"

#include <algorithm>

#include "device/extension_rows.hpp"
#include "device/feature_traits.hpp"
#include "device/gpu_family.hpp"
#include "device/property_facts.hpp"
#include "device/query_chain.hpp"

namespace coopvk::layer {
namespace {

uint32_t withoutPatch(uint32_t version) {
    return VK_MAKE_API_VERSION(0, VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), 0);
}

VkResult listExtensions(const DeviceQueries& queries, VkPhysicalDevice device,
                        std::vector<VkExtensionProperties>& list) {
    VkResult result = VK_INCOMPLETE;
    while (result == VK_INCOMPLETE) {
        uint32_t count{};
        result = queries.enumerateExtensions(device, nullptr, &count, nullptr);
        if (result != VK_SUCCESS) break;
        list.resize(count);
        result = queries.enumerateExtensions(device, nullptr, &count, list.data());
        list.resize(std::min<size_t>(count, list.size()));
    }
    if (result != VK_SUCCESS) list.clear();
    return result;
}

// The features that allow stages are mandatory where their extension is listed.
VkShaderStageFlags stagesOf(const VkPhysicalDeviceFeatures& features, const DeviceFacts& facts) {
    VkShaderStageFlags stages =
        VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT;
    if (features.geometryShader) stages |= VK_SHADER_STAGE_GEOMETRY_BIT;
    if (features.tessellationShader) {
        stages |=
            VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT | VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
    }
    if (facts.lists(VK_EXT_MESH_SHADER_EXTENSION_NAME) ||
        facts.lists(VK_NV_MESH_SHADER_EXTENSION_NAME)) {
        stages |= VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
    }
    if (facts.lists(VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME) ||
        facts.lists(VK_NV_RAY_TRACING_EXTENSION_NAME)) {
        stages |= VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |
                  VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |
                  VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR;
    }
    return stages;
}

// Reads every row of the feature table, and which emulated extensions are native.
void queryFeatures(const DeviceQueries& queries, VkPhysicalDevice device, DeviceFacts& facts) {
    VkPhysicalDeviceFeatures2 features = {};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    if (queries.getFeatures2 == nullptr) queries.getFeatures(device, &features.features);
    QueryChain chain(reinterpret_cast<VkBaseOutStructure*>(&features));

    struct Bit {
        const VkBaseOutStructure* node;
        size_t offset;
        Feature feature;
    };
    std::vector<Bit> bits;
    for (const FeatureRow& row : featureTable()) {
        const bool core = row.single.type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
        if (!core && queries.getFeatures2 == nullptr) continue;
        if (!usable(facts, row.promotedIn, row.extension)) continue;
        bits.push_back(
            {chain.add(row.single.type, row.single.size), row.single.offset, row.feature});
    }
    std::vector<std::pair<const ExtensionRow*, VkBaseOutStructure*>> natives;
    for (const ExtensionRow& row : extensionRows()) {
        if (queries.getFeatures2 == nullptr) break;
        const char* name = rewrite::info(row.extension).vulkanName.data();
        if (!usable(facts, row.promotedIn, name)) continue;
        natives.emplace_back(&row, chain.add(row.featureType, row.featureSize));
    }

    if (queries.getFeatures2 != nullptr) queries.getFeatures2(device, &features);
    for (const Bit& bit : bits) {
        auto* node = const_cast<VkBaseOutStructure*>(bit.node);
        facts.features.set(static_cast<size_t>(bit.feature), featureBit(node, bit.offset) != 0);
    }
    for (const auto& [row, node] : natives) {
        facts.nativeFeatures[row->extension] = row->read(node);
        if (featureBit(node, row->mainFeatureOffset)) facts.native.insert(row->extension);
    }
    facts.stages = stagesOf(features.features, facts);
}

uint32_t newestSpirv(uint32_t apiVersion) {
    if (apiVersion >= VK_API_VERSION_1_3) return 0x00010600;
    if (apiVersion >= VK_API_VERSION_1_2) return 0x00010500;
    if (apiVersion >= VK_API_VERSION_1_1) return 0x00010300;
    return 0x00010000;
}

void fillTraits(DeviceFacts& facts) {
    rewrite::DeviceTraits& traits = facts.traits;
    traits.name = facts.properties.deviceName;
    traits.isCpu = facts.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    traits.spirvVersion = newestSpirv(facts.apiVersion);
    traits.subgroupBasic = traits.subgroupShuffle = false;  // until the properties say so
    traits.subgroupStages = 0;
    traits.subgroupSizeControl = traits.shaderDenormPreserveFloat16 = false;
    for (const auto& [feature, trait] : kFeatureTraits) traits.*trait = facts.has(feature);
    traits.maxComputeSharedMemorySize = facts.properties.limits.maxComputeSharedMemorySize;
    traits.maxComputeWorkGroupInvocations = facts.properties.limits.maxComputeWorkGroupInvocations;
}

// Those of the driver's matrix shapes whose component types the rewriter has.
void queryNativeShapes(const DeviceQueries& queries, VkPhysicalDevice device, DeviceFacts& facts) {
    uint32_t count = 0;
    if (!facts.native.contains(rewrite::Extension::kKhrCooperativeMatrix) ||
        queries.getMatrixProperties == nullptr ||
        queries.getMatrixProperties(device, &count, nullptr) != VK_SUCCESS) {
        return;
    }
    VkCooperativeMatrixPropertiesKHR empty = {};
    empty.sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
    std::vector<VkCooperativeMatrixPropertiesKHR> rows(count, empty);
    if (queries.getMatrixProperties(device, &count, rows.data()) < VK_SUCCESS) return;
    rows.resize(std::min<size_t>(count, rows.size()));
    const auto known = [](VkComponentTypeKHR type) {
        return type <= VK_COMPONENT_TYPE_UINT64_KHR || type == VK_COMPONENT_TYPE_BFLOAT16_KHR;
    };
    const auto component = [](VkComponentTypeKHR type) {
        return static_cast<rewrite::ComponentType>(type);
    };
    for (const VkCooperativeMatrixPropertiesKHR& row : rows) {
        if (row.scope != VK_SCOPE_SUBGROUP_KHR || !known(row.AType) || !known(row.BType) ||
            !known(row.CType) || !known(row.ResultType)) {
            continue;
        }
        facts.traits.nativeShapes.push_back({row.MSize, row.NSize, row.KSize, component(row.AType),
                                             component(row.BType), component(row.CType),
                                             component(row.ResultType),
                                             row.saturatingAccumulation == VK_TRUE});
    }
}

}  // namespace

const char* DeviceFacts::listedName(std::string_view extension) const {
    const auto found = std::ranges::find_if(extensions, [&](const VkExtensionProperties& listed) {
        return extension == listed.extensionName;
    });
    return found == extensions.end() ? nullptr : found->extensionName;
}

DeviceFacts queryDevice(const DeviceQueries& queries, VkPhysicalDevice device) {
    DeviceFacts facts;
    queries.getProperties(device, &facts.properties);
    facts.ids = {facts.properties.vendorID, facts.properties.deviceID, std::nullopt};
    facts.apiVersion = withoutPatch(std::min(queries.instanceVersion, facts.properties.apiVersion));
    facts.listing = listExtensions(queries, device, facts.extensions);
    if (facts.listing != VK_SUCCESS) return facts;
    facts.areFeaturesKnown = queries.answersChains && queries.getFeatures2 != nullptr;
    queryFeatures(queries, device, facts);
    fillTraits(facts);
    queryProperties(queries, device, facts);
    queryNativeShapes(queries, device, facts);
    facts.traits.familyLayout = familyLayout(facts);
    return facts;
}

}  // namespace coopvk::layer
