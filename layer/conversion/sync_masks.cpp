// SPDX-License-Identifier: Apache-2.0
#include "conversion/sync_masks.hpp"

#include "chain/pnext.hpp"

namespace coopvk::layer {
namespace {

// Translates an array of barriers in a structure of type T in the chain, whose copy is edited.
template <typename T, typename Barrier>
void translateChained(ChainEditor& chain, const void* original, VkStructureType type,
                      uint32_t T::* count, const Barrier* T::* barriers, Scratch& scratch) {
    const auto* node = findNode<T>(original, type);
    if (node == nullptr) return;
    const auto* after = withoutConversions(std::span(node->*barriers, node->*count), scratch);
    if (after == node->*barriers) return;
    if (T* copy = chain.edit<T>(type)) copy->*barriers = after;
}

// The chain with the scopes of the barriers in it translated.
const void* translateChain(const void* original, Scratch& scratch) {
    if (original == nullptr) return original;
    ChainEditor chain(original, scratch);
#ifdef VK_KHR_device_address_commands
    using Ranges = VkMemoryRangeBarriersInfoKHR;
    translateChained(chain, original, VK_STRUCTURE_TYPE_MEMORY_RANGE_BARRIERS_INFO_KHR,
                     &Ranges::memoryRangeBarrierCount, &Ranges::pMemoryRangeBarriers, scratch);
#endif
#ifdef VK_ARM_tensors
    using Tensors = VkTensorDependencyInfoARM;
    translateChained(chain, original, VK_STRUCTURE_TYPE_TENSOR_DEPENDENCY_INFO_ARM,
                     &Tensors::tensorMemoryBarrierCount, &Tensors::pTensorMemoryBarriers, scratch);
    constexpr auto kTensor = VK_STRUCTURE_TYPE_TENSOR_MEMORY_BARRIER_ARM;
    if (const auto* barrier = findNode<VkTensorMemoryBarrierARM>(original, kTensor)) {
        auto* copy =
            nameConversions(barrier, 1) ? chain.edit<VkTensorMemoryBarrierARM>(kTensor) : nullptr;
        if (copy != nullptr) translateScopes(*copy);
    }
#endif
    return chain.head();
}

}  // namespace

const VkDependencyInfo* withoutConversions(const VkDependencyInfo* info, Scratch& scratch) {
    const auto* memory =
        withoutConversions(std::span(info->pMemoryBarriers, info->memoryBarrierCount), scratch);
    const auto* buffers = withoutConversions(
        std::span(info->pBufferMemoryBarriers, info->bufferMemoryBarrierCount), scratch);
    const auto* images = withoutConversions(
        std::span(info->pImageMemoryBarriers, info->imageMemoryBarrierCount), scratch);
    const void* chain = translateChain(info->pNext, scratch);
    if (chain == info->pNext && memory == info->pMemoryBarriers &&
        buffers == info->pBufferMemoryBarriers && images == info->pImageMemoryBarriers) {
        return info;
    }
    VkDependencyInfo copy = *info;
    copy.pNext = chain;
    copy.pMemoryBarriers = memory;
    copy.pBufferMemoryBarriers = buffers;
    copy.pImageMemoryBarriers = images;
    return scratch.copy(copy);
}

}  // namespace coopvk::layer
