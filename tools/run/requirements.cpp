// SPDX-License-Identifier: Apache-2.0
#include "run/requirements.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "coopvk/rewrite.hpp"
#include "report/run_report.hpp"
#include "system/text.hpp"

namespace coopvk::tool {
namespace {

struct Seen {
    std::set<std::string, std::less<>> emulated;
    std::vector<std::string> faults;  // each once
};

Seen seenIn(std::string_view report) {
    Seen seen;
    while (!report.empty()) {
        std::string_view line = layer::takeUntil('\n', report);
        // EVENT PROCESS PROGRAM DEVICE ...
        std::array<std::string_view, 5> fields;
        for (std::string_view& field : fields) field = layer::takeUntil('\t', line);
        if (fields[0] == layer::run_event::kEmulated) {
            while (!fields[4].empty()) seen.emulated.emplace(layer::takeUntil(',', fields[4]));
        }
        if (fields[0] == layer::run_event::kRefused || fields[0] == layer::run_event::kLost) {
            std::string text = std::string(fields[3]) + ": " + std::string(fields[4]);
            if (std::ranges::find(seen.faults, text) == seen.faults.end())
                seen.faults.push_back(std::move(text));
        }
    }
    return seen;
}

}  // namespace

std::vector<std::string> unknownExtensions(const Requirements& requirements) {
    std::vector<std::string> unknown;
    for (const std::string& name : requirements.extensions)
        if (!rewrite::extensionFromVulkanName(name)) unknown.push_back(name);
    return unknown;
}

std::vector<std::string> unfulfilled(const Requirements& requirements, std::string_view report) {
    const Seen seen = seenIn(report);
    std::vector<std::string> lines;
    for (const std::string& name : requirements.extensions)
        if (!seen.emulated.contains(name))
            lines.push_back("required: " + name + " was not emulated");
    if (!requirements.strict) return lines;
    if (seen.emulated.empty()) lines.emplace_back("strict: nothing was emulated");
    for (const std::string& fault : seen.faults) lines.push_back("strict: " + fault);
    return lines;
}

}  // namespace coopvk::tool
