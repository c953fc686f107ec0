// SPDX-License-Identifier: Apache-2.0
//
// A driver, or next layer, that records its calls, so that the layer's commands can be tested on
// devices of every kind without a real one. One at a time; not for several threads.
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/features.hpp"
#include "fakes/fake_objects.hpp"

namespace coopvk::test {

using Words = std::vector<uint32_t>;

// A shader stage, or shader object, as the driver got it.
struct SeenStage {
    Words words;
    VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    VkFlags flags = 0;
    bool specialized = false;
    Words constants;  // the specialization's data, if it is whole words
    uint32_t requiredSubgroupSize = 0;
    std::vector<VkStructureType> chain;
};

struct SeenPipeline {
    std::vector<SeenStage> stages;
    VkPipeline base = VK_NULL_HANDLE;
    int32_t baseIndex = -1;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkPipelineCreateFlags2 flags = 0;
};

// A command in a command buffer, with those of its arguments that tests check: see
// fake_recording.cpp.
struct SeenCommand {
    std::string_view name;
    std::vector<uint64_t> values;
    bool operator==(const SeenCommand&) const = default;
};
void PrintTo(const SeenCommand& command, std::ostream* out);

// Pipeline layouts: how many set layouts and ranges each has.
using SeenLayouts = std::vector<std::pair<uint32_t, uint32_t>>;

// The arguments of vkCreateDevice.
struct SeenDevice {
    std::vector<std::string> extensions;
    std::map<VkStructureType, std::vector<VkBool32>> features;  // by structure, all members
    bool hasCoreFeatures = false;                               // pEnabledFeatures
    VkPhysicalDeviceFeatures coreFeatures = {};
    std::vector<VkStructureType> chain;
};

class FakeDriver {
 public:
    FakeDriver();
    ~FakeDriver();
    FakeDriver(const FakeDriver&) = delete;
    FakeDriver& operator=(const FakeDriver&) = delete;

    // The properties of the device; set these before it is queried.
    uint32_t apiVersion = VK_API_VERSION_1_3;
    std::vector<std::string> extensions;
    layer::FeatureSet features;  // all but those that change what tests would have to expect
    // More structures' members, from the first on.
    std::map<VkStructureType, std::vector<VkBool32>> moreFeatures;
    // The words of property structures, behind their headers.
    std::map<VkStructureType, std::vector<uint32_t>> moreProperties;
    uint32_t vendorId = 0x1234, deviceId = 0x5678;
    VkDriverId driverId = {};
    uint32_t subgroupSize = 32, minSubgroupSize = 32, maxSubgroupSize = 32;
    VkShaderStageFlags subgroupStages = VK_SHADER_STAGE_ALL;
    VkPhysicalDeviceType deviceType = VK_PHYSICAL_DEVICE_TYPE_OTHER;
    VkPhysicalDeviceLimits limits = {};
    uint32_t tools = 0;                    // how many it lists itself
    VkResult listing = VK_SUCCESS;         // of vkEnumerateDeviceExtensionProperties
    VkResult pipelineResult = VK_SUCCESS;  // of every pipeline that has a stage
    VkResult shaderResult = VK_SUCCESS;    // of every shader object
    VkResult waitResult = VK_SUCCESS;      // of submissions and waits

    VkResult deferredResult = VK_OPERATION_DEFERRED_KHR;  // of pipelines with an operation
    uint32_t int4Shapes = 0;  // how many it lists itself; with none, it has not the query
    // Its own; if there are none, it lacks the query.
    std::vector<VkCooperativeMatrixPropertiesKHR> matrixShapes;
    bool answersFromTheTop = false;      // once there is an instance, queries are the first layer's
    std::set<uint32_t> fullMemoryTypes;  // from which there is no memory
    uint64_t addressBase = 0;            // what addresses of buffers are more than the host's
    bool recordsAll = false;             // has every command that the layer has an interest in

    // By command: what another thread, or a callback, does during the next call. For commands that
    // destroy something, this happens when the handle is free again.
    std::map<std::string_view, std::function<void()>> during;
    uint64_t reuse = 0;  // the next object's handle, where it is not 0

    std::vector<const char*> instanceExtensions;  // that instances are made with

    // Creates it through the layer, as the loader does.
    VkInstance makeInstance(uint32_t version = VK_API_VERSION_1_3, const void* next = nullptr,
                            const VkAllocationCallbacks* allocator = nullptr);
    void destroyInstance(const VkAllocationCallbacks* allocator = nullptr);
    VkPhysicalDevice physical();
    VkResult makeDevice(const VkDeviceCreateInfo& info, VkDevice* device,
                        const VkAllocationCallbacks* allocator = nullptr);
    // A device with VK_KHR_cooperative_matrix.
    VkDevice makeMatrixDevice();
    void destroyDevice(VkDevice device, const VkAllocationCallbacks* allocator = nullptr);

    // The layer's commands.
    PFN_vkVoidFunction instanceCommand(const char* name);
    PFN_vkVoidFunction deviceCommand(VkDevice device, const char* name);

    // The recorded calls.
    SeenDevice device;
    std::map<uint64_t, Words> modules;  // that exist
    std::vector<Words> createdModules;  // ever
    std::vector<SeenPipeline> pipelines;
    std::vector<SeenStage> shaders;
    std::set<const VkAllocationCallbacks*> allocators;
    uint32_t createdInstances = 0, destroyedInstances = 0;
    uint32_t createdDevices = 0, destroyedDevices = 0;
    uint32_t dispatches = 0;
    uint32_t recorded = 0;  // commands in command buffers, but those with a count of their own
    std::vector<SeenCommand> seenCommands;  // some of those, and others
    SeenLayouts pipelineLayouts;
    FakeObjects objects;
    struct Buffer {
        uint64_t size, address;  // the address where its memory is
    };
    std::map<uint64_t, Buffer> buffers;                 // that exist
    std::map<uint64_t, std::vector<std::byte>> memory;  // that exists
    std::vector<uint32_t> memoryFlags;                  // of vkAllocateMemory: of the chain
    std::vector<uint32_t> memoryTypes;                  // of vkAllocateMemory: see fake_memory.cpp
    std::set<VkCommandBuffer> commandBuffers;           // that exist

 private:
    VkInstance instance_ = VK_NULL_HANDLE;
};

// Casts to the command's type.
#define COOPVK_INSTANCE_COMMAND(driver, name) \
    reinterpret_cast<PFN_##name>((driver).instanceCommand(#name))
#define COOPVK_DEVICE_COMMAND(driver, device, name) \
    reinterpret_cast<PFN_##name>((driver).deviceCommand(device, #name))

}  // namespace coopvk::test
