// SPDX-License-Identifier: Apache-2.0
#include "device/device_request.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "chain/pnext.hpp"
#include "device/dependents.hpp"
#include "device/enabled_facts.hpp"
#include "device/extension_depends.hpp"
#include "device/extension_rows.hpp"
#include "device/needs.hpp"

namespace coopvk::layer {
namespace {

// The create info under construction.
class RequestBuilder {
 public:
    RequestBuilder(const PhysicalDeviceContext& device, const VkDeviceCreateInfo& original,
                   Scratch& scratch)
        : device_(device),
          original_(original),
          declined_(declinedFeatures(original)),
          scratch_(scratch),
          chain_(original.pNext, scratch) {
        request_.info = original;
        const std::span names(original.ppEnabledExtensionNames, original.enabledExtensionCount);
        names_.assign(names.begin(), names.end());
    }

    DeviceRequest build() {
        stripTooling();
        if (refuseHidden()) return std::move(request_);
        for (const ExtensionRow& row : extensionRows()) {
            if (device_.emulated.contains(row.extension)) take(row);
            if (request_.result != VK_SUCCESS) return std::move(request_);
        }
        if (device_.requiredSubgroupSize != 0) enableAll(kSubgroupSizeNeeds);
        addHalves();
        request_.addsShapes = addsShapes();
        request_.replacesLayout =
            device_.replacesLayout && lists(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
        if (request_.addsShapes || request_.replacesLayout) enableAll(kMatrixNeeds);
        for (const ExtensionRow& row : extensionRows()) {
            if (!request_.emulated.contains(row.extension)) continue;
            enableAll(row.needs);
            for (const Grant& grant : row.grants) {
                if ((taken_[row.extension] & row.bit(grant.offset)) != 0) enableAll(grant.needs);
            }
        }
        finish();
        return std::move(request_);
    }

 private:
    // A program that controls subgroup sizes without full subgroups has a reason: some drivers
    // fail to compile large shaders with them.
    static FeatureSet declinedFeatures(const VkDeviceCreateInfo& original) {
        const FeatureSet asked = enabledFeatures(original);
        FeatureSet declined;
        constexpr auto kFull = static_cast<size_t>(Feature::kComputeFullSubgroups);
        declined.set(kFull, asked.test(static_cast<size_t>(Feature::kSubgroupSizeControl)) &&
                                !asked.test(kFull));
        return declined;
    }

    // The layer adds this extension, which the driver may not know.
    void stripTooling() {
        if (device_.facts.lists(kToolingExtension)) return;
        std::erase_if(names_, [](const char* name) { return kToolingExtension == name; });
    }

    bool refuseHidden() {
        for (const char* name : names_) {
            if (!device_.hidden.hasExtension(name)) continue;
            request_.result = VK_ERROR_EXTENSION_NOT_PRESENT;
            request_.message =
                std::string(name) + ", which is the driver's own, depends on an emulated extension";
            return true;
        }
        const auto* node = static_cast<const VkBaseInStructure*>(original_.pNext);
        for (; node != nullptr; node = node->pNext) {
            if (!device_.hidden.isAskedForBy(node) || meansNothing(node->sType)) continue;
            request_.result = VK_ERROR_FEATURE_NOT_PRESENT;
            request_.message = "a feature of structure type " + std::to_string(node->sType) +
                               " depends on an emulated extension";
            return true;
        }
        return false;
    }

    // A driver may report and accept features of an extension that it does not list.
    bool meansNothing(VkStructureType type) const {
        const auto depends = extensionDepends();
        const auto row = std::ranges::find(depends, type, &ExtensionDepends::featureType);
        return row != depends.end() && !device_.facts.lists(row->extension);
    }

    // The code of emulated extensions may use half floats that the application does not enable.
    void addHalves() {
        constexpr auto kHalves = rewrite::Extension::kKhrShaderFloat16Int8;
        if (!device_.emulated.contains(kHalves)) return;
        for (const ExtensionRow& row : extensionRows()) {
            if (!request_.emulated.contains(row.extension)) continue;
            if (row.needsFloat16()) request_.emulated.insert(kHalves);
        }
    }

    // The emulated features of an extension are not passed on.
    void take(const ExtensionRow& row) {
        const Decision& decision = device_.decision(row.extension);
        uint32_t asked = 0;
        for (const VkStructureType type : {row.featureType, row.aggregateType}) {
            const auto* node = findNode(original_.pNext, type);
            if (node != nullptr) asked |= row.read(node);
        }
        taken_[row.extension] = asked & decision.added;
        const std::string_view name = rewrite::info(row.extension).vulkanName;
        const auto isIt = [&](const char* listed) { return name == listed; };
        if (decision.isPartial()) {
            // A driver need not list extensions that are part of its Vulkan version.
            if (!device_.facts.lists(name)) std::erase_if(names_, isIt);
            return takeAdded(row);
        }
        if ((asked & ~decision.added) != 0) {
            request_.result = VK_ERROR_FEATURE_NOT_PRESENT;
            request_.message = "a feature of " + std::string(name) + " is not emulated";
        }
        if (asked != 0 || lists(name)) request_.emulated.insert(row.extension);
        // Other extensions of the driver may depend on one that it lists without features.
        const bool replaced = device_.hidden.replaced.contains(row.extension);
        if (replaced || !device_.facts.lists(name)) std::erase_if(names_, isIt);
        chain_.remove(row.featureType);
        if (void* node = chain_.edit(row.aggregateType)) row.remove(node, asked);
    }

    // The other features are the driver's, and so is the extension; the driver refuses what it
    // lacks.
    void takeAdded(const ExtensionRow& row) {
        const uint32_t asked = taken_[row.extension];
        if (asked == 0) return;
        request_.emulated.insert(row.extension);
        for (const VkStructureType type : {row.featureType, row.aggregateType}) {
            if (void* node = chain_.edit(type)) row.remove(node, asked);
        }
    }

    // Whether the application enables a member of an extension's features.
    bool asksFor(rewrite::Extension extension, size_t feature) const {
        const ExtensionRow& row = extensionRow(extension);
        const auto* node = findNode(original_.pNext, row.featureType);
        return node != nullptr && (row.read(node) & row.bit(feature)) != 0;
    }

    // Whether modules may use shapes that the driver's matrices lack: those that coopvk lists, or
    // any shape if coopvk emulates flexible dimensions. The driver's own flexible dimensions do not
    // count.
    bool addsShapes() const {
        using enum rewrite::Extension;
        if (!lists(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME)) return false;
        if (request_.emulated.contains(kKhrCooperativeMatrix)) return false;
        constexpr size_t kFlexible = offsetof(VkPhysicalDeviceCooperativeMatrix2FeaturesNV,
                                              cooperativeMatrixFlexibleDimensions);
        if (asksFor(kNvCooperativeMatrix2, kFlexible)) {
            return device_.adds(kNvCooperativeMatrix2, kFlexible);
        }
        constexpr size_t kProperties = offsetof(
            VkPhysicalDeviceCooperativeMatrixMaintenance1FeaturesEXT, cooperativeMatrixProperties2);
        return !device_.addedShapes.empty() ||
               (asksFor(kExtCooperativeMatrixMaintenance1, kProperties) &&
                device_.adds(kExtCooperativeMatrixMaintenance1, kProperties));
    }

    // Those that the device has.
    void enableAll(std::span<const Feature> features) {
        for (const Feature feature : features) {
            const auto number = static_cast<size_t>(feature);
            // Rewritten shaders use the driver's matrices only with nativeMatrices.
            if (feature == Feature::kNativeCooperativeMatrix && !device_.nativeMatrices) continue;
            if (device_.facts.has(feature) && !declined_.test(number)) {
                enable(featureTable()[number]);
            }
        }
    }

    // Enables a feature in one place: in the aggregate structure if the application passes that,
    // else in the feature's single structure.
    void enable(const FeatureRow& row) {
        if (row.single.type == kFeatures2) return enableCore(row);
        if (row.olderExtension != nullptr && lists(row.olderExtension)) return set(row.older);
        if (void* node = chain_.edit(row.aggregate.type)) {
            featureBit(node, row.aggregate.offset) = VK_TRUE;
            return;
        }
        set(row.single);
        if (device_.facts.apiVersion < row.promotedIn) enableExtension(row.extension);
    }

    // With those on which it depends, as far as the driver lists them.
    void enableExtension(const char* name) {
        if (lists(name)) return;
        names_.push_back(name);
        const ExtensionDepends* row = findDepends(name);
        if (row == nullptr) return;
        const auto missing = leastTerms(row->expression, [&](std::string_view term) {
            const auto version = versionOf(term);
            const bool holds = version ? device_.facts.apiVersion >= *version : lists(term);
            return holds                       ? Term::kHolds
                   : device_.facts.lists(term) ? Term::kPossible
                                               : Term::kFails;
        });
        for (const std::string_view term : missing.value_or(Terms())) {
            enableExtension(device_.facts.listedName(term));
        }
    }

    void set(const FeaturePlace& place) {
        void* node = chain_.edit(place.type);
        if (node == nullptr) node = chain_.prepend(place.type, place.size);
        featureBit(node, place.offset) = VK_TRUE;
    }

    // The oldest features are in VkPhysicalDeviceFeatures2 or in pEnabledFeatures.
    void enableCore(const FeatureRow& row) {
        if (void* node = chain_.edit(kFeatures2)) {
            featureBit(node, row.single.offset) = VK_TRUE;
            return;
        }
        if (core_ == nullptr) {
            const VkPhysicalDeviceFeatures none = {};
            core_ = scratch_.copy(original_.pEnabledFeatures ? *original_.pEnabledFeatures : none);
            request_.info.pEnabledFeatures = core_;
        }
        constexpr size_t kStart = offsetof(VkPhysicalDeviceFeatures2, features);
        featureBit(core_, row.single.offset - kStart) = VK_TRUE;
    }

    // Whether the request names an extension.
    bool lists(std::string_view extension) const {
        return std::ranges::any_of(names_, [&](const char* name) { return extension == name; });
    }

    void finish() {
        if (!chain_.ok()) {
            request_.result = VK_ERROR_INITIALIZATION_FAILED;
            request_.message = "an unknown structure in the chain cannot be copied";
            return;
        }
        request_.info.pNext = chain_.head();
        request_.info.enabledExtensionCount = static_cast<uint32_t>(names_.size());
        request_.info.ppEnabledExtensionNames =
            scratch_.copyArray(std::span<const char* const>(names_));
    }

    const PhysicalDeviceContext& device_;
    const VkDeviceCreateInfo& original_;
    const FeatureSet declined_;
    Scratch& scratch_;
    ChainEditor chain_;
    std::vector<const char*> names_;
    VkPhysicalDeviceFeatures* core_ = nullptr;
    rewrite::ExtensionFeatures taken_;  // emulated features that the application enables
    DeviceRequest request_;
};

}  // namespace

DeviceRequest makeDeviceRequest(const PhysicalDeviceContext& device,
                                const VkDeviceCreateInfo& original, Scratch& scratch) {
    if (device.emulated.empty() && device.addedShapes.empty() && device.requiredSubgroupSize == 0 &&
        device.facts.traits.driverSubgroupSize == 0 && device.facts.lists(kToolingExtension)) {
        DeviceRequest request;
        request.info = original;
        return request;
    }
    return RequestBuilder(device, original, scratch).build();
}

}  // namespace coopvk::layer
