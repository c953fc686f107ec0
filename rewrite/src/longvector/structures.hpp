// SPDX-License-Identifier: Apache-2.0
//
// Structures and arrays with long vectors in them. As values they would be in registers: compilers
// of drivers spill these, and take long. So they are split: they are in Function variables, as long
// vectors are, and only their parts are values:
//
//   %s = OpLoad %structure %p
//   %v = OpCompositeExtract %vector %s 1     %v = OpLoad %vector (chain to member 1 of p)
//   OpStore %q %s                            a load and a store for each member
//
// This is before the lowering of long vectors, which makes loops of these loads and stores.
// Structures without long vectors of more than kUnrolledComponents stay values.
#pragma once

#include "ir/memory_operands.hpp"
#include "ir/types.hpp"
#include "longvector/types.hpp"

namespace coopvk::rewrite {

// Which structures and arrays are split, and the types of their variables.
class SplitTypes {
 public:
    explicit SplitTypes(LongVectorContext& context);

    bool isSplit(Id type) const;
    bool isSplitValue(Id value) const { return isSplit(context_.module.def(value).type); }
    // The same type without a layout.
    Id plain(Id type);

 private:
    // A type that is not split has no parts that are.
    void exclude(Id type);
    bool hasLongVector(Id type) const;
    bool hasCooperativeVector(Id type) const;
    std::vector<Id> keyOf(const Instruction& type) const;

    LongVectorContext& context_;
    mutable std::unordered_map<Id, bool> split_, hasLong_, hasCooperative_;
    std::unordered_map<Id, Id> plain_;
    std::map<std::vector<Id>, Id> declared_;  // types without a layout, by their parts
};

// A structure or an array whose parts are loaded, stored or copied one by one. Long vectors are
// none, also where they are arrays already.
bool hasParts(const LongVectorContext& context, Id type);

void splitStructures(LongVectorContext& context);

}  // namespace coopvk::rewrite
