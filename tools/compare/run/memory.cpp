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

Memory::Memory(Gpu& gpu, const std::vector<Bytes>& contents) : gpu_(gpu) {
    size_t size = kGuard;
    for (const Bytes& bytes : contents) {
        offsets_.push_back(size);
        sizes_.push_back(bytes.size());
        size = alignUp(size + bytes.size()) + kGuard;
    }
    before_ = Rng(0, "guards").bytes(size);
    for (size_t i = 0; i < contents.size(); ++i)
        std::memcpy(before_.data() + offsets_[i], contents[i].data(), contents[i].size());

    const bool addresses = gpu.features.v12.bufferDeviceAddress;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = size;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    if (addresses) info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    COOPVK_CHECK(gpu.vk.vkCreateBuffer(gpu.device, &info, nullptr, &buffer_));
    VkMemoryRequirements needed;
    gpu.vk.vkGetBufferMemoryRequirements(gpu.device, buffer_, &needed);
    const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                          VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
    const VkMemoryAllocateInfo allocation{
        VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, addresses ? &flags : nullptr, needed.size,
        gpu.memoryType(needed.memoryTypeBits,
                       VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)};
    COOPVK_CHECK(gpu.vk.vkAllocateMemory(gpu.device, &allocation, nullptr, &memory_));
    COOPVK_CHECK(gpu.vk.vkBindBufferMemory(gpu.device, buffer_, memory_, 0));
    void* map = nullptr;
    COOPVK_CHECK(gpu.vk.vkMapMemory(gpu.device, memory_, 0, VK_WHOLE_SIZE, 0, &map));
    map_ = static_cast<std::byte*>(map);
    std::memcpy(map_, before_.data(), before_.size());
    if (!addresses) return;
    VkBufferDeviceAddressInfo where{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    where.buffer = buffer_;
    address_ = gpu.vk.vkGetBufferDeviceAddress(gpu.device, &where);
}

Memory::~Memory() {
    gpu_.vk.vkDestroyBuffer(gpu_.device, buffer_, nullptr);
    gpu_.vk.vkFreeMemory(gpu_.device, memory_, nullptr);
}

Bytes Memory::read(size_t index) const {
    const std::byte* begin = map_ + offsets_[index];
    return {begin, begin + sizes_[index]};
}

std::string Memory::strayWrite(size_t except) const {
    const Bytes after(map_, map_ + before_.size());
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
