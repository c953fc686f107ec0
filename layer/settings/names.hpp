// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace coopvk::layer {

// As the manifest has them.
inline constexpr const char* kLayerName = "VK_LAYER_COOPVK_emulation";
inline constexpr const char* kLayerDescription =
    "Emulates cooperative matrices, cooperative vectors and related extensions by rewriting SPIR-V";

// The function in place of vkNegotiateLoaderLayerInterfaceVersion that the manifest of
// `coopvk config --install` names.
inline constexpr const char* kNegotiateByConfiguration = "coopvkNegotiateByConfiguration";

}  // namespace coopvk::layer
