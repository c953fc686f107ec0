// SPDX-License-Identifier: Apache-2.0
//
// Finds the context of a dispatchable handle. All handles of an instance or device have the same
// dispatch key: the pointer that the loader keeps in their first word.
#pragma once

#include <memory>
#include <vulkan/utility/vk_concurrent_unordered_map.hpp>

#include "context.hpp"

namespace coopvk::layer {

template <typename Handle>
void* dispatchKey(Handle handle) {
    return *reinterpret_cast<void* const*>(handle);
}

template <typename Context>
class Registry {
 public:
    template <typename Handle>
    std::shared_ptr<Context> find(Handle handle) {
        const auto found = contexts_.find(dispatchKey(handle));
        return found != contexts_.end() ? found->second : nullptr;
    }

    template <typename Handle>
    void add(Handle handle, std::shared_ptr<Context> context) {
        contexts_.insert_or_assign(dispatchKey(handle), std::move(context));
    }

    template <typename Handle>
    std::shared_ptr<Context> take(Handle handle) {
        const auto found = contexts_.pop(dispatchKey(handle));
        return found != contexts_.end() ? found->second : nullptr;
    }

    // All contexts that exist now.
    template <typename F>
    void forEach(const F& function) {
        for (const auto& [key, context] : contexts_.snapshot()) function(*context);
    }

 private:
    vku::concurrent::unordered_map<void*, std::shared_ptr<Context>> contexts_;
};

// Never destroyed: other threads may still be in Vulkan while the process ends.
Registry<InstanceContext>& instances();
Registry<DeviceContext>& devices();

}  // namespace coopvk::layer
