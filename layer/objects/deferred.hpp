// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <mutex>
#include <unordered_map>

namespace coopvk::layer {

class BuiltStages;

// Keeps what a deferred operation still reads: the structures and modules that the layer made for
// it. They are destroyed when the application destroys the operation or uses it again, which it may
// do only after the operation is complete.
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
