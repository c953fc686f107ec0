// SPDX-License-Identifier: Apache-2.0
//
// Matrices of use A and B so large that lanes hold them as accumulators, since no product reads
// them.
#include <gtest/gtest.h>

#include "harness/compute.hpp"
#include "harness/glsl.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"
#include "harness/rewritten.hpp"

namespace coopvk::test::large_matrix_test {
namespace {

struct Size {
    uint32_t rows, columns;
};

// Loads column by column, negates, widens, adds, and stores row by row.
Words kernel(Use use, const Size& size) {
    const std::string source = substitute(
        R"(
const uint R = ${R}, C = ${C};
void main() {
    ${HALF} h;
    coopMatLoad(h, a, 0, R, gl_CooperativeMatrixLayoutColumnMajor);
    ${SINGLE} s = ${SINGLE}(-h);
    s = s + ${SINGLE}(0.5);
    coopMatStore(s, d, 0, C, gl_CooperativeMatrixLayoutRowMajor);
}
)",
        {{"R", std::to_string(size.rows)},
         {"C", std::to_string(size.columns)},
         {"HALF", glsl::matrix(Component::kF16, size.rows, size.columns, use)},
         {"SINGLE", glsl::matrix(Component::kF32, size.rows, size.columns, use)}});
    return compileGlsl(glsl::header() + glsl::buffer(0, "a", "float16_t") +
                       glsl::buffer(3, "d", "float") + source);
}

// `made`: what the device executes in place of the words, where that is not null.
void expectRightResult(const Words& words, const Size& size, const Words* made = nullptr) {
    Rng rng("LargeMatrices");
    const Matrix a = randomMatrix(rng, Component::kF16, size.rows, size.columns, Fill::kSmall);
    Bytes columns(tight(a, true).size(a));
    scatter(a, tight(a, true), columns);
    Dispatch dispatch;
    dispatch.buffers = {columns, Bytes(16), Bytes(16),
                        rng.bytes(a.elements.size() * sizeof(float))};
    expectNumbersAsReference(words, dispatch, Component::kF32, {}, made);
}

// Few lanes hold many elements each, for which lavapipe with LLVM's optimiser compiled for 20
// seconds.
Size sizeForLanes(Size size) {
    const bool areFew = Context::get().subgroupSize < 32;
    return areFew ? Size{size.rows / 2, size.columns / 2} : size;
}

// On CPUs each lane would hold all of B.
TEST(LargeMatrixValues, OfUseB) {
    COOPVK_REQUIRE(Requirement::kFlexibleDimensions);
    COOPVK_REQUIRE(Requirement::kEmulation);
    const Size size = sizeForLanes({64, 32});
    expectRightResult(kernel(Use::kB, size), size);
}

// As on a GPU, where lanes form a grid of several columns.
TEST(LargeMatrixValues, OfUseA) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const Size size = sizeForLanes({64, 64});
    const Words words = kernel(Use::kA, size), made = rewrittenFor(gpuWithDots(0), words);
    expectRightResult(words, size, &made);
}

}  // namespace
}  // namespace coopvk::test::large_matrix_test
