// SPDX-License-Identifier: Apache-2.0
//
// What coopvk assumes of a device's registers.
#pragma once

#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite {

// Devices with wide subgroups and no scalar registers have few registers for each invocation. Their
// compilers move loads and address computations far ahead unless a loop prevents it.
inline bool hasFewRegisters(const DeviceTraits& device) {
    constexpr uint32_t kManyLanes = 64;
    return !device.isCpu && device.maxSubgroupSize >= kManyLanes && !device.scalarRegisters;
}

}  // namespace coopvk::rewrite
