// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

// A u32 value as a sum: what differs by invocation or iteration, and a constant.
struct IndexParts {
    Id variable = 0;
    uint32_t constant = 0;
};

// Looks through additions, and through multiplications by constants. Emits at most as many
// instructions as the value has. Many indices of an invocation differ only by the constant, and
// drivers' compilers do not find that behind a division.
IndexParts separateConstant(Emitter& emit, Id value);

}  // namespace coopvk::rewrite
