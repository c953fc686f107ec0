// SPDX-License-Identifier: Apache-2.0
//
// Memory without layout decorations, which CrossWorkgroup memory is: sizes and alignments as
// OpenCL C has them (specification of OpenCL C, section 6.3.5, "Alignment of Types"). A scalar is
// aligned to its size; so is a vector, and one of three components takes the place of four; members
// of structures follow each other at the next multiple of their alignment, or without gaps where
// the structure is CPacked; an array's elements follow each other without gaps.
#pragma once

#include "lowering/memory_types.hpp"

namespace coopvk::rewrite {

class NaturalLayout final : public MemoryTypes {
 public:
    // Of what lies behind pointers of some types.
    NaturalLayout(LoweringContext& context, const std::unordered_set<Id>& pointers);

    // Bytes, at most kMost; 0 for what has no size. Layout decorations count where a type has them.
    uint64_t size(Id type) const { return fact(type).size; }
    // Bytes of the widest scalar in it, which it is aligned to whatever its layout.
    uint32_t scalarBytes(Id type) const { return fact(type).scalarBytes; }
    static constexpr uint64_t kMost = uint64_t{1} << 32;

 private:
    struct Fact {
        uint64_t size = 0;
        uint32_t alignment = 1;
        uint32_t scalarBytes = 1;
    };
    bool isPointer(Id type) const override { return pointers_.contains(type); }
    bool saysLayout(const Instruction& type) const override;
    void addLayout(const Instruction& type, Id copy) override;
    const Fact& fact(Id type) const;
    Fact measure(const Instruction& type) const;
    Fact measureStruct(const Instruction& type) const;
    uint64_t memberStart(const Instruction& type, uint32_t member, uint64_t end) const;

    const std::unordered_set<Id>& pointers_;
    std::map<Id, Fact> facts_;
};

}  // namespace coopvk::rewrite
