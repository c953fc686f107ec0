// SPDX-License-Identifier: Apache-2.0
//
// Buffers between guard zones of random bytes, and commands on them.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "context.hpp"
#include "matrix.hpp"
#include "work.hpp"

namespace coopvk::test {

// One host-visible buffer that holds all buffers of a run, with guards between them.
class Memory {
 public:
    Memory(Context& context, const std::vector<Bytes>& contents);

    VkBuffer handle() const { return buffer_->handle; }
    VkDeviceSize offset(size_t index) const { return offsets_[index]; }
    VkDescriptorBufferInfo descriptor(size_t index, size_t size) const {
        return {handle(), offsets_[index], size};
    }
    VkDeviceAddress address(size_t index) const { return buffer_->address + offsets_[index]; }
    void write(size_t index, size_t offset, VkDeviceAddress value);
    // Returns the contents, and throws if anything else changed.
    std::vector<Bytes> read(const std::vector<Bytes>& contents) const;

 private:
    std::optional<vulkan::Buffer> buffer_;
    std::vector<VkDeviceSize> offsets_;
    Bytes before_;
};

// The same pool may have secondary command buffers, and several threads may submit.
class Commands : public vulkan::Commands {
 public:
    explicit Commands(Context& context);

    VkCommandBuffer secondary();  // begun, for use outside of render passes
    // Ends the primary, with a barrier that lets the host read what shaders and transfers wrote.
    void end();
    void submitAndWait();

 private:
    Context& context_;
};

// Records commands on some buffers, runs them, and returns the contents afterwards.
using Recorder = std::function<void(Commands& commands, const Memory& memory)>;
std::vector<Bytes> runCommands(const std::vector<Bytes>& buffers, const Recorder& record);

}  // namespace coopvk::test
