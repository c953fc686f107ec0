// SPDX-License-Identifier: Apache-2.0
#include "objects/deferred.hpp"

namespace coopvk::layer {

DeferredHolds::DeferredHolds() = default;
DeferredHolds::~DeferredHolds() = default;

void DeferredHolds::hold(VkDeferredOperationKHR operation, std::shared_ptr<BuiltStages> built) {
    const std::scoped_lock lock(mutex_);
    // The object that was held before is destroyed only after the lock, since it destroys modules.
    held_[reinterpret_cast<uint64_t>(operation)].swap(built);
}

void DeferredHolds::drop(VkDeferredOperationKHR operation) {
    std::shared_ptr<BuiltStages> built;
    const std::scoped_lock lock(mutex_);
    const auto found = held_.find(reinterpret_cast<uint64_t>(operation));
    if (found == held_.end()) return;
    built = std::move(found->second);
    held_.erase(found);
}

void DeferredHolds::clear() {
    decltype(held_) held;  // as above
    const std::scoped_lock lock(mutex_);
    held.swap(held_);
}

}  // namespace coopvk::layer
