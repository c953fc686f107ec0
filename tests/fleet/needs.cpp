// SPDX-License-Identifier: Apache-2.0
#include "needs.hpp"

#include <algorithm>
#include <utility>

#include "coopvk/rewrite.hpp"
#include "interface.hpp"
#include "ir/module.hpp"

namespace coopvk::fleet {

namespace {

struct CapabilityRow {
    spv::Capability capability;
    const char* feature;
    VkBool32 (*has)(const Features&);
};

// Of those that subjects declare, the ones that devices of the fleet may lack.
constexpr CapabilityRow kCapabilities[] = {
    {spv::Capability::Float16, "shaderFloat16",
     [](const Features& f) { return f.v12.shaderFloat16; }},
    {spv::Capability::Float8CooperativeMatrixEXT, "shaderFloat8CooperativeMatrix",
     [](const Features& f) { return f.float8.shaderFloat8CooperativeMatrix; }},
    {spv::Capability::Float64, "shaderFloat64",
     [](const Features& f) { return f.core.features.shaderFloat64; }},
    {spv::Capability::Int8, "shaderInt8", [](const Features& f) { return f.v12.shaderInt8; }},
    {spv::Capability::Int16, "shaderInt16",
     [](const Features& f) { return f.core.features.shaderInt16; }},
    {spv::Capability::Int64, "shaderInt64",
     [](const Features& f) { return f.core.features.shaderInt64; }},
    {spv::Capability::StorageBuffer8BitAccess, "storageBuffer8BitAccess",
     [](const Features& f) { return f.v12.storageBuffer8BitAccess; }},
    {spv::Capability::StorageBuffer16BitAccess, "storageBuffer16BitAccess",
     [](const Features& f) { return f.v11.storageBuffer16BitAccess; }},
};

// SPIR-V extensions that coopvk does not emulate, and what lists them.
constexpr std::pair<std::string_view, const char*> kExtensions[] = {
    {"SPV_EXT_long_vector", "VK_EXT_shader_long_vector"},
    {"SPV_EXT_ocp_microscaling_types", "VK_EXT_shader_ocp_microscaling_types"},
    {"SPV_EXT_shader_64bit_indexing", "VK_EXT_shader_64bit_indexing"},
};

bool declares(const rewrite::Module& module, std::string_view extension) {
    return std::ranges::any_of(module.section(rewrite::Section::kExtensions),
                               [&](const rewrite::InstructionPtr& i) {
                                   return rewrite::stringFromOperands(*i, 0) == extension;
                               });
}

}  // namespace

std::string missingExtension(const Gpu& gpu, const Subject& subject) {
    const VkShaderStageFlagBits stage = readInterface(subject.words).stage;
    if (stage > VK_SHADER_STAGE_MESH_BIT_EXT) return "a way to create ray tracing stages alone";
    if (stage != VK_SHADER_STAGE_COMPUTE_BIT && !gpu.has(VK_EXT_SHADER_OBJECT_EXTENSION_NAME))
        return VK_EXT_SHADER_OBJECT_EXTENSION_NAME;
    if (stage >= VK_SHADER_STAGE_TASK_BIT_EXT && !gpu.has(VK_EXT_MESH_SHADER_EXTENSION_NAME))
        return VK_EXT_MESH_SHADER_EXTENSION_NAME;
    const auto used = rewrite::scan(subject.words, rewrite::ExtensionSet::all());
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable())
        if (used.contains(info.extension) && !gpu.has(info.vulkanName))
            return std::string(info.vulkanName);
    if (const auto module = rewrite::Module::parse(subject.words))
        for (const auto& [spirv, vulkan] : kExtensions)
            if (declares(*module, spirv) && !gpu.has(vulkan)) return vulkan;
    return {};
}

std::string missingFeature(const Gpu& gpu, const Subject& subject) {
    const auto module = rewrite::Module::parse(subject.words);
    for (const CapabilityRow& row : kCapabilities)
        if (module && module->hasCapability(row.capability) && !row.has(gpu.features))
            return row.feature;
    return {};
}

}  // namespace coopvk::fleet
