// SPDX-License-Identifier: Apache-2.0
//
// Products of a workgroup's matrices that are only loaded from tensors, moved and multiplied: the
// rewriter may distribute these along either dimension. Numbers in a buffer choose the sizes, so
// the compiled shader has the code for each way to load. In SSA form, the rewriter may also load
// for the next product ahead of time.
#include <gtest/gtest.h>

#include <cstring>
#include <format>

#include "harness/glsl.hpp"
#include "harness/matrix_group.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"
#include "harness/shader.hpp"

namespace coopvk::test::tile_product_test {
namespace {

struct TileCase {
    std::string_view name;
    Component factor = Component::kF16, sum = Component::kF32;
    bool aIsTransposed = false, bIsTransposed = false;  // in memory; a view transposes
    uint32_t rows = 32, columns = 32, step = 32;        // step: K of one product
    uint32_t k = 64;                                    // what lies behind reads as 0
    uint32_t first = 0;                                 // the first element of A and of B
    uint32_t clipped = 0;  // rows of A from this one on are those of the step before; 0: none
    bool carried = false;  // a loop carries A and B from their loads to the product
    uint32_t invocations = 128;
};

// Views of A and B, and what loads of a step take.
std::string viewOf(bool isTransposed, bool clips, std::string_view name) {
    if (!isTransposed && !clips) return "";
    const std::string view =
        std::format("tensorViewNV<2, false, {}> {}", isTransposed ? "1, 0" : "0, 1", name);
    return std::format("{} = createTensorViewNV(2, false, {});\n", view,
                       isTransposed ? "1, 0" : "0, 1") +
           (clips
                ? std::format("{} = setTensorViewClipNV({}, 0, numbers[2], 0, {{}});\n", name, name)
                : std::string());
}

std::string sliceOf(std::string_view layout, bool isTransposed, uint32_t across, bool isA,
                    uint32_t step) {
    // The dimension of K is A's columns and B's rows.
    const std::string along = std::format("at, {}", step), other = std::format("0, {}", across);
    const bool kIsLast = isA != isTransposed;
    return std::format("sliceTensorLayoutNV({}, {}, {})", layout, kIsLast ? other : along,
                       kIsLast ? along : other);
}

std::string source(const TileCase& c) {
    const std::string a = glsl::matrix(c.factor, c.rows, c.step, Use::kA);
    const std::string b = glsl::matrix(c.factor, c.step, c.columns, Use::kB);
    const std::string sum = glsl::matrix(c.sum, c.rows, c.columns, Use::kAccumulator);
    std::string text = matrix2Header();
    text += glsl::buffer(0, "a", glsl::scalar(c.factor)) +
            glsl::buffer(1, "b", glsl::scalar(c.factor)) + glsl::buffer(2, "numbers", "uint") +
            glsl::buffer(3, "d", glsl::scalar(c.sum));
    const auto layoutOf = [&](std::string_view name, bool kIsLast, uint32_t across) {
        const std::string type = "tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV>";
        return std::format(
            "{} {} = createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);\n"
            "{} = setTensorLayoutDimensionNV({}, {}, {});\n",
            type, name, name, name, kIsLast ? std::format("{}", across) : "k",
            kIsLast ? "k" : std::format("{}", across));
    };
    text += "void main() {\nconst uint k = numbers[0], first = numbers[1];\n";
    text += layoutOf("la", !c.aIsTransposed, c.rows) + layoutOf("lb", c.bIsTransposed, c.columns);
    std::string viewA = viewOf(c.aIsTransposed, c.clipped != 0, "va");
    if (c.clipped != 0) viewA.replace(viewA.find("{}"), 2, std::format("{}", c.step));
    text += viewA + viewOf(c.bIsTransposed, false, "vb");
    const std::string loads = std::format(
        "coopMatLoadTensorNV(A, a, first, {}{});\ncoopMatLoadTensorNV(B, b, first, {}{});\n",
        sliceOf("la", c.aIsTransposed, c.rows, true, c.step), viewA.empty() ? "" : ", va",
        sliceOf("lb", c.bIsTransposed, c.columns, false, c.step), c.bIsTransposed ? ", vb" : "");
    text += std::format("{} A;\n{} B;\n{} sum = {}(0.0);\nuint at = 0;\n", a, b, sum, sum);
    if (c.clipped != 0) {
        text += "coopMatLoadTensorNV(A, a, first, " +
                sliceOf("la", c.aIsTransposed, c.rows, true, c.step) +
                (c.aIsTransposed ? ", createTensorViewNV(2, false, 1, 0)" : "") + ");\n";
    }
    if (c.carried) {
        text += loads + "for (at = " + std::format("{}", c.step) +
                "; at < k; at += " + std::format("{}", c.step) +
                ") {\nsum = coopMatMulAdd(A, B, sum);\n" + loads +
                "}\nsum = coopMatMulAdd(A, B, sum);\n";
    } else {
        text += std::format("for (at = 0; at < k; at += {}) {{\n", c.step) + loads +
                "sum = coopMatMulAdd(A, B, sum);\n}\n";
    }
    return text + std::format(
                      "coopMatStore(sum, d, 0, {}, "
                      "gl_CooperativeMatrixLayoutRowMajor);\n}}\n",
                      c.columns);
}

// The second parameter: whether the shader is in SSA form, in which the rewriter finds loops.
class TensorTileProduct : public testing::TestWithParam<std::tuple<TileCase, bool>> {};

Bytes bytesOf(Rng& rng, const TileCase& c, const Matrix& m, bool isTransposed) {
    const uint32_t size = c.factor == Component::kS8 ? 1 : 2;
    const uint32_t line = isTransposed ? m.rows : m.columns;
    const Placement place = {isTransposed, size_t{line} * size, size_t{c.first} * size};
    Bytes bytes = rng.bytes(place.size(m));
    scatter(m, place, bytes);
    return bytes;
}

TEST_P(TensorTileProduct, IsThatOfWhatLoadsGive) {
    const auto& [c, isSsa] = GetParam();
    const MatrixGroup group = {true, {c.invocations, 1, 1}};
    if (const std::string why = missing(group); !why.empty()) GTEST_SKIP() << why;
    Rng rng(std::string(c.name));
    const Matrix a = randomMatrix(rng, c.factor, c.rows, c.k, Fill::kSmall);
    const Matrix b = randomMatrix(rng, c.factor, c.k, c.columns, Fill::kSmall);
    const uint32_t numbers[] = {c.k, c.first, c.clipped};
    const auto bytes = std::as_bytes(std::span(numbers));
    Dispatch dispatch;
    dispatch.buffers = {bytesOf(rng, c, a, c.aIsTransposed), bytesOf(rng, c, b, c.bIsTransposed),
                        Bytes(bytes.begin(), bytes.end()),
                        poison(rng, Matrix(c.sum, c.rows, c.columns))};
    const Words shader = compileGlsl(inGroup(source(c), group));
    expectNumbersAsReference(isSsa ? inSsaForm(shader) : shader, dispatch, c.sum);
}

const TileCase kCases[] = {
    {.name = "RowMajor"},
    {.name = "TransposedA", .aIsTransposed = true, .invocations = 64},
    {.name = "TransposedB", .bIsTransposed = true},
    {.name = "BothTransposed", .aIsTransposed = true, .bIsTransposed = true, .k = 96},
    {.name = "NotAligned", .k = 61, .first = 3},
    {.name = "NotAlignedTransposed", .aIsTransposed = true, .bIsTransposed = true, .k = 61},
    {.name = "SlicesOfK", .rows = 64, .columns = 64, .step = 128, .k = 256},
    {.name = "SlicesOfKTransposed",
     .aIsTransposed = true,
     .bIsTransposed = true,
     .rows = 64,
     .columns = 64,
     .step = 128,
     .k = 128},
    {.name = "MoreLanesThanRuns", .step = 16, .k = 48},
    {.name = "Carried", .bIsTransposed = true, .k = 96, .carried = true, .invocations = 64},
    {.name = "Clipped", .clipped = 13},
    {.name = "ClippedTransposed", .aIsTransposed = true, .clipped = 8, .carried = true},
    {.name = "OddSize", .rows = 48, .columns = 80, .step = 48, .k = 96, .invocations = 32},
    {.name = "HalfSums", .sum = Component::kF16, .bIsTransposed = true},
    {.name = "Bytes", .factor = Component::kS8, .sum = Component::kS32, .bIsTransposed = true},
    {.name = "BytesOfA", .factor = Component::kS8, .sum = Component::kS32, .aIsTransposed = true},
};

std::string caseName(const testing::TestParamInfo<std::tuple<TileCase, bool>>& test) {
    const auto& [c, isSsa] = test.param;
    return std::string(c.name) + (isSsa ? "_ssa" : "");
}

INSTANTIATE_TEST_SUITE_P(All, TensorTileProduct,
                         testing::Combine(testing::ValuesIn(kCases), testing::Bool()), caseName);

}  // namespace
}  // namespace coopvk::test::tile_product_test
