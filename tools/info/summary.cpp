// SPDX-License-Identifier: Apache-2.0
#include "info/summary.hpp"

#include <algorithm>
#include <format>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "coopvk/rewrite.hpp"
#include "device/policy.hpp"
#include "layer_location.hpp"

namespace coopvk::tool {
namespace {

using NameList = std::vector<std::string>;

struct ExtensionGroups {
    NameList added, own, onRequest, missing;
};

ExtensionGroups groupsOf(const layer::Decisions& decisions) {
    ExtensionGroups groups;
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        const layer::Decision& decision = decisions[static_cast<size_t>(info.extension)];
        const std::string name(info.vulkanName);
        if (decision.provision == layer::Provision::kEmulated)
            groups.added.push_back(decision.isPartial() ? name + " (in part)" : name);
        else if (decision.provision == layer::Provision::kNative)
            groups.own.push_back(name);
        else if (decision.reason.starts_with(layer::kOnlyByNameReason))
            groups.onRequest.push_back(name);
        else
            groups.missing.push_back(name);
    }
    return groups;
}

// A label, and behind it names in lines that a terminal of 100 columns shows whole.
void printNames(std::ostream& out, std::string_view label, const NameList& names) {
    constexpr size_t kWidth = 98, kIndent = 21;
    if (names.empty()) return;
    std::string line = std::format("  {:{}}", label, kIndent - 2);
    for (size_t i = 0; i < names.size(); ++i) {
        const std::string word = names[i] + (i + 1 < names.size() ? "," : "");
        if (line.size() > kIndent && line.size() + word.size() > kWidth) {
            out << line << '\n';
            line.assign(kIndent, ' ');
        }
        line += line.size() > kIndent ? " " + word : word;
    }
    out << line << '\n';
}

}  // namespace

void printSummary(std::ostream& out, std::span<const Device> devices,
                  std::span<const layer::PhysicalDeviceContext> assessed) {
    bool adds = false, hasMore = false, lacks = false;
    for (size_t i = 0; i < devices.size(); ++i) {
        const ExtensionGroups groups = groupsOf(assessed[i].decisions);
        out << devices[i].facts.properties.deviceName << " (device " << i << ")\n";
        printNames(out, "coopvk adds", groups.added.empty() ? NameList{"nothing"} : groups.added);
        printNames(out, "the driver has", groups.own);
        printNames(out, "only if you ask", groups.onRequest);
        printNames(out, "not here", groups.missing);
        adds = adds || !groups.added.empty();
        hasMore = hasMore || !groups.onRequest.empty();
        lacks = lacks || !groups.missing.empty();
    }
    if (devices.empty()) return;
    const std::string name = commandName();
    if (adds)
        out << "To use it: `" << name
            << " run -- APP` starts the program APP with what coopvk adds.\n"
            << "           `" << name << " advise -- APP` measures whether that is worth it.\n";
    if (hasMore) out << "To ask for more: `" << name << " run --emulate auto,NAME -- APP`.\n";
    if (lacks) out << "Why something is not here: `" << name << " info` has the reasons.\n";
}

}  // namespace coopvk::tool
