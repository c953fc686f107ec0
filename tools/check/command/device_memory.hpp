// SPDX-License-Identifier: Apache-2.0
//
// The memory of a check on a Vulkan device: its buffers, descriptors and push constants. Addresses
// in it become the device's, and in what is read back those of the check again.
#pragma once

#include <deque>
#include <set>

#include "check.hpp"
#include "work.hpp"

namespace coopvk::tool {

class DeviceMemory {
 public:
    // Throws std::runtime_error.
    DeviceMemory(const vulkan::DeviceRef& device, bool hasAddresses, const check::Module& module,
                 const check::Memory& memory);
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;
    ~DeviceMemory();

    VkPipelineLayout layout() const { return layout_; }
    const std::vector<std::byte>& pushConstants() const { return push_; }
    void bind(VkCommandBuffer commands) const;
    // Of the memory's buffers, after the execution.
    std::vector<std::vector<std::byte>> contents() const;

 private:
    // A part of the check's memory at addresses, and where it is on the device.
    struct Moved {
        uint64_t address = 0, size = 0, onDevice = 0;
    };
    struct Part {
        const vulkan::Buffer* buffer = nullptr;
        uint64_t offset = 0, size = 0;
    };

    void addBuffers(const vulkan::DeviceRef& device);
    void addAddresses();
    void toDevice();
    void addSets();
    void writeDescriptors(const std::vector<VkDescriptorSet>& sets);
    void destroy() noexcept;
    // Replaces the addresses in bytes that begin at an offset of a type.
    template <typename Visit>
    void move(std::byte* bytes, uint64_t size, bool back, const Visit& visit) const;
    std::optional<uint64_t> moved(uint64_t address, bool back) const;

    VkDevice device_;
    const VolkDeviceTable& vk_;
    bool hasAddresses_;
    const check::Module& module_;
    const check::Memory& memory_;
    std::deque<vulkan::Buffer> buffers_;
    std::vector<Part> parts_;  // by the memory's buffers
    std::vector<Moved> moved_;
    std::vector<std::byte> push_;
    std::vector<VkDescriptorSetLayout> setLayouts_;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkDescriptorPool pool_ = VK_NULL_HANDLE;
    std::vector<VkDescriptorSet> sets_;
};

}  // namespace coopvk::tool
