// SPDX-License-Identifier: Apache-2.0
//
// Heaps of descriptors (VK_EXT_descriptor_heap), and pipelines whose resources are in them.
#pragma once

#include "dependencies.hpp"

namespace coopvk::reference::test {

using Mapping = VkDescriptorSetAndBindingMappingEXT;
inline constexpr auto kStorageBuffer = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
inline constexpr auto kUniformBuffer = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;

// Features to enable, as a chain.
struct HeapFeatures {
    VkPhysicalDeviceShaderUntypedPointersFeaturesKHR pointers{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_UNTYPED_POINTERS_FEATURES_KHR, nullptr, VK_TRUE};
    VkPhysicalDeviceDescriptorHeapFeaturesEXT heaps{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_FEATURES_EXT, &pointers, VK_TRUE};
};
inline const std::vector<const char*> kHeapExtensions = {
    VK_EXT_DESCRIPTOR_HEAP_EXTENSION_NAME, VK_KHR_SHADER_UNTYPED_POINTERS_EXTENSION_NAME};

// Memory with descriptors; those at multiples of `stride` have numbers. The last ones are reserved.
class Heap {
 public:
    Heap(VkDevice device, VkPhysicalDevice physical, bool ofSamplers = false);

    VkDeviceSize at(uint32_t number) const { return number * stride; }
    VkResult write(uint32_t number, const VkResourceDescriptorInfoEXT& info);
    void buffer(uint32_t number, VkDescriptorType type, VkDeviceAddress address,
                VkDeviceSize bytes = 8);
    void null(uint32_t number, VkDescriptorType type);
    void texels(uint32_t number, VkDescriptorType type, VkDeviceAddress address, VkDeviceSize bytes,
                VkFormat format);
    void image(uint32_t number, VkDescriptorType type, const VkImageViewCreateInfo& view);
    void sampler(uint32_t number, const VkSamplerCreateInfo& info);

    VkBindHeapInfoEXT info() const;
    void bind(VkCommandBuffer commands) const;
    Words& words() { return *words_; }
    // The heap is gone.
    void destroy() { words_.reset(); }

    VkDeviceSize stride = 0;
    VkPhysicalDeviceDescriptorHeapPropertiesEXT properties{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_PROPERTIES_EXT};

 private:
    VkHostAddressRangeEXT range(uint32_t number);

    VkDevice device_;
    bool ofSamplers_;
    VkDeviceSize size_ = 0;
    std::unique_ptr<Words> words_;
};

// Pipelines without a layout. Null, where the result is another one than expected.
class HeapPrograms {
 public:
    explicit HeapPrograms(VkDevice device) : device_(device) {}
    ~HeapPrograms();
    HeapPrograms(const HeapPrograms&) = delete;
    HeapPrograms& operator=(const HeapPrograms&) = delete;
    VkPipeline make(std::span<const uint32_t> words, std::span<const Mapping> mappings = {},
                    const VkSpecializationInfo* specialization = nullptr,
                    VkResult expected = VK_SUCCESS);

 private:
    VkDevice device_;
    std::vector<VkPipeline> made_;
};

void pushData(VkCommandBuffer commands, uint32_t offset, std::span<const uint32_t> words);
// Of bindings from this one on.
Mapping mappingOf(uint32_t set, uint32_t binding, VkDescriptorMappingSourceEXT source,
                  uint32_t count = 1);

}  // namespace coopvk::reference::test
