// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <cstddef>
#include <optional>
#include <span>

namespace coopvk::layer::inputs {

// The device's commands below the layer, and its memory. Valid as long as the device.
struct Driver {
    VkDevice device = VK_NULL_HANDLE;
    VkuDeviceDispatchTable next = {};
    VkPhysicalDeviceMemoryProperties memory = {};
};

// A buffer in memory that the host reads.
class Staging {
 public:
    // Nothing if there is no such memory.
    static std::optional<Staging> make(const Driver& driver, VkDeviceSize size);
    Staging(Staging&& other) noexcept;
    Staging& operator=(Staging&&) = delete;
    ~Staging();

    VkBuffer buffer() const { return buffer_; }
    std::span<const std::byte> bytes() const { return {bytes_, static_cast<size_t>(size_)}; }
    // Before the first read of what the device wrote.
    void invalidate() const;

 private:
    explicit Staging(const Driver& driver) : driver_(&driver) {}
    bool create(VkDeviceSize size);

    const Driver* driver_;
    VkBuffer buffer_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    const std::byte* bytes_ = nullptr;
    VkDeviceSize size_ = 0;
};

}  // namespace coopvk::layer::inputs
