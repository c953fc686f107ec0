// SPDX-License-Identifier: Apache-2.0
//
// Buffers between guards of random bytes, all of them in one piece of host-visible memory.
#pragma once

#include "compare/numbers/number.hpp"
#include "compare/run/gpu.hpp"

namespace coopvk::compare {

class Memory {
 public:
    Memory(Gpu& gpu, const std::vector<Bytes>& contents);

    VkDescriptorBufferInfo descriptor(size_t index) const {
        return {buffer_->handle, offsets_[index], sizes_[index]};
    }
    VkDeviceAddress address(size_t index) const { return buffer_->address + offsets_[index]; }
    Bytes read(size_t index) const;
    // The first byte outside of buffer `except` that has changed, as text; or empty.
    std::string strayWrite(size_t except) const;

 private:
    std::optional<vulkan::Buffer> buffer_;
    std::vector<size_t> offsets_, sizes_;
    Bytes before_;
};

}  // namespace coopvk::compare
