// SPDX-License-Identifier: Apache-2.0
//
// Layouts, pools and sets.
#include <algorithm>

#include "commands.hpp"
#include "descriptors.hpp"

namespace coopvk::reference::icd {
namespace {

std::shared_ptr<const Bindings> makeBindings(const VkDescriptorSetLayoutCreateInfo& info) {
    auto bindings = std::make_shared<Bindings>();
    for (uint32_t i = 0; i < info.bindingCount; ++i) {
        const VkDescriptorSetLayoutBinding& binding = info.pBindings[i];
        bindings->all.push_back({binding.binding, binding.descriptorType, binding.descriptorCount});
    }
    std::sort(bindings->all.begin(), bindings->all.end(),
              [](const Binding& a, const Binding& b) { return a.number < b.number; });
    uint32_t first = 0;
    for (Binding& binding : bindings->all) {
        binding.first = first;
        first += binding.descriptors();
    }
    return bindings;
}

// The bindings of a set whose last binding has `count` descriptors.
std::shared_ptr<const Bindings> withVariableCount(const Bindings& bindings, uint32_t count) {
    auto changed = std::make_shared<Bindings>(bindings);
    if (!changed->all.empty()) changed->all.back().count = count;
    return changed;
}

}  // namespace

bool Binding::isDynamic() const {
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
           type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

const Binding* Bindings::find(uint32_t number) const {
    const auto found = std::lower_bound(
        all.begin(), all.end(), number,
        [](const Binding& binding, uint32_t wanted) { return binding.number < wanted; });
    return found != all.end() && found->number == number ? &*found : nullptr;
}

uint32_t Bindings::descriptors() const {
    return all.empty() ? 0 : all.back().first + all.back().descriptors();
}

VkResult CreateDescriptorSetLayout(VkDevice, const VkDescriptorSetLayoutCreateInfo* info,
                                   const VkAllocationCallbacks*, VkDescriptorSetLayout* out) {
    return make<DescriptorSetLayout>(out, makeBindings(*info));
}

void DestroyDescriptorSetLayout(VkDevice device, VkDescriptorSetLayout layout,
                                const VkAllocationCallbacks* allocator) {
    destroy<DescriptorSetLayout>(device, layout, allocator);
}

void GetDescriptorSetLayoutSupport(VkDevice, const VkDescriptorSetLayoutCreateInfo* info,
                                   VkDescriptorSetLayoutSupport* out) {
    out->supported = VK_TRUE;
    auto* variable = findOut<VkDescriptorSetVariableDescriptorCountLayoutSupport>(
        out->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT);
    if (variable == nullptr) return;
    const auto* flags = find<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
        info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
    variable->maxVariableDescriptorCount = 0;
    if (flags == nullptr || flags->bindingCount == 0) return;
    const bool isVariable = flags->pBindingFlags[flags->bindingCount - 1] &
                            VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
    if (isVariable) variable->maxVariableDescriptorCount = 1u << 20;
}

VkResult CreatePipelineLayout(VkDevice, const VkPipelineLayoutCreateInfo* info,
                              const VkAllocationCallbacks*, VkPipelineLayout* out) {
    std::vector<std::shared_ptr<const Bindings>> sets;
    for (uint32_t i = 0; i < info->setLayoutCount; ++i) {
        const DescriptorSetLayout* layout = from<DescriptorSetLayout>(info->pSetLayouts[i]);
        sets.push_back(layout == nullptr ? nullptr : layout->bindings);
    }
    return make<PipelineLayout>(out, std::move(sets));
}

void DestroyPipelineLayout(VkDevice device, VkPipelineLayout layout,
                           const VkAllocationCallbacks* allocator) {
    destroy<PipelineLayout>(device, layout, allocator);
}

VkResult CreateDescriptorPool(VkDevice, const VkDescriptorPoolCreateInfo* info,
                              const VkAllocationCallbacks*, VkDescriptorPool* out) {
    return make<DescriptorPool>(out, info->maxSets);
}

void DestroyDescriptorPool(VkDevice device, VkDescriptorPool pool,
                           const VkAllocationCallbacks* allocator) {
    if (pool != VK_NULL_HANDLE) ResetDescriptorPool(device, pool, 0);
    destroy<DescriptorPool>(device, pool, allocator);
}

VkResult ResetDescriptorPool(VkDevice, VkDescriptorPool handle, VkDescriptorPoolResetFlags) {
    DescriptorPool& pool = *from<DescriptorPool>(handle);
    for (DescriptorSet* set : pool.sets) delete set;
    pool.sets.clear();
    return VK_SUCCESS;
}

VkResult AllocateDescriptorSets(VkDevice, const VkDescriptorSetAllocateInfo* info,
                                VkDescriptorSet* out) {
    DescriptorPool& pool = *from<DescriptorPool>(info->descriptorPool);
    std::fill_n(out, info->descriptorSetCount, VK_NULL_HANDLE);
    if (pool.sets.size() + info->descriptorSetCount > pool.maxSets)
        return VK_ERROR_OUT_OF_POOL_MEMORY;
    const auto* variable = find<VkDescriptorSetVariableDescriptorCountAllocateInfo>(
        info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
    const bool counts = variable != nullptr && variable->descriptorSetCount != 0;
    for (uint32_t i = 0; i < info->descriptorSetCount; ++i) {
        auto bindings = from<DescriptorSetLayout>(info->pSetLayouts[i])->bindings;
        if (counts) bindings = withVariableCount(*bindings, variable->pDescriptorCounts[i]);
        auto set = std::make_unique<DescriptorSet>();
        set->reset(std::move(bindings));
        pool.sets.insert(set.get());
        out[i] = handleOf(set.release());
    }
    return VK_SUCCESS;
}

VkResult FreeDescriptorSets(VkDevice, VkDescriptorPool handle, uint32_t count,
                            const VkDescriptorSet* sets) {
    for (uint32_t i = 0; i < count; ++i) {
        DescriptorSet* set = from<DescriptorSet>(sets[i]);
        from<DescriptorPool>(handle)->sets.erase(set);
        delete set;
    }
    return VK_SUCCESS;
}

}  // namespace coopvk::reference::icd
