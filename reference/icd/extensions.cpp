// SPDX-License-Identifier: Apache-2.0
#include "extensions.hpp"

#include <algorithm>
#include <vector>

#include "object.hpp"

namespace coopvk::reference::icd {
namespace {

constexpr auto kInstance = ExtensionKind::kInstance;
constexpr auto kDevice = ExtensionKind::kDevice;
constexpr auto kAlways = ExtensionGroup::kAlways;
[[maybe_unused]] constexpr auto kCooperative = ExtensionGroup::kCooperative;

#define COOPVK_EXTENSION(name, version, kind, group) ExtensionRow{name, version, kind, group},
constexpr ExtensionRow kRows[] = {
#include "extensions.inc"
};
#undef COOPVK_EXTENSION

bool names(std::string_view list, std::string_view name) {
    while (!list.empty()) {
        const size_t end = std::min(list.find(','), list.size());
        if (list.substr(0, end) == name) return true;
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return false;
}

}  // namespace

std::span<const ExtensionRow> extensionTable() { return kRows; }

ExtensionSet deviceExtensions(std::string_view chosen) {
    ExtensionSet set;
    for (const ExtensionRow& row : kRows) {
        const bool wanted = row.group == kAlways || chosen == "all" || names(chosen, row.name);
        if (row.kind == kDevice && wanted) set.insert(row.name);
    }
    return set;
}

bool enable(std::span<const char* const> wanted, const ExtensionSet& available,
            ExtensionSet& enabled) {
    for (const char* name : wanted) {
        const auto found = available.find(name);
        if (found == available.end()) return false;
        enabled.insert(*found);
    }
    return true;
}

VkResult listExtensions(ExtensionKind kind, const ExtensionSet& available, uint32_t* count,
                        VkExtensionProperties* out) {
    std::vector<const ExtensionRow*> rows;
    for (const ExtensionRow& row : kRows) {
        if (row.kind == kind && (kind == kInstance || available.contains(row.name)))
            rows.push_back(&row);
    }
    return writeList(static_cast<uint32_t>(rows.size()), count, out,
                     [&](VkExtensionProperties& properties, uint32_t i) {
                         properties = {};
                         rows[i]->name.copy(properties.extensionName,
                                            VK_MAX_EXTENSION_NAME_SIZE - 1);
                         properties.specVersion = rows[i]->version;
                     });
}

}  // namespace coopvk::reference::icd
