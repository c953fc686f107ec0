// SPDX-License-Identifier: Apache-2.0
//
// Events and queries. Commands execute one after the other, so barriers do nothing more.
#include <algorithm>

#include "command_buffer.hpp"
#include "commands.hpp"
#include "synchronization.hpp"

namespace coopvk::reference::icd {
namespace {

void setEvent(VkCommandBuffer handle, VkEvent event, bool set) {
    record(handle, [target = from<Event>(event), set](Execution& execution) {
        execution.device.change([&] { target->set = set; });
    });
}

void writeQuery(VkCommandBuffer handle, VkQueryPool pool, uint32_t query, uint64_t (*value)()) {
    record(handle, [queries = from<QueryPool>(pool), query, value](Execution& execution) {
        execution.device.change([&] { queries->queries[query] = {true, value()}; });
    });
}

}  // namespace

void CmdSetEvent(VkCommandBuffer handle, VkEvent event, VkPipelineStageFlags) {
    setEvent(handle, event, true);
}
void CmdSetEvent2(VkCommandBuffer handle, VkEvent event, const VkDependencyInfo*) {
    setEvent(handle, event, true);
}
void CmdResetEvent(VkCommandBuffer handle, VkEvent event, VkPipelineStageFlags) {
    setEvent(handle, event, false);
}
void CmdResetEvent2(VkCommandBuffer handle, VkEvent event, VkPipelineStageFlags2) {
    setEvent(handle, event, false);
}

// The host may set an event after the submission.
void CmdWaitEvents(VkCommandBuffer handle, uint32_t count, const VkEvent* events,
                   VkPipelineStageFlags, VkPipelineStageFlags, uint32_t, const VkMemoryBarrier*,
                   uint32_t, const VkBufferMemoryBarrier*, uint32_t, const VkImageMemoryBarrier*) {
    record(handle, [all = std::vector(events, events + count)](Execution& execution) {
        Device& device = execution.device;
        device.wait(UINT64_MAX, [&] {
            return device.queue.stopping || std::all_of(all.begin(), all.end(), [](VkEvent event) {
                       return from<Event>(event)->set;
                   });
        });
    });
}
void CmdWaitEvents2(VkCommandBuffer handle, uint32_t count, const VkEvent* events,
                    const VkDependencyInfo*) {
    CmdWaitEvents(handle, count, events, 0, 0, 0, nullptr, 0, nullptr, 0, nullptr);
}

// Nothing is drawn: occlusion queries count 0 samples.
void CmdBeginQuery(VkCommandBuffer, VkQueryPool, uint32_t, VkQueryControlFlags) {}
void CmdEndQuery(VkCommandBuffer handle, VkQueryPool pool, uint32_t query) {
    writeQuery(handle, pool, query, [] { return uint64_t{0}; });
}

void CmdResetQueryPool(VkCommandBuffer handle, VkQueryPool pool, uint32_t first, uint32_t count) {
    record(handle, [pool, first, count](Execution& execution) {
        ResetQueryPool(handleOf(&execution.device), pool, first, count);
    });
}

void CmdWriteTimestamp(VkCommandBuffer handle, VkPipelineStageFlagBits, VkQueryPool pool,
                       uint32_t query) {
    writeQuery(handle, pool, query, timestamp);
}
void CmdWriteTimestamp2(VkCommandBuffer handle, VkPipelineStageFlags2, VkQueryPool pool,
                        uint32_t query) {
    writeQuery(handle, pool, query, timestamp);
}

void CmdCopyQueryPoolResults(VkCommandBuffer handle, VkQueryPool pool, uint32_t first,
                             uint32_t count, VkBuffer target, VkDeviceSize offset,
                             VkDeviceSize stride, VkQueryResultFlags flags) {
    record(handle, [=](Execution& execution) {
        const Range range = part(from<Buffer>(target)->range, offset, VK_WHOLE_SIZE);
        const std::lock_guard lock(execution.device.mutex);
        const auto queries = std::span(from<QueryPool>(pool)->queries).subspan(first, count);
        writeResults(queries, range.data, stride, flags);
        markWritten(part(range, 0, stride * count));
    });
}

}  // namespace coopvk::reference::icd
