// SPDX-License-Identifier: Apache-2.0
//
// Shaders as the layer rewrites them for devices other than the one below. What comes out has no
// matrices, and goes to the driver as it is.
#pragma once

#include "coopvk/rewrite.hpp"
#include "shader.hpp"

namespace coopvk::test {

// A GPU with dot products of four bytes, accelerated for some signednesses; bits of `accelerated`:
// 1 signed, 2 unsigned, 4 mixed.
rewrite::DeviceTraits gpuWithDots(uint32_t accelerated);

// Nothing, and a failure of the test, if it cannot be rewritten or keeps anything to emulate.
Words rewrittenFor(const rewrite::DeviceTraits& device, const Words& words);

// The same for a GPU with scalar registers.
Words forScalarRegisters(const Words& words);

// For a GPU with wide subgroups and nothing that lanes share: few registers for each.
Words forFewRegisters(const Words& words);
// The same, where products of vectors are tiles of a subgroup, too.
Words forFewRegistersAndTiles(const Words& words);

// Whether the module's dot products are those that gpuWithDots(accelerated) is to do: accelerated
// ones, or where there are none those of unsigned bytes.
bool hasRightDots(const Words& words, uint32_t accelerated);

}  // namespace coopvk::test
