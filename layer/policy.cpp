// SPDX-License-Identifier: Apache-2.0
#include "policy.hpp"

#include "dependents.hpp"
#include "device_facts.hpp"

namespace coopvk::layer {
namespace {

std::string_view trim(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const size_t first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

Decision decideOne(const EmulatePolicy& policy, const DeviceFacts& facts,
                   const rewrite::ExtensionInfo& info) {
    using Mode = EmulatePolicy::Mode;
    const bool native = facts.native.contains(info.extension);
    const bool forced = policy.mode == Mode::kAll ||
                        (policy.mode == Mode::kList && policy.list.contains(info.extension));
    const Provision otherwise = native ? Provision::kNative : Provision::kUnavailable;
    if (!forced && policy.mode == Mode::kList) {
        return {otherwise, native ? "the driver's own" : "not in the emulate setting"};
    }
    if (!forced && native) return {Provision::kNative, "the driver's own"};
    if (std::string missing = info.missing(facts.traits); !missing.empty()) {
        return {otherwise, std::move(missing)};
    }
    return {Provision::kEmulated, native ? "over the driver's own" : "the driver lacks it"};
}

}  // namespace

EmulatePolicy EmulatePolicy::parse(std::string_view text, std::vector<std::string>& complaints) {
    EmulatePolicy policy;
    text = trim(text);
    if (text.empty() || text == "auto") return policy;
    if (text == "all") {
        policy.mode = Mode::kAll;
        return policy;
    }
    policy.mode = Mode::kList;
    while (!text.empty()) {
        const size_t comma = text.find(',');
        const std::string_view name = trim(text.substr(0, comma));
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
        if (name.empty()) continue;
        if (const auto extension = rewrite::extensionFromVulkanName(name)) {
            policy.list.insert(*extension);
        } else {
            complaints.push_back("setting emulate: unknown extension '" + std::string(name) + "'");
        }
    }
    return policy;
}

std::string_view provisionName(Provision provision) {
    constexpr std::string_view kNames[] = {"native", "emulated", "unavailable"};
    return kNames[static_cast<size_t>(provision)];
}

bool allowsNativeMatrices(rewrite::BackEnd backEnd, const DeviceFacts& facts,
                          rewrite::ExtensionSet emulated) {
    constexpr auto kKhr = rewrite::Extension::kKhrCooperativeMatrix;
    if (!facts.native.contains(kKhr) || facts.traits.nativeShapes.empty()) return false;
    if (backEnd == rewrite::BackEnd::kNative) return true;
    return backEnd == rewrite::BackEnd::kAuto && !emulated.contains(kKhr);
}

Decisions decide(const EmulatePolicy& policy, const DeviceFacts& facts) {
    Decisions decisions;
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        decisions[static_cast<size_t>(info.extension)] = decideOne(policy, facts, info);
    }
    const rewrite::ExtensionSet emulated = emulatedSet(decisions);
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        Decision& decision = decisions[static_cast<size_t>(info.extension)];
        if (decision.provision != Provision::kNative) continue;
        if (!hidesExtension(emulated, info.vulkanName)) continue;
        decision = {Provision::kUnavailable, "the driver's own rests on what is emulated"};
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

}  // namespace coopvk::layer
