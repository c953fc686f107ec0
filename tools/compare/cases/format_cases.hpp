// SPDX-License-Identifier: Apache-2.0
//
// The cases of VK_EXT_shader_ocp_microscaling_types: every bit pattern of each format becomes a
// float, but for those of E8M0 whose float would be a denormal number.
#pragma once

#include "compare/cases/plan.hpp"
#include "compare/run/gpu.hpp"

namespace coopvk::compare {

// Of the formats that a side's features name; a side may be missing.
std::vector<Case> formatCases(const Gpu* native, const Gpu* emulated);
// Of all formats, for the reference device in place of the native side.
std::vector<Case> referenceFormatCases();

}  // namespace coopvk::compare
