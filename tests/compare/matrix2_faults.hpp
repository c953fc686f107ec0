// SPDX-License-Identifier: Apache-2.0
//
// Faults in what VK_NV_cooperative_matrix2 adds; faults.hpp says what they are.
#pragma once

#include "fault_text.hpp"

namespace coopvk::test {

// False where the shader has no place for it.
bool plantReduceDirection(Text& text);
bool plantReduceTwice(Text& text);
bool plantElementSwap(Text& text);
bool plantClip(Text& text);
bool plantSlice(Text& text);
bool plantDecodePlace(Text& text);

}  // namespace coopvk::test
