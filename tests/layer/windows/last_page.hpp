// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <windows.h>

#include <cstddef>

namespace coopvk::test {

// A page of memory, with one behind it that cannot be read.
class LastPage {
 public:
    LastPage() {
        page_ = static_cast<std::byte*>(
            VirtualAlloc(nullptr, 2 * kSize, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE));
        if (page_ != nullptr) VirtualFree(page_ + kSize, kSize, MEM_DECOMMIT);
    }
    ~LastPage() {
        if (page_ != nullptr) VirtualFree(page_, 0, MEM_RELEASE);
    }
    LastPage(const LastPage&) = delete;
    LastPage& operator=(const LastPage&) = delete;

    std::byte* end() const { return page_ == nullptr ? nullptr : page_ + kSize; }

 private:
    static constexpr size_t kSize = 4096;
    std::byte* page_ = nullptr;
};

}  // namespace coopvk::test
