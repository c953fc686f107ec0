// SPDX-License-Identifier: Apache-2.0
//
// Descriptor sets, their layouts and templates. Each command calls the driver first; those that end
// an object's life call it last, since its handle may come back at once.
#include "inputs/commands.hpp"
#include "inputs/inputs_of.hpp"

namespace coopvk::layer::inputs {

VkResult createDescriptorSetLayout(VkDevice device, const VkDescriptorSetLayoutCreateInfo* info,
                                   const VkAllocationCallbacks* allocator,
                                   VkDescriptorSetLayout* layout) {
    DispatchInputs& inputs = inputsOf(device);
    const VkResult result =
        inputs.driver.next.CreateDescriptorSetLayout(device, info, allocator, layout);
    if (result != VK_SUCCESS) return result;
    inputs.track([&](State& state) {
        auto bindings = std::make_shared<SetLayout>();
        for (const auto& binding : std::span(info->pBindings, info->bindingCount))
            (*bindings)[binding.binding] = {binding.descriptorType, binding.descriptorCount};
        state.objects.layouts[*layout] = std::move(bindings);
    });
    return result;
}

void destroyDescriptorSetLayout(VkDevice device, VkDescriptorSetLayout layout,
                                const VkAllocationCallbacks* allocator) {
    DispatchInputs& inputs = inputsOf(device);
    inputs.track([&](State& state) { state.objects.layouts.erase(layout); });
    inputs.driver.next.DestroyDescriptorSetLayout(device, layout, allocator);
}

VkResult allocateDescriptorSets(VkDevice device, const VkDescriptorSetAllocateInfo* info,
                                VkDescriptorSet* sets) {
    DispatchInputs& inputs = inputsOf(device);
    const VkResult result = inputs.driver.next.AllocateDescriptorSets(device, info, sets);
    if (result != VK_SUCCESS) return result;
    inputs.track([&](State& state) {
        for (uint32_t i = 0; i < info->descriptorSetCount; ++i) {
            const auto layout = state.objects.layouts.find(info->pSetLayouts[i]);
            auto set = std::make_shared<DescriptorSet>();
            if (layout != state.objects.layouts.end()) set->layout = layout->second;
            set->pool = info->descriptorPool;
            state.objects.sets[sets[i]] = std::move(set);
        }
    });
    return result;
}

VkResult freeDescriptorSets(VkDevice device, VkDescriptorPool pool, uint32_t count,
                            const VkDescriptorSet* sets) {
    DispatchInputs& inputs = inputsOf(device);
    inputs.track([&](State& state) {
        for (VkDescriptorSet set : std::span(sets, count)) state.objects.sets.erase(set);
    });
    return inputs.driver.next.FreeDescriptorSets(device, pool, count, sets);
}

VkResult resetDescriptorPool(VkDevice device, VkDescriptorPool pool,
                             VkDescriptorPoolResetFlags flags) {
    DispatchInputs& inputs = inputsOf(device);
    inputs.track([&](State& state) { state.objects.dropPool(pool); });
    return inputs.driver.next.ResetDescriptorPool(device, pool, flags);
}

void destroyDescriptorPool(VkDevice device, VkDescriptorPool pool,
                           const VkAllocationCallbacks* allocator) {
    DispatchInputs& inputs = inputsOf(device);
    inputs.track([&](State& state) { state.objects.dropPool(pool); });
    inputs.driver.next.DestroyDescriptorPool(device, pool, allocator);
}

void updateDescriptorSets(VkDevice device, uint32_t writeCount, const VkWriteDescriptorSet* writes,
                          uint32_t copyCount, const VkCopyDescriptorSet* copies) {
    DispatchInputs& inputs = inputsOf(device);
    inputs.driver.next.UpdateDescriptorSets(device, writeCount, writes, copyCount, copies);
    inputs.track([&](State& state) {
        auto& sets = state.objects.sets;
        for (const VkWriteDescriptorSet& write : std::span(writes, writeCount)) {
            const auto set = sets.find(write.dstSet);
            if (set != sets.end()) set->second->apply(write);
        }
        for (const VkCopyDescriptorSet& copy : std::span(copies, copyCount)) {
            const auto from = sets.find(copy.srcSet), to = sets.find(copy.dstSet);
            if (from != sets.end() && to != sets.end()) to->second->copy(*from->second, copy);
        }
    });
}

VkResult createUpdateTemplate(VkDevice device, const VkDescriptorUpdateTemplateCreateInfo* info,
                              const VkAllocationCallbacks* allocator,
                              VkDescriptorUpdateTemplate* made) {
    DispatchInputs& inputs = inputsOf(device);
    const auto next = either(inputs, &Table::CreateDescriptorUpdateTemplate,
                             &Table::CreateDescriptorUpdateTemplateKHR);
    const VkResult result = next(device, info, allocator, made);
    const bool pushes = info->templateType == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS;
    const bool isForOthers = pushes && info->pipelineBindPoint != VK_PIPELINE_BIND_POINT_COMPUTE;
    if (result != VK_SUCCESS || isForOthers) return result;
    inputs.track([&](State& state) {
        const std::span entries(info->pDescriptorUpdateEntries, info->descriptorUpdateEntryCount);
        state.objects.templates[*made] =
            std::make_shared<const UpdateTemplate>(entries.begin(), entries.end());
    });
    return result;
}

void destroyUpdateTemplate(VkDevice device, VkDescriptorUpdateTemplate which,
                           const VkAllocationCallbacks* allocator) {
    DispatchInputs& inputs = inputsOf(device);
    inputs.track([&](State& state) { state.objects.templates.erase(which); });
    either(inputs, &Table::DestroyDescriptorUpdateTemplate,
           &Table::DestroyDescriptorUpdateTemplateKHR)(device, which, allocator);
}

void updateWithTemplate(VkDevice device, VkDescriptorSet set, VkDescriptorUpdateTemplate how,
                        const void* data) {
    DispatchInputs& inputs = inputsOf(device);
    either(inputs, &Table::UpdateDescriptorSetWithTemplate,
           &Table::UpdateDescriptorSetWithTemplateKHR)(device, set, how, data);
    inputs.track([&](State& state) {
        const auto found = state.objects.sets.find(set);
        const auto entries = state.objects.templates.find(how);
        if (found == state.objects.sets.end() || entries == state.objects.templates.end()) return;
        applyTemplate(*found->second, *entries->second, data);
    });
}

}  // namespace coopvk::layer::inputs
