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

// A use of the interface that is not valid. Functions of commands throw it; the entry point sends
// the message and returns VK_ERROR_VALIDATION_FAILED.
struct InvalidUse {
    std::string message;
};

// Throws InvalidUse unless a call is valid.
inline void require(bool isValid, const char* message) {
    if (!isValid) throw InvalidUse{message};
}

// The base of each object, at its beginning: dispatchable handles point to the loader's word, and
// names and private data belong to any object. No object has virtual functions.
struct Object {
    VK_LOADER_DATA loader{ICD_LOADER_MAGIC};
    VkObjectType type = VK_OBJECT_TYPE_UNKNOWN;
    uint64_t handle = 0;                       // that the program has; 0: none
    const void* owner = nullptr;               // instance, device or pool with which it goes
    std::weak_ptr<Object> self;                // ends when the program destroys the object
    std::string name;                          // of VK_EXT_debug_utils
    std::map<uint64_t, uint64_t> privateData;  // by slot; guarded by the device's mutex
};

// The registry of handles: what programs have made and not destroyed. Handles to which loaders need
// a pointer are the addresses of the objects; the others are numbers, and none is used twice.
void addHandle(const std::shared_ptr<Object>& object, const void* owner);
// Throws InvalidUse if there is no such object.
std::shared_ptr<Object> findHandle(uint64_t handle, VkObjectType type);
// The object lives on where something else holds it.
void removeHandle(const Object& object);
void removeOwned(const void* owner);
std::vector<std::shared_ptr<Object>> ownedBy(const void* owner);
// Throws InvalidUse unless the object goes with this device or instance, itself or by its pool.
void requireOwner(const Object& object, const void* owner);

// What a function here gets for an argument of a command: for handles, the objects. Their types
// have the names of the handles without Vk. References, where Vulkan has no null handles.
template <typename T>
struct Parameter {
    using Type = T;
};
template <typename T>
inline constexpr bool kIsObject = false;
#define COOPVK_HANDLE(name, form, type)               \
    struct name;                                      \
    template <>                                       \
    struct Parameter<Vk##name> {                      \
        using Object = name;                          \
        using Type = name form;                       \
        static constexpr VkObjectType kObject = type; \
    };                                                \
    template <>                                       \
    inline constexpr bool kIsObject<name> = true;
#include "handles.inc"
#undef COOPVK_HANDLE

// The constructor with two parameters is for objects that hold nothing of what they are made with.
template <typename H>
struct ObjectOf : Object {
    using Handle = H;
    ObjectOf() { type = Parameter<H>::kObject; }
    template <typename Info>
    ObjectOf(Device&, const Info&) : ObjectOf() {}
};

template <typename T>
typename T::Handle handleOf(const T& object) {
    return reinterpret_cast<typename T::Handle>(object.handle);
}

// Gives the program a handle of the object.
template <typename T>
typename T::Handle give(const std::shared_ptr<T>& object, const void* owner) {
    addHandle(object, owner);
    return handleOf(*object);
}

// Null for null handles.
template <typename H>
std::shared_ptr<typename Parameter<H>::Object> sharedOf(H handle) {
    if (handle == H{}) return nullptr;
    auto found = findHandle(reinterpret_cast<uint64_t>(handle), Parameter<H>::kObject);
    auto* object = reinterpret_cast<typename Parameter<H>::Object*>(found.get());
    return {std::move(found), object};
}
template <typename H>
typename Parameter<H>::Object* objectOf(H handle) {
    return sharedOf(handle).get();
}
// Of a handle that must not be null.
template <typename H>
typename Parameter<H>::Object& theObject(H handle) {
    require(handle != H{}, "a handle is null");
    return *objectOf(handle);
}

// Of this device, too.
template <typename H>
typename Parameter<H>::Object& theObject(H handle, const Device& device) {
    auto& object = theObject(handle);
    requireOwner(object, &device);
    return object;
}

template <typename T>
typename Parameter<T>::Type parameter(T argument) {
    if constexpr (std::is_same_v<typename Parameter<T>::Type, T>)
        return argument;
    else if constexpr (std::is_reference_v<typename Parameter<T>::Type>)
        return theObject(argument);
    else
        return objectOf(argument);
}

// The elements of an array in the caller's memory.
template <typename T>
std::span<const T> listOf(const T* elements, size_t count) {
    require(elements != nullptr || count == 0, "an array with elements is null");
    return {elements, count};
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
#define COOPVK_COMMAND(name, target, level, extension, needed) \
    [[gnu::weak]] Implementation<PFN_vk##target>::Type target;
#include "commands.inc"
#undef COOPVK_COMMAND

namespace execution {

#define COOPVK_COMMAND(name, target, level, extension, needed) \
    [[gnu::weak]] Implementation<PFN_vk##target>::Executed target;
#include "commands.inc"
#undef COOPVK_COMMAND

}  // namespace execution

using Allocator = const VkAllocationCallbacks*;  // not used

// vkDestroy*, and vkCreate* of an object that is constructed with a device and the create info.
#define COOPVK_DESTROY(name)                               \
    void Destroy##name(Device&, name* object, Allocator) { \
        if (object != nullptr) removeHandle(*object);      \
    }
#define COOPVK_CREATE(name)                                                            \
    VkResult Create##name(Device& device, const Vk##name##CreateInfo* info, Allocator, \
                          Vk##name* out) {                                             \
        *out = give(std::make_shared<name>(device, *info), &device);                   \
        return VK_SUCCESS;                                                             \
    }
#define COOPVK_OBJECT(name) \
    COOPVK_CREATE(name)     \
    COOPVK_DESTROY(name)
// Of an object that holds nothing.
#define COOPVK_EMPTY_OBJECT(name)      \
    struct name : ObjectOf<Vk##name> { \
        using ObjectOf::ObjectOf;      \
    };                                 \
    COOPVK_OBJECT(name)

// Makes the objects of a pool, which go with it, by make(i), which returns a std::shared_ptr; all
// or none.
template <typename H, typename Make>
VkResult giveAll(const void* pool, uint32_t count, H* out, const Make& make) {
    std::fill_n(out, count, H{});
    std::vector<decltype(make(0))> made;
    try {
        for (uint32_t i = 0; i < count; ++i) {
            made.push_back(make(i));
            addHandle(made.back(), pool);
        }
    } catch (...) {
        for (const auto& each : made) removeHandle(*each);
        throw;
    }
    std::ranges::transform(made, out, [](const auto& each) { return handleOf(*each); });
    return VK_SUCCESS;
}

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
