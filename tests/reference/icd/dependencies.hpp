// SPDX-License-Identifier: Apache-2.0
//
// What programs about dependencies are made of: three buffers with two words each, commands that
// access them, and barriers.
#pragma once

#include <array>

#include "programs.hpp"

namespace coopvk::reference::test {

// Stages and access of one side of a barrier.
struct Side {
    VkPipelineStageFlags2 stages;
    VkAccessFlags2 access = 0;
};
inline constexpr Side kFill = {VK_PIPELINE_STAGE_2_CLEAR_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT};
inline constexpr Side kCopyRead = {VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT};
inline constexpr Side kCopyWrite = {VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT};
inline constexpr Side kShaderRead = {VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                     VK_ACCESS_2_SHADER_STORAGE_READ_BIT};
inline constexpr Side kShaderWrite = {VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                      VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT};

inline constexpr VkPipelineStageFlags2 kAll = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
inline constexpr VkPipelineStageFlags2 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
inline constexpr Side kHostRead = {VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT};
inline constexpr Side kEverything = {kAll,
                                     VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT};

class Dependent : public Vulkan {
 protected:
    void SetUp() override;
    void TearDown() override;

    // Each of the reports since the last call contains this, and there is one at least.
    void expectReports(const std::string& part);
    void expectNone();
    // `commands(buffer, isRight)`, of both programs.
    void check(const std::string& report,
               const std::function<void(VkCommandBuffer, bool isRight)>& commands);
    // Of programs with submissions of their own.
    void checkSubmissions(const std::string& report, const std::function<void(bool)>& both);

    // `from`: a storage buffer, a uniform buffer or an address (0, 1, 2).
    void dispatch(VkCommandBuffer commands, size_t source, size_t target, uint32_t from = 0);
    void fill(VkCommandBuffer commands, size_t target, uint32_t value = 7);
    void copy(VkCommandBuffer commands, size_t source, size_t target);
    static void barrier(VkCommandBuffer commands, Side first, Side second);
    void bufferBarrier(VkCommandBuffer commands, size_t buffer, Side first, Side second,
                       VkDeviceSize offset = 0, VkDeviceSize size = VK_WHOLE_SIZE);
    static VkDependencyInfo infoOf(const VkMemoryBarrier2& barrier);
    static VkMemoryBarrier2 memoryBarrier(Side first, Side second);

    // A command buffer with these commands.
    VkCommandBuffer recorded(const std::function<void(VkCommandBuffer)>& commands,
                             VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    void submit(const std::function<void(VkCommandBuffer)>& commands,
                std::vector<VkSemaphoreSubmitInfo> waits = {},
                std::vector<VkSemaphoreSubmitInfo> signals = {}, VkFence fence = VK_NULL_HANDLE);
    VkSemaphore semaphore(VkSemaphoreType type);
    // By the host.
    void waitFor(VkSemaphore semaphore, uint64_t value);
    VkEvent event();
    VkFence fence();

    Words& words(size_t i) { return *words_[i]; }
    void replace(size_t i, std::unique_ptr<Words> words) { words_[i] = std::move(words); }

 private:
    std::array<std::unique_ptr<Words>, 3> words_;
    std::unique_ptr<Layout> layout_;
    std::array<VkPipeline, 3> pipelines_ = {};
    std::vector<VkSemaphore> semaphores_;
    std::vector<VkEvent> events_;
    std::vector<VkFence> fences_;
};

inline VkSemaphoreSubmitInfo at(VkSemaphore semaphore, VkPipelineStageFlags2 stages,
                                uint64_t value = 0) {
    return {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, semaphore, value, stages, 0};
}

}  // namespace coopvk::reference::test
