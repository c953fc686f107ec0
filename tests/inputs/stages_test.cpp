// SPDX-License-Identifier: Apache-2.0
//
// A product with a cooperative vector in each stage but compute: the module and its rewriting give
// the same, and one with a planted fault does not.
#include <gtest/gtest.h>

#include "checking.hpp"

namespace coopvk::test::stages_test {
namespace {

using check::Verdict;

struct StageRow {
    const char* name;
    VkShaderStageFlagBits stage;
    const char* declarations;
    const char* main;  // calls layer(), which computes a product
    const char* list;  // where a fault shows
};

constexpr const char* kRays = "#extension GL_EXT_ray_tracing : require\n";
constexpr const char* kMeshes = "#extension GL_EXT_mesh_shader : require\n";

constexpr StageRow kStages[] = {
    {"Vertex", VK_SHADER_STAGE_VERTEX_BIT,
     "layout(location = 0) in vec4 a; layout(location = 2) out Block { vec4 x; float y[3]; } b;",
     "b.x = layer(a); b.y[gl_VertexIndex % 3] = b.x.y; gl_Position = vec4(gl_VertexIndex);",
     "Output 2"},
    {"TessellationControl", VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
     "layout(vertices = 3) out; layout(location = 0) in vec4 a[]; layout(location = 0) out vec4 "
     "b[];"
     "layout(location = 1) patch out vec4 c;",
     "b[gl_InvocationID] = layer(a[gl_InvocationID]); barrier();"
     "if (gl_InvocationID == 0) c = b[0] + b[1] + b[2]; gl_TessLevelOuter[gl_InvocationID] = 2;",
     "Output 0"},
    {"TessellationEvaluation", VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
     "layout(triangles) in; layout(location = 0) in vec4 a[]; layout(location = 0) out vec4 b;",
     "b = layer(a[1] + gl_TessCoord.xyzx); gl_Position = gl_in[1].gl_Position;", "Output 0"},
    {"Geometry", VK_SHADER_STAGE_GEOMETRY_BIT,
     "layout(triangles) in; layout(triangle_strip, max_vertices = 6) out;"
     "layout(location = 0) in vec4 a[]; layout(location = 3) out vec4 b;",
     "for (int i = 0; i < 3; ++i) { vec4 x = layer(a[i]); b = x; gl_Position = "
     "gl_in[i].gl_Position; EmitVertex(); if (x.x > 0) EndPrimitive(); }",
     "Output 3"},
    {"Fragment", VK_SHADER_STAGE_FRAGMENT_BIT,
     "layout(location = 0) in vec4 a; layout(location = 1) flat in int which;"
     "layout(location = 0) out vec4 b; layout(location = 1) out uint c;"
     "layout(set = 0, binding = 1) buffer Counts { uint counts[]; };",
     "vec4 x = layer(a); if (which > 2) discard; atomicAdd(counts[which & 3], 1);"
     "b = x + dFdx(a) + fwidthCoarse(x); c = uint(gl_FragCoord.x);",
     "Output 0"},
    {"Task", VK_SHADER_STAGE_TASK_BIT_EXT,
     "layout(local_size_x = 32) in; struct T { vec4 v[32]; uint n; }; taskPayloadSharedEXT T t;",
     "uint l = gl_LocalInvocationIndex; t.v[l] = layer(vec4(l & 3, 1, 2, 3)); if (l == 0) t.n = 7;"
     "EmitMeshTasksEXT(7, 1, 1);",
     "TaskPayloadWorkgroupEXT 0"},
    {"Mesh", VK_SHADER_STAGE_MESH_BIT_EXT,
     "layout(local_size_x = 32) in; layout(points, max_vertices = 32, max_primitives = 32) out;"
     "layout(location = 0) out vec4 b[]; struct T { vec4 v[32]; }; taskPayloadSharedEXT T t;",
     "uint l = gl_LocalInvocationIndex; SetMeshOutputsEXT(32, 32); b[l] = layer(t.v[l]);"
     "gl_MeshVerticesEXT[l].gl_Position = t.v[31 - l]; gl_PrimitivePointIndicesEXT[l] = l;",
     "Output 0"},
    {"RayGeneration", VK_SHADER_STAGE_RAYGEN_BIT_KHR,
     "layout(set = 0, binding = 2) uniform accelerationStructureEXT scene; struct P { vec4 a;"
     "uint hits; bool isHit; }; layout(location = 0) rayPayloadEXT P p;"
     "layout(location = 1) callableDataEXT vec4 c;",
     "p.a.x = float(gl_LaunchIDEXT.x); for (int i = 0; i < 2; ++i)"
     "traceRayEXT(scene, 0, 255, 0, 1, 0, p.a.xyz, 0, vec3(0, 0, 1), 100, 0);"
     "c = layer(p.isHit ? p.a : vec4(p.hits)); executeCallableEXT(2, 1);",
     "CallableDataKHR 0, taken"},
    {"Intersection", VK_SHADER_STAGE_INTERSECTION_BIT_KHR, "hitAttributeEXT vec2 h;",
     "vec4 x = layer(vec4(gl_WorldRayOriginEXT, 1)); for (int i = 0; i < 3; ++i) { h = x.xy + i;"
     "if (reportIntersectionEXT(x.z + i, 3u)) break; }",
     "HitAttributeKHR 0"},
    {"AnyHit", VK_SHADER_STAGE_ANY_HIT_BIT_KHR,
     "layout(location = 0) rayPayloadInEXT vec4 p; hitAttributeEXT vec2 h;",
     "p = layer(p + h.xyxy); if (p.x > 2) ignoreIntersectionEXT; if (p.y > 2) terminateRayEXT;"
     "p.w = 5;",
     "IncomingRayPayloadKHR 0"},
    {"ClosestHit", VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR,
     "layout(location = 0) rayPayloadInEXT vec4 p; hitAttributeEXT vec2 h;",
     "p = layer(vec4(p.x, h.y, gl_HitTEXT, gl_ObjectToWorldEXT[1].z));", "IncomingRayPayloadKHR 0"},
    {"Miss", VK_SHADER_STAGE_MISS_BIT_KHR, "layout(location = 0) rayPayloadInEXT vec4 p;",
     "p = layer(p);", "IncomingRayPayloadKHR 0"},
    {"Callable", VK_SHADER_STAGE_CALLABLE_BIT_KHR, "layout(location = 0) callableDataInEXT vec4 p;",
     "p = layer(p);", "IncomingCallableDataKHR 0"},
};

Words shaderOf(const StageRow& row, const char* element) {
    const bool isMesh =
        row.stage == VK_SHADER_STAGE_TASK_BIT_EXT || row.stage == VK_SHADER_STAGE_MESH_BIT_EXT;
    std::string text = "#version 460\n";
    text += isMesh ? kMeshes : row.stage >= VK_SHADER_STAGE_RAYGEN_BIT_KHR ? kRays : "";
    text += R"(
#extension GL_NV_cooperative_vector : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(set = 0, binding = 0) readonly buffer Weights { float16_t weights[]; };
vec4 layer(vec4 from) {
    coopvecNV<float16_t, 4> x = coopvecNV<float16_t, 4>(
        float16_t(from.x), float16_t(from.y), float16_t(from.z), float16_t(from.w));
    coopvecNV<float16_t, 4> y;
    coopVecMatMulNV(y, x, gl_ComponentTypeFloat16NV, weights, 0, gl_ComponentTypeFloat16NV, 4, 4,
                    gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 32);
    return vec4(y[0], y[)";
    text += std::string(element) + "], y[2], y[3]);\n}\n" + row.declarations + "\nvoid main() {\n" +
            row.main + "\n}\n";
    return compileGlslStage(row.stage, text);
}

check::Options optionsAt(uint32_t lanes) {
    check::Options options;
    options.threads = 1;
    options.lanes = {lanes};
    return options;
}

class CheckStages : public testing::TestWithParam<StageRow> {};

TEST_P(CheckStages, GiveTheSame) {
    const Words words = shaderOf(GetParam(), "1");
    check::Options options = optionsAt(4);
    options.lanes = {4, 32};
    options.moreValues = options.moreSpecials = true;
    check::Subject subject{.words = words, .specialization = {}};
    subject.target.device = check::referenceTraits();
    for (const check::Outcome& outcome : check::check(subject, options)) {
        EXPECT_EQ(outcome.verdict, Verdict::kAgrees) << describe(outcome);
        EXPECT_GT(outcome.written.compared(), 0u);
        EXPECT_FALSE(outcome.isRacy);
    }
}

TEST_P(CheckStages, ShowAFault) {
    const Words words = shaderOf(GetParam(), "1"), faulty = shaderOf(GetParam(), "3");
    const auto rewritten =
        rewrite::rewrite({.words = faulty, .stage = rewrite::Stage(GetParam().stage)},
                         {.device = check::referenceTraits(), .subgroupSize = 8});
    ASSERT_TRUE(rewritten) << rewritten.error().message;
    check::Options options = optionsAt(8);
    options.backEnds = {rewrite::BackEnd::kAuto};
    check::Subject subject{.words = words, .specialization = {}};
    subject.rewritten = rewritten->words;
    for (const check::Outcome& outcome : check::check(subject, options)) {
        EXPECT_EQ(outcome.verdict, Verdict::kDiffers) << describe(outcome);
        EXPECT_NE(describe(outcome).find(std::string("\n") + GetParam().list), std::string::npos)
            << describe(outcome);
    }
}

INSTANTIATE_TEST_SUITE_P(All, CheckStages, testing::ValuesIn(kStages),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace coopvk::test::stages_test
