// SPDX-License-Identifier: Apache-2.0
//
// Accumulators with two layouts. In a module with a layout of elements (element_maps.hpp), they lie
// as the layout says where the module names their elements. Products may want another grid of
// lanes. So in regions, parts of functions around the loops that add products, accumulators have
// other types, which lie as products want. They are converted where a region begins and ends:
//
//   before:  sums = 0; for (...) sums = product(a, b, sums)
//            sums[e] += bias
//   after:   sums' = 0; for (...) sums' = product(a, b, sums'); sums = convert(sums')
//            sums[e] += bias
#pragma once

#include <map>
#include <set>
#include <unordered_set>

#include "ir/blocks.hpp"
#include "ir/types.hpp"
#include "ir/users.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

// The accumulators of subgroups, and the types that have them.
class SumTypes {
 public:
    SumTypes(TypeTable& types, const MatrixUses& uses);

    const std::set<Id>& all() const { return all_; }
    bool isSum(Id type) const { return all_.contains(type); }
    // Whether values of a type have accumulators, or point to some.
    bool has(Id type) const;
    // Whether it is an accumulator, an array of some, or a pointer of storage class Function to
    // one: other() knows such a type with the accumulators of products.
    bool isPlain(Id type) const;
    Id other(Id type);

 private:
    TypeTable& types_;
    Module& module_;
    std::set<Id> all_;
    std::unordered_set<Id> containers_;
    std::map<Id, Id> others_;
};

// What an instruction does with accumulators.
enum class SumAccess {
    kNone,    // nothing
    kWhole,   // moves or computes whole ones: any layout suits it
    kNames,   // names elements, or leaves the function
    kUnlike,  // anything else, in which no other layout is known to work
};
SumAccess sumAccessOf(const Module& module, const SumTypes& sums, const Instruction& i);

// Finds the regions and changes the types there, if all products of the module are in some, and
// their loops gain more than the conversions take. Returns the types of accumulators that keep the
// layout; none: nothing has changed.
std::set<Id> separateSums(TypeTable& types, const MatrixUses& uses, const PlannedTarget& target,
                          ElementLayout layout);

}  // namespace coopvk::rewrite
