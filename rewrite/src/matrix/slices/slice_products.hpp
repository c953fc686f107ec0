// SPDX-License-Identifier: Apache-2.0
//
// Products in slices along K. A lane holds A and B whole along K, and shaders load several matrices
// ahead of the products that share them, for which many GPUs have too few registers. So this puts a
// loop around instructions that load matrices, multiply them and use them no more: each iteration
// loads and multiplies a slice of them, some columns of A and rows of B.
#pragma once

#include <set>

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// Changes types of A and B, and puts loops around their products. Does nothing where slices do not
// suit the device, or a product of the module does not allow them.
ProductSlices sliceProducts(TypeTable& types, const Target& target, const LayoutPolicy& policy);

struct SlicedTypes {
    std::set<Id> types;  // of A and B
    uint32_t wholeDepth = 0;
    uint32_t depth = 0;   // 0: no slices
    bool rolled = false;  // the driver shall not unroll the loop over slices
};
// Chooses the types that may be loaded in slices, and the depth that suits the device.
SlicedTypes chooseSlices(const TypeTable& types, const Target& target, const LayoutPolicy& policy);

}  // namespace coopvk::rewrite
