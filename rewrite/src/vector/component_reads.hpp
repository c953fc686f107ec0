// SPDX-License-Identifier: Apache-2.0
//
// Components of sums, products and the like of large vectors. (a + b)[i] takes one component of
// each operand instead of the whole sum, where nothing else wants that.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

void readComponentsAlone(VectorContext& context, Function& function);

}  // namespace coopvk::rewrite
