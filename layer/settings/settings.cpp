// SPDX-License-Identifier: Apache-2.0
#include "settings/settings.hpp"

#include <format>
#include <iterator>

#include "settings/kept_report.hpp"
#include "settings/program_names.hpp"
#include "settings/setting_set.hpp"
#include "settings/setting_table.hpp"
#include "settings/unknown_settings.hpp"
#include "system/program.hpp"
#include "system/system.hpp"
#include "system/text.hpp"

namespace coopvk::layer {
namespace {

constexpr std::string_view kOwnDevice = "own";  // the setting `as`

using Complaints = std::vector<std::string>;

// A setting that is being read. An empty text means the default.
struct Reading {
    std::string_view key, text;
    Settings& settings;
    Complaints& complaints;
    bool isDefault = false;

    // Sets a member; if the text has no value, says what is wrong.
    template <typename Value, typename Member>
    void set(Member& member, const std::optional<Value>& value, std::string_view wrong) const {
        if (value) {
            member = *value;
        } else if (!text.empty()) {
            complaints.push_back(std::format("setting {}: {} {}", key, wrong, inQuotes(text)));
        }
    }
    void setBoolean(bool& member) const {
        set(member, booleanFromText(text), "neither true nor false:");
    }
    void setId(std::optional<uint32_t>& member) const {
        set(member, idFromText(text), "no hexadecimal number:");
    }
};

struct SettingReader {
    std::string_view key;
    void (*read)(const Reading& r);
};

constexpr SettingReader kReaders[] = {
    {"emulate",
     [](const Reading& r) {
         r.settings.emulate = EmulatePolicy::parse(r.text, r.complaints);
         r.settings.emulateText = r.text;
     }},
    {"back_end",
     [](const Reading& r) {
         r.set(r.settings.backEnd, rewrite::backEndFromName(r.text), "unknown back-end");
     }},
    {"element_layout",
     [](const Reading& r) {
         r.set(r.settings.elementLayout, rewrite::elementLayoutFromName(r.text), "unknown layout");
         r.settings.namesLayout = !r.isDefault && !r.text.empty();
     }},
    {"numerics",
     [](const Reading& r) {
         r.set(r.settings.numerics, rewrite::numericsFromName(r.text), "neither fast nor same:");
     }},
    {"log_level",
     [](const Reading& r) {
         r.set(r.settings.logLevel, logLevelFromName(r.text), "unknown level");
     }},
    {"log_file", [](const Reading& r) { r.settings.logFile = expandPath(r.text); }},
    {"dump_dir", [](const Reading& r) { r.settings.dumpDir = expandPath(r.text); }},
    {"dump_inputs",
     [](const Reading& r) {
         r.set(r.settings.dumpInputs, dumpedInputsFromText(r.text),
               "no size, nor a size and a number:");
     }},
    {"lines", [](const Reading& r) { r.setBoolean(r.settings.lines); }},
    {"validate_output", [](const Reading& r) { r.setBoolean(r.settings.validateOutput); }},
    {"remember",
     [](const Reading& r) {
         const auto value = r.text == "on"    ? std::optional(true)
                            : r.text == "off" ? std::optional(false)
                                              : booleanFromText(r.text);
         r.set(r.settings.remember, value, "neither on nor off:");
     }},
    {"tuning",
     [](const Reading& r) {
         if (r.text.empty() || r.text == "auto") return;
         const auto choices = rewrite::matrixTuningFromText(r.text == "off" ? "" : r.text);
         r.settings.readsProfile = !choices;
         r.set(r.settings.tuning, choices ? std::optional(*choices) : std::nullopt,
               "neither auto nor off nor choices:");
     }},
    // Behind `emulate`, to whose names it adds, and ahead of the numbers, which replace its own.
    {"as",
     [](const Reading& r) {
         const TakenFor* const as = takenFor(r.text);
         const bool isKnown = as != nullptr || r.text == kOwnDevice;
         r.set(r.settings.as, isKnown ? std::optional(as) : std::nullopt, "unknown GPU");
         if (as == nullptr) return;
         r.settings.shownIds = as->ids;
         for (const rewrite::ExtensionInfo& info : rewrite::extensionTable())
             if (as->extensions.contains(info.extension))
                 r.settings.emulate.list.insert(info.extension);
     }},
    {"vendor_id", [](const Reading& r) { r.setId(r.settings.shownIds.vendor); }},
    {"device_id", [](const Reading& r) { r.setId(r.settings.shownIds.device); }},
    {"driver_id",
     [](const Reading& r) {
         r.set(r.settings.shownIds.driver, driverIdFromText(r.text), "no VkDriverId:");
     }},
    {"statistics",
     [](const Reading& r) {
         const auto value = booleanFromText(r.text);
         r.settings.statistics = !value ? expandPath(r.text) : *value ? "1" : "";
     }},
    {"report",
     [](const Reading& r) {
         const auto value = booleanFromText(r.text);
         r.settings.report = !value ? expandPath(r.text) : *value ? kOwnReport : "";
     }},
    {"rewrite_limit",
     [](const Reading& r) {
         r.set(r.settings.rewriteLimit, stepsFromText(r.text), "no number of steps:");
     }},
};

void complainOfUnknown(const SettingSet& set, Complaints& complaints) {
    findUnknownVariables(system::environment(), complaints);
    set.complainOfFile(complaints);
    for (const char* name : set.unknown()) complaints.push_back(unknownSetting(name, name));
}

consteval bool readersMatchManifest() {
    // Not findSetting: with GCC's undefined-behaviour sanitizer, a comparison of a pointer into
    // kSettings with null is no constant expression.
    for (const SettingReader& reader : kReaders) {
        if (std::ranges::count(kSettings, reader.key, &SettingInfo::key) != 1) return false;
    }
    return std::size(kReaders) == std::size(kSettings);
}
static_assert(readersMatchManifest(), "manifest/VkLayer_coopvk.json.in lists other settings");

}  // namespace

rewrite::ElementLayout layoutOf(const ProgramNames& names) {
    // Its matrices are those of AGS, which programs use on RDNA 4 (FSR 4).
    return names.engine == "vkd3d" ? rewrite::ElementLayout::kRdna4 : rewrite::ElementLayout::kAuto;
}

std::string_view backEndName(rewrite::BackEnd backEnd) {
    constexpr std::string_view kNames[] = {"auto", "core", "native"};
    return kNames[static_cast<size_t>(backEnd)];
}

std::vector<SettingFound> explainSettings(const ConfiguredSettings& configured) {
    const SettingSet set(nullptr);
    std::vector<SettingFound> found;
    for (const SettingInfo& setting : kSettings) found.push_back(set.find(setting, configured));
    return found;
}

std::vector<std::string> checkSetting(std::string_view key, std::string_view value) {
    std::vector<std::string> complaints;
    const auto* reader = std::ranges::find(kReaders, key, &SettingReader::key);
    Settings unused;
    if (reader != std::end(kReaders)) reader->read({key, value, unused, complaints});
    return complaints;
}

Settings loadSettings(const VkInstanceCreateInfo* createInfo,
                      std::vector<std::string>& complaints) {
    const SettingSet set(createInfo);
    const ProgramNames names = programNames(createInfo);
    const ConfiguredSettings configured = configuredFor(readConfigurations(), names);
    complaints.insert(complaints.end(), configured.faults.begin(), configured.faults.end());
    Settings settings;
    settings.programLayout = layoutOf(names);
    for (const SettingReader& reader : kReaders) {
        const SettingFound found = set.find(*findSetting(reader.key), configured);
        const bool isDefault = found.origin == kDefaultOrigin;
        reader.read({reader.key, found.text, settings, complaints, isDefault});
    }
    complainOfUnknown(set, complaints);
    if (!settings.report.empty()) keepReport(settings, complaints);
    return settings;
}

}  // namespace coopvk::layer
