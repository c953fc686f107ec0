// SPDX-License-Identifier: Apache-2.0
//
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
#pragma once

#include <set>

#include "ir/types.hpp"
#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

// Returns the products that are copied (`opened` above).
std::set<Id> prefetchTensorLoads(TypeTable& types, const TensorTypes& tensors);

// Whether an instruction is a copy of a product.
bool endsProduct(const Module& module, const Instruction& i);

}  // namespace coopvk::rewrite
