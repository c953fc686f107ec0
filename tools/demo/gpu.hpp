// SPDX-License-Identifier: Apache-2.0
//
// The parts of Vulkan that this compute program needs: a device with cooperative vectors,
// host-visible buffers, compute pipelines with storage buffers.
#pragma once

#include <volk.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "gpu_setup.hpp"
#include "work.hpp"

namespace coopvk::demo {

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
    VolkDeviceTable vk = {};

    vulkan::DeviceRef ref() const {
        return {physical_, vkGetPhysicalDeviceMemoryProperties, device, vk};
    }

 private:
    void choose();

    VkInstance instance_ = VK_NULL_HANDLE;
    VkPhysicalDevice physical_ = VK_NULL_HANDLE;
    std::optional<vulkan::Commands> commands_;
};

// Zero at first.
class Buffer {
 public:
    Buffer(Gpu& gpu, size_t bytes);

    template <typename T>
    std::span<T> as() const {
        return {reinterpret_cast<T*>(buffer_.map), bytes_ / sizeof(T)};
    }
    std::byte* at(size_t offset) const { return buffer_.map + offset; }
    VkDeviceAddress address() const { return buffer_.address; }
    VkBuffer handle() const { return buffer_.handle; }

 private:
    size_t bytes_;
    vulkan::Buffer buffer_;
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
    void record(VkCommandBuffer commands, uint32_t groups, const void* push, uint32_t size) const;

    Gpu& gpu_;
    vulkan::Layout layout_;
    vulkan::Bindings bindings_;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
};

// Makes the writes of the first stage visible to reads and writes of the second one.
void barrier(VkCommandBuffer commands, VkPipelineStageFlags2 from, VkPipelineStageFlags2 to);
inline constexpr VkPipelineStageFlags2 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
inline constexpr VkPipelineStageFlags2 kConversion =
    VK_PIPELINE_STAGE_2_CONVERT_COOPERATIVE_VECTOR_MATRIX_BIT_NV;

}  // namespace coopvk::demo
