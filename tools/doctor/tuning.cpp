// SPDX-License-Identifier: Apache-2.0
#include "doctor/tuning.hpp"

#include <filesystem>
#include <iostream>

#include "device/physical_device.hpp"
#include "devices.hpp"
#include "settings/settings.hpp"

namespace coopvk::tool {

void checkTuning(Findings& findings) {
    // Most users have no profile: then no driver needs to be asked.
    std::error_code error;
    if (!std::filesystem::exists(layer::profilePath({}).parent_path(), error)) return;
    const auto devices = queryDevices();
    if (!devices) return;
    std::vector<std::string> complaints;  // which others report
    const layer::Settings settings = layer::loadSettings(nullptr, complaints);
    for (const Device& device : *devices) {
        const auto assessed = layer::assessDevice(settings, device.facts);
        const layer::DeviceTuning tuning = layer::tuningFor(settings, assessed.facts);
        const std::string text = assessed.facts.traits.name + ": " + textOf(tuning);
        const bool isOutdated =
            !tuning.ignored.empty() && settings.numerics != rewrite::Numerics::kSame;
        if (isOutdated)
            findings.push_back({false, text, "measure again with coopvk tune, or remove the file"});
        else if (!tuning.origin.empty())
            std::cout << text << '\n';
    }
}

}  // namespace coopvk::tool
