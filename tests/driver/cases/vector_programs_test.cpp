// SPDX-License-Identifier: Apache-2.0
//
// Random programs on variables that hold cooperative vectors: copies, swaps, sums that read what
// they write, old values used after their variable was written, branches, loops, functions, globals
// and arrays. Large vectors are passed by pointers, so reads of overwritten values would show.
// Integers wrap, so every result is exact.
#include <gtest/gtest.h>

#include <cctype>

#include "harness/random.hpp"
#include "harness/reference.hpp"
#include "harness/vector.hpp"

namespace coopvk::test::vector_programs_test {
namespace {

constexpr uint32_t kInvocations = 16;
constexpr uint32_t kInputs = 3;
constexpr uint32_t kStatements = 10;

// v0 to v3 are main's, v4 and v5 global, v6 global and written by a function, v7 and v8 an array.
constexpr const char* kVariables[] = {"v0", "v1", "v2", "v3", "g4", "g5", "h6", "w[0]", "w[1]"};
constexpr size_t kVariableCount = std::size(kVariables);

// The variables and numbers that a statement names: I, J, K, C (a small number) and X (a
// component).
struct Names {
    size_t i, j, k;
    int64_t c;
    uint32_t x;
};

constexpr const char* kKinds[] = {
    "I = J + K;",
    "I = I * J;",
    "I = J;",
    "{ T t = I; I = J; J = t; }",
    "{ T t = J + K; J = I; I = t - J; K = t; }",
    "I[X] = E(C); I[(X + i) % N] += J[X];",
    "I[X] = (J + K)[X] - (T(C) * -J)[(X + i) % N];",
    "I = T(C) - J;",
    "coopVecLoadNV(I, a, (i * 3 + X % 3) * BYTES);",
    "touch(); I = h6;",
    "I = f(J, K);",  // K as inout
    "if (i % 3 == 1) I = J + I; else J = I;",
    "I = push.one + i % 2 == 1 ? J : K;",
    "{ T before = I; for (uint l = 0; l < push.one + 1; ++l) { T t = I + J; I = before; before = "
    "t; "
    "} K = before; }",
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

std::string textOf(std::string_view statement, const Names& names) {
    std::string text;
    for (size_t at = 0; at < statement.size(); ++at) {
        const auto isWord = [&](size_t i) {
            return i < statement.size() &&
                   std::isalnum(static_cast<unsigned char>(statement[i])) != 0;
        };
        const char c = statement[at];
        const bool isAlone = !isWord(at + 1) && (at == 0 || !isWord(at - 1));
        if (!isAlone || std::string_view("IJKCX").find(c) == std::string_view::npos) {
            text += c;
            continue;
        }
        switch (c) {
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
    const size_t bytes = bytesOf(c);
    Rng rng(nameOf({c, 0}));
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
        body += textOf(kKinds[kind], names) + "\n";
    }
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(kInvocations * kInputs * bytes),
                        rng.bytes(kInvocations * kVariableCount * bytes)};
    dispatch.push = pushWords({1});
    Words words = compileGlsl(sourceOf(c, body));
    if (c.optimised) words = withoutLocalVariables(words);
    SCOPED_TRACE(body);
    expectAsReference(words, dispatch);
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
}  // namespace coopvk::test::vector_programs_test
