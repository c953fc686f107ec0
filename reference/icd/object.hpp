// SPDX-License-Identifier: Apache-2.0
//
// What every Vulkan object of the driver begins with, and how handles and objects become each
// other.
#pragma once

#include <vulkan/vulkan.h>
// Its macros need the types above.
#include <vulkan/vk_icd.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace coopvk::reference::icd {

// The base of each object, at its beginning: dispatchable handles point to the loader's word, and
// names and private data belong to any object. No object has virtual functions.
struct Object {
    VK_LOADER_DATA loader{ICD_LOADER_MAGIC};
    std::string name;                               // of VK_EXT_debug_utils
    std::map<const Object*, uint64_t> privateData;  // by slot; guarded by the device's mutex
};

template <typename T>
T* from(typename T::Handle handle) {
    return reinterpret_cast<T*>(handle);
}

template <typename T>
typename T::Handle handleOf(T* object) {
    return reinterpret_cast<typename T::Handle>(object);
}

// Makes an object; std::bad_alloc becomes VK_ERROR_OUT_OF_HOST_MEMORY at the entry point.
template <typename T, typename... Arguments>
VkResult make(typename T::Handle* handle, Arguments&&... arguments) {
    *handle = handleOf(new T{{}, std::forward<Arguments>(arguments)...});
    return VK_SUCCESS;
}

// vkDestroy* of objects that nothing else knows.
template <typename T>
void destroy(VkDevice, typename T::Handle handle, const VkAllocationCallbacks*) {
    delete from<T>(handle);
}

// The structure of a type in a chain, or null.
template <typename T>
const T* find(const void* chain, VkStructureType type) {
    for (auto* node = static_cast<const VkBaseInStructure*>(chain); node; node = node->pNext) {
        if (node->sType == type) return reinterpret_cast<const T*>(node);
    }
    return nullptr;
}
template <typename T>
T* findOut(void* chain, VkStructureType type) {
    return const_cast<T*>(find<T>(chain, type));
}

// vkEnumerate* and vkGet*: `put(element, i)` writes element i of `size`. Counts and VK_INCOMPLETE
// as for every such command.
template <typename T, typename Put>
VkResult writeList(uint32_t size, uint32_t* count, T* out, const Put& put) {
    if (out == nullptr) {
        *count = size;
        return VK_SUCCESS;
    }
    const bool whole = *count >= size;
    if (whole) *count = size;
    for (uint32_t i = 0; i < *count; ++i) put(out[i], i);
    return whole ? VK_SUCCESS : VK_INCOMPLETE;
}

}  // namespace coopvk::reference::icd
