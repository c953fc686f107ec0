// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace coopvk::test {

// A page of memory, with nothing behind it.
class LastPage {
 public:
    LastPage() : size_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
        void* const pages =
            mmap(nullptr, 2 * size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) return;
        page_ = static_cast<std::byte*>(pages);
        munmap(page_ + size_, size_);
    }
    ~LastPage() {
        if (page_ != nullptr) munmap(page_, size_);
    }
    LastPage(const LastPage&) = delete;
    LastPage& operator=(const LastPage&) = delete;

    std::byte* end() const { return page_ == nullptr ? nullptr : page_ + size_; }

 private:
    size_t size_;
    std::byte* page_ = nullptr;
};

}  // namespace coopvk::test
