// SPDX-License-Identifier: Apache-2.0
//
// Shader modules, and what becomes of them: pipelines and shader objects.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coopvk_reference/execute.hpp"
#include "device.hpp"
#include "object.hpp"

namespace coopvk::reference::icd {

struct ShaderModule : Object {
    using Handle = VkShaderModule;
    std::vector<uint32_t> words;
};

struct Pipeline : Object {
    using Handle = VkPipeline;
    std::shared_ptr<const Program> program;
};

struct ShaderObject : Object {
    using Handle = VkShaderEXT;
    std::shared_ptr<const Program> program;
    std::vector<std::byte> binary;
};

// What programs are made of; owns what ProgramRequest refers to.
struct Source {
    std::vector<uint32_t> words;
    std::string entryPoint;
    std::vector<SpecializationValue> specialization;
    uint32_t subgroupSize = 0;
};

std::vector<SpecializationValue> specializationOf(const VkSpecializationInfo* info);
// The size that the stage requires in its chain, or that of the device.
uint32_t subgroupSizeOf(const Device& device, const void* chain, VkStructureType type);

// Errors go to the messengers, too.
VkResult makeProgram(Device& device, const Source& source, std::shared_ptr<const Program>& program);

}  // namespace coopvk::reference::icd
