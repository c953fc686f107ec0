// SPDX-License-Identifier: Apache-2.0
#include "compute.hpp"

#include <cstring>
#include <spirv/unified1/spirv.hpp11>

#include "memory.hpp"

namespace coopvk::test {
namespace {

void describe(const Bindings& set, const Memory& memory, const std::vector<Bytes>& buffers) {
    for (uint32_t i = 0; i < kMaxBuffers; ++i) {
        // Bindings that a test does not use get its first buffer: no binding is left undefined.
        const size_t index = i < buffers.size() ? i : 0;
        set.bindBuffer(i, memory.descriptor(index, buffers[index].size()));
    }
    constexpr size_t kLeastUniformRange = 16384;
    set.bind(kUniformBinding, memory.descriptor(0, std::min(buffers[0].size(), kLeastUniformRange)),
             0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
}

std::vector<std::byte> pushConstants(const Dispatch& dispatch, Memory& memory) {
    std::vector<std::byte> push(kPushBytes);
    size_t offset = 0;
    const auto put = [&](VkDeviceAddress address) {
        std::memcpy(&push[offset], &address, sizeof(address));
        offset += sizeof(address);
    };
    if (dispatch.addressTable) {
        put(memory.address(*dispatch.addressTable));
        for (size_t i = 0; i < dispatch.addresses.size(); ++i)
            memory.write(*dispatch.addressTable, i * sizeof(VkDeviceAddress),
                         memory.address(dispatch.addresses[i]));
    } else {
        for (uint32_t index : dispatch.addresses) put(memory.address(index));
    }
    if (offset + dispatch.push.size() > kPushBytes) throw std::runtime_error("too much to push");
    std::copy(dispatch.push.begin(), dispatch.push.end(),
              push.begin() + static_cast<std::ptrdiff_t>(offset));
    return push;
}

// The module with one more capability.
Words withAddresses(Words words) {
    const auto capability = static_cast<uint32_t>(spv::Capability::PhysicalStorageBufferAddresses);
    words.insert(words.begin() + 5, {2u << 16 | uint32_t(spv::Op::OpCapability), capability});
    return words;
}

}  // namespace

namespace {

constexpr auto kBindings = [] {
    std::array<VkDescriptorSetLayoutBinding, kUniformBinding + 1> bindings{};
    for (uint32_t i = 0; i <= kUniformBinding; ++i)
        bindings[i] = {i,
                       i == kUniformBinding ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                            : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                       i == kArrayBinding ? 2u : 1u, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    return bindings;
}();

}  // namespace

Layout::Layout(const Context& context)
    : vulkan::Layout(context.device, context.vk, kBindings, kPushBytes) {}

void Bindings::bindBuffer(uint32_t number, const VkDescriptorBufferInfo& buffer) const {
    const uint32_t binding = std::min(number, kArrayBinding);
    bind(binding, buffer, number - binding);
}

VkResult createPipeline(Context& context, VkPipelineLayout layout, const Words& words,
                        const PipelineOptions& options, VkPipeline* pipeline) {
    const Specialization special(context, options.specialization);
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = words.size() * sizeof(uint32_t);
    moduleInfo.pCode = words.data();
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.pNext = options.next;
    info.flags = options.flags;
    info.layout = layout;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.flags = options.stageFlags;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = options.entryPoint.c_str();
    info.stage.pSpecializationInfo = &special.info;
    if (options.requiredSubgroupSize) {
        required.requiredSubgroupSize = *options.requiredSubgroupSize;
        info.stage.pNext = &required;
    }
    if (options.inlined) {
        moduleInfo.pNext = info.stage.pNext;
        info.stage.pNext = &moduleInfo;
    } else {
        const VkResult result =
            vkCreateShaderModule(context.device, &moduleInfo, nullptr, &info.stage.module);
        if (result != VK_SUCCESS) return result;
    }
    const VkResult result =
        vkCreateComputePipelines(context.device, options.cache, 1, &info, nullptr, pipeline);
    vkDestroyShaderModule(context.device, info.stage.module, nullptr);
    return result;
}

Specialization::Specialization(const Context& context, std::vector<SpecConstant> constants) {
    values_.push_back(context.subgroupSize);
    entries_.push_back({0, 0, sizeof(uint32_t)});
    for (const SpecConstant& constant : constants) {
        entries_.push_back(
            {constant.id, static_cast<uint32_t>(values_.size() * sizeof(uint32_t)), constant.size});
        values_.push_back(constant.value);
    }
    info.mapEntryCount = static_cast<uint32_t>(entries_.size());
    info.pMapEntries = entries_.data();
    info.dataSize = values_.size() * sizeof(uint32_t);
    info.pData = values_.data();
}

std::vector<Bytes> submit(Context& context, const Layout& layout, const Dispatch& dispatch,
                          const Binder& bind) {
    Memory memory(context, dispatch.buffers);
    const Bindings bindings(context, layout);
    describe(bindings, memory, dispatch.buffers);
    const std::vector<std::byte> push = pushConstants(dispatch, memory);
    Commands commands(context);
    commands.begin();
    bind(commands.primary);
    vkCmdBindDescriptorSets(commands.primary, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipeline, 0, 1,
                            &bindings.set, 0, nullptr);
    vkCmdPushConstants(commands.primary, layout.pipeline, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       kPushBytes, push.data());
    vkCmdDispatch(commands.primary, dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]);
    commands.end();
    commands.submitAndWait();
    return memory.read(dispatch.buffers);
}

std::vector<Bytes> run(const Words& words, const Dispatch& dispatch,
                       const PipelineOptions& options) {
    Context& context = Context::get();
    const bool hasAddresses = dispatch.addressTable || !dispatch.addresses.empty();
    context.prepareFor(hasAddresses ? withAddresses(words) : words,
                       options.requiredSubgroupSize || options.stageFlags != 0);
    const Layout layout(context);
    struct Owned {
        VkDevice device;
        VkPipeline handle = VK_NULL_HANDLE;
        ~Owned() { vkDestroyPipeline(device, handle, nullptr); }
    } pipeline{context.device};
    COOPVK_CHECK(createPipeline(context, layout.pipeline, words, options, &pipeline.handle));
    return submit(context, layout, dispatch, [&](VkCommandBuffer commands) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle);
    });
}

}  // namespace coopvk::test
