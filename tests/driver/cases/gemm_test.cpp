// SPDX-License-Identifier: Apache-2.0
//
// Whole matrix products as in real kernels: tiles in shared memory that wide loads fill, arrays of
// accumulators, a loop over K, several subgroups and workgroups, an epilogue.
#include <gtest/gtest.h>

#include <cmath>

#include "harness/compute.hpp"
#include "harness/glsl.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::gemm_test {
namespace {

constexpr uint32_t kSize = 64;  // M = N = K

// Two subgroups a workgroup, each with 2×2 accumulators of 8×8: a workgroup makes 16 rows × 32
// columns.
std::string source() {
    const std::string a = glsl::matrix(Component::kF16, 8, 8, Use::kA);
    const std::string b = glsl::matrix(Component::kF16, 8, 8, Use::kB);
    const std::string c = glsl::matrix(Component::kF32, 8, 8, Use::kAccumulator);
    const std::string h = glsl::matrix(Component::kF16, 8, 8, Use::kAccumulator);
    return glsl::header(2) + glsl::buffer(0, "a", "uvec4") + glsl::buffer(1, "b", "uvec4") +
           glsl::buffer(2, "c", "float") + glsl::buffer(3, "d", "float16_t") + R"(
const uint TK = 16;
shared uvec4 tileA[16 * 3];   // 16 rows of 16 halves and 8 of padding
shared uvec4 tileB[16 * 5];   // 16 rows of 32 halves and 8 of padding
void fetch(uint row, uint column, uint k) {
    const uint threads = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
    for (uint i = gl_LocalInvocationIndex; i < 16 * 2; i += threads)
        tileA[(i / 2) * 3 + i % 2] = a[(row + i / 2) * 8 + k / 8 + i % 2];
    for (uint i = gl_LocalInvocationIndex; i < 16 * 4; i += threads)
        tileB[(i / 4) * 5 + i % 4] = b[(k + i / 4) * 8 + column / 8 + i % 4];
}
void main() {
    const uint row = gl_WorkGroupID.y * 16, column = gl_WorkGroupID.x * 32;
    const uint half_ = gl_SubgroupID * 16;
)" + c + " sum[2][2];\n" +
           R"(
    for (uint i = 0; i < 2; ++i) for (uint j = 0; j < 2; ++j) sum[i][j] = )" +
           c + R"((0.0);
    for (uint k = 0; k < 64; k += TK) {
        fetch(row, column, k);
        barrier();
        [[unroll]] for (uint kk = 0; kk < TK; kk += 8) {
)" + a + " A[2];\n" +
           b + " B;\n" + R"(
            for (uint i = 0; i < 2; ++i)
                coopMatLoad(A[i], tileA, i * 8 * 3 + kk / 8, 3, gl_CooperativeMatrixLayoutRowMajor);
            for (uint j = 0; j < 2; ++j) {
                coopMatLoad(B, tileB, kk * 5 + (half_ + j * 8) / 8, 5,
                            gl_CooperativeMatrixLayoutRowMajor);
                for (uint i = 0; i < 2; ++i) sum[i][j] = coopMatMulAdd(A[i], B, sum[i][j]);
            }
        }
        barrier();
    }
    for (uint i = 0; i < 2; ++i) for (uint j = 0; j < 2; ++j) {
        const uint at = (row + i * 8) * 64 + column + half_ + j * 8;
)" + c + " C;\n" +
           R"(
        coopMatLoad(C, c, at, 64, gl_CooperativeMatrixLayoutRowMajor);
        sum[i][j] = sum[i][j] * 0.5 + C;
        for (uint e = 0; e < C.length(); ++e) sum[i][j][e] = max(sum[i][j][e], 0.0);
)" + h +
           " H = " + h + R"((sum[i][j]);
        coopMatStore(H, d, at, 64, gl_CooperativeMatrixLayoutRowMajor);
    }
}
)";
}

TEST(Gemm, TiledWithEpilogue) {
    Rng rng("Gemm");
    const Matrix a = randomMatrix(rng, Component::kF16, kSize, kSize, Fill::kSmall);
    const Matrix b = randomMatrix(rng, Component::kF16, kSize, kSize, Fill::kSmall);
    const Matrix c = randomMatrix(rng, Component::kF32, kSize, kSize, Fill::kSmall);
    Dispatch dispatch;
    dispatch.buffers = {pack(a), pack(b), pack(c), rng.bytes(kSize * kSize * 2)};
    dispatch.groups = {kSize / 32, kSize / 16, 1};
    expectNumbersAsReference(compileGlsl(source()), dispatch, Component::kF16);
}

}  // namespace
}  // namespace coopvk::test::gemm_test
