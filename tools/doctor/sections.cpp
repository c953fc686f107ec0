// SPDX-License-Identifier: Apache-2.0
#include "doctor/sections.hpp"

#include <algorithm>
#include <iostream>

#include "config/program.hpp"
#include "settings/configuration.hpp"
#include "settings/setting_set.hpp"
#include "settings/setting_table.hpp"
#include "settings/settings.hpp"
#include "system/text.hpp"

namespace coopvk::tool {
namespace {

using layer::ConfigurationFile;
using layer::ConfigurationSection;

bool switches(const ConfigurationSection& section) {
    return std::ranges::find(section.lines, layer::kEnableKey, &layer::ConfigurationLine::key) !=
           section.lines.end();
}

// "NVIDIA's, with subgroups of 32, ...": what of it the other settings do not say.
std::string shownAs(const layer::TakenFor& row, bool namesLayout) {
    std::string text(row.possessive);
    text += ", with subgroups of " + std::to_string(row.subgroupSize);
    if (!namesLayout)
        text.append(", the layout of elements ").append(rewrite::elementLayoutName(row.layout));
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        if (row.extensions.contains(info.extension)) text.append(", ").append(info.vulkanName);
    }
    return text;
}

// Programs take a device for another one, which may surprise who looks for a fault.
void reportShownIds(const layer::ConfiguredSettings& configured, Findings& findings) {
    const auto found = layer::explainSettings(configured);
    const auto valueOf = [&](std::string_view key) {
        return found[static_cast<size_t>(layer::findSetting(key) - layer::kSettings)];
    };
    const layer::SettingFound as = valueOf("as");
    if (const layer::TakenFor* const row = layer::takenFor(as.text))
        findings.push_back({false,
                            "programs take each device for " +
                                shownAs(*row, valueOf("element_layout").origin !=
                                                  std::string_view(layer::kDefaultOrigin)) +
                                ", as " + as.origin + " says",
                            "remove as if they should take it for what it is"});
    for (const std::string_view key : {"vendor_id", "device_id", "driver_id"}) {
        const layer::SettingFound value = valueOf(key);
        if (value.text.empty()) continue;
        const std::string name(key);
        findings.push_back({false,
                            "programs see " + layer::printable(value.text) + " as each device's " +
                                name + ", as " + value.origin + " says",
                            "remove " + name + " if they should see the device's own"});
    }
}

std::string placeOf(const ConfigurationFile& file, const ConfigurationSection& section) {
    return file.path + ":" + std::to_string(section.line) + " " + layer::printable(section.title);
}

}  // namespace

bool checkConfiguration(const std::vector<std::string>& command, bool isAsked, Findings& findings) {
    const auto files = layer::readConfigurations();
    const layer::ProgramNames names = namesOf(command);
    std::string perhaps;
    for (const ConfigurationFile& file : files) {
        for (const ConfigurationSection& section : file.sections) {
            if (command.empty() || section.title.empty()) continue;
            if (holdsFor(section, names)) {
                std::cout << "section: " << placeOf(file, section) << '\n';
            } else if (switches(section) && mayHoldFor(section, names)) {
                perhaps += "\n      " + placeOf(file, section);
            }
        }
        for (const std::string& fault : file.faults()) {
            findings.push_back(
                {false, fault, "correct the line, and check it with coopvk config --check"});
        }
    }
    const auto configured = layer::configuredFor(files, names);
    reportShownIds(configured, findings);
    const bool isEnabled = !command.empty() && configured.isEnabled();
    if (isEnabled && !isAsked) {
        findings.push_back(
            {false,
             configured.enable->origin +
                 " would switch the layer on, but the loader does not load the layer "
                 "by itself",
             "coopvk config --install"});
    }
    if (!isEnabled && !perhaps.empty()) {
        findings.push_back(
            {false, "this depends on names that only the running program knows:" + perhaps,
             "run the program with COOPVK_LOG_LEVEL=info, and see whether coopvk logs anything"});
    }
    return isEnabled && isAsked;
}

}  // namespace coopvk::tool
