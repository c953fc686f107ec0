// SPDX-License-Identifier: Apache-2.0
//
// For tests of emulated half floats: inputs that show how they round, and their values.
#pragma once

#include <string>
#include <vector>

#include "compute.hpp"
#include "format.hpp"

namespace coopvk::test {

// Pairs of all special numbers, then random ones: `count` for each of three operands.
struct HalfOperands {
    std::vector<uint64_t> a, b, c;
};
HalfOperands halfOperands(std::string_view seed, size_t count);

// Whether the device counts denormals as zero.
bool mayFlushHalves();
// Whether it rounds toward zero only, and this is what it makes of a number that `nearest` is next
// to.
bool isTruncatedHalf(uint64_t bits, uint64_t nearest, double exact);

double halfValue(uint64_t bits);
uint64_t halfBits(double value);  // to nearest even
bool isHalfNan(uint64_t bits);

// A compute shader of 64 invocations in a workgroup that may have half floats.
std::string halfShader(std::string_view body);

// The units in the last place between two numbers; 0 for two NaN, the largest number for one.
uint64_t halfUnitsBetween(uint64_t a, uint64_t b);

}  // namespace coopvk::test
