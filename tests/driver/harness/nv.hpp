// SPDX-License-Identifier: Apache-2.0
//
// Pieces of GLSL with GL_NV_cooperative_matrix.
#pragma once

#include "assembly.hpp"
#include "glsl.hpp"

namespace coopvk::test::nv {

// Empty if the device has VK_NV_cooperative_matrix, else why it cannot be tested.
std::string missing();
// Version, extensions and workgroup size, as glsl::header().
std::string header(uint32_t subgroups = 1);
// "fcoopmatNV<16, gl_ScopeSubgroup, 8, 16>"
std::string matrix(Component type, uint32_t rows, uint32_t columns);
// The text of a module that declares no KHR matrices, which the device need not have.
std::string textWithoutKhr(const Assembly& assembly);

}  // namespace coopvk::test::nv
