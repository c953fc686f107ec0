// SPDX-License-Identifier: Apache-2.0
//
// Random programs on variables that hold cooperative vectors: copies, swaps, sums that read what
// they write, old values used after their variable was written, branches, loops, functions, globals
// and arrays. Large vectors are passed by pointers, so reads of overwritten values would show.
// Integers wrap, so every result is exact.
#include <gtest/gtest.h>

#include <functional>

#include "harness/random.hpp"
#include "harness/vector.hpp"

namespace coopvk::test {
namespace {

constexpr uint32_t kInvocations = 16;
constexpr uint32_t kInputs = 3;
constexpr uint32_t kStatements = 10;

// v0 to v3 are main's, v4 and v5 global, v6 global and written by a function, v7 and v8 an array.
constexpr const char* kVariables[] = {"v0", "v1", "v2", "v3", "g4", "g5", "h6", "w[0]", "w[1]"};
constexpr size_t kVariableCount = std::size(kVariables);
constexpr size_t kTouched = 6;

using Vector = std::vector<int64_t>;

struct State {
    std::vector<Vector> variables;
    std::vector<Vector> inputs;
    uint32_t invocation;
    std::function<int64_t(int64_t)> wrap;
};

// The variables and numbers that a statement names: I, J, K, C (a small number) and X (a
// component).
struct Names {
    size_t i, j, k;
    int64_t c;
    uint32_t x;
};

using Operation = int64_t (*)(int64_t, int64_t);
int64_t plus(int64_t a, int64_t b) { return a + b; }
int64_t minus(int64_t a, int64_t b) { return a - b; }
int64_t times(int64_t a, int64_t b) { return a * b; }

Vector combine(const State& s, Operation operation, const Vector& a, const Vector& b) {
    Vector result(a.size());
    for (size_t e = 0; e < a.size(); ++e) result[e] = s.wrap(operation(a[e], b[e]));
    return result;
}

struct Statement {
    const char* text;
    void (*run)(State&, const Names&);
};

constexpr Statement kKinds[] = {
    {"I = J + K;",
     [](State& s, const Names& n) {
         s.variables[n.i] = combine(s, plus, s.variables[n.j], s.variables[n.k]);
     }},
    {"I = I * J;",
     [](State& s, const Names& n) {
         s.variables[n.i] = combine(s, times, s.variables[n.i], s.variables[n.j]);
     }},
    {"I = J;", [](State& s, const Names& n) { s.variables[n.i] = s.variables[n.j]; }},
    {"{ T t = I; I = J; J = t; }",
     [](State& s, const Names& n) { std::swap(s.variables[n.i], s.variables[n.j]); }},
    {"{ T t = J + K; J = I; I = t - J; K = t; }",
     [](State& s, const Names& n) {
         const Vector t = combine(s, plus, s.variables[n.j], s.variables[n.k]);
         s.variables[n.j] = s.variables[n.i];
         s.variables[n.i] = combine(s, minus, t, s.variables[n.j]);
         s.variables[n.k] = t;
     }},
    {"I[X] = E(C); I[(X + i) % N] += J[X];",
     [](State& s, const Names& n) {
         Vector& v = s.variables[n.i];
         v[n.x] = s.wrap(n.c);
         int64_t& to = v[(n.x + s.invocation) % v.size()];
         to = s.wrap(to + s.variables[n.j][n.x]);
     }},
    {"I[X] = (J + K)[X] - (T(C) * -J)[(X + i) % N];",
     [](State& s, const Names& n) {
         const size_t other = (n.x + s.invocation) % s.variables[n.j].size();
         const int64_t sum = s.wrap(s.variables[n.j][n.x] + s.variables[n.k][n.x]);
         s.variables[n.i][n.x] = s.wrap(sum + n.c * s.variables[n.j][other]);
     }},
    {"I = T(C) - J;",
     [](State& s, const Names& n) {
         Vector all(s.variables[n.j].size(), n.c);
         s.variables[n.i] = combine(s, minus, all, s.variables[n.j]);
     }},
    {"coopVecLoadNV(I, a, (i * 3 + X % 3) * BYTES);",
     [](State& s, const Names& n) { s.variables[n.i] = s.inputs[n.x % kInputs]; }},
    {"touch(); I = h6;",
     [](State& s, const Names& n) {
         s.variables[kTouched] =
             combine(s, plus, s.variables[kTouched], Vector(s.variables[n.i].size(), 1));
         s.variables[n.i] = s.variables[kTouched];
     }},
    {"I = f(J, K);",  // K as inout
     [](State& s, const Names& n) {
         const Vector x = s.variables[n.j];
         const Vector y = combine(s, plus, s.variables[n.k], x);
         s.variables[n.k] = y;
         s.variables[n.i] = combine(s, minus, x, y);
     }},
    {"if (i % 3 == 1) I = J + I; else J = I;",
     [](State& s, const Names& n) {
         if (s.invocation % 3 == 1) {
             s.variables[n.i] = combine(s, plus, s.variables[n.j], s.variables[n.i]);
         } else {
             s.variables[n.j] = s.variables[n.i];
         }
     }},
    {"I = push.one + i % 2 == 1 ? J : K;",
     [](State& s, const Names& n) {
         s.variables[n.i] = s.variables[s.invocation % 2 == 0 ? n.j : n.k];
     }},
    {"{ T before = I; for (uint l = 0; l < push.one + 1; ++l) { T t = I + J; I = before; before = "
     "t; "
     "} K = before; }",
     [](State& s, const Names& n) {
         Vector before = s.variables[n.i];
         for (int l = 0; l < 2; ++l) {
             const Vector t = combine(s, plus, s.variables[n.i], s.variables[n.j]);
             s.variables[n.i] = before;
             before = t;
         }
         s.variables[n.k] = before;
     }},
};

constexpr size_t kSwap = 3, kSumAndSwap = 4;  // in kKinds

struct Case {
    VkComponentTypeKHR type;
    uint32_t n;
    uint32_t seed;
    bool optimised = false;  // with values in the place of variables
};

std::string nameOf(const testing::TestParamInfo<Case>& info) {
    return std::string(component(info.param.type).name) + "x" + std::to_string(info.param.n) + "_" +
           std::to_string(info.param.seed) + (info.param.optimised ? "_Optimised" : "");
}

std::string textOf(const Statement& statement, const Names& names) {
    std::string text;
    for (const char* c = statement.text; *c != 0; ++c) {
        const bool isName = c[1] == 0 || std::isalnum(static_cast<unsigned char>(c[1])) == 0;
        const bool starts =
            c == statement.text || std::isalnum(static_cast<unsigned char>(c[-1])) == 0;
        if (!isName || !starts || std::string_view("IJKCX").find(*c) == std::string_view::npos) {
            text += *c;
            continue;
        }
        switch (*c) {
            case 'I':
                text += kVariables[names.i];
                break;
            case 'J':
                text += kVariables[names.j];
                break;
            case 'K':
                text += kVariables[names.k];
                break;
            case 'C':
                text += std::to_string(names.c);
                break;
            default:
                text += std::to_string(names.x);
        }
    }
    return text;
}

size_t bytesOf(const Case& c) { return (c.n * component(c.type).bytes + 15) / 16 * 16; }

std::string sourceOf(const Case& c, const std::string& body) {
    const std::string e(component(c.type).glsl);
    std::string text = vectorHeader(kInvocations);
    text += "#define E " + e + "\n#define N " + std::to_string(c.n) + "\n#define T coopvecNV<" + e +
            ", N>\n#define BYTES " + std::to_string(bytesOf(c)) + "\n";
    text +=
        "layout(push_constant) uniform P { uint one; } push;\n"
        "layout(set = 0, binding = 0) buffer A { E a[]; };\n"
        "layout(set = 0, binding = 1) buffer R { E r[]; };\n"
        "T g4, g5, h6;\n"
        "void touch() { h6 = h6 + T(1); }\n"
        "T f(T x, inout T y) { y = y + x; return x - y; }\n"
        "void main() {\nuint i = gl_GlobalInvocationID.x;\nT v0, v1, v2, v3, w[2];\n";
    for (size_t v = 0; v < kVariableCount; ++v) {
        text += "coopVecLoadNV(" + std::string(kVariables[v]) + ", a, (i * 3 + " +
                std::to_string(v % kInputs) + ") * BYTES);\n";
    }
    text += body;
    for (size_t v = 0; v < kVariableCount; ++v) {
        text += "coopVecStoreNV(" + std::string(kVariables[v]) + ", r, (i * " +
                std::to_string(kVariableCount) + " + " + std::to_string(v) + ") * BYTES);\n";
    }
    return text + "}\n";
}

class VectorProgram : public testing::TestWithParam<Case> {};

TEST_P(VectorProgram, Matches) {
    const Case& c = GetParam();
    const VectorComponent& type = component(c.type);
    const size_t bytes = bytesOf(c);
    Rng rng(nameOf({c, 0}));
    std::vector<std::pair<const Statement*, Names>> program;
    std::string body;
    for (uint32_t s = 0; s < kStatements; ++s) {
        const auto pick = [&](size_t count) {
            return static_cast<size_t>(rng.range(0, static_cast<int64_t>(count) - 1));
        };
        // Different variables, so that every statement has only one meaning; mostly main's own.
        const auto variable = [&] { return pick(pick(3) == 0 ? kVariableCount : 4); };
        Names names = {variable(), 0, 0, rng.range(0, 9), static_cast<uint32_t>(pick(c.n))};
        do names.j = variable();
        while (names.j == names.i);
        do names.k = variable();
        while (names.k == names.i || names.k == names.j);
        // Every kind occurs. Last, where nothing can hide the result, old values are used after
        // their variables changed.
        size_t kind = (c.seed * kStatements + s) % std::size(kKinds);
        if (s + 2 >= kStatements) {
            const bool swaps = s + 2 == kStatements;
            kind = swaps ? kSwap : kSumAndSwap;
            names = swaps ? Names{0, 1, 2, 0, 0} : Names{2, 3, 0, 0, 0};
        }
        program.emplace_back(&kKinds[kind], names);
        body += textOf(*program.back().first, names) + "\n";
    }
    const auto wrap = [&](int64_t value) {
        Bytes wrapped(4);
        putElement(wrapped, 0, type, static_cast<double>(value));
        return static_cast<int64_t>(getElement(wrapped, 0, type));
    };
    Bytes a = rng.bytes(kInvocations * kInputs * bytes);
    Dispatch dispatch;
    dispatch.buffers = {a, rng.bytes(kInvocations * kVariableCount * bytes)};
    dispatch.push = pushWords({1});
    Words words = compileGlsl(sourceOf(c, body));
    if (c.optimised) words = withoutLocalVariables(words);
    const Bytes result = run(words, dispatch)[1];
    for (uint32_t i = 0; i < kInvocations; ++i) {
        State state = {{}, {}, i, wrap};
        for (uint32_t input = 0; input < kInputs; ++input) {
            Vector values;
            for (uint32_t e = 0; e < c.n; ++e) {
                values.push_back(static_cast<int64_t>(
                    getElement(a, (i * kInputs + input) * bytes + e * type.bytes, type)));
            }
            state.inputs.push_back(std::move(values));
        }
        for (size_t v = 0; v < kVariableCount; ++v) {
            state.variables.push_back(state.inputs[v % kInputs]);
        }
        for (const auto& [statement, names] : program) statement->run(state, names);
        for (size_t v = 0; v < kVariableCount; ++v) {
            for (uint32_t e = 0; e < c.n; ++e) {
                const size_t at = (i * kVariableCount + v) * bytes + e * type.bytes;
                ASSERT_EQ(static_cast<int64_t>(getElement(result, at, type)), state.variables[v][e])
                    << "invocation " << i << " " << kVariables[v] << " component " << e << "\n"
                    << body;
            }
        }
    }
}

std::vector<Case> cases() {
    std::vector<Case> list;
    for (uint32_t seed = 0; seed < 6; ++seed) {
        const bool optimised = seed % 3 != 0;
        // Large ones take drivers long to compile.
        if (seed < 3) list.push_back({VK_COMPONENT_TYPE_SINT8_KHR, 517, seed, optimised});
        list.push_back({VK_COMPONENT_TYPE_SINT8_KHR, 19, seed, optimised});
    }
    return list;
}

INSTANTIATE_TEST_SUITE_P(Random, VectorProgram, testing::ValuesIn(cases()), nameOf);

}  // namespace
}  // namespace coopvk::test
