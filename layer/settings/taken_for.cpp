// SPDX-License-Identifier: Apache-2.0
#include "settings/taken_for.hpp"

#include <algorithm>
#include <iterator>

namespace coopvk::layer {
namespace {

using rewrite::Extension;

// As NVIDIA's driver packs a version (its header of Vulkan versions: 10, 8, 8 and 6 bits).
constexpr uint32_t nvidiaVersion(uint32_t major, uint32_t minor, uint32_t third) {
    return major << 22 | minor << 14 | third << 6;
}

// Numbers and names: the PCI ID repository (10de:2684 AD102, 1002:7550 Navi 48), and what the
// drivers call these cards. The versions are of 2025: programs refuse older drivers.
constexpr TakenFor kRows[] = {
    TakenFor{.name = "nvidia",
             .possessive = "NVIDIA's",
             .ids = {.vendor = 0x10de,
                     .device = 0x2684,
                     .driver = VK_DRIVER_ID_NVIDIA_PROPRIETARY,
                     .deviceName = "NVIDIA GeForce RTX 4090",
                     .driverName = "NVIDIA",
                     .driverInfo = "580.159.04",
                     .driverVersion = nvidiaVersion(580, 159, 4)},
             .layout = rewrite::ElementLayout::kNvidia,
             .subgroupSize = 32,
             .extensions = {Extension::kNvShaderSmBuiltins, Extension::kNvCudaKernelLaunch}},
    TakenFor{.name = "amd",
             .possessive = "AMD's",
             .ids = {.vendor = 0x1002,
                     .device = 0x7550,
                     .driver = VK_DRIVER_ID_MESA_RADV,
                     .deviceName = "AMD Radeon RX 9070 XT (RADV GFX1201)",
                     .driverName = "radv",
                     .driverInfo = "Mesa 25.2.0",
                     .driverVersion = VK_MAKE_API_VERSION(0, 25, 2, 0)},
             .layout = rewrite::ElementLayout::kRdna4,
             .subgroupSize = 32,
             .extensions = {}},
};

}  // namespace

const TakenFor* takenFor(std::string_view name) {
    const auto* row = std::ranges::find(kRows, name, &TakenFor::name);
    return row == std::end(kRows) ? nullptr : row;
}

}  // namespace coopvk::layer
