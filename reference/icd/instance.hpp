// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "coopvk_reference/settings.hpp"
#include "extensions.hpp"
#include "object.hpp"

namespace coopvk::reference::icd {

struct Messenger : Object {
    using Handle = VkDebugUtilsMessengerEXT;
    VkDebugUtilsMessengerCreateInfoEXT info;
};

struct Instance;

// The one device; part of the instance.
struct PhysicalDevice : Object {
    using Handle = VkPhysicalDevice;
    Instance* instance = nullptr;
    Settings settings;
    ExtensionSet extensions;  // that devices may enable
};

struct Instance : Object {
    using Handle = VkInstance;
    PhysicalDevice physical;
    std::mutex mutex;  // guards messengers
    std::vector<Messenger*> messengers;
};

// What a message is about.
struct Message {
    VkDebugUtilsMessageSeverityFlagBitsEXT severity;
    VkDebugUtilsMessageTypeFlagsEXT types;
    std::string id;
    std::string text;
    VkObjectType type = VK_OBJECT_TYPE_UNKNOWN;  // of object
    Object* object = nullptr;                    // null: of no object
};

// To the instance's messengers that want it; to stderr if there is no messenger at all.
void send(Instance& instance, const Message& message);

}  // namespace coopvk::reference::icd
