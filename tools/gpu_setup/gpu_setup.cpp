// SPDX-License-Identifier: Apache-2.0
#include "gpu_setup.hpp"

#include <vulkan/vk_enum_string_helper.h>

#include <algorithm>

#include "no_driver.hpp"

namespace coopvk::vulkan {

void check(VkResult result, const char* call) {
    if (result == VK_SUCCESS) return;
    const std::string_view text = call;
    const std::string_view name = text.substr(0, text.find('('));
    const size_t dot = name.rfind('.');
    throw Error(result, std::string(name.substr(dot == std::string_view::npos ? 0 : dot + 1)) +
                            " gave " + string_VkResult(result));
}

void startLoader() {
    if (volkInitialize() == VK_SUCCESS) return;
    throw Error(VK_ERROR_INITIALIZATION_FAILED,
                "there is no Vulkan loader: `coopvk doctor` says what to install");
}

VkInstance createInstance(const char* program, uint32_t version, VkInstanceCreateInfo info) {
    startLoader();
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.pApplicationName = program;
    application.apiVersion = version;
    info.pApplicationInfo = &application;
    VkInstance instance = VK_NULL_HANDLE;
    const VkResult result = vkCreateInstance(&info, nullptr, &instance);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
        const auto [what, advice] = noDriver();
        throw Error(result, what + ": " + advice);
    }
    check(result, "vkCreateInstance");
    return instance;
}

VkPhysicalDevice physicalDevice(VkInstance instance, PFN_vkEnumeratePhysicalDevices enumerate,
                                uint32_t index) {
    const auto query = [&](uint32_t* count, VkPhysicalDevice* out) {
        return enumerate(instance, count, out);
    };
    const auto all = listAll("vkEnumeratePhysicalDevices", VkPhysicalDevice{}, query);
    if (index < all.size()) return all[index];
    throw std::runtime_error("there is no Vulkan device " + std::to_string(index));
}

std::vector<std::string> extensionsOf(VkPhysicalDevice device,
                                      PFN_vkEnumerateDeviceExtensionProperties enumerate) {
    std::vector<std::string> names;
    const auto query = [&](uint32_t* count, VkExtensionProperties* out) {
        return enumerate(device, nullptr, count, out);
    };
    for (const auto& listed :
         listAll("vkEnumerateDeviceExtensionProperties", VkExtensionProperties{}, query)) {
        names.emplace_back(listed.extensionName);
    }
    return names;
}

std::vector<std::string> toolsOf(VkPhysicalDevice device,
                                 PFN_vkGetPhysicalDeviceToolProperties query) {
    std::vector<std::string> names;
    const VkPhysicalDeviceToolProperties empty{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES};
    const auto ask = [&](uint32_t* count, VkPhysicalDeviceToolProperties* out) {
        return query(device, count, out);
    };
    for (const auto& tool : listAll("vkGetPhysicalDeviceToolProperties", empty, ask)) {
        names.emplace_back(tool.name);
    }
    return names;
}

bool hasTool(VkPhysicalDevice device, PFN_vkGetPhysicalDeviceToolProperties query,
             std::string_view part) {
    return std::ranges::any_of(toolsOf(device, query), [&](const std::string& tool) {
        return tool.find(part) != std::string::npos;
    });
}

bool contains(std::span<const std::string> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

ComputeFamily computeFamily(VkPhysicalDevice device,
                            PFN_vkGetPhysicalDeviceQueueFamilyProperties query) {
    uint32_t count = 0;
    query(device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    query(device, &count, families.data());
    for (uint32_t i = 0; i < count; ++i)
        if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) return {i, families[i]};
    throw std::runtime_error("the device has no compute queue");
}

VkDevice createDevice(VkPhysicalDevice physical, PFN_vkCreateDevice create, uint32_t queueFamily,
                      std::span<const char* const> extensions, const void* features,
                      const VkAllocationCallbacks* allocator) {
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = queueFamily;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, features};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    VkDevice device = VK_NULL_HANDLE;
    check(create(physical, &info, allocator, &device), "vkCreateDevice");
    return device;
}

VkPipeline createComputePipeline(VkDevice device, const VolkDeviceTable& vk,
                                 const VkComputePipelineCreateInfo& info) {
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult result =
        vk.vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
    vk.vkDestroyShaderModule(device, info.stage.module, nullptr);
    check(result, "vkCreateComputePipelines");
    return pipeline;
}

uint32_t memoryType(VkPhysicalDevice device, PFN_vkGetPhysicalDeviceMemoryProperties query,
                    uint32_t allowed, VkMemoryPropertyFlags wanted) {
    VkPhysicalDeviceMemoryProperties memory;
    query(device, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
        if ((allowed >> i & 1u) && (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    throw std::runtime_error("no memory type fits");
}

}  // namespace coopvk::vulkan
