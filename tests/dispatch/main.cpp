// SPDX-License-Identifier: Apache-2.0
// usage: coopvk_dispatches ROUTE RESULT
//
// Writes what the device computed to a file.
#include <cstdio>
#include <cstring>
#include <fstream>

#include "gpu_setup.hpp"
#include "product.spv.h"
#include "product_addresses.spv.h"
#include "program.hpp"

namespace coopvk::test {

void Program::makePipeline() {
    VkShaderModuleCreateInfo code = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    code.codeSize = is("address") ? sizeof(kProductAddressesWords) : sizeof(kProductWords);
    code.pCode = is("address") ? kProductAddressesWords : kProductWords;
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    if (is("base")) info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    info.layout = pipelineLayout_;
    COOPVK_CHECK(vkCreateShaderModule(device_, &code, nullptr, &info.stage.module));
    COOPVK_CHECK(vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_));
    vkDestroyShaderModule(device_, info.stage.module, nullptr);
}

std::vector<VkWriteDescriptorSet> Program::writes(VkDescriptorSet set) {
    std::vector<VkWriteDescriptorSet> writes(3, {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET});
    for (uint32_t i = 0; i < 3; ++i) {
        writes[i].dstSet = set;
        writes[i].dstBinding = i;
        writes[i].descriptorCount = 1;
        writes[i].descriptorType = i < 2           ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                                   : is("dynamic") ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC
                                                   : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        writes[i].pBufferInfo = &infos_[i];
    }
    if (!is("inline")) return writes;
    inline_.dataSize = sizeof(constants_);
    inline_.pData = constants_;
    writes[2].pNext = &inline_;
    writes[2].descriptorCount = sizeof(constants_);
    writes[2].descriptorType = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
    return writes;
}

void Program::makeSet() {
    if (pushes()) return;
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2},
                                          {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1},
                                          {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1},
                                          {VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 64}};
    VkDescriptorPoolInlineUniformBlockCreateInfo blocks = {
        VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO, nullptr, 1};
    const VkDescriptorPoolCreateInfo pool = {
        VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, &blocks, 0, 1, 4, sizes};
    COOPVK_CHECK(vkCreateDescriptorPool(device_, &pool, nullptr, &descriptors_));
    const VkDescriptorSetAllocateInfo set = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             nullptr, descriptors_, 1, &layout_};
    COOPVK_CHECK(vkAllocateDescriptorSets(device_, &set, &set_));
    if (is("template")) {
        vkUpdateDescriptorSetWithTemplate(device_, set_, template_, infos_);
    } else {
        const auto all = writes(set_);
        vkUpdateDescriptorSets(device_, 3, all.data(), 0, nullptr);
    }
}

void Program::bind(VkCommandBuffer commands) {
    constexpr auto kPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
    vkCmdBindPipeline(commands, kPoint, pipeline_);
    struct {
        uint32_t stride, unused;
        VkDeviceAddress a, table;
    } const constants = {kStride, 0, a_.address, table_.address};
    vkCmdPushConstants(commands, pipelineLayout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(constants),
                       &constants);
    const uint32_t offset = 256;
    if (is("push")) {
        const auto all = writes(VK_NULL_HANDLE);
        vkCmdPushDescriptorSetKHR(commands, kPoint, pipelineLayout_, 1, 3, all.data());
    } else if (is("push_template")) {
        vkCmdPushDescriptorSetWithTemplateKHR(commands, template_, pipelineLayout_, 1, infos_);
    } else {
        vkCmdBindDescriptorSets(commands, kPoint, pipelineLayout_, 1, 1, &set_, is("dynamic"),
                                &offset);
    }
}

void Program::dispatch(VkCommandBuffer commands) {
    if (is("indirect")) return vkCmdDispatchIndirect(commands, counts_.handle, 16);
    if (is("base")) return vkCmdDispatchBase(commands, 1, 0, 0, 1, 1, 1);
    vkCmdDispatch(commands, kGroups, 1, 1);
}

VkCommandBuffer Program::commands(VkCommandBufferLevel level) {
    const VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              nullptr, pool_, level, 1};
    VkCommandBuffer buffer = VK_NULL_HANDLE;
    COOPVK_CHECK(vkAllocateCommandBuffers(device_, &info, &buffer));
    VkCommandBufferInheritanceInfo inherited = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.pInheritanceInfo = &inherited;
    COOPVK_CHECK(vkBeginCommandBuffer(buffer, &begin));
    return buffer;
}

void Program::submit(VkCommandBuffer buffer) {
    VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &buffer;
    COOPVK_CHECK(vkQueueSubmit(queue_, 1, &info, VK_NULL_HANDLE));
    COOPVK_CHECK(vkQueueWaitIdle(queue_));
}

void Program::record(const std::function<void(VkCommandBuffer)>& what) {
    const VkCommandBuffer buffer = commands();
    what(buffer);
    VkMemoryBarrier all = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    all.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    vkCmdPipelineBarrier(buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &all, 0, nullptr, 0, nullptr);
    COOPVK_CHECK(vkEndCommandBuffer(buffer));
    submit(buffer);
    if (is("twice") && pipeline_ != VK_NULL_HANDLE) submit(buffer);
}

std::vector<float> Program::run() {
    makeBuffers();
    makeLayout();
    makePipeline();
    makeSet();
    if (is("secondary")) {
        const VkCommandBuffer inner = commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
        bind(inner);
        dispatch(inner);
        COOPVK_CHECK(vkEndCommandBuffer(inner));
        record([&](VkCommandBuffer outer) { vkCmdExecuteCommands(outer, 1, &inner); });
    } else {
        record([&](VkCommandBuffer buffer) {
            bind(buffer);
            dispatch(buffer);
        });
    }
    if (is("local")) {
        readback_ = makeBuffer(kBytesOfC, VK_BUFFER_USAGE_TRANSFER_DST_BIT, kHost);
        record([&](VkCommandBuffer buffer) {
            const VkBufferCopy whole = {0, 0, kBytesOfC};
            vkCmdCopyBuffer(buffer, c_.handle, readback_.handle, 1, &whole);
        });
    }
    std::vector<float> result(kBytesOfC / 4);
    const Buffer& from = is("local") ? readback_ : c_;
    std::memcpy(result.data(), from.mapped + offsetOfC_, kBytesOfC);
    return result;
}

}  // namespace coopvk::test

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    try {
        const std::vector<float> result = coopvk::test::Program(argv[1]).run();
        std::ofstream file(argv[2], std::ios::binary);
        file.write(reinterpret_cast<const char*>(result.data()),
                   static_cast<std::streamsize>(result.size() * sizeof(float)));
        return file ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "coopvk_dispatches: %s\n", error.what());
        return 1;
    }
}
