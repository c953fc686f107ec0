// SPDX-License-Identifier: Apache-2.0
//
// The descriptors and push constants that a shader needs, read from its words.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace coopvk::fleet {

struct ShaderInterface {
    VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    std::string entryPoint;
    // Set, then binding: what it is. Arrays without a size count as 1.
    std::map<uint32_t, std::map<uint32_t, VkDescriptorSetLayoutBinding>> sets;
};

// For the first entry point. Throws if the words are no SPIR-V or have no entry point.
ShaderInterface readInterface(std::span<const uint32_t> words);

}  // namespace coopvk::fleet
