// SPDX-License-Identifier: Apache-2.0
#include "device/property_facts.hpp"

#include <bit>

#include "device/query_chain.hpp"
#include "device/split_barrier.hpp"

namespace coopvk::layer {
namespace {

void fillSubgroups(const VkPhysicalDeviceSubgroupProperties& subgroup, DeviceFacts& facts) {
    rewrite::DeviceTraits& traits = facts.traits;
    traits.subgroupSize = traits.minSubgroupSize = traits.maxSubgroupSize = subgroup.subgroupSize;
    const bool compute = subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT;
    const auto can = [&](VkSubgroupFeatureFlags flag) {
        return compute && (subgroup.supportedOperations & flag) != 0;
    };
    traits.subgroupBasic = can(VK_SUBGROUP_FEATURE_BASIC_BIT);
    traits.subgroupShuffle = can(VK_SUBGROUP_FEATURE_SHUFFLE_BIT);
    traits.subgroupStages = subgroup.supportedStages;
    traits.subgroupVote = subgroup.supportedOperations & VK_SUBGROUP_FEATURE_VOTE_BIT;
    traits.subgroupBallot = subgroup.supportedOperations & VK_SUBGROUP_FEATURE_BALLOT_BIT;
    traits.subgroupArithmetic = subgroup.supportedOperations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
}

// What extends the query of properties; nullptr where the device does not have it.
struct PropertyStructures {
    VkPhysicalDeviceSubgroupProperties* subgroup = nullptr;
    VkPhysicalDeviceSubgroupSizeControlProperties* control = nullptr;
    VkPhysicalDeviceShaderIntegerDotProductProperties* dot = nullptr;
    VkPhysicalDeviceMeshShaderPropertiesEXT* mesh = nullptr;
    VkPhysicalDeviceDriverProperties* driver = nullptr;
    VkPhysicalDeviceShaderCorePropertiesAMD* core = nullptr;
    VkPhysicalDeviceShaderCoreProperties2AMD* core2 = nullptr;
    VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM* builtins = nullptr;
    VkPhysicalDeviceFloatControlsProperties* controls = nullptr;
};

PropertyStructures addProperties(QueryChain& chain, const DeviceFacts& facts) {
    PropertyStructures p;
    const auto addIf = [&]<typename T>(bool isKnown, VkStructureType type, T*& node) {
        if (isKnown) node = reinterpret_cast<T*>(chain.add(type, sizeof(T)));
    };
    addIf(true, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, p.subgroup);
    addIf(facts.has(Feature::kSubgroupSizeControl),
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES, p.control);
    addIf(facts.has(Feature::kShaderIntegerDotProduct),
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES, p.dot);
    addIf(facts.lists(VK_EXT_MESH_SHADER_EXTENSION_NAME),
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT, p.mesh);
    addIf(usable(facts, VK_API_VERSION_1_2, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME),
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, p.driver);
    addIf(facts.lists(VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME),
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD, p.core);
    addIf(facts.lists(VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME),
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD, p.core2);
    addIf(facts.lists(VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME),
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM, p.builtins);
    // Only there shaders may ask for it without an extension that the program enables.
    addIf(facts.apiVersion >= VK_API_VERSION_1_2,
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES, p.controls);
    return p;
}

void fillSubgroupSizes(const VkPhysicalDeviceSubgroupSizeControlProperties& control,
                       DeviceFacts& facts) {
    if (control.minSubgroupSize == 0) return;
    facts.traits.minSubgroupSize = control.minSubgroupSize;
    facts.traits.maxSubgroupSize = control.maxSubgroupSize;
    facts.requiredSubgroupSizeStages = control.requiredSubgroupSizeStages;
    facts.maxComputeWorkgroupSubgroups = control.maxComputeWorkgroupSubgroups;
    facts.traits.subgroupSizeControl =
        (control.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
}

// As far as the device says it. Numbers of Arm's cores have gaps, and must be below the count.
void fillShaderCores(const PropertyStructures& p, rewrite::DeviceTraits& traits) {
    if (p.core != nullptr) {
        const auto& core = *p.core;
        traits.shaderCores = core.shaderEngineCount * core.shaderArraysPerEngineCount *
                             core.computeUnitsPerShaderArray;
        traits.warpsPerShaderCore = core.simdPerComputeUnit * core.wavefrontsPerSimd;
    }
    if (p.core2 != nullptr) traits.shaderCores = p.core2->activeComputeUnitCount;
    if (p.builtins != nullptr) {
        traits.shaderCores = static_cast<uint32_t>(std::bit_width(p.builtins->shaderCoreMask));
        traits.warpsPerShaderCore = p.builtins->shaderWarpsPerCore;
    }
    if (traits.shaderCores == 0) traits.shaderCores = rewrite::kUnknownShaderCores;
    if (traits.warpsPerShaderCore == 0)
        traits.warpsPerShaderCore = rewrite::kUnknownWarpsPerShaderCore;
}

// docs/developers/conformance.md, "f16 between f32".
bool dropsHalfRoundings(std::optional<VkDriverId> driver, const rewrite::DeviceTraits& traits) {
    constexpr uint32_t kLanesOfFault = 16;
    return driver == VK_DRIVER_ID_NVIDIA_PROPRIETARY ||
           (driver == VK_DRIVER_ID_MESA_LLVMPIPE && traits.subgroupSize == kLanesOfFault);
}

}  // namespace

void queryProperties(const DeviceQueries& queries, VkPhysicalDevice device, DeviceFacts& facts) {
    if (queries.getProperties2 == nullptr || facts.apiVersion < VK_API_VERSION_1_1) return;
    VkPhysicalDeviceProperties2 properties = {};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    QueryChain chain(reinterpret_cast<VkBaseOutStructure*>(&properties));
    const PropertyStructures p = addProperties(chain, facts);
    queries.getProperties2(device, &properties);

    rewrite::DeviceTraits& traits = facts.traits;
    if (p.driver != nullptr) facts.ids.driver = p.driver->driverID;
    traits.lanesInStep = facts.ids.driver == VK_DRIVER_ID_MESA_LLVMPIPE;
    traits.scalarRegisters = p.core != nullptr && p.core->sgprsPerSimd != 0;
    traits.shaderDenormPreserveFloat16 =
        p.controls != nullptr && p.controls->shaderDenormPreserveFloat16;
    traits.splitBarrierSharedMemory = splitBarrierSharedMemory(queries, device, facts);
    fillShaderCores(p, traits);
    fillSubgroups(*p.subgroup, facts);
    if (p.control != nullptr) fillSubgroupSizes(*p.control, facts);
    traits.dropsHalfRoundings = dropsHalfRoundings(facts.ids.driver, traits);
    if (p.mesh != nullptr) {
        traits.maxTaskSharedMemorySize = p.mesh->maxTaskSharedMemorySize;
        traits.maxTaskPayloadAndSharedMemorySize = p.mesh->maxTaskPayloadAndSharedMemorySize;
        traits.maxMeshSharedMemorySize = p.mesh->maxMeshSharedMemorySize;
        traits.maxMeshPayloadAndSharedMemorySize = p.mesh->maxMeshPayloadAndSharedMemorySize;
    }
    if (p.dot != nullptr) {
        traits.dot4x8Signed = p.dot->integerDotProduct4x8BitPackedSignedAccelerated;
        traits.dot4x8Unsigned = p.dot->integerDotProduct4x8BitPackedUnsignedAccelerated;
        traits.dot4x8Mixed = p.dot->integerDotProduct4x8BitPackedMixedSignednessAccelerated;
    }
}

}  // namespace coopvk::layer
