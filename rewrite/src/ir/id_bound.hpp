// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace coopvk::rewrite {

// Universal limit on the id bound (SPIR-V specification, section 2.17).
inline constexpr uint32_t kMaxIdBound = 0x3FFFFF;

}  // namespace coopvk::rewrite
