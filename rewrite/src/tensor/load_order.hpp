// SPDX-License-Identifier: Apache-2.0
//
// Moves loads by tensor addresses next to each other, so that they can share one branch. At the end
// of a branch, a GPU waits for the loads in it, so it would start the next load only then.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "ir/module.hpp"
#include "ir/types.hpp"
#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

// Moves tensor loads and stores that differ in their arguments only into a function, which they
// become calls of. For short code: such loads do not share a branch with others.
void shareTensorAccesses(TypeTable& types);

// Moves each load of a block down to the next load, unless an instruction between them uses its
// result. Stores of the result to variables of the function move behind both. Returns the loads
// that another load of their group follows directly.
std::set<Id> gatherTensorLoads(Module& module);

// Moves tensor loads in loops to the iteration before, so that a GPU loads for the next product
// while it computes one:
//
//   before:  loop { a, b = loads; c = product(a, b, c) }
//   after:   a, b = loads
//            loop { opened = product(a, b, c)
//                   if (there is a next iteration) { a, b = its loads; c = copy of opened }
//                   else { c = copy of opened } }
//
// Whoever lowers the product may end it where it is copied, behind the loads.

// Returns the products that are copied (`opened` above).
std::set<Id> prefetchTensorLoads(TypeTable& types, const TensorTypes& tensors);

// Whether an instruction is a copy of a product.
bool endsProduct(const Module& module, const Instruction& i);

// Duplicates the code from tensor loads to the products that use them: one version for layouts that
// allow the fastest loads, one for all others. Without this, both ways to load join ahead of the
// product, where a GPU waits for the loads, and holds in registers what either way needs.

struct LoadVersions {
    // The loads of the first version, by the boolean that selects it. That is an OpUndef, which
    // whoever lowers the loads must replace.
    std::map<Id, std::vector<const Instruction*>> loads;
    std::set<Id> fastest, others;  // the loads of the first and of the second version
};

// `followed`: the result of gatherTensorLoads(), to which the loads of both versions are added. A
// group without a product behind it in its block stays as it is.
LoadVersions duplicateLoads(TypeTable& types, std::set<Id>& followed);

}  // namespace coopvk::rewrite
