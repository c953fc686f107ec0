// SPDX-License-Identifier: Apache-2.0
//
// Another layer in the process. It appends a line to the file that COOPVK_TEST_NEIGHBOUR_LOG names
// for each shader module that passes, and tells whether it has cooperative matrices: above coopvk
// they have, below they have not.
#include <vulkan/vk_layer.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <type_traits>

namespace {

constexpr uint32_t kCapability = 17, kCooperativeMatrixKHR = 6022;

std::mutex mutex;
// By dispatch key: what the next in the chain has.
std::map<void*, PFN_vkGetInstanceProcAddr> instances;
std::map<void*, PFN_vkGetDeviceProcAddr> devices;

void* keyOf(const void* handle) { return *static_cast<void* const*>(handle); }

template <typename Create>
auto* chainLink(const Create* info, VkStructureType type) {
    using Link = std::conditional_t<std::is_same_v<Create, VkInstanceCreateInfo>,
                                    VkLayerInstanceCreateInfo, VkLayerDeviceCreateInfo>;
    auto* node = static_cast<Link*>(const_cast<void*>(info->pNext));
    while (node && (node->sType != type || node->function != VK_LAYER_LINK_INFO)) {
        node = static_cast<Link*>(const_cast<void*>(node->pNext));
    }
    return node;
}

template <typename Key, typename Value>
Value find(const std::map<Key, Value>& map, Key key) {
    const std::lock_guard lock(mutex);
    const auto found = map.find(key);
    return found != map.end() ? found->second : nullptr;
}

void tell(const char* line) {
    const char* path = std::getenv("COOPVK_TEST_NEIGHBOUR_LOG");
    if (path == nullptr) return;
    const std::lock_guard lock(mutex);
    if (std::FILE* file = std::fopen(path, "a")) {
        std::fprintf(file, "%s\n", line);
        std::fclose(file);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo* info,
                                              const VkAllocationCallbacks* allocator,
                                              VkInstance* instance) {
    auto* link = chainLink(info, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create =
        reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
    const VkResult result = create(info, allocator, instance);
    if (result != VK_SUCCESS) return result;
    const std::lock_guard lock(mutex);
    instances[keyOf(*instance)] = next;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL createDevice(VkPhysicalDevice physical,
                                            const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator,
                                            VkDevice* device) {
    auto* link = chainLink(info, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    const PFN_vkGetDeviceProcAddr nextDevice = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    // Without an instance, as many layers do.
    const auto create =
        reinterpret_cast<PFN_vkCreateDevice>(next(VK_NULL_HANDLE, "vkCreateDevice"));
    const VkResult result = create(physical, info, allocator, device);
    if (result != VK_SUCCESS) return result;
    const std::lock_guard lock(mutex);
    devices[keyOf(*device)] = nextDevice;
    return VK_SUCCESS;
}

bool hasMatrices(std::span<const uint32_t> words) {
    for (size_t i = 5; i + 1 < words.size() && (words[i] >> 16) != 0; i += words[i] >> 16) {
        if ((words[i] & 0xffff) == kCapability && words[i + 1] == kCooperativeMatrixKHR) {
            return true;
        }
    }
    return false;
}

VKAPI_ATTR VkResult VKAPI_CALL createShaderModule(VkDevice device,
                                                  const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks* allocator,
                                                  VkShaderModule* module) {
    tell(hasMatrices({info->pCode, info->codeSize / 4}) ? "with matrices" : "without matrices");
    const auto next = find(devices, keyOf(device));
    return reinterpret_cast<PFN_vkCreateShaderModule>(next(device, "vkCreateShaderModule"))(
        device, info, allocator, module);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice device, const char* name) {
    if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) {
        return reinterpret_cast<PFN_vkVoidFunction>(getDeviceProcAddr);
    }
    if (std::strcmp(name, "vkCreateShaderModule") == 0) {
        return reinterpret_cast<PFN_vkVoidFunction>(createShaderModule);
    }
    const auto next = find(devices, keyOf(device));
    return next != nullptr ? next(device, name) : nullptr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance instance,
                                                             const char* name) {
    const struct {
        const char* name;
        PFN_vkVoidFunction function;
    } own[] = {
        {"vkGetInstanceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(getInstanceProcAddr)},
        {"vkGetDeviceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(getDeviceProcAddr)},
        {"vkCreateInstance", reinterpret_cast<PFN_vkVoidFunction>(createInstance)},
        {"vkCreateDevice", reinterpret_cast<PFN_vkVoidFunction>(createDevice)},
        {"vkCreateShaderModule", reinterpret_cast<PFN_vkVoidFunction>(createShaderModule)},
    };
    for (const auto& entry : own) {
        if (std::strcmp(entry.name, name) == 0) return entry.function;
    }
    if (instance == VK_NULL_HANDLE) return nullptr;
    const auto next = find(instances, keyOf(instance));
    return next != nullptr ? next(instance, name) : nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiation) {
    negotiation->loaderLayerInterfaceVersion = 2;
    negotiation->pfnGetInstanceProcAddr = getInstanceProcAddr;
    negotiation->pfnGetDeviceProcAddr = getDeviceProcAddr;
    negotiation->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}
