// SPDX-License-Identifier: Apache-2.0
#include "settings/asked_for.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "settings/names.hpp"
#include "system/system.hpp"
#include "system/text.hpp"

namespace coopvk::layer {
namespace {

using system::variable;

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
        if (takeUntil(separator, list) == wanted) return true;
    }
    return false;
}

}  // namespace

bool filterHas(std::string_view patterns, std::string_view name, LayerKind kind) {
    const char* const ofKind = kind == LayerKind::kImplicit ? "~implicit~" : "~explicit~";
    while (!patterns.empty()) {
        const std::string text = lowerCase(takeUntil(',', patterns));
        if (text == "~all~" || text == ofKind) return true;
        if (!text.empty() && matches(text, lowerCase(name))) return true;
    }
    return false;
}

bool isInLayerList() {
    return listHas(variable("VK_INSTANCE_LAYERS"), system::kListSeparator, kLayerName);
}

bool isNamed() {
    return isInLayerList() ||
           filterHas(variable("VK_LOADER_LAYERS_ENABLE"), kLayerName, LayerKind::kImplicit);
}

bool isAskedFor(const VkInstanceCreateInfo* info) {
    if (variable(kEnableVariable) == "1" || isNamed()) return true;
    if (info == nullptr) return false;
    const std::span names(info->ppEnabledLayerNames, info->enabledLayerCount);
    return std::ranges::find(names, std::string_view(kLayerName)) != names.end();
}

}  // namespace coopvk::layer
