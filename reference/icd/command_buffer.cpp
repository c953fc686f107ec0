// SPDX-License-Identifier: Apache-2.0
//
// Command buffers, and the commands that bind what dispatches use.
#include "command_buffer.hpp"

namespace coopvk::reference::icd {

struct CommandPool : ObjectOf<VkCommandPool> {
    CommandPool(Device& on, const VkCommandPoolCreateInfo&) : device(on) {}
    Device& device;
    Children<CommandBuffer> buffers;
};

namespace {

constexpr VkShaderStageFlags kCompute = VK_SHADER_STAGE_COMPUTE_BIT;

template <typename T>
void bindProgram(Execution& execution, const T* object, VkObjectType type) {
    execution.program = object == nullptr ? nullptr : object->program;
    execution.programObject = object;
    execution.programType = type;
}

uint32_t dynamicCount(const DescriptorSet& set) {
    uint32_t count = 0;
    for (const auto& [unused, binding] : *set.bindings)
        count += binding.isDynamic() ? binding.count : 0;
    return count;
}

void bindSets(CommandBuffer& commands, uint32_t first, std::span<const VkDescriptorSet> sets,
              std::span<const uint32_t> offsets) {
    if (first + sets.size() > kMaxSets)
        return commands.refuse("sets behind the last one are bound");
    for (const VkDescriptorSet each : sets) {
        const DescriptorSet* set = objectOf(each);
        BoundSet bound{set, {}, nullptr, {}};
        if (set != nullptr) {
            const size_t count = std::min<size_t>(dynamicCount(*set), offsets.size());
            bound.offsets.assign(offsets.begin(), offsets.begin() + count);
            bound.life = set->life;
            offsets = offsets.subspan(count);
        }
        record(commands, [first, bound](Execution& execution) { execution.sets[first] = bound; });
        ++first;
    }
}

// The set as the pushes so far left it, changed by `update`.
template <typename Update>
void push(CommandBuffer& commands, PipelineLayout* layout, uint32_t number, const Update& update) {
    const std::vector<SharedBindings>& sets = layout->sets;
    if (number >= std::min<size_t>(sets.size(), kMaxSets) || sets[number] == nullptr)
        return commands.refuse("descriptors are pushed to a set that the layout has not");
    std::shared_ptr<const DescriptorSet>& last = commands.pushed[number];
    auto set = std::make_shared<DescriptorSet>(sets[number]);
    if (last != nullptr && last->bindings == set->bindings) set->descriptors = last->descriptors;
    update(*set);
    last = set;
    record(commands, [set, number](Execution& execution) {
        execution.sets[number] = {set.get(), {}, set, set->life};
    });
}

}  // namespace

// Nothing leaves the queue's thread: what the host has no memory for loses the device.
void CommandBuffer::execute() const {
    try {
        Execution execution{device};
        for (const auto& command : commands) command(execution);
    } catch (...) {
        device.lose();
    }
}

COOPVK_OBJECT(CommandPool)

VkResult ResetCommandPool(Device&, CommandPool* pool, VkCommandPoolResetFlags) {
    for (auto& [unused, buffer] : pool->buffers.all) buffer->reset();
    return VK_SUCCESS;
}

VkResult AllocateCommandBuffers(Device&, const VkCommandBufferAllocateInfo* info,
                                VkCommandBuffer* out) {
    CommandPool& pool = *objectOf(info->commandPool);
    return pool.buffers.add(info->commandBufferCount, out,
                            [&](uint32_t) { return std::make_unique<CommandBuffer>(pool.device); });
}

void FreeCommandBuffers(Device&, CommandPool* pool, uint32_t count,
                        const VkCommandBuffer* buffers) {
    pool->buffers.remove(count, buffers);
}

VkResult ResetCommandBuffer(CommandBuffer& commands, VkCommandBufferResetFlags) {
    commands.reset();
    return VK_SUCCESS;
}

VkResult BeginCommandBuffer(CommandBuffer& commands, const VkCommandBufferBeginInfo*) {
    return ResetCommandBuffer(commands, 0);
}

VkResult EndCommandBuffer(CommandBuffer& commands) { return commands.result; }

// Secondary command buffers inherit no state, and leave none.
void CmdExecuteCommands(CommandBuffer& commands, uint32_t count, const VkCommandBuffer* buffers) {
    for (const VkCommandBuffer each : std::span(buffers, count))
        record(commands, [each](Execution&) { objectOf(each)->execute(); }, objectOf(each));
}

void execution::CmdBindPipeline(Execution& execution, VkPipelineBindPoint point,
                                Pipeline* pipeline) {
    if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
        bindProgram(execution, pipeline, VK_OBJECT_TYPE_PIPELINE);
}

void CmdBindShadersEXT(CommandBuffer& commands, uint32_t count, const VkShaderStageFlagBits* stages,
                       const VkShaderEXT* shaders) {
    for (uint32_t i = 0; i < count; ++i) {
        if (stages[i] != VK_SHADER_STAGE_COMPUTE_BIT) continue;
        const ShaderEXT* bound = shaders == nullptr ? nullptr : objectOf(shaders[i]);
        const auto bind = [bound](Execution& execution) {
            bindProgram(execution, bound, VK_OBJECT_TYPE_SHADER_EXT);
        };
        record(commands, bind, bound);
    }
}

void CmdBindDescriptorSets(CommandBuffer& commands, VkPipelineBindPoint point, PipelineLayout*,
                           uint32_t first, uint32_t count, const VkDescriptorSet* sets,
                           uint32_t offsetCount, const uint32_t* offsets) {
    if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
        bindSets(commands, first, {sets, count}, {offsets, offsetCount});
}

void CmdBindDescriptorSets2(CommandBuffer& commands, const VkBindDescriptorSetsInfo* info) {
    if (info->stageFlags & kCompute)
        bindSets(commands, info->firstSet, {info->pDescriptorSets, info->descriptorSetCount},
                 {info->pDynamicOffsets, info->dynamicOffsetCount});
}

void CmdPushDescriptorSet(CommandBuffer& commands, VkPipelineBindPoint point,
                          PipelineLayout* layout, uint32_t set, uint32_t count,
                          const VkWriteDescriptorSet* writes) {
    if (point != VK_PIPELINE_BIND_POINT_COMPUTE) return;
    push(commands, layout, set, [&](DescriptorSet& to) {
        for (const VkWriteDescriptorSet& write : std::span(writes, count)) to.write(write);
    });
}

void CmdPushDescriptorSet2(CommandBuffer& commands, const VkPushDescriptorSetInfo* info) {
    if (info->stageFlags & kCompute)
        CmdPushDescriptorSet(commands, VK_PIPELINE_BIND_POINT_COMPUTE, objectOf(info->layout),
                             info->set, info->descriptorWriteCount, info->pDescriptorWrites);
}

void CmdPushDescriptorSetWithTemplate(CommandBuffer& commands, DescriptorUpdateTemplate* update,
                                      PipelineLayout* layout, uint32_t set, const void* data) {
    push(commands, layout, set, [&](DescriptorSet& to) { update->update(to, data); });
}

void CmdPushDescriptorSetWithTemplate2(CommandBuffer& commands,
                                       const VkPushDescriptorSetWithTemplateInfo* info) {
    CmdPushDescriptorSetWithTemplate(commands, objectOf(info->descriptorUpdateTemplate),
                                     objectOf(info->layout), info->set, info->pData);
}

void CmdPushConstants(CommandBuffer& commands, PipelineLayout*, VkShaderStageFlags stages,
                      uint32_t offset, uint32_t size, const void* values) {
    if ((stages & kCompute) == 0) return;
    if (offset + uint64_t{size} > kMaxPushConstantBytes)
        return commands.refuse("push constants are behind the last byte");
    const auto* begin = static_cast<const std::byte*>(values);
    record(commands, [offset, bytes = std::vector(begin, begin + size)](Execution& execution) {
        std::copy(bytes.begin(), bytes.end(), execution.pushConstants.begin() + offset);
    });
}

void CmdPushConstants2(CommandBuffer& commands, const VkPushConstantsInfo* info) {
    CmdPushConstants(commands, objectOf(info->layout), info->stageFlags, info->offset, info->size,
                     info->pValues);
}

}  // namespace coopvk::reference::icd
