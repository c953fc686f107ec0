// SPDX-License-Identifier: Apache-2.0
//
// What the files with the fake driver's commands share.
#pragma once

#include <utility>
#include <vector>

#include "fakes/fake_commands.hpp"
#include "fakes/fake_driver.hpp"

namespace coopvk::test::fake {

inline FakeDriver& driver() { return *current(); }

template <typename Handle>
VkResult makeObject(const VkAllocationCallbacks* allocator, Handle* out) {
    driver().allocators.insert(allocator);
    const uint64_t number = nextHandle();
    if (!driver().objects.make(number, allocator)) return VK_ERROR_OUT_OF_HOST_MEMORY;
    *out = reinterpret_cast<Handle>(number);
    return VK_SUCCESS;
}

template <typename Handle>
void destroyObject(VkDevice, Handle handle, const VkAllocationCallbacks* allocator) {
    driver().objects.destroy(numberOf(handle), allocator);
}

// The object of a dispatchable handle: the loader's word, which differs for each.
struct Dispatchable {
    void* key = this;
};

inline std::vector<VkStructureType> typesOf(const void* chain) {
    std::vector<VkStructureType> types;
    for (auto* node = static_cast<const VkBaseInStructure*>(chain); node; node = node->pNext) {
        types.push_back(node->sType);
    }
    return types;
}

// The commands of each file.
std::span<const Entry> instanceEntries();
std::span<const Entry> deviceEntries();
std::span<const Entry> shaderEntries();
std::span<const Entry> commandBufferEntries();
std::span<const Entry> memoryEntries();

}  // namespace coopvk::test::fake
