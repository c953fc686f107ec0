// SPDX-License-Identifier: Apache-2.0
//
// Shaders as the layer rewrites them for devices other than the tests' own. The result has no
// matrices, and the driver gets it unchanged.
#pragma once

#include "coopvk/rewrite.hpp"
#include "shader.hpp"

namespace coopvk::test {

// A GPU with dot products of four bytes, accelerated for some signednesses; bits of `accelerated`:
// 1 signed, 2 unsigned, 4 mixed.
rewrite::DeviceTraits gpuWithDots(uint32_t accelerated);
// One with all of these, and with subgroups of one size: many registers for each lane.
rewrite::DeviceTraits gpuWithManyRegisters();

// With more lanes, one holds so little that the rewriter chooses otherwise than tests expect.
inline constexpr uint32_t kMostLanesOfChoices = 32;

// Nothing, and a failure of the test, if it cannot be rewritten or the result still needs
// emulation.
Words rewrittenFor(const rewrite::DeviceTraits& device, const Words& words,
                   bool indexes64Bits = false,
                   rewrite::Numerics numerics = rewrite::Numerics::kFast);

// The same for a GPU with scalar registers.
Words forScalarRegisters(const Words& words);

// For a GPU with wide subgroups and without registers that lanes share: few registers for each
// lane.
Words forFewRegisters(const Words& words);
// The same, but products of vectors may also be tiles of a subgroup.
Words forFewRegistersAndTiles(const Words& words);

// Whether the module's dot products are those for gpuWithDots(accelerated): accelerated ones, or
// those of unsigned bytes if none is accelerated.
bool hasRightDots(const Words& words, uint32_t accelerated);

}  // namespace coopvk::test
