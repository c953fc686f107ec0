// SPDX-License-Identifier: Apache-2.0
#include "coopvk_reference/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace coopvk::reference {

namespace {

bool readNumber(std::string_view text, uint64_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}
bool readNumber(std::string_view text, uint32_t& number) {
    uint64_t wide = 0;
    if (!readNumber(text, wide) || wide > ~uint32_t{0}) return false;
    number = static_cast<uint32_t>(wide);
    return true;
}

bool readLanes(std::string_view text, Settings& settings) {
    uint32_t& lanes = settings.subgroupSize;
    return readNumber(text, lanes) && lanes >= kMinLanes && lanes <= kMaxLanes &&
           (lanes & (lanes - 1)) == 0;
}

// One of these names, in the order of the enumeration.
template <typename Enumeration>
bool readName(std::string_view text, std::initializer_list<std::string_view> names,
              Enumeration& value) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) return false;
    value = static_cast<Enumeration>(found - names.begin());
    return true;
}
bool readOrder(std::string_view text, Choice& choice) {
    return readName(text, {"plain", "shuffled", "adversarial"}, choice);
}
bool readSums(std::string_view text, Settings& settings) {
    return readName(text, {"plain", "shuffled", "adversarial", "exact"}, settings.sums);
}
bool readDirection(std::string_view text, Settings& settings) {
    return readName(text, {"nearest", "upward", "downward"}, settings.rounding);
}
bool readAction(std::string_view text, Settings& settings) {
    return readName(text, {"ignore", "message", "error"}, settings.action);
}

bool readChecks(std::string_view text, Settings& settings) {
    settings.checks = 0;
    if (text == "none") return true;
    if (text == "all") {
        settings.checks = kAllChecks;
        return true;
    }
    while (!text.empty()) {
        const size_t comma = std::min(text.find(','), text.size());
        uint32_t found = 0;
        for (uint32_t check = 1; check < kAllChecks; check <<= 1)
            if (text.substr(0, comma) == checkName(static_cast<Check>(check))) found = check;
        if (found == 0) return false;
        settings.checks |= found;
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return true;
}

struct SettingRow {
    const char* name;
    bool (*read)(std::string_view, Settings&);
};
using Text = std::string_view;
constexpr SettingRow kSettings[] = {
    {"SUBGROUP_SIZE", readLanes},
    {"SEED", [](Text text, Settings& to) { return readNumber(text, to.seed); }},
    {"SCHEDULE", [](Text text, Settings& to) { return readOrder(text, to.schedule); }},
    {"PLACEMENT", [](Text text, Settings& to) { return readOrder(text, to.placement); }},
    {"SUMS", readSums},
    {"ROUNDING", readDirection},
    {"CHECKS", readChecks},
    {"REPORT", readAction},
    {"THREADS", [](Text text, Settings& to) { return readNumber(text, to.threads); }},
    {"REPORTS", [](Text text, Settings& to) { return readNumber(text, to.reports); }},
    {"GRANULARITY",
     [](Text text, Settings& to) {
         return readNumber(text, to.granularity) && to.granularity != 0;
     }},
    {"STEPS", [](Text text, Settings& to) { return readNumber(text, to.steps); }},
    {"EXTENSIONS",
     [](Text text, Settings& to) {
         to.extensions = text;
         return true;
     }},
};

}  // namespace

Result<Settings> settingsFromEnvironment() {
    Settings settings;
    for (const SettingRow& row : kSettings) {
        const std::string variable = std::string("COOPVK_REFERENCE_") + row.name;
        const char* text = std::getenv(variable.c_str());
        if (text == nullptr || *text == '\0') continue;
        if (!row.read(text, settings))
            return Error{ErrorCode::kInvalidArgument, variable + " has no meaning: " + text};
    }
    return settings;
}

}  // namespace coopvk::reference
