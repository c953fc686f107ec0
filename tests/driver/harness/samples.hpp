// SPDX-License-Identifier: Apache-2.0
//
// Small shaders with different results, and ways to make many of them.
#pragma once

#include <memory>

#include "value.hpp"

namespace coopvk::test {

// d = a + (FACTOR + literal) × b; FACTOR is specialization constant 7, 1 unless given.
Words scaledSum(uint32_t literal);
// d = a + 1 without any matrix.
Words plain();

// Destroys the shader object that it holds.
struct ShaderObject {
    ~ShaderObject() { vkDestroyShaderEXT(Context::get().device, handle, nullptr); }
    VkShaderEXT handle = VK_NULL_HANDLE;
};

VkResult createShaderObject(const Layout& layout, VkShaderCodeTypeEXT type, const void* code,
                            size_t size, const Specialization& special, ShaderObject& shader);

// One vkCreateComputePipelines for several shaders.
class Batch {
 public:
    explicit Batch(const std::vector<Words>& sources);
    ~Batch();
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

    VkResult create(VkPipelineCreateFlags flags = 0);
    // Runs one of the pipelines, and its shader on the reference device.
    void expect(size_t index);
    VkPipeline pipeline(size_t index) const { return pipelines_[index]; }

 private:
    std::vector<Words> sources_;
    Layout layout_;
    Specialization special_;
    std::vector<VkShaderModule> modules_;
    std::vector<VkPipeline> pipelines_;
};

}  // namespace coopvk::test
