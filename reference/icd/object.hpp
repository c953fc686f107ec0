// SPDX-License-Identifier: Apache-2.0
//
// What every Vulkan object of the driver begins with, how handles and objects become each other;
// the commands of the registry that the device knows, and how they make and destroy objects.
#pragma once

#include <vulkan/vulkan.h>
// Its macros need the types above.
#include <vulkan/vk_icd.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>
#include <vulkan/utility/vk_struct_helper.hpp>

namespace coopvk::reference::icd {

struct Device;
struct Execution;

// The base of each object, at its beginning: dispatchable handles point to the loader's word, and
// names and private data belong to any object. No object has virtual functions.
struct Object {
    VK_LOADER_DATA loader{ICD_LOADER_MAGIC};
    std::string name;                               // of VK_EXT_debug_utils
    std::map<const Object*, uint64_t> privateData;  // by slot; guarded by the device's mutex
    std::shared_ptr<const void> life = std::make_shared<char>();  // ends with the object
};

// The constructor is for objects that hold nothing of what they are made with.
template <typename H>
struct ObjectOf : Object {
    using Handle = H;
    ObjectOf() = default;
    template <typename Info>
    ObjectOf(Device&, const Info&) {}
};

template <typename T>
T* from(typename T::Handle handle) {
    return reinterpret_cast<T*>(handle);
}

template <typename T>
typename T::Handle handleOf(T* object) {
    return reinterpret_cast<typename T::Handle>(object);
}

// Handles are pointers to types that have no definition.
template <typename T>
inline constexpr bool kIsHandle =
    std::is_pointer_v<T> && !std::is_void_v<std::remove_pointer_t<T>> &&
    !requires { sizeof(std::remove_pointer_t<T>); };

// One that has a definition somewhere in this folder does what it says; all others do nothing
// (commands.cpp). Weak: the address of a command that nobody defines is null.
#define COOPVK_COMMAND(name, target, level, extension) \
    [[gnu::weak]] std::remove_pointer_t<PFN_vk##target> target;
#include "commands.inc"
#undef COOPVK_COMMAND

// Commands that are recorded with their arguments as these are; here is what the queue then calls.
namespace execution {

template <typename Command>
struct Executed;
template <typename R, typename First, typename... Rest>
struct Executed<R (*)(First, Rest...)> {
    using Type = void(Execution&, Rest...);
};

#define COOPVK_COMMAND(name, target, level, extension) \
    [[gnu::weak]] Executed<PFN_vk##target>::Type target;
#include "commands.inc"
#undef COOPVK_COMMAND

}  // namespace execution

// vkDestroy*, and vkCreate* of an object that is constructed with a device and the create info.
#define COOPVK_DESTROY(name)                                                      \
    void Destroy##name(VkDevice, Vk##name handle, const VkAllocationCallbacks*) { \
        delete from<name>(handle);                                                \
    }
#define COOPVK_OBJECT(name)                                                   \
    VkResult Create##name(VkDevice device, const Vk##name##CreateInfo* info,  \
                          const VkAllocationCallbacks*, Vk##name* out) {      \
        *out = handleOf(new name(*reinterpret_cast<Device*>(device), *info)); \
        return VK_SUCCESS;                                                    \
    }                                                                         \
    COOPVK_DESTROY(name)

// The objects of a pool, which go with it.
template <typename T>
class Children {
 public:
    using Handle = typename T::Handle;

    // Makes each by make(i), which returns a std::unique_ptr; all or none.
    template <typename Make>
    VkResult add(uint32_t count, Handle* out, const Make& make) {
        std::fill_n(out, count, Handle{});
        std::map<Handle, std::unique_ptr<T>> added;
        std::vector<Handle> handles;
        for (uint32_t i = 0; i < count; ++i) {
            std::unique_ptr<T> child = make(i);
            handles.push_back(handleOf(child.get()));
            added.emplace(handles.back(), std::move(child));
        }
        all.merge(added);
        std::copy(handles.begin(), handles.end(), out);
        return VK_SUCCESS;
    }
    void remove(uint32_t count, const Handle* handles) {
        for (uint32_t i = 0; i < count; ++i) all.erase(handles[i]);
    }

    std::map<Handle, std::unique_ptr<T>> all;
};

// The structure of type T in a chain, or null.
template <typename T, typename Chain>
auto* find(Chain* chain) {
    return vku::FindStructInPNextChain<T>(chain);
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
