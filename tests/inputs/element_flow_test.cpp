// SPDX-License-Identifier: Apache-2.0
//
// What values are made of, and what they are made into: which ways from a lane, a number or an
// element to another element or to memory make a shader depend on the layout of elements.
#include <gtest/gtest.h>

#include <algorithm>

#include "../driver/harness/shader.hpp"
#include "check.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::test::element_flow_test {
namespace {

// EACH(...): for each element of m.
std::string source(std::string_view body, std::string_view functions = "") {
    constexpr std::string_view kText = R"(#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Halves { float16_t halves[]; };
layout(set = 0, binding = 1) buffer In { float x[]; };
layout(set = 0, binding = 2) buffer Out { float o[]; };
layout(set = 0, binding = 3) buffer Words { uint u[]; };
layout(set = 0, binding = 4, r32f) uniform writeonly image2D image;
layout(push_constant) uniform Constants { uint p; };
shared float16_t sh[256];
#define ACC coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
#define ACCH coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
#define MA coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
#define MB coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>
#define ROWS gl_CooperativeMatrixLayoutRowMajor
#define EACH for (int i = 0; i < m.length(); ++i)
${functions}
void main() {
    ACC m;
    MB b;
    MA a = MA(0.0);
    coopMatLoad(m, x, 0, 16, ROWS);
    coopMatLoad(b, halves, 256, 16, ROWS);
    uint lane = gl_SubgroupInvocationID, tid = gl_LocalInvocationIndex;
    ${body}
    coopMatStore(m, o, 256, 16, ROWS);
    m = coopMatMulAdd(a, b, ACC(0.0));
    coopMatStore(m, o, 512, 16, ROWS);
}
)";
    return substitute(kText, {{"body", std::string(body)}, {"functions", std::string(functions)}});
}

struct Shader {
    const char* name;
    const char* body;
    const char* functions = "";
};

constexpr Shader kDepend[] = {
    {"BranchOnLane", "EACH { if (lane >= 16) m[i] += 1.0; }"},
    {"LoopBehindLane", "if (lane >= 16) { EACH m[i] += 1.0; }"},
    {"LoopToLane", "EACH { float v = 0; for (uint k = 0; k < lane; k++) v += 1.0; m[i] += v; }"},
    {"BranchOnNumber", "EACH { if (i >= 4) m[i] = 0.0; }"},
    {"SwitchOnNumber", "EACH { switch (i & 3) { case 0: m[i] = 1; break; default: m[i] *= 3; } }"},
    {"SelectByNumber", "EACH m[i] = (i & 1) != 0 ? m[i] : 0.0;"},
    {"Mask", "EACH { if ((lane & 15) > i + 8 * (lane >> 4)) m[i] = -1e30; }"},
    {"Counter", "uint k = 0; EACH { m[i] += float(k); k += 2; }"},
    {"Power", "float f = 1.0; EACH { m[i] *= f; f *= 2.0; }"},
    {"Prefix", "float c = 0; EACH { c += m[i]; m[i] = c; }"},
    {"OneNumber", "m[0] = 1.0;"},
    {"ThreeNumbers", "m[0] *= 2; m[1] *= 2; m[2] *= 2;"},
    {"LengthToElements", "EACH m[i] += float(m.length());"},
    {"UniformNumber", "m[p & 7] = 1.0;"},
    {"NumberOfLane", "EACH m[(i + int(lane)) & 7] = 1.0;"},
    {"Swap",
     "for (int i = 0; i < m.length(); i += 2)\n"
     "{ float t = m[i]; m[i] = m[i + 1]; m[i + 1] = t; }"},
    {"PreviousNumber", "for (int i = 1; i < m.length(); ++i) m[i] = m[i - 1];"},
    {"NextNumber", "for (int i = 0; i < m.length() - 1; ++i) m[i] = m[1 + i];"},
    {"SwappedPairs",
     "for (int i = 0; i < m.length(); i += 2)\n"
     "{ vec2 v = vec2(m[i], m[i + 1]); m[i] = v.y; m[i + 1] = v.x; }"},
    {"SwappedByFunction",
     "for (int i = 0; i < m.length(); i += 2)\n"
     "{ g = vec2(m[i], m[i + 1]); f(); m[i] = g.x; m[i + 1] = g.y; }",
     "vec2 g; void f() { g = g.yx; }"},
    {"SwappedParameter",
     "for (int i = 0; i < m.length(); i += 2)\n"
     "{ vec2 v = f(vec2(m[i], m[i + 1])); m[i] = v.x; m[i + 1] = v.y; }",
     "vec2 f(vec2 v) { return v.yx; }"},
    {"InsertedPart",
     "for (int i = 0; i < m.length(); i += 2)\n"
     "{ vec2 v = vec2(m[i], m[i + 1]); v.x = v.y; vec2 w = v; m[i] = w.x; m[i + 1] = w.y; }"},
    {"ShuffledPairs",
     "for (int i = 0; i < m.length(); i += 2)\n"
     "{ vec2 v = vec2(m[i], m[i + 1]).yx * 2.0; m[i] = v.x; m[i + 1] = v.y; }"},
    {"ByHalfSubgroup", "EACH m[i] *= x[tid / 16];"},
    {"ByShiftedLane", "EACH m[i] *= x[tid >> 4];"},
    {"BySubgroupAndLane", "EACH m[i] *= x[tid / 32 + lane];"},
    {"Unrolled", "for (int i = 0; i < m.length(); i += 2) { m[i] *= 2.0; m[i + 1] *= 3.0; }"},
    {"OfOneLane", "if (lane == 0) o[0] = m[0];"},
    {"FromOneLane", "float v = subgroupBroadcast(m[1], 5); EACH m[i] += v;"},
    {"Ballot", "u[0] = subgroupBallot(m[0] > 0.0).x;"},
    {"SumOfOneNumber", "EACH m[i] -= subgroupAdd(m[i]);"},
    {"SumOfCluster", "EACH m[i] -= subgroupClusteredMax(m[i], 4);"},
    {"BroadcastOfLane",
     "float s = 0; EACH s += m[i]; s = subgroupBroadcast(s, 3); EACH m[i] -= s;"},
    {"ShuffledInto",
     "for (int i = 0; i < m.length(); i += 2)\n"
     "{ vec3 v = vec3(p); v.zy = vec2(m[i], m[i + 1]); vec3 w = v; m[i] = w.y; m[i + 1] = w.z; }"},
    {"ImageOfOneLane", "if (lane == 0) imageStore(image, ivec2(p, 0), vec4(m[0]));"},
    {"ImageByNumber", "EACH imageStore(image, ivec2(i, 0), vec4(m[i]));"},
    {"ImageOfLength", "imageStore(image, ivec2(lane, 0), vec4(m.length()));"},
    {"SumOfLane", "float s = 0; EACH s += m[i]; EACH m[i] -= s;"},
    {"Atomic", "EACH atomicAdd(u[tid], uint(m[i]));"},
    {"FunctionOfLane", "EACH m[i] = f(m[i]);",
     "float f(float v) { return v * float(gl_LocalInvocationID.x & 3); }"},
    {"FunctionByLane", "EACH m[i] = f(m[i]);",
     "float f(float v) { if ((gl_LocalInvocationID.x & 3) == 0) return 0.0; return v; }"},
    {"OutParameter", "EACH { float v; f(uint(i), v); m[i] += v; }",
     "void f(uint k, out float v) { v = float(k * 2); }"},
    {"OutParameterOfTwo", "EACH { float v; f(uint(i), v); m[i] += v; }",
     "void g(uint k, out float v) { v = float(k * 2); } void f(uint k, out float v) { g(k, v); }"},
    {"FunctionOfFunctionByLane", "if (lane >= 16) f(m);",
     "void g(inout ACC c, int k) { c[k] *= 2.0; }\n"
     "void f(inout ACC c) { for (int i = 0; i < c.length(); ++i) g(c, i); }"},
    {"GlobalVariable", "EACH { g = uint(i); m[i] += f(); }",
     "uint g; float f() { return float(g); }"},
    // Of the same number, but of another use.
    {"ChangedCopy", "EACH a[i] = float16_t(max(m[i], 0.0));"},
    {"CopyByFunction", "EACH a[i] = float16_t(f(m[i]));",
     "float f(float v) { return v > 0.0 ? v : v * 0.25; }"},
    {"CopyByCondition", "EACH { if (m[i] > 0.0) a[i] = float16_t(1.0); }"},
    {"CopyByVariable", "EACH { g = m[i]; a[i] = f(); }",
     "float g; float16_t f() { return float16_t(g); }"},
    {"SumOfUses", "EACH m[i] += float(b[i]);"},
};

constexpr Shader kDoNotDepend[] = {
    {"Branch", "EACH { float v = m[i]; if (v < 0.0) v *= 0.1; m[i] = v; }"},
    {"Function",
     "ACC n = m; EACH m[i] = f(m[i]); for (int j = 0; j < n.length(); ++j) n[j] = f(n[j]);\n"
     "EACH m[i] += n[i];",
     "float f(float v) { if (v > 0.0) return v; return 0.1 * v; }"},
    {"Put", "EACH put(m, i, max(m[i], 0.0));",
     "void put(inout ACC c, int k, float v) { c[k] = v; }"},
    {"Polynomial",
     "EACH { float v = 0.0; for (int k = 0; k < 4; k++) v = v * m[i] + x[k]; m[i] = v; }"},
    {"Newton",
     "EACH { float y = 1.0; while (abs(y * y - m[i]) > 0.01) y = 0.5 * (y + m[i] / y);\n"
     "m[i] = y; }"},
    {"Norm", "float s = 0; EACH s += m[i] * m[i]; s = subgroupAdd(s); EACH m[i] /= s;"},
    {"AnyOf",
     "bool any = false; EACH any = any || isnan(m[i]);\n"
     "if (subgroupAny(any)) { if (lane == 0) u[0] = 1; }"},
    {"LargestByAtomic", "float s = 0; EACH s = max(s, m[i]); atomicMax(u[0], floatBitsToUint(s));"},
    {"ByConstants",
     "m[0] *= 2; m[1] *= 2; m[2] *= 2; m[3] *= 2;\n"
     "m[4] *= 2; m[5] *= 2; m[6] *= 2; m[7] *= 2;"},
    {"ByConstantsOf64Lanes", "m[0] *= 2; m[1] *= 2; m[2] *= 2; m[3] *= 2;"},
    {"Guard", "for (int i = 0; i < 16; i++) { if (i < m.length()) m[i] *= 2.0; }"},
    {"Pairs",
     "for (int i = 0; i < m.length(); i += 2)\n"
     "{ vec2 v = max(vec2(m[i], m[i + 1]) * 2.0, vec2(0)); m[i] = v.x; m[i + 1] = v.y; }"},
    {"ShuffledTwice",
     "for (int i = 0; i < m.length(); i += 2)\n"
     "{ vec2 v = vec2(m[i], m[i + 1]).yx * 2.0; m[i] = v.y; m[i + 1] = v.x; }"},
    {"PairsOfThree",
     "for (int i = 0; i < m.length(); i += 2)\n"
     "{ vec3 v = vec3(1.0, m[i], m[i + 1]); vec2 w = v.yz; m[i] = w.x; m[i + 1] = w.y; }"},
    {"UntilEqual", "for (int i = 0;; ++i) { if (i == m.length()) break; m[i] *= 2.0; }"},
    {"WhileTwo", "for (int i = 0; i < 8 && i < m.length(); ++i) m[i] *= 2.0;"},
    {"Image", "imageStore(image, ivec2(lane, 1), vec4(x[lane]));"},
    {"FromOne", "for (int i = 1; i <= m.length(); ++i) m[i - 1] *= 2.0;"},
    {"BySubgroupSize", "EACH m[i] *= x[tid / gl_SubgroupSize];"},
    {"ByTwoSubgroups", "EACH m[i] *= x[gl_LocalInvocationID.x / 64];"},
    {"BySignedShift", "EACH m[i] *= x[int(tid) >> 5];"},
    {"BySubgroup", "EACH m[i] *= x[tid / 32]; if (tid >> 5 == 0) { EACH m[i] += 1.0; }"},
    {"LanesReturn",
     "if (gl_GlobalInvocationID.x >= p) return; coopMatLoad(m, x, 0, 16, ROWS);\n"
     "EACH m[i] *= 2.0;"},
    {"OtherWork",
     "if (lane == 0) u[0] = 7; if (tid < 16) sh[tid] = float16_t(1); barrier();\n"
     "EACH m[i] += float(sh[3]); for (uint k = tid; k < 256; k += 32) u[k] = k;"},
};

// In two forms: as written, and after an optimiser.
bool depends(const Shader& shader) {
    rewrite::Target target;
    target.programLayout = rewrite::ElementLayout::kNvidia;
    size_t found = 0;
    constexpr Variant kForms[] = {Variant::kPlain, Variant::kFast};
    for (const Variant variant : kForms) {
        const Words words = compileGlsl(source(shader.body, shader.functions), variant);
        const auto result = rewrite::rewrite({.words = words}, target);
        EXPECT_TRUE(result) << result.error().message;
        found += result && result->wantedSubgroupSize == 32 ? 1 : 0;
    }
    EXPECT_TRUE(found == 0 || found == std::size(kForms)) << "one form only";
    return found != 0;
}

TEST(ElementFlow, MakesShadersDepend) {
    for (const Shader& shader : kDepend) {
        SCOPED_TRACE(shader.name);
        EXPECT_TRUE(depends(shader));
    }
}

TEST(ElementFlow, LeavesOthersAlone) {
    for (const Shader& shader : kDoNotDepend) {
        SCOPED_TRACE(shader.name);
        EXPECT_FALSE(depends(shader));
    }
}

// Where no GPU's layout is known, an element that is copied to another use keeps its row and
// column, also if it is changed on the way: the same through memory does.
TEST(ElementFlow, ChangedCopiesKeepTheirPlaces) {
    constexpr std::string_view kActivation =
        "float f(float v) { return v > 0.0 ? v : v * x[300]; }";
    const Words byNumbers = compileGlsl(source("EACH a[i] = float16_t(f(m[i]));", kActivation));
    const Words byMemory = compileGlsl(
        source("ACCH h; EACH h[i] = float16_t(f(m[i])); coopMatStore(h, sh, 0, 16, ROWS);\n"
               "barrier(); coopMatLoad(a, sh, 0, 16, ROWS);",
               kActivation));
    const auto rewritten = rewrite::rewrite({.words = byNumbers}, rewrite::Target{});
    ASSERT_TRUE(rewritten) << rewritten.error().message;
    check::Options options;
    options.lanes = {32};
    options.backEnds = {rewrite::BackEnd::kCore};
    options.schedules = {reference::Choice::kPlain};
    check::Subject subject{.words = byMemory, .specialization = {}};
    subject.target.device = check::referenceTraits();
    subject.rewritten = rewritten->words;
    for (const check::Outcome& outcome : check::check(subject, options))
        EXPECT_EQ(outcome.verdict, check::Verdict::kAgrees) << outcome.message;
}

}  // namespace
}  // namespace coopvk::test::element_flow_test
