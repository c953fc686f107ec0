// SPDX-License-Identifier: Apache-2.0
#include "check/command/device_memory.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace coopvk::tool {
namespace {

using check::Buffer;
using check::Format;
using check::Place;

VkDescriptorType typeOf(const check::BufferUse& use) {
    return use.isUniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

bool mayBeAddress(const Format& format) {
    return format.kind == Format::Kind::kAddress ||
           (format.kind == Format::Kind::kInteger && format.bits == 64);
}

// Sets and bindings with their layouts, from the buffers that have descriptors.
using SetBindings = std::map<uint32_t, std::map<uint32_t, VkDescriptorSetLayoutBinding>>;
SetBindings bindingsOf(const check::Memory& memory) {
    SetBindings sets;
    for (const Buffer& buffer : memory.buffers) {
        const check::BufferUse& use = buffer.use;
        if (use.place != Place::kDescriptor) continue;
        auto& binding = sets[use.set][use.binding];
        binding = {use.binding, typeOf(use), std::max(binding.descriptorCount, buffer.element + 1),
                   VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    }
    return sets;
}

}  // namespace

DeviceMemory::DeviceMemory(const vulkan::DeviceRef& device, bool hasAddresses,
                           const check::Module& module, const check::Memory& memory)
    : device_(device.device),
      vk_(device.vk),
      hasAddresses_(hasAddresses),
      module_(module),
      memory_(memory),
      push_(memory.pushConstants) {
    push_.resize((push_.size() + 3) / 4 * 4);
    try {
        addBuffers(device);
        addAddresses();
        toDevice();
        addSets();
    } catch (...) {
        destroy();
        throw;
    }
}

DeviceMemory::~DeviceMemory() { destroy(); }

void DeviceMemory::destroy() noexcept {
    vk_.vkDestroyDescriptorPool(device_, pool_, nullptr);
    vk_.vkDestroyPipelineLayout(device_, layout_, nullptr);
    for (const VkDescriptorSetLayout layout : setLayouts_)
        vk_.vkDestroyDescriptorSetLayout(device_, layout, nullptr);
}

// One for each region of given memory, else for each buffer.
void DeviceMemory::addBuffers(const vulkan::DeviceRef& device) {
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
        (hasAddresses_ ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0);
    const auto add = [&](const std::vector<std::byte>& bytes) {
        const size_t size = std::max<size_t>(bytes.size(), 16);
        vulkan::Buffer& buffer = buffers_.emplace_back(device, size, usage);
        std::ranges::copy(bytes, buffer.map);
    };
    if (memory_.given != nullptr)
        for (const auto& region : memory_.given->regions) add(region);
    for (const Buffer& buffer : memory_.buffers) {
        if (!buffer.range) add(buffer.bytes);
        const vulkan::Buffer& of = buffer.range ? buffers_[buffer.range->region] : buffers_.back();
        parts_.push_back({&of, buffer.range ? buffer.range->offset : 0, buffer.bytes.size()});
    }
}

void DeviceMemory::addAddresses() {
    if (!hasAddresses_) return;
    if (memory_.given != nullptr)
        for (const auto& [address, range] : memory_.given->addresses)
            moved_.push_back({address, range.size, buffers_[range.region].address + range.offset});
    for (size_t b = 0; b < parts_.size(); ++b)
        if (memory_.buffers[b].address != 0)
            moved_.push_back({memory_.buffers[b].address, parts_[b].size,
                              parts_[b].buffer->address + parts_[b].offset});
}

std::optional<uint64_t> DeviceMemory::moved(uint64_t address, bool back) const {
    for (const Moved& each : moved_) {
        const uint64_t from = back ? each.onDevice : each.address;
        if (address - from < each.size)
            return address - from + (back ? each.address : each.onDevice);
    }
    return std::nullopt;
}

template <typename Visit>
void DeviceMemory::move(std::byte* bytes, uint64_t size, bool back, const Visit& visit) const {
    visit([&](uint64_t offset, const Format& format) {
        if (!mayBeAddress(format) || offset + format.bytes() > size) return;
        if (const auto address = moved(check::readBits(bytes + offset, format), back))
            check::writeBits(bytes + offset, format, *address);
    });
}

void DeviceMemory::toDevice() {
    if (!module_.usesAddresses()) return;
    // Parts may overlap: each place is moved once.
    std::set<const std::byte*> done;
    for (size_t b = 0; b < parts_.size(); ++b) {
        std::byte* bytes = parts_[b].buffer->map + parts_[b].offset;
        move(bytes, parts_[b].size, false, [&](const auto& use) {
            check::visitNumbers(module_, memory_.buffers[b],
                                [&](uint64_t offset, const Format& format) {
                                    if (mayBeAddress(format) && done.insert(bytes + offset).second)
                                        use(offset, format);
                                });
        });
    }
    move(push_.data(), push_.size(), false, [&](const auto& use) {
        module_.visit(memory_.interface.pushConstants, 0, push_.size(),
                      [&](const check::Module::Run& run) {
                          for (uint64_t i = 0; i < run.count; ++i)
                              use(run.offset + i * run.stride, run.format);
                      });
    });
}

std::vector<std::vector<std::byte>> DeviceMemory::contents() const {
    std::vector<std::vector<std::byte>> contents;
    for (size_t b = 0; b < parts_.size(); ++b) {
        const std::byte* begin = parts_[b].buffer->map + parts_[b].offset;
        auto& bytes = contents.emplace_back(begin, begin + parts_[b].size);
        if (!module_.usesAddresses()) continue;
        move(bytes.data(), bytes.size(), true,
             [&](const auto& use) { check::visitNumbers(module_, memory_.buffers[b], use); });
    }
    return contents;
}

// Sets that nothing uses have no bindings.
void DeviceMemory::addSets() {
    const SetBindings all = bindingsOf(memory_);
    std::map<VkDescriptorType, uint32_t> counts;
    for (uint32_t set = 0; !all.empty() && set <= all.rbegin()->first; ++set) {
        std::vector<VkDescriptorSetLayoutBinding> bindings;
        if (const auto found = all.find(set); found != all.end())
            for (const auto& [unused, binding] : found->second) {
                bindings.push_back(binding);
                counts[binding.descriptorType] += binding.descriptorCount;
            }
        VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        info.bindingCount = static_cast<uint32_t>(bindings.size());
        info.pBindings = bindings.data();
        COOPVK_CHECK(vk_.vkCreateDescriptorSetLayout(device_, &info, nullptr,
                                                     &setLayouts_.emplace_back(VK_NULL_HANDLE)));
    }
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                    static_cast<uint32_t>(push_.size())};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = static_cast<uint32_t>(setLayouts_.size());
    info.pSetLayouts = setLayouts_.data();
    info.pushConstantRangeCount = push_.empty() ? 0 : 1;
    info.pPushConstantRanges = &range;
    COOPVK_CHECK(vk_.vkCreatePipelineLayout(device_, &info, nullptr, &layout_));
    if (setLayouts_.empty()) return;
    std::vector<VkDescriptorPoolSize> sizes;
    for (const auto& [type, count] : counts) sizes.push_back({type, count});
    VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool.maxSets = static_cast<uint32_t>(setLayouts_.size());
    pool.poolSizeCount = static_cast<uint32_t>(sizes.size());
    pool.pPoolSizes = sizes.data();
    COOPVK_CHECK(vk_.vkCreateDescriptorPool(device_, &pool, nullptr, &pool_));
    VkDescriptorSetAllocateInfo allocation{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocation.descriptorPool = pool_;
    allocation.descriptorSetCount = pool.maxSets;
    allocation.pSetLayouts = setLayouts_.data();
    sets_.resize(pool.maxSets);
    COOPVK_CHECK(vk_.vkAllocateDescriptorSets(device_, &allocation, sets_.data()));
    writeDescriptors(sets_);
}

void DeviceMemory::writeDescriptors(const std::vector<VkDescriptorSet>& sets) {
    for (size_t b = 0; b < parts_.size(); ++b) {
        const Buffer& buffer = memory_.buffers[b];
        if (buffer.use.place != Place::kDescriptor) continue;
        const VkDescriptorBufferInfo info{parts_[b].buffer->handle, parts_[b].offset,
                                          std::max<uint64_t>(parts_[b].size, 4)};
        VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstSet = sets[buffer.use.set];
        write.dstBinding = buffer.use.binding;
        write.dstArrayElement = buffer.element;
        write.descriptorCount = 1;
        write.descriptorType = typeOf(buffer.use);
        write.pBufferInfo = &info;
        vk_.vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
    }
}

void DeviceMemory::bind(VkCommandBuffer commands) const {
    if (sets_.empty()) return;
    vk_.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0,
                                static_cast<uint32_t>(sets_.size()), sets_.data(), 0, nullptr);
}

}  // namespace coopvk::tool
