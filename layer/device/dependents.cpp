// SPDX-License-Identifier: Apache-2.0
#include "device/dependents.hpp"

#include <algorithm>

#include "chain/vulkan_newer.hpp"
#include "device/extension_depends.hpp"

namespace coopvk::layer {
namespace {

constexpr auto kMatrices = rewrite::Extension::kKhrCooperativeMatrix;

constexpr MatrixFeatures kMatrixFeatures[] = {
    {VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR,
     COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderBfloat16FeaturesKHR, shaderBFloat16CooperativeMatrix,
                         shaderBFloat16CooperativeMatrix)},
    {VK_EXT_SHADER_FLOAT8_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT8_FEATURES_EXT,
     COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderFloat8FeaturesEXT, shaderFloat8CooperativeMatrix,
                         shaderFloat8CooperativeMatrix)},
};

bool isIn(rewrite::ExtensionSet set, std::string_view name) {
    const auto extension = rewrite::extensionFromVulkanName(name);
    return extension.has_value() && set.contains(*extension);
}

// The members of a structure of this type that are hidden.
FeatureBits hiddenBits(const Hidden& hidden, VkStructureType type) {
    for (const MatrixFeatures& row : kMatrixFeatures) {
        const bool isHidden =
            hidden.replaced.contains(kMatrices) && !isIn(hidden.emulated, row.extension);
        if (row.type == type && isHidden) return row.bits;
    }
    for (const ExtensionDepends& row : extensionDepends()) {
        if (row.featureCount == 0 || row.featureType != type) continue;
        return hidden.hasExtension(row.extension) ? row.features() : FeatureBits{};
    }
    return {};
}

}  // namespace

std::span<const MatrixFeatures> matrixFeatures() { return kMatrixFeatures; }

bool Hidden::hasExtension(std::string_view name) const {
    const ExtensionDepends* row = replaced.empty() ? nullptr : findDepends(name);
    if (row == nullptr || isIn(emulated, name)) return false;
    const auto stays = [&](std::string_view term) {
        if (const auto version = versionOf(term)) return apiVersion >= *version;
        return !isIn(replaced, term) && !hasExtension(term);
    };
    return !leastTerms(row->expression, [&](std::string_view term) {
        return stays(term) ? Term::kHolds : Term::kFails;
    });
}

void Hidden::clearFeatures(VkBaseOutStructure* node) const {
    std::ranges::fill(bitsOf(node, hiddenBits(*this, node->sType)), VK_FALSE);
}

bool Hidden::isAskedForBy(const VkBaseInStructure* node) const {
    return anySet(bitsOf(node, hiddenBits(*this, node->sType)));
}

}  // namespace coopvk::layer
