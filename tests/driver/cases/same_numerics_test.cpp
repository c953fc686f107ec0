// SPDX-License-Identifier: Apache-2.0
//
// Numerics::kSame: a loop of products, rewritten for several devices and executed here, gives the
// bits that docs/developers/numerics.md defines. With Numerics::kFast, some devices' code gives
// others.
#include <gtest/gtest.h>

#include "harness/compute.hpp"
#include "harness/context.hpp"
#include "harness/glsl.hpp"
#include "harness/requirement.hpp"
#include "harness/rewritten.hpp"
#include "numbers/exact.hpp"

namespace coopvk::test::same_numerics_test {
namespace {

namespace numbers = reference::numbers;

using enum Component;
using rewrite::DeviceTraits;
using rewrite::Numerics;

constexpr uint32_t kM = 8, kN = 8, kK = 16, kTurns = 3, kDepth = kK * kTurns;

struct Types {
    Component factor, sum;
};
constexpr Types kTypes[] = {{kF16, kF16}, {kF16, kF32}, {kF32, kF32}};

// Whether the module says how f16 are rounded.
enum class Mode { kNone, kNearestEven };

constexpr std::string_view kNearestEvenOfHalves =
    "#extension GL_EXT_spirv_intrinsics : require\n"
    "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [4467], "
    "4462, 16);\n";

std::string shaderText(const Types& types, Mode mode) {
    const std::string factor(types.factor == kF16 ? "float16_t" : "float");
    const std::string sum(types.sum == kF16 ? "float16_t" : "float");
    const std::string depth = std::to_string(kDepth);
    return glsl::header() + std::string(mode == Mode::kNone ? "" : kNearestEvenOfHalves) +
           glsl::buffer(0, "a", factor) + glsl::buffer(1, "b", factor) + glsl::buffer(2, "c", sum) +
           glsl::buffer(3, "d", sum) + "void main() {\n" +
           glsl::matrix(types.factor, kM, kK, Use::kA) + " A;\n" +
           glsl::matrix(types.factor, kK, kN, Use::kB) + " B;\n" +
           glsl::matrix(types.sum, kM, kN, Use::kAccumulator) + " C;\n" +
           glsl::load("C", "c", std::to_string(kN)) + "for (uint k = 0; k < " +
           std::to_string(kTurns) + "; ++k) {\n" + glsl::load("A", "a", depth, false, "k * 16") +
           glsl::load("B", "b", depth, true, "k * 16") + "C = coopMatMulAdd(A, B, C);\n}\n" +
           glsl::store("C", "d", std::to_string(kN)) + "}\n";
}

// How the sum of an instruction becomes that of the next one.
enum class Between { kRounded, kTruncated };

// f32 along K from C on, each product and each sum rounded; rounded to the sum's type after each
// instruction. Products and sums of floats are exact, or rounded once more without harm, in double.
Matrix expected(const Types& types, const Matrix& a, const Matrix& b, const Matrix& c,
                Between between = Between::kRounded) {
    Matrix result(types.sum, kM, kN);
    for (uint32_t row = 0; row < kM; ++row) {
        for (uint32_t column = 0; column < kN; ++column) {
            uint64_t bits = c.at(row, column);
            auto sum = static_cast<float>(toDouble(types.sum, bits));
            for (uint32_t turn = 0; turn < kTurns; ++turn) {
                sum = static_cast<float>(toDouble(types.sum, bits));
                for (uint32_t k = turn * kK; k < (turn + 1) * kK; ++k) {
                    const auto product =
                        static_cast<float>(toDouble(types.factor, a.at(row, k)) *
                                           toDouble(types.factor, b.at(k, column)));
                    sum = static_cast<float>(double{sum} + double{product});
                }
                bits = between == Between::kTruncated
                           ? numbers::encodeDouble(numbers::Number::f16, sum,
                                                   numbers::Rounding::towardZero)
                           : fromDouble(types.sum, double{sum});
            }
            result.at(row, column) = bits;
        }
    }
    return result;
}

Bytes laidOut(const Matrix& matrix, bool columnMajor) {
    const Placement placement = tight(matrix, columnMajor);
    Bytes bytes(placement.size(matrix));
    scatter(matrix, placement, bytes);
    return bytes;
}

struct Device {
    std::string_view name;
    DeviceTraits traits;
};
std::vector<Device> devices() {
    std::vector<Device> all = {{"with dot products", gpuWithDots(0)},
                               {"with many registers", gpuWithManyRegisters()}};
    DeviceTraits cpu = gpuWithDots(0);
    cpu.isCpu = true;
    all.push_back({"CPU", cpu});
    DeviceTraits scalar = gpuWithDots(0);
    scalar.scalarRegisters = true;
    all.push_back({"with scalar registers", scalar});
    DeviceTraits plain = gpuWithDots(0);
    plain.maxSubgroupSize = plain.minSubgroupSize;
    plain.shaderIntegerDotProduct = false;
    all.push_back({"of no class", plain});
    return all;
}

// With NoContraction for each product.
Words withPreciseProducts(const Words& words) {
    constexpr uint32_t kDecorate = 71, kMulAdd = 4459, kNoContraction = 42, kHeader = 5;
    size_t behindLast = 0;
    Words decorations;
    for (size_t i = kHeader; i < words.size(); i += words[i] >> 16) {
        const uint32_t opcode = words[i] & 0xffff;
        if (opcode == kDecorate) behindLast = i + (words[i] >> 16);
        if (opcode != kMulAdd) continue;
        decorations.insert(decorations.end(), {3u << 16 | kDecorate, words[i + 2], kNoContraction});
    }
    EXPECT_NE(decorations.size(), 0u);
    Words out = words;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(behindLast), decorations.begin(),
               decorations.end());
    return out;
}

// How many devices' code gives other bits than those of the definition.
uint32_t differing(const Types& types, Numerics numerics, std::string& names,
                   bool isPrecise = false, Mode mode = Mode::kNone) {
    Rng rng("SameNumerics");
    const Matrix a = randomMatrix(rng, types.factor, kM, kDepth, Fill::kUnit);
    const Matrix b = randomMatrix(rng, types.factor, kDepth, kN, Fill::kUnit);
    const Matrix c = randomMatrix(rng, types.sum, kM, kN, Fill::kUnit);
    const Matrix wanted = expected(types, a, b, c);
    // Vulkan lets devices round f16 toward zero, too, where the module does not say.
    std::optional<Matrix> other;
    if (isPrecise && mode == Mode::kNone) other = expected(types, a, b, c, Between::kTruncated);
    const Words plain = compileGlsl(shaderText(types, mode));
    const Words words = isPrecise ? withPreciseProducts(plain) : plain;
    uint32_t count = 0;
    for (const Device& device : devices()) {
        Dispatch dispatch;
        dispatch.buffers = {laidOut(a, false), laidOut(b, true), pack(c),
                            rng.bytes(pack(c).size())};
        const Bytes bytes = run(rewrittenFor(device.traits, words, false, numerics), dispatch)[3];
        const Matrix got = unpack(types.sum, kM, kN, bytes);
        const std::string what = difference(got, wanted);
        if (what.empty() || (other && difference(got, *other).empty())) continue;
        ++count;
        names += std::string(device.name) + ": " + what + "\n";
    }
    return count;
}

// f16 sums that the program wants rounded once for each product.
TEST(SameNumerics, AreThoseOfPreciseProducts) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    std::string names;
    EXPECT_EQ(differing(kTypes[0], Numerics::kFast, names, true), 0u) << names;
}

// And to the nearest, as the module says.
TEST(SameNumerics, AreThoseOfPreciseProductsToNearestEven) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    if (Context::get().properties12.shaderRoundingModeRTEFloat16 == VK_FALSE)
        GTEST_SKIP() << "the device has no shaderRoundingModeRTEFloat16";
    std::string names;
    EXPECT_EQ(differing(kTypes[0], Numerics::kFast, names, true, Mode::kNearestEven), 0u) << names;
}

TEST(SameNumerics, AreThoseOfTheDefinition) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    for (const Types& types : kTypes) {
        std::string names;
        EXPECT_EQ(differing(types, Numerics::kSame, names), 0u)
            << name(types.factor) << ", " << name(types.sum) << ": " << names;
    }
}

// Else the test above could not fail.
TEST(SameNumerics, AreNotThoseOfFastCode) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    std::string names;
    EXPECT_NE(differing({kF16, kF16}, Numerics::kFast, names), 0u);
}

}  // namespace
}  // namespace coopvk::test::same_numerics_test
