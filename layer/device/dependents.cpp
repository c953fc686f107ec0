// SPDX-License-Identifier: Apache-2.0
#include "device/dependents.hpp"

#include <algorithm>

#include "chain/vulkan_newer.hpp"
#include "device/extension_rows.hpp"

namespace coopvk::layer {
namespace {

constexpr Dependent kKhrMatrix[] = {
    {.extension = "VK_NV_cooperative_matrix2",
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV,
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeMatrix2FeaturesNV,
                                     cooperativeMatrixWorkgroupScope, cooperativeMatrixBlockLoads)},
    {.extension = "VK_QCOM_cooperative_matrix_conversion",
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_CONVERSION_FEATURES_QCOM,
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeMatrixConversionFeaturesQCOM,
                                     cooperativeMatrixConversion, cooperativeMatrixConversion)},
    {.featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR,
     .features =
         COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderBfloat16FeaturesKHR,
                             shaderBFloat16CooperativeMatrix, shaderBFloat16CooperativeMatrix),
     .featureExtension = VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME},
    {.featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT8_FEATURES_EXT,
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderFloat8FeaturesEXT,
                                     shaderFloat8CooperativeMatrix, shaderFloat8CooperativeMatrix),
     .featureExtension = VK_EXT_SHADER_FLOAT8_EXTENSION_NAME},
    {.extension = "VK_NV_cooperative_matrix_decode_vector",
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_DECODE_VECTOR_FEATURES_NV,
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeMatrixDecodeVectorFeaturesNV,
                                     cooperativeMatrixDecodeVector, cooperativeMatrixDecodeVector)},
    {.extension = "VK_EXT_cooperative_matrix_maintenance1",
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_MAINTENANCE_1_FEATURES_EXT,
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeMatrixMaintenance1FeaturesEXT,
                                     cooperativeMatrixProperties2, cooperativeMatrixGetCoordinate)},
};

constexpr Dependent kAtomicFloat[] = {
    {.extension = VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT,
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT,
                                     shaderBufferFloat16Atomics, sparseImageFloat32AtomicMinMax),
     .usableAlone = true},
};

bool isEmulated(rewrite::ExtensionSet emulated, const char* name) {
    if (name == nullptr) return false;
    const auto extension = rewrite::extensionFromVulkanName(name);
    return extension.has_value() && emulated.contains(*extension);
}

// Extensions that coopvk itself knows, and those that are usable alone, stay the driver's if coopvk
// replaces nothing of the driver's.
bool isHidden(const Hidden& hidden, const ExtensionRow& row, const Dependent& dependent) {
    if (isEmulated(hidden.emulated, dependent.owner())) return false;
    const bool isRow = isEmulated(rewrite::ExtensionSet::all(), dependent.owner());
    const bool stays = isRow || dependent.usableAlone;
    return (stays ? hidden.replaced : hidden.covered).contains(row.extension);
}

// Visits every hidden dependent, until a visit returns that it is done.
template <typename Visit>
bool anyHidden(const Hidden& hidden, const Visit& visit) {
    for (const ExtensionRow& row : extensionRows()) {
        if (row.dependents == nullptr) continue;
        for (const Dependent& dependent : row.dependents()) {
            if (isHidden(hidden, row, dependent) && visit(dependent)) return true;
        }
    }
    return false;
}

}  // namespace

std::span<const Dependent> khrMatrixDependents() { return kKhrMatrix; }
std::span<const Dependent> atomicFloatDependents() { return kAtomicFloat; }

const char* dependentExtension(VkStructureType featureType) {
    for (const std::span<const Dependent> list : {khrMatrixDependents(), atomicFloatDependents()}) {
        const auto found = std::ranges::find(list, featureType, &Dependent::featureType);
        if (found != list.end()) return found->extension;
    }
    return nullptr;
}

bool Hidden::hasExtension(std::string_view name) const {
    return anyHidden(*this, [&](const Dependent& dependent) {
        return dependent.extension != nullptr && name == dependent.extension;
    });
}

void Hidden::clearFeatures(VkBaseOutStructure* node) const {
    anyHidden(*this, [&](const Dependent& dependent) {
        if (node->sType == dependent.featureType) {
            std::ranges::fill(bitsOf(node, dependent.features), VK_FALSE);
        }
        return false;
    });
}

bool Hidden::isAskedForBy(const VkBaseInStructure* node) const {
    return anyHidden(*this, [&](const Dependent& dependent) {
        return node->sType == dependent.featureType && anySet(bitsOf(node, dependent.features));
    });
}

}  // namespace coopvk::layer
