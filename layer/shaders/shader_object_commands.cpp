// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "inputs/dispatch_inputs.hpp"
#include "objects/registry.hpp"
#include "shaders/commands.hpp"
#include "shaders/shader_binaries.hpp"
#include "shaders/stage_builder.hpp"

namespace coopvk::layer {
namespace {

// What the layer asked for a shader that was made from rewritten words; null: the driver gets it as
// it came.
using Needs = std::optional<SubgroupNeeds>;

// The driver's part of a binary that was made from rewritten words, without the specialization,
// which these words already contain. Other binaries stay unchanged.
VkResult unwrapBinary(const DeviceContext& device, Scratch& scratch, VkShaderCreateInfoEXT& info,
                      Needs& needs) {
    const BinaryKind kind = kindOfBinary(device, info.pCode, info.codeSize);
    if (kind == BinaryKind::kForeign) return VK_INCOMPATIBLE_SHADER_BINARY_EXT;
    if (kind == BinaryKind::kDrivers) {
        requireDeviceSize(device, scratch, info);
        return VK_SUCCESS;
    }
    needs = needsOfBinary(info.pCode);
    requireSubgroups(scratch, *needs, info);
    info.pCode = static_cast<const std::byte*>(info.pCode) + kBinaryHeaderSize;
    info.codeSize -= kBinaryHeaderSize;
    info.pSpecializationInfo = nullptr;
    return VK_SUCCESS;
}

// Replaces the words of `info`, which is the caller's copy, if they use emulated capabilities.
VkResult buildShader(DeviceContext& device, Scratch& scratch, VkShaderCreateInfoEXT& info,
                     Needs& needs, DumpedShaderRef& dumped, ShadersAtWork& work) {
    if (info.codeType == VK_SHADER_CODE_TYPE_BINARY_EXT) {
        return unwrapBinary(device, scratch, info, needs);
    }
    if (info.codeType != VK_SHADER_CODE_TYPE_SPIRV_EXT) return VK_SUCCESS;
    ShaderWordsRef original = emulatedWords(device, info.codeSize, info.pCode);
    if (original == nullptr) {
        requireDeviceSize(device, scratch, info);
        return VK_SUCCESS;
    }
    work.begin(*original);
    StagePlan plan;
    const VkResult result =
        rewriteInfo(device, scratch, std::move(original), info, info.flags, plan);
    if (result != VK_SUCCESS) return result;
    if (plan.rewritten->untouched) {
        requireDeviceSize(device, scratch, info);
        return VK_SUCCESS;
    }
    needs = plan.needs;
    dumped = plan.dumped;
    const std::vector<uint32_t>& words = plan.rewritten->words;
    info.pCode = scratch.copyArray(std::span<const uint32_t>(words));
    info.codeSize = words.size() * sizeof(uint32_t);
    return VK_SUCCESS;
}

}  // namespace

VkResult createShaders(VkDevice device, uint32_t count, const VkShaderCreateInfoEXT* infos,
                       const VkAllocationCallbacks* allocator, VkShaderEXT* shaders) {
    const auto context = devices().find(device);
    if (!context->rewrites()) {
        return context->next.CreateShadersEXT(device, count, infos, allocator, shaders);
    }
    // Shaders that are not reached, also because of an exception, must be null.
    std::fill_n(shaders, count, VkShaderEXT(VK_NULL_HANDLE));
    Scratch scratch;
    std::vector<Needs> needs(count);
    std::vector<DumpedShaderRef> dumped(count);
    ShadersAtWork work(*context);
    const auto create = [&](uint32_t n, const VkShaderCreateInfoEXT* list) {
        const VkResult result = context->next.CreateShadersEXT(device, n, list, allocator, shaders);
        work.driverReturned(result);
        for (uint32_t i = 0; i < n; ++i) {
            if (shaders[i] == VK_NULL_HANDLE) continue;
            context->shaderObjects.add(shaders[i], needs[i]);
            if (dumped[i] != nullptr)
                context->inputs->add(reinterpret_cast<uint64_t>(shaders[i]), *dumped[i]);
        }
        return result;
    };
    VkShaderCreateInfoEXT* copies = scratch.copyArray(std::span(infos, count));
    for (uint32_t i = 0; i < count; ++i) {
        const VkResult result =
            buildShader(*context, scratch, copies[i], needs[i], dumped[i], work);
        if (result == VK_SUCCESS) continue;
        // The first null handle must be the shader that failed: make those before it, without
        // links, since what they link to may be missing.
        for (auto& earlier : std::span(copies, i)) {
            earlier.flags &=
                ~static_cast<VkShaderCreateFlagsEXT>(VK_SHADER_CREATE_LINK_STAGE_BIT_EXT);
        }
        const VkResult before = i > 0 ? create(i, copies) : VK_SUCCESS;
        return before != VK_SUCCESS ? before : result;
    }
    return create(count, copies);
}

}  // namespace coopvk::layer
