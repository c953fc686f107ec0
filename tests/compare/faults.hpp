// SPDX-License-Identifier: Apache-2.0
//
// Faults that a driver could have, planted into the shaders that reach it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace coopvk::test {

// The words with the fault in them; unchanged where the shader has no place for it. Known faults:
// of a driver's own matrices
//   lane           one more in each element of a product that lane 3 holds
//   layout         the second matrix is loaded from the other layout
//   rounding       products of f32 are off by as much as a rounding to f16 may be
//   ulps           sums of f32 are off by four ulps
//   own-k-step     one product is missing in each sum (A by columns and B by rows only)
//   store-layout   the result is stored in the other layout
// of shaders that coopvk has rewritten
//   k-step         one product is left out of a sum
std::vector<uint32_t> plant(std::string_view fault, std::vector<uint32_t> words);

}  // namespace coopvk::test
