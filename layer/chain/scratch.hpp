// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <optional>
#include <span>
#include <type_traits>

namespace coopvk::layer {

// Memory for the copies of Vulkan structures that one call passes down. Freed all at once. A few
// structures take none from the heap.
class Scratch {
 public:
    Scratch() = default;
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    void* allocate(size_t size) {
        void* memory = take(std::max<size_t>(size, 1), alignof(std::max_align_t));
        std::memset(memory, 0, size);
        return memory;
    }

    template <typename T>
    T* copy(const T& value) {
        return copyArray(std::span<const T>(&value, 1));
    }

    template <typename T>
    T* copyArray(std::span<const T> values) {
        static_assert(std::is_trivially_copyable_v<T>);
        T* memory = static_cast<T*>(
            take(std::max<size_t>(values.size_bytes(), 1), std::max(alignof(T), alignof(void*))));
        for (size_t i = 0; i < values.size(); ++i) memory[i] = values[i];
        return memory;
    }

 private:
    void* take(size_t size, size_t alignment) {
        const size_t at = (used_ + alignment - 1) / alignment * alignment;
        if (at < sizeof first_ && size <= sizeof first_ - at) {
            used_ = at + size;
            return first_ + at;
        }
        return takeMore(size, alignment);
    }

    // Apart, so that take() stays short where it is inlined.
    [[gnu::noinline]] void* takeMore(size_t size, size_t alignment) {
        if (!more_) more_.emplace(std::pmr::new_delete_resource());
        return more_->allocate(size, alignment);
    }

    size_t used_ = 0;
    std::optional<std::pmr::monotonic_buffer_resource> more_;
    alignas(std::max_align_t) std::byte first_[512];
};

}  // namespace coopvk::layer
