// SPDX-License-Identifier: Apache-2.0
//
// Calls of each of the layer's commands in which any allocation may fail.
#pragma once

#include <span>
#include <vector>

#include "fakes/fake_driver.hpp"
#include "fakes/test_allocator.hpp"

namespace coopvk::test {

// The objects that must exist before a command.
enum class Before { kNothing, kInstance, kDevice, kCommands };

// An instance, a device that emulates matrices and vectors, and what a command made. All objects
// have the application's allocator.
class Rig {
 public:
    explicit Rig(Before before);
    ~Rig();  // destroys what exists
    Rig(const Rig&) = delete;
    Rig& operator=(const Rig&) = delete;

    template <typename Function>
    Function command(const char* name) {
        const PFN_vkVoidFunction found =
            device != VK_NULL_HANDLE ? driver.deviceCommand(device, name) : nullptr;
        return reinterpret_cast<Function>(found != nullptr ? found : driver.instanceCommand(name));
    }
    VkResult makeInstance();
    VkResult makeDevice();
    VkResult makeCommands();
    VkResult begin();
    VkResult end();
    // Of the matrix shader, made beforehand.
    VkShaderModule module();

    const VkAllocationCallbacks* allocator() { return memory.callbacks(); }
    VkQueue queue() { return reinterpret_cast<VkQueue>(device); }  // of the device's dispatch key

    FakeDriver driver;
    TestAllocator memory;
    VkInstance instance = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;

    // Handles that are not null when it is over exist.
    VkShaderModule modules[1] = {};
    VkPipeline pipelines[2] = {};
    VkShaderEXT shaders[2] = {};
    VkPipelineBinaryKHR binaries[1] = {};
    VkRenderPass renderPasses[1] = {};

    // Ready to be used by a command.
    VkShaderModuleCreateInfo code = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    VkPipelineShaderStageCreateInfo stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};

 private:
    template <typename Handle, typename Destroy>
    void destroyAll(std::span<Handle> handles, const char* command);
};

struct StarvingCommand {
    const char* name;  // of one command, or of several with the same arguments
    Before before;
    // Calls the command by this name. For commands without a result: VK_SUCCESS.
    VkResult (*call)(Rig& rig, const char* name);
};

std::span<const StarvingCommand> starvingInstanceCommands();
std::span<const StarvingCommand> starvingShaderCommands();
std::span<const StarvingCommand> starvingRecordedCommands();
// All of them.
std::vector<StarvingCommand> starvingCommands();

}  // namespace coopvk::test
