// SPDX-License-Identifier: Apache-2.0
#include "microscaled.hpp"

#include <algorithm>
#include <cmath>
#include <format>
#include <limits>

namespace coopvk::test {
namespace {

// OCP Microscaling Formats 1.0, tables 5 to 8: the numbers without a sign, in the order of their
// bits.
constexpr double kE2M1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
constexpr double kE2M3[] = {0,   0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1, 1.125, 1.25, 1.375,
                            1.5, 1.625, 1.75, 1.875, 2,   2.25,  2.5,  2.75,  3, 3.25,  3.5,  3.75,
                            4,   4.5,   5,    5.5,   6,   6.5,   7,    7.5};
constexpr double kE3M2[] = {0,   0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375,
                            0.5, 0.625,  0.75,  0.875,  1,    1.25,   1.5,   1.75,
                            2,   2.5,    3,     3.5,    4,    5,      6,     7,
                            8,   10,     12,    14,     16,   20,     24,    28};

constexpr Microscaled kMicroscaledFormats[] = {{"e2m1", "floate2m1_t", "fe2m1vec", 4, kE2M1},
                                               {"e2m3", "floate2m3_t", "fe2m3vec", 6, kE2M3},
                                               {"e3m2", "floate3m2_t", "fe3m2vec", 6, kE3M2},
                                               {"e8m0", "floatue8m0_t", "fue8m0vec", 8},
                                               {"mxint8", "floatmxint8_t", "fmxint8vec", 8}};

}  // namespace

double Microscaled::valueOf(uint32_t pattern) const {
    if (name == "e8m0") {
        return pattern == 255 ? std::numeric_limits<double>::quiet_NaN()
                              : std::ldexp(1.0, static_cast<int>(pattern) - 127);
    }
    if (name == "mxint8") return static_cast<int8_t>(pattern) / 64.0;
    const double magnitude = magnitudes[pattern % magnitudes.size()];
    return pattern < magnitudes.size() ? magnitude : -magnitude;
}

std::string Microscaled::vectorOf(uint32_t components) const {
    return components == 1 ? std::string(scalar) : std::string(vector) + std::to_string(components);
}

std::string Microscaled::from(std::string_view integer, uint32_t offset) const {
    if (!isInBytes()) return std::format("bitcastExtractf{}EXT({}, {})", name, integer, offset);
    const std::string stem = name == "e8m0" ? "Floatue8m0" : "Floatmxint8";
    return std::format("uintBitsTo{}EXT({})", stem, integer);
}

std::span<const Microscaled> allMicroscaled() { return kMicroscaledFormats; }

const Microscaled& microscaled(std::string_view name) {
    return *std::ranges::find(kMicroscaledFormats, name, &Microscaled::name);
}

std::string microscalingHeader() {
    return "#version 460\n"
           "#extension GL_EXT_bfloat16 : require\n"
           "#extension GL_EXT_float_e4m3 : require\n"
           "#extension GL_EXT_float_e5m2 : require\n"
           "#extension GL_EXT_float_e2m1 : require\n"
           "#extension GL_EXT_float_e2m3 : require\n"
           "#extension GL_EXT_float_e3m2 : require\n"
           "#extension GL_EXT_float_ue8m0 : require\n"
           "#extension GL_EXT_float_mxint8 : require\n"
           "#extension GL_EXT_long_vector : enable\n"
           "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
           "#extension GL_EXT_buffer_reference : require\n"
           "#extension GL_EXT_scalar_block_layout : require\n"
           "layout(local_size_x = 64) in;\n";
}

}  // namespace coopvk::test
