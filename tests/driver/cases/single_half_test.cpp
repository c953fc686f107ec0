// SPDX-License-Identifier: Apache-2.0
//
// Products of f16 into f16 of which a lane has a single component, as rewritten for a GPU with few
// registers: all in f16.
#include <gtest/gtest.h>

#include "harness/compute.hpp"
#include "harness/context.hpp"
#include "harness/glsl.hpp"
#include "harness/requirement.hpp"
#include "harness/rewritten.hpp"

namespace coopvk::test::single_half_test {
namespace {

using enum Component;

Words shaderOf(uint32_t m, uint32_t n, uint32_t k) {
    const auto size = [](uint32_t value) { return std::to_string(value); };
    std::string text = glsl::header();
    for (const char* name : {"a", "b", "c", "d"}) {
        text += glsl::buffer(static_cast<uint32_t>(*name - 'a'), name, "float16_t");
    }
    text += "void main() {\n" + glsl::matrix(kF16, m, k, Use::kA) + " A;\n" +
            glsl::matrix(kF16, k, n, Use::kB) + " B;\n" +
            glsl::matrix(kF16, m, n, Use::kAccumulator) + " C, D;\n" +
            glsl::load("A", "a", size(k)) + glsl::load("B", "b", size(n)) +
            glsl::load("C", "c", size(n)) + "D = coopMatMulAdd(A, B, C);\n" +
            glsl::store("D", "d", size(n)) + "}\n";
    return compileGlsl(text);
}

void expectProduct(uint32_t m, uint32_t n, uint32_t k, Fill fill) {
    const Words words = forFewRegisters(shaderOf(m, n, k));
    EXPECT_EQ(disassemble(words).find("OpTypeFloat 32"), std::string::npos);
    Rng rng("SingleHalf");
    const Matrix a = randomMatrix(rng, kF16, m, k, fill);
    const Matrix b = randomMatrix(rng, kF16, k, n, fill);
    const Matrix c = randomMatrix(rng, kF16, m, n, fill);
    Dispatch dispatch;
    dispatch.buffers = {pack(a), pack(b), pack(c), rng.bytes(pack(c).size())};
    const std::vector<Bytes> after = run(words, dispatch);
    const bool exact = fill == Fill::kSmall;
    EXPECT_EQ(difference(unpack(kF16, m, n, after[3]), mulAdd(a, b, c, kF16, 0, exact)), "")
        << m << "x" << n << "x" << k;
}

TEST(SingleHalfMulAdd, AsManyComponentsAsLanesAndFewer) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const uint32_t lanes = Context::get().subgroupSize;
    for (const Fill fill : {Fill::kSmall, Fill::kUnit}) {
        expectProduct(2, lanes / 2, 8, fill);
        expectProduct(2, lanes / 4, 16, fill);
    }
}

}  // namespace
}  // namespace coopvk::test::single_half_test
