// SPDX-License-Identifier: Apache-2.0
//
// The instance, its extensions and messengers; the device.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "dependencies/followed.hpp"

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

// Of the cooperative ones: those that the setting names, with commas between, or "all" or "none".
ExtensionSet extensionsOf(bool device, const Settings& settings) {
    const std::string& chosen = settings.extensions;
    const std::string list = "," + chosen + ",";
    ExtensionSet set;
    for (const ExtensionRow& row : kExtensionRows) {
        const std::string item = "," + std::string(row.name) + ",";
        const bool wanted = row.group == "graphics" ? settings.graphics
                                                    : row.group == "always" || chosen == "all" ||
                                                          list.find(item) != std::string::npos;
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
    for (const char* name : listOf(info.ppEnabledExtensionNames, info.enabledExtensionCount)) {
        require(name != nullptr, "the name of an extension is null");
        const auto found = available.find(name);
        if (found == available.end()) return false;
        enabled.insert(*found);
    }
    return true;
}

}  // namespace

VkResult EnumerateInstanceVersion(uint32_t* version) {
    *version = VK_API_VERSION_1_4;
    return VK_SUCCESS;
}

VkResult EnumerateInstanceExtensionProperties(const char*, uint32_t* count,
                                              VkExtensionProperties* out) {
    const Result<Settings> settings = settingsFromEnvironment();
    return listExtensions(extensionsOf(kOfInstance, settings ? *settings : Settings{}), count, out);
}

VkResult EnumerateDeviceExtensionProperties(PhysicalDevice& device, const char* layer,
                                            uint32_t* count, VkExtensionProperties* out) {
    return listExtensions(layer == nullptr ? device.extensions : ExtensionSet{}, count, out);
}

VkResult CreateInstance(const VkInstanceCreateInfo* info, Allocator, VkInstance* handle) {
    const Result<Settings> settings = settingsFromEnvironment();
    if (!settings) {
        std::fprintf(stderr, "coopvk reference device: %s\n", settings.error().message.c_str());
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    ExtensionSet enabled;
    if (!enable(*info, extensionsOf(kOfInstance, *settings), enabled))
        return VK_ERROR_EXTENSION_NOT_PRESENT;
    auto instance = std::make_shared<Instance>();
    instance->physical.instance = instance.get();
    instance->physical.settings = *settings;
    instance->physical.extensions = extensionsOf(kOfDevice, *settings);
    addHandle(std::shared_ptr<PhysicalDevice>(instance, &instance->physical), instance.get());
    *handle = give(instance, nullptr);
    return VK_SUCCESS;
}

// Devices keep it.
void DestroyInstance(Instance* instance, Allocator) {
    if (instance == nullptr) return;
    removeOwned(instance);
    removeHandle(*instance);
}

VkResult EnumeratePhysicalDevices(Instance* instance, uint32_t* count, VkPhysicalDevice* out) {
    return writeList(1, count, out,
                     [&](VkPhysicalDevice& to, uint32_t) { to = handleOf(instance->physical); });
}

VkResult EnumeratePhysicalDeviceGroups(Instance* instance, uint32_t* count,
                                       VkPhysicalDeviceGroupProperties* out) {
    return writeList(1, count, out, [&](VkPhysicalDeviceGroupProperties& to, uint32_t) {
        to.physicalDeviceCount = 1;
        to.physicalDevices[0] = handleOf(instance->physical);
        to.subsetAllocation = VK_FALSE;
    });
}

void send(Instance& instance, const Message& message) {
    const bool named = message.object != nullptr && !message.object->name.empty();
    const VkDebugUtilsObjectNameInfoEXT object{
        VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, nullptr,
        message.object != nullptr ? message.object->type : VK_OBJECT_TYPE_UNKNOWN,
        message.object != nullptr ? message.object->handle : 0,
        named ? message.object->name.c_str() : nullptr};
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
    SubmitDebugUtilsMessageEXT(&instance, message.severity, message.types, &data);
}

Message usageMessage(const Object* object, const std::string& text) {
    return {"coopvk-reference-usage", text, object};
}

void sendUsage(Instance* instance, const Object* object, const std::string& text) {
    if (instance != nullptr)
        send(*instance, usageMessage(object, text));
    else
        std::fprintf(stderr, "coopvk-reference-usage: %s\n", text.c_str());
}

void SubmitDebugUtilsMessageEXT(Instance* instance, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                VkDebugUtilsMessageTypeFlagsEXT types,
                                const VkDebugUtilsMessengerCallbackDataEXT* data) {
    std::vector<VkDebugUtilsMessengerCreateInfoEXT> wanting;  // they may make or destroy others
    {
        const std::lock_guard lock(instance->mutex);
        for (const DebugUtilsMessengerEXT* each : instance->messengers)
            if ((each->info.messageSeverity & severity) != 0 &&
                (each->info.messageType & types) != 0)
                wanting.push_back(each->info);
    }
    for (const VkDebugUtilsMessengerCreateInfoEXT& each : wanting)
        each.pfnUserCallback(severity, types, data, each.pUserData);
}

VkResult CreateDebugUtilsMessengerEXT(Instance* instance,
                                      const VkDebugUtilsMessengerCreateInfoEXT* info, Allocator,
                                      VkDebugUtilsMessengerEXT* messenger) {
    require(info->pfnUserCallback != nullptr, "the messenger has no function");
    auto made = std::make_shared<DebugUtilsMessengerEXT>();
    made->info = *info;
    const std::lock_guard lock(instance->mutex);
    instance->messengers.push_back(made.get());
    *messenger = give(made, instance);
    return VK_SUCCESS;
}

void DestroyDebugUtilsMessengerEXT(Instance* instance, DebugUtilsMessengerEXT* messenger,
                                   Allocator) {
    if (messenger == nullptr) return;
    const std::lock_guard lock(instance->mutex);
    std::erase(instance->messengers, messenger);
    removeHandle(*messenger);
}

VkResult SetDebugUtilsObjectNameEXT(Device&, const VkDebugUtilsObjectNameInfoEXT* info) {
    const auto object = findHandle(info->objectHandle, info->objectType);
    object->name = info->pObjectName == nullptr ? "" : info->pObjectName;
    return VK_SUCCESS;
}

namespace {

// How many of each family.
std::array<uint32_t, std::size(kFamilies)> queuesOf(const PhysicalDevice& device,
                                                    const VkDeviceCreateInfo& info) {
    std::array<uint32_t, std::size(kFamilies)> counts{};
    for (const auto& queues : listOf(info.pQueueCreateInfos, info.queueCreateInfoCount)) {
        require(queues.queueFamilyIndex < familiesOf(device).size(),
                "there is no such family of queues");
        const uint32_t count = queues.queueCount;
        require(count >= 1 && count <= kFamilies[queues.queueFamilyIndex].count,
                "the family has not so many queues");
        require(std::exchange(counts[queues.queueFamilyIndex], count) == 0,
                "a family of queues is asked for twice");
    }
    require(std::ranges::any_of(counts, [](uint32_t count) { return count != 0; }),
            "no family of queues is asked for");
    return counts;
}

}  // namespace

VkResult CreateDevice(PhysicalDevice& physical, const VkDeviceCreateInfo* info, Allocator,
                      VkDevice* out) {
    auto device = std::make_shared<Device>();
    if (!enable(*info, physical.extensions, device->extensions))
        return VK_ERROR_EXTENSION_NOT_PRESENT;
    if (!hasFeatures(physical, *info)) return VK_ERROR_FEATURE_NOT_PRESENT;
    device->queueCounts = queuesOf(physical, *info);
    const auto* robust = find<VkPhysicalDeviceRobustness2FeaturesEXT>(info->pNext);
    device->hasNullDescriptors = robust != nullptr && robust->nullDescriptor;
    const auto* more = find<VkPhysicalDeviceMaintenance8FeaturesKHR>(info->pNext);
    device->hasMaintenance8 = more != nullptr && more->maintenance8;
    device->physical = {physical.self.lock(), &physical};
    const Settings& settings = device->settings();
    const bool isStale = settings.schedule == Choice::kAdversarial;
    const bool isApart = settings.hostApart;
    if (isStale || isApart || (settings.checks & kCheckDependencies) != 0)
        device->dependencies = std::make_unique<Dependencies>(isStale, isApart);
    if (isApart) device->hostCopies = std::make_unique<HostCopies>();
    for (size_t i = 0; i < kQueueCount; ++i) {
        Queue& queue = device->queues[i];
        queue.device = device.get();
        queue.index = i;
        addHandle(std::shared_ptr<Queue>(device, &queue), device.get());
    }
    *out = give(device, nullptr);
    return VK_SUCCESS;
}

// The loader keeps a null device to itself. What the queue executes ends soon.
void DestroyDevice(Device& device, Allocator) {
    const std::shared_ptr<Object> last = device.self.lock();
    bool isIdle = true;
    device.change([&] {
        isIdle = device.idle();
        device.stopping = true;
    });
    if (device.thread.joinable()) device.thread.join();
    reportHostReads(device);
    removeOwned(&device);
    removeHandle(device);
    require(isIdle, "the queues had not executed all commands");
}

void GetDeviceQueue(Device& device, uint32_t family, uint32_t index, VkQueue* out) {
    *out = VK_NULL_HANDLE;
    require(family < std::size(kFamilies) && index < device.queueCounts[family],
            "the device has no such queue");
    *out = handleOf(device.queues[kFamilies[family].first + index]);
}

void GetDeviceQueue2(Device& device, const VkDeviceQueueInfo2* info, VkQueue* out) {
    GetDeviceQueue(device, info->queueFamilyIndex, info->queueIndex, out);
}

COOPVK_EMPTY_OBJECT(PrivateDataSlot)
VkResult SetPrivateData(Device& device, VkObjectType type, uint64_t handle, PrivateDataSlot* slot,
                        uint64_t data) {
    const auto object = findHandle(handle, type);
    const std::lock_guard lock(device.mutex);
    object->privateData[slot->handle] = data;
    return VK_SUCCESS;
}

void GetPrivateData(Device& device, VkObjectType type, uint64_t handle, PrivateDataSlot* slot,
                    uint64_t* data) {
    *data = 0;
    const auto object = findHandle(handle, type);
    const std::lock_guard lock(device.mutex);
    const auto found = object->privateData.find(slot->handle);
    if (found != object->privateData.end()) *data = found->second;
}

}  // namespace coopvk::reference::icd
