// SPDX-License-Identifier: Apache-2.0
#include "device/tuning.hpp"

#include <format>

#include "device/device_facts.hpp"
#include "settings/settings.hpp"
#include "system/read_text.hpp"
#include "system/system.hpp"
#include "system/text.hpp"

namespace coopvk::layer {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMaxProfile = size_t{1} << 20;  // bytes

std::string shortText(const ordered_json& json) {
    constexpr size_t kMost = 80;
    return printable(json.dump(-1, ' ', true, ordered_json::error_handler_t::replace))
        .substr(0, kMost);
}

// Why a profile does not hold for the device; empty: it does.
std::string whyNotOf(const ordered_json& profile, const DeviceFacts& facts) {
    if (!profile.is_object()) return "it is damaged: no JSON object";
    const ordered_json wanted = profileKey(facts);
    for (const auto& [name, value] : wanted.items()) {
        const auto found = profile.find(name);
        if (found == profile.end()) return "it is damaged: it has no '" + name + "'";
        if (found->is_structured()) return "it is damaged: '" + name + "' is no number or text";
        if (*found != value)
            return std::format("it was made for another {}: {}, not {}", name, shortText(*found),
                               shortText(value));
    }
    return {};
}

void readProfile(std::string_view text, const DeviceFacts& facts, DeviceTuning& tuning) {
    const ordered_json profile = ordered_json::parse(text, nullptr, false);
    tuning.ignored = whyNotOf(profile, facts);
    if (!tuning.ignored.empty()) return;
    const auto found = profile.find(kTuningKey);
    const auto* choices = found == profile.end() ? nullptr : found->get_ptr<const std::string*>();
    if (choices == nullptr) {
        tuning.ignored = "it is damaged: it has no choices";
        return;
    }
    const auto read = rewrite::matrixTuningFromText(*choices);
    if (read)
        tuning.choices = *read;
    else
        tuning.ignored = "it is damaged: unknown choices " + inQuotes(*choices);
}

}  // namespace

std::filesystem::path profilePath(const DeviceFacts& facts) {
    const std::filesystem::path folder = system::userConfigFolder();
    if (folder.empty()) return {};
    return folder / "coopvk" / "tuned" /
           std::format("{:04x}-{:04x}-{}.json", facts.ids.vendor.value_or(0),
                       facts.ids.device.value_or(0),
                       static_cast<uint32_t>(facts.ids.driver.value_or(VkDriverId())));
}

ordered_json profileKey(const DeviceFacts& facts) {
    ordered_json key;
    key["coopvk"] = rewrite::version();
    key["vendorID"] = facts.ids.vendor.value_or(0);
    key["deviceID"] = facts.ids.device.value_or(0);
    key["driverID"] = static_cast<uint32_t>(facts.ids.driver.value_or(VkDriverId()));
    key["driverVersion"] = facts.properties.driverVersion;
    key["deviceName"] = facts.traits.name;
    key["subgroupSize"] = facts.traits.subgroupSize;
    return key;
}

DeviceTuning tuningFor(const Settings& settings, const DeviceFacts& facts) {
    DeviceTuning tuning;
    const bool isNamed = settings.tuning != rewrite::MatrixTuning();
    if (isNamed) {
        tuning.origin = "the setting tuning";
        tuning.choices = settings.tuning;
    } else if (settings.readsProfile) {
        const std::filesystem::path path = profilePath(facts);
        const auto text = path.empty() ? std::nullopt : readText(path, kMaxProfile);
        if (!text) return tuning;
        tuning.origin = path.string();
        readProfile(*text, facts, tuning);
    }
    // The choices change how sums are rounded.
    if (!tuning.origin.empty() && tuning.ignored.empty() &&
        settings.numerics == rewrite::Numerics::kSame)
        tuning.ignored = "the setting numerics wants the same bits on every device";
    if (!tuning.ignored.empty()) tuning.choices = {};
    return tuning;
}

rewrite::MatrixTuning choicesAt(rewrite::MatrixTuning choices, uint32_t lanes) {
    if (choices.gridRows.value_or(0) > lanes) choices.gridRows.reset();
    return choices;
}

std::string textOf(const DeviceTuning& tuning) {
    if (tuning.origin.empty()) return {};
    if (!tuning.ignored.empty()) return tuning.origin + " is ignored: " + tuning.ignored;
    const std::string choices = rewrite::tuningText(tuning.choices);
    if (choices.empty()) return "tuned by " + tuning.origin + ": the usual choices are the fastest";
    return "tuned by " + tuning.origin + ": " + choices;
}

}  // namespace coopvk::layer
