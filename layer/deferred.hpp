// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <mutex>
#include <unordered_map>

namespace coopvk::layer {

class BuiltStages;

// Keeps what a deferred operation still reads: the structures and modules that the layer made for
// it. Dropped when the operation is destroyed, or used again, which it may only be once complete.
class DeferredHolds {
 public:
    DeferredHolds();
    ~DeferredHolds();

    void hold(VkDeferredOperationKHR operation, std::shared_ptr<BuiltStages> built);
    void drop(VkDeferredOperationKHR operation);
    void clear();

 private:
    std::mutex mutex_;
    std::unordered_map<uint64_t, std::shared_ptr<BuiltStages>> held_;
};

}  // namespace coopvk::layer
