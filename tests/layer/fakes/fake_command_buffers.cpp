// SPDX-License-Identifier: Apache-2.0
//
// Command buffers and pools, layouts, templates and render passes, in which only matrix conversions
// and kept inputs have an interest.
#include <set>
#include <string_view>
#include <utility>

#include "chain/pnext.hpp"
#include "fakes/fake_parts.hpp"

namespace coopvk::test::fake {
namespace {

VkResult allocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                VkCommandBuffer* out) {
    // They share the device's dispatch key, as the loader's handles do.
    for (uint32_t i = 0; i < info->commandBufferCount; ++i) {
        const uint64_t again = std::exchange(driver().reuse, 0);
        out[i] = again != 0 ? reinterpret_cast<VkCommandBuffer>(again)
                            : reinterpret_cast<VkCommandBuffer>(
                                  new Dispatchable{*reinterpret_cast<void**>(device)});
        driver().commandBuffers.insert(out[i]);
    }
    return VK_SUCCESS;
}

// Objects whose handle was not given again since then are destroyed.
void dropCommandBuffers(std::span<const VkCommandBuffer> list, std::string_view command) {
    for (VkCommandBuffer commands : list) driver().commandBuffers.erase(commands);
    happen(command);
    for (VkCommandBuffer commands : list) {
        if (driver().commandBuffers.contains(commands)) continue;
        delete reinterpret_cast<Dispatchable*>(commands);
    }
}

void freeCommandBuffers(VkDevice, VkCommandPool, uint32_t count, const VkCommandBuffer* list) {
    dropCommandBuffers(std::span(list, count), "vkFreeCommandBuffers");
}

// There is but one.
void destroyCommandPool(VkDevice, VkCommandPool, const VkAllocationCallbacks*) {
    const std::set<VkCommandBuffer> all = driver().commandBuffers;
    dropCommandBuffers(std::vector<VkCommandBuffer>(all.begin(), all.end()),
                       "vkDestroyCommandPool");
}

VkResult beginCommandBuffer(VkCommandBuffer, const VkCommandBufferBeginInfo*) { return VK_SUCCESS; }
VkResult endCommandBuffer(VkCommandBuffer) { return VK_SUCCESS; }

VkResult createPipelineLayout(VkDevice, const VkPipelineLayoutCreateInfo* info,
                              const VkAllocationCallbacks* allocator, VkPipelineLayout* out) {
    driver().pipelineLayouts.push_back({info->setLayoutCount, info->pushConstantRangeCount});
    return makeObject(allocator, out);
}

VkResult createUpdateTemplate(VkDevice, const VkDescriptorUpdateTemplateCreateInfo*,
                              const VkAllocationCallbacks* allocator,
                              VkDescriptorUpdateTemplate* out) {
    return makeObject(allocator, out);
}

VkResult createRenderPass(VkDevice, const VkRenderPassCreateInfo*,
                          const VkAllocationCallbacks* allocator, VkRenderPass* out) {
    return makeObject(allocator, out);
}
// Of each dependency the stage of the barrier in its chain, or 0.
VkResult createRenderPass2(VkDevice, const VkRenderPassCreateInfo2* info,
                           const VkAllocationCallbacks* allocator, VkRenderPass* out) {
    std::vector<uint64_t> stages;
    for (const VkSubpassDependency2& each : std::span(info->pDependencies, info->dependencyCount)) {
        const auto* barrier =
            layer::findNode<VkMemoryBarrier2>(each.pNext, VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
        stages.push_back(barrier != nullptr ? barrier->srcStageMask : 0);
    }
    driver().seenCommands.push_back({"vkCreateRenderPass2", std::move(stages)});
    return makeObject(allocator, out);
}

VkResult createQueryPool(VkDevice, const VkQueryPoolCreateInfo*,
                         const VkAllocationCallbacks* allocator, VkQueryPool* out) {
    return makeObject(allocator, out);
}

const Entry kCommandBufferEntries[] = {
    COOPVK_FAKE(vkCreateQueryPool, createQueryPool),
    COOPVK_FAKE(vkDestroyQueryPool, destroyObject<VkQueryPool>),
    COOPVK_FAKE(vkAllocateCommandBuffers, allocateCommandBuffers),
    COOPVK_FAKE(vkFreeCommandBuffers, freeCommandBuffers),
    COOPVK_FAKE(vkBeginCommandBuffer, beginCommandBuffer),
    COOPVK_FAKE(vkEndCommandBuffer, endCommandBuffer),
    COOPVK_FAKE(vkCreatePipelineLayout, createPipelineLayout),
    COOPVK_FAKE(vkDestroyPipelineLayout, destroyObject<VkPipelineLayout>),
    COOPVK_FAKE(vkCreateDescriptorUpdateTemplate, createUpdateTemplate),
    COOPVK_FAKE(vkDestroyDescriptorUpdateTemplate, destroyObject<VkDescriptorUpdateTemplate>),
    COOPVK_FAKE(vkDestroyCommandPool, destroyCommandPool),
    COOPVK_FAKE(vkCreateRenderPass, createRenderPass),
    COOPVK_FAKE(vkCreateRenderPass2, createRenderPass2),
    COOPVK_FAKE(vkCreateRenderPass2KHR, createRenderPass2),
    COOPVK_FAKE(vkDestroyRenderPass, destroyObject<VkRenderPass>),
};

}  // namespace

std::span<const Entry> commandBufferEntries() { return kCommandBufferEntries; }

}  // namespace coopvk::test::fake
