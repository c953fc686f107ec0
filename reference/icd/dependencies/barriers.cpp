// SPDX-License-Identifier: Apache-2.0
#include "dependencies/barriers.hpp"

#include "images/image.hpp"

namespace coopvk::reference::icd {
namespace {

Range rangeOf(const auto& info)
    requires requires { info.buffer; }
{
    return part(theObject(info.buffer).range, info.offset, info.size);
}
// All of an image, also where the barrier names a part: levels of layers lie apart.
Range rangeOf(const auto& info)
    requires requires { info.image; }
{
    return theObject(info.image).range;
}

// Access to the memory of a part of a buffer or of an image, and what orders execution, of which no
// part is left out.
template <typename Info>
void addOf(const Info& info, Barrier barrier, std::vector<Barrier>& all) {
    all.push_back({barrier.first.withoutAccess(), barrier.second.withoutAccess()});
    const Range range = rangeOf(info);
    barrier.begin = reinterpret_cast<uintptr_t>(range.data);
    barrier.end = barrier.begin + range.size;
    if (range.size != 0) all.push_back(barrier);
}

}  // namespace

std::vector<Barrier> barriersOf(const VkDependencyInfo& info) {
    const auto scopesOf = [](const auto& each) {
        return Barrier{firstScope(each.srcStageMask, each.srcAccessMask),
                       secondScope(each.dstStageMask, each.dstAccessMask)};
    };
    std::vector<Barrier> all;
    for (const auto& each : listOf(info.pMemoryBarriers, info.memoryBarrierCount))
        all.push_back(scopesOf(each));
    for (const auto& each : listOf(info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount))
        addOf(each, scopesOf(each), all);
    for (const auto& each : listOf(info.pImageMemoryBarriers, info.imageMemoryBarrierCount))
        addOf(each, scopesOf(each), all);
    return all;
}

std::vector<Barrier> barriersOf(const Barriers1& all) {
    const auto scopesOf = [&](const auto& each) {
        return Barrier{firstScope(all.first, each.srcAccessMask),
                       secondScope(all.second, each.dstAccessMask)};
    };
    std::vector<Barrier> result = {{firstScope(all.first, 0), secondScope(all.second, 0)}};
    for (const VkMemoryBarrier& each : all.memory) result.push_back(scopesOf(each));
    for (const VkBufferMemoryBarrier& each : all.buffers) addOf(each, scopesOf(each), result);
    for (const VkImageMemoryBarrier& each : all.images) addOf(each, scopesOf(each), result);
    return result;
}

void CmdPipelineBarrier2(CommandBuffer& commands, const VkDependencyInfo* info) {
    record(commands, [barriers = barriersOf(*info)](Execution& execution) {
        if (auto& dependencies = execution.device.dependencies) dependencies->apply(barriers);
    });
}

void CmdPipelineBarrier(CommandBuffer& commands, VkPipelineStageFlags first,
                        VkPipelineStageFlags second, VkDependencyFlags, uint32_t memoryCount,
                        const VkMemoryBarrier* memory, uint32_t bufferCount,
                        const VkBufferMemoryBarrier* buffers, uint32_t imageCount,
                        const VkImageMemoryBarrier* images) {
    const Barriers1 all{first, second, listOf(memory, memoryCount), listOf(buffers, bufferCount),
                        listOf(images, imageCount)};
    record(commands, [barriers = barriersOf(all)](Execution& execution) {
        if (auto& dependencies = execution.device.dependencies) dependencies->apply(barriers);
    });
}

}  // namespace coopvk::reference::icd
