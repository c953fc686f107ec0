// SPDX-License-Identifier: Apache-2.0
//
// Operations of GLSL on matrix values: elements, variables, arrays, structs, functions, control
// flow.
#pragma once

#include <vector>

#include "value.hpp"

namespace coopvk::test {

const std::vector<GlslValue>& glslValues();

}  // namespace coopvk::test
