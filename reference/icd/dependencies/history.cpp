// SPDX-License-Identifier: Apache-2.0
#include "dependencies/history.hpp"

#include <mutex>

namespace coopvk::reference::icd {
namespace {

uint64_t newVersion() {
    static std::atomic<uint64_t> last = 0;
    return ++last;
}

}  // namespace

History::Page::~Page() {
    for (const auto& ofQueue : otherReaders)
        for (const auto& readers : ofQueue) delete readers.load();
}

History::Page::Bytes& History::Page::makeReaders(size_t queue, Stage stage) {
    if (Bytes* const there = readers(queue, stage)) return *there;
    auto made = std::make_unique<Bytes>();
    Bytes* first = nullptr;
    if (otherReaders[queue][size_t(stage)].compare_exchange_strong(first, made.get()))
        first = made.release();
    return *first;
}

History::History() : version_(newVersion()) {}

History::Page& History::find(uintptr_t number) {
    {
        const std::shared_lock lock(mutex_);
        const auto found = pages_.find(number);
        if (found != pages_.end()) return *found->second;
    }
    const std::unique_lock lock(mutex_);
    auto& page = pages_[number];
    if (!page) page = std::make_unique<Page>();
    return *page;
}

History::Page& History::page(uintptr_t address) {
    struct Last {
        uint64_t version = 0;
        uintptr_t number = 0;
        Page* page = nullptr;
    };
    static thread_local Last last;
    const uintptr_t number = address / Page::kSize;
    const uint64_t version = version_.load(std::memory_order_relaxed);
    if (last.version != version || last.number != number) last = {version, number, &find(number)};
    return *last.page;
}

void History::forget(uintptr_t begin, uint64_t size) {
    const std::unique_lock lock(mutex_);
    version_ = newVersion();
    pages_.erase(pages_.lower_bound(begin / Page::kSize),
                 pages_.upper_bound((begin + size - 1) / Page::kSize));
}

}  // namespace coopvk::reference::icd
