// SPDX-License-Identifier: Apache-2.0
//
// Pieces of GLSL from which the tests build their shaders.
#pragma once

#include <string>
#include <string_view>

#include "matrix.hpp"

namespace coopvk::test::glsl {

// Version, extensions and workgroup size: one subgroup wide (constant 0), `subgroups` high.
std::string header(uint32_t subgroups = 1);
// "coopmat<float16_t, gl_ScopeSubgroup, 8, 16, gl_MatrixUseA>"; rows and columns may be names of
// constants.
std::string matrix(Component type, std::string_view rows, std::string_view columns, Use use);
std::string matrix(Component type, uint32_t rows, uint32_t columns, Use use);
// A storage buffer with one array of `element`, reached as `name`[i].
std::string buffer(uint32_t binding, std::string_view name, std::string_view element);
std::string layout(bool columnMajor);
// coopMatLoad and coopMatStore of a whole tightly packed row-major matrix at the array's start.
std::string load(std::string_view target, std::string_view array, std::string_view stride,
                 bool columnMajor = false, std::string_view element = "0");
std::string store(std::string_view source, std::string_view array, std::string_view stride,
                  bool columnMajor = false, std::string_view element = "0");
std::string_view scalar(Component type);
std::string_view useName(Use use);

}  // namespace coopvk::test::glsl
