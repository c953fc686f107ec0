// SPDX-License-Identifier: Apache-2.0
#include "doctor/misspelt.hpp"

#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "settings/asked_for.hpp"
#include "settings/names.hpp"
#include "settings/settings.hpp"

namespace coopvk::tool {
namespace {

constexpr std::string_view kPrefix = "COOPVK_";

// How many letters must be added, dropped or replaced.
size_t distance(std::string_view one, std::string_view other) {
    std::vector<size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= one.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= other.size(); ++j) {
            const size_t replaced = diagonal + (one[i - 1] == other[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

std::vector<std::string_view> knownVariables() {
    std::vector<std::string_view> names = {layer::kEnableVariable, "COOPVK_DISABLE"};
    for (const layer::SettingInfo& setting : layer::kSettings) names.push_back(setting.variable);
    return names;
}

// The variable that is meant, if it is only almost this one.
std::string_view meantBy(std::string_view name) {
    constexpr size_t kShortest = 5, kFurthest = 2;
    if (!name.starts_with(kPrefix) || name.size() < kPrefix.size() + kShortest) return {};
    std::string_view nearest;
    size_t least = kFurthest + 1;
    for (const std::string_view known : knownVariables()) {
        const size_t away = distance(name, known);
        if (away < least) {
            least = away;
            nearest = known;
        }
    }
    return least == 0 ? std::string_view() : nearest;
}

}  // namespace

void checkSpelling(Findings& findings) {
    for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::string_view name = text.substr(0, text.find('='));
        const std::string_view meant = meantBy(name);
        if (meant.empty()) continue;
        findings.push_back({false, std::string(name) + " is set, and means nothing to coopvk",
                            "set " + std::string(meant) + ", if that is meant"});
    }
}

}  // namespace coopvk::tool
