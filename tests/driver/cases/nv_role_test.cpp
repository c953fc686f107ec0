// SPDX-License-Identifier: Apache-2.0
//
// VK_NV_cooperative_matrix: its matrices have no use, so one value may be A in one instruction and
// B or accumulator in another. Square matrices of one size can have every role. The inputs are X, Y
// and Z, the result is R.
#include <gtest/gtest.h>

#include "harness/compute.hpp"
#include "harness/nv.hpp"
#include "harness/reference.hpp"

namespace coopvk::test::nv_role_test {
namespace {

constexpr uint32_t kSize = 8;

struct RoleCase {
    std::string name, global, body;
    std::vector<SpecConstant> constants = {};
};

std::string caseName(const testing::TestParamInfo<RoleCase>& info) { return info.param.name; }

class NvRoles : public testing::TestWithParam<RoleCase> {};

TEST_P(NvRoles, MatchReference) {
    if (const std::string why = nv::missing(); !why.empty()) GTEST_SKIP() << why;
    const RoleCase& test = GetParam();
    const std::string source =
        nv::header() + glsl::buffer(0, "x", "float16_t") + glsl::buffer(1, "y", "float16_t") +
        glsl::buffer(2, "z", "float16_t") + glsl::buffer(3, "r", "float16_t") +
        "layout(push_constant) uniform Push { uint n[4]; } push;\n"
        "#define MAT fcoopmatNV<16, gl_ScopeSubgroup, 8, 8>\n"
        "#define WIDE fcoopmatNV<32, gl_ScopeSubgroup, 8, 8>\n" +
        test.global +
        "void main() {\n"
        "MAT X, Y, Z, R;\n"
        "coopMatLoadNV(X, x, 0, 8, false);\n"
        "coopMatLoadNV(Y, y, 0, 8, false);\n"
        "coopMatLoadNV(Z, z, 0, 8, false);\n" +
        test.body + "coopMatStoreNV(R, r, 0, 8, false);\n}\n";
    Rng rng(test.name);
    Dispatch dispatch;
    for (int i = 0; i < 3; ++i) {
        Matrix matrix(Component::kF16, kSize, kSize);
        // Products of products stay exact in 11 bits.
        for (uint64_t& element : matrix.elements)
            element = fromDouble(Component::kF16, static_cast<double>(rng.range(-1, 1)));
        dispatch.buffers.push_back(pack(matrix));
    }
    dispatch.buffers.push_back(rng.bytes(kSize * kSize * 2));
    dispatch.push = pushWords({0, 1, 2, 3});
    PipelineOptions options;
    options.specialization = test.constants;
    expectNumbersAsReference(compileGlsl(source), dispatch, Component::kF16, options);
}

const RoleCase kCases[] = {
    {"MulAdd", "", "R = coopMatMulAddNV(X, Y, Z);\n"},
    {"ProductAsA", "", "R = coopMatMulAddNV(coopMatMulAddNV(X, Y, Z), Y, Z);\n"},
    {"ProductAsB", "", "R = coopMatMulAddNV(X, coopMatMulAddNV(X, Y, Z), Z);\n"},
    {"ProductAsBoth", "", "MAT P = coopMatMulAddNV(X, Y, Z);\nR = coopMatMulAddNV(P, P, P);\n"},
    {"Square", "", "R = coopMatMulAddNV(X, X, Z);\n"},
    {"SquarePlusItself", "", "R = coopMatMulAddNV(X, X, X);\n"},
    {"BothOrders", "", "R = coopMatMulAddNV(Y, X, coopMatMulAddNV(X, Y, Z));\n"},
    // The first product is wider; its narrowed form is A of the next.
    {"ConvertedProductAsA", "",
     "WIDE W = coopMatMulAddNV(X, Y, WIDE(Z));\n"
     "R = MAT(coopMatMulAddNV(MAT(W), Y, WIDE(Z)));\n"},
    {"AccumulatorVariableReused", "",
     "MAT V = Z;\nV = coopMatMulAddNV(X, Y, V);\nMAT T = V;\nV = X;\n"
     "R = coopMatMulAddNV(V, Y, T);\n"},
    {"ConstantInAllRoles", "const MAT one = MAT(1.0);\n",
     "R = coopMatMulAddNV(one, Y, one);\nR = coopMatMulAddNV(X, one, R);\n"},
    {"LoopCarried", "",
     "R = Z;\nfor (uint i = 0; i < push.n[2]; ++i) R = coopMatMulAddNV(X, Y, R);\n"},
    {"LoopCarriedAsA", "",
     "R = X;\nfor (uint i = 0; i < push.n[2]; ++i) R = coopMatMulAddNV(R, Y, Z);\n"},
    {"Branches", "",
     "MAT V = X;\nif (push.n[1] == 1) V = Y; else V = Z;\n"
     "R = push.n[1] == 0 ? X : coopMatMulAddNV(V, X, V);\n"},
    {"Arrays", "",
     "MAT m[3];\nm[0] = X; m[1] = Y; m[2] = Z;\n"
     "R = coopMatMulAddNV(m[push.n[0]], m[push.n[1]], m[push.n[2]]);\n"},
    {"ArraysByRole", "",
     "MAT a[2], b[2], c[2];\na[1] = X; b[1] = Y; c[1] = Z;\n"
     "a[0] = Y; b[0] = X; c[0] = MAT(0.0);\n"
     "for (uint i = 0; i < 2; ++i) c[i] = coopMatMulAddNV(a[i], b[i], c[i]);\n"
     "R = c[0] + c[1];\n"},
    {"Structs", "struct S { MAT a; float f; MAT b[2]; MAT c; };\n",
     "S s;\ns.a = X; s.b[push.n[1]] = Y; s.b[0] = X; s.c = Z;\nS t = s;\n"
     "R = coopMatMulAddNV(t.a, t.b[push.n[1]], t.c);\n"},
    {"NestedStructs", "struct I { MAT m, n; };\nstruct S { I i[2]; MAT c; };\n",
     "S s;\ns.i[0].m = X; s.i[1].m = Y; s.i[0].n = X; s.i[1].n = Y; s.c = Z;\n"
     "S t = s;\nI u = t.i[push.n[1]];\n"
     "R = coopMatMulAddNV(t.i[0].m, u.n, coopMatMulAddNV(u.m, t.i[0].n, t.c));\n"},
    {"Functions",
     "MAT mul(MAT a, MAT b) { return coopMatMulAddNV(a, b, MAT(0.0)); }\n"
     "void add(inout MAT c, const MAT d) { c = c + d; }\n"
     "void make(out MAT c) { c = MAT(2.0); }\n",
     "MAT t;\nmake(t);\nR = mul(mul(X, Y), mul(Y, X));\nadd(R, Z);\nadd(R, t);\n"},
    {"FunctionOfEveryRole", "MAT same(MAT m) { return m + MAT(1.0); }\n",
     "R = coopMatMulAddNV(same(X), same(Y), same(Z));\n"},
    {"StructResults", "struct P { MAT a, b; };\nP pair(MAT m) { return P(m, m * float16_t(2)); }\n",
     "P p = pair(X);\nR = coopMatMulAddNV(p.a, Y, coopMatMulAddNV(Y, p.b, Z));\n"},
    {"PrivateVariables", "MAT kept;\nvoid keep(MAT m) { kept = m; }\n",
     "keep(X);\nMAT a = kept;\nkeep(Y);\nR = coopMatMulAddNV(a, kept, Z);\n"},
    {"ElementsOfAccumulator", "",
     "R = coopMatMulAddNV(X, Y, Z);\n"
     "for (int i = 0; i < R.length(); ++i) R[i] = R[i] * float16_t(2) + float16_t(1);\n"},
    {"ElementsOfA", "",
     "for (int i = 0; i < X.length(); ++i) X[i] += float16_t(1);\n"
     "R = coopMatMulAddNV(X, Y, Z);\n"},
    // Elements go by their index from a matrix of one role to one of another.
    {"ElementsAcrossRoles", "",
     "MAT S = coopMatMulAddNV(X, Y, Z);\nMAT T;\n"
     "for (int i = 0; i < T.length(); ++i) T[i] = S[i] + X[i];\n"
     "R = coopMatMulAddNV(T, Y, Z);\n"},
    {"ElementsAcrossComponents", "",
     "WIDE W = coopMatMulAddNV(X, Y, WIDE(0.0));\nMAT T;\n"
     "for (int i = 0; i < W.length(); ++i) T[i] = float16_t(W[i]);\n"
     "R = coopMatMulAddNV(T, Y, Z);\n"},
    {"ConstantElement", "", "R = X;\nR[0] = X[0] + float16_t(0);\nR = coopMatMulAddNV(R, Y, Z);\n"},
    {"LengthAsArraySize", "",
     "float16_t kept[X.length()];\n"
     "for (int i = 0; i < X.length(); ++i) kept[i] = Y[i];\n"
     "for (int i = 0; i < X.length(); ++i) X[i] = kept[X.length() - 1 - (X.length() - 1 - i)];\n"
     "R = coopMatMulAddNV(X, X, Z);\n"},
    {"Arithmetic", "", "R = coopMatMulAddNV(-(X + Y), Y - Z, (X / MAT(2.0)) * float16_t(4));\n"},
    {"NoProduct", "", "R = X + Y;\n"},
    {"SpecializedType",
     "layout(constant_id = 1) const uint size = 3;\n"
     "layout(constant_id = 3) const uint scope = 1;\n"
     "#define SPEC fcoopmatNV<16, scope, size, size>\n",
     "SPEC a, b, c;\ncoopMatLoadNV(a, x, 0, 8, false);\ncoopMatLoadNV(b, y, 0, 8, false);\n"
     "coopMatLoadNV(c, z, 0, 8, false);\nc = coopMatMulAddNV(a, b, c);\n"
     "for (uint i = 0; i < c.length(); ++i) c[i] += float16_t(1);\n"
     "coopMatStoreNV(c, r, 0, 8, false);\ncoopMatLoadNV(R, r, 0, 8, false);\n",
     {{1, kSize}, {3, 3}}},
};

INSTANTIATE_TEST_SUITE_P(Glsl, NvRoles, testing::ValuesIn(kCases), caseName);

}  // namespace
}  // namespace coopvk::test::nv_role_test
