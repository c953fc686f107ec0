// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <algorithm>
#include <cstring>

#include "random.hpp"

namespace coopvk::test {
namespace {

constexpr VkDeviceSize kGuard = 256;  // also keeps every buffer aligned for any device

VkDeviceSize alignUp(VkDeviceSize value) { return (value + kGuard - 1) / kGuard * kGuard; }

VkBufferUsageFlags usage(const Context& context) {
    VkBufferUsageFlags flags = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                               VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                               VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                               VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
    if (context.enabled.v12.bufferDeviceAddress) flags |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    if (context.enabled.rayTracing.rayTracingPipeline)
        flags |= VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR;
    if (context.enabled.accelerationStructure.accelerationStructure)
        flags |= VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR |
                 VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR;
    if (context.enabled.conditionalRendering.conditionalRendering)
        flags |= VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT;
    return flags;
}

}  // namespace

Memory::Memory(Context& context, const std::vector<Bytes>& contents) : context_(context) {
    VkDeviceSize size = kGuard;
    for (const Bytes& bytes : contents) {
        offsets_.push_back(size);
        size += alignUp(bytes.size()) + kGuard;
    }
    allocate(size);
    const Bytes poison = Rng("guards").bytes(size);
    std::memcpy(map_, poison.data(), size);
    for (size_t i = 0; i < contents.size(); ++i)
        std::copy(contents[i].begin(), contents[i].end(), map_ + offsets_[i]);
    before_.assign(map_, map_ + size);
}

Memory::~Memory() {
    vkDestroyBuffer(context_.device, buffer_, nullptr);
    vkFreeMemory(context_.device, memory_, nullptr);
}

VkDeviceAddress Memory::address(size_t index) const {
    VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    info.buffer = buffer_;
    return vkGetBufferDeviceAddress(context_.device, &info) + offsets_[index];
}

void Memory::write(size_t index, size_t offset, VkDeviceAddress value) {
    std::memcpy(map_ + offsets_[index] + offset, &value, sizeof(value));
}

std::vector<Bytes> Memory::read(const std::vector<Bytes>& contents) const {
    Bytes after(map_, map_ + before_.size());
    std::vector<Bytes> result;
    for (size_t i = 0; i < contents.size(); ++i) {
        const auto begin = after.begin() + static_cast<std::ptrdiff_t>(offsets_[i]);
        result.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(contents[i].size()));
        std::copy(contents[i].begin(), contents[i].end(), begin);
    }
    const std::string wrong = difference(after, before_);
    if (!wrong.empty()) throw std::runtime_error("written outside of the buffers: " + wrong);
    return result;
}

void Memory::allocate(VkDeviceSize size) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = size;
    info.usage = usage(context_);
    COOPVK_CHECK(vkCreateBuffer(context_.device, &info, nullptr, &buffer_));
    VkMemoryRequirements needed;
    vkGetBufferMemoryRequirements(context_.device, buffer_, &needed);
    const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                          VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
    const VkMemoryAllocateInfo allocation{
        VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        context_.enabled.v12.bufferDeviceAddress ? &flags : nullptr, needed.size,
        context_.memoryType(needed.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                       VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)};
    COOPVK_CHECK(vkAllocateMemory(context_.device, &allocation, nullptr, &memory_));
    COOPVK_CHECK(vkBindBufferMemory(context_.device, buffer_, memory_, 0));
    void* map = nullptr;
    COOPVK_CHECK(vkMapMemory(context_.device, memory_, 0, VK_WHOLE_SIZE, 0, &map));
    map_ = static_cast<std::byte*>(map);
}

Commands::Commands(Context& context) : context_(context) {
    VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.queueFamilyIndex = context.queueFamily;
    COOPVK_CHECK(vkCreateCommandPool(context.device, &pool, nullptr, &pool_));
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    COOPVK_CHECK(vkCreateFence(context.device, &fence, nullptr, &fence_));
    primary = allocate(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
}

Commands::~Commands() {
    vkDestroyFence(context_.device, fence_, nullptr);
    vkDestroyCommandPool(context_.device, pool_, nullptr);
}

VkCommandBuffer Commands::allocate(VkCommandBufferLevel level) {
    VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = pool_;
    info.level = level;
    info.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    COOPVK_CHECK(vkAllocateCommandBuffers(context_.device, &info, &commands));
    return commands;
}

VkCommandBuffer Commands::secondary() {
    const VkCommandBuffer commands = allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    VkCommandBufferInheritanceInfo inherited{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    info.pInheritanceInfo = &inherited;
    COOPVK_CHECK(vkBeginCommandBuffer(commands, &info));
    return commands;
}

void Commands::begin() {
    VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    COOPVK_CHECK(vkBeginCommandBuffer(primary, &info));
}

void Commands::end() {
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(primary, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0,
                         1, &barrier, 0, nullptr, 0, nullptr);
    COOPVK_CHECK(vkEndCommandBuffer(primary));
}

void Commands::submitAndWait() {
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &primary;
    {
        std::lock_guard lock(context_.queueMutex);
        COOPVK_CHECK(vkQueueSubmit(context_.queue, 1, &info, fence_));
    }
    COOPVK_CHECK(vkWaitForFences(context_.device, 1, &fence_, VK_TRUE, UINT64_MAX));
}

std::vector<Bytes> runCommands(const std::vector<Bytes>& buffers, const Recorder& record) {
    Context& context = Context::get();
    const Memory memory(context, buffers);
    Commands commands(context);
    commands.begin();
    record(commands, memory);
    commands.end();
    commands.submitAndWait();
    return memory.read(buffers);
}

}  // namespace coopvk::test
