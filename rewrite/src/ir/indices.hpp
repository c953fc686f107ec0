// SPDX-License-Identifier: Apache-2.0
//
// Indices into memory: whether they have 64 bits (SPV_EXT_shader_64bit_indexing), and their
// constant parts.
#pragma once

#include "ir/emitter.hpp"

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

// A u32 value as a sum: what differs by invocation or iteration, and a constant.
struct IndexParts {
    Id variable = 0;
    uint32_t constant = 0;
};

// Looks through additions, and through multiplications by constants. Emits at most as many
// instructions as the value has. Many indices of an invocation differ only by the constant, and
// drivers' compilers do not find that behind a division.
IndexParts separateConstant(Emitter& emit, Id value);

}  // namespace coopvk::rewrite
