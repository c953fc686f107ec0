// SPDX-License-Identifier: Apache-2.0
//
// Cooperative vectors as values: element-wise instructions, elements, variables, control flow; with
// sizes that are lowered unrolled and with sizes that become loops.
#include <gtest/gtest.h>

#include <cmath>

#include "harness/covering.hpp"
#include "harness/random.hpp"
#include "harness/vector.hpp"

namespace coopvk::test {
namespace {

constexpr uint32_t kInvocations = 32;

enum class For { kAny, kFloat, kInteger, kSigned };

struct Snippet {
    std::string_view name;
    For types;
    std::string_view declarations;  // before main; E: component, T: vector, N: its size
    std::string_view body;          // makes R of A, B, C and the invocation's number i
    double (*reference)(double a, double b, double c, uint32_t component, uint32_t n);
    double tolerance = 0;  // relative
};

int64_t whole(double value) { return static_cast<int64_t>(value); }

constexpr Snippet kSnippets[] = {
    {"Add", For::kAny, "", "R = A + B;",
     [](double a, double b, double, uint32_t, uint32_t) { return a + b; }},
    {"Subtract", For::kAny, "", "R = A - C;",
     [](double a, double, double c, uint32_t, uint32_t) { return a - c; }},
    {"Multiply", For::kAny, "", "R = A * B;",
     [](double a, double b, double, uint32_t, uint32_t) { return a * b; }},
    {"DivideFloat", For::kFloat, "", "R = A / C;",
     [](double a, double, double c, uint32_t, uint32_t) { return a / c; }},
    {"DivideInteger", For::kInteger, "", "R = A / C;",
     [](double a, double, double c, uint32_t, uint32_t) { return std::trunc(a / c); }},
    {"Negate", For::kSigned, "", "R = -A;",
     [](double a, double, double, uint32_t, uint32_t) { return -a; }},
    {"NegateFloat", For::kFloat, "", "R = -A;",
     [](double a, double, double, uint32_t, uint32_t) { return -a; }},
    {"TimesScalar", For::kFloat, "", "R = A * E(3);",
     [](double a, double, double, uint32_t, uint32_t) { return 3 * a; }},
    {"ScalarTimes", For::kFloat, "", "R = E(i % 4) * A;", nullptr},
    {"Min", For::kAny, "", "R = min(A, B);",
     [](double a, double b, double, uint32_t, uint32_t) { return std::min(a, b); }},
    {"Max", For::kAny, "", "R = max(A, B);",
     [](double a, double b, double, uint32_t, uint32_t) { return std::max(a, b); }},
    {"Clamp", For::kAny, "", "R = clamp(A, T(1), T(3));",
     [](double a, double, double, uint32_t, uint32_t) { return std::min(std::max(a, 1.0), 3.0); }},
    {"Step", For::kFloat, "", "R = step(A, B);",
     [](double a, double b, double, uint32_t, uint32_t) { return b < a ? 0.0 : 1.0; }},
    {"Fma", For::kFloat, "", "R = fma(A, B, C);",
     [](double a, double b, double c, uint32_t, uint32_t) { return a * b + c; }},
    {"Exp", For::kFloat, "", "R = exp(A);",
     [](double a, double, double, uint32_t, uint32_t) { return std::exp(a); }, 0.01},
    {"Log", For::kFloat, "", "R = log(C);",
     [](double, double, double c, uint32_t, uint32_t) { return std::log(c); }, 0.01},
    {"Tanh", For::kFloat, "", "R = tanh(A);",
     [](double a, double, double, uint32_t, uint32_t) { return std::tanh(a); }, 0.02},
    {"Atan", For::kFloat, "", "R = atan(A);",
     [](double a, double, double, uint32_t, uint32_t) { return std::atan(a); }, 0.02},
    {"And", For::kInteger, "", "R = A & B;",
     [](double a, double b, double, uint32_t, uint32_t) {
         return static_cast<double>(whole(a) & whole(b));
     }},
    {"Or", For::kInteger, "", "R = A | B;",
     [](double a, double b, double, uint32_t, uint32_t) {
         return static_cast<double>(whole(a) | whole(b));
     }},
    {"Xor", For::kInteger, "", "R = A ^ B;",
     [](double a, double b, double, uint32_t, uint32_t) {
         return static_cast<double>(whole(a) ^ whole(b));
     }},
    {"Not", For::kInteger, "", "R = ~A;",
     [](double a, double, double, uint32_t, uint32_t) { return static_cast<double>(~whole(a)); }},
    {"ShiftLeft", For::kInteger, "", "R = A << C;",
     [](double a, double, double c, uint32_t, uint32_t) {
         return std::ldexp(a, static_cast<int>(c));
     }},
    {"ShiftRight", For::kInteger, "", "R = A >> C;",
     [](double a, double, double c, uint32_t, uint32_t) {
         return std::floor(std::ldexp(a, -static_cast<int>(c)));
     }},
    {"ElementLoop", For::kAny, "",
     "R = T(0);\nfor (uint e = 0; e < N; ++e) R[e] = A[e] + E(e % 3);",
     [](double a, double, double, uint32_t e, uint32_t) { return a + e % 3; }},
    {"ElementBackwards", For::kAny, "",
     "R = A;\nfor (int e = int(N) - 1; e >= 0; --e) R[e] += B[e];",
     [](double a, double b, double, uint32_t, uint32_t) { return a + b; }},
    {"ElementOfExpression", For::kAny, "",
     "R = C;\nfor (uint e = 0; e < N; ++e) R[e] = (A + B)[e];",
     [](double a, double b, double, uint32_t, uint32_t) { return a + b; }},
    {"ConstantElement", For::kAny, "", "R = A;\nR[N - 1] = E(2);\nR[0] = R[N - 1];",
     [](double a, double, double, uint32_t e, uint32_t n) { return e == 0 || e == n - 1 ? 2 : a; }},
    {"PrivateVariable", For::kAny, "T g;\nvoid twice() { g = g + g; }", "g = A;\ntwice();\nR = g;",
     [](double a, double, double, uint32_t, uint32_t) { return 2 * a; }},
    {"Constant", For::kAny, "const T k = T(3);", "R = A + k;",
     [](double a, double, double, uint32_t, uint32_t) { return a + 3; }},
    {"Array", For::kAny, "",
     "T v[3];\nv[0] = A;\nv[1] = B;\nv[2] = C;\nR = v[(i * 0) + 2] + v[push.one];",
     [](double, double b, double c, uint32_t, uint32_t) { return b + c; }},
    {"Struct", For::kAny, "struct S { float f; T v[2]; uint u; };",
     "S s;\ns.v[0] = A;\ns.v[push.one] = B;\nS t = s;\nt.v[0][N - 1] = E(1);\nR = t.v[0] + s.v[1];",
     [](double a, double b, double, uint32_t e, uint32_t n) { return (e == n - 1 ? 1 : a) + b; }},
    {"Function", For::kAny, "T f(T x, inout T y) { y = y + x; return x; }",
     "T y = B;\nR = f(A, y);\nR = R + y;",
     [](double a, double b, double, uint32_t, uint32_t) { return 2 * a + b; }},
    {"Choice", For::kAny, "", "R = push.one == 1 ? A : B;",
     [](double a, double, double, uint32_t, uint32_t) { return a; }},
    {"Loop", For::kAny, "",
     "T x = A, y = B;\nfor (uint k = 0; k < push.one + 2; ++k) { T t = x; x = y; y = t; }\nR = x + "
     "C;",
     [](double, double b, double c, uint32_t, uint32_t) { return b + c; }},
    {"Divergent", For::kAny, "", "R = A;\nif (i % 3 == 0) R = R + B; else R = R + B;",
     [](double a, double b, double, uint32_t, uint32_t) { return a + b; }},
    {"Length", For::kAny, "", "R = A;\nif (A.length() != int(N)) R = B;",
     [](double a, double, double, uint32_t, uint32_t) { return a; }},
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
    std::vector<std::vector<double>> values(3);
    for (size_t operand = 0; operand < 3; ++operand) {
        Bytes data = rng.bytes(kInvocations * bytes);
        for (uint32_t i = 0; i < kInvocations; ++i) {
            for (uint32_t e = 0; e < c.n; ++e) {
                // C: powers of two, to divide and to shift by.
                double value = static_cast<double>(rng.range(type.low < 0 ? -5 : 0, 5));
                if (operand == 2) value = static_cast<double>(1 << rng.range(0, 1));
                putElement(data, i * bytes + e * type.bytes, type, value);
                values[operand].push_back(value);
            }
        }
        buffers.push_back(std::move(data));
    }
    const Bytes poison = rng.bytes(kInvocations * bytes);
    buffers.push_back(poison);
    Dispatch dispatch;
    dispatch.buffers = buffers;
    dispatch.push = pushWords({1});
    PipelineOptions options;
    options.specialization = {{7, c.n}};
    const Bytes result = run(compileGlsl(sourceOf(c)), dispatch, options)[3];
    for (uint32_t i = 0; i < kInvocations; ++i) {
        for (uint32_t e = 0; e < c.n; ++e) {
            const size_t index = i * c.n + e;
            double expected = c.snippet->reference != nullptr
                                  ? c.snippet->reference(values[0][index], values[1][index],
                                                         values[2][index], e, c.n)
                                  : values[0][index] * (i % 4);
            if (!type.isFloat) {  // integers wrap
                Bytes wrapped(4);
                putElement(wrapped, 0, type, expected);
                expected = getElement(wrapped, 0, type);
            }
            const double got = getElement(result, i * bytes + e * type.bytes, type);
            const double allowed = c.snippet->tolerance * std::max(std::fabs(expected), 0.1);
            ASSERT_LE(std::fabs(got - expected), allowed)
                << "invocation " << i << " component " << e;
        }
        for (size_t at = i * bytes + c.n * type.bytes; at < (i + 1) * bytes; ++at) {
            ASSERT_EQ(result[at], poison[at]) << "behind the vector of invocation " << i;
        }
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
}  // namespace coopvk::test
