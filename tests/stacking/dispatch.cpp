// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "gpu.hpp"
#include "matrix.spv.h"
#include "plain.spv.h"

namespace {

constexpr uint32_t kSize = 8, kElements = kSize * kSize, kBuffers = 3;

// Whole numbers, so that every sum is exact.
float valueA(uint32_t i) { return static_cast<float>(i * 7 % 13) - 5; }
float valueB(uint32_t i) { return static_cast<float>(i * 5 % 11) - 3; }

float expected(uint32_t i, bool matrices) {
    if (!matrices) return valueA(i) - 2 * valueB(i);
    float sum = 1;
    for (uint32_t k = 0; k < kSize; ++k) {
        sum += valueA(i / kSize * kSize + k) * valueB(k * kSize + i % kSize);
    }
    return sum;
}

// The objects for one dispatch, on a device without other objects.
class Dispatch {
 public:
    Dispatch(const Vulkan& vulkan, VkDevice device, uint32_t memoryType)
        : vk_(vulkan), device_(device) {
        makeBuffers(memoryType);
        makeSet();
    }
    ~Dispatch() {
        vk_.vkDestroyCommandPool(device_, pool_, nullptr);
        vk_.vkDestroyDescriptorPool(device_, sets_, nullptr);
        vk_.vkDestroyPipeline(device_, pipeline_, nullptr);
        vk_.vkDestroyPipelineLayout(device_, layout_, nullptr);
        vk_.vkDestroyDescriptorSetLayout(device_, setLayout_, nullptr);
        for (VkBuffer buffer : buffers_) vk_.vkDestroyBuffer(device_, buffer, nullptr);
        for (VkDeviceMemory memory : memory_) vk_.vkFreeMemory(device_, memory, nullptr);
    }
    Dispatch(const Dispatch&) = delete;
    Dispatch& operator=(const Dispatch&) = delete;

    void makePipeline(const uint32_t* words, size_t size);
    // A shader object of the same layout, and its binary.
    bool makesObject(const uint32_t* words, size_t size);
    void run();
    const float* result() const { return data_[2]; }

 private:
    void makeBuffers(uint32_t memoryType);
    void makeSet();

    const Vulkan& vk_;
    VkDevice device_;
    VkBuffer buffers_[kBuffers] = {};
    VkDeviceMemory memory_[kBuffers] = {};
    float* data_[kBuffers] = {};
    VkDescriptorSetLayout setLayout_ = VK_NULL_HANDLE;
    VkDescriptorPool sets_ = VK_NULL_HANDLE;
    VkDescriptorSet set_ = VK_NULL_HANDLE;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
    VkCommandPool pool_ = VK_NULL_HANDLE;
};

void Dispatch::makeBuffers(uint32_t memoryType) {
    for (uint32_t i = 0; i < kBuffers; ++i) {
        VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
        info.size = kElements * sizeof(float);
        info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
        check(vk_.vkCreateBuffer(device_, &info, nullptr, &buffers_[i]), "vkCreateBuffer");
        VkMemoryRequirements needs;
        vk_.vkGetBufferMemoryRequirements(device_, buffers_[i], &needs);
        VkMemoryAllocateInfo allocate = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
        allocate.allocationSize = needs.size;
        allocate.memoryTypeIndex = memoryType;
        check(vk_.vkAllocateMemory(device_, &allocate, nullptr, &memory_[i]), "vkAllocateMemory");
        check(vk_.vkBindBufferMemory(device_, buffers_[i], memory_[i], 0), "vkBindBufferMemory");
        void* data = nullptr;
        check(vk_.vkMapMemory(device_, memory_[i], 0, VK_WHOLE_SIZE, 0, &data), "vkMapMemory");
        data_[i] = static_cast<float*>(data);
    }
    for (uint32_t i = 0; i < kElements; ++i) {
        data_[0][i] = valueA(i);
        data_[1][i] = valueB(i);
        data_[2][i] = -1e30f;
    }
}

void Dispatch::makeSet() {
    VkDescriptorSetLayoutBinding bindings[kBuffers] = {};
    for (uint32_t i = 0; i < kBuffers; ++i) {
        bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                       nullptr};
    }
    VkDescriptorSetLayoutCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    info.bindingCount = kBuffers;
    info.pBindings = bindings;
    check(vk_.vkCreateDescriptorSetLayout(device_, &info, nullptr, &setLayout_), "set layout");
    VkPipelineLayoutCreateInfo layout = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &setLayout_;
    check(vk_.vkCreatePipelineLayout(device_, &layout, nullptr, &layout_), "pipeline layout");
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kBuffers};
    VkDescriptorPoolCreateInfo pool = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool.maxSets = 1;
    pool.poolSizeCount = 1;
    pool.pPoolSizes = &size;
    check(vk_.vkCreateDescriptorPool(device_, &pool, nullptr, &sets_), "descriptor pool");
    VkDescriptorSetAllocateInfo allocate = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocate.descriptorPool = sets_;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &setLayout_;
    check(vk_.vkAllocateDescriptorSets(device_, &allocate, &set_), "descriptor set");
    for (uint32_t i = 0; i < kBuffers; ++i) {
        const VkDescriptorBufferInfo buffer = {buffers_[i], 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstSet = set_;
        write.dstBinding = i;
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &buffer;
        vk_.vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
    }
}

void Dispatch::makePipeline(const uint32_t* words, size_t size) {
    VkShaderModuleCreateInfo code = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    code.codeSize = size;
    code.pCode = words;
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.layout = layout_;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    check(vk_.vkCreateShaderModule(device_, &code, nullptr, &info.stage.module), "shader module");
    check(vk_.vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_),
          "vkCreateComputePipelines");
    vk_.vkDestroyShaderModule(device_, info.stage.module, nullptr);
}

bool Dispatch::makesObject(const uint32_t* words, size_t size) {
    const auto get = [&](const char* name) { return vk_.vkGetDeviceProcAddr(device_, name); };
    const auto create = reinterpret_cast<PFN_vkCreateShadersEXT>(get("vkCreateShadersEXT"));
    const auto destroy = reinterpret_cast<PFN_vkDestroyShaderEXT>(get("vkDestroyShaderEXT"));
    const auto binary =
        reinterpret_cast<PFN_vkGetShaderBinaryDataEXT>(get("vkGetShaderBinaryDataEXT"));
    VkShaderCreateInfoEXT info = {VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
    info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
    info.codeSize = size;
    info.pCode = words;
    info.pName = "main";
    info.setLayoutCount = 1;
    info.pSetLayouts = &setLayout_;
    VkShaderEXT shader = VK_NULL_HANDLE;
    check(create(device_, 1, &info, nullptr, &shader), "vkCreateShadersEXT");
    size_t length = 0;
    check(binary(device_, shader, &length, nullptr), "vkGetShaderBinaryDataEXT");
    destroy(device_, shader, nullptr);
    return length > 0;
}

void Dispatch::run() {
    VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    check(vk_.vkCreateCommandPool(device_, &pool, nullptr, &pool_), "command pool");
    VkCommandBufferAllocateInfo allocate = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = pool_;
    allocate.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    check(vk_.vkAllocateCommandBuffers(device_, &allocate, &commands), "command buffer");
    const VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(vk_.vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    vk_.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    vk_.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set_, 0,
                                nullptr);
    vk_.vkCmdDispatch(commands, 1, 1, 1);
    check(vk_.vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    VkQueue queue = VK_NULL_HANDLE;
    vk_.vkGetDeviceQueue(device_, 0, 0, &queue);
    VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    check(vk_.vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    check(vk_.vkQueueWaitIdle(queue), "vkQueueWaitIdle");
}

// Of memory that the host may write at any time.
uint32_t hostMemory(const Vulkan& vk, VkPhysicalDevice physical) {
    constexpr auto kWanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties memory;
    vk.vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
        if ((memory.memoryTypes[i].propertyFlags & kWanted) == kWanted) return i;
    }
    return 0;
}

}  // namespace

bool Gpu::computes(VkDevice device, bool matrices) {
    Dispatch dispatch(vulkan_, device, hostMemory(vulkan_, physical_));
    if (matrices) {
        dispatch.makePipeline(kMatrixWords, sizeof kMatrixWords);
    } else {
        dispatch.makePipeline(kPlainWords, sizeof kPlainWords);
    }
    dispatch.run();
    for (uint32_t i = 0; i < kElements; ++i) {
        if (dispatch.result()[i] == expected(i, matrices)) continue;
        std::fprintf(stderr, "stacking: element %u is %g, not %g\n", i,
                     static_cast<double>(dispatch.result()[i]),
                     static_cast<double>(expected(i, matrices)));
        return false;
    }
    return true;
}

bool Gpu::makesShaders(VkDevice device, bool shaderObjects) {
    Dispatch dispatch(vulkan_, device, hostMemory(vulkan_, physical_));
    dispatch.makePipeline(kMatrixWords, sizeof kMatrixWords);
    return !shaderObjects || (dispatch.makesObject(kMatrixWords, sizeof kMatrixWords) &&
                              dispatch.makesObject(kPlainWords, sizeof kPlainWords));
}
