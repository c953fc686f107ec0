// SPDX-License-Identifier: Apache-2.0
#include "stage_source.hpp"

#include <stdexcept>

#include "stage_run.hpp"

namespace coopvk::test {
namespace {

struct StageSourceRow {
    VkShaderStageFlagBits stage;
    const char* name;
    const char* declarations;  // extensions and interface
    const char* main;          // calls work()
};
constexpr const char* kRays = "#extension GL_EXT_ray_tracing : require\n";
constexpr const char* kMeshes = "#extension GL_EXT_mesh_shader : require\n";
constexpr StageSourceRow kStageSources[] = {
    {kVertex, "vertex", "", "gl_Position = vec4(0); gl_PointSize = 1; work(gl_VertexIndex);"},
    {kControl, "tessellation-control", "layout(vertices = 3) out;\n",
     "gl_TessLevelOuter = float[](0, 0, 0, 0); work(gl_PrimitiveID * 3 + gl_InvocationID);"},
    {kEvaluation, "tessellation-evaluation", "layout(triangles, point_mode) in;\n",
     "gl_Position = vec4(0); vec3 at = gl_TessCoord;"
     "work(gl_PrimitiveID * 3 + (at.x == 1 ? 0 : at.y == 1 ? 1 : 2));"},
    {kGeometry, "geometry",
     "layout(points, invocations = 3) in;\nlayout(points, max_vertices = 1) out;\n",
     "work(gl_PrimitiveIDIn * 3 + gl_InvocationID);"},
    {kFragment, "fragment", "", "work(uint(gl_FragCoord.y) * 13 + uint(gl_FragCoord.x));"},
    {kCompute, "compute", "", "work(gl_GlobalInvocationID.x);"},
    {kTask, "task", "", "work(gl_GlobalInvocationID.x); EmitMeshTasksEXT(0, 1, 1);"},
    {kMesh, "mesh", "layout(points, max_vertices = 1, max_primitives = 1) out;\n",
     "SetMeshOutputsEXT(0, 0); work(gl_GlobalInvocationID.x);"},
    {kRaygen, "raygen", "", "work(gl_LaunchIDEXT.x);"},
    {kAnyHit, "any-hit", "layout(location = 0) rayPayloadInEXT float payload;\n",
     "work(gl_LaunchIDEXT.x);"},
    {kClosestHit, "closest-hit", "layout(location = 0) rayPayloadInEXT float payload;\n",
     "work(gl_LaunchIDEXT.x);"},
    {kMiss, "miss", "layout(location = 0) rayPayloadInEXT float payload;\n",
     "work(gl_LaunchIDEXT.x);"},
    {kIntersection, "intersection", "", "work(gl_LaunchIDEXT.x); reportIntersectionEXT(1.0, 0u);"},
    {kCallable, "callable", "layout(location = 0) callableDataInEXT float data;\n",
     "work(gl_LaunchIDEXT.x);"},
};

const StageSourceRow& rowOf(VkShaderStageFlagBits stage) {
    for (const StageSourceRow& row : kStageSources)
        if (row.stage == stage) return row;
    throw std::runtime_error("no such stage");
}

const char* extensionsOf(VkShaderStageFlagBits stage) {
    return isRay(stage) ? kRays : (stage & (kTask | kMesh)) != 0 ? kMeshes : "";
}

}  // namespace

std::string tableDeclaration() {
    return "#extension GL_EXT_buffer_reference : require\n"
           "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
           "layout(buffer_reference, std430) readonly buffer Table { uint64_t address[16]; };\n"
           "layout(push_constant) uniform Push { Table table; uint64_t unused; };\n";
}

Words workShader(VkShaderStageFlagBits stage, const std::string& source, uint32_t workgroup) {
    const StageSourceRow& row = rowOf(stage);
    std::string text = std::string("#version 460\n") + extensionsOf(stage) + tableDeclaration();
    if ((stage & (kCompute | kTask | kMesh)) != 0)
        text += "layout(local_size_x = " + std::to_string(workgroup) + ") in;\n";
    text += row.declarations + source + "void main() {" + row.main + "}\n";
    return compileGlslStage(stage, text);
}

Words plainShader(VkShaderStageFlagBits stage, const std::string& declarations,
                  const std::string& main) {
    return compileGlslStage(stage, std::string("#version 460\n") + extensionsOf(stage) +
                                       declarations + "void main() {" + main + "}\n");
}

const std::vector<VkShaderStageFlagBits>& allStages() {
    static const std::vector<VkShaderStageFlagBits> stages = [] {
        std::vector<VkShaderStageFlagBits> all;
        for (const StageSourceRow& row : kStageSources) all.push_back(row.stage);
        return all;
    }();
    return stages;
}

std::string stageName(VkShaderStageFlagBits stage) { return rowOf(stage).name; }

}  // namespace coopvk::test
