// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "coopvk_reference/unit_sums.hpp"

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
using Names = std::initializer_list<Text>;
constexpr Names kOrders = {"plain", "shuffled", "adversarial"};
constexpr Names kSums = {"plain", "shuffled", "adversarial", "exact"};
constexpr Names kDirections = {"nearest", "upward", "downward", "halves-toward-zero"};
constexpr Names kReconvergence = {"maximal", "minimal", "random"};
constexpr Names kCallNames = {"once", "repeated"};
constexpr Names kActions = {"ignore", "message", "error"};

bool readMap(Text text, Choice& placement) {
    const Names names = {"nvidia", "rdna3", "rdna4"};
    const auto* found = std::ranges::find(names, text);
    if (found == names.end()) return false;
    placement = Choice(int(Choice::kNvidia) + int(found - names.begin()));
    return true;
}

bool readUnit(Text text, Choice& sums) {
    const SumUnit* unit = findUnit(text);
    if (unit != nullptr) sums = unit->choice;
    return unit != nullptr;
}

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

// "keep", "flush", or names of formats with commas between.
bool readDenormals(Text text, Settings& settings) {
    settings.flushed = text == "flush" ? 16 + 32 + 64 : 0;
    if (text == "flush" || text == "keep") return true;
    while (!text.empty()) {
        const Text name = text.substr(0, text.find(','));
        const uint32_t width = name == "f16" ? 16 : name == "f32" ? 32 : name == "f64" ? 64 : 0;
        if (width == 0) return false;
        settings.flushed |= width;
        text.remove_prefix(std::min(name.size() + 1, text.size()));
    }
    return true;
}

bool one(Text text, Text nameOfFalse, Text nameOfTrue, bool& value) {
    value = text == nameOfTrue;
    return value || text == nameOfFalse;
}

struct SettingRow {
    const char* name;
    bool (*read)(Text, Settings&);
};
constexpr SettingRow kSettings[] = {
    {"SUBGROUP_SIZE",
     [](Text text, Settings& to) {
         return read(text, to.subgroupSize) && isSubgroupSize(to.subgroupSize);
     }},
    {"SEED", [](Text text, Settings& to) { return read(text, to.seed); }},
    {"SCHEDULE", [](Text text, Settings& to) { return read(text, kOrders, to.schedule); }},
    {"PLACEMENT",
     [](Text text, Settings& to) {
         return read(text, kOrders, to.placement) || readMap(text, to.placement);
     }},
    {"SUMS",
     [](Text text, Settings& to) { return read(text, kSums, to.sums) || readUnit(text, to.sums); }},
    {"ROUNDING", [](Text text, Settings& to) { return read(text, kDirections, to.rounding); }},
    {"DENORMALS", readDenormals},
    {"CONTRACTION", [](Text text, Settings& to) { return one(text, "off", "on", to.contracts); }},
    {"NANS", [](Text text, Settings& to) { return one(text, "number", "nan", to.prefersNan); }},
    {"CALLS", [](Text text, Settings& to) { return read(text, kCallNames, to.calls); }},
    {"RECONVERGENCE",
     [](Text text, Settings& to) { return read(text, kReconvergence, to.reconvergence); }},
    {"HOST", [](Text text, Settings& to) { return one(text, "coherent", "apart", to.hostApart); }},
    {"GRAPHICS",
     [](Text text, Settings& to) { return one(text, "refuse", "accept", to.graphics); }},
    {"CHECKS", readChecks},
    {"REPORT", [](Text text, Settings& to) { return read(text, kActions, to.action); }},
    {"THREADS", [](Text text, Settings& to) { return read(text, to.threads); }},
    {"REPORTS", [](Text text, Settings& to) { return read(text, to.reports); }},
    {"GRANULARITY",
     [](Text text, Settings& to) { return read(text, to.granularity) && to.granularity != 0; }},
    {"STEPS", [](Text text, Settings& to) { return read(text, to.steps); }},
    {"EXTENSIONS", [](Text text, Settings& to) { return !(to.extensions = text).empty(); }},
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
