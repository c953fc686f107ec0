// SPDX-License-Identifier: Apache-2.0
//
// Buffers between guard zones of random bytes, and commands on them.
#pragma once

#include <functional>
#include <span>

#include "context.hpp"
#include "matrix.hpp"

namespace coopvk::test {

// One host-visible buffer that holds all buffers of a run, with guards between them.
class Memory {
 public:
    Memory(Context& context, const std::vector<Bytes>& contents);
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    VkBuffer handle() const { return buffer_; }
    VkDeviceSize offset(size_t index) const { return offsets_[index]; }
    VkDescriptorBufferInfo descriptor(size_t index, size_t size) const {
        return {buffer_, offsets_[index], size};
    }
    VkDeviceAddress address(size_t index) const;
    void write(size_t index, size_t offset, VkDeviceAddress value);
    // Returns the contents, and throws if anything else changed.
    std::vector<Bytes> read(const std::vector<Bytes>& contents) const;

 private:
    void allocate(VkDeviceSize size);

    Context& context_;
    VkBuffer buffer_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    std::byte* map_ = nullptr;
    std::vector<VkDeviceSize> offsets_;
    Bytes before_;
};

// A pool with one primary command buffer, and as many secondary ones as are asked for.
class Commands {
 public:
    explicit Commands(Context& context);
    ~Commands();
    Commands(const Commands&) = delete;
    Commands& operator=(const Commands&) = delete;

    VkCommandBuffer primary = VK_NULL_HANDLE;
    VkCommandBuffer secondary();  // begun, for use outside of render passes
    void begin();
    // Ends the primary, with a barrier that lets the host read what shaders and transfers wrote.
    void end();
    void submitAndWait();

 private:
    VkCommandBuffer allocate(VkCommandBufferLevel level);

    Context& context_;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkFence fence_ = VK_NULL_HANDLE;
};

// Records commands on some buffers, runs them, and returns the contents afterwards.
using Recorder = std::function<void(Commands& commands, const Memory& memory)>;
std::vector<Bytes> runCommands(const std::vector<Bytes>& buffers, const Recorder& record);

}  // namespace coopvk::test
