// SPDX-License-Identifier: Apache-2.0
//
// How many bytes values of a type take in memory.
#pragma once

#include <unordered_map>

#include "ir/types.hpp"

namespace coopvk::rewrite {

enum class MemoryLayout {
    // By offsets and strides. Structures have the scalar alignment if a member's offset needs it,
    // else the base alignment. A runtime array counts as one element.
    kExplicit,
    // Without offsets and strides, about as drivers lay out shared memory.
    kShared,
    // That of OpenCL C (specification of OpenCL C, section 6.3.5, "Alignment of Types"), where
    // types have no offsets and strides. Scalars and vectors are aligned to their size; a vector
    // of three components has the size of four. Members of a structure start at the next multiple
    // of their alignment, or without gaps if it is CPacked.
    kOpenCl,
};

// More than any device has; sums of such sizes do not overflow.
inline constexpr uint64_t kTooManyBytes = uint64_t{1} << 32;

struct TypeSize {
    uint64_t bytes = 0;  // at most kTooManyBytes
    uint32_t alignment = 1;
    uint32_t scalarAlignment = 1;  // the size of the widest scalar
};

// Computes the size of each type once: nested structures can multiply to any size.
class TypeSizes {
 public:
    TypeSizes(const Module& module, MemoryLayout layout) : module_(module), layout_(layout) {}

    // 0 bytes if the layout does not tell; in shared memory kTooManyBytes.
    TypeSize of(Id type);
    // The offset of a structure's member; the member before it ends at `end`. nullopt: it has no
    // explicit layout.
    std::optional<uint64_t> memberStart(const Instruction& type, uint32_t member, uint64_t end);

 private:
    TypeSize known(Id type) const;
    TypeSize measure(const Instruction& type);
    TypeSize ofScalar(uint32_t bytes) const;
    TypeSize ofVector(const Instruction& type) const;
    TypeSize ofMatrix(Id column, uint64_t stride, uint64_t lines) const;
    TypeSize ofArray(const Instruction& type) const;
    TypeSize ofMember(const Instruction& structure, uint32_t member) const;
    TypeSize ofStructure(const Instruction& type);

    const Module& module_;
    const MemoryLayout layout_;
    std::unordered_map<Id, TypeSize> known_;
};

// The bytes of a scalar or vector; 0 for other types.
uint32_t bytesOf(const TypeTable& types, Id type);
// The size in bytes, rounded up to the type's alignment; 0 if it has no explicit layout.
uint32_t sizeOfType(const TypeTable& types, Id type);

}  // namespace coopvk::rewrite
