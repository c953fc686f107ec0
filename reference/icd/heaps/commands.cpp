// SPDX-License-Identifier: Apache-2.0
//
// Commands that bind heaps and push data.
#include "descriptor_buffers.hpp"
#include "heaps/heaps.hpp"

namespace coopvk::reference::icd {

void requireHeaps(const Heaps& bound, const Heaps& inherited) {
    const auto require = [](const auto& expected, const auto& has) {
        icd::require(!expected || expected == has,
                     "a secondary command buffer inherits a heap that is not bound");
    };
    require(inherited.resources, bound.resources);
    require(inherited.samplers, bound.samplers);
}

#ifdef VK_EXT_descriptor_heap
namespace {

HeapRange heapToBind(const CommandBuffer& commands, const VkBindHeapInfoEXT& info) {
    const VkDeviceAddressRangeEXT& range = info.heapRange;
    require(range.address % kDescriptorBufferAlignment == 0,
            "the address of the heap is no multiple of its alignment");
    require(info.reservedRangeOffset <= range.size &&
                info.reservedRangeSize <= range.size - info.reservedRangeOffset,
            "the reserved range ends behind the heap");
    require(info.reservedRangeOffset % kDescriptorSize == 0,
            "the offset of the reserved range is no multiple of a descriptor's alignment");
    // A heap without bytes needs none (VUID-VkDeviceAddressRangeKHR-size-11411).
    if (range.address != 0 || range.size != 0)
        (void)rangeAt(commands.device.addressesNow(), range.address, range.size);
    return {range.address, range.size, info.reservedRangeOffset, info.reservedRangeSize};
}

// A command of heaps: what commands of sets bound and pushed is forgotten.
template <typename F>
void recordOfHeaps(CommandBuffer& commands, const F& f) {
    commands.pushed = {};
    record(commands, [f](Execution& execution) {
        execution.useHeaps();
        f(execution);
    });
}

std::optional<HeapRange> heapIn(const CommandBuffer& commands, const VkBindHeapInfoEXT* info) {
    return info != nullptr ? std::optional(heapToBind(commands, *info)) : std::nullopt;
}

}  // namespace

void inheritHeaps(CommandBuffer& commands, const VkCommandBufferBeginInfo& info) {
    if (commands.isPrimary || info.pInheritanceInfo == nullptr) return;
    const auto* heaps =
        find<VkCommandBufferInheritanceDescriptorHeapInfoEXT>(info.pInheritanceInfo->pNext);
    if (heaps == nullptr) return;
    commands.inherited = {heapIn(commands, heaps->pResourceHeapBindInfo),
                          heapIn(commands, heaps->pSamplerHeapBindInfo)};
    recordOfHeaps(commands, [inherited = commands.inherited](Execution& execution) {
        execution.heaps = inherited;
    });
}

void CmdBindResourceHeapEXT(CommandBuffer& commands, const VkBindHeapInfoEXT* info) {
    require(!commands.inherited.resources, "the command buffer inherits its heap");
    recordOfHeaps(commands, [heap = heapToBind(commands, *info)](Execution& execution) {
        execution.heaps.resources = heap;
    });
}

void CmdBindSamplerHeapEXT(CommandBuffer& commands, const VkBindHeapInfoEXT* info) {
    require(!commands.inherited.samplers, "the command buffer inherits its heap");
    recordOfHeaps(commands, [heap = heapToBind(commands, *info)](Execution& execution) {
        execution.heaps.samplers = heap;
    });
}

void CmdPushDataEXT(CommandBuffer& commands, const VkPushDataInfoEXT* info) {
    const auto bytes = listOf(static_cast<const std::byte*>(info->data.address), info->data.size);
    require(info->offset % 4 == 0 && bytes.size() % 4 == 0,
            "the offset or the size of push data is no multiple of 4");
    require(bytes.size() <= kMaxPushConstantBytes &&
                info->offset <= kMaxPushConstantBytes - bytes.size(),
            "push data is behind the last byte");
    recordOfHeaps(commands, [offset = info->offset,
                             data = std::vector(bytes.begin(), bytes.end())](Execution& execution) {
        std::copy(data.begin(), data.end(), execution.pushConstants.begin() + offset);
        std::fill_n(execution.pushWritten.begin() + offset, data.size(), kWritten);
    });
}
#else
void inheritHeaps(CommandBuffer&, const VkCommandBufferBeginInfo&) {}
#endif

}  // namespace coopvk::reference::icd
