// SPDX-License-Identifier: Apache-2.0
//
// Rows, columns, scope and use from specialization constants and operations on them; one module
// made into several pipelines; several entry points in one module.
#include <gtest/gtest.h>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/glsl.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::specialization_test {
namespace {

const char* const kSizes =
    "layout(constant_id = 1) const uint M = 1;\nlayout(constant_id = 2) const uint N = 1;\n"
    "layout(constant_id = 3) const uint K = 1;\nlayout(constant_id = 4) const uint SCOPE = 0;\n";

struct Shape {
    uint32_t m, n, k;
};

std::vector<SpecConstant> constants(const Shape& s) {
    return {{1, s.m}, {2, s.n}, {3, s.k}, {4, 3}};
}

// d = a × b + c of the shape, with whatever the shader does to the product besides.
void expectProduct(const Words& words, const Shape& s, const PipelineOptions& options) {
    Rng rng("specialization");
    const Matrix a = randomMatrix(rng, Component::kF16, s.m, s.k, Fill::kSmall);
    const Matrix b = randomMatrix(rng, Component::kF16, s.k, s.n, Fill::kSmall);
    const Matrix c = randomMatrix(rng, Component::kF32, s.m, s.n, Fill::kSmall);
    Dispatch dispatch;
    dispatch.buffers = {pack(a), pack(b), pack(c), rng.bytes(pack(c).size())};
    expectNumbersAsReference(words, dispatch, Component::kF32, options);
}

// `derived` defines further constants; the other arguments name rows, columns and scope.
std::string productSource(const std::string& derived, const std::string& m, const std::string& n,
                          const std::string& k, const std::string& scope) {
    const auto type = [&](const char* component, const std::string& rows,
                          const std::string& columns, const std::string& use) {
        return "coopmat<" + std::string(component) + ", " + scope + ", " + rows + ", " + columns +
               ", " + use + ">";
    };
    return glsl::header() + kSizes + derived + glsl::buffer(0, "a", "float16_t") +
           glsl::buffer(1, "b", "float16_t") + glsl::buffer(2, "c", "float") +
           glsl::buffer(3, "d", "float") + "void main() {\n" +
           type("float16_t", m, k, "gl_MatrixUseA") + " A;\n" +
           type("float16_t", k, n, "gl_MatrixUseB") + " B;\n" +
           type("float", m, n, "gl_MatrixUseAccumulator") + " C;\n" + glsl::load("A", "a", k) +
           glsl::load("B", "b", n) + glsl::load("C", "c", n) + "C = coopMatMulAdd(A, B, C);\n" +
           glsl::store("C", "d", n) + "}\n";
}

std::vector<Shape> shapes() {
    if (!Context::get().emulated) return {{8, 8, 8}};
    return {{8, 8, 8}, {16, 8, 4}, {4, 16, 2}, {2, 2, 2}};
}

TEST(Specialization, SizesAndScope) {
    const Words words = compileGlsl(productSource("", "M", "N", "K", "SCOPE"));
    for (const Shape& s : shapes()) expectProduct(words, s, {constants(s)});
}

TEST(Specialization, SizesFromOperations) {
    const Words words =
        compileGlsl(productSource("const uint M2 = M * 2 / 2, N2 = N + K - K, K2 = K << 1 >> 1;\n"
                                  "const uint S2 = SCOPE == 3 ? SCOPE % 4 : 1;\n",
                                  "M2", "N2", "K2", "S2"));
    for (const Shape& s : shapes()) expectProduct(words, s, {constants(s)});
}

TEST(Specialization, SizesFromSelection) {
    const Words words =
        compileGlsl(productSource("const bool WIDE = N > 1;\nconst bool TALL = !(M == 1) && WIDE;\n"
                                  "const uint M2 = TALL ? M : 4;\nconst uint N2 = WIDE ? N : 2;\n",
                                  "M2", "N2", "K", "gl_ScopeSubgroup"));
    for (const Shape& s : shapes()) expectProduct(words, s, {constants(s)});
}

// Use is a specialization constant only in assembly: GLSL needs a literal.
TEST(Specialization, Use) {
    Assembly a;
    a.buffers = {scalars("a", Component::kF16), scalars("b", Component::kF16),
                 scalars("c", Component::kF32), scalars("d", Component::kF32)};
    a.decorations =
        "OpDecorate %use_a SpecId 1\nOpDecorate %use_b SpecId 2\nOpDecorate %rows SpecId 3\n"
        "OpDecorate %layout SpecId 4\n";
    a.declarations =
        "%use_a = OpSpecConstant %u32 2\n%use_b = OpSpecConstant %u32 2\n"
        "%rows = OpSpecConstant %u32 4\n%layout = OpSpecConstant %u32 1\n"
        "%scope = OpSpecConstantOp %u32 IAdd %use_b %c_2\n"
        "%use_c = OpSpecConstantOp %u32 BitwiseOr %use_a %c_2\n"
        "%A = OpTypeCooperativeMatrixKHR %f16 %scope %rows %c_8 %use_a\n"
        "%B = OpTypeCooperativeMatrixKHR %f16 %scope %c_8 %c_8 %use_b\n"
        "%C = OpTypeCooperativeMatrixKHR %f32 %scope %rows %c_8 %use_c\n";
    a.body =
        "%pa = OpAccessChain %sb_f16 %a %c_0 %c_0\n%pb = OpAccessChain %sb_f16 %b %c_0 %c_0\n"
        "%pc = OpAccessChain %sb_f32 %c %c_0 %c_0\n%pd = OpAccessChain %sb_f32 %d %c_0 %c_0\n"
        "%ma = OpCooperativeMatrixLoadKHR %A %pa %layout %c_8\n"
        "%mb = OpCooperativeMatrixLoadKHR %B %pb %layout %c_8\n"
        "%mc = OpCooperativeMatrixLoadKHR %C %pc %layout %c_8\n"
        "%md = OpCooperativeMatrixMulAddKHR %C %ma %mb %mc\n"
        "OpCooperativeMatrixStoreKHR %pd %md %layout %c_8\n";
    expectProduct(assemble(a, Checked::kNo), {8, 8, 8}, {{{1, 0}, {2, 1}, {3, 8}, {4, 0}}});
}

TEST(Specialization, ElementsAndLoops) {
    // Constants also determine loops and array sizes.
    const std::string source =
        glsl::header() + kSizes + glsl::buffer(0, "a", "float") + glsl::buffer(1, "d", "float") +
        "#define T coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>\n"
        "void main() {\nT m[K], r = T(0);\n" +
        "for (uint i = 0; i < K; ++i) {\n" + glsl::load("m[i]", "a", "N", false, "i * M * N") +
        "}\nfor (uint i = 0; i < K; ++i) r = r + m[i] * float(i + 1);\n" +
        glsl::store("r", "d", "N") + "}\n";
    const Shape s = Context::get().emulated ? Shape{4, 8, 3} : Shape{8, 8, 3};
    Rng rng("ElementsAndLoops");
    const Matrix a = randomMatrix(rng, Component::kF32, s.m * s.k, s.n, Fill::kSmall);
    Matrix want(Component::kF32, s.m, s.n);
    for (uint32_t i = 0; i < s.m * s.n; ++i) {
        double sum = 0;
        for (uint32_t j = 0; j < s.k; ++j)
            sum += (j + 1) * toDouble(Component::kF32, a.elements[j * s.m * s.n + i]);
        want.elements[i] = fromDouble(Component::kF32, sum);
    }
    Dispatch dispatch;
    dispatch.buffers = {pack(a), rng.bytes(s.m * s.n * 4)};
    const std::vector<Bytes> after = run(compileGlsl(source), dispatch, {constants(s)});
    EXPECT_EQ(difference(unpack(Component::kF32, s.m, s.n, after[1]), want), "");
}

// Two entry points share types, constants, a function and variables; one uses no matrix at all.
TEST(EntryPoints, ThreeInOneModule) {
    Assembly a;
    a.buffers = {scalars("a", Component::kF32), scalars("d", Component::kF32)};
    a.declarations = matrixType("T", Component::kF32, 8, 8, Use::kAccumulator) +
                     "%one = OpConstant %f32 1\n%ones = OpConstantComposite %T %one\n"
                     "%ft = OpTypeFunction %T %T\n";
    a.entryPoints = {"OpEntryPoint GLCompute %negate \"negate\"",
                     "OpEntryPoint GLCompute %plain \"plain\""};
    const auto body = [](const std::string& suffix, const std::string& how) {
        return substitute(
            "%pa${s} = OpAccessChain %sb_f32 %a %c_0 %c_0\n"
            "%pd${s} = OpAccessChain %sb_f32 %d %c_0 %c_0\n"
            "%x${s} = OpCooperativeMatrixLoadKHR %T %pa${s} %c_0 %c_8\n"
            "%y${s} = ${how} %x${s}\n%z${s} = OpFunctionCall %T %increment %y${s}\n"
            "OpCooperativeMatrixStoreKHR %pd${s} %z${s} %c_0 %c_8\n",
            {{"s", suffix}, {"how", how}});
    };
    a.body = body("1", "OpCopyObject %T");
    a.functions =
        "%negate = OpFunction %void None %void_fn\n%nl = OpLabel\n" + body("2", "OpFNegate %T") +
        "OpReturn\nOpFunctionEnd\n%plain = OpFunction %void None %void_fn\n%pl = OpLabel\n" +
        inFirstInvocation("%pd3 = OpAccessChain %sb_f32 %d %c_0 %c_5\nOpStore %pd3 %one\n") +
        "OpReturn\nOpFunctionEnd\n%increment = OpFunction %T None %ft\n%v = OpFunctionParameter "
        "%T\n%il = OpLabel\n%w = OpFAdd %T %v %ones\nOpReturnValue %w\nOpFunctionEnd\n";
    const Words words = assemble(a);
    Rng rng("EntryPoints");
    const Matrix in = randomMatrix(rng, Component::kF32, 8, 8, Fill::kSmall);
    for (const std::string entry : {"main", "negate", "plain"}) {
        Dispatch dispatch;
        dispatch.buffers = {pack(in), rng.bytes(256)};
        PipelineOptions options;
        options.entryPoint = entry;
        const std::vector<Bytes> after = run(words, dispatch, options);
        Matrix want = unpack(Component::kF32, 8, 8, dispatch.buffers[1]);
        for (size_t i = 0; i < want.elements.size(); ++i) {
            const double x = toDouble(Component::kF32, in.elements[i]);
            if (entry != "plain")
                want.elements[i] = fromDouble(Component::kF32, (entry == "main" ? x : -x) + 1);
        }
        if (entry == "plain") want.elements[5] = fromDouble(Component::kF32, 1);
        EXPECT_EQ(difference(after[1], pack(want)), "") << entry;
    }
}

}  // namespace
}  // namespace coopvk::test::specialization_test
