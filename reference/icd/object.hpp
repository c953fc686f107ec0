// SPDX-License-Identifier: Apache-2.0
//
// What every Vulkan object of the driver begins with, how handles and objects become each other;
// the functions for the commands of the registry, and how they make and destroy objects.
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
typename T::Handle handleOf(T* object) {
    return reinterpret_cast<typename T::Handle>(object);
}

// What a function here gets for an argument of a command: for handles, the objects. Their types
// have the names of the handles without Vk. References, where Vulkan has no null handles.
template <typename T>
struct Parameter {
    using Type = T;
};
template <typename T>
inline constexpr bool kIsObject = false;
#define COOPVK_HANDLE(name, form) \
    struct name;                  \
    template <>                   \
    struct Parameter<Vk##name> {  \
        using Object = name;      \
        using Type = name form;   \
    };                            \
    template <>                   \
    inline constexpr bool kIsObject<name> = true;
#include "handles.inc"
#undef COOPVK_HANDLE

template <typename H>
typename Parameter<H>::Object* objectOf(H handle) {
    return reinterpret_cast<typename Parameter<H>::Object*>(handle);
}

template <typename T>
typename Parameter<T>::Type parameter(T argument) {
    if constexpr (std::is_same_v<typename Parameter<T>::Type, T>)
        return argument;
    else if constexpr (std::is_reference_v<typename Parameter<T>::Type>)
        return *objectOf(argument);
    else
        return objectOf(argument);
}

// The type of the function that does what a command does; what the queue calls for a command that
// is recorded with its arguments as they are.
template <typename Command>
struct Implementation;
template <typename R, typename First, typename... Rest>
struct Implementation<R (*)(First, Rest...)> {
    using Type = R(typename Parameter<First>::Type, typename Parameter<Rest>::Type...);
    using Executed = void(Execution&, typename Parameter<Rest>::Type...);
};

// A command does what the function with its name does, which is defined somewhere in this folder,
// in `execution` the recorded ones; all others do nothing (commands.cpp). Weak: the address of a
// function that nobody defines is null.
#define COOPVK_COMMAND(name, target, level, extension) \
    [[gnu::weak]] Implementation<PFN_vk##target>::Type target;
#include "commands.inc"
#undef COOPVK_COMMAND

namespace execution {

#define COOPVK_COMMAND(name, target, level, extension) \
    [[gnu::weak]] Implementation<PFN_vk##target>::Executed target;
#include "commands.inc"
#undef COOPVK_COMMAND

}  // namespace execution

using Allocator = const VkAllocationCallbacks*;  // not used

// vkDestroy*, and vkCreate* of an object that is constructed with a device and the create info.
#define COOPVK_DESTROY(name) \
    void Destroy##name(Device&, name* object, Allocator) { delete object; }
#define COOPVK_OBJECT(name)                                                            \
    VkResult Create##name(Device& device, const Vk##name##CreateInfo* info, Allocator, \
                          Vk##name* out) {                                             \
        *out = handleOf(new name(device, *info));                                      \
        return VK_SUCCESS;                                                             \
    }                                                                                  \
    COOPVK_DESTROY(name)
// Of an object that holds nothing.
#define COOPVK_EMPTY_OBJECT(name)      \
    struct name : ObjectOf<Vk##name> { \
        using ObjectOf::ObjectOf;      \
    };                                 \
    COOPVK_OBJECT(name)

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
