// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "scene.hpp"
#include "stage_run.hpp"
#include "stage_source.hpp"

namespace coopvk::test {
namespace {

VkRayTracingShaderGroupCreateInfoKHR group(VkRayTracingShaderGroupTypeKHR type) {
    return {VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
            nullptr,
            type,
            VK_SHADER_UNUSED_KHR,
            VK_SHADER_UNUSED_KHR,
            VK_SHADER_UNUSED_KHR,
            VK_SHADER_UNUSED_KHR,
            nullptr};
}

// The groups raygen, miss, hit and callable, in this order.
constexpr uint32_t kGroups = 4;

struct RayStages {
    StageList stages;
    std::array<VkRayTracingShaderGroupCreateInfoKHR, kGroups> groups;

    uint32_t add(VkShaderStageFlagBits stage, const Words& words) {
        stages.add(stage, words);
        return static_cast<uint32_t>(stages.infos.size()) - 1;
    }
};

RayStages rayStages(VkShaderStageFlagBits stage, const Words& words) {
    const std::string payload = "layout(location = 0) rayPayloadInEXT float payload;\n";
    const std::string direction = stage == kMiss ? "-1" : "1";
    RayStages result;
    result.groups.fill(group(VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR));
    auto& [raygen, miss, hit, callable] = result.groups;
    raygen.generalShader = result.add(
        kRaygen,
        stage == kRaygen ? words
        : stage == kCallable
            ? plainShader(kRaygen, "layout(location = 0) callableDataEXT float data;\n",
                          "executeCallableEXT(0, 0);")
            : plainShader(
                  kRaygen,
                  tableDeclaration() + "layout(location = 0) rayPayloadEXT float payload;\n",
                  "traceRayEXT(accelerationStructureEXT(table.address[15]), gl_RayFlagsNoneEXT, "
                  "0xff, 0, 0, 0, vec3(0.1, 0.1, 0), 0.01, vec3(0, 0, " +
                      direction + "), 10.0, 0);"));
    miss.generalShader =
        result.add(kMiss, stage == kMiss ? words : plainShader(kMiss, payload, "payload = 1;"));
    hit.type = stage == kIntersection ? VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR
                                      : VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR;
    if (stage == kIntersection) hit.intersectionShader = result.add(stage, words);
    if (stage == kAnyHit) hit.anyHitShader = result.add(stage, words);
    hit.closestHitShader = result.add(
        kClosestHit,
        stage == kClosestHit ? words : plainShader(kClosestHit, payload, "payload = 2;"));
    callable.generalShader = result.add(
        kCallable,
        stage == kCallable
            ? words
            : plainShader(kCallable, "layout(location = 0) callableDataInEXT float data;\n",
                          "data = 3;"));
    return result;
}

// The handles of a pipeline's groups, each at a multiple of `step`.
class GroupTable {
 public:
    explicit GroupTable(VkPipeline pipeline) {
        VkPhysicalDeviceRayTracingPipelinePropertiesKHR rays{
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR};
        VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &rays};
        vkGetPhysicalDeviceProperties2(Context::get().physical, &all);
        const size_t size = rays.shaderGroupHandleSize;
        step_ = std::max<size_t>(rays.shaderGroupBaseAlignment, 64);
        Bytes handles(kGroups * size);
        COOPVK_CHECK(vkGetRayTracingShaderGroupHandlesKHR(Context::get().device, pipeline, 0,
                                                          kGroups, handles.size(), handles.data()));
        Bytes table(kGroups * step_);
        for (size_t i = 0; i < kGroups; ++i)
            std::copy_n(handles.begin() + static_cast<std::ptrdiff_t>(i * size), size,
                        table.begin() + static_cast<std::ptrdiff_t>(i * step_));
        // Buffers of a Memory start at multiples of 256 bytes, more than any device asks for.
        memory_ = std::make_unique<Memory>(Context::get(), std::vector<Bytes>{table});
    }
    VkStridedDeviceAddressRegionKHR region(uint32_t i) const {
        return {memory_->address(0) + i * step_, step_, step_};
    }

 private:
    size_t step_ = 0;
    std::unique_ptr<Memory> memory_;
};

}  // namespace

std::vector<Bytes> runRays(VkShaderStageFlagBits stage, const Words& words,
                           const std::vector<Bytes>& buffers) {
    std::unique_ptr<Scene> scene;
    if ((stage & kTracingStages) != 0)
        scene = std::make_unique<Scene>(stage == kIntersection ? Shape::kBox : Shape::kTriangle);
    Run run(buffers, scene ? scene->address() : 0);
    const RayStages stages = rayStages(stage, words);
    VkRayTracingPipelineCreateInfoKHR info{VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR};
    info.stageCount = static_cast<uint32_t>(stages.stages.infos.size());
    info.pStages = stages.stages.infos.data();
    info.groupCount = kGroups;
    info.pGroups = stages.groups.data();
    info.maxPipelineRayRecursionDepth = 1;
    info.layout = run.layout().handle;
    Pipeline pipeline;
    COOPVK_CHECK(vkCreateRayTracingPipelinesKHR(Context::get().device, VK_NULL_HANDLE,
                                                VK_NULL_HANDLE, 1, &info, nullptr,
                                                &pipeline.handle));
    const GroupTable table(pipeline.handle);
    return run.submit([&](VkCommandBuffer commands) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, pipeline.handle);
        const auto raygen = table.region(0), miss = table.region(1), hit = table.region(2),
                   callable = table.region(3);
        vkCmdTraceRaysKHR(commands, &raygen, &miss, &hit, &callable, kStageInvocations, 1, 1);
    });
}

}  // namespace coopvk::test
