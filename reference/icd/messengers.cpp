// SPDX-License-Identifier: Apache-2.0
//
// VK_EXT_debug_utils: messengers, and names of objects.
#include <algorithm>
#include <cstdio>

#include "commands.hpp"
#include "instance.hpp"

namespace coopvk::reference::icd {
namespace {

void call(const std::vector<VkDebugUtilsMessengerCreateInfoEXT>& messengers,
          VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
          const VkDebugUtilsMessengerCallbackDataEXT& data) {
    for (const VkDebugUtilsMessengerCreateInfoEXT& messenger : messengers) {
        if ((messenger.messageSeverity & severity) != 0 && (messenger.messageType & types) != 0)
            messenger.pfnUserCallback(severity, types, &data, messenger.pUserData);
    }
}

// Copies: a callback may make or destroy messengers.
std::vector<VkDebugUtilsMessengerCreateInfoEXT> messengersOf(Instance& instance) {
    const std::lock_guard lock(instance.mutex);
    std::vector<VkDebugUtilsMessengerCreateInfoEXT> result;
    for (const Messenger* messenger : instance.messengers) result.push_back(messenger->info);
    return result;
}

}  // namespace

void send(Instance& instance, const Message& message) {
    const auto messengers = messengersOf(instance);
    if (messengers.empty()) {
        std::fprintf(stderr, "%s: %s\n", message.id.c_str(), message.text.c_str());
        return;
    }
    VkDebugUtilsObjectNameInfoEXT object{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
    VkDebugUtilsMessengerCallbackDataEXT data{
        VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT};
    data.pMessageIdName = message.id.c_str();
    data.pMessage = message.text.c_str();
    if (message.object != nullptr) {
        object.objectType = message.type;
        object.objectHandle = reinterpret_cast<uint64_t>(message.object);
        object.pObjectName = message.object->name.empty() ? nullptr : message.object->name.c_str();
        data.objectCount = 1;
        data.pObjects = &object;
    }
    call(messengers, message.severity, message.types, data);
}

VkResult CreateDebugUtilsMessengerEXT(VkInstance handle,
                                      const VkDebugUtilsMessengerCreateInfoEXT* info,
                                      const VkAllocationCallbacks*,
                                      VkDebugUtilsMessengerEXT* messenger) {
    Instance& instance = *from<Instance>(handle);
    const std::lock_guard lock(instance.mutex);
    instance.messengers.reserve(instance.messengers.size() + 1);
    instance.messengers.push_back(new Messenger{{}, *info});
    *messenger = handleOf(instance.messengers.back());
    return VK_SUCCESS;
}

void DestroyDebugUtilsMessengerEXT(VkInstance handle, VkDebugUtilsMessengerEXT messenger,
                                   const VkAllocationCallbacks*) {
    Instance& instance = *from<Instance>(handle);
    const std::lock_guard lock(instance.mutex);
    std::erase(instance.messengers, from<Messenger>(messenger));
    delete from<Messenger>(messenger);
}

void SubmitDebugUtilsMessageEXT(VkInstance handle, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                VkDebugUtilsMessageTypeFlagsEXT types,
                                const VkDebugUtilsMessengerCallbackDataEXT* data) {
    call(messengersOf(*from<Instance>(handle)), severity, types, *data);
}

VkResult SetDebugUtilsObjectNameEXT(VkDevice, const VkDebugUtilsObjectNameInfoEXT* info) {
    auto* object = reinterpret_cast<Object*>(info->objectHandle);
    object->name = info->pObjectName == nullptr ? "" : info->pObjectName;
    return VK_SUCCESS;
}

}  // namespace coopvk::reference::icd
