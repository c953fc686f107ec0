// SPDX-License-Identifier: Apache-2.0
#include "features.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "object.hpp"

namespace coopvk::reference::icd {
namespace {

// Features of Vulkan 1.0 to 1.4. All others are of graphics or images.
constexpr std::string_view kCore[] = {
    "robustBufferAccess", "shaderUniformBufferArrayDynamicIndexing",
    "shaderStorageBufferArrayDynamicIndexing", "shaderFloat64", "shaderInt64", "shaderInt16",
    // 1.1
    "storageBuffer16BitAccess", "uniformAndStorageBuffer16BitAccess", "storagePushConstant16",
    "variablePointersStorageBuffer", "variablePointers",
    // 1.2
    "storageBuffer8BitAccess", "uniformAndStorageBuffer8BitAccess", "storagePushConstant8",
    "shaderBufferInt64Atomics", "shaderSharedInt64Atomics", "shaderFloat16", "shaderInt8",
    "shaderUniformBufferArrayNonUniformIndexing", "shaderStorageBufferArrayNonUniformIndexing",
    "descriptorBindingUniformBufferUpdateAfterBind",
    "descriptorBindingStorageBufferUpdateAfterBind", "descriptorBindingUpdateUnusedWhilePending",
    "descriptorBindingPartiallyBound", "descriptorBindingVariableDescriptorCount",
    "runtimeDescriptorArray", "scalarBlockLayout", "uniformBufferStandardLayout",
    "shaderSubgroupExtendedTypes", "hostQueryReset", "timelineSemaphore", "bufferDeviceAddress",
    "vulkanMemoryModel", "vulkanMemoryModelDeviceScope",
    "vulkanMemoryModelAvailabilityVisibilityChains", "subgroupBroadcastDynamicId",
    // 1.3
    "inlineUniformBlock", "descriptorBindingInlineUniformBlockUpdateAfterBind",
    "pipelineCreationCacheControl", "privateData", "subgroupSizeControl", "computeFullSubgroups",
    "synchronization2", "shaderZeroInitializeWorkgroupMemory", "shaderIntegerDotProduct",
    "maintenance4",
    // 1.4
    "shaderSubgroupRotate", "shaderSubgroupRotateClustered", "shaderFloatControls2",
    "shaderExpectAssume", "maintenance5", "maintenance6", "pipelineRobustness", "pushDescriptor"};

struct Row {
    VkStructureType type;
    std::string_view extension;  // that adds the structure, or "" for those of Vulkan 1.1 to 1.4
    std::string_view names;      // of its features, in order, with spaces between
};

#define COOPVK_CORE_FEATURES(names) constexpr std::string_view kFirst = names;
#define COOPVK_FEATURES(struct, type, extension, names)
#include "features.inc"
#undef COOPVK_CORE_FEATURES
#undef COOPVK_FEATURES

#define COOPVK_CORE_FEATURES(names)
#define COOPVK_FEATURES(struct, type, extension, names) Row{type, extension, names},
constexpr Row kRows[] = {
#include "features.inc"
};

// A structure of features: VkBool32 after VkBool32, behind sType and pNext.
VkBool32* bitsOf(void* structure) {
    return reinterpret_cast<VkBool32*>(static_cast<std::byte*>(structure) +
                                       sizeof(VkBaseOutStructure));
}

// Extensions come with all of their features but those for images.
bool has(const ExtensionSet& extensions, std::string_view extension, std::string_view name) {
    if (extension.empty())
        return std::find(std::begin(kCore), std::end(kCore), name) != std::end(kCore);
    return extensions.contains(extension) && name.find("Image") == std::string_view::npos;
}

// Calls use(index, supported) for each name.
template <typename Use>
void forEach(const ExtensionSet& extensions, std::string_view extension, std::string_view names,
             const Use& use) {
    for (size_t i = 0; !names.empty(); ++i) {
        const size_t end = std::min(names.find(' '), names.size());
        use(i, has(extensions, extension, names.substr(0, end)));
        names.remove_prefix(std::min(end + 1, names.size()));
    }
}

const Row* findRow(VkStructureType type) {
    const Row* found = std::find_if(std::begin(kRows), std::end(kRows),
                                    [&](auto& row) { return row.type == type; });
    return found == std::end(kRows) ? nullptr : found;
}

bool within(const VkPhysicalDeviceFeatures& wanted) {
    constexpr size_t kCount = sizeof(VkPhysicalDeviceFeatures) / sizeof(VkBool32);
    const VkPhysicalDeviceFeatures available = coreFeatures();
    const auto* asked = reinterpret_cast<const VkBool32*>(&wanted);
    const auto* given = reinterpret_cast<const VkBool32*>(&available);
    for (size_t i = 0; i < kCount; ++i) {
        if (asked[i] && !given[i]) return false;
    }
    return true;
}

}  // namespace

VkPhysicalDeviceFeatures coreFeatures() {
    VkPhysicalDeviceFeatures features{};
    auto* bits = reinterpret_cast<VkBool32*>(&features);
    forEach({}, "", kFirst, [&](size_t i, bool supported) { bits[i] = supported; });
    return features;
}

void fillFeatures(const ExtensionSet& extensions, void* chain) {
    for (auto* node = static_cast<VkBaseOutStructure*>(chain); node; node = node->pNext) {
        const Row* row = findRow(node->sType);
        if (row == nullptr) continue;
        forEach(extensions, row->extension, row->names,
                [&](size_t i, bool supported) { bitsOf(node)[i] = supported; });
    }
}

bool hasFeatures(const ExtensionSet& extensions, const VkDeviceCreateInfo& info) {
    bool all = info.pEnabledFeatures == nullptr || within(*info.pEnabledFeatures);
    const auto* core =
        find<VkPhysicalDeviceFeatures2>(info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    if (core != nullptr) all &= within(core->features);
    for (auto* node = static_cast<const VkBaseInStructure*>(info.pNext); node; node = node->pNext) {
        const Row* row = findRow(node->sType);
        if (row == nullptr) continue;
        const VkBool32* asked = bitsOf(const_cast<VkBaseInStructure*>(node));
        forEach(extensions, row->extension, row->names,
                [&](size_t i, bool supported) { all &= supported || !asked[i]; });
    }
    return all;
}

}  // namespace coopvk::reference::icd
