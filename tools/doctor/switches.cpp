// SPDX-License-Identifier: Apache-2.0
#include "doctor/switches.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "names.hpp"

namespace coopvk::tool {
namespace {

constexpr const char* kEnableFilter = "VK_LOADER_LAYERS_ENABLE";
constexpr const char* kDisableFilter = "VK_LOADER_LAYERS_DISABLE";
constexpr const char* kAllowFilter = "VK_LOADER_LAYERS_ALLOW";

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

bool matches(std::string_view pattern, std::string_view name) {
    const bool open = pattern.starts_with('*'),
               ended = pattern.size() > 1 && pattern.ends_with('*');
    if (open) pattern.remove_prefix(1);
    if (ended) pattern.remove_suffix(1);
    if (open && ended) return name.find(pattern) != std::string_view::npos;
    if (open) return name.ends_with(pattern);
    if (ended) return name.starts_with(pattern);
    return name == pattern;
}

bool listHas(std::string_view list, char separator, std::string_view wanted) {
    while (!list.empty()) {
        const std::string_view item = list.substr(0, list.find(separator));
        if (item == wanted) return true;
        list.remove_prefix(std::min(item.size() + 1, list.size()));
    }
    return false;
}

}  // namespace

bool filterHas(std::string_view patterns, std::string_view name, bool implicit) {
    while (!patterns.empty()) {
        const std::string_view pattern = patterns.substr(0, patterns.find(','));
        patterns.remove_prefix(std::min(pattern.size() + 1, patterns.size()));
        const std::string text = lower(pattern);
        if (text == "~all~" || text == (implicit ? "~implicit~" : "~explicit~")) return true;
        if (!text.empty() && matches(text, lower(name))) return true;
    }
    return false;
}

bool isNamed() {
    return listHas(variable("VK_INSTANCE_LAYERS"), ':', layer::kLayerName) ||
           filterHas(variable(kEnableFilter), layer::kLayerName, true);
}

void checkSwitches(bool implicit, Findings& findings) {
    const bool byName = listHas(variable("VK_INSTANCE_LAYERS"), ':', layer::kLayerName);
    const bool byFilter = filterHas(variable(kEnableFilter), layer::kLayerName, implicit);
    const std::string_view disabling = variable(kDisableFilter);
    if (filterHas(disabling, layer::kLayerName, implicit) &&
        !filterHas(variable(kAllowFilter), layer::kLayerName, implicit) && !byFilter) {
        findings.push_back(
            {true,
             std::string(kDisableFilter) + "=" + std::string(disabling) +
                 " keeps the loader from the layer",
             "unset it, or add the layer: " + std::string(kAllowFilter) + "=" + layer::kLayerName});
    }
    if (byName || !implicit) return;
    if (std::getenv("COOPVK_DISABLE") != nullptr) {
        findings.push_back({true,
                            "COOPVK_DISABLE is set, which keeps the layer off whatever its "
                            "value is",
                            "unset COOPVK_DISABLE"});
    }
    const char* enable = std::getenv("COOPVK_ENABLE");
    if (byFilter || (enable != nullptr && std::string_view(enable) == "1")) return;
    findings.push_back({true,
                        enable == nullptr ? "COOPVK_ENABLE is not set, and the layer is off "
                                            "without it"
                                          : "COOPVK_ENABLE is '" + std::string(enable) +
                                                "', and only 1 switches the layer on",
                        "set COOPVK_ENABLE=1"});
}

}  // namespace coopvk::tool
