// SPDX-License-Identifier: Apache-2.0
//
// Shader modules, and what becomes of them: pipelines and shader objects.
#pragma once

#include "coopvk_reference/execute.hpp"
#include "device.hpp"

namespace coopvk::reference::icd {

using SharedProgram = std::shared_ptr<const Program>;

struct ShaderModule : ObjectOf<VkShaderModule> {
    ShaderModule(Device&, const VkShaderModuleCreateInfo& info)
        : words(info.pCode, info.pCode + info.codeSize / sizeof(uint32_t)) {}
    std::vector<uint32_t> words;
};

struct Pipeline : ObjectOf<VkPipeline> {
    explicit Pipeline(SharedProgram made) : program(std::move(made)) {}
    SharedProgram program;
};

struct ShaderObject : ObjectOf<VkShaderEXT> {
    ShaderObject(SharedProgram made, std::vector<std::byte> words)
        : program(std::move(made)), binary(std::move(words)) {}
    SharedProgram program;
    std::vector<std::byte> binary;
};

// What programs are made of; owns what ProgramRequest refers to.
struct Source {
    std::vector<uint32_t> words;
    std::string entryPoint;
    std::vector<SpecializationValue> specialization;
    uint32_t subgroupSize = 0;
};

// All but the words, from VkPipelineShaderStageCreateInfo or VkShaderCreateInfoEXT. The subgroup
// size is the one that the chain requires, or that of the device.
template <typename Info>
Source sourceOf(const Device& device, const Info& info);

// Errors go to the messengers, too.
VkResult makeProgram(Device& device, const Source& source, SharedProgram& program);

// A value that is not in the data has size 0.
std::vector<SpecializationValue> specializationOf(const VkSpecializationInfo* info);

template <typename Info>
Source sourceOf(const Device& device, const Info& info) {
    const auto* required = find<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(info.pNext);
    const uint32_t lanes =
        required != nullptr ? required->requiredSubgroupSize : device.settings().subgroupSize;
    return {{}, info.pName, specializationOf(info.pSpecializationInfo), lanes};
}

}  // namespace coopvk::reference::icd
