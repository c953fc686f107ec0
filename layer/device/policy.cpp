// SPDX-License-Identifier: Apache-2.0
#include "device/policy.hpp"

#include <algorithm>
#include <format>
#include <span>

#include "chain/vulkan_newer.hpp"
#include "coopvk/vulkan_coopvk.h"
#include "device/dependents.hpp"
#include "device/device_facts.hpp"
#include "device/extension_rows.hpp"
#include "device/kept_extensions.hpp"

namespace coopvk::layer {
namespace {

constexpr auto kHalves = rewrite::Extension::kKhrShaderFloat16Int8;

Decision leftAlone(uint32_t native, std::string reason) {
    const Provision provision = native != 0 ? Provision::kNative : Provision::kUnavailable;
    return {.provision = provision, .reason = std::move(reason), .native = native};
}

Decision unknown() {
    return leftAlone(0,
                     "the instance has neither Vulkan 1.1 nor "
                     "VK_KHR_get_physical_device_properties2");
}

std::string onlyIfAsked(const char* why) { return std::string(kOnlyByNameReason) + why; }

// Vulkan versions on which extensions depend by the registry, beyond that of all of them.
constexpr struct {
    rewrite::Extension extension;
    uint32_t version;
} kVersions[] = {{rewrite::Extension::kExtShaderLongVector, VK_API_VERSION_1_2}};

// What the device lacks for an emulation; empty if it can carry it.
std::string missingFor(const rewrite::ExtensionInfo& info, const DeviceFacts& facts) {
    for (const auto& [extension, version] : kVersions) {
        if (extension != info.extension || facts.apiVersion >= version) continue;
        return std::format("needs Vulkan {}.{}", VK_API_VERSION_MAJOR(version),
                           VK_API_VERSION_MINOR(version));
    }
    return info.missing(facts.traits);
}

// Keeps all that the driver has, and adds what it lacks.
Decision decideToAdd(const EmulatePolicy& policy, const DeviceFacts& facts,
                     const rewrite::ExtensionInfo& info) {
    const ExtensionRow& row = extensionRow(info.extension);
    const uint32_t native = facts.nativeFeatures[info.extension];
    const bool hasMain = facts.native.contains(info.extension);
    const uint32_t added = (hasMain ? row.grantedBeside(facts) : row.granted(facts)) & ~native;
    if (added == 0) return leftAlone(native, "the driver's own");
    if (std::string missing = missingFor(info, facts); !missing.empty()) {
        return leftAlone(native, native != 0 ? "the driver's own" : std::move(missing));
    }
    const char* whyNot = row.leftOutOfAuto(facts);
    if (whyNot != nullptr && !policy.list.contains(info.extension)) {
        return leftAlone(native, native == 0
                                     ? onlyIfAsked(whyNot)
                                     : "the driver's own; the rest is " + onlyIfAsked(whyNot));
    }
    if (policy.avoided.contains(info.extension)) {
        return leftAlone(
            native, native == 0 ? kRememberedReason
                                : std::string("the driver's own; the rest ") + kRememberedReason);
    }
    Decision decision = {.provision = Provision::kEmulated, .native = native, .added = added};
    decision.reason = native == 0 ? "the driver lacks it"
                                  : "only " + row.names(added) + ": the driver has the rest";
    return decision;
}

// What programs ask for and hardly use: see ExtensionInfo::isByNameOnly.
Decision decideByName(const EmulatePolicy& policy, const DeviceFacts& facts,
                      const rewrite::ExtensionInfo& info) {
    const ExtensionRow& row = extensionRow(info.extension);
    const uint32_t native = facts.nativeFeatures[info.extension];
    if (native != 0 || facts.lists(info.vulkanName)) return leftAlone(native, "the driver's own");
    if (!policy.list.contains(info.extension))
        return leftAlone(native, onlyIfAsked(row.leftOutOfAuto(facts)));
    if (policy.avoided.contains(info.extension)) return leftAlone(native, kRememberedReason);
    return {.provision = Provision::kEmulated,
            .reason = "for programs that ask for it",
            .added = row.granted(facts)};
}

// The driver's matrices lie in its own subgroups, which programs do not see where coopvk emulates
// others.
bool liesInOtherSubgroups(const DeviceFacts& facts, const rewrite::ExtensionInfo& info) {
    using enum rewrite::Extension;
    constexpr rewrite::ExtensionSet kOfMatrices = {kKhrCooperativeMatrix,
                                                   kNvCooperativeMatrix,
                                                   kQcomCooperativeMatrixConversion,
                                                   kNvCooperativeMatrix2,
                                                   kExtCooperativeMatrixMaintenance1,
                                                   kNvCooperativeMatrixDecodeVector};
    return facts.traits.driverSubgroupSize != 0 && kOfMatrices.contains(info.extension);
}

Decision decideOne(const EmulatePolicy& policy, const DeviceFacts& facts,
                   const rewrite::ExtensionInfo& info) {
    using Mode = EmulatePolicy::Mode;
    // Every extension of the table depends on these features.
    if (!facts.areFeaturesKnown) return unknown();
    if (info.isByNameOnly) return decideByName(policy, facts, info);
    const uint32_t native = facts.nativeFeatures[info.extension];
    const bool isReplaced = native != 0 && liesInOtherSubgroups(facts, info);
    if (policy.mode == Mode::kAuto && !isReplaced) return decideToAdd(policy, facts, info);
    if (policy.mode == Mode::kList && !isReplaced && !policy.list.contains(info.extension)) {
        return leftAlone(native, native != 0 ? "the driver's own" : "not in the emulate setting");
    }
    if (std::string missing = missingFor(info, facts); !missing.empty()) {
        return leftAlone(native, std::move(missing));
    }
    return {.provision = Provision::kEmulated,
            .reason = native != 0 ? "in place of the driver's own" : "the driver lacks it",
            .added = extensionRow(info.extension).granted(facts)};
}

// Half floats are different: they are also emulated if `emulate` names an extension that needs
// them, and with `all` only if the driver lacks them. shaderInt8 stays the driver's.
Decision decideHalves(const EmulatePolicy& policy, const DeviceFacts& facts) {
    using Mode = EmulatePolicy::Mode;
    const ExtensionRow& row = extensionRow(kHalves);
    const uint32_t granted = row.granted(facts), native = facts.nativeFeatures[kHalves];
    const bool has = facts.traits.shaderFloat16;
    const bool replaces = policy.mode == Mode::kList && policy.list.contains(kHalves);
    const auto isNeeded = [&](const ExtensionRow& other) {
        return policy.list.contains(other.extension) &&
               (other.extension == kHalves || other.needsFloat16());
    };
    const bool isWanted =
        policy.mode == Mode::kAll || std::ranges::any_of(extensionRows(), isNeeded);
    const auto none = [&](std::string reason) {
        return Decision{has ? Provision::kNative : Provision::kUnavailable, std::move(reason),
                        native};
    };
    if (!facts.areFeaturesKnown) return unknown();
    if (!replaces && has) return none("the driver's own");
    if (!isWanted) return none(onlyIfAsked(row.leftOutOfAuto(facts)));
    std::string missing = rewrite::info(kHalves).missing(facts.traits);
    if (!missing.empty()) return none(std::move(missing));
    return {.provision = Provision::kEmulated,
            .reason = has ? "in place of the driver's own" : "the driver lacks it",
            .native = native & ~granted,
            .added = granted};
}

// The features of an extension that need a type of another one, which the device then has, or
// coopvk emulates it, too.
struct TypeNeed {
    rewrite::Extension extension;
    size_t feature;
    rewrite::Extension type;
};
constexpr TypeNeed kTypeNeeds[] = {
    {rewrite::Extension::kValveShaderMixedFloatDotProduct,
     offsetof(VkPhysicalDeviceShaderMixedFloatDotProductFeaturesVALVE,
              shaderMixedFloatDotProductBFloat16Acc),
     rewrite::Extension::kKhrShaderBfloat16},
    {rewrite::Extension::kValveShaderMixedFloatDotProduct,
     offsetof(VkPhysicalDeviceShaderMixedFloatDotProductFeaturesVALVE,
              shaderMixedFloatDotProductFloat8AccFloat32),
     rewrite::Extension::kExtShaderFloat8},
};

// The same of matrices, where these are kept from a program.
constexpr TypeNeed kKeptMatrixNeeds[] = {
    {rewrite::Extension::kKhrShaderBfloat16,
     offsetof(VkPhysicalDeviceShaderBfloat16FeaturesKHR, shaderBFloat16CooperativeMatrix),
     rewrite::Extension::kKhrCooperativeMatrix},
    {rewrite::Extension::kExtShaderFloat8,
     offsetof(VkPhysicalDeviceShaderFloat8FeaturesEXT, shaderFloat8CooperativeMatrix),
     rewrite::Extension::kKhrCooperativeMatrix},
    {rewrite::Extension::kIntelInt4,
     offsetof(VkPhysicalDeviceShaderInt4FeaturesCOOPVK, shaderInt4CooperativeMatrix),
     rewrite::Extension::kKhrCooperativeMatrix},
};

void dropWithoutType(Decisions& decisions, std::span<const TypeNeed> needs) {
    for (const TypeNeed& need : needs) {
        Decision& decision = decisions[static_cast<size_t>(need.extension)];
        if (decisions[static_cast<size_t>(need.type)].provision != Provision::kUnavailable)
            continue;
        decision.added &= ~extensionRow(need.extension).bit(need.feature);
        if (decision.provision == Provision::kEmulated && decision.added == 0) {
            decision = leftAlone(decision.native, "the driver's own");
        }
    }
}

}  // namespace

std::string_view provisionName(Provision provision) {
    constexpr std::string_view kNames[] = {"native", "emulated", "unavailable"};
    return kNames[static_cast<size_t>(provision)];
}

bool allowsNativeMatrices(rewrite::BackEnd backEnd, const DeviceFacts& facts,
                          rewrite::ExtensionSet emulated) {
    constexpr auto kKhr = rewrite::Extension::kKhrCooperativeMatrix;
    if (!facts.native.contains(kKhr) || facts.traits.nativeShapes.empty()) return false;
    if (backEnd == rewrite::BackEnd::kNative) return true;
    return backEnd == rewrite::BackEnd::kAuto && !emulated.contains(kKhr) && !facts.traits.isCpu;
}

std::vector<rewrite::MatrixShape> shapesToAdd(const EmulatePolicy& policy, const DeviceFacts& facts,
                                              rewrite::ExtensionSet emulated) {
    constexpr auto kKhr = rewrite::Extension::kKhrCooperativeMatrix;
    if (!facts.native.contains(kKhr) || emulated.contains(kKhr)) return {};
    std::vector<rewrite::MatrixShape> shapes = rewrite::addedMatrixShapes(facts.traits);
    if (policy.mode == EmulatePolicy::Mode::kAuto || !facts.traits.onlyNativeShapes) return shapes;
    // A list of extensions asks for no more than what goes with these.
    rewrite::DeviceTraits traits = facts.traits;
    traits.onlyNativeShapes = false;
    const std::vector<rewrite::MatrixShape> wanted = rewrite::addedMatrixShapes(traits);
    std::erase_if(shapes, [&](const rewrite::MatrixShape& shape) {
        return std::ranges::find(wanted, shape) == wanted.end();
    });
    return shapes;
}

void emulateHalves(rewrite::DeviceTraits& traits) {
    traits.emulatesFloat16 = true;
    traits.shaderFloat16 = traits.shaderMixedFloatDotProductFloat16AccFloat32 = false;
}

Decisions decide(const EmulatePolicy& asked, const DeviceFacts& original) {
    Decisions decisions;
    DeviceFacts facts = original;
    EmulatePolicy policy = asked;
    policy.avoided = keptFrom(asked, facts);
    Decision& halves = decisions[static_cast<size_t>(kHalves)];
    halves = decideHalves(policy, facts);
    if (halves.added != 0) emulateHalves(facts.traits);
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        if (info.extension == kHalves) continue;
        decisions[static_cast<size_t>(info.extension)] = decideOne(policy, facts, info);
    }
    dropWithoutType(decisions, kTypeNeeds);
    if (policy.avoided.contains(rewrite::Extension::kKhrCooperativeMatrix))
        dropWithoutType(decisions, kKeptMatrixNeeds);
    const Hidden hidden = {emulatedSet(decisions), replacedSet(decisions, facts), facts.apiVersion};
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        Decision& decision = decisions[static_cast<size_t>(info.extension)];
        if (decision.provision != Provision::kNative) continue;
        if (!hidden.hasExtension(info.vulkanName)) continue;
        decision = leftAlone(0, "the driver's own, which depends on an emulated extension");
    }
    return decisions;
}

rewrite::ExtensionSet emulatedSet(const Decisions& decisions) {
    rewrite::ExtensionSet set;
    for (size_t i = 0; i < decisions.size(); ++i) {
        if (decisions[i].provision == Provision::kEmulated) {
            set.insert(static_cast<rewrite::Extension>(i));
        }
    }
    return set;
}

rewrite::ExtensionSet coveredSet(const Decisions& decisions) {
    rewrite::ExtensionSet set;
    for (size_t i = 0; i < decisions.size(); ++i) {
        if (decisions[i].added != 0 && decisions[i].native == 0) {
            set.insert(static_cast<rewrite::Extension>(i));
        }
    }
    return set;
}

rewrite::ExtensionSet replacedSet(const Decisions& decisions, const DeviceFacts& facts) {
    rewrite::ExtensionSet set = coveredSet(decisions);
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        if (facts.nativeFeatures[info.extension] == 0) set.erase(info.extension);
    }
    return set;
}

rewrite::ExtensionFeatures nativeFeatures(const Decisions& decisions) {
    rewrite::ExtensionFeatures features;
    for (size_t i = 0; i < decisions.size(); ++i) {
        if (decisions[i].isPartial()) {
            features[static_cast<rewrite::Extension>(i)] = decisions[i].native;
        }
    }
    return features;
}

}  // namespace coopvk::layer
