// SPDX-License-Identifier: Apache-2.0
//
// Products that are computed in slices along K on GPUs, and those that must not be: kernels with
// tiles in shared memory, as they are rewritten for such GPUs.
#include <gtest/gtest.h>

#include "harness/compute.hpp"
#include "harness/covering.hpp"
#include "harness/glsl.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"
#include "harness/rewritten.hpp"

namespace coopvk::test::sliced_product_test {
namespace {

using enum Component;

constexpr uint32_t kTile = 8;          // rows and columns of a matrix
constexpr uint32_t kSize = 2 * kTile;  // of the result: 2x2 matrices
constexpr uint32_t kTurns = 2;         // along K

struct Types {
    Component factor, sum;
    uint32_t depth;  // K of a product
};
constexpr Types kHalves = {kF16, kF32, 16};
constexpr Types kHalfSums = {kF16, kF16, 16};
constexpr Types kBytes = {kS8, kS32, 32};
constexpr Types kSmallFloats[] = {{kE4M3, kF32, 32}, {kE5M2, kF16, 16}, {kE5M2, kF32, 8}};

struct Layouts {
    bool aColumnMajor = false, bColumnMajor = false;
};

// All four, or two with each value.
std::vector<Layouts> someLayouts() {
    if (coversValues()) return {{false, false}, {true, true}};
    return {{false, false}, {true, false}, {false, true}, {true, true}};
}

// A GPU with registers that lanes share, which unrolls slices.
rewrite::DeviceTraits gpuWithScalars() {
    rewrite::DeviceTraits device = gpuWithDots(0);
    device.shaderIntegerDotProduct = false;
    device.scalarRegisters = true;
    return device;
}

// One without any such, and few lanes.
rewrite::DeviceTraits gpuWithout() {
    rewrite::DeviceTraits device = gpuWithDots(0);
    device.shaderIntegerDotProduct = false;
    device.maxSubgroupSize = 32;
    return device;
}

constexpr std::string_view kUsual = R"(
    for (uint kk = 0; kk < TURNS * K; kk += K) {
        MATRIX_A a[2];
        [[unroll]] for (uint i = 0; i < 2; ++i) LOAD_A(a[i], i, kk);
        [[unroll]] for (uint j = 0; j < 2; ++j) {
            MATRIX_B b;
            LOAD_B(b, j, kk);
            [[unroll]] for (uint i = 0; i < 2; ++i) sums[i][j] = coopMatMulAdd(a[i], b, sums[i][j]);
        }
    }
)";

// What the arrays in shared memory consist of: components of the matrices, or words of these.
enum class Elements { kComponents, kWords };

// A kernel that copies A and B to shared memory and multiplies them as `products` says.
Words kernel(const Types& t, const Layouts& layouts, std::string_view products,
             Elements elements = Elements::kComponents) {
    const auto number = [](uint32_t value) { return std::to_string(value); };
    const uint32_t k = t.depth * kTurns;
    const std::string strideA = number(layouts.aColumnMajor ? kSize : k);
    const std::string strideB = number(layouts.bColumnMajor ? k : kSize);
    const bool words = elements == Elements::kWords;
    const std::string element(words ? "uint" : glsl::scalar(t.factor));
    const std::string atA =
        layouts.aColumnMajor ? "(kk) * STRIDE_A + (i) * TILE" : "(i) * TILE * STRIDE_A + (kk)";
    const std::string atB =
        layouts.bColumnMajor ? "(j) * TILE * STRIDE_B + (kk)" : "(kk) * STRIDE_B + (j) * TILE";
    const std::string source = substitute(
        R"(
const uint TILE = ${TILE}, K = ${K}, TURNS = ${TURNS}, STRIDE_A = ${STRIDE_A}, STRIDE_B = ${STRIDE_B};
#define MATRIX_A ${A}
#define MATRIX_B ${B}
#define SUM ${SUM}
const uint PER_ELEMENT = ${PER_ELEMENT}, ELEMENTS = 2 * TILE * K * TURNS / PER_ELEMENT;
#define LOAD(m, tile, at, stride, layout) \
    coopMatLoad(m, tile, (at) / PER_ELEMENT, stride / PER_ELEMENT, layout)
#define LOAD_A(m, i, kk) LOAD(m, tileA, ${AT_A}, STRIDE_A, ${LAYOUT_A})
#define LOAD_B(m, j, kk) LOAD(m, tileB, ${AT_B}, STRIDE_B, ${LAYOUT_B})
shared ${ELEMENT} tileA[ELEMENTS];
shared ${ELEMENT} tileB[ELEMENTS];
const uint kTimes = 3;
uint times(uint a, uint b) { return a * b; }
void main() {
    for (uint i = gl_LocalInvocationIndex; i < ELEMENTS; i += gl_WorkGroupSize.x) {
        tileA[i] = a0[i];
        tileB[i] = b0[i];
    }
    SUM sums[2][2];
    for (uint i = 0; i < 2; ++i) for (uint j = 0; j < 2; ++j)
        coopMatLoad(sums[i][j], c, i * TILE * 2 * TILE + j * TILE, 2 * TILE,
                    gl_CooperativeMatrixLayoutRowMajor);
    barrier();
    ${PRODUCTS}
    for (uint i = 0; i < 2; ++i) for (uint j = 0; j < 2; ++j)
        coopMatStore(sums[i][j], d, i * TILE * 2 * TILE + j * TILE, 2 * TILE,
                     gl_CooperativeMatrixLayoutRowMajor);
}
)",
        {{"TILE", number(kTile)},
         {"K", number(t.depth)},
         {"TURNS", number(kTurns)},
         {"STRIDE_A", strideA},
         {"STRIDE_B", strideB},
         {"A", glsl::matrix(t.factor, kTile, t.depth, Use::kA)},
         {"B", glsl::matrix(t.factor, t.depth, kTile, Use::kB)},
         {"SUM", glsl::matrix(t.sum, kTile, kTile, Use::kAccumulator)},
         {"AT_A", atA},
         {"AT_B", atB},
         {"LAYOUT_A", glsl::layout(layouts.aColumnMajor)},
         {"LAYOUT_B", glsl::layout(layouts.bColumnMajor)},
         {"ELEMENT", element},
         {"PER_ELEMENT", number(words ? 32 / info(t.factor).bits() : 1)},
         {"PRODUCTS", std::string(products)}});
    return compileGlsl(glsl::header() + glsl::buffer(0, "a0", element) +
                       glsl::buffer(1, "b0", element) + glsl::buffer(2, "c", glsl::scalar(t.sum)) +
                       glsl::buffer(3, "d", glsl::scalar(t.sum)) + source);
}

Bytes laidOut(const Matrix& matrix, bool columnMajor) {
    const Placement placement = tight(matrix, columnMajor);
    Bytes bytes(placement.size(matrix));
    scatter(matrix, placement, bytes);
    return bytes;
}

// Runs a kernel that computes A * B + C, which is exact for these values, as rewritten for the
// device. `sliced`: whether its products are to be.
void expectProduct(const rewrite::DeviceTraits& device, const Types& t, const Layouts& layouts,
                   std::string_view products, bool sliced,
                   Elements elements = Elements::kComponents) {
    Rng rng("Slices");
    const uint32_t k = t.depth * kTurns;
    const Fill fill = info(t.factor).isFloat() ? Fill::kSmall : Fill::kBits;
    const Matrix a = randomMatrix(rng, t.factor, kSize, k, fill);
    const Matrix b = randomMatrix(rng, t.factor, k, kSize, fill);
    const Matrix c = randomMatrix(rng, t.sum, kSize, kSize, fill);
    Dispatch dispatch;
    dispatch.buffers = {laidOut(a, layouts.aColumnMajor), laidOut(b, layouts.bColumnMajor), pack(c),
                        rng.bytes(pack(c).size())};
    const Words words = kernel(t, layouts, products, elements);
    const Words made = rewrittenFor(device, words);
    if (Context::get().subgroupSize <= kMostLanesOfChoices) {
        EXPECT_EQ(disassemble(made).find("coopvk_slice") != std::string::npos, sliced) << products;
    }
    SCOPED_TRACE(products);
    expectNumbersAsReference(words, dispatch, t.sum, {}, &made);
}

TEST(SlicedMulAdd, EveryLayout) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    for (const Layouts& layouts : someLayouts()) {
        expectProduct(gpuWithScalars(), kHalves, layouts, kUsual, true);
        expectProduct(gpuWithout(), kBytes, layouts, kUsual, true);
        expectProduct(gpuWithDots(2), kBytes, layouts, kUsual, true);  // in a loop
    }
}

// On any GPU.
TEST(SlicedMulAdd, SmallFloats) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    for (const Layouts& layouts : someLayouts()) {
        expectProduct(gpuWithManyRegisters(), kSmallFloats[0], layouts, kUsual, true);
        expectProduct(gpuWithScalars(), kSmallFloats[2], layouts, kUsual, true);
    }
    for (const Types& types : kSmallFloats) {
        expectProduct(gpuWithout(), types, {}, kUsual, true);
        expectProduct(gpuWithDots(0), types, {}, kUsual, true);
    }
}

// On GPUs that else need no slices.
TEST(SlicedMulAdd, ManySums) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const std::string many = std::string(kUsual) + R"(
    SUM more[36];
    for (uint i = 0; i < 36; ++i) more[i] = SUM(0);
    for (uint kk = 0; kk < TURNS * K; kk += K) {
        MATRIX_A a;
        LOAD_A(a, 0, kk);
        MATRIX_B b;
        LOAD_B(b, 0, kk);
        for (uint i = 0; i < 36; ++i) more[i] = coopMatMulAdd(a, b, more[i]);
    })";
    expectProduct(gpuWithManyRegisters(), kHalves, {}, many, true);
    expectProduct(gpuWithManyRegisters(), kHalves, {}, kUsual, false);
    expectProduct(gpuWithManyRegisters(), kBytes, {}, many, false);
}

// Such GPUs hold f32 in shared memory in place of f16, if there is room.
TEST(SlicedMulAdd, SharedSingles) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const auto hasSingles = [](const rewrite::DeviceTraits& device, const Types& types) {
        const std::string text = disassemble(rewrittenFor(device, kernel(types, {}, kUsual)));
        return text.find("OpTypePointer Workgroup %float") != text.npos;
    };
    // Two arrays of two tiles.
    rewrite::DeviceTraits full = gpuWithManyRegisters();
    full.maxComputeSharedMemorySize = 2 * 2 * kTile * kHalves.depth * kTurns * sizeof(float);
    const bool hasRoom = Context::get().subgroupSize <= kMostLanesOfChoices;
    EXPECT_EQ(hasSingles(gpuWithManyRegisters(), kHalves), hasRoom);
    EXPECT_EQ(hasSingles(full, kHalves), hasRoom);
    --full.maxComputeSharedMemorySize;
    EXPECT_FALSE(hasSingles(full, kHalves));
    EXPECT_FALSE(hasSingles(gpuWithManyRegisters(), kHalfSums));
    EXPECT_FALSE(hasSingles(gpuWithScalars(), kHalves));
    for (const Layouts& layouts : someLayouts()) {
        expectProduct(gpuWithManyRegisters(), kHalves, layouts, kUsual, false);
        expectProduct(gpuWithManyRegisters(), kHalves, layouts, kUsual, false, Elements::kWords);
    }
}

TEST(SlicedMulAdd, HalfSums) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    expectProduct(gpuWithScalars(), kHalfSums, {}, kUsual, true);
    expectProduct(gpuWithDots(0), kHalfSums, {}, kUsual, true);
    expectProduct(gpuWithManyRegisters(), kHalfSums, {}, kUsual, true);
}

// No loop around the products, and one of them in a function.
TEST(SlicedMulAdd, StraightOn) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    constexpr std::string_view kProducts = R"(
        MATRIX_A a[2];
        MATRIX_B b[2];
        LOAD_A(a[0], 0, 0); LOAD_A(a[1], 1, 0);
        LOAD_B(b[0], 0, 0); LOAD_B(b[1], 1, 0);
        for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j)
            sums[i][j] = coopMatMulAdd(a[i], b[j], sums[i][j]);
        barrier();
        LOAD_A(a[0], 0, K); LOAD_A(a[1], 1, K);
        LOAD_B(b[0], 0, K); LOAD_B(b[1], 1, K);
        sums[0][0] = coopMatMulAdd(a[0], b[0], sums[0][0]);
        sums[1][0] = coopMatMulAdd(a[1], b[0], sums[1][0]);
        sums[0][1] = coopMatMulAdd(a[0], b[1], sums[0][1]);
        sums[1][1] = coopMatMulAdd(a[1], b[1], sums[1][1]);
)";
    expectProduct(gpuWithScalars(), kHalves, {}, kProducts, true);
    expectProduct(gpuWithDots(0), kHalves, {}, kProducts, true);
}

// Functions that compute the positions of matrices are also called elsewhere.
TEST(SlicedMulAdd, CallsInBetween) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    constexpr std::string_view kProducts = R"(
    for (uint kk = 0; kk < TURNS * K; kk += K) for (uint i = 0; i < 2; ++i) {
        MATRIX_A a;
        LOAD_A(a, times(i, 1), times(kk, 1));
        for (uint j = 0; j < 2; ++j) {
            MATRIX_B b;
            LOAD_B(b, j, kk);
            const uint at = times(j, 1);
            sums[i][at] = coopMatMulAdd(a, b, sums[i][j]);
        }
    }
    if (times(kTimes, 2) == 7) sums[0][0] = SUM(0);
)";
    expectProduct(gpuWithScalars(), kHalves, {}, kProducts, true);
}

// Kernels whose products cannot be computed as sums over slices, or for which the rewriter cannot
// see it.
constexpr std::string_view kWhole[] = {
    // A is loaded ahead of the loop over columns' slices: once for all of K.
    R"(
    MATRIX_A a[2][TURNS];
    for (uint i = 0; i < 2; ++i) for (uint t = 0; t < TURNS; ++t) LOAD_A(a[i][t], i, t * K);
    barrier();
    for (uint t = 0; t < TURNS; ++t) for (uint j = 0; j < 2; ++j) {
        MATRIX_B b;
        LOAD_B(b, j, t * K);
        barrier();
        for (uint i = 0; i < 2; ++i) sums[i][j] = coopMatMulAdd(a[i][t], b, sums[i][j]);
    })",
    // B of the next iteration is loaded before the products of this one, to a place that memory
    // contains.
    R"(
    const uint odd = uint(abs(float(c[0]))) & 1;
    MATRIX_A a[2];
    MATRIX_B b[2][2];
    for (uint j = 0; j < 2; ++j) LOAD_B(b[odd][j], j, 0);
    for (uint t = 0; t < TURNS; ++t) {
        const uint now = (t + odd) % 2;
        for (uint i = 0; i < 2; ++i) LOAD_A(a[i], i, t * K);
        if (t + 1 < TURNS) for (uint j = 0; j < 2; ++j) LOAD_B(b[1 - now][j], j, (t + 1) * K);
        for (uint j = 0; j < 2; ++j) for (uint i = 0; i < 2; ++i)
            sums[i][j] = coopMatMulAdd(a[i], b[now][j], sums[i][j]);
    })",
    // A product with nothing added, which is added by itself.
    R"(
    for (uint kk = 0; kk < TURNS * K; kk += K) for (uint i = 0; i < 2; ++i)
        for (uint j = 0; j < 2; ++j) {
            MATRIX_A a;
            MATRIX_B b;
            LOAD_A(a, i, kk);
            LOAD_B(b, j, kk);
            sums[i][j] += coopMatMulAdd(a, b, SUM(0));
        })",
    // Sums are read and changed between products.
    R"(
    for (uint kk = 0; kk < TURNS * K; kk += K) for (uint i = 0; i < 2; ++i)
        for (uint j = 0; j < 2; ++j) {
            MATRIX_A a;
            MATRIX_B b;
            LOAD_A(a, i, kk);
            LOAD_B(b, j, kk);
            sums[i][j] = -sums[i][j];
            sums[i][j] = -coopMatMulAdd(-a, b, sums[i][j]);
        })",
    // Sums move on from one turn to the next.
    R"(
    for (uint kk = 0; kk < TURNS * K; kk += K) {
        for (uint i = 0; i < 2; ++i) for (uint j = 0; j < 2; ++j) {
            MATRIX_A a;
            MATRIX_B b;
            LOAD_A(a, i, kk);
            LOAD_B(b, kk == 0 ? j : 1 - j, kk);
            SUM next = coopMatMulAdd(a, b, sums[i][j]);
            sums[i][j] = next;
        }
        for (uint i = 0; i < 2; ++i) {
            SUM other = sums[i][0];
            sums[i][0] = sums[i][1];
            sums[i][1] = other;
        }
    })"};

// B of the next iteration is loaded before the products of this one, to a place that depends on the
// iteration's number.
TEST(SlicedMulAdd, LoadedAhead) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    constexpr std::string_view kAhead = R"(
    MATRIX_A a[2];
    MATRIX_B b[2][2];
    for (uint j = 0; j < 2; ++j) LOAD_B(b[0][j], j, 0);
    for (uint t = 0; t < TURNS; ++t) {
        for (uint i = 0; i < 2; ++i) LOAD_A(a[i], i, t * K);
        if (t + 1 < TURNS) for (uint j = 0; j < 2; ++j) LOAD_B(b[(t + 1) % 2][j], j, (t + 1) * K);
        for (uint j = 0; j < 2; ++j) for (uint i = 0; i < 2; ++i)
            sums[i][j] = coopMatMulAdd(a[i], b[t % 2][j], sums[i][j]);
    })";
    expectProduct(gpuWithScalars(), kHalves, {}, kAhead, true);
}

TEST(SlicedMulAdd, WholeWhereItMustBe) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    for (const std::string_view products : kWhole) {
        expectProduct(gpuWithScalars(), kHalves, {}, products, false);
    }
}

// Only some products of a module could be computed in slices: none is.
TEST(SlicedMulAdd, AllOrNone) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const std::string first(kUsual);
    const std::string second = R"(
    MATRIX_A zero = MATRIX_A(0);
    for (uint j = 0; j < 2; ++j) {
        MATRIX_B b;
        LOAD_B(b, j, 0);
        sums[0][j] = coopMatMulAdd(zero, b, sums[0][j]);
    })";
    expectProduct(gpuWithScalars(), kHalves, {}, first + second, false);
}

}  // namespace
}  // namespace coopvk::test::sliced_product_test
