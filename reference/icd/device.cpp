// SPDX-License-Identifier: Apache-2.0
//
// The instance, its extensions and messengers; the device.
#include "device.hpp"

#include <cstdio>

namespace coopvk::reference::icd {
namespace {

constexpr bool kOfInstance = false, kOfDevice = true;

struct ExtensionRow {
    std::string_view name;
    uint32_t version;
    bool ofDevice;
    std::string_view group;  // in extensions.txt
};

constexpr ExtensionRow kExtensionRows[] = {
#include "extensions.inc"
};

// Of the cooperative ones: those that `chosen` names, with commas between, or "all" or "none".
ExtensionSet extensionsOf(bool device, const std::string& chosen) {
    const std::string list = "," + chosen + ",";
    ExtensionSet set;
    for (const ExtensionRow& row : kExtensionRows) {
        const std::string item = "," + std::string(row.name) + ",";
        const bool wanted =
            row.group == "always" || chosen == "all" || list.find(item) != std::string::npos;
        if (row.ofDevice == device && wanted) set.emplace(row.name, row.version);
    }
    return set;
}

VkResult listExtensions(const ExtensionSet& set, uint32_t* count, VkExtensionProperties* out) {
    auto next = set.begin();
    return writeList(uint32_t(set.size()), count, out, [&](VkExtensionProperties& to, uint32_t) {
        to = {};
        next->first.copy(to.extensionName, VK_MAX_EXTENSION_NAME_SIZE - 1);
        to.specVersion = next->second;
        ++next;
    });
}

// Adds the names that the caller's structure asks for; false if one is not available.
template <typename Info>
bool enable(const Info& info, const ExtensionSet& available, ExtensionSet& enabled) {
    for (const char* name : std::span(info.ppEnabledExtensionNames, info.enabledExtensionCount)) {
        const auto found = available.find(name);
        if (found == available.end()) return false;
        enabled.insert(*found);
    }
    return true;
}

using PrivateDataSlot = ObjectOf<VkPrivateDataSlot>;
// Objects that programs may make on any device, though nothing here reads them. All other commands
// of graphics and images fail.
using Sampler = ObjectOf<VkSampler>;
using RenderPass = ObjectOf<VkRenderPass>;

}  // namespace

VkResult EnumerateInstanceVersion(uint32_t* version) {
    *version = VK_API_VERSION_1_4;
    return VK_SUCCESS;
}

VkResult EnumerateInstanceExtensionProperties(const char*, uint32_t* count,
                                              VkExtensionProperties* out) {
    return listExtensions(extensionsOf(kOfInstance, "all"), count, out);
}

VkResult EnumerateDeviceExtensionProperties(VkPhysicalDevice handle, const char* layer,
                                            uint32_t* count, VkExtensionProperties* out) {
    const ExtensionSet none;
    const ExtensionSet& available = from<PhysicalDevice>(handle)->extensions;
    return listExtensions(layer == nullptr ? available : none, count, out);
}

VkResult CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks*,
                        VkInstance* handle) {
    ExtensionSet enabled;
    if (!enable(*info, extensionsOf(kOfInstance, "all"), enabled))
        return VK_ERROR_EXTENSION_NOT_PRESENT;
    auto instance = std::make_unique<Instance>();
    const Result<Settings> settings = settingsFromEnvironment();
    if (!settings) {
        std::fprintf(stderr, "coopvk reference device: %s\n", settings.error().message.c_str());
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    instance->physical.instance = instance.get();
    instance->physical.settings = *settings;
    instance->physical.extensions = extensionsOf(kOfDevice, settings->extensions);
    *handle = handleOf(instance.release());
    return VK_SUCCESS;
}

void DestroyInstance(VkInstance handle, const VkAllocationCallbacks*) {
    delete from<Instance>(handle);
}

VkResult EnumeratePhysicalDevices(VkInstance handle, uint32_t* count, VkPhysicalDevice* out) {
    PhysicalDevice& device = from<Instance>(handle)->physical;
    return writeList(1, count, out,
                     [&](VkPhysicalDevice& to, uint32_t) { to = handleOf(&device); });
}

VkResult EnumeratePhysicalDeviceGroups(VkInstance handle, uint32_t* count,
                                       VkPhysicalDeviceGroupProperties* out) {
    PhysicalDevice& device = from<Instance>(handle)->physical;
    return writeList(1, count, out, [&](VkPhysicalDeviceGroupProperties& to, uint32_t) {
        to.physicalDeviceCount = 1;
        to.physicalDevices[0] = handleOf(&device);
        to.subsetAllocation = VK_FALSE;
    });
}

void send(Instance& instance, const Message& message) {
    const bool named = message.object != nullptr && !message.object->name.empty();
    const VkDebugUtilsObjectNameInfoEXT object{
        VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, nullptr, message.type,
        reinterpret_cast<uint64_t>(message.object), named ? message.object->name.c_str() : nullptr};
    VkDebugUtilsMessengerCallbackDataEXT data{
        VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT};
    data.pMessageIdName = message.id.c_str();
    data.pMessage = message.text.c_str();
    data.objectCount = message.object != nullptr;
    data.pObjects = &object;
    {
        const std::lock_guard lock(instance.mutex);
        if (instance.messengers.empty())
            std::fprintf(stderr, "%s: %s\n", message.id.c_str(), message.text.c_str());
    }
    SubmitDebugUtilsMessageEXT(handleOf(&instance), message.severity, message.types, &data);
}

void SubmitDebugUtilsMessageEXT(VkInstance handle, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                VkDebugUtilsMessageTypeFlagsEXT types,
                                const VkDebugUtilsMessengerCallbackDataEXT* data) {
    Instance& instance = *from<Instance>(handle);
    std::vector<VkDebugUtilsMessengerCreateInfoEXT> wanting;  // they may make or destroy others
    {
        const std::lock_guard lock(instance.mutex);
        for (const Messenger* each : instance.messengers)
            if ((each->info.messageSeverity & severity) != 0 &&
                (each->info.messageType & types) != 0)
                wanting.push_back(each->info);
    }
    for (const VkDebugUtilsMessengerCreateInfoEXT& each : wanting)
        each.pfnUserCallback(severity, types, data, each.pUserData);
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

VkResult SetDebugUtilsObjectNameEXT(VkDevice, const VkDebugUtilsObjectNameInfoEXT* info) {
    auto* object = reinterpret_cast<Object*>(info->objectHandle);
    object->name = info->pObjectName == nullptr ? "" : info->pObjectName;
    return VK_SUCCESS;
}

VkResult Device::refuse(const std::string& message) const {
    send(*physical->instance, {"coopvk-reference-usage", message, this, VK_OBJECT_TYPE_DEVICE});
    return VK_ERROR_VALIDATION_FAILED_EXT;
}

VkResult CreateDevice(VkPhysicalDevice handle, const VkDeviceCreateInfo* info,
                      const VkAllocationCallbacks*, VkDevice* out) {
    PhysicalDevice& physical = *from<PhysicalDevice>(handle);
    auto device = std::make_unique<Device>();
    if (!enable(*info, physical.extensions, device->extensions))
        return VK_ERROR_EXTENSION_NOT_PRESENT;
    if (!hasFeatures(physical, *info)) return VK_ERROR_FEATURE_NOT_PRESENT;
    device->physical = &physical;
    device->queue.device = device.get();
    *out = handleOf(device.release());
    return VK_SUCCESS;
}

void DestroyDevice(VkDevice handle, const VkAllocationCallbacks*) {
    Device* device = from<Device>(handle);
    if (device != nullptr) device->queue.stop();
    delete device;
}

void GetDeviceQueue(VkDevice handle, uint32_t, uint32_t, VkQueue* out) {
    *out = handleOf(&from<Device>(handle)->queue);
}

void GetDeviceQueue2(VkDevice handle, const VkDeviceQueueInfo2*, VkQueue* out) {
    GetDeviceQueue(handle, 0, 0, out);
}

COOPVK_OBJECT(PrivateDataSlot)
COOPVK_OBJECT(Sampler)
COOPVK_OBJECT(RenderPass)

VkResult CreateRenderPass2(VkDevice device, const VkRenderPassCreateInfo2*,
                           const VkAllocationCallbacks* allocator, VkRenderPass* out) {
    const VkRenderPassCreateInfo none{};
    return CreateRenderPass(device, &none, allocator, out);
}

VkResult SetPrivateData(VkDevice handle, VkObjectType, uint64_t object, VkPrivateDataSlot slot,
                        uint64_t data) {
    const std::lock_guard lock(from<Device>(handle)->mutex);
    reinterpret_cast<Object*>(object)->privateData[from<PrivateDataSlot>(slot)] = data;
    return VK_SUCCESS;
}

void GetPrivateData(VkDevice handle, VkObjectType, uint64_t object, VkPrivateDataSlot slot,
                    uint64_t* data) {
    const std::lock_guard lock(from<Device>(handle)->mutex);
    const auto& all = reinterpret_cast<Object*>(object)->privateData;
    const auto found = all.find(from<PrivateDataSlot>(slot));
    *data = found == all.end() ? 0 : found->second;
}

}  // namespace coopvk::reference::icd
