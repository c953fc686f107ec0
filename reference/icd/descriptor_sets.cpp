// SPDX-License-Identifier: Apache-2.0
//
// Layouts, pools and sets.
#include <stdexcept>

#include "commands.hpp"
#include "descriptors.hpp"
#include "device.hpp"

namespace coopvk::reference::icd {
namespace {

// Those of the last binding that a set may choose, or 0 if the layout does not let it.
uint32_t variableCount(const VkDescriptorSetLayoutCreateInfo& info) {
    const auto* flags = find<VkDescriptorSetLayoutBindingFlagsCreateInfo>(info.pNext);
    if (flags == nullptr || flags->bindingCount == 0) return 0;
    const bool isVariable = flags->pBindingFlags[flags->bindingCount - 1] &
                            VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
    return isVariable ? kMaxDescriptors : 0;
}

bool fits(std::span<const VkDescriptorSetLayoutBinding> bindings) {
    uint64_t count = 0;
    for (const VkDescriptorSetLayoutBinding& binding : bindings) count += binding.descriptorCount;
    return count <= kMaxDescriptors;
}

// The bindings of a set whose last binding has `count` descriptors.
SharedBindings withVariableCount(const Bindings& bindings, uint32_t count) {
    auto changed = std::make_shared<Bindings>(bindings);
    if (!changed->all.empty())
        changed->all.back().count = std::min(count, changed->all.back().count);
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

DescriptorSetLayout::DescriptorSetLayout(Device&, const VkDescriptorSetLayoutCreateInfo& info) {
    const std::span all(info.pBindings, info.bindingCount);
    if (!fits(all)) throw std::length_error("descriptors of a set");
    auto sorted = std::make_shared<Bindings>();
    for (const VkDescriptorSetLayoutBinding& binding : all)
        sorted->all.push_back({binding.binding, binding.descriptorType, binding.descriptorCount});
    std::sort(sorted->all.begin(), sorted->all.end(),
              [](const Binding& a, const Binding& b) { return a.number < b.number; });
    uint32_t first = 0;
    for (Binding& binding : sorted->all) {
        binding.first = first;
        first += binding.descriptors();
    }
    bindings = std::move(sorted);
}
COOPVK_OBJECT(DescriptorSetLayout)

void GetDescriptorSetLayoutSupport(VkDevice, const VkDescriptorSetLayoutCreateInfo* info,
                                   VkDescriptorSetLayoutSupport* out) {
    out->supported = fits({info->pBindings, info->bindingCount});
    if (auto* variable = find<VkDescriptorSetVariableDescriptorCountLayoutSupport>(out->pNext))
        variable->maxVariableDescriptorCount = variableCount(*info);
}

PipelineLayout::PipelineLayout(Device&, const VkPipelineLayoutCreateInfo& info) {
    for (const VkDescriptorSetLayout each : std::span(info.pSetLayouts, info.setLayoutCount)) {
        const DescriptorSetLayout* layout = from<DescriptorSetLayout>(each);
        sets.push_back(layout == nullptr ? nullptr : layout->bindings);
    }
}
COOPVK_OBJECT(PipelineLayout)
COOPVK_OBJECT(DescriptorPool)

VkResult ResetDescriptorPool(VkDevice, VkDescriptorPool handle, VkDescriptorPoolResetFlags) {
    from<DescriptorPool>(handle)->sets.all.clear();
    return VK_SUCCESS;
}

VkResult AllocateDescriptorSets(VkDevice, const VkDescriptorSetAllocateInfo* info,
                                VkDescriptorSet* out) {
    DescriptorPool& pool = *from<DescriptorPool>(info->descriptorPool);
    std::fill_n(out, info->descriptorSetCount, VK_NULL_HANDLE);
    if (pool.sets.all.size() + info->descriptorSetCount > pool.maxSets)
        return VK_ERROR_OUT_OF_POOL_MEMORY;
    const auto* variable = find<VkDescriptorSetVariableDescriptorCountAllocateInfo>(info->pNext);
    const bool counts = variable != nullptr && variable->descriptorSetCount != 0;
    return pool.sets.add(info->descriptorSetCount, out, [&](uint32_t i) {
        auto bindings = from<DescriptorSetLayout>(info->pSetLayouts[i])->bindings;
        if (counts) bindings = withVariableCount(*bindings, variable->pDescriptorCounts[i]);
        return std::make_unique<DescriptorSet>(std::move(bindings));
    });
}

VkResult FreeDescriptorSets(VkDevice, VkDescriptorPool pool, uint32_t count,
                            const VkDescriptorSet* sets) {
    from<DescriptorPool>(pool)->sets.remove(count, sets);
    return VK_SUCCESS;
}

}  // namespace coopvk::reference::icd
