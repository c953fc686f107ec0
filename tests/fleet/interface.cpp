// SPDX-License-Identifier: Apache-2.0
#include "interface.hpp"

#include <optional>
#include <stdexcept>

#include "ir/module.hpp"

namespace coopvk::fleet {
namespace {

using rewrite::Id;
using rewrite::Instruction;
using rewrite::Module;

struct StageRow {
    spv::ExecutionModel model;
    VkShaderStageFlagBits stage;
};
constexpr StageRow kStages[] = {
    {spv::ExecutionModel::Vertex, VK_SHADER_STAGE_VERTEX_BIT},
    {spv::ExecutionModel::TessellationControl, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT},
    {spv::ExecutionModel::TessellationEvaluation, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT},
    {spv::ExecutionModel::Geometry, VK_SHADER_STAGE_GEOMETRY_BIT},
    {spv::ExecutionModel::Fragment, VK_SHADER_STAGE_FRAGMENT_BIT},
    {spv::ExecutionModel::GLCompute, VK_SHADER_STAGE_COMPUTE_BIT},
    {spv::ExecutionModel::TaskEXT, VK_SHADER_STAGE_TASK_BIT_EXT},
    {spv::ExecutionModel::MeshEXT, VK_SHADER_STAGE_MESH_BIT_EXT},
    {spv::ExecutionModel::RayGenerationKHR, VK_SHADER_STAGE_RAYGEN_BIT_KHR},
    {spv::ExecutionModel::IntersectionKHR, VK_SHADER_STAGE_INTERSECTION_BIT_KHR},
    {spv::ExecutionModel::AnyHitKHR, VK_SHADER_STAGE_ANY_HIT_BIT_KHR},
    {spv::ExecutionModel::ClosestHitKHR, VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR},
    {spv::ExecutionModel::MissKHR, VK_SHADER_STAGE_MISS_BIT_KHR},
    {spv::ExecutionModel::CallableKHR, VK_SHADER_STAGE_CALLABLE_BIT_KHR},
};

VkShaderStageFlagBits stageOf(uint32_t model) {
    for (const StageRow& row : kStages)
        if (static_cast<uint32_t>(row.model) == model) return row.stage;
    throw std::runtime_error("an entry point of an execution model that Vulkan does not have");
}

VkDescriptorType imageType(const Instruction& type) {
    const auto dim = static_cast<spv::Dim>(type.word(1));
    const bool isStorage = type.word(5) == 2;
    if (dim == spv::Dim::SubpassData) return VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
    if (dim == spv::Dim::Buffer)
        return isStorage ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER
                         : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    return isStorage ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
}

// The descriptor type for a variable of a storage class and type; nullopt if it has none.
std::optional<VkDescriptorType> descriptorType(const Module& module, spv::StorageClass storage,
                                               Id type) {
    if (storage == spv::StorageClass::StorageBuffer) return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    if (storage == spv::StorageClass::Uniform)
        return module.decoration(type, spv::Decoration::BufferBlock)
                   ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                   : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    if (storage != spv::StorageClass::UniformConstant) return std::nullopt;
    const Instruction& definition = module.def(type);
    switch (definition.opcode) {
        case spv::Op::OpTypeSampledImage:
            return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
        case spv::Op::OpTypeSampler:
            return VK_DESCRIPTOR_TYPE_SAMPLER;
        case spv::Op::OpTypeAccelerationStructureKHR:
            return VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR;
        case spv::Op::OpTypeImage:
            return imageType(definition);
        default:
            return std::nullopt;
    }
}

void addVariable(const Module& module, const Instruction& variable, ShaderInterface& interface) {
    const bool isUntyped = variable.opcode == spv::Op::OpUntypedVariableKHR;
    const auto storage = static_cast<spv::StorageClass>(variable.word(0));
    Id type = isUntyped ? variable.word(1) : module.def(variable.type).word(1);
    uint32_t count = 1;
    while (module.def(type).opcode == spv::Op::OpTypeArray ||
           module.def(type).opcode == spv::Op::OpTypeRuntimeArray) {
        const auto length = module.constantValue(module.def(type).word(1));
        if (module.def(type).opcode == spv::Op::OpTypeArray && length)
            count *= static_cast<uint32_t>(*length);
        type = module.def(type).word(0);
    }
    const auto set = module.decoration(variable.result, spv::Decoration::DescriptorSet);
    const auto binding = module.decoration(variable.result, spv::Decoration::Binding);
    const auto descriptor = descriptorType(module, storage, type);
    if (!binding || !descriptor) return;
    VkDescriptorSetLayoutBinding& row = interface.sets[set.value_or(0)][*binding];
    row = {*binding, *descriptor, std::max(count, row.descriptorCount), VK_SHADER_STAGE_ALL,
           nullptr};
}

}  // namespace

ShaderInterface readInterface(std::span<const uint32_t> words) {
    const auto module = Module::parse(words);
    if (!module) throw std::runtime_error(module.error().message);
    const auto& entryPoints = module->section(rewrite::Section::kEntryPoints);
    if (entryPoints.empty()) throw std::runtime_error("no entry point");
    ShaderInterface interface;
    interface.stage = stageOf(entryPoints.front()->word(0));
    interface.entryPoint = rewrite::stringFromOperands(*entryPoints.front(), 2);
    for (const auto& instruction : module->section(rewrite::Section::kGlobals))
        if (instruction->opcode == spv::Op::OpVariable ||
            instruction->opcode == spv::Op::OpUntypedVariableKHR)
            addVariable(*module, *instruction, interface);
    return interface;
}

}  // namespace coopvk::fleet
