// SPDX-License-Identifier: Apache-2.0
//
// The registry of handles.
#include <vulkan/vk_enum_string_helper.h>

#include <format>
#include <mutex>
#include <unordered_map>

#include "object.hpp"

namespace coopvk::reference::icd {
namespace {

bool isDispatchable(VkObjectType type) {
    return type == VK_OBJECT_TYPE_INSTANCE || type == VK_OBJECT_TYPE_PHYSICAL_DEVICE ||
           type == VK_OBJECT_TYPE_DEVICE || type == VK_OBJECT_TYPE_QUEUE ||
           type == VK_OBJECT_TYPE_COMMAND_BUFFER;
}

struct Registry {
    std::mutex mutex;
    std::unordered_map<uint64_t, std::shared_ptr<Object>> objects;
    uint64_t next = uint64_t{1} << 63;  // no address
};

Registry& registry() {
    static Registry& all = *new Registry;  // programs may call while they exit
    return all;
}

}  // namespace

void addHandle(const std::shared_ptr<Object>& object, const void* owner) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const uint64_t handle =
        isDispatchable(object->type) ? reinterpret_cast<uint64_t>(object.get()) : all.next++;
    all.objects.emplace(handle, object);
    object->handle = handle;
    object->owner = owner;
    object->self = object;
}

std::shared_ptr<Object> findHandle(uint64_t handle, VkObjectType type) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const auto found = all.objects.find(handle);
    if (found == all.objects.end())
        throw InvalidUse{
            std::format("there is no object with the handle {:#x}: it was destroyed, "
                        "or never made",
                        handle)};
    if (type != VK_OBJECT_TYPE_UNKNOWN && found->second->type != type)
        throw InvalidUse{
            std::format("the handle {:#x} is no {}", handle, string_VkObjectType(type))};
    return found->second;
}

void removeHandle(const Object& object) {
    Registry& all = registry();
    std::shared_ptr<Object> last;  // destroyed without the mutex
    const std::lock_guard lock(all.mutex);
    const auto found = all.objects.find(object.handle);
    if (found == all.objects.end()) return;
    last = std::move(found->second);
    all.objects.erase(found);
}

std::vector<std::shared_ptr<Object>> ownedBy(const void* owner) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    std::vector<std::shared_ptr<Object>> owned;
    for (const auto& [unused, object] : all.objects)
        if (object->owner == owner) owned.push_back(object);
    return owned;
}

void requireOwner(const Object& object, const void* owner) {
    const bool isOfPool = object.type == VK_OBJECT_TYPE_COMMAND_BUFFER ||
                          object.type == VK_OBJECT_TYPE_DESCRIPTOR_SET;
    const void* const own =
        isOfPool ? static_cast<const Object*>(object.owner)->owner : object.owner;
    if (own != owner)
        throw InvalidUse{
            std::format("the {} with the handle {:#x} is of another device or instance",
                        string_VkObjectType(object.type), object.handle)};
}

void removeOwned(const void* owner) {
    for (const std::shared_ptr<Object>& object : ownedBy(owner)) {
        if (object->type == VK_OBJECT_TYPE_COMMAND_POOL ||
            object->type == VK_OBJECT_TYPE_DESCRIPTOR_POOL)
            removeOwned(object.get());
        removeHandle(*object);
    }
}

}  // namespace coopvk::reference::icd
