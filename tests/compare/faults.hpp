// SPDX-License-Identifier: Apache-2.0
//
// Faults that a driver could have, planted into the shaders that reach it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace coopvk::test {

// The words with the fault in them; unchanged if the shader has no place for it. Known faults:
// of a driver's own matrices
//   lane           one more in each element of a product that lane 3 holds
//   layout         the second matrix is loaded from the other layout
//   rounding       products of f32 are off by as much as a rounding to f16 may be
//   ulps           sums of f32 are off by four ulps
//   own-k-step     one product is missing in each sum (A by columns and B by rows only)
//   store-layout   the result is stored in the other layout
// of VK_NV_cooperative_matrix2, a driver's own or above coopvk's layer
//   reduce-direction  rows are reduced in place of columns, or columns in place of rows
//   reduce-twice   each step of a reduction takes one operand twice, and loses the other
//   element-swap   lane 3 calls a function for each element with row and column exchanged
//   conversion     one more in each element of a conversion that lane 3 holds
//   clip           a view shows one row too few
//   slice          a slice begins one too early in the first dimension
//   decode-place   a decode function gets the block's first coordinate in place of the second
// of conversions of f32 to bfloat16 and 8-bit floats there
//   conversion-rounding    what is converted is greater by one unit of the format
//   conversion-saturation  what saturates does not, and what does not does
//   conversion-nan         NaN becomes 0
// of shaders that coopvk has rewritten
//   k-step         one product is left out of a sum
//   format-rounding    numbers are rounded up, by more than a unit of bfloat16 or of e4m3
//   format-saturation  what is too large for e4m3 becomes its largest number, not NaN
//   format-nan         NaN of 8-bit floats becomes a number
std::vector<uint32_t> plant(std::string_view fault, std::vector<uint32_t> words);

}  // namespace coopvk::test
