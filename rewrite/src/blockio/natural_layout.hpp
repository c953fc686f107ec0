// SPDX-License-Identifier: Apache-2.0
//
// The layout of CrossWorkgroup memory, whose types need no layout decorations: that of OpenCL C
// (specification of OpenCL C, section 6.3.5, "Alignment of Types"). Scalars and vectors are aligned
// to their size; a vector of three components has the size of four. Members of a structure start at
// the next multiple of their alignment, or without gaps if it is CPacked. Arrays have no gaps.
#pragma once

#include "lowering/memory_types.hpp"

namespace coopvk::rewrite {

class NaturalLayout final : public MemoryTypes {
 public:
    // For memory behind pointers of the types `pointers`.
    NaturalLayout(LoweringContext& context, const std::unordered_set<Id>& pointers);

    // In bytes, at most kMaxBytes; 0 for types without a size. Respects layout decorations.
    uint64_t size(Id type) const { return extent(type).size; }
    // The size of the widest scalar in a type, which is its least alignment.
    uint32_t scalarBytes(Id type) const { return extent(type).scalarBytes; }
    static constexpr uint64_t kMaxBytes = uint64_t{1} << 32;

 private:
    struct Extent {
        uint64_t size = 0;
        uint32_t alignment = 1;
        uint32_t scalarBytes = 1;
    };
    bool isPointer(Id type) const override { return pointers_.contains(type); }
    bool hasLayout(const Instruction& type) const override;
    void addLayout(const Instruction& type, Id copy) override;
    Extent extent(Id type) const;
    Extent measure(const Instruction& type) const;
    Extent measureStruct(const Instruction& type) const;
    uint64_t memberStart(const Instruction& type, uint32_t member, uint64_t end) const;

    const std::unordered_set<Id>& pointers_;
    std::map<Id, Extent> extents_;
};

}  // namespace coopvk::rewrite
