// SPDX-License-Identifier: Apache-2.0
//
// The parts of Vulkan that this compute program needs: a device with cooperative vectors,
// host-visible buffers, compute pipelines with storage buffers.
#pragma once

#include <volk.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace coopvk::demo {

// Throws std::runtime_error with the call's text.
void check(VkResult result, const char* what);
#define DEMO_CHECK(call) ::coopvk::demo::check((call), #call)

class Gpu {
 public:
    // Throws if no device has VK_NV_cooperative_vector with training.
    Gpu();
    ~Gpu();
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    // Records commands, runs them, and waits.
    void run(const std::function<void(VkCommandBuffer)>& record);

    std::string name;
    bool emulated = false;  // vkGetPhysicalDeviceToolProperties names coopvk
    VkDevice device = VK_NULL_HANDLE;
    VkPhysicalDeviceMemoryProperties memory = {};

 private:
    void choose();

    VkInstance instance_ = VK_NULL_HANDLE;
    VkPhysicalDevice physical_ = VK_NULL_HANDLE;
    VkQueue queue_ = VK_NULL_HANDLE;
    uint32_t family_ = 0;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
};

// Zero at first.
class Buffer {
 public:
    Buffer(Gpu& gpu, size_t bytes);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    template <typename T>
    std::span<T> as() const {
        return {static_cast<T*>(map_), bytes_ / sizeof(T)};
    }
    std::byte* at(size_t offset) const { return as<std::byte>().data() + offset; }
    VkDeviceAddress address() const { return address_; }
    VkBuffer handle() const { return buffer_; }

 private:
    Gpu& gpu_;
    size_t bytes_;
    VkBuffer buffer_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    void* map_ = nullptr;
    VkDeviceAddress address_ = 0;
};

// A compute shader with its buffers: binding i is buffers[i]; null where there is none.
// constants[i] is specialization constant i.
class Kernel {
 public:
    Kernel(Gpu& gpu, std::span<const uint32_t> words, const std::vector<const Buffer*>& buffers,
           const std::vector<uint32_t>& constants);
    ~Kernel();
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    // Groups of 64 invocations. T: the push constants.
    template <typename T>
    void dispatch(VkCommandBuffer commands, uint32_t groups, const T& push) const {
        record(commands, groups, &push, sizeof(T));
    }

 private:
    void describe(const std::vector<const Buffer*>& buffers);
    void record(VkCommandBuffer commands, uint32_t groups, const void* push, uint32_t size) const;

    Gpu& gpu_;
    VkDescriptorSetLayout setLayout_ = VK_NULL_HANDLE;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
    VkDescriptorPool pool_ = VK_NULL_HANDLE;
    VkDescriptorSet set_ = VK_NULL_HANDLE;
};

// Makes the writes of the first stage visible to reads and writes of the second one.
void barrier(VkCommandBuffer commands, VkPipelineStageFlags2 from, VkPipelineStageFlags2 to);
inline constexpr VkPipelineStageFlags2 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
inline constexpr VkPipelineStageFlags2 kConversion =
    VK_PIPELINE_STAGE_2_CONVERT_COOPERATIVE_VECTOR_MATRIX_BIT_NV;

}  // namespace coopvk::demo
