// SPDX-License-Identifier: Apache-2.0
//
// The last accesses to each byte of memory: the command that wrote it, and for each stage of each
// queue the last command that read it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <shared_mutex>

#include "dependencies/order.hpp"

namespace coopvk::reference::icd {

class History {
 public:
    struct Page {
        static constexpr uintptr_t kSize = 1024;
        using Bytes = std::array<Time, kSize>;
        Bytes writers = {}, shaderReaders = {};
        // Null: none. Threads of a dispatch may make them.
        std::array<std::array<std::atomic<Bytes*>, kStageCount>, kQueueCount> otherReaders = {};
        std::array<std::byte, kSize> before = {};  // what the last command replaced
        std::unique_ptr<Bytes> hostHas;   // writes that are on their way to the host; null: none
        std::atomic<bool> isNew = false;  // the host lacks some

        Page() = default;
        ~Page();
        Page(const Page&) = delete;
        Page& operator=(const Page&) = delete;
        // Null: nothing of this stage read the page.
        Bytes* readers(size_t queue, Stage stage) {
            return queue == 0 && stage == Stage::kCompute
                       ? &shaderReaders
                       : otherReaders[queue][size_t(stage)].load(std::memory_order_acquire);
        }
        Bytes& makeReaders(size_t queue, Stage stage);
    };

    History();
    // Of memory of the host. It stays where it is until the memory is freed. Threads keep the last
    // one that they had.
    Page& page(uintptr_t address);
    // Memory that was freed.
    void forget(uintptr_t begin, uint64_t size);

    // f(page, first byte in it, bytes) for each page of a range.
    template <typename F>
    void forPages(uintptr_t address, uint64_t size, F&& f) {
        while (size != 0) {
            const uintptr_t first = address % Page::kSize;
            const uint64_t bytes = std::min<uint64_t>(size, Page::kSize - first);
            f(page(address), first, bytes);
            address += bytes;
            size -= bytes;
        }
    }

 private:
    Page& find(uintptr_t number);

    std::shared_mutex mutex_;
    std::map<uintptr_t, std::unique_ptr<Page>> pages_;
    std::atomic<uint64_t> version_;  // of all histories: no two have the same one
};

}  // namespace coopvk::reference::icd
