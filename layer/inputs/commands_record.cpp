// SPDX-License-Identifier: Apache-2.0
//
// What is bound in command buffers. Each command calls the driver first.
#include <cstring>

#include "chain/pnext.hpp"
#include "inputs/commands.hpp"
#include "inputs/inputs_of.hpp"

namespace coopvk::layer::inputs {
namespace {

void bindSets(Recording& commands, State& state, uint32_t first,
              std::span<const VkDescriptorSet> sets, std::span<const uint32_t> offsets) {
    commands.opaque.clear();
    for (const VkDescriptorSet set : sets) {
        BoundSet& bound = commands.sets[first++];
        bound = {};
        const auto found = state.objects.sets.find(set);
        bound.set =
            found != state.objects.sets.end() ? found->second : std::make_shared<DescriptorSet>();
        if (bound.set->layout == nullptr) continue;
        for (const auto& [binding, of] : *bound.set->layout) {
            if (!isDynamic(of.type)) continue;
            const size_t count = std::min<size_t>(of.count, offsets.size());
            bound.dynamicOffsets.insert(bound.dynamicOffsets.end(), offsets.begin(),
                                        offsets.begin() + static_cast<ptrdiff_t>(count));
            offsets = offsets.subspan(count);
        }
    }
}

// Earlier dispatches may have used what was pushed before, so that is not changed.
DescriptorSet& pushed(Recording& commands, uint32_t number) {
    commands.opaque.clear();
    BoundSet& bound = commands.sets[number];
    const bool goesOn = bound.set != nullptr && bound.set->layout == nullptr;
    bound.set =
        goesOn ? std::make_shared<DescriptorSet>(*bound.set) : std::make_shared<DescriptorSet>();
    bound.dynamicOffsets.clear();
    return *bound.set;
}

void pushWrites(VkCommandBuffer commands, VkPipelineBindPoint point, uint32_t number,
                std::span<const VkWriteDescriptorSet> writes) {
    if (point != VK_PIPELINE_BIND_POINT_COMPUTE) return;
    inputsOf(commands).trackCommands(commands, [&](Recording& state, State&) {
        DescriptorSet& set = pushed(state, number);
        for (const VkWriteDescriptorSet& write : writes) set.apply(write);
    });
}

void pushTemplate(VkCommandBuffer commands, VkDescriptorUpdateTemplate how, uint32_t number,
                  const void* data) {
    inputsOf(commands).trackCommands(commands, [&](Recording& state, State& all) {
        const auto entries = all.objects.templates.find(how);
        if (entries != all.objects.templates.end())
            applyTemplate(pushed(state, number), *entries->second, data);
    });
}

void push(VkCommandBuffer commands, uint32_t offset, const void* values, size_t size) {
    inputsOf(commands).trackCommands(commands, [&](Recording& state, State&) {
        auto& constants = state.pushConstants;
        constants.resize(std::max(constants.size(), offset + size));
        std::memcpy(constants.data() + offset, values, size);
    });
}

void setOpaque(VkCommandBuffer commands, const char* what) {
    inputsOf(commands).trackCommands(commands, [&](Recording& state, State&) {
        state.sets.clear();
        state.opaque = what;
    });
}

constexpr bool reaches(VkShaderStageFlags stages) {
    return (stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
}

}  // namespace

void cmdBindPipeline(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline) {
    DispatchInputs& inputs = inputsOf(commands);
    inputs.driver.next.CmdBindPipeline(commands, point, pipeline);
    if (point != VK_PIPELINE_BIND_POINT_COMPUTE) return;
    inputs.trackCommands(commands, [&](Recording& state, State& all) {
        const auto found = all.shaders.find(reinterpret_cast<uint64_t>(pipeline));
        state.shader = found != all.shaders.end() ? found->second : nullptr;
    });
}

void cmdBindShaders(VkCommandBuffer commands, uint32_t count, const VkShaderStageFlagBits* stages,
                    const VkShaderEXT* shaders) {
    DispatchInputs& inputs = inputsOf(commands);
    inputs.driver.next.CmdBindShadersEXT(commands, count, stages, shaders);
    inputs.trackCommands(commands, [&](Recording& state, State& all) {
        for (uint32_t i = 0; i < count; ++i) {
            if (stages[i] != VK_SHADER_STAGE_COMPUTE_BIT) continue;
            const auto shader = shaders != nullptr ? shaders[i] : VK_NULL_HANDLE;
            const auto found = all.shaders.find(reinterpret_cast<uint64_t>(shader));
            state.shader = found != all.shaders.end() ? found->second : nullptr;
        }
    });
}

void cmdBindDescriptorSets(VkCommandBuffer commands, VkPipelineBindPoint point,
                           VkPipelineLayout layout, uint32_t first, uint32_t count,
                           const VkDescriptorSet* sets, uint32_t offsetCount,
                           const uint32_t* offsets) {
    DispatchInputs& inputs = inputsOf(commands);
    inputs.driver.next.CmdBindDescriptorSets(commands, point, layout, first, count, sets,
                                             offsetCount, offsets);
    if (point != VK_PIPELINE_BIND_POINT_COMPUTE) return;
    inputs.trackCommands(commands, [&](Recording& state, State& all) {
        bindSets(state, all, first, std::span(sets, count), std::span(offsets, offsetCount));
    });
}

void cmdBindDescriptorSets2(VkCommandBuffer commands, const VkBindDescriptorSetsInfo* info) {
    DispatchInputs& inputs = inputsOf(commands);
    either(inputs, &Table::CmdBindDescriptorSets2, &Table::CmdBindDescriptorSets2KHR)(commands,
                                                                                      info);
    if (!reaches(info->stageFlags)) return;
    inputs.trackCommands(commands, [&](Recording& state, State& all) {
        bindSets(state, all, info->firstSet,
                 std::span(info->pDescriptorSets, info->descriptorSetCount),
                 std::span(info->pDynamicOffsets, info->dynamicOffsetCount));
    });
}

void cmdPushDescriptorSet(VkCommandBuffer commands, VkPipelineBindPoint point,
                          VkPipelineLayout layout, uint32_t set, uint32_t count,
                          const VkWriteDescriptorSet* writes) {
    either(inputsOf(commands), &Table::CmdPushDescriptorSet, &Table::CmdPushDescriptorSetKHR)(
        commands, point, layout, set, count, writes);
    pushWrites(commands, point, set, std::span(writes, count));
}

void cmdPushDescriptorSet2(VkCommandBuffer commands, const VkPushDescriptorSetInfo* info) {
    either(inputsOf(commands), &Table::CmdPushDescriptorSet2, &Table::CmdPushDescriptorSet2KHR)(
        commands, info);
    if (reaches(info->stageFlags))
        pushWrites(commands, VK_PIPELINE_BIND_POINT_COMPUTE, info->set,
                   std::span(info->pDescriptorWrites, info->descriptorWriteCount));
}

void cmdPushWithTemplate(VkCommandBuffer commands, VkDescriptorUpdateTemplate how,
                         VkPipelineLayout layout, uint32_t set, const void* data) {
    either(inputsOf(commands), &Table::CmdPushDescriptorSetWithTemplate,
           &Table::CmdPushDescriptorSetWithTemplateKHR)(commands, how, layout, set, data);
    pushTemplate(commands, how, set, data);
}

void cmdPushWithTemplate2(VkCommandBuffer commands,
                          const VkPushDescriptorSetWithTemplateInfo* info) {
    either(inputsOf(commands), &Table::CmdPushDescriptorSetWithTemplate2,
           &Table::CmdPushDescriptorSetWithTemplate2KHR)(commands, info);
    pushTemplate(commands, info->descriptorUpdateTemplate, info->set, info->pData);
}

void cmdBindDescriptorBuffers(VkCommandBuffer commands, uint32_t count,
                              const VkDescriptorBufferBindingInfoEXT* infos) {
    inputsOf(commands).driver.next.CmdBindDescriptorBuffersEXT(commands, count, infos);
    setOpaque(commands, "descriptor buffers");
}

void cmdPushConstants(VkCommandBuffer commands, VkPipelineLayout layout, VkShaderStageFlags stages,
                      uint32_t offset, uint32_t size, const void* values) {
    inputsOf(commands).driver.next.CmdPushConstants(commands, layout, stages, offset, size, values);
    if (reaches(stages)) push(commands, offset, values, size);
}

void cmdPushConstants2(VkCommandBuffer commands, const VkPushConstantsInfo* info) {
    either(inputsOf(commands), &Table::CmdPushConstants2, &Table::CmdPushConstants2KHR)(commands,
                                                                                        info);
    if (reaches(info->stageFlags)) push(commands, info->offset, info->pValues, info->size);
}

#ifdef VK_EXT_descriptor_heap
void cmdBindSamplerHeap(VkCommandBuffer commands, const VkBindHeapInfoEXT* info) {
    inputsOf(commands).driver.next.CmdBindSamplerHeapEXT(commands, info);
    setOpaque(commands, "descriptor heaps");
}

void cmdBindResourceHeap(VkCommandBuffer commands, const VkBindHeapInfoEXT* info) {
    inputsOf(commands).driver.next.CmdBindResourceHeapEXT(commands, info);
    setOpaque(commands, "descriptor heaps");
}

void cmdPushData(VkCommandBuffer commands, const VkPushDataInfoEXT* info) {
    inputsOf(commands).driver.next.CmdPushDataEXT(commands, info);
    push(commands, info->offset, info->data.address, info->data.size);
}
#endif

void cmdBeginConditional(VkCommandBuffer commands, const VkConditionalRenderingBeginInfoEXT* info) {
    DispatchInputs& inputs = inputsOf(commands);
    inputs.driver.next.CmdBeginConditionalRenderingEXT(commands, info);
    inputs.trackCommands(commands, [](Recording& state, State&) { state.conditional = true; });
}

#ifdef VK_KHR_device_address_commands
void cmdBeginConditional2(VkCommandBuffer commands,
                          const VkConditionalRenderingBeginInfo2EXT* info) {
    DispatchInputs& inputs = inputsOf(commands);
    inputs.driver.next.CmdBeginConditionalRendering2EXT(commands, info);
    inputs.trackCommands(commands, [](Recording& state, State&) { state.conditional = true; });
}
#endif

void cmdEndConditional(VkCommandBuffer commands) {
    DispatchInputs& inputs = inputsOf(commands);
    inputs.driver.next.CmdEndConditionalRenderingEXT(commands);
    inputs.trackCommands(commands, [](Recording& state, State&) { state.conditional = false; });
}

}  // namespace coopvk::layer::inputs
