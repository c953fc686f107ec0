// SPDX-License-Identifier: Apache-2.0
//
// An application that multiplies matrices, with its memory bound and its dispatch recorded in one
// of several ways (a route).
#pragma once

#include <volk.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace coopvk::test {

inline constexpr uint32_t kGroups = 2, kStride = 16;
inline constexpr VkDeviceSize kBytesOfA = 1024, kBytesOfC = kGroups * 8 * 1024;

inline constexpr VkMemoryPropertyFlags kHost =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

struct Buffer {
    VkBuffer handle = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    std::byte* mapped = nullptr;  // null: only the device can access it
    VkDeviceAddress address = 0;
};

class Program {
 public:
    explicit Program(const std::string& route) : route_(route) { makeDevice(); }
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    std::vector<float> run();

 private:
    bool is(const char* route) const { return route_ == route; }
    bool pushes() const { return is("push") || is("push_template"); }
    void makeDevice();
    Buffer makeBuffer(VkDeviceSize size, VkBufferUsageFlags usage, VkMemoryPropertyFlags memory);
    void makeBuffers();
    void makeLayout();
    void makePipeline();
    void makeSet();
    void bind(VkCommandBuffer commands);
    void dispatch(VkCommandBuffer commands);
    VkCommandBuffer commands(VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    void submit(VkCommandBuffer commands);
    void record(const std::function<void(VkCommandBuffer)>& what);
    std::vector<VkWriteDescriptorSet> writes(VkDescriptorSet set);

    const std::string route_;
    VkInstance instance_ = VK_NULL_HANDLE;
    VkPhysicalDevice physical_ = VK_NULL_HANDLE;
    VkDevice device_ = VK_NULL_HANDLE;
    uint32_t family_ = 0;
    VkQueue queue_ = VK_NULL_HANDLE;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    std::vector<Buffer> buffers_;
    Buffer a_, c_, uniform_, counts_, table_, readback_;
    VkDeviceSize offsetOfC_ = 0;
    VkDescriptorSetLayout empty_ = VK_NULL_HANDLE, layout_ = VK_NULL_HANDLE;
    VkDescriptorUpdateTemplate template_ = VK_NULL_HANDLE;
    VkDescriptorPool descriptors_ = VK_NULL_HANDLE;
    VkDescriptorSet set_ = VK_NULL_HANDLE;
    VkPipelineLayout pipelineLayout_ = VK_NULL_HANDLE;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
    VkDescriptorBufferInfo infos_[3] = {};
    const uint32_t constants_[2] = {0, 3};  // of the uniform block
    VkWriteDescriptorSetInlineUniformBlock inline_ = {
        VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK};
};

}  // namespace coopvk::test
