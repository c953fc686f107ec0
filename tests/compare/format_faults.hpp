// SPDX-License-Identifier: Apache-2.0
//
// Faults in conversions of f32 matrices to bfloat16 and 8-bit floats, and of microscaling formats;
// faults.hpp lists them.
#pragma once

#include "fault_text.hpp"

namespace coopvk::test {

// False if the shader has no place for it.
bool plantConversionRounding(Text& text);
bool plantConversionSaturation(Text& text);
bool plantConversionNan(Text& text);
// A number of SPV_EXT_ocp_microscaling_types is taken from one bit further on.
bool plantNumberOffset(Text& text);

}  // namespace coopvk::test
