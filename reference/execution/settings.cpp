// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "coopvk_reference/execute.hpp"

namespace coopvk::reference {

namespace {

using Text = std::string_view;

template <typename Number>
bool read(Text text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

// One of these names, in the order of the enumeration.
template <typename Enumeration>
bool read(Text text, std::initializer_list<Text> names, Enumeration& value) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) return false;
    value = Enumeration(found - names.begin());
    return true;
}
constexpr std::initializer_list<Text> kOrders = {"plain", "shuffled", "adversarial"};

bool readChecks(Text text, Settings& settings) {
    settings.checks = text == "all" ? uint32_t{kAllChecks} : 0;
    if (text == "all" || text == "none") return true;
    while (!text.empty()) {
        const size_t comma = std::min(text.find(','), text.size());
        uint32_t check = 1;
        while (check < kAllChecks && text.substr(0, comma) != checkName(Check(check))) check <<= 1;
        if (check > kAllChecks) return false;
        settings.checks |= check;
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return true;
}

struct SettingRow {
    const char* name;
    bool (*read)(Text, Settings&);
};
constexpr SettingRow kSettings[] = {
    {"SUBGROUP_SIZE",
     [](Text text, Settings& to) {
         const uint32_t& lanes = to.subgroupSize;
         return read(text, to.subgroupSize) && lanes >= kMinLanes && lanes <= kMaxLanes &&
                std::has_single_bit(lanes);
     }},
    {"SEED", [](Text text, Settings& to) { return read(text, to.seed); }},
    {"SCHEDULE", [](Text text, Settings& to) { return read(text, kOrders, to.schedule); }},
    {"PLACEMENT", [](Text text, Settings& to) { return read(text, kOrders, to.placement); }},
    {"SUMS",
     [](Text text, Settings& to) {
         return read(text, {"plain", "shuffled", "adversarial", "exact"}, to.sums);
     }},
    {"ROUNDING",
     [](Text text, Settings& to) {
         return read(text, {"nearest", "upward", "downward"}, to.rounding);
     }},
    {"CHECKS", readChecks},
    {"REPORT",
     [](Text text, Settings& to) { return read(text, {"ignore", "message", "error"}, to.action); }},
    {"THREADS", [](Text text, Settings& to) { return read(text, to.threads); }},
    {"REPORTS", [](Text text, Settings& to) { return read(text, to.reports); }},
    {"GRANULARITY",
     [](Text text, Settings& to) { return read(text, to.granularity) && to.granularity != 0; }},
    {"STEPS", [](Text text, Settings& to) { return read(text, to.steps); }},
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
