// SPDX-License-Identifier: Apache-2.0
//
// Products in slices along K. A lane holds A and B whole along K, and shaders load several matrices
// ahead of products that share them: more than many GPUs have registers for. Where a shader loads
// matrices, multiplies them and lets them go again, it does so once for each slice instead: a loop
// around these instructions, in which matrices have fewer columns (A) and rows (B).
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// Changes types of A and B, and puts loops around their products; nothing where that does not suit
// the device, or any product of the module does not allow it.
ProductSlices sliceProducts(TypeTable& types, const Target& target, const LayoutPolicy& policy);

}  // namespace coopvk::rewrite
