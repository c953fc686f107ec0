// SPDX-License-Identifier: Apache-2.0
//
// Memory dependencies of barriers and of waits for events.
#pragma once

#include "command_buffer.hpp"

namespace coopvk::reference::icd {

std::vector<Barrier> barriersOf(const VkDependencyInfo& info);

// The arguments of the commands that Vulkan 1.0 has for barriers.
struct Barriers1 {
    VkPipelineStageFlags first, second;
    std::span<const VkMemoryBarrier> memory;
    std::span<const VkBufferMemoryBarrier> buffers;
    std::span<const VkImageMemoryBarrier> images;
};
std::vector<Barrier> barriersOf(const Barriers1& all);

}  // namespace coopvk::reference::icd
