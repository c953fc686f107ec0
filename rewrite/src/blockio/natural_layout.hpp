// SPDX-License-Identifier: Apache-2.0
//
// Memory without layout decorations, which CrossWorkgroup memory is: sizes and alignments as
// OpenCL C has them (specification of OpenCL C, section 6.3.5, "Alignment of Types"). A scalar is
// aligned to its size; so is a vector, and one of three components takes the place of four; members
// of structures follow each other at the next multiple of their alignment, or without gaps where
// the structure is CPacked; an array's elements follow each other without gaps.
#pragma once

#include <map>
#include <unordered_set>

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

class NaturalLayout {
 public:
    // Makes explicit types of the roots and of what is inside them.
    NaturalLayout(TypeTable& types, std::unordered_set<Id> roots);

    // Bytes; 0 for what has no size. Layout decorations count where a type has them.
    uint64_t size(Id type) const { return fact(type).size; }
    uint32_t alignment(Id type) const { return fact(type).alignment; }
    // Bytes of the widest scalar in it, which it is aligned to whatever its layout.
    uint32_t scalarBytes(Id type) const { return fact(type).scalarBytes; }
    // Scalars and vectors that a value of the type consists of, at most kMost.
    uint64_t parts(Id type) const { return fact(type).parts; }
    static constexpr uint64_t kMost = uint64_t{1} << 32;

    // A copy of a structure or array type that says its layout, also of the members; the type
    // itself where it says so already or needs none.
    Id explicitType(Id type) const;

    // The same value as the other one of the two types, part by part.
    Id convert(Emitter& emit, Id value, Id type) const;

 private:
    struct Fact {
        uint64_t size = 0;
        uint32_t alignment = 1;
        uint32_t scalarBytes = 1;
        uint64_t parts = 1;
    };
    const Fact& fact(Id type) const;
    Fact measure(const Instruction& type) const;
    Fact measureStruct(const Instruction& type) const;
    uint64_t memberStart(const Instruction& type, uint32_t member, uint64_t end) const;
    Id makeArray(Id type);
    Id makeStruct(Id type);

    Module& module_;
    std::map<Id, Fact> facts_;
    std::map<Id, Id> explicit_;
};

}  // namespace coopvk::rewrite
