// SPDX-License-Identifier: Apache-2.0
//
// SPV_EXT_shader_64bit_indexing: whether indices into buffers, and offsets in them, have 64 bits.
#pragma once

#include "ir/types.hpp"

namespace coopvk::rewrite {

// Declares what 64-bit indexing needs if the entry point, the only one, has its execution mode or
// `isRequested`. Without 64-bit integers (`hasInt64`: the device's), indices stay u32.
void declareWideIndices(Module& module, bool isRequested, bool hasInt64);

// The type of indices into memory of a storage class: u64 with 64-bit indexing, and for physical
// pointers if the module has 64-bit integers; else u32.
Id indexType(TypeTable& types, spv::StorageClass storage);
// The same for buffers.
inline Id bufferIndexType(TypeTable& types) {
    return indexType(types, spv::StorageClass::StorageBuffer);
}

}  // namespace coopvk::rewrite
