// SPDX-License-Identifier: Apache-2.0
#include "halves.hpp"

#include <algorithm>
#include <cmath>

#include "random.hpp"

namespace coopvk::test {
namespace {

// Zeros, the smallest and the largest denormals and normal numbers, ties of sums and products,
// infinities, NaN.
constexpr uint64_t kSpecial[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x03FF, 0x83FF,
                                 0x0400, 0x8400, 0x0401, 0x1400, 0x3C00, 0xBC00, 0x3C01,
                                 0x3BFF, 0x3800, 0x4000, 0x4200, 0x6400, 0x6801, 0x6C00,
                                 0x7800, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00};

int64_t ordered(uint64_t bits) {
    const auto magnitude = static_cast<int64_t>(bits & 0x7FFF);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace

bool mayFlushHalves() {
    const auto& modes = Context::get().properties12;
    return modes.shaderDenormFlushToZeroFloat16 != 0 && modes.shaderDenormPreserveFloat16 == 0;
}

bool isTruncatedHalf(uint64_t bits, uint64_t nearest, double exact) {
    if (bits + 1 != nearest || std::fabs(halfValue(nearest)) <= std::fabs(exact)) return false;
    const auto& modes = Context::get().properties12;
    return modes.shaderRoundingModeRTZFloat16 != 0 && modes.shaderRoundingModeRTEFloat16 == 0;
}

HalfOperands halfOperands(std::string_view seed, size_t count) {
    HalfOperands operands;
    Rng rng(seed);
    for (const uint64_t a : kSpecial) {
        for (const uint64_t b : kSpecial) {
            operands.a.push_back(a);
            operands.b.push_back(b);
        }
    }
    const auto random = [&] { return rng.next() & 0xFFFF; };
    while (operands.a.size() < count) {
        const uint64_t a = random();
        operands.a.push_back(a);
        // Half of the numbers are near to each other: otherwise most sums are one of both.
        const bool isNear = rng.next() % 2 == 0;
        operands.b.push_back(isNear ? (a ^ (rng.next() & 0x8FFF)) : random());
    }
    operands.a.resize(count);
    operands.b.resize(count);
    while (operands.c.size() < count) operands.c.push_back(random());
    return operands;
}

double halfValue(uint64_t bits) { return valueOf(format("f16"), bits); }

uint64_t halfBits(double value) { return nearest(format("f16"), value); }

bool isHalfNan(uint64_t bits) { return isNan(format("f16"), bits); }

std::string halfShader(std::string_view body) {
    return std::string(
               "#version 460\n"
               "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
               "#extension GL_EXT_shader_16bit_storage : require\n"
               "#extension GL_KHR_shader_subgroup_arithmetic : require\n"
               "#extension GL_KHR_shader_subgroup_shuffle : require\n"
               "#extension GL_KHR_shader_subgroup_vote : require\n"
               "#extension GL_KHR_shader_subgroup_ballot : require\n"
               "#extension GL_EXT_shader_subgroup_extended_types_float16 : require\n"
               "layout(local_size_x = 64) in;\n") +
           std::string(body);
}

uint64_t halfUnitsBetween(uint64_t a, uint64_t b) {
    if (isHalfNan(a) || isHalfNan(b)) return isHalfNan(a) && isHalfNan(b) ? 0 : ~uint64_t{0};
    return static_cast<uint64_t>(std::abs(ordered(a) - ordered(b)));
}

}  // namespace coopvk::test
