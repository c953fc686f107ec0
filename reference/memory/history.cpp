// SPDX-License-Identifier: Apache-2.0
#include "memory/history.hpp"

#include <algorithm>

namespace coopvk::reference {

void learn(Knowledge& knowledge, const Knowledge& more) {
    for (const auto& [key, time] : more) {
        uint32_t& known = knowledge[key];
        known = std::max(known, time);
    }
}

BufferHistory::Page& BufferHistory::page(uint64_t address) {
    const std::lock_guard lock(mutex_);
    auto& page = pages_[address / kPageSize];
    if (!page) page = std::make_unique<Page>();
    return *page;
}

void BufferHistory::exchange(uint64_t address, const Knowledge& released, Knowledge& acquired) {
    const std::lock_guard lock(mutex_);
    const auto found = releases_.find(address);
    if (found != releases_.end()) learn(acquired, found->second);
    if (!released.empty()) learn(releases_[address], released);
}

}  // namespace coopvk::reference
