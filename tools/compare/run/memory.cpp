// SPDX-License-Identifier: Apache-2.0
#include "compare/run/memory.hpp"

#include <cstring>

#include "compare/numbers/random.hpp"

namespace coopvk::compare {
namespace {

constexpr size_t kAlignment = 256;  // no device asks for more
constexpr size_t kGuard = 256;

size_t alignUp(size_t value) { return (value + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

Memory::Memory(Gpu& gpu, const std::vector<Bytes>& contents) {
    size_t size = kGuard;
    for (const Bytes& bytes : contents) {
        offsets_.push_back(size);
        sizes_.push_back(bytes.size());
        size = alignUp(size + bytes.size()) + kGuard;
    }
    before_ = Rng(0, "guards").bytes(size);
    for (size_t i = 0; i < contents.size(); ++i)
        std::memcpy(before_.data() + offsets_[i], contents[i].data(), contents[i].size());

    VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    if (gpu.features12.bufferDeviceAddress) usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    buffer_.emplace(gpu.ref(), size, usage);
    std::memcpy(buffer_->map, before_.data(), before_.size());
}

Bytes Memory::read(size_t index) const {
    const std::byte* begin = buffer_->map + offsets_[index];
    return {begin, begin + sizes_[index]};
}

std::string Memory::strayWrite(size_t except) const {
    const Bytes after(buffer_->map, buffer_->map + before_.size());
    size_t at = 0;
    const auto differs = [&](size_t end) {
        for (; at < end; ++at)
            if (after[at] != before_[at]) return true;
        return false;
    };
    bool found = differs(offsets_[except]);
    if (!found) {
        at = offsets_[except] + sizes_[except];
        found = differs(after.size());
    }
    if (!found) return {};
    for (size_t i = 0; i < offsets_.size(); ++i) {
        if (at < offsets_[i])
            return std::to_string(offsets_[i] - at) + " bytes ahead of buffer " + std::to_string(i);
        if (at < offsets_[i] + sizes_[i])
            return "byte " + std::to_string(at - offsets_[i]) + " of buffer " + std::to_string(i);
    }
    return "behind the last buffer";
}

}  // namespace coopvk::compare
