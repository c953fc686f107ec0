// SPDX-License-Identifier: Apache-2.0
#include "device/enabled_facts.hpp"

#include "chain/pnext.hpp"
#include "device/extension_rows.hpp"
#include "device/feature_traits.hpp"

namespace coopvk::layer {
namespace {

bool isSetIn(const void* chain, const FeaturePlace& place) {
    const auto* node = findNode(chain, place.type);
    return node != nullptr && featureBit(const_cast<VkBaseInStructure*>(node), place.offset) != 0;
}

bool isEnabled(const VkDeviceCreateInfo& info, const FeatureRow& row) {
    if (row.single.type == kFeatures2 && info.pEnabledFeatures != nullptr) {
        VkPhysicalDeviceFeatures2 core = {kFeatures2, nullptr, *info.pEnabledFeatures};
        return featureBit(&core, row.single.offset) != 0;
    }
    return isSetIn(info.pNext, row.single) || isSetIn(info.pNext, row.aggregate) ||
           isSetIn(info.pNext, row.older);
}

// Whether the driver may use its matrices of bfloat16.
bool hasBfloat16Matrices(const VkDeviceCreateInfo& info) {
    const ExtensionRow& row = extensionRow(rewrite::Extension::kKhrShaderBfloat16);
    constexpr size_t kMember =
        offsetof(VkPhysicalDeviceShaderBfloat16FeaturesKHR, shaderBFloat16CooperativeMatrix);
    const auto* node = findNode(info.pNext, row.featureType);
    return node != nullptr && (row.read(node) & row.bit(kMember)) != 0;
}

}  // namespace

FeatureSet enabledFeatures(const VkDeviceCreateInfo& info) {
    FeatureSet set;
    for (const FeatureRow& row : featureTable()) {
        set.set(static_cast<size_t>(row.feature), isEnabled(info, row));
    }
    return set;
}

DeviceFacts enabledFacts(const DeviceFacts& physical, const VkDeviceCreateInfo& info,
                         rewrite::ExtensionSet emulated) {
    DeviceFacts facts = physical;
    facts.features &= enabledFeatures(info);
    rewrite::DeviceTraits& traits = facts.traits;
    for (const auto& [feature, trait] : kFeatureTraits) traits.*trait &= facts.has(feature);
    traits.robustBufferAccess = hasRobustAccesses(facts);
    traits.subgroupSizeControl &= facts.has(Feature::kSubgroupSizeControl);
    traits.emulatesFloat16 &= emulated.contains(rewrite::Extension::kKhrShaderFloat16Int8);
    if (!facts.has(Feature::kNativeCooperativeMatrix)) traits.nativeShapes.clear();
    if (!hasBfloat16Matrices(info)) {
        std::erase_if(traits.nativeShapes, [](const rewrite::MatrixShape& shape) {
            return shape.a == rewrite::ComponentType::kBFloat16 ||
                   shape.b == rewrite::ComponentType::kBFloat16 ||
                   shape.c == rewrite::ComponentType::kBFloat16 ||
                   shape.result == rewrite::ComponentType::kBFloat16;
        });
    }
    return facts;
}

}  // namespace coopvk::layer
