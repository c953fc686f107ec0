// SPDX-License-Identifier: Apache-2.0
//
// An instance with one device and one queue, for programs that execute compute shaders with all
// that the device has.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "work.hpp"

namespace coopvk::vulkan {

// An extension of devices, with its structure of features: a head, then booleans.
struct FeatureStructure {
    const char* extension;
    VkStructureType type = VK_STRUCTURE_TYPE_MAX_ENUM;  // that: none
    size_t size = 0;
};

struct ComputeShader {
    std::span<const uint32_t> words;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    uint32_t lanes = 0;  // required where the device lets programs choose
    bool isFull = true;  // its workgroups are rows of whole subgroups
    const char* entryPoint = "main";
    const VkSpecializationInfo* specialization = nullptr;
    VkPipelineCreateFlags flags = 0;
};

class ComputeDevice {
 public:
    ComputeDevice() = default;
    ~ComputeDevice();
    ComputeDevice(const ComputeDevice&) = delete;
    ComputeDevice& operator=(const ComputeDevice&) = delete;

    // The instance, and the device with this number among those that the environment leaves. Throws
    // if there is none, or if it has no Vulkan 1.3.
    void find(const char* program, uint32_t index,
              const VkInstanceCreateInfo& info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO});
    // Then: its queue, with all features of Vulkan 1.3 and of those of the extensions that it
    // lists. Accesses outside of buffers are defined only if it is `robust`, which costs time.
    void create(std::span<const FeatureStructure> extensions, bool robust = false);

    bool lists(std::string_view extension) const { return contains(listed_, extension); }
    bool hasTool(std::string_view part) const {
        return vulkan::hasTool(physical, vki.vkGetPhysicalDeviceToolProperties, part);
    }
    std::string name() const;  // the device's and its driver's
    // What it has of an extension: zeros where that is none of those with which it was created.
    template <typename Features>
    Features featuresOf(VkStructureType type) const {
        Features features{};
        copyFeatures(type, &features, sizeof(features));
        return features;
    }
    // A feature of Vulkan 1.3 or of those extensions, at an offset in its structure.
    bool hasFeature(VkStructureType type, size_t offset) const;
    // Whether a pipeline can require one of several sizes of subgroups.
    bool choosesLanes() const;
    DeviceRef ref() const {
        return {physical, vki.vkGetPhysicalDeviceMemoryProperties, device, vk};
    }
    VkPipeline createPipeline(const ComputeShader& shader) const;
    // Records with `record`, submits and waits; throws VK_ERROR_DEVICE_LOST where that takes ten
    // minutes. CPU drivers compile within this time, too: on a machine with other work, one shader
    // took more than a minute.
    template <typename Record>
    void submit(const Record& record) {
        constexpr uint64_t kTimeout = 600ull * 1000 * 1000 * 1000;
        commands_->run(record, kTimeout);
    }

    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkPhysicalDeviceProperties properties{};
    VkPhysicalDeviceVulkan11Properties properties11{};
    VkPhysicalDeviceVulkan12Properties properties12{};
    VkPhysicalDeviceVulkan13Properties properties13{};
    VkPhysicalDeviceVulkan12Features features12{};
    VkPhysicalDeviceVulkan13Features features13{};
    VolkInstanceTable vki{};
    VolkDeviceTable vk{};

 private:
    void copyFeatures(VkStructureType type, void* to, size_t size) const;

    VkPhysicalDeviceDriverProperties driver_{};
    VkPhysicalDeviceFeatures2 features_{};
    VkPhysicalDeviceVulkan11Features features11_{};
    std::vector<std::vector<std::byte>> others_;  // structures of extensions
    std::vector<std::string> listed_;
    std::optional<Commands> commands_;
};

}  // namespace coopvk::vulkan
