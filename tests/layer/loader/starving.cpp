// SPDX-License-Identifier: Apache-2.0
#include "starving.hpp"

#include "fakes/allocations.hpp"
#include "fakes/shader_routes.hpp"

namespace coopvk::test {
namespace {

const Words& shader() {
    static const Words words = matrixShader();
    return words;
}

}  // namespace

Rig::Rig(Before before) {
    driver.recordsAll = true;
    driver.deferredResult = VK_SUCCESS;
    code.codeSize = shader().size() * sizeof(uint32_t);
    code.pCode = shader().data();
    stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    stage.pName = "main";
    stage.pNext = &code;
    VkResult result = VK_SUCCESS;
    if (before >= Before::kInstance) result = makeInstance();
    if (before >= Before::kDevice && result == VK_SUCCESS) result = makeDevice();
    if (before >= Before::kCommands && result == VK_SUCCESS) result = makeCommands();
    if (before >= Before::kCommands && result == VK_SUCCESS) result = begin();
    EXPECT_EQ(result, VK_SUCCESS);
}

VkResult Rig::makeInstance() {
    instance = driver.makeInstance(VK_API_VERSION_1_3, nullptr, allocator());
    return instance != VK_NULL_HANDLE ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

VkResult Rig::makeDevice() {
    const char* const names[] = {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME,
                                 VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME};
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
    matrices.cooperativeMatrix = VK_TRUE;
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &matrices};
    info.enabledExtensionCount = 2;
    info.ppEnabledExtensionNames = names;
    return driver.makeDevice(info, &device, allocator());
}

VkResult Rig::makeCommands() {
    VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandBufferCount = 1;
    return command<PFN_vkAllocateCommandBuffers>("vkAllocateCommandBuffers")(device, &info,
                                                                             &commands);
}

VkResult Rig::begin() {
    const VkCommandBufferBeginInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    return command<PFN_vkBeginCommandBuffer>("vkBeginCommandBuffer")(commands, &info);
}

VkResult Rig::end() { return command<PFN_vkEndCommandBuffer>("vkEndCommandBuffer")(commands); }

VkShaderModule Rig::module() {
    if (modules[0] == VK_NULL_HANDLE) {
        const WorkingAllocations here;
        memory.suspend(true);
        EXPECT_EQ(command<PFN_vkCreateShaderModule>("vkCreateShaderModule")(
                      device, &code, allocator(), &modules[0]),
                  VK_SUCCESS);
        memory.suspend(false);
    }
    return modules[0];
}

template <typename Handle, typename Destroy>
void Rig::destroyAll(std::span<Handle> handles, const char* name) {
    for (Handle handle : handles) {
        if (handle != VK_NULL_HANDLE) command<Destroy>(name)(device, handle, allocator());
    }
}

Rig::~Rig() {
    if (device != VK_NULL_HANDLE) {
        destroyAll<VkShaderModule, PFN_vkDestroyShaderModule>(modules, "vkDestroyShaderModule");
        destroyAll<VkPipeline, PFN_vkDestroyPipeline>(pipelines, "vkDestroyPipeline");
        destroyAll<VkShaderEXT, PFN_vkDestroyShaderEXT>(shaders, "vkDestroyShaderEXT");
        destroyAll<VkPipelineBinaryKHR, PFN_vkDestroyPipelineBinaryKHR>(
            binaries, "vkDestroyPipelineBinaryKHR");
        destroyAll<VkRenderPass, PFN_vkDestroyRenderPass>(renderPasses, "vkDestroyRenderPass");
        if (commands != VK_NULL_HANDLE) {
            command<PFN_vkFreeCommandBuffers>("vkFreeCommandBuffers")(device, VK_NULL_HANDLE, 1,
                                                                      &commands);
        }
        driver.destroyDevice(device, allocator());
    }
    driver.destroyInstance(allocator());
    EXPECT_EQ(driver.objects.living(), 0u);
    EXPECT_EQ(driver.objects.mistakes(), 0u);
    EXPECT_TRUE(driver.modules.empty());
    EXPECT_TRUE(driver.commandBuffers.empty());
    EXPECT_EQ(memory.living(), 0);
}

std::vector<StarvingCommand> starvingCommands() {
    std::vector<StarvingCommand> all;
    for (const auto& some :
         {starvingInstanceCommands(), starvingShaderCommands(), starvingRecordedCommands()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

}  // namespace coopvk::test
