// SPDX-License-Identifier: Apache-2.0
//
// What a device's registers are like, by what it says of itself.
#pragma once

#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite {

// Many lanes, and no registers that they share: few registers for each of them. Compilers for such
// devices move loads and their addresses far ahead where nothing keeps them in a loop.
inline bool hasFewRegisters(const DeviceTraits& device) {
    constexpr uint32_t kManyLanes = 64;
    return !device.isCpu && device.maxSubgroupSize >= kManyLanes && !device.scalarRegisters;
}

}  // namespace coopvk::rewrite
