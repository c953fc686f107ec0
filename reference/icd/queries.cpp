// SPDX-License-Identifier: Apache-2.0
//
// Queries of timestamps; the device has no others.
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "command_buffer.hpp"
#include "commands.hpp"

namespace coopvk::reference::icd {
namespace {

struct Query {
    bool available = false;
    uint64_t value = 0;
};

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

// Nanoseconds.
uint64_t timestamp() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

std::byte* put(std::byte* to, uint64_t value, bool wide) {
    const auto narrow = static_cast<uint32_t>(value);
    const size_t size = wide ? sizeof(value) : sizeof(narrow);
    std::memcpy(to, wide ? static_cast<const void*>(&value) : &narrow, size);
    return to + size;
}

// vkGetQueryPoolResults, as far as values are known. Results that do not fit are left out.
VkResult writeResults(std::span<const Query> queries, std::span<std::byte> out, VkDeviceSize stride,
                      VkQueryResultFlags flags) {
    const bool wide = flags & VK_QUERY_RESULT_64_BIT;
    const bool tells = flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
    const size_t size = (wide ? 8 : 4) * (tells ? 2 : 1);
    VkResult result = VK_SUCCESS;
    for (size_t i = 0; i < queries.size(); ++i) {
        if (i * stride + size > out.size()) break;
        std::byte* to = out.data() + i * stride;
        const bool known = queries[i].available;
        if (!known) result = VK_NOT_READY;
        if (known || (flags & VK_QUERY_RESULT_PARTIAL_BIT) != 0) put(to, queries[i].value, wide);
        if (tells) put(to + size / 2, known, wide);
    }
    return result;
}

void writeTimestamp(Execution& execution, VkQueryPool pool, uint32_t query) {
    execution.device.change([&] {
        for (Query& each : from<QueryPool>(pool)->part(query, 1)) each = {true, timestamp()};
    });
}

}  // namespace

COOPVK_OBJECT(QueryPool)

void ResetQueryPool(VkDevice handle, VkQueryPool pool, uint32_t first, uint32_t count) {
    from<Device>(handle)->change([&] {
        for (Query& query : from<QueryPool>(pool)->part(first, count)) query = {};
    });
}

VkResult GetQueryPoolResults(VkDevice handle, VkQueryPool pool, uint32_t first, uint32_t count,
                             size_t size, void* data, VkDeviceSize stride,
                             VkQueryResultFlags flags) {
    Device& device = *from<Device>(handle);
    const std::span queries = from<QueryPool>(pool)->part(first, count);
    const auto known = [](const Query& query) { return query.available; };
    if (flags & VK_QUERY_RESULT_WAIT_BIT) {
        const VkResult waited = device.wait(
            UINT64_MAX, [&] { return std::all_of(queries.begin(), queries.end(), known); });
        if (waited != VK_SUCCESS) return waited;
    }
    return device.read([&] {
        return writeResults(queries, {static_cast<std::byte*>(data), size}, stride, flags);
    });
}

void execution::CmdResetQueryPool(Execution& execution, VkQueryPool pool, uint32_t first,
                                  uint32_t count) {
    icd::ResetQueryPool(handleOf(&execution.device), pool, first, count);
}

void execution::CmdWriteTimestamp(Execution& execution, VkPipelineStageFlagBits, VkQueryPool pool,
                                  uint32_t query) {
    writeTimestamp(execution, pool, query);
}
void execution::CmdWriteTimestamp2(Execution& execution, VkPipelineStageFlags2, VkQueryPool pool,
                                   uint32_t query) {
    writeTimestamp(execution, pool, query);
}

void execution::CmdCopyQueryPoolResults(Execution& execution, VkQueryPool pool, uint32_t first,
                                        uint32_t count, VkBuffer target, VkDeviceSize offset,
                                        VkDeviceSize stride, VkQueryResultFlags flags) {
    const Range to = part(from<Buffer>(target)->range, offset, VK_WHOLE_SIZE);
    const std::lock_guard lock(execution.device.mutex);
    writeResults(from<QueryPool>(pool)->part(first, count), {to.data, to.size}, stride, flags);
    markWritten(part(to, 0, stride * count));
}

}  // namespace coopvk::reference::icd
