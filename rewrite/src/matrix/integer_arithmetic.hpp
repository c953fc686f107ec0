// SPDX-License-Identifier: Apache-2.0
//
// Integer widening, narrowing and saturating addition. Values are scalars or vectors; arithmetic
// types are unsigned.
#pragma once

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

// The integer sign or zero extended to `type`, which has as many components and is at least as
// wide.
Id extendInteger(Emitter& emit, Id value, Id type, bool isSigned);

// The low bits of the integer, as `type`, which has as many components and is at most as wide.
Id narrowInteger(Emitter& emit, Id value, Id type);

// a + b, saturated to the limits of integers of `width` bits, in the low bits of a value of `type`,
// which is at least as wide. Of `a` only the low `width` bits count; `b` is extended to `type`.
Id saturatingAdd(Emitter& emit, Id type, uint32_t width, bool isSigned, Id a, Id b);

}  // namespace coopvk::rewrite
