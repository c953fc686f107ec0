// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstring>

#include "commands.hpp"
#include "device.hpp"
#include "synchronization.hpp"

namespace coopvk::reference::icd {
namespace {

std::byte* put(std::byte* to, uint64_t value, bool wide) {
    const auto narrow = static_cast<uint32_t>(value);
    const size_t size = wide ? sizeof(value) : sizeof(narrow);
    std::memcpy(to, wide ? static_cast<const void*>(&value) : &narrow, size);
    return to + size;
}

}  // namespace

uint64_t timestamp() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

VkResult writeResults(std::span<const Query> queries, void* data, VkDeviceSize stride,
                      VkQueryResultFlags flags) {
    const bool wide = flags & VK_QUERY_RESULT_64_BIT;
    VkResult result = VK_SUCCESS;
    for (size_t i = 0; i < queries.size(); ++i) {
        std::byte* to = static_cast<std::byte*>(data) + i * stride;
        const bool known = queries[i].available;
        if (!known) result = VK_NOT_READY;
        if (known || (flags & VK_QUERY_RESULT_PARTIAL_BIT) != 0) {
            to = put(to, queries[i].value, wide);
        } else {
            to += wide ? sizeof(uint64_t) : sizeof(uint32_t);
        }
        if (flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) put(to, known, wide);
    }
    return result;
}

VkResult CreateQueryPool(VkDevice, const VkQueryPoolCreateInfo* info, const VkAllocationCallbacks*,
                         VkQueryPool* out) {
    return make<QueryPool>(out, std::vector<Query>(info->queryCount));
}

void DestroyQueryPool(VkDevice device, VkQueryPool pool, const VkAllocationCallbacks* allocator) {
    destroy<QueryPool>(device, pool, allocator);
}

void ResetQueryPool(VkDevice handle, VkQueryPool pool, uint32_t first, uint32_t count) {
    from<Device>(handle)->change([&] {
        for (Query& query : std::span(from<QueryPool>(pool)->queries).subspan(first, count))
            query = {};
    });
}

VkResult GetQueryPoolResults(VkDevice handle, VkQueryPool pool, uint32_t first, uint32_t count,
                             size_t, void* data, VkDeviceSize stride, VkQueryResultFlags flags) {
    Device& device = *from<Device>(handle);
    const auto queries = std::span(from<QueryPool>(pool)->queries).subspan(first, count);
    const auto known = [&] {
        for (const Query& query : queries) {
            if (!query.available) return false;
        }
        return true;
    };
    if (flags & VK_QUERY_RESULT_WAIT_BIT) {
        const VkResult waited = device.wait(UINT64_MAX, known);
        if (waited != VK_SUCCESS) return waited;
    }
    const std::lock_guard lock(device.mutex);
    const VkResult result = writeResults(queries, data, stride, flags);
    return device.lost ? VK_ERROR_DEVICE_LOST : result;
}

}  // namespace coopvk::reference::icd
