// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace coopvk::layer {

inline constexpr uint32_t kImplementationVersion = 1;

}  // namespace coopvk::layer
