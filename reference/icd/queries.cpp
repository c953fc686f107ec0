// SPDX-License-Identifier: Apache-2.0
//
// Queries of timestamps; the device has no others.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "dependencies/followed.hpp"

namespace coopvk::reference::icd {

using Query = std::optional<uint64_t>;  // its result, if that is available

constexpr uint32_t kMaxQueries = 1u << 24;
// Nanoseconds for which nothing is submitted that writes a query, while a thread waits for it.
constexpr uint64_t kPatience = 2'000'000'000;

struct QueryPool : ObjectOf<VkQueryPool> {
    QueryPool(Device&, const VkQueryPoolCreateInfo& info) {
        if (info.queryCount > kMaxQueries) throw std::length_error("queries");
        queries.resize(info.queryCount);
    }
    std::vector<Query> queries;  // guarded by the device's mutex
    std::span<Query> part(uint32_t first, uint32_t count) {
        require(first + uint64_t{count} <= queries.size(), "the pool has no such queries");
        return std::span(queries).subspan(first, count);
    }
};

namespace {

// Bytes of the results of one query: numbers have only low bytes if they are not wide.
size_t sizeOf(VkQueryResultFlags flags) {
    const size_t number = flags & VK_QUERY_RESULT_64_BIT ? sizeof(uint64_t) : sizeof(uint32_t);
    return flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT ? 2 * number : number;
}

// vkGetQueryPoolResults, as far as values are known. Results that do not fit are left out.
VkResult writeResults(std::span<const Query> queries, std::span<std::byte> out, VkDeviceSize stride,
                      VkQueryResultFlags flags) {
    const bool tells = flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
    const size_t size = sizeOf(flags) / (tells ? 2 : 1);
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

void recordTimestamp(CommandBuffer& commands, QueryPool* pool, uint32_t query) {
    (void)pool->part(query, 1);
    const auto write = [=](Execution& execution) {
        const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
        execution.device.change([&] { pool->queries[query] = uint64_t(now.count()); });
    };
    record(commands, write, pool);
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
    require(count == 0 || size >= stride * (count - 1) + sizeOf(flags),
            "the results do not fit into the memory");
    const auto known = [](const Query& query) { return query.has_value(); };
    if (flags & VK_QUERY_RESULT_WAIT_BIT) {
        const auto areKnown = [&] { return std::ranges::all_of(queries, known); };
        VkResult waited = VK_TIMEOUT;
        while (waited == VK_TIMEOUT) {
            waited = device.wait(kPatience, areKnown);
            const std::lock_guard lock(device.mutex);
            require(waited != VK_TIMEOUT || areKnown() || !device.idle(),
                    "a query is waited for that no submission writes");
        }
        if (waited != VK_SUCCESS) return waited;
    }
    return device.read([&] {
        return writeResults(queries, {static_cast<std::byte*>(data), size}, stride, flags);
    });
}

void CmdResetQueryPool(CommandBuffer& commands, QueryPool* pool, uint32_t first, uint32_t count) {
    (void)pool->part(first, count);
    const auto reset = [=](Execution& execution) {
        icd::ResetQueryPool(execution.device, pool, first, count);
    };
    record(commands, reset, pool);
}

void CmdWriteTimestamp(CommandBuffer& commands, VkPipelineStageFlagBits, QueryPool* pool,
                       uint32_t query) {
    recordTimestamp(commands, pool, query);
}
void CmdWriteTimestamp2(CommandBuffer& commands, VkPipelineStageFlags2, QueryPool* pool,
                        uint32_t query) {
    recordTimestamp(commands, pool, query);
}

void CmdCopyQueryPoolResults(CommandBuffer& commands, QueryPool* pool, uint32_t first,
                             uint32_t count, Buffer* target, VkDeviceSize offset,
                             VkDeviceSize stride, VkQueryResultFlags flags) {
    (void)pool->part(first, count);
    const VkDeviceSize bytes = count == 0 ? 0 : stride * (count - 1) + sizeOf(flags);
    target->requireRange(offset, bytes, VK_BUFFER_USAGE_2_TRANSFER_DST_BIT);
    const auto copy = [=](Execution& execution) {
        const auto held = target->hold();
        const Range to = part(target->range, offset, bytes);
        beginAccesses(execution, Use::kCopyWrite);
        for (uint32_t i = 0; i < count; ++i)
            followWrite(execution, Use::kCopyWrite, part(to, i * stride, sizeOf(flags)));
        const std::lock_guard lock(execution.device.mutex);
        for (const Query& query : pool->part(first, count))
            require(query.has_value() || !(flags & VK_QUERY_RESULT_WAIT_BIT),
                    "a query is waited for that nothing wrote");
        writeResults(pool->part(first, count), {to.data, to.size}, stride, flags);
        markWritten(to);
    };
    record(commands, copy, pool, target);
}

}  // namespace coopvk::reference::icd
