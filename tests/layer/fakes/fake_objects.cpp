// SPDX-License-Identifier: Apache-2.0
#include "fakes/fake_objects.hpp"

namespace coopvk::test {

bool FakeObjects::make(uint64_t handle, const VkAllocationCallbacks* allocator) {
    void* memory = nullptr;
    if (allocator != nullptr) {
        memory = allocator->pfnAllocation(allocator->pUserData, 16, 16,
                                          VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
        if (memory == nullptr) return false;
    }
    memory_.emplace(handle, memory);
    return true;
}

void FakeObjects::destroy(uint64_t handle, const VkAllocationCallbacks* allocator) {
    if (handle == 0) return;
    const auto found = memory_.find(handle);
    if (found == memory_.end() || (found->second != nullptr) != (allocator != nullptr)) {
        ++mistakes_;
    } else if (allocator != nullptr) {
        allocator->pfnFree(allocator->pUserData, found->second);
    }
    if (found != memory_.end()) memory_.erase(found);
}

}  // namespace coopvk::test
