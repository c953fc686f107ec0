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
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    VkDescriptorBufferInfo descriptor(size_t index) const {
        return {buffer_, offsets_[index], sizes_[index]};
    }
    VkDeviceAddress address(size_t index) const { return address_ + offsets_[index]; }
    Bytes read(size_t index) const;
    // The first byte outside of buffer `except` that has changed, as text; or empty.
    std::string strayWrite(size_t except) const;

 private:
    Gpu& gpu_;
    VkBuffer buffer_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    VkDeviceAddress address_ = 0;
    std::byte* map_ = nullptr;
    std::vector<size_t> offsets_, sizes_;
    Bytes before_;
};

}  // namespace coopvk::compare
