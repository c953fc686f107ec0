// SPDX-License-Identifier: Apache-2.0
//
// Objects by handle, for commands that are recorded often: a look-up takes no lock and never waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace coopvk::layer {

// Vulkan rules out that another thread creates or destroys what a handle means while a command
// looks it up; other handles may come and go at the same time. A handle that was set keeps its
// place, since drivers give the same handles again. So there are at most as many places as a
// program has handles at once, or a few times as many.
template <typename Value>
class HandleTable {
 public:
    HandleTable() { grow(); }
    HandleTable(const HandleTable&) = delete;
    HandleTable& operator=(const HandleTable&) = delete;

    // Null for handles that were not set.
    Value* find(const void* handle) const noexcept {
        const Places& places = *places_.load(std::memory_order_acquire);
        for (size_t at = hash(handle);; ++at) {
            const Place& place = places.all[at & places.last];
            const void* found = place.handle.load(std::memory_order_acquire);
            if (found == handle) return place.value.load(std::memory_order_acquire);
            if (found == nullptr) return nullptr;
        }
    }

    // Allocates nothing for a handle that was set before.
    void set(const void* handle, Value* value) {
        const std::scoped_lock lock(mutex_);
        Place* place = &placeOf(handle);
        if (place->handle.load(std::memory_order_relaxed) == nullptr) {
            if (2 * (used_ + 1) > places_.load(std::memory_order_relaxed)->last) {
                grow();
                place = &placeOf(handle);
            }
            ++used_;
        }
        place->value.store(value, std::memory_order_release);
        place->handle.store(handle, std::memory_order_release);
    }

 private:
    struct Place {
        std::atomic<const void*> handle = nullptr;
        std::atomic<Value*> value = nullptr;
    };
    struct Places {
        explicit Places(size_t count) : last(count - 1), all(std::make_unique<Place[]>(count)) {}
        size_t last;  // a power of two less one
        std::unique_ptr<Place[]> all;
    };

    // Objects lie at multiples of 16 bytes, often of a page or more.
    static size_t hash(const void* handle) {
        const auto address = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(handle));
        return static_cast<size_t>((address * 0x9e3779b97f4a7c15u) >> 32);
    }

    // Where the handle is, or the place for it.
    Place& placeOf(const void* handle) const {
        const Places& places = *places_.load(std::memory_order_relaxed);
        for (size_t at = hash(handle);; ++at) {
            Place& place = places.all[at & places.last];
            const void* found = place.handle.load(std::memory_order_relaxed);
            if (found == handle || found == nullptr) return place;
        }
    }

    // Other threads may still read the places before, which therefore stay: less than half of all.
    void grow() {
        const Places* before = places_.load(std::memory_order_relaxed);
        auto larger = std::make_unique<Places>(before == nullptr ? 16 : 4 * (before->last + 1));
        kept_.reserve(kept_.size() + 1);
        for (size_t i = 0; before != nullptr && i <= before->last; ++i) {
            const Place& place = before->all[i];
            const void* handle = place.handle.load(std::memory_order_relaxed);
            if (handle == nullptr) continue;
            size_t at = hash(handle);
            while (larger->all[at & larger->last].handle.load(std::memory_order_relaxed)) ++at;
            Place& to = larger->all[at & larger->last];
            to.handle.store(handle, std::memory_order_relaxed);
            to.value.store(place.value.load(std::memory_order_relaxed), std::memory_order_relaxed);
        }
        places_.store(larger.get(), std::memory_order_release);
        kept_.push_back(std::move(larger));
    }

    std::atomic<const Places*> places_ = nullptr;
    std::mutex mutex_;
    size_t used_ = 0;
    std::vector<std::unique_ptr<Places>> kept_;  // the last one is in use
};

}  // namespace coopvk::layer
