// SPDX-License-Identifier: Apache-2.0
//
// Finds the context of a dispatchable handle. All handles of an instance or device have the same
// dispatch key: the pointer that the loader keeps in their first word.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vulkan/utility/vk_concurrent_unordered_map.hpp>

#include "objects/context.hpp"
#include "system/system.hpp"

namespace coopvk::layer {

template <typename Handle>
void* dispatchKey(Handle handle) {
    return *reinterpret_cast<void* const*>(handle);
}

// Contexts by key, for commands that are recorded often: a look-up takes no lock and has few
// instructions, since programs have few devices. Vulkan rules out that another thread creates or
// destroys the object whose context a command looks up; others may come and go at the same time.
template <typename Context>
class ContextList {
 public:
    Context* find(const void* key) const noexcept {
        const Node* node = &first_;
        while (node->key.load(std::memory_order_acquire) != key) {
            node = node->next.load(std::memory_order_acquire);
            if (node == nullptr) return nullptr;
        }
        return node->context.load(std::memory_order_acquire);
    }

    void add(const void* key, Context* context) {
        const std::scoped_lock lock(mutex_);
        Node* node = &first_;
        while (node->context.load(std::memory_order_relaxed) != nullptr &&
               node->key.load(std::memory_order_relaxed) != key) {
            Node* next = node->next.load(std::memory_order_relaxed);
            if (next == nullptr) {
                next = new Node;  // stays, like the registry
                node->next.store(next, std::memory_order_release);
            }
            node = next;
        }
        node->key.store(key, std::memory_order_release);
        node->context.store(context, std::memory_order_release);
    }

    void remove(const void* key) {
        const std::scoped_lock lock(mutex_);
        for (Node* node = &first_; node != nullptr;
             node = node->next.load(std::memory_order_relaxed)) {
            if (node->key.load(std::memory_order_relaxed) != key) continue;
            node->key.store(nullptr, std::memory_order_relaxed);
            node->context.store(nullptr, std::memory_order_relaxed);
        }
    }

 private:
    struct Node {
        std::atomic<const void*> key = nullptr;
        std::atomic<Context*> context = nullptr;  // null: not used now
        std::atomic<Node*> next = nullptr;
    };

    Node first_;
    std::mutex mutex_;
};

// Of which there is one for each kind of contexts.
template <typename Context>
class Registry {
 public:
    template <typename Handle>
    std::shared_ptr<Context> find(Handle handle) {
        const auto found = contexts_.find(dispatchKey(handle));
        return found != contexts_.end() ? found->second : nullptr;
    }

    // For commands during which the context exists anyway: those on its objects.
    template <typename Handle>
    static Context* peek(Handle handle) noexcept {
        return list_.find(dispatchKey(handle));
    }

    template <typename Handle>
    void add(Handle handle, std::shared_ptr<Context> context) {
        void* const key = dispatchKey(handle);
        list_.add(key, context.get());
        process_ = system::processId();
        try {
            contexts_.insert_or_assign(key, std::move(context));
        } catch (...) {
            list_.remove(key);
            throw;
        }
    }

    template <typename Handle>
    std::shared_ptr<Context> take(Handle handle) {
        void* const key = dispatchKey(handle);
        const auto found = contexts_.pop(key);
        if (found == contexts_.end()) return nullptr;
        list_.remove(key);
        return found->second;
    }

    // Whether this process added the last one, and not the process that it is forked from.
    bool isOfThisProcess() const noexcept { return process_ == system::processId(); }

    // All contexts that exist now.
    template <typename F>
    void forEach(const F& function) {
        for (const auto& [key, context] : contexts_.snapshot()) function(*context);
    }

 private:
    vku::concurrent::unordered_map<void*, std::shared_ptr<Context>> contexts_;
    std::atomic<int> process_ = 0;
    inline static constinit ContextList<Context> list_;
};

// Never destroyed: other threads may still be in Vulkan while the process ends.
Registry<InstanceContext>& instances();
Registry<DeviceContext>& devices();

// The device of a command buffer, a queue or a device handle, during a command on it.
template <typename Handle>
DeviceContext& deviceOf(Handle handle) noexcept {
    return *Registry<DeviceContext>::peek(handle);
}

}  // namespace coopvk::layer
