// SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace coopvk::bench {
namespace {

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_DST_BIT;

}  // namespace

Buffer::Buffer(Gpu& gpu, VkDeviceSize bytes, VkMemoryPropertyFlags wanted)
    : vulkan::Buffer(gpu.ref(), bytes, kUsage, wanted), size(bytes), gpu_(gpu) {}

void Buffer::write(std::span<const std::byte> bytes) {
    Buffer staging(gpu_, bytes.size(), vulkan::kHostMemory);
    std::memcpy(staging.map, bytes.data(), bytes.size());
    const VkBufferCopy region{0, 0, bytes.size()};
    gpu_.submit([&](VkCommandBuffer commands) {
        gpu_.vk.vkCmdCopyBuffer(commands, staging.handle, handle, 1, &region);
    });
}

void Buffer::fill(uint32_t word) {
    gpu_.submit([&](VkCommandBuffer commands) {
        gpu_.vk.vkCmdFillBuffer(commands, handle, 0, VK_WHOLE_SIZE, word);
    });
}

std::vector<std::byte> Buffer::read() {
    Buffer staging(gpu_, size, vulkan::kHostMemory);
    const VkBufferCopy region{0, 0, size};
    gpu_.submit([&](VkCommandBuffer commands) {
        gpu_.vk.vkCmdCopyBuffer(commands, handle, staging.handle, 1, &region);
    });
    const std::byte* mapped = staging.map;
    return {mapped, mapped + size};
}

VkPipeline createPipeline(Gpu& gpu, const vulkan::Layout& layout, Words words,
                          std::span<const uint32_t> constants) {
    const VkShaderModule module =
        vulkan::createShaderModule(gpu.device, gpu.vk, words.data(), words.size());
    std::vector<VkSpecializationMapEntry> entries;
    for (uint32_t i = 0; i < constants.size(); ++i) entries.push_back({i, i * 4, 4});
    const VkSpecializationInfo specialization{static_cast<uint32_t>(entries.size()), entries.data(),
                                              constants.size_bytes(), constants.data()};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    if (gpu.features.v13.computeFullSubgroups)
        info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &specialization;
    info.layout = layout.pipeline;
    return vulkan::createComputePipeline(gpu.device, gpu.vk, info);
}

Kernel::Kernel(Gpu& gpu, Words words, std::span<const uint32_t> constants,
               std::span<Buffer* const> buffers)
    : gpu_(gpu),
      layout_(gpu.device, gpu.vk, static_cast<uint32_t>(buffers.size()), kPushConstantBytes),
      bindings_(gpu.device, gpu.vk, layout_) {
    pipeline_ = createPipeline(gpu, layout_, words, constants);
    for (uint32_t i = 0; i < buffers.size(); ++i)
        bindings_.bind(i, {buffers[i]->handle, 0, VK_WHOLE_SIZE});
    if (!gpu.timestamps) return;
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 2;
    COOPVK_CHECK(gpu.vk.vkCreateQueryPool(gpu.device, &info, nullptr, &queries_));
}

Kernel::~Kernel() {
    gpu_.vk.vkDestroyQueryPool(gpu_.device, queries_, nullptr);
    gpu_.vk.vkDestroyPipeline(gpu_.device, pipeline_, nullptr);
}

double Kernel::seconds(const Dispatch& dispatch, uint32_t repetitions) {
    constexpr auto kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
    constexpr auto kDone = VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT;
    std::array<uint32_t, kPushConstantBytes / 4> constants{};
    std::copy(dispatch.pushConstants.begin(), dispatch.pushConstants.end(), constants.begin());
    const auto start = std::chrono::steady_clock::now();
    gpu_.submit([&](VkCommandBuffer commands) {
        if (queries_) gpu_.vk.vkCmdResetQueryPool(commands, queries_, 0, 2);
        gpu_.vk.vkCmdBindPipeline(commands, kCompute, pipeline_);
        gpu_.vk.vkCmdBindDescriptorSets(commands, kCompute, layout_.pipeline, 0, 1, &bindings_.set,
                                        0, nullptr);
        gpu_.vk.vkCmdPushConstants(commands, layout_.pipeline, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                   kPushConstantBytes, constants.data());
        if (queries_) gpu_.vk.vkCmdWriteTimestamp(commands, kDone, queries_, 0);
        for (uint32_t i = 0; i < repetitions; ++i)
            gpu_.vk.vkCmdDispatch(commands, dispatch.groups[0], dispatch.groups[1],
                                  dispatch.groups[2]);
        if (queries_) gpu_.vk.vkCmdWriteTimestamp(commands, kDone, queries_, 1);
    });
    const std::chrono::duration<double> host = std::chrono::steady_clock::now() - start;
    if (!queries_) return host.count() / repetitions;
    std::array<uint64_t, 2> ticks{};
    COOPVK_CHECK(gpu_.vk.vkGetQueryPoolResults(gpu_.device, queries_, 0, 2, sizeof(ticks),
                                               ticks.data(), sizeof(uint64_t),
                                               VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    const double period = static_cast<double>(gpu_.properties.limits.timestampPeriod) * 1e-9;
    return static_cast<double>(ticks[1] - ticks[0]) * period / repetitions;
}

}  // namespace coopvk::bench
