// SPDX-License-Identifier: Apache-2.0
//
// Products of bytes as on GPUs, with dot products of four bytes: for all combinations of dot
// products that a device accelerates and of the operands' signs.
#include <gtest/gtest.h>

#include <format>

#include "harness/compute.hpp"
#include "harness/glsl.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"
#include "harness/rewritten.hpp"

namespace coopvk::test::dot_product_test {
namespace {

constexpr uint32_t kM = 8, kN = 8, kK = 16;
// See gpuWithDots: none, each alone, and what some GPUs have.
constexpr uint32_t kAccelerated[] = {0, 1, 2, 4, 6};

struct ByteCase {
    bool aSigned, bSigned, cSigned;
    bool saturating = false;
    bool aColumnMajor = false, bColumnMajor = true;
    std::string between = {};  // statements between the loads and the product
};

Component byteType(bool isSigned) { return isSigned ? Component::kS8 : Component::kU8; }
Component wordType(bool isSigned) { return isSigned ? Component::kS32 : Component::kU32; }

Words shaderOf(const ByteCase& c, uint32_t operands) {
    const auto size = [](uint32_t value) { return std::to_string(value); };
    const Component a = byteType(c.aSigned), b = byteType(c.bSigned), sum = wordType(c.cSigned);
    Words words = compileGlsl(
        glsl::header() + glsl::buffer(0, "a", glsl::scalar(a)) +
        glsl::buffer(1, "b", glsl::scalar(b)) + glsl::buffer(2, "c", glsl::scalar(sum)) +
        glsl::buffer(3, "d", glsl::scalar(sum)) + "void main() {\n" +
        glsl::matrix(a, kM, kK, Use::kA) + " A;\n" + glsl::matrix(b, kK, kN, Use::kB) + " B;\n" +
        glsl::matrix(sum, kM, kN, Use::kAccumulator) + " C, D;\n" +
        glsl::load("A", "a", size(c.aColumnMajor ? kM : kK), c.aColumnMajor) +
        glsl::load("B", "b", size(c.bColumnMajor ? kK : kN), c.bColumnMajor) +
        glsl::load("C", "c", size(kN)) + c.between + "D = coopMatMulAdd(A, B, C);\n" +
        glsl::store("D", "d", size(kN)) + "}\n");
    setOperands(words, operands);
    return words;
}

// The matrix's bytes in that layout.
Bytes laidOut(const Matrix& matrix, bool columnMajor) {
    const Placement placement = tight(matrix, columnMajor);
    Bytes bytes(placement.size(matrix));
    scatter(matrix, placement, bytes);
    return bytes;
}

// Without `device`, by dot products on one that accelerates those.
void expectProduct(const ByteCase& c, uint32_t accelerated,
                   const rewrite::DeviceTraits* device = nullptr) {
    const Component a = byteType(c.aSigned), b = byteType(c.bSigned), sum = wordType(c.cSigned);
    const uint32_t operands = signOperands(a, b, sum, sum) | (c.saturating ? kSaturating : 0u);
    Rng rng("ByteDots" + std::to_string(accelerated) + std::to_string(operands));
    Matrix left = randomMatrix(rng, a, kM, kK, Fill::kBits);
    Matrix right = randomMatrix(rng, b, kK, kN, Fill::kBits);
    // The largest products of either sign, too.
    for (uint32_t k = 0; k < kK; ++k) {
        left.at(0, k) = right.at(k, 0) = 0x80;
        left.at(1, k) = right.at(k, 1) = 0xFF;
        right.at(k, 2) = 0x7F;
    }
    const Matrix addend = randomMatrix(rng, sum, kM, kN, Fill::kBits);
    Dispatch dispatch;
    dispatch.buffers = {laidOut(left, c.aColumnMajor), laidOut(right, c.bColumnMajor), pack(addend),
                        rng.bytes(pack(addend).size())};
    SCOPED_TRACE(std::format("accelerated {}, operands {}", accelerated, operands));
    const Words words = shaderOf(c, operands);
    const Words made = rewrittenFor(device != nullptr ? *device : gpuWithDots(accelerated), words);
    EXPECT_EQ(hasRightDots(made, accelerated), device == nullptr);
    expectNumbersAsReference(words, dispatch, sum, {}, &made);
}

TEST(DotMulAdd, EveryDeviceAndSign) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    for (const uint32_t accelerated : kAccelerated) {
        for (uint32_t signs = 0; signs < 4; ++signs) {
            expectProduct({(signs & 1) != 0, (signs & 2) != 0, true}, accelerated);
        }
    }
}

// C is added last, so offsets must be removed before.
TEST(DotMulAdd, Saturating) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    for (const uint32_t accelerated : {0u, 2u, 4u, 7u}) {
        expectProduct({true, true, true, true}, accelerated);
        expectProduct({false, false, false, true}, accelerated);
    }
}

TEST(DotMulAdd, Layouts) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    for (uint32_t layouts = 0; layouts < 4; ++layouts) {
        ByteCase c{true, false, true};
        c.aColumnMajor = (layouts & 1) != 0;
        c.bColumnMajor = (layouts & 2) != 0;
        expectProduct(c, layouts);
    }
}

// If the shader reads or changes components, these are bytes again; those of the other operand,
// too.
TEST(DotMulAdd, ComponentsBetween) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    for (const char* between :
         {"for (int i = 0; i < A.length(); ++i) A[i] = int8_t(A[i] ^ int8_t(0));\n",
          "B[B.length() - 1] = B[B.length() - 1];\n", "A = -(-A);\n"}) {
        for (const uint32_t accelerated : {0u, 1u}) {
            ByteCase c{true, true, true};
            c.between = between;
            expectProduct(c, accelerated);
        }
    }
}

// In f32 if there are no such dot products.
TEST(DotMulAdd, AsFloats) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    rewrite::DeviceTraits device = gpuWithDots(0);
    device.shaderIntegerDotProduct = false;
    for (uint32_t signs = 0; signs < 4; ++signs) {
        for (const bool saturating : {false, true}) {
            expectProduct({(signs & 1) != 0, (signs & 2) != 0, true, saturating}, 0, &device);
        }
    }
}

}  // namespace
}  // namespace coopvk::test::dot_product_test
