// SPDX-License-Identifier: Apache-2.0
//
// Shaders of other stages than compute. They reach their buffers by addresses in push constants, so
// that one layout serves all of them.
#pragma once

#include <string>
#include <string_view>

#include "memory.hpp"
#include "shader.hpp"

namespace coopvk::test {

// 16 bytes of push constants, the addresses of buffers `a` and `d`.
class StageLayout {
 public:
    explicit StageLayout(VkShaderStageFlags stages = VK_SHADER_STAGE_ALL);
    ~StageLayout();
    StageLayout(const StageLayout&) = delete;
    StageLayout& operator=(const StageLayout&) = delete;

    void push(VkCommandBuffer commands, VkDeviceAddress a, VkDeviceAddress d) const;

    VkPushConstantRange range;
    VkPipelineLayout handle = VK_NULL_HANDLE;
};

// GLSL: version, extensions, a.v[] and d.v[] of floats.
std::string stageHeader(std::string_view moreExtensions = {});
// The declarations of a and d alone.
std::string stageBuffers();

class Module {
 public:
    explicit Module(const Words& words);
    ~Module();
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    VkShaderModule handle = VK_NULL_HANDLE;
};

VkPipelineShaderStageCreateInfo stageInfo(VkShaderStageFlagBits stage, VkShaderModule module);

// Destroys the pipeline that it holds.
struct Pipeline {
    Pipeline() = default;
    ~Pipeline() { vkDestroyPipeline(Context::get().device, handle, nullptr); }
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;
    VkPipeline handle = VK_NULL_HANDLE;
};

// `count` floats 0.5, 1.5, 2.5 ... as bytes, and poison of the same size.
Bytes ramp(size_t count);
Bytes poison(size_t count);
// Expects d[i] = factor * a[i] + summand for a ramp `a`.
void expectScaledRamp(const Bytes& d, double factor, double summand);

}  // namespace coopvk::test
