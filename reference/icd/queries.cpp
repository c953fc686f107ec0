// SPDX-License-Identifier: Apache-2.0
//
// Queries of timestamps; the device has no others.
#include <chrono>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "command_buffer.hpp"

namespace coopvk::reference::icd {

using Query = std::optional<uint64_t>;  // its result, if that is available

constexpr uint32_t kMaxQueries = 1u << 24;

struct QueryPool : ObjectOf<VkQueryPool> {
    QueryPool(Device&, const VkQueryPoolCreateInfo& info) {
        if (info.queryCount > kMaxQueries) throw std::length_error("queries");
        queries.resize(info.queryCount);
    }
    std::vector<Query> queries;  // guarded by the device's mutex
    // Those that are in the pool.
    std::span<Query> part(uint32_t first, uint32_t count) {
        const std::span all(queries);
        const size_t begin = std::min<size_t>(first, all.size());
        return all.subspan(begin, std::min<size_t>(count, all.size() - begin));
    }
};

namespace {

// vkGetQueryPoolResults, as far as values are known. Results that do not fit are left out.
VkResult writeResults(std::span<const Query> queries, std::span<std::byte> out, VkDeviceSize stride,
                      VkQueryResultFlags flags) {
    const bool tells = flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
    // Of a number: low bytes alone, if it is not wide.
    const size_t size = flags & VK_QUERY_RESULT_64_BIT ? sizeof(uint64_t) : sizeof(uint32_t);
    VkResult result = VK_SUCCESS;
    for (size_t i = 0; i < queries.size(); ++i) {
        if (i * stride + size * (tells ? 2 : 1) > out.size()) break;
        std::byte* to = out.data() + i * stride;
        const uint64_t known = queries[i].has_value(), value = queries[i].value_or(0);
        if (!known) result = VK_NOT_READY;
        if (known || (flags & VK_QUERY_RESULT_PARTIAL_BIT)) std::memcpy(to, &value, size);
        if (tells) std::memcpy(to + size, &known, size);
    }
    return result;
}

void writeTimestamp(Execution& execution, QueryPool* pool, uint32_t query) {
    const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
    execution.device.change([&] {
        for (Query& each : pool->part(query, 1)) each = uint64_t(now.count());
    });
}

}  // namespace

COOPVK_OBJECT(QueryPool)

void ResetQueryPool(Device& device, QueryPool* pool, uint32_t first, uint32_t count) {
    device.change([&] {
        for (Query& query : pool->part(first, count)) query.reset();
    });
}

VkResult GetQueryPoolResults(Device& device, QueryPool* pool, uint32_t first, uint32_t count,
                             size_t size, void* data, VkDeviceSize stride,
                             VkQueryResultFlags flags) {
    const std::span queries = pool->part(first, count);
    const auto known = [](const Query& query) { return query.has_value(); };
    if (flags & VK_QUERY_RESULT_WAIT_BIT) {
        const VkResult waited = device.wait(
            UINT64_MAX, [&] { return std::all_of(queries.begin(), queries.end(), known); });
        if (waited != VK_SUCCESS) return waited;
    }
    return device.read([&] {
        return writeResults(queries, {static_cast<std::byte*>(data), size}, stride, flags);
    });
}

void execution::CmdResetQueryPool(Execution& execution, QueryPool* pool, uint32_t first,
                                  uint32_t count) {
    icd::ResetQueryPool(execution.device, pool, first, count);
}

void execution::CmdWriteTimestamp(Execution& execution, VkPipelineStageFlagBits, QueryPool* pool,
                                  uint32_t query) {
    writeTimestamp(execution, pool, query);
}
void execution::CmdWriteTimestamp2(Execution& execution, VkPipelineStageFlags2, QueryPool* pool,
                                   uint32_t query) {
    writeTimestamp(execution, pool, query);
}

void execution::CmdCopyQueryPoolResults(Execution& execution, QueryPool* pool, uint32_t first,
                                        uint32_t count, Buffer* target, VkDeviceSize offset,
                                        VkDeviceSize stride, VkQueryResultFlags flags) {
    const Range to = part(target->range, offset, VK_WHOLE_SIZE);
    const std::lock_guard lock(execution.device.mutex);
    writeResults(pool->part(first, count), {to.data, to.size}, stride, flags);
    markWritten(part(to, 0, stride * count));
}

}  // namespace coopvk::reference::icd
