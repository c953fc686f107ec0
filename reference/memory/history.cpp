// SPDX-License-Identifier: Apache-2.0
#include "memory/history.hpp"

namespace coopvk::reference {

void Order::advance(uint32_t time, bool available, bool visible) {
    times[1][1] = time;
    if (available) times[0][1] = time;
    if (visible) makeVisible();
}

void Order::learn(const Order& other) {
    for (const int available : {0, 1})
        times[available][1] = std::max(times[available][1], other.times[available][1]);
}

void Order::makeVisible() {
    for (auto& time : times) time[0] = time[1];
}

const Order* Knowledge::find(uint32_t group, uint32_t invocation) const {
    const auto found = unordered_map::find(key(group, invocation));
    return found != end() ? &found->second : nullptr;
}

void Knowledge::learn(const Knowledge& other) {
    for (const auto& [key, order] : other) (*this)[key].learn(order);
}

void Knowledge::makeVisible() {
    for (auto& [key, order] : *this) order.makeVisible();
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
    if (found != releases_.end()) acquired.learn(found->second);
    if (!released.empty()) releases_[address].learn(released);
}

}  // namespace coopvk::reference
