// SPDX-License-Identifier: Apache-2.0
//
// Cooperative vectors as values: element-wise instructions, elements, variables, control flow; with
// sizes that are lowered unrolled and with sizes that become loops.
#include <gtest/gtest.h>

#include "harness/covering.hpp"
#include "harness/random.hpp"
#include "harness/reference.hpp"
#include "harness/vector.hpp"

namespace coopvk::test::vector_values_test {
namespace {

constexpr uint32_t kInvocations = 32;

enum class For { kAny, kFloat, kInteger, kSigned };

struct Snippet {
    std::string_view name;
    For types;
    std::string_view declarations;  // before main; E: component, T: vector, N: its size
    std::string_view body;          // makes R of A, B, C and the invocation's number i
    bool isImprecise = false;       // devices may compute several numbers
};

constexpr Snippet kSnippets[] = {
    {"Add", For::kAny, "", "R = A + B;"},
    {"Subtract", For::kAny, "", "R = A - C;"},
    {"Multiply", For::kAny, "", "R = A * B;"},
    {"DivideFloat", For::kFloat, "", "R = A / C;"},
    {"DivideInteger", For::kInteger, "", "R = A / C;"},
    {"Negate", For::kSigned, "", "R = -A;"},
    {"NegateFloat", For::kFloat, "", "R = -A;"},
    {"TimesScalar", For::kFloat, "", "R = A * E(3);"},
    {"ScalarTimes", For::kFloat, "", "R = E(i % 4) * A;"},
    {"Min", For::kAny, "", "R = min(A, B);"},
    {"Max", For::kAny, "", "R = max(A, B);"},
    {"Clamp", For::kAny, "", "R = clamp(A, T(1), T(3));"},
    {"Step", For::kFloat, "", "R = step(A, B);"},
    {"Fma", For::kFloat, "", "R = fma(A, B, C);"},
    {"Exp", For::kFloat, "", "R = exp(A);", true},
    {"Log", For::kFloat, "", "R = log(C);", true},
    {"Tanh", For::kFloat, "", "R = tanh(A);", true},
    {"Atan", For::kFloat, "", "R = atan(A);", true},
    {"And", For::kInteger, "", "R = A & B;"},
    {"Or", For::kInteger, "", "R = A | B;"},
    {"Xor", For::kInteger, "", "R = A ^ B;"},
    {"Not", For::kInteger, "", "R = ~A;"},
    {"ShiftLeft", For::kInteger, "", "R = A << C;"},
    {"ShiftRight", For::kInteger, "", "R = A >> C;"},
    {"ElementLoop", For::kAny, "",
     "R = T(0);\nfor (uint e = 0; e < N; ++e) R[e] = A[e] + E(e % 3);"},
    {"ElementBackwards", For::kAny, "",
     "R = A;\nfor (int e = int(N) - 1; e >= 0; --e) R[e] += B[e];"},
    {"ElementOfExpression", For::kAny, "",
     "R = C;\nfor (uint e = 0; e < N; ++e) R[e] = (A + B)[e];"},
    {"ConstantElement", For::kAny, "", "R = A;\nR[N - 1] = E(2);\nR[0] = R[N - 1];"},
    {"PrivateVariable", For::kAny, "T g;\nvoid twice() { g = g + g; }", "g = A;\ntwice();\nR = g;"},
    {"Constant", For::kAny, "const T k = T(3);", "R = A + k;"},
    {"Array", For::kAny, "",
     "T v[3];\nv[0] = A;\nv[1] = B;\nv[2] = C;\nR = v[(i * 0) + 2] + v[push.one];"},
    {"Struct", For::kAny, "struct S { float f; T v[2]; uint u; };",
     "S s;\ns.v[0] = A;\ns.v[push.one] = B;\nS t = s;\nt.v[0][N - 1] = E(1);\nR = t.v[0] + "
     "s.v[1];"},
    {"Function", For::kAny, "T f(T x, inout T y) { y = y + x; return x; }",
     "T y = B;\nR = f(A, y);\nR = R + y;"},
    {"Choice", For::kAny, "", "R = push.one == 1 ? A : B;"},
    {"Loop", For::kAny, "",
     "T x = A, y = B;\nfor (uint k = 0; k < push.one + 2; ++k) { T t = x; x = y; y = t; }\nR = x + "
     "C;"},
    {"Divergent", For::kAny, "", "R = A;\nif (i % 3 == 0) R = R + B; else R = R + B;"},
    {"Length", For::kAny, "", "R = A;\nif (A.length() != int(N)) R = B;"},
};

struct Case {
    const Snippet* snippet;
    VkComponentTypeKHR type;
    uint32_t n;
};

std::string nameOf(const testing::TestParamInfo<Case>& info) {
    const Case& c = info.param;
    return std::string(c.snippet->name) + "_" + std::string(component(c.type).name) + "x" +
           std::to_string(c.n);
}

std::string number(size_t value) { return std::to_string(value); }

std::string sourceOf(const Case& c) {
    const VectorComponent& type = component(c.type);
    const size_t bytes = (c.n * type.bytes + 15) / 16 * 16;
    std::string text = vectorHeader(kInvocations);
    const std::string e(type.glsl);
    text += "layout(constant_id = 7) const uint N = 1;\n";
    text += "layout(push_constant) uniform P { uint one; } push;\n";
    for (const char* const& name : {"a", "b", "c", "r"}) {
        text += "layout(set = 0, binding = " +
                number(static_cast<size_t>(std::string_view("abcr").find(name))) + ") buffer X" +
                name + " { " + e + " " + name + "[]; };\n";
    }
    text += "#define E " + e + "\n#define T coopvecNV<" + e + ", N>\n";
    text += std::string(c.snippet->declarations) +
            "\nvoid main() {\nuint i = gl_GlobalInvocationID.x;\nuint at = i * " + number(bytes) +
            ";\n";
    text +=
        "T A, B, C, R;\ncoopVecLoadNV(A, a, at);\ncoopVecLoadNV(B, b, at);\ncoopVecLoadNV(C, c, "
        "at);\n";
    return text + std::string(c.snippet->body) + "\ncoopVecStoreNV(R, r, at);\n}\n";
}

class VectorValue : public testing::TestWithParam<Case> {};

TEST_P(VectorValue, Matches) {
    const Case& c = GetParam();
    const VectorComponent& type = component(c.type);
    const size_t bytes = (c.n * type.bytes + 15) / 16 * 16;
    Rng rng(nameOf({c, 0}));
    std::vector<Bytes> buffers;
    for (size_t operand = 0; operand < 3; ++operand) {
        Bytes data = rng.bytes(kInvocations * bytes);
        for (uint32_t i = 0; i < kInvocations; ++i) {
            for (uint32_t e = 0; e < c.n; ++e) {
                // C: powers of two, to divide and to shift by.
                double value = static_cast<double>(rng.range(type.low < 0 ? -5 : 0, 5));
                if (operand == 2) value = static_cast<double>(1 << rng.range(0, 1));
                putElement(data, i * bytes + e * type.bytes, type, value);
            }
        }
        buffers.push_back(std::move(data));
    }
    buffers.push_back(rng.bytes(kInvocations * bytes));
    Dispatch dispatch;
    dispatch.buffers = buffers;
    dispatch.push = pushWords({1});
    PipelineOptions options;
    options.specialization = {{7, c.n}};
    const Words words = compileGlsl(sourceOf(c));
    const Bytes got = run(words, dispatch, options)[3];
    if (c.snippet->isImprecise) {
        EXPECT_EQ(permittedOf(words, dispatch, options).difference(3, got), "");
    } else {
        EXPECT_EQ(difference(got, expectedOf(words, dispatch, options)[3]), "");
    }
}

bool fits(const Snippet& snippet, const VectorComponent& type) {
    switch (snippet.types) {
        case For::kAny:
            return true;
        case For::kFloat:
            return type.isFloat;
        case For::kInteger:
            return !type.isFloat;
        case For::kSigned:
            return !type.isFloat && type.low < 0;
    }
    return false;
}

std::vector<Case> cases() {
    std::vector<Case> list;
    const std::pair<VkComponentTypeKHR, std::vector<uint32_t>> types[] = {
        {VK_COMPONENT_TYPE_FLOAT16_KHR, {1, 7, 32, 301}},
        {VK_COMPONENT_TYPE_FLOAT32_KHR, {3, 150}},
        {VK_COMPONENT_TYPE_SINT32_KHR, {5}},
        {VK_COMPONENT_TYPE_UINT32_KHR, {4}},
        {VK_COMPONENT_TYPE_SINT8_KHR, {9}},
        {VK_COMPONENT_TYPE_UINT8_KHR, {6, 517}},
    };
    for (const Snippet& snippet : kSnippets) {
        for (const auto& [type, sizes] : types) {
            if (!fits(snippet, component(type))) continue;
            for (uint32_t n : sizes) {
                // Sizes that become loops take long to compile, and share their code.
                if (n > 128 && list.size() % 3 != 0) continue;
                list.push_back({&snippet, type, n});
            }
        }
    }
    return covering(list, [](const Case& c) {
        return factors(c.snippet->name, factor(c.type) + "x" + factor(c.n));
    });
}

INSTANTIATE_TEST_SUITE_P(All, VectorValue, testing::ValuesIn(cases()), nameOf);

}  // namespace
}  // namespace coopvk::test::vector_values_test
