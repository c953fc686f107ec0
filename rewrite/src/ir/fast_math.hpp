// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Keeps drivers from contracting or reassociating an instruction on floats. With FPFastMathDefault
// (SPV_KHR_float_controls2, "Universal Validation Rules") NoContraction is invalid: then the
// instruction gets the flags that it has by default, without those that allow this.
void forbidContraction(Module& module, Id result);

}  // namespace coopvk::rewrite
