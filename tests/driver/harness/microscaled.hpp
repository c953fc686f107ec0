// SPDX-License-Identifier: Apache-2.0
//
// The formats of VK_EXT_shader_ocp_microscaling_types in shaders, and their numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace coopvk::test {

struct Microscaled {
    std::string_view name, scalar, vector;
    uint32_t bits;
    std::span<const double> magnitudes = {};  // empty: E8M0, MXINT8

    double valueOf(uint32_t pattern) const;
    bool isInBytes() const { return bits == 8; }
    std::string vectorOf(uint32_t components) const;
    // From an unsigned integer with these bits at an offset.
    std::string from(std::string_view integer, uint32_t offset) const;
};

std::span<const Microscaled> allMicroscaled();
const Microscaled& microscaled(std::string_view name);
// The start of a shader.
std::string microscalingHeader();

}  // namespace coopvk::test
