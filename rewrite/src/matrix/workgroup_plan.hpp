// SPDX-License-Identifier: Apache-2.0
//
// How a product of matrices of scope Workgroup is made (workgroup_product.hpp).
#pragma once

#include "matrix/product.hpp"
#include "matrix/staged_operand.hpp"

namespace coopvk::rewrite {

// The types of a product: what is staged, and what the sums are made in.
struct WorkgroupPlan {
    StagedOperand a, b;
    MatrixType sum;
    uint32_t step = 1;   // columns of A that are multiplied at once
    uint32_t depth = 0;  // of a slice; divides K
};

WorkgroupPlan planOf(const MatrixContext& context, const MulAdd& product);

// The deepest slice that has room. False with an error.
bool chooseDepth(MatrixContext& context, WorkgroupPlan& plan, const Instruction& at);

}  // namespace coopvk::rewrite
