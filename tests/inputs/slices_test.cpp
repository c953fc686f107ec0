// SPDX-License-Identifier: Apache-2.0
//
// Products in slices along K: which parts of a program a loop executes for each slice
// (matrix/slices/segments.hpp). With slices or without, matrices have the same sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../driver/harness/shader.hpp"
#include "check.hpp"
#include "checking.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::test::slices_test {
namespace {

// FILL(t): other factors in shared memory. MULTIPLY(c): by those that were loaded.
std::string source(std::string_view body, std::string_view functions) {
    constexpr std::string_view kText = R"(#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) buffer In { float16_t halves[]; };
layout(set = 0, binding = 1) buffer Out { float o[]; };
layout(set = 0, binding = 2) buffer Words { uint u[]; };
shared float16_t sa[512], sb[512];
#define C coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
#define A coopmat<float16_t, gl_ScopeSubgroup, 16, 32, gl_MatrixUseA>
#define B coopmat<float16_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB>
#define ROWS gl_CooperativeMatrixLayoutRowMajor
#define LOAD coopMatLoad(a, sa, 0, 32, ROWS); coopMatLoad(b, sb, 0, 16, ROWS);
#define MULTIPLY(c) c = coopMatMulAdd(a, b, c);
#define FILL(t) \
    barrier(); \
    for (uint i = gl_LocalInvocationIndex; i < 512; i += gl_WorkGroupSize.x) { \
        sa[i] = halves[64 * (t) + i]; \
        sb[i] = halves[512 + 32 * (t) + i]; \
    } \
    barrier();
#define TWICE for (uint t = 0; t < 2; ++t)
${functions}
void main() {
    C c = C(1.0), d = C(2.0);
    A a;
    B b;
    ${body}
    coopMatStore(c, o, 0, 16, ROWS);
    coopMatStore(d, o, 256, 16, ROWS);
}
)";
    return substitute(kText, {{"body", std::string(body)}, {"functions", std::string(functions)}});
}

enum class Slices { kSome, kNone, kAny };

struct Shader {
    const char* name;
    Slices slices;
    const char* body;
    const char* functions = "";
};

constexpr Shader kShaders[] = {
    {"Loop", Slices::kSome, "TWICE { FILL(t) LOAD MULTIPLY(c) }"},
    {"TwoLoops", Slices::kSome,
     "TWICE { FILL(t) LOAD MULTIPLY(c) } TWICE { FILL(t + 2) LOAD MULTIPLY(d) }"},
    {"LoopsInOrder", Slices::kSome,
     "FILL(0) LOAD MULTIPLY(c) TWICE { FILL(t) LOAD MULTIPLY(c) } FILL(3) LOAD MULTIPLY(d)\n"
     "TWICE { FILL(t + 1) LOAD MULTIPLY(d) }"},
    {"LoopInLoop", Slices::kAny,
     "TWICE { FILL(t) for (uint n = 0; n < 2; ++n) { LOAD MULTIPLY(c) } LOAD MULTIPLY(d) }"},
    {"TwoSums", Slices::kSome, "TWICE { FILL(t) LOAD MULTIPLY(c) MULTIPLY(d) }"},
    {"ArrayOfSums", Slices::kAny,
     "C e[2]; e[0] = c; e[1] = d; TWICE { FILL(t) LOAD for (uint n = 0; n < 2; ++n) MULTIPLY(e[n]) "
     "}\n"
     "c = e[0]; d = e[1];"},
    {"OffsetsInVariables", Slices::kSome,
     "uint at = u[0] & 0u; TWICE { FILL(t) coopMatLoad(a, sa, at, 32, ROWS);\n"
     "coopMatLoad(b, sb, at, 16, ROWS); MULTIPLY(c) }"},
    {"OneTurn", Slices::kAny, "FILL(0) LOAD TWICE MULTIPLY(c)"},
    {"StoredBetween", Slices::kNone, "FILL(0) LOAD u[0] = 7; MULTIPLY(c)"},
    {"ChangedFactor", Slices::kNone, "FILL(0) LOAD a = a * float16_t(2.0); MULTIPLY(c)"},
    {"SumElsewhere", Slices::kNone, "FILL(0) LOAD d = coopMatMulAdd(a, b, c);"},
    {"SumToAnother", Slices::kAny, "FILL(0) LOAD C e = coopMatMulAdd(a, b, c); d = c; c = e;"},
    {"SumReadBetween", Slices::kAny, "FILL(0) LOAD MULTIPLY(c) d = c; MULTIPLY(c)"},
    {"SumIsAddend", Slices::kAny, "FILL(0) LOAD MULTIPLY(c) d = coopMatMulAdd(a, b, c);"},
    {"Counter", Slices::kAny,
     "uint n = 1; TWICE { FILL(t) n = 3 * n; LOAD MULTIPLY(c) n += 2; } d = d * float(n);"},
    {"CounterOfProducts", Slices::kAny,
     "uint n = 0; FILL(0) LOAD MULTIPLY(c) n++; LOAD MULTIPLY(c) n++; d = d * float(n);"},
    {"Branch", Slices::kAny,
     "TWICE { FILL(t) LOAD if (t == 1) { MULTIPLY(c) } else { MULTIPLY(d) } }"},
    {"BranchOfMemory", Slices::kAny, "FILL(0) LOAD if (u[0] > 0) { MULTIPLY(c) } MULTIPLY(d)"},
    {"Switch", Slices::kAny,
     "TWICE { FILL(t) LOAD switch (t) { case 0: MULTIPLY(c) break; default: MULTIPLY(d) } }"},
    {"Function", Slices::kAny, "TWICE { FILL(t) multiply(c); } FILL(3) multiply(d);",
     "void multiply(inout C c) { A a; B b; LOAD MULTIPLY(c) }"},
    {"FunctionOfTwoLoops", Slices::kSome,
     "TWICE { FILL(t) multiply(); } FILL(3) multiply(); c = g;",
     "C g = C(3.0); void multiply() { A a; B b; LOAD MULTIPLY(g) }"},
    {"FunctionBesideSegments", Slices::kNone,
     "FILL(0) c = product(c); FILL(1) d = product(c); c = product(d);",
     "C product(C c) { A a; B b; LOAD return coopMatMulAdd(a, b, c); }"},
    {"FunctionOfSumElsewhere", Slices::kAny,
     "TWICE { FILL(t) multiply(); } FILL(3) multiply(); c = h;",
     "C g = C(3.0), h; void multiply() { A a; B b; LOAD MULTIPLY(g) h = g; }"},
    {"LoadsByFunction", Slices::kAny, "TWICE { FILL(t) load(); c = coopMatMulAdd(ga, gb, c); }",
     "A ga; B gb; void load() { A a; B b; LOAD ga = a; gb = b; }"},
};

void expectSame(const Shader& shader, const Words& words, uint32_t lanes, bool isOptimised) {
    rewrite::Target target{.device = check::referenceTraits(), .subgroupSize = lanes};
    target.backEnd = rewrite::BackEnd::kCore;
    target.tuning.sliceDepth = 4;
    const uint32_t invocations = lanes;
    const std::vector<rewrite::SpecializationEntry> constants = {
        {0, std::as_bytes(std::span(&invocations, 1))}};
    const auto result = rewrite::rewrite({.words = words, .specialization = constants}, target);
    ASSERT_TRUE(result) << result.error().message;
    const bool isSliced = std::ranges::count(result->notes, "products in slices of 4") != 0;
    // An optimiser unrolls loops, and keeps sums in no variables.
    if (shader.slices == Slices::kNone || (shader.slices == Slices::kSome && !isOptimised))
        EXPECT_EQ(isSliced, shader.slices == Slices::kSome);

    check::Options options;
    options.lanes = {lanes};
    options.backEnds = {rewrite::BackEnd::kCore};
    options.schedules = {reference::Choice::kPlain};
    options.threads = 1;
    check::Subject subject{.words = words, .specialization = {{.constantId = 0, .bits = lanes}}};
    subject.target = target;
    for (const check::Outcome& outcome : check::check(subject, options))
        EXPECT_EQ(outcome.verdict, check::Verdict::kAgrees) << describe(outcome);
}

// As compilers write them, and after an optimiser, which has functions in their callers.
TEST(Slices, HaveTheSameSums) {
    for (const Shader& shader : kShaders) {
        SCOPED_TRACE(shader.name);
        const std::string text = source(shader.body, shader.functions);
        expectSame(shader, compileGlsl(text, Variant::kPlain), 8, false);
        expectSame(shader, compileGlsl(text, Variant::kFast), 32, true);
    }
}

}  // namespace
}  // namespace coopvk::test::slices_test
