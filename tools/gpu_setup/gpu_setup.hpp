// SPDX-License-Identifier: Apache-2.0
//
// Code that is shared by programs that set up Vulkan themselves: checked calls, lists, chains of
// features, and the choice of queue families and memory types. Vulkan's functions are parameters,
// since some programs have several instances.
#pragma once

#include <volk.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace coopvk::vulkan {

// A call that failed; what() names the call and the VkResult.
class Error : public std::runtime_error {
 public:
    Error(VkResult code, const std::string& what) : std::runtime_error(what), result(code) {}
    VkResult result;
};

// Throws an Error with the name of the call, whose text is given.
void check(VkResult result, const char* call);
#define COOPVK_CHECK(call) ::coopvk::vulkan::check((call), #call)

// Vulkan's two-call idiom: query(&count, elements or null) returns a VkResult. The initial value of
// the elements has their structure type.
template <typename T, typename Query>
std::vector<T> listAll(const char* call, const T& empty, const Query& query) {
    std::vector<T> list;
    VkResult result = VK_INCOMPLETE;
    while (result == VK_INCOMPLETE) {
        uint32_t count = 0;
        check(query(&count, static_cast<T*>(nullptr)), call);
        list.assign(count, empty);
        result = query(&count, list.data());
        list.resize(count, empty);
    }
    check(result, call);
    return list;
}

// Throws an Error if there is no Vulkan loader.
void startLoader();

// An instance of this version of Vulkan, by the loader. `info`: the rest of its create info.
VkInstance createInstance(const char* program, uint32_t version,
                          VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO});

// `index` counts the devices that the environment does not hide; throws if there is none.
VkPhysicalDevice physicalDevice(VkInstance instance, PFN_vkEnumeratePhysicalDevices enumerate,
                                uint32_t index);

std::vector<std::string> extensionsOf(VkPhysicalDevice device,
                                      PFN_vkEnumerateDeviceExtensionProperties enumerate);
std::vector<std::string> toolsOf(VkPhysicalDevice device,
                                 PFN_vkGetPhysicalDeviceToolProperties query);

// Whether a tool has this in its name: "coopvk", where its layer is there.
bool hasTool(VkPhysicalDevice device, PFN_vkGetPhysicalDeviceToolProperties query,
             std::string_view part);

bool contains(std::span<const std::string> names, std::string_view name);

// A device extension, with the structure of Features that it has, if any.
template <typename Features>
struct Extension {
    const char* name;
    VkStructureType type = VK_STRUCTURE_TYPE_MAX_ENUM;
    void* (*structure)(Features&) = nullptr;
};

// Appends structures to a chain.
class Chain {
 public:
    Chain(VkStructureType type, void* head) { start(type, head); }
    void add(VkStructureType type, void* structure) {
        VkBaseOutStructure* const before = tail_;
        start(type, structure);
        before->pNext = tail_;
    }

 private:
    void start(VkStructureType type, void* structure) {
        tail_ = static_cast<VkBaseOutStructure*>(structure);
        tail_->sType = type;
    }

    VkBaseOutStructure* tail_;
};

// Chains the structures of Features: those of the core, and those of the wanted extensions that the
// device lists. Features has members core, v11, v12 and v13.
template <typename Features>
Chain chainFeatures(Features& features, std::span<const Extension<Features>> wanted,
                    std::span<const std::string> listed) {
    Chain chain(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features.core);
    chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &features.v11);
    chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &features.v12);
    chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &features.v13);
    for (const Extension<Features>& extension : wanted) {
        if (extension.structure == nullptr || !contains(listed, extension.name)) continue;
        chain.add(extension.type, extension.structure(features));
    }
    return chain;
}

// The wanted extensions that the device lists.
template <typename Features>
std::vector<const char*> namesOf(std::span<const Extension<Features>> wanted,
                                 std::span<const std::string> listed) {
    std::vector<const char*> names;
    for (const Extension<Features>& extension : wanted)
        if (contains(listed, extension.name)) names.push_back(extension.name);
    return names;
}

// The first queue family for compute; throws where there is none.
struct ComputeFamily {
    uint32_t index;
    VkQueueFamilyProperties properties;
};
ComputeFamily computeFamily(VkPhysicalDevice device,
                            PFN_vkGetPhysicalDeviceQueueFamilyProperties query);

// A device with one queue.
VkDevice createDevice(VkPhysicalDevice physical, PFN_vkCreateDevice create, uint32_t queueFamily,
                      std::span<const char* const> extensions, const void* features,
                      const VkAllocationCallbacks* allocator = nullptr);

// Destroys the module of its stage, also if it throws because the driver refuses the shader.
VkPipeline createComputePipeline(VkDevice device, const VolkDeviceTable& vk,
                                 const VkComputePipelineCreateInfo& info);

// Throws if no allowed type has the wanted properties.
uint32_t memoryType(VkPhysicalDevice device, PFN_vkGetPhysicalDeviceMemoryProperties query,
                    uint32_t allowed, VkMemoryPropertyFlags wanted);

}  // namespace coopvk::vulkan
