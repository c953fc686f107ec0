// SPDX-License-Identifier: Apache-2.0
#include "heaps.hpp"

namespace coopvk::reference::test {

Heap::Heap(VkDevice device, VkPhysicalDevice physical, bool ofSamplers)
    : device_(device), ofSamplers_(ofSamplers) {
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties};
    vkGetPhysicalDeviceProperties2(physical, &all);
    stride = ofSamplers ? properties.samplerDescriptorSize
                        : std::max(properties.bufferDescriptorSize, properties.imageDescriptorSize);
    const VkDeviceSize reserved = ofSamplers ? properties.minSamplerHeapReservedRange
                                             : properties.minResourceHeapReservedRange;
    size_ = 16 * stride + reserved;
    words_ = std::make_unique<Words>(device, std::vector<uint32_t>(size_ / 4, 0), 1,
                                     VK_BUFFER_USAGE_DESCRIPTOR_HEAP_BIT_EXT);
}

VkHostAddressRangeEXT Heap::range(uint32_t number) {
    return {reinterpret_cast<std::byte*>(&words()[0]) + at(number), stride};
}

VkResult Heap::write(uint32_t number, const VkResourceDescriptorInfoEXT& info) {
    const VkHostAddressRangeEXT to = range(number);
    return vkWriteResourceDescriptorsEXT(device_, 1, &info, &to);
}

static VkResourceDescriptorInfoEXT infoOf(VkDescriptorType type) {
    return {VK_STRUCTURE_TYPE_RESOURCE_DESCRIPTOR_INFO_EXT, nullptr, type, {}};
}

void Heap::buffer(uint32_t number, VkDescriptorType type, VkDeviceAddress address,
                  VkDeviceSize bytes) {
    const VkDeviceAddressRangeEXT range{address, bytes};
    VkResourceDescriptorInfoEXT info = infoOf(type);
    info.data.pAddressRange = &range;
    EXPECT_VK(write(number, info));
}

void Heap::null(uint32_t number, VkDescriptorType type) { EXPECT_VK(write(number, infoOf(type))); }

void Heap::texels(uint32_t number, VkDescriptorType type, VkDeviceAddress address,
                  VkDeviceSize bytes, VkFormat format) {
    const VkTexelBufferDescriptorInfoEXT texels{
        VK_STRUCTURE_TYPE_TEXEL_BUFFER_DESCRIPTOR_INFO_EXT, nullptr, format, {address, bytes}};
    VkResourceDescriptorInfoEXT info = infoOf(type);
    info.data.pTexelBuffer = &texels;
    EXPECT_VK(write(number, info));
}

void Heap::image(uint32_t number, VkDescriptorType type, const VkImageViewCreateInfo& view) {
    const VkImageDescriptorInfoEXT image{VK_STRUCTURE_TYPE_IMAGE_DESCRIPTOR_INFO_EXT, nullptr,
                                         &view, VK_IMAGE_LAYOUT_GENERAL};
    VkResourceDescriptorInfoEXT info = infoOf(type);
    info.data.pImage = &image;
    EXPECT_VK(write(number, info));
}

void Heap::sampler(uint32_t number, const VkSamplerCreateInfo& info) {
    const VkHostAddressRangeEXT to = range(number);
    EXPECT_VK(vkWriteSamplerDescriptorsEXT(device_, 1, &info, &to));
}

VkBindHeapInfoEXT Heap::info() const {
    const VkDeviceSize reserved = ofSamplers_ ? properties.minSamplerHeapReservedRange
                                              : properties.minResourceHeapReservedRange;
    return {VK_STRUCTURE_TYPE_BIND_HEAP_INFO_EXT,
            nullptr,
            {words_->address(), size_},
            16 * stride,
            reserved};
}

void Heap::bind(VkCommandBuffer commands) const {
    const VkBindHeapInfoEXT bound = info();
    ofSamplers_ ? vkCmdBindSamplerHeapEXT(commands, &bound)
                : vkCmdBindResourceHeapEXT(commands, &bound);
}

HeapPrograms::~HeapPrograms() {
    for (const VkPipeline each : made_) vkDestroyPipeline(device_, each, nullptr);
}

VkPipeline HeapPrograms::make(std::span<const uint32_t> words, std::span<const Mapping> mappings,
                              const VkSpecializationInfo* specialization, VkResult expected) {
    const VkShaderDescriptorSetAndBindingMappingInfoEXT mapped{
        VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT, nullptr,
        static_cast<uint32_t>(mappings.size()), mappings.data()};
    const VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0,
                                        words.size_bytes(), words.data()};
    VkShaderModule module = VK_NULL_HANDLE;
    EXPECT_VK(vkCreateShaderModule(device_, &code, nullptr, &module));
    const VkPipelineCreateFlags2CreateInfo flags{
        VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, nullptr,
        VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &flags};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  &mapped,
                  0,
                  VK_SHADER_STAGE_COMPUTE_BIT,
                  module,
                  "main",
                  specialization};
    VkPipeline made = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &made),
              expected);
    vkDestroyShaderModule(device_, module, nullptr);
    made_.push_back(made);
    return made;
}

void pushData(VkCommandBuffer commands, uint32_t offset, std::span<const uint32_t> words) {
    const VkPushDataInfoEXT info{
        VK_STRUCTURE_TYPE_PUSH_DATA_INFO_EXT, nullptr, offset, {words.data(), words.size_bytes()}};
    vkCmdPushDataEXT(commands, &info);
}

Mapping mappingOf(uint32_t set, uint32_t binding, VkDescriptorMappingSourceEXT source,
                  uint32_t count) {
    Mapping mapping{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_AND_BINDING_MAPPING_EXT};
    mapping.descriptorSet = set;
    mapping.firstBinding = binding;
    mapping.bindingCount = count;
    mapping.resourceMask = VK_SPIRV_RESOURCE_TYPE_ALL_EXT;
    mapping.source = source;
    return mapping;
}

}  // namespace coopvk::reference::test
