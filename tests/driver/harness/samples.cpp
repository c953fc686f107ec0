// SPDX-License-Identifier: Apache-2.0
#include "samples.hpp"

#include <gtest/gtest.h>

#include "glsl.hpp"
#include "reference.hpp"

namespace coopvk::test {

Words scaledSum(uint32_t literal) {
    const GlslValue value{"ScaledSum", "layout(constant_id = 7) const uint FACTOR = 1;",
                          "R = A + B * E(FACTOR + " + std::to_string(literal) + ");"};
    return compileGlsl(glslValueSource(value, {}));
}

Words plain() {
    return compileGlsl(glsl::header() + glsl::buffer(0, "a", "float") +
                       glsl::buffer(3, "d", "float") +
                       "void main() { for (uint i = gl_LocalInvocationIndex; i < 64; i += "
                       "gl_WorkGroupSize.x) d[i] = a[i] + 1; }\n");
}

VkResult createShaderObject(const Layout& layout, VkShaderCodeTypeEXT type, const void* code,
                            size_t size, const Specialization& special, ShaderObject& shader) {
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushBytes};
    VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
    info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.codeType = type;
    info.codeSize = size;
    info.pCode = code;
    info.pName = "main";
    info.setLayoutCount = 1;
    info.pSetLayouts = &layout.set;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    info.pSpecializationInfo = &special.info;
    return vkCreateShadersEXT(Context::get().device, 1, &info, nullptr, &shader.handle);
}

Batch::Batch(const std::vector<Words>& sources)
    : sources_(sources), layout_(Context::get()), special_(Context::get(), {}) {
    const Context& context = Context::get();
    for (const Words& words : sources) {
        VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
        info.codeSize = words.size() * 4;
        info.pCode = words.data();
        modules_.push_back(VK_NULL_HANDLE);
        COOPVK_CHECK(vkCreateShaderModule(context.device, &info, nullptr, &modules_.back()));
    }
    pipelines_.resize(sources.size(), VK_NULL_HANDLE);
}
Batch::~Batch() {
    for (VkShaderModule module : modules_)
        vkDestroyShaderModule(Context::get().device, module, nullptr);
    for (VkPipeline pipeline : pipelines_)
        vkDestroyPipeline(Context::get().device, pipeline, nullptr);
}
VkResult Batch::create(VkPipelineCreateFlags flags) {
    std::vector<VkComputePipelineCreateInfo> infos;
    for (VkShaderModule module : modules_) {
        VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        info.flags = flags;
        info.layout = layout_.pipeline;
        info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.stage.module = module;
        info.stage.pName = "main";
        info.stage.pSpecializationInfo = &special_.info;
        infos.push_back(info);
    }
    return vkCreateComputePipelines(Context::get().device, VK_NULL_HANDLE,
                                    static_cast<uint32_t>(infos.size()), infos.data(), nullptr,
                                    pipelines_.data());
}

void Batch::expect(size_t index) {
    Rng rng("Batch");
    const Matrix a = randomMatrix(rng, Component::kF32, 8, 8, Fill::kSmall);
    const Matrix b = randomMatrix(rng, Component::kF32, 8, 8, Fill::kSmall);
    Dispatch dispatch;
    dispatch.buffers = {pack(a), pack(b), pack(b), rng.bytes(256)};
    const std::vector<Bytes> after =
        submit(Context::get(), layout_, dispatch, [&](VkCommandBuffer commands) {
            vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines_[index]);
        });
    EXPECT_EQ(difference(after[3], expectedOf(sources_[index], dispatch)[3]), "") << index;
}

}  // namespace coopvk::test
