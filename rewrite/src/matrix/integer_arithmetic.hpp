// SPDX-License-Identifier: Apache-2.0
//
// Integer widening, narrowing and saturating addition. Values are scalars or vectors; arithmetic
// types are unsigned.
#pragma once

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

// Any integer as `type` (same number of components): sign or zero extended, or its low bits.
Id extendInteger(Emitter& emit, Id value, Id type, bool isSigned);

// The low bits as an integer type of at most the same width.
Id narrowInteger(Emitter& emit, Id value, Id type);

// a + b as integers of `width` bits (at most the width of `type`, scalars), saturating at the
// limits of that width. `a` counts by its low bits only; `b` is properly extended. The result's
// low `width` bits are the sum.
Id saturatingAdd(Emitter& emit, Id type, uint32_t width, bool isSigned, Id a, Id b);

}  // namespace coopvk::rewrite
