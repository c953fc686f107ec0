// SPDX-License-Identifier: Apache-2.0
//
// 8- and 16-bit accesses to memory: the features that they need (Vulkan specification, "Shader
// Memory Access"), and the capabilities that a module declares for them.
#pragma once

#include "ir/module.hpp"
#include "plan/features.hpp"

namespace coopvk::rewrite {

// The name of the feature that a device lacks for accesses of `bits` bits to a storage class; empty
// if it lacks none.
std::string_view missingForAccess(const DeviceFeatures& device, spv::StorageClass storage,
                                  uint32_t bits);

// Whether the module may make such accesses: the device lacks no feature for them, or for blocks in
// Workgroup memory the module declares the capability.
bool canAccess(const Module& module, const DeviceFeatures& device, spv::StorageClass storage,
               uint32_t bits);

// Declares the capability for such accesses, if there is one.
void declareAccess(Module& module, spv::StorageClass storage, uint32_t bits);

}  // namespace coopvk::rewrite
