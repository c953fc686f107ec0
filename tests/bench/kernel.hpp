// SPDX-License-Identifier: Apache-2.0
//
// A compute pipeline with storage buffers (set 0, bindings 0, 1, ...), and its time on the device.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bindings.hpp"
#include "gpu.hpp"

namespace coopvk::bench {

using Words = std::span<const uint32_t>;

// In the device's own memory.
class Buffer : public vulkan::Buffer {
 public:
    Buffer(Gpu& gpu, VkDeviceSize size,
           VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);

    // Through a staging buffer.
    void write(std::span<const std::byte> bytes);
    void fill(uint32_t word);
    std::vector<std::byte> read();

    VkDeviceSize size = 0;

 private:
    Gpu& gpu_;
};

constexpr uint32_t kPushConstantBytes = 128;  // every device has these

// Specialization constant n gets constants[n]. Throws if the driver refuses the shader.
VkPipeline createPipeline(Gpu& gpu, const vulkan::Layout& layout, Words words,
                          std::span<const uint32_t> constants);

struct Dispatch {
    std::array<uint32_t, 3> groups = {1, 1, 1};
    std::vector<uint32_t> pushConstants;
};

class Kernel {
 public:
    Kernel(Gpu& gpu, Words words, std::span<const uint32_t> constants,
           std::span<Buffer* const> buffers);
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;
    ~Kernel();

    void run(const Dispatch& dispatch) { seconds(dispatch, 1); }
    // Mean time of one of `repetitions` dispatches in one submission, by the device's clock.
    double seconds(const Dispatch& dispatch, uint32_t repetitions);

 private:
    Gpu& gpu_;
    vulkan::Layout layout_;
    vulkan::Bindings bindings_;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
    VkQueryPool queries_ = VK_NULL_HANDLE;
};

}  // namespace coopvk::bench
