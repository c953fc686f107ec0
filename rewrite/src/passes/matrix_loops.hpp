// SPDX-License-Identifier: Apache-2.0
//
// Hints on loops around matrix products.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// One multiply-add becomes a hundred instructions and more. A loop around many of them, unrolled as
// shaders commonly ask, no longer fits a processor's instruction cache and takes long to compile,
// so this asks the driver not to unroll it - unless the loop picks matrices out of arrays by its
// counter, since those have to stay in registers.
void keepProductLoopsRolled(Module& module, uint32_t subgroupSize);

}  // namespace coopvk::rewrite
