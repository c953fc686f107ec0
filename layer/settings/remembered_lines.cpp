// SPDX-License-Identifier: Apache-2.0
//
// Lines of files with what is remembered.
#include <algorithm>
#include <array>
#include <charconv>

#include "settings/remembered.hpp"
#include "system/hash.hpp"
#include "system/text.hpp"

namespace coopvk::layer {
namespace {

constexpr size_t kMaxField = 500;  // characters of a name or a message
constexpr std::string_view kKinds[] = {"refused", "lost", "unfinished", "begun", "ended"};

// What a file contains is shown, and separators end a field. Of its own result the same.
std::string plain(std::string_view text) {
    return printable(text.substr(0, kMaxField)).substr(0, kMaxField);
}

template <typename T>
bool readNumber(std::string_view text, T& value, int base) {
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value, base);
    return parsed.ec == std::errc() && parsed.ptr == end;
}

}  // namespace

std::string lineOf(const RememberedFault& fault) {
    std::string line(rewrite::version());
    for (const std::string& field :
         {std::string(kKinds[static_cast<size_t>(fault.kind)]), hexName(fault.shader),
          namesOf(fault.extensions), plain(fault.device), std::to_string(fault.driver),
          plain(fault.program), plain(fault.message)}) {
        line += '\t';
        line += field;
    }
    return line + '\n';
}

std::optional<RememberedFault> faultFrom(std::string_view line) {
    std::array<std::string_view, 8> fields;
    for (std::string_view& field : fields) field = takeUntil('\t', line);
    if (fields[0] != rewrite::version()) return std::nullopt;
    const auto* const kind = std::ranges::find(kKinds, fields[1]);
    RememberedFault fault;
    if (kind == std::end(kKinds) || !readNumber(fields[2], fault.shader, 16) ||
        !readNumber(fields[5], fault.driver, 10)) {
        return std::nullopt;
    }
    fault.kind = static_cast<FaultKind>(kind - kKinds);
    while (!fields[3].empty()) {
        const auto extension = rewrite::extensionFromVulkanName(takeUntil(',', fields[3]));
        if (extension) fault.extensions.insert(*extension);
    }
    fault.device = plain(fields[4]);
    fault.program = plain(fields[6]);
    fault.message = plain(fields[7]);
    return fault;
}

bool isOfDevice(const RememberedFault& fault, std::string_view device, uint32_t driver) {
    return fault.device == plain(device) && fault.driver == driver;
}

std::string textOf(const RememberedFault& fault) {
    const std::string shader = "shader " + hexName(fault.shader);
    switch (fault.kind) {
        case FaultKind::kRefused:
            return shader + " was refused: " + fault.message;
        case FaultKind::kLost:
            return "the device was lost: " + fault.message;
        default:
            return shader + " was not finished when the program ended";
    }
}

std::string namesOf(rewrite::ExtensionSet set) {
    std::string names;
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        if (!set.contains(info.extension)) continue;
        if (!names.empty()) names += ',';
        names += info.vulkanName;
    }
    return names;
}

}  // namespace coopvk::layer
