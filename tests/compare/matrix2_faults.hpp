// SPDX-License-Identifier: Apache-2.0
//
// Faults in the features of VK_NV_cooperative_matrix2; faults.hpp lists them.
#pragma once

#include "fault_text.hpp"

namespace coopvk::test {

// False if the shader has no place for it.
bool plantReduceDirection(Text& text);
bool plantReduceTwice(Text& text);
bool plantElementSwap(Text& text);
bool plantClip(Text& text);
bool plantSlice(Text& text);
bool plantDecodePlace(Text& text);

}  // namespace coopvk::test
