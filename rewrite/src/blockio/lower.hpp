// SPDX-License-Identifier: Apache-2.0
//
// Lowers SPV_INTEL_2d_block_io to core SPIR-V.
#pragma once

#include "lowering/context.hpp"

namespace coopvk::rewrite {

// Specialization constants must be frozen. Also drops prefetches and cache controls.
std::optional<Error> lowerBlockIo(LoweringContext& context);

// The first step: CrossWorkgroup pointers become PhysicalStorageBuffer pointers. Memory without an
// explicit layout gets OpenCL's layout.
void lowerCrossWorkgroupPointers(LoweringContext& context);

}  // namespace coopvk::rewrite
