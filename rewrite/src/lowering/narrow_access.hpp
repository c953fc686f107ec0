// SPDX-License-Identifier: Apache-2.0
//
// Accesses to memory of 8 and 16 bits: what a device must have for them (Vulkan specification,
// "Shader Memory Access"), and what a module declares.
#pragma once

#include "coopvk/rewrite.hpp"
#include "ir/module.hpp"

namespace coopvk::rewrite {

// The feature for accesses of so many bits to a storage class that a device lacks; empty: none.
std::string_view missingForAccess(const DeviceTraits& device, spv::StorageClass storage,
                                  uint32_t bits);

// Declares such accesses; nothing for other widths.
void declareAccess(Module& module, spv::StorageClass storage, uint32_t bits);

}  // namespace coopvk::rewrite
