// SPDX-License-Identifier: Apache-2.0
#include "doctor/switches.hpp"

#include <string>

#include "settings/asked_for.hpp"
#include "settings/names.hpp"
#include "system/system.hpp"

namespace coopvk::tool {
namespace {

constexpr const char* kEnableFilter = "VK_LOADER_LAYERS_ENABLE";
constexpr const char* kDisableFilter = "VK_LOADER_LAYERS_DISABLE";
constexpr const char* kAllowFilter = "VK_LOADER_LAYERS_ALLOW";

using layer::system::variable;

}  // namespace

void checkSwitches(bool implicit, bool isConfigured, Findings& findings) {
    const auto kind = implicit ? layer::LayerKind::kImplicit : layer::LayerKind::kExplicit;
    const bool byName = layer::isInLayerList();
    const bool byFilter = layer::filterHas(variable(kEnableFilter), layer::kLayerName, kind);
    const std::string_view disabling = variable(kDisableFilter);
    if (layer::filterHas(disabling, layer::kLayerName, kind) &&
        !layer::filterHas(variable(kAllowFilter), layer::kLayerName, kind) && !byFilter) {
        findings.push_back(
            {true,
             std::string(kDisableFilter) + "=" + std::string(disabling) +
                 " stops the loader from loading the layer",
             "unset it, or add the layer: " + std::string(kAllowFilter) + "=" + layer::kLayerName});
    }
    if (byName || !implicit) return;
    if (std::getenv("COOPVK_DISABLE") != nullptr) {
        findings.push_back({true,
                            "COOPVK_DISABLE is set, which keeps the layer off whatever its "
                            "value is",
                            "unset COOPVK_DISABLE"});
    }
    const char* enable = std::getenv(layer::kEnableVariable);
    if (byFilter || isConfigured || (enable != nullptr && std::string_view(enable) == "1")) return;
    findings.push_back({true,
                        enable == nullptr ? "COOPVK_ENABLE is not set, and the layer is off "
                                            "without it"
                                          : "COOPVK_ENABLE is '" + std::string(enable) +
                                                "', and only 1 switches the layer on",
                        "set COOPVK_ENABLE=1, or let coopvk.conf switch it on for programs "
                        "(coopvk config --help)"});
}

}  // namespace coopvk::tool
