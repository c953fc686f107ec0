// SPDX-License-Identifier: Apache-2.0
//
// VK_QCOM_cooperative_matrix_conversion: matrices from arrays and back, in every legal combination
// of use, component and array; sub-arrays; casts of arrays. All bits must stay the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/covering.hpp"
#include "harness/glsl.hpp"
#include "harness/reference.hpp"
#include "harness/rewritten.hpp"

namespace coopvk::test::qcom_conversion_test {
namespace {

std::string missingConversion() {
    const Context& context = Context::get();
    if (context.features.qcomConversion.cooperativeMatrixConversion) return {};
    if (context.emulated) throw std::runtime_error("coopvk does not emulate the conversion");
    return "the device has no VK_QCOM_cooperative_matrix_conversion";
}

std::string header() {
    return glsl::header() + "#extension GL_QCOM_cooperative_matrix_conversion : require\n";
}

// ---------------------------------------------------------------------------------------------
// Matrices and arrays

struct LineCase {
    Use use;
    Component component;
    bool words;    // the array holds 32-bit words
    bool smaller;  // half as many lines as the subgroup has lanes
};

struct LineLayout {
    explicit LineLayout(const LineCase& c) {
        lines = std::min(Context::get().subgroupSize, 16u) / (c.smaller ? 2 : 1);
        // 32 bytes for A and B, a supported number of columns for accumulators.
        length = c.use == Use::kAccumulator ? 8 : 32 / info(c.component).bytes;
        const bool columns = c.use == Use::kB;
        rows = columns ? length : lines;
        cols = columns ? lines : length;
        elements = c.words ? length * info(c.component).bytes / 4 : length;
        element = c.words ? "uint" : std::string(glsl::scalar(c.component));
        bytes = length * info(c.component).bytes;
    }
    uint32_t lines, length;  // of the matrix
    uint32_t rows, cols;
    uint32_t elements;    // of the array
    std::string element;  // GLSL
    size_t bytes;         // of the array
};

std::vector<LineCase> lineCases() {
    std::vector<LineCase> cases;
    constexpr Component kFactors[] = {Component::kF32, Component::kF16, Component::kS8,
                                      Component::kU8};
    constexpr Component kSums[] = {Component::kF32, Component::kF16, Component::kS32,
                                   Component::kU32};
    for (const Use use : kAllUses)
        for (const Component component : use == Use::kAccumulator ? kSums : kFactors)
            for (const bool words : {false, true})
                for (const bool smaller : {false, true}) {
                    if (words && component == Component::kU32) continue;  // the same array
                    cases.push_back({use, component, words, smaller});
                }
    return cases;
}

std::string lineName(const testing::TestParamInfo<LineCase>& test) {
    const LineCase& c = test.param;
    return std::string(1, "ABC"[static_cast<int>(c.use)]) + "_" + std::string(name(c.component)) +
           (c.words ? "_words" : "_same") + (c.smaller ? "_smaller" : "");
}

class QcomLines : public testing::TestWithParam<LineCase> {};

// As it is, and as processors with scalar registers get it.
void expectBoth(const Words& words, const Dispatch& dispatch) {
    expectAsReference(words, dispatch);
    const std::vector<Bytes> expected = expectedOf(words, dispatch);
    const std::vector<Bytes> after = run(forScalarRegisters(words), dispatch);
    for (size_t i = 0; i < after.size(); ++i) EXPECT_EQ(difference(after[i], expected[i]), "");
}

TEST_P(QcomLines, Construct) {
    if (const std::string why = missingConversion(); !why.empty()) GTEST_SKIP() << why;
    const LineCase& c = GetParam();
    const LineLayout l(c);
    const std::string source =
        header() + glsl::buffer(0, "src", l.element) +
        glsl::buffer(1, "dst", glsl::scalar(c.component)) + "void main() {\n" + l.element +
        " array[" + std::to_string(l.elements) + "];\nfor (uint i = 0; i < " +
        std::to_string(l.elements) + "; ++i) array[i] = src[gl_SubgroupInvocationID * " +
        std::to_string(l.elements) + " + i];\n" + glsl::matrix(c.component, l.rows, l.cols, c.use) +
        " M;\nvectorToCoopmatQCOM(array, M);\n" + glsl::store("M", "dst", std::to_string(l.cols)) +
        "}\n";
    Rng rng("QcomConstruct");
    // The arrays of lanes beyond the matrix must not matter.
    const Matrix lines =
        randomMatrix(rng, c.component, Context::get().subgroupSize, l.length, Fill::kBits);
    const Matrix matrix(c.component, l.rows, l.cols);
    Dispatch dispatch;
    dispatch.buffers = {pack(lines), rng.bytes(pack(matrix).size())};
    expectBoth(compileGlsl(source), dispatch);
}

TEST_P(QcomLines, Extract) {
    if (const std::string why = missingConversion(); !why.empty()) GTEST_SKIP() << why;
    const LineCase& c = GetParam();
    const LineLayout l(c);
    const std::string source =
        header() + glsl::buffer(0, "src", glsl::scalar(c.component)) +
        glsl::buffer(1, "dst", l.element) + "void main() {\n" +
        glsl::matrix(c.component, l.rows, l.cols, c.use) + " M;\n" +
        glsl::load("M", "src", std::to_string(l.cols)) + l.element + " array[" +
        std::to_string(l.elements) + "];\ncoopmatToVectorQCOM(M, array);\n" +
        "if (gl_SubgroupInvocationID < " + std::to_string(l.lines) + ") for (uint i = 0; i < " +
        std::to_string(l.elements) + "; ++i) dst[gl_SubgroupInvocationID * " +
        std::to_string(l.elements) + " + i] = array[i];\n}\n";
    Rng rng("QcomExtract");
    const Matrix matrix = randomMatrix(rng, c.component, l.rows, l.cols, Fill::kBits);
    Dispatch dispatch;
    dispatch.buffers = {pack(matrix), rng.bytes(l.lines * l.bytes)};
    expectBoth(compileGlsl(source), dispatch);
}

INSTANTIATE_TEST_SUITE_P(Glsl, QcomLines,
                         testing::ValuesIn(covering(lineCases(),
                                                    [](const LineCase& c) {
                                                        return factors(c.use, c.component, c.words,
                                                                       c.smaller);
                                                    })),
                         lineName);

// ---------------------------------------------------------------------------------------------
// Arrays

struct ArrayType {
    const char* element;  // GLSL
    uint32_t bytes;
};
constexpr ArrayType kArrays[] = {{"uint", 4}, {"int", 4}, {"float", 4}, {"float16_t", 2}};

TEST(QcomArrays, BitCast) {
    if (const std::string why = missingConversion(); !why.empty()) GTEST_SKIP() << why;
    constexpr uint32_t kBytes = 24;
    for (const ArrayType& from : kArrays) {
        for (const ArrayType& to : kArrays) {
            SCOPED_TRACE(std::string(from.element) + " to " + to.element);
            const std::string in = std::to_string(kBytes / from.bytes);
            const std::string out = std::to_string(kBytes / to.bytes);
            Assembly assembly;
            const auto id = [](const ArrayType& type) {
                const std::string_view element = type.element;
                return element == "uint"    ? "u32"
                       : element == "int"   ? "s32"
                       : element == "float" ? "f32"
                                            : "f16";
            };
            assembly.buffers = {{"src", id(from), from.bytes}, {"dst", id(to), to.bytes}};
            assembly.capabilities = {"CooperativeMatrixConversionQCOM"};
            assembly.extensions = {"SPV_QCOM_cooperative_matrix_conversion"};
            const std::string source = "%" + std::string(id(from)),
                              target = "%" + std::string(id(to));
            assembly.declarations = "%from = OpTypeArray " + source + " %c_" + in + "\n" +
                                    "%to = OpTypeArray " + target + " %c_" + out + "\n";
            std::string elements;
            for (uint32_t i = 0; i < kBytes / from.bytes; ++i) {
                const std::string n = std::to_string(i);
                assembly.body += "%ps" + n + " = OpAccessChain %sb_" + id(from) + " %src %c_0 %c_" +
                                 n + "\n%in_" + n + " = OpLoad " + source + " %ps" + n + "\n";
                elements += " %in_" + n;
            }
            assembly.body += "%in = OpCompositeConstruct %from" + elements +
                             "\n%out = OpBitCastArrayQCOM %to %in\n";
            for (uint32_t i = 0; i < kBytes / to.bytes; ++i) {
                const std::string n = std::to_string(i);
                assembly.body += "%pd" + n + " = OpAccessChain %sb_" + id(to) + " %dst %c_0 %c_" +
                                 n + "\n%d" + n + " = OpCompositeExtract " + target + " %out " + n +
                                 "\nOpStore %pd" + n + " %d" + n + "\n";
            }
            assembly.body = inFirstInvocation(assembly.body);
            Rng rng("QcomBitCast");
            Dispatch dispatch;
            // Finite as every type, so that no NaN can become quiet.
            const Matrix halves = randomMatrix(rng, Component::kF16, 1, kBytes / 2, Fill::kBits);
            dispatch.buffers = {pack(halves), rng.bytes(kBytes)};
            expectAsReference(assemble(assembly), dispatch);
        }
    }
}

// start: GLSL expression of value 3.
void expectSubArray(const ArrayType& type, const std::string& start) {
    SCOPED_TRACE(std::string(type.element) + " from " + start);
    const std::string element = type.element;
    const std::string source =
        header() + glsl::buffer(0, "src", element) + glsl::buffer(1, "dst", element) +
        "layout(push_constant) uniform Push { uint n[3]; int s; } push;\nvoid main() {\n" +
        element + " all[12];\nfor (uint i = 0; i < 12; ++i) all[i] = src[i];\n" + element +
        " part[4];\nextractSubArrayQCOM(all, " + start + ", part);\n" +
        "if (gl_LocalInvocationIndex == 0) for (uint i = 0; i < 4; ++i) dst[i] = part[i];\n}\n";
    Rng rng("QcomSubArray");
    const Matrix halves = randomMatrix(rng, Component::kF16, 1, 12 * type.bytes / 2, Fill::kBits);
    Dispatch dispatch;
    dispatch.buffers = {pack(halves), rng.bytes(4 * type.bytes)};
    dispatch.push = pushWords({0, 1, 2, 3});
    expectAsReference(compileGlsl(source), dispatch);
}

TEST(QcomArrays, SubArrays) {
    if (const std::string why = missingConversion(); !why.empty()) GTEST_SKIP() << why;
    for (const ArrayType& type : kArrays) {
        if (std::string_view(type.element) == "int") continue;  // not in the GLSL extension
        expectSubArray(type, "3");
        expectSubArray(type, "push.n[1] + push.n[2]");
    }
}

// A signed start index, and elements that GLSL lacks, as the SPIR-V specification allows.
TEST(QcomArrays, SignedStartIndex) {
    if (const std::string why = missingConversion(); !why.empty()) GTEST_SKIP() << why;
    Assembly assembly;
    assembly.buffers = {{"src", "s32", 4}, {"dst", "s32", 4}};
    assembly.capabilities = {"CooperativeMatrixConversionQCOM"};
    assembly.extensions = {"SPV_QCOM_cooperative_matrix_conversion"};
    assembly.declarations = "%from = OpTypeArray %s32 %c_6\n%to = OpTypeArray %s32 %c_2\n";
    std::string elements;
    for (int i = 0; i < 6; ++i) {
        const std::string n = std::to_string(i);
        assembly.body += "%ps" + n + " = OpAccessChain %sb_s32 %src %c_0 %c_" + n + "\n%in_" + n +
                         " = OpLoad %s32 %ps" + n + "\n";
        elements += " %in_" + n;
    }
    // The first element says where to start.
    assembly.body += "%in = OpCompositeConstruct %from" + elements +
                     "\n%out = OpExtractSubArrayQCOM %to %in %in_0\n";
    for (int i = 0; i < 2; ++i) {
        const std::string n = std::to_string(i);
        assembly.body += "%pd" + n + " = OpAccessChain %sb_s32 %dst %c_0 %c_" + n + "\n%d" + n +
                         " = OpCompositeExtract %s32 %out " + n + "\nOpStore %pd" + n + " %d" + n +
                         "\n";
    }
    assembly.body = inFirstInvocation(assembly.body);
    Rng rng("QcomSigned");
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(24), rng.bytes(8)};
    const uint32_t start = 4;
    std::memcpy(dispatch.buffers[0].data(), &start, 4);
    expectAsReference(assemble(assembly), dispatch);
}

// The whole use: lines in registers, a product, lines in registers again.
TEST(QcomProduct, FromAndToArrays) {
    if (const std::string why = missingConversion(); !why.empty()) GTEST_SKIP() << why;
    const uint32_t lanes = std::min(Context::get().subgroupSize, 8u);
    const std::string m = std::to_string(lanes);
    const std::string source =
        header() + glsl::buffer(0, "a", "float16_t") + glsl::buffer(1, "b", "float16_t") +
        glsl::buffer(2, "d", "float") + "void main() {\nconst uint i = gl_SubgroupInvocationID % " +
        m + ";\nfloat16_t all[32]; uint words[16], half_[8]; float sums[" + m + "];\n" +
        "for (uint k = 0; k < 32; ++k) all[k] = a[i * 32 + k];\nbitcastQCOM(all, words);\n" +
        glsl::matrix(Component::kF16, lanes, 16, Use::kA) + " A;\n" +
        glsl::matrix(Component::kF16, 16, lanes, Use::kB) + " B;\n" +
        glsl::matrix(Component::kF32, lanes, lanes, Use::kAccumulator) +
        " C = " + glsl::matrix(Component::kF32, lanes, lanes, Use::kAccumulator) + "(0.0);\n" +
        "for (uint k = 0; k < 2; ++k) {\nextractSubArrayQCOM(words, k * 8, half_);\n"
        "vectorToCoopmatQCOM(half_, A);\nfloat16_t column[16];\n"
        "for (uint x = 0; x < 16; ++x) column[x] = b[(k * 16 + x) * " +
        m + " + i];\nvectorToCoopmatQCOM(column, B);\nC = coopMatMulAdd(A, B, C);\n}\n" +
        "coopmatToVectorQCOM(C, sums);\nif (gl_SubgroupInvocationID < " + m +
        ") for (uint j = 0; j < " + m + "; ++j) d[i * " + m + " + j] = sums[j];\n}\n";
    Rng rng("QcomProduct");
    const Matrix a = randomMatrix(rng, Component::kF16, lanes, 32, Fill::kSmall);
    const Matrix b = randomMatrix(rng, Component::kF16, 32, lanes, Fill::kSmall);
    Dispatch dispatch;
    dispatch.buffers = {pack(a), pack(b), rng.bytes(size_t{lanes} * lanes * 4)};
    expectAsReference(compileGlsl(source), dispatch);
}

}  // namespace
}  // namespace coopvk::test::qcom_conversion_test
