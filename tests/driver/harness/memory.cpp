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

Memory::Memory(Context& context, const std::vector<Bytes>& contents) {
    VkDeviceSize size = kGuard;
    for (const Bytes& bytes : contents) {
        offsets_.push_back(size);
        size += alignUp(bytes.size()) + kGuard;
    }
    before_ = Rng("guards").bytes(size);
    for (size_t i = 0; i < contents.size(); ++i)
        std::ranges::copy(contents[i], before_.begin() + static_cast<std::ptrdiff_t>(offsets_[i]));
    buffer_.emplace(context.ref(), size, usage(context));
    std::memcpy(buffer_->map, before_.data(), size);
}

void Memory::write(size_t index, size_t offset, VkDeviceAddress value) {
    std::memcpy(buffer_->map + offsets_[index] + offset, &value, sizeof(value));
}

std::vector<Bytes> Memory::read(const std::vector<Bytes>& contents) const {
    Bytes after(buffer_->map, buffer_->map + before_.size());
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

Commands::Commands(Context& context)
    : vulkan::Commands(context.device, context.vk, context.queue, context.queueFamily),
      context_(context) {}

VkCommandBuffer Commands::secondary() {
    const VkCommandBuffer commands = allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    VkCommandBufferInheritanceInfo inherited{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    info.pInheritanceInfo = &inherited;
    COOPVK_CHECK(vkBeginCommandBuffer(commands, &info));
    return commands;
}

void Commands::end() {
    vulkan::Commands::end(VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
}

void Commands::submitAndWait() {
    {
        std::lock_guard lock(context_.queueMutex);
        submit();
    }
    wait();
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
