// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <span>
#include <type_traits>

namespace coopvk::layer {

// Memory for the copies of Vulkan structures that one call passes down. Freed all at once.
class Scratch {
 public:
    Scratch() = default;
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    void* allocate(size_t size) {
        void* memory = memory_.allocate(std::max<size_t>(size, 1), alignof(std::max_align_t));
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
        T* memory = static_cast<T*>(memory_.allocate(std::max<size_t>(values.size_bytes(), 1),
                                                     std::max(alignof(T), alignof(void*))));
        std::copy(values.begin(), values.end(), memory);
        return memory;
    }

 private:
    std::pmr::monotonic_buffer_resource memory_{std::pmr::new_delete_resource()};
};

}  // namespace coopvk::layer
