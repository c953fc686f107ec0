// SPDX-License-Identifier: Apache-2.0
//
// Matrix-vector products: types, layouts, sizes, storage of the matrix, active invocations. Values
// are small integers, so every order and precision of the sum has the same result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "harness/covering.hpp"
#include "harness/random.hpp"
#include "harness/reference.hpp"
#include "harness/rewritten.hpp"
#include "harness/vector.hpp"

namespace coopvk::test::vector_multiply_test {
namespace {

enum class Where { kBuffer, kAddress, kByteBuffer };
// kOwnMatrix: invocations use one of kMatrices matrices; kTwoMatrices: of two of them.
enum class Who { kAll, kDivergent, kOwnMatrix, kTwoMatrices };

constexpr VkComponentTypeKHR kF16 = VK_COMPONENT_TYPE_FLOAT16_KHR;
constexpr VkComponentTypeKHR kF32 = VK_COMPONENT_TYPE_FLOAT32_KHR;
constexpr VkComponentTypeKHR kS8 = VK_COMPONENT_TYPE_SINT8_KHR;
constexpr VkComponentTypeKHR kU8 = VK_COMPONENT_TYPE_UINT8_KHR;
constexpr VkComponentTypeKHR kS32 = VK_COMPONENT_TYPE_SINT32_KHR;
constexpr VkComponentTypeKHR kU32 = VK_COMPONENT_TYPE_UINT32_KHR;
constexpr VkComponentTypeKHR kE4M3 = VK_COMPONENT_TYPE_FLOAT_E4M3_NV;
constexpr VkComponentTypeKHR kE5M2 = VK_COMPONENT_TYPE_FLOAT_E5M2_NV;

struct Case {
    VkComponentTypeKHR input, interpretation, matrix, result;
    uint32_t m, k;
    MatrixLayout layout = kRowMajor;
    bool transpose = false;
    bool bias = false;
    Where where = Where::kBuffer;
    Who who = Who::kAll;
    uint32_t invocations = 32;
};

size_t align(size_t value, size_t to) { return (value + to - 1) / to * to; }

std::string nameOf(const testing::TestParamInfo<Case>& info) {
    const Case& c = info.param;
    constexpr const char* kLayouts[] = {"Rows", "Columns", "Inference", "Training"};
    constexpr const char* kWhere[] = {"", "Address", "Bytes"};
    constexpr const char* kWho[] = {"", "Divergent", "OwnMatrix", "TwoMatrices"};
    std::string name(component(c.input).name);
    for (const auto type : {c.interpretation, c.matrix, c.result}) {
        name += "_" + std::string(component(type).name);
    }
    return name + "_" + std::to_string(c.m) + "x" + std::to_string(c.k) + kLayouts[c.layout] +
           (c.transpose ? "Transposed" : "") + (c.bias ? "Bias" : "") +
           kWhere[static_cast<int>(c.where)] + kWho[static_cast<int>(c.who)] + "_" +
           std::to_string(c.invocations) + "_" + std::to_string(info.index);
}

class VectorMultiply : public testing::TestWithParam<Case> {
 protected:
    // Runs the case's shader, or another version of it.
    void check(Words (*prepared)(const Words&));
    // A version that coopvk's rewriter made: coopvk's optimal layouts are its own.
    void checkRewritten(Words (*prepared)(const Words&)) {
        if (optimal() && !Context::get().emulated) GTEST_SKIP() << "not the driver's own layout";
        check(prepared);
    }

    const Case& c_ = GetParam();
    const VectorComponent& input_ = component(c_.input);
    const VectorComponent& as_ = component(c_.interpretation);
    const VectorComponent& matrix_ = component(c_.matrix);
    const VectorComponent& result_ = component(c_.result);
    static constexpr uint32_t kGroups = 2;
    static constexpr uint32_t kMatrices = 7;

    uint32_t inputComponents() const { return as_.isPacked() ? (c_.k + 3) / 4 : c_.k; }
    size_t inputBytes() const { return align(as_.isPacked() ? c_.k : c_.k * input_.bytes, 16); }
    size_t resultBytes() const { return align(c_.m * result_.bytes, 16); }
    uint32_t rows() const { return c_.transpose ? c_.k : c_.m; }
    uint32_t columns() const { return c_.transpose ? c_.m : c_.k; }
    bool optimal() const { return c_.layout != kRowMajor && c_.layout != kColumnMajor; }
    size_t stride() const {
        return align((c_.layout == kColumnMajor ? rows() : columns()) * matrix_.bytes, 16) + 16;
    }

    std::string source(size_t matrixBytes) const {
        const std::string where = c_.where == Where::kByteBuffer ? "uint8_t" : "uint";
        const std::string w = c_.where == Where::kAddress ? "W(push.w).w" : "w";
        const std::string b = c_.where == Where::kAddress ? "B(push.b).b" : "b";
        const std::string kind = c_.where == Where::kAddress
                                     ? "layout(buffer_reference) readonly "
                                     : "layout(set = 0, binding = 1) readonly ";
        std::string text = vectorHeader(c_.invocations);
        const std::string in(input_.glsl);
        const std::string out(result_.glsl);
        text += "layout(push_constant) uniform P { uint64_t w; uint64_t b; } push;\n";
        text += "layout(set = 0, binding = 0) readonly buffer A { " + in + " a[]; };\n";
        text += kind + "buffer W { " + where + " w[]; };\n";
        text += (c_.where == Where::kAddress ? "layout(buffer_reference) readonly "
                                             : "layout(set = 0, binding = 2) readonly ");
        text += "buffer B { " + where + " b[]; };\n";
        text += "layout(set = 0, binding = 3) buffer R { " + out + " r[]; };\n";
        text +=
            "void main() {\n  uint i = gl_GlobalInvocationID.x;\n  uint set = " + setOf() + ";\n";
        text += "  coopvecNV<" + in + ", " + std::to_string(inputComponents()) +
                "> v;\n  coopVecLoadNV(v, a, i * " + std::to_string(inputBytes()) + ");\n";
        text += "  coopvecNV<" + out + ", " + std::to_string(c_.m) + "> o = coopvecNV<" + out +
                ", " + std::to_string(c_.m) + ">(" + out + "(0));\n";
        if (c_.who == Who::kDivergent) text += "  if (i % 3 != 1)\n";
        text += std::string("  coopVecMatMul") + (c_.bias ? "Add" : "") + "NV(o, v, " +
                std::string(as_.token) + ", " + w + ", set * " + std::to_string(matrixBytes) +
                ", " + std::string(matrix_.token);
        if (c_.bias) {
            text += ", " + b + ", set * " + std::to_string(resultBytes()) + ", " +
                    std::string(result_.token);
        }
        constexpr const char* kLayouts[] = {"RowMajor", "ColumnMajor", "InferencingOptimal",
                                            "TrainingOptimal"};
        text += ", " + std::to_string(c_.m) + ", " + std::to_string(c_.k) +
                ", gl_CooperativeVectorMatrixLayout" + kLayouts[c_.layout] + "NV, " +
                (c_.transpose ? "true" : "false") + ", " + std::to_string(stride()) + ");\n";
        return text + "  coopVecStoreNV(o, r, i * " + std::to_string(resultBytes()) + ");\n}\n";
    }

    // GLSL for the index of an invocation's matrix.
    std::string setOf() const {
        if (c_.who == Who::kOwnMatrix) return "i % " + std::to_string(kMatrices);
        return c_.who == Who::kTwoMatrices ? "i % 5 < 2 ? 2 : 1" : "1";
    }

    double number(Rng& rng, const VectorComponent& type) const {
        if (type.isFloat) return static_cast<double>(rng.range(-2, 2));
        return static_cast<double>(
            rng.range(static_cast<int64_t>(type.low), static_cast<int64_t>(type.high)));
    }
};

void VectorMultiply::check(Words (*prepared)(const Words&)) {
    Rng rng(nameOf({c_, 0}));
    const uint32_t count = c_.invocations * kGroups;
    // Inputs: beyond integer ranges and between integers where they are converted.
    Bytes a = rng.bytes(count * inputBytes());
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < c_.k; ++k) {
            double value = number(rng, as_.isPacked() ? as_ : input_);
            if (input_.isFloat && !as_.isFloat)
                value = static_cast<double>(rng.range(-600, 600)) / 2;
            if (as_.isPacked()) {
                putElement(a, i * inputBytes() + k, as_, value);
            } else {
                putElement(a, i * inputBytes() + k * input_.bytes, input_, value);
            }
        }
    }
    // Matrices: by rows, then in the layout.
    std::vector<double> weights(kMatrices * rows() * columns());
    for (double& w : weights) w = number(rng, matrix_);
    const MatrixSide plain = {c_.matrix, kRowMajor, columns() * matrix_.bytes};
    ConversionRequest request = {
        plain, {c_.matrix, c_.layout, optimal() ? 0 : stride()}, rows(), columns()};
    const size_t lines = c_.layout == kColumnMajor ? columns() : rows();
    // NaN and large numbers in all bytes without an element, also where conversions write padding.
    constexpr std::byte kBad{0xff};
    constexpr size_t kGap = 64;
    const size_t matrixBytes = align(optimal() ? querySize(request) : lines * stride(), 64) + kGap;
    Bytes w(kMatrices * matrixBytes, kBad), native = w;
    for (uint32_t set = 0; set < kMatrices; ++set) {
        Bytes one(rows() * columns() * matrix_.bytes);
        for (uint32_t e = 0; e < rows() * columns(); ++e) {
            const double value = weights[set * rows() * columns() + e];
            putElement(one, e * matrix_.bytes, matrix_, value);
            if (optimal()) continue;
            putElement(w, set * matrixBytes + request.to.offset(e / columns(), e % columns()),
                       matrix_, value);
        }
        if (!optimal()) continue;
        const Bytes before(matrixBytes, kBad);
        // The reference device's own optimal layouts are rows without gaps.
        std::copy(one.begin(), one.end(),
                  native.begin() + static_cast<ptrdiff_t>(set * matrixBytes));
        const Bytes blob =
            set == 1 ? convertOnDevice(request, one, before) : convertOnHost(request, one, before);
        std::copy(blob.begin(), blob.end(), w.begin() + static_cast<ptrdiff_t>(set * matrixBytes));
    }
    Bytes b = rng.bytes(kMatrices * resultBytes());
    for (uint32_t set = 0; set < kMatrices; ++set) {
        for (uint32_t m = 0; m < c_.m; ++m) {
            putElement(b, set * resultBytes() + m * result_.bytes, result_,
                       static_cast<double>(rng.range(0, 9)));
        }
    }
    Dispatch dispatch;
    dispatch.buffers = {a, w, b, rng.bytes(count * resultBytes())};
    if (c_.where == Where::kAddress) dispatch.addresses = {1, 2};
    dispatch.groups = {kGroups, 1, 1};
    const Words words = compileGlsl(source(matrixBytes));
    Dispatch reference = dispatch;
    if (optimal()) reference.buffers[1] = native;
    const Bytes want = expectedOf(words, reference)[3];
    const Bytes got = run(prepared(words), dispatch)[3];
    int wrong = 0;
    for (uint32_t i = 0; i < count && wrong < 5; ++i) {
        const size_t first = i * resultBytes();
        for (uint32_t m = 0; m < c_.m; ++m) {
            const size_t at = first + m * result_.bytes;
            const double x = getElement(got, at, result_), y = getElement(want, at, result_);
            if (x == y || ++wrong > 5) continue;
            ADD_FAILURE() << "invocation " << i << " row " << m << ": " << x << ", not " << y;
        }
        for (size_t at = first + c_.m * result_.bytes; at < first + resultBytes(); ++at)
            ASSERT_EQ(got[at], want[at]) << "byte " << at << ", behind a vector";
    }
}

TEST_P(VectorMultiply, Matches) {
    check([](const Words& words) { return words; });
}

// Code for processors with scalar registers also runs on others.
class VectorMultiplyScalar : public VectorMultiply {};
TEST_P(VectorMultiplyScalar, Matches) { checkRewritten(forScalarRegisters); }

class VectorMultiplyFewRegisters : public VectorMultiply {};
TEST_P(VectorMultiplyFewRegisters, Matches) { checkRewritten(forFewRegisters); }
class VectorMultiplyTiles : public VectorMultiply {};
TEST_P(VectorMultiplyTiles, Matches) { checkRewritten(forFewRegistersAndTiles); }

std::vector<Case> typeCases() {
    const VkComponentTypeKHR kPackedS = VK_COMPONENT_TYPE_SINT8_PACKED_NV;
    const VkComponentTypeKHR kPackedU = VK_COMPONENT_TYPE_UINT8_PACKED_NV;
    const std::array<VkComponentTypeKHR, 4> rows[] = {
        {kF16, kF16, kF16, kF16},    {kF16, kF16, kF16, kF32},    {kF32, kF32, kF32, kF32},
        {kF16, kE4M3, kE4M3, kF16},  {kF16, kE5M2, kE5M2, kF16},  {kS8, kS8, kS8, kS32},
        {kU8, kU8, kU8, kS32},       {kU8, kU8, kS8, kS32},       {kS8, kS8, kU8, kS32},
        {kU8, kU8, kU8, kU32},       {kU32, kPackedS, kS8, kS32}, {kU32, kPackedU, kU8, kS32},
        {kU32, kPackedU, kS8, kS32}, {kU32, kPackedS, kU8, kS32}, {kS32, kS8, kS8, kS32},
        {kF32, kS8, kS8, kS32},      {kF32, kU8, kS8, kS32},      {kF32, kS8, kU8, kS32},
    };
    std::vector<Case> cases;
    for (const auto& [input, as, matrix, result] : rows) {
        const bool fp8 = matrix == kE4M3 || matrix == kE5M2;
        for (const MatrixLayout layout : {kRowMajor, kColumnMajor, kInferencing, kTraining}) {
            if (fp8 && (layout == kRowMajor || layout == kColumnMajor)) continue;
            const bool more = layout == kRowMajor || layout == kTraining;
            cases.push_back({input, as, matrix, result, 21, 35, layout, false, more});
            if (more || fp8)
                cases.push_back({input, as, matrix, result, 16, 32, layout, false, !more});
            if (layout == kInferencing) {
                cases.push_back({input, as, matrix, result, 13, 7, layout, true, true});
            }
        }
    }
    return cases;
}

std::vector<Case> sizeCases() {
    std::vector<Case> cases;
    const std::pair<uint32_t, uint32_t> sizes[] = {{1, 1},     {2, 2},   {1, 40},  {40, 1},
                                                   {3, 5},     {8, 8},   {64, 64}, {65, 63},
                                                   {128, 128}, {7, 130}, {130, 9}, {33, 256}};
    for (const auto& [m, k] : sizes) {
        for (const MatrixLayout layout : {kRowMajor, kColumnMajor, kTraining}) {
            cases.push_back({kF16, kF16, kF16, kF16, m, k, layout, layout == kTraining, true});
        }
        cases.push_back({kF16, kF16, kF16, kF16, m, k, kInferencing, false, false});
        cases.push_back({kS8, kS8, kS8, kS32, m, k, kInferencing, false, true});
    }
    cases.push_back({kF16, kF16, kF16, kF16, 4, 1024, kInferencing});
    cases.push_back({kF16, kF16, kF16, kF16, 1024, 4, kInferencing});
    cases.push_back({kF32, kF32, kF32, kF32, 20, 515, kTraining, false, true});
    return cases;
}

std::vector<Case> placeCases() {
    std::vector<Case> cases;
    for (const Where where : {Where::kBuffer, Where::kAddress, Where::kByteBuffer}) {
        for (const Who who : {Who::kAll, Who::kDivergent, Who::kOwnMatrix}) {
            for (const uint32_t invocations : {32u, 64u, 13u, 37u}) {
                cases.push_back({kF16, kF16, kF16, kF16, 24, 48, kRowMajor, false, true, where, who,
                                 invocations});
            }
            cases.push_back({kS8, kS8, kS8, kS32, 17, 33, kInferencing, false, true, where, who});
            cases.push_back({kF32, kF32, kF32, kF32, 9, 12, kColumnMajor, false, true, where, who});
        }
    }
    return cases;
}

// Numbers of rows around the size of the blocks in which columns are summed, with many columns:
// every sum of a block is live until the block is done.
std::vector<Case> columnCases() {
    std::vector<Case> cases;
    for (const uint32_t m : {17u, 31u, 33u, 64u}) {
        cases.push_back({kF16, kF16, kF16, kF16, m, 256, kColumnMajor, false, true});
        cases.push_back({kF16, kF16, kF16, kF16, m, 256, kTraining, true, true});
    }
    cases.push_back({kF16, kF16, kF16, kF32, 33, 256, kColumnMajor, false, true});
    cases.push_back({kS8, kS8, kS8, kS32, 33, 256, kColumnMajor, false, true});
    return cases;
}

// Loops over rows and over columns, whole and with a rest; weights that all share, or do not.
std::vector<Case> scalarCases() {
    std::vector<Case> cases;
    const std::pair<uint32_t, uint32_t> sizes[] = {{1, 1}, {4, 8}, {21, 35}, {64, 64}, {130, 9}};
    for (const auto& [m, k] : sizes)
        for (const MatrixLayout layout : {kRowMajor, kColumnMajor, kInferencing})
            cases.push_back({kF16, kF16, kF16, kF16, m, k, layout, false, true});
    for (const Where where : {Where::kBuffer, Where::kAddress, Where::kByteBuffer})
        for (const Who who : {Who::kAll, Who::kDivergent, Who::kOwnMatrix})
            cases.push_back(
                {kF16, kF16, kF16, kF16, 24, 48, kRowMajor, false, true, where, who, 37});
    cases.push_back({kS8, kS8, kS8, kS32, 17, 33, kInferencing, false, true});
    cases.push_back({kF32, kF32, kF32, kF32, 66, 12, kColumnMajor, false, true});
    return cases;
}

// Lines that are unrolled and longer ones, with a rest and without.
std::vector<Case> fewRegisterCases() {
    std::vector<Case> cases;
    const std::pair<uint32_t, uint32_t> sizes[] = {{1, 1},   {5, 8},    {21, 35},
                                                   {64, 64}, {33, 128}, {130, 71}};
    for (const auto& [m, k] : sizes)
        for (const MatrixLayout layout : {kRowMajor, kColumnMajor, kInferencing})
            cases.push_back({kF16, kF16, kF16, kF16, m, k, layout, false, true});
    cases.push_back({kF16, kF16, kF16, kF32, 33, 130, kTraining, true, true});
    cases.push_back({kS8, kS8, kS8, kS32, 17, 133, kInferencing, false, true});
    cases.push_back({kF32, kF32, kF32, kF32, 66, 12, kColumnMajor, false, true});
    return cases;
}

// By all invocations as a tile, also where they use several matrices, and by some of them alone.
std::vector<Case> tileCases() {
    std::vector<Case> cases;
    for (const auto& [m, k] : {std::pair{64u, 64u}, {33u, 128u}, {8u, 16u}})
        for (const Who who : {Who::kAll, Who::kDivergent, Who::kOwnMatrix, Who::kTwoMatrices})
            cases.push_back(
                {kF16, kF16, kF16, kF16, m, k, kInferencing, false, true, Where::kBuffer, who});
    return cases;
}

std::vector<Case> few(const std::vector<Case>& cases) {
    return covering(cases, [](const Case& c) {
        std::string types;
        for (const VkComponentTypeKHR type : {c.input, c.interpretation, c.matrix, c.result})
            types += factor(type) + " ";
        return factors(types, factor(c.m) + "x" + factor(c.k), c.layout, c.transpose, c.bias,
                       c.where, c.who, c.invocations);
    });
}

INSTANTIATE_TEST_SUITE_P(Scalar, VectorMultiplyScalar, testing::ValuesIn(few(scalarCases())),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(FewRegisters, VectorMultiplyFewRegisters,
                         testing::ValuesIn(few(fewRegisterCases())), nameOf);
INSTANTIATE_TEST_SUITE_P(Tiles, VectorMultiplyTiles, testing::ValuesIn(tileCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Types, VectorMultiply, testing::ValuesIn(few(typeCases())), nameOf);
INSTANTIATE_TEST_SUITE_P(Sizes, VectorMultiply, testing::ValuesIn(few(sizeCases())), nameOf);
INSTANTIATE_TEST_SUITE_P(Columns, VectorMultiply, testing::ValuesIn(few(columnCases())), nameOf);
INSTANTIATE_TEST_SUITE_P(Places, VectorMultiply, testing::ValuesIn(few(placeCases())), nameOf);

}  // namespace
}  // namespace coopvk::test::vector_multiply_test
