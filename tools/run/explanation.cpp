// SPDX-License-Identifier: Apache-2.0
#include "run/explanation.hpp"

#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/run_report.hpp"

namespace coopvk::tool {
namespace {

namespace run_event = layer::run_event;

using Strings = std::vector<std::string>;
using Names = std::set<std::string, std::less<>>;

Strings split(std::string_view text, char separator) {
    Strings parts;
    while (!text.empty()) {
        const size_t end = text.find(separator);
        parts.emplace_back(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return parts;
}

std::string join(const Names& names) {
    std::string text;
    for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
    return text;
}

// What is known about one device in one program, in all processes of the program.
struct DeviceStory {
    Names native, offered;
    bool isReplaceable = false;  // something native, by `emulate=all`
    Strings unavailable;         // "NAME (REASON)"
    bool created = false;
    Names emulatedInUse, nativeInUse;  // enabled by the program
    Strings failures, refusals;
};

struct ProgramStory {
    std::map<std::string, DeviceStory> devices;
};

struct Story {
    std::map<std::string, ProgramStory> programs;
    bool emulated = false;
};

void insertList(Names& names, const std::string& list) {
    for (std::string& name : split(list, ',')) names.insert(std::move(name));
}

void addDecision(DeviceStory& device, const Strings& fields) {
    const std::string& extension = fields[4];
    if (fields[5] == "native") {
        device.native.insert(extension);
        // `all` leaves half floats to a driver that has them, and what the device cannot carry.
        device.isReplaceable |= extension != VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME &&
                                fields[6].starts_with("the driver's own");
    } else if (fields[5] == "emulated") {
        device.offered.insert(extension);
    } else {
        std::string text = extension + " (" + fields[6] + ")";
        auto& list = device.unavailable;
        if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
    }
}

// EVENT PROCESS PROGRAM DEVICE ...; if a line is incomplete, for example because the disk was full,
// its first fields count.
void addLine(Story& story, std::string_view line) {
    Strings fields = split(line, '\t');
    if (fields.size() < 3) return;
    const std::string event = fields[0];
    if (event == run_event::kProgram) return;
    ProgramStory& program = story.programs[fields[2]];
    if (event == run_event::kEmulated) story.emulated = true;
    if (fields.size() < 4) return;
    constexpr size_t kMostFields = 7;
    fields.resize(std::max(fields.size(), kMostFields));
    DeviceStory& device = program.devices[fields[3]];
    if (event == run_event::kDecision) {
        addDecision(device, fields);
    } else if (event == run_event::kDevice) {
        device.created = true;
        insertList(device.emulatedInUse, fields[4]);
        insertList(device.nativeInUse, fields[5]);
    } else if (event == run_event::kNoDevice) {
        device.failures.push_back(fields[4]);
    } else if (event == run_event::kRefused) {
        device.refusals.push_back(fields[4]);
    }
}

void describeOffer(const DeviceStory& device, Strings& lines) {
    if (!device.native.empty()) {
        lines.push_back(
            "    the driver's own, which coopvk leaves in place: " + join(device.native) +
            (device.isReplaceable ? " (--emulate all replaces them by coopvk's)" : ""));
    }
    if (!device.offered.empty()) {
        lines.push_back("    offered by coopvk, but not enabled: " + join(device.offered));
    }
    for (const std::string& text : device.unavailable) {
        lines.push_back("    not offered here: " + text);
    }
}

void describeDevice(const std::string& name, const DeviceStory& device, Strings& lines) {
    const auto say = [&](const std::string& text) { lines.push_back("  " + name + ": " + text); };
    for (const std::string& message : device.failures) say("no device was created: " + message);
    if (!device.refusals.empty()) {
        say(std::to_string(device.refusals.size()) +
            " shaders were refused, the first: " + device.refusals.front());
        return;
    }
    if (!device.emulatedInUse.empty()) {
        say("the program enabled " + join(device.emulatedInUse) +
            " (by coopvk), but created no pipeline with a shader that uses it");
        return;
    }
    if (!device.nativeInUse.empty()) {
        say("the program enabled " + join(device.nativeInUse) + ", the driver's own");
    } else if (device.created) {
        say("the program enabled none of the extensions");
    } else if (device.failures.empty()) {
        say("the program queried it, but created no device");
    }
    describeOffer(device, lines);
}

void describeProgram(const std::string& name, const ProgramStory& program, Strings& lines) {
    const auto created = [](const auto& entry) {
        return entry.second.created || !entry.second.failures.empty();
    };
    const bool any = std::ranges::any_of(program.devices, created);
    lines.push_back(
        "nothing was emulated in " + name +
        (program.devices.empty() ? ": it created a Vulkan instance, but no device" : ""));
    for (const auto& entry : program.devices) {
        // If the program chose a device, the others do not matter.
        if (!any || created(entry)) describeDevice(entry.first, entry.second, lines);
    }
}

}  // namespace

std::vector<std::string> explain(std::string_view report, std::string_view program,
                                 bool othersLeft) {
    Story story;
    for (const std::string& line : split(report, '\n')) addLine(story, line);
    Strings lines;
    if (story.emulated) return lines;
    if (story.programs.empty()) {
        lines.push_back("nothing was emulated: no Vulkan instance of " + std::string(program) +
                        " was seen");
        lines.push_back(
            "  It did not use Vulkan, found no driver, or could not load the layer: `coopvk doctor "
            "-- " +
            std::string(program) + "` looks for the reason");
        lines.push_back(
            "  The layer cannot be loaded in sandboxes and containers in which it is not "
            "installed, "
            "in 32-bit programs without coopvk-i386, in programs with other rights, and with "
            "VK_LOADER_LAYERS_DISABLE");
    }
    for (const auto& [name, story_] : story.programs) describeProgram(name, story_, lines);
    if (othersLeft)
        lines.push_back("  Processes that it started are still running, and may use Vulkan later");
    return lines;
}

}  // namespace coopvk::tool
