// SPDX-License-Identifier: Apache-2.0
//
// Ray tracing pipelines on a device that emulates matrices: created directly, deferred, and from
// libraries. The driver gets shaders that use no matrices unchanged. No ray is traced: a ray
// generation shader calls a callable shader for each of its invocations.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>

#include "harness/layer_log.hpp"
#include "harness/requirement.hpp"
#include "harness/stages.hpp"

namespace coopvk::test::ray_tracing_route_test {
namespace {

constexpr auto kRaygen = VK_SHADER_STAGE_RAYGEN_BIT_KHR;
constexpr auto kCallable = VK_SHADER_STAGE_CALLABLE_BIT_KHR;
constexpr uint32_t kRays = 13;

Words raygenShader() {
    return compileGlslStage(kRaygen, stageHeader("#extension GL_EXT_ray_tracing : require\n") +
                                         R"(
layout(location = 0) callableDataEXT float value;
void main() {
    value = a.v[gl_LaunchIDEXT.x];
    executeCallableEXT(0, 0);
    d.v[gl_LaunchIDEXT.x] = value;
}
)");
}

// value * 2 + summand.
Words callableShader(int summand) {
    return compileGlslStage(kCallable,
                            "#version 460\n#extension GL_EXT_ray_tracing : require\n"
                            "layout(location = 0) callableDataInEXT float value;\n"
                            "void main() { value = value * 2 + " +
                                std::to_string(summand) + "; }\n");
}

VkRayTracingShaderGroupCreateInfoKHR generalGroup(uint32_t stage) {
    return {VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
            nullptr,
            VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR,
            stage,
            VK_SHADER_UNUSED_KHR,
            VK_SHADER_UNUSED_KHR,
            VK_SHADER_UNUSED_KHR,
            nullptr};
}

// Stages and groups of a pipeline; the first two groups are ray generation and callable.
class RayPipelineInfo {
 public:
    explicit RayPipelineInfo(const StageLayout& layout) {
        info.layout = layout.handle;
        info.maxPipelineRayRecursionDepth = 1;
    }
    RayPipelineInfo(const RayPipelineInfo&) = delete;
    RayPipelineInfo& operator=(const RayPipelineInfo&) = delete;

    void add(VkShaderStageFlagBits stage, const Words& words) {
        modules_.push_back(std::make_unique<Module>(words));
        stages_.push_back(stageInfo(stage, modules_.back()->handle));
        groups_.push_back(generalGroup(static_cast<uint32_t>(stages_.size()) - 1));
        info.stageCount = info.groupCount = static_cast<uint32_t>(stages_.size());
        info.pStages = stages_.data();
        info.pGroups = groups_.data();
    }
    VkResult create(VkDeferredOperationKHR operation, VkPipeline* pipeline) const {
        return vkCreateRayTracingPipelinesKHR(Context::get().device, operation, VK_NULL_HANDLE, 1,
                                              &info, nullptr, pipeline);
    }
    void forgetModules() { modules_.clear(); }

    VkRayTracingPipelineCreateInfoKHR info{VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR};

 private:
    std::vector<std::unique_ptr<Module>> modules_;
    std::vector<VkPipelineShaderStageCreateInfo> stages_;
    std::vector<VkRayTracingShaderGroupCreateInfoKHR> groups_;
};

VkPhysicalDeviceRayTracingPipelinePropertiesKHR rayTracingProperties() {
    VkPhysicalDeviceRayTracingPipelinePropertiesKHR result{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &result};
    vkGetPhysicalDeviceProperties2(Context::get().physical, &all);
    return result;
}

// Traces kRays rays; group 0 generates them, and they call group 1.
Bytes trace(const StageLayout& layout, VkPipeline pipeline) {
    const auto properties = rayTracingProperties();
    const size_t handle = properties.shaderGroupHandleSize;
    const size_t step = std::max<size_t>(properties.shaderGroupBaseAlignment, 64);
    std::vector<std::byte> handles(2 * handle);
    COOPVK_CHECK(vkGetRayTracingShaderGroupHandlesKHR(Context::get().device, pipeline, 0, 2,
                                                      handles.size(), handles.data()));
    // Room to align both tables within the buffer, whose start is not.
    const Bytes table(4 * step, std::byte{0});
    return runCommands({ramp(kRays), poison(kRays), table}, [&](Commands& commands,
                                                                const Memory& memory) {
        const VkDeviceAddress start = (memory.address(2) + step - 1) / step * step;
        const VkDeviceSize within = start - memory.address(2);
        for (size_t i = 0; i < 2; ++i)
            vkCmdUpdateBuffer(commands.primary, memory.handle(),
                              memory.offset(2) + within + i * step, handle, &handles[i * handle]);
        VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
        barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
        vkCmdPipelineBarrier(commands.primary, VK_PIPELINE_STAGE_TRANSFER_BIT,
                             VK_PIPELINE_STAGE_RAY_TRACING_SHADER_BIT_KHR, 0, 1, &barrier, 0,
                             nullptr, 0, nullptr);
        vkCmdBindPipeline(commands.primary, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, pipeline);
        layout.push(commands.primary, memory.address(0), memory.address(1));
        const VkStridedDeviceAddressRegionKHR raygen{start, step, step}, none{};
        const VkStridedDeviceAddressRegionKHR callable{start + step, step, step};
        vkCmdTraceRaysKHR(commands.primary, &raygen, &none, &none, &callable, kRays, 1, 1);
    })[1];
}

class RayTracingRoutes : public testing::Test {
 protected:
    void SetUp() override {
        COOPVK_REQUIRE(Requirement::kRayTracing);
        LayerLog::take();
    }
    void TearDown() override {
        const std::string log = LayerLog::take();
        EXPECT_EQ(log.find("rewrote"), log.npos) << log;
    }
};

TEST_F(RayTracingRoutes, AtOnce) {
    const StageLayout layout;
    RayPipelineInfo info(layout);
    info.add(kRaygen, raygenShader());
    info.add(kCallable, callableShader(3));
    Pipeline pipeline;
    COOPVK_CHECK(info.create(VK_NULL_HANDLE, &pipeline.handle));
    expectScaledRamp(trace(layout, pipeline.handle), 2, 3);
}

// Joined only after the application has destroyed its modules.
TEST_F(RayTracingRoutes, Deferred) {
    const VkDevice device = Context::get().device;
    const StageLayout layout;
    RayPipelineInfo info(layout);
    info.add(kRaygen, raygenShader());
    info.add(kCallable, callableShader(4));
    VkDeferredOperationKHR operation = VK_NULL_HANDLE;
    COOPVK_CHECK(vkCreateDeferredOperationKHR(device, nullptr, &operation));
    Pipeline pipeline;
    VkResult result = info.create(operation, &pipeline.handle);
    EXPECT_GE(result, VK_SUCCESS);  // lavapipe never defers, and says so with VK_SUCCESS
    if (result == VK_OPERATION_DEFERRED_KHR) {
        do {
            result = vkDeferredOperationJoinKHR(device, operation);
        } while (result == VK_THREAD_IDLE_KHR);
        EXPECT_TRUE(result == VK_SUCCESS || result == VK_THREAD_DONE_KHR) << result;
        EXPECT_EQ(vkGetDeferredOperationResultKHR(device, operation), VK_SUCCESS);
    }
    vkDestroyDeferredOperationKHR(device, operation, nullptr);
    info.forgetModules();
    expectScaledRamp(trace(layout, pipeline.handle), 2, 4);
}

// The callable shader comes from a library.
TEST_F(RayTracingRoutes, Libraries) {
    const StageLayout layout;
    const VkRayTracingPipelineInterfaceCreateInfoKHR interface{
        VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_INTERFACE_CREATE_INFO_KHR, nullptr, 16, 8};
    RayPipelineInfo part(layout);
    part.add(kCallable, callableShader(5));
    part.info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    part.info.pLibraryInterface = &interface;
    Pipeline library, pipeline;
    COOPVK_CHECK(part.create(VK_NULL_HANDLE, &library.handle));
    RayPipelineInfo whole(layout);
    whole.add(kRaygen, raygenShader());
    VkPipelineLibraryCreateInfoKHR libraries{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR};
    libraries.libraryCount = 1;
    libraries.pLibraries = &library.handle;
    whole.info.pLibraryInfo = &libraries;
    whole.info.pLibraryInterface = &interface;
    COOPVK_CHECK(whole.create(VK_NULL_HANDLE, &pipeline.handle));
    expectScaledRamp(trace(layout, pipeline.handle), 2, 5);
}

}  // namespace
}  // namespace coopvk::test::ray_tracing_route_test
