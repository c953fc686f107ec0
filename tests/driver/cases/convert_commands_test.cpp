// SPDX-License-Identifier: Apache-2.0
//
// Matrix conversions among other commands: what is bound stays bound, and barriers, events,
// timestamps and submissions may name the conversion's stage.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/compute.hpp"
#include "harness/conversion.hpp"
#include "harness/glsl.hpp"
#include "harness/random.hpp"
#include "harness/requirement.hpp"
#include "harness/samples.hpp"

namespace coopvk::test {
namespace {

constexpr MatrixType kF32 = VK_COMPONENT_TYPE_FLOAT32_KHR;
constexpr MatrixType kF16 = VK_COMPONENT_TYPE_FLOAT16_KHR;
constexpr VkPipelineStageFlags2 kStage =
    VK_PIPELINE_STAGE_2_CONVERT_COOPERATIVE_VECTOR_MATRIX_BIT_NV;

// 4x4 from rows of float32 to the training layout, and back. Exact: the elements are halves.
const ConversionRequest kThere = {{kF32, kRowMajor, 16}, {kF16, kTraining}, 4, 4};
const ConversionRequest kBack = {{kF16, kTraining}, {kF32, kRowMajor, 16}, 4, 4};

Bytes halves(std::string_view seed) {
    Rng rng(seed);
    Bytes bytes(64);
    for (size_t at = 0; at < 64; at += 4)
        writeElement(bytes, at, kF32, encodeElement(kF32, static_cast<double>(rng.range(-99, 99))));
    return bytes;
}

// Buffers: a source, an optimal matrix, the result.
std::vector<Bytes> roundTripBuffers() {
    return {halves("round trip"), Rng("optimal").bytes(querySize(kThere)), Rng("end").bytes(64)};
}

void recordThere(VkCommandBuffer commands, const Memory& memory) {
    recordConversion(commands, kThere, memory, 0, 64, 1, querySize(kThere));
}
void recordBack(VkCommandBuffer commands, const Memory& memory) {
    recordConversion(commands, kBack, memory, 1, querySize(kThere), 2, 64);
}

void expectRoundTrip(const Recorder& record) {
    const std::vector<Bytes> before = roundTripBuffers();
    const std::vector<Bytes> after = runCommands(before, record);
    EXPECT_EQ(difference(after[0], before[0]), "");
    EXPECT_EQ(difference(after[1], convertOnHost(kThere, before[0], before[1])), "");
    EXPECT_EQ(difference(after[2], before[0]), "");
}

TEST(ConvertCommands, Barrier) {
    expectRoundTrip([](Commands& commands, const Memory& memory) {
        recordThere(commands.primary, memory);
        conversionBarrier(commands.primary);
        recordBack(commands.primary, memory);
    });
}

// The original barriers cannot name the stage, but all commands.
TEST(ConvertCommands, OriginalBarrier) {
    expectRoundTrip([](Commands& commands, const Memory& memory) {
        recordThere(commands.primary, memory);
        VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
        barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
        vkCmdPipelineBarrier(commands.primary, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier, 0, nullptr, 0,
                             nullptr);
        recordBack(commands.primary, memory);
    });
}

TEST(ConvertCommands, BufferBarrier) {
    expectRoundTrip([](Commands& commands, const Memory& memory) {
        recordThere(commands.primary, memory);
        VkBufferMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2};
        barrier.srcStageMask = kStage | VK_PIPELINE_STAGE_2_COPY_BIT;
        barrier.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
        barrier.dstStageMask = kStage;
        barrier.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT;
        barrier.buffer = memory.handle();
        barrier.size = VK_WHOLE_SIZE;
        VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
        info.bufferMemoryBarrierCount = 1;
        info.pBufferMemoryBarriers = &barrier;
        vkCmdPipelineBarrier2(commands.primary, &info);
        recordBack(commands.primary, memory);
    });
}

TEST(ConvertCommands, Event) {
    const VkDevice device = Context::get().device;
    const VkEventCreateInfo created{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, nullptr,
                                    VK_EVENT_CREATE_DEVICE_ONLY_BIT};
    VkEvent event = VK_NULL_HANDLE;
    COOPVK_CHECK(vkCreateEvent(device, &created, nullptr, &event));
    expectRoundTrip([&](Commands& commands, const Memory& memory) {
        recordThere(commands.primary, memory);
        VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
        barrier.srcStageMask = kStage;
        barrier.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
        barrier.dstStageMask = kStage;
        barrier.dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT;
        VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
        info.memoryBarrierCount = 1;
        info.pMemoryBarriers = &barrier;
        vkCmdSetEvent2(commands.primary, event, &info);
        vkCmdWaitEvents2(commands.primary, 1, &event, &info);
        vkCmdResetEvent2(commands.primary, event, kStage);
        recordBack(commands.primary, memory);
    });
    vkDestroyEvent(device, event, nullptr);
}

TEST(ConvertCommands, Timestamp) {
    const VkDevice device = Context::get().device;
    VkQueryPoolCreateInfo created{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    created.queryType = VK_QUERY_TYPE_TIMESTAMP;
    created.queryCount = 2;
    VkQueryPool pool = VK_NULL_HANDLE;
    COOPVK_CHECK(vkCreateQueryPool(device, &created, nullptr, &pool));
    expectRoundTrip([&](Commands& commands, const Memory& memory) {
        vkCmdResetQueryPool(commands.primary, pool, 0, 2);
        vkCmdWriteTimestamp2(commands.primary, VK_PIPELINE_STAGE_2_NONE, pool, 0);
        recordThere(commands.primary, memory);
        vkCmdWriteTimestamp2(commands.primary, kStage, pool, 1);
        conversionBarrier(commands.primary);
        recordBack(commands.primary, memory);
    });
    uint64_t times[2] = {};
    COOPVK_CHECK(vkGetQueryPoolResults(device, pool, 0, 2, sizeof(times), times, sizeof(times[0]),
                                       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    EXPECT_LE(times[0], times[1]);
    vkDestroyQueryPool(device, pool, nullptr);
}

TEST(ConvertCommands, Submission) {
    Context& context = Context::get();
    const std::vector<Bytes> before = roundTripBuffers();
    const Memory memory(context, before);
    Commands first(context), second(context);
    first.begin();
    recordThere(first.primary, memory);
    COOPVK_CHECK(vkEndCommandBuffer(first.primary));
    second.begin();
    recordBack(second.primary, memory);
    second.end();
    VkSemaphoreCreateInfo created{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore semaphore = VK_NULL_HANDLE;
    COOPVK_CHECK(vkCreateSemaphore(context.device, &created, nullptr, &semaphore));
    VkSemaphoreSubmitInfo between{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
    between.semaphore = semaphore;
    between.stageMask = kStage;
    VkCommandBufferSubmitInfo buffers[] = {{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO},
                                           {VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO}};
    buffers[0].commandBuffer = first.primary;
    buffers[1].commandBuffer = second.primary;
    VkSubmitInfo2 submits[] = {{VK_STRUCTURE_TYPE_SUBMIT_INFO_2},
                               {VK_STRUCTURE_TYPE_SUBMIT_INFO_2}};
    for (int i = 0; i < 2; ++i) {
        submits[i].commandBufferInfoCount = 1;
        submits[i].pCommandBufferInfos = &buffers[i];
    }
    submits[0].signalSemaphoreInfoCount = submits[1].waitSemaphoreInfoCount = 1;
    submits[0].pSignalSemaphoreInfos = submits[1].pWaitSemaphoreInfos = &between;
    COOPVK_CHECK(vkQueueSubmit2(context.queue, 2, submits, VK_NULL_HANDLE));
    COOPVK_CHECK(vkQueueWaitIdle(context.queue));
    vkDestroySemaphore(context.device, semaphore, nullptr);
    EXPECT_EQ(difference(memory.read(before)[2], before[0]), "");
}

TEST(ConvertCommands, RenderPassDependency) {
    const VkDevice device = Context::get().device;
    VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    barrier.srcStageMask = kStage;
    barrier.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    barrier.dstStageMask = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
    barrier.dstAccessMask = VK_ACCESS_2_SHADER_READ_BIT;
    VkSubpassDependency2 dependency{VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2, &barrier};
    dependency.srcSubpass = VK_SUBPASS_EXTERNAL;
    VkSubpassDescription2 subpass{VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2};
    subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
    VkRenderPassCreateInfo2 info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2};
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    info.dependencyCount = 1;
    info.pDependencies = &dependency;
    VkRenderPass pass = VK_NULL_HANDLE;
    COOPVK_CHECK(vkCreateRenderPass2(device, &info, nullptr, &pass));
    vkDestroyRenderPass(device, pass, nullptr);
    EXPECT_EQ(barrier.srcStageMask, kStage);  // the application's memory stays as it is
}

// Two at once, and one that comes to nothing between them.
TEST(ConvertCommands, Several) {
    const std::vector<Bytes> before = {halves("a"), Rng("x").bytes(querySize(kThere)), halves("b"),
                                       Rng("y").bytes(querySize(kThere))};
    const std::vector<Bytes> after =
        runCommands(before, [&](Commands& commands, const Memory& memory) {
            size_t size = querySize(kThere);
            ConversionRequest none = kThere;
            none.rows = 0;
            VkConvertCooperativeVectorMatrixInfoNV infos[] = {
                kThere.info(64, &size), none.info(64, &size), kThere.info(64, &size)};
            for (size_t i = 0; i < 3; ++i) {
                infos[i].srcData.deviceAddress = memory.address(i / 2 * 2);
                infos[i].dstData.deviceAddress = memory.address(i / 2 * 2 + 1);
            }
            vkCmdConvertCooperativeVectorMatrixNV(commands.primary, 3, infos);
        });
    EXPECT_EQ(difference(after[1], convertOnHost(kThere, before[0], before[1])), "");
    EXPECT_EQ(difference(after[3], convertOnHost(kThere, before[2], before[3])), "");
}

TEST(ConvertCommands, Secondary) {
    expectRoundTrip([](Commands& commands, const Memory& memory) {
        const VkCommandBuffer there = commands.secondary(), back = commands.secondary();
        recordThere(there, memory);
        conversionBarrier(there);
        recordBack(back, memory);
        COOPVK_CHECK(vkEndCommandBuffer(there));
        COOPVK_CHECK(vkEndCommandBuffer(back));
        const VkCommandBuffer both[] = {there, back};
        vkCmdExecuteCommands(commands.primary, 2, both);
    });
}

// A command buffer that is recorded anew does not know what was bound before.
TEST(ConvertCommands, RecordedAgain) {
    Context& context = Context::get();
    const std::vector<Bytes> before = roundTripBuffers();
    const Memory memory(context, before);
    VkCommandPoolCreateInfo created{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    created.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    created.queueFamilyIndex = context.queueFamily;
    VkCommandPool pool = VK_NULL_HANDLE;
    COOPVK_CHECK(vkCreateCommandPool(context.device, &created, nullptr, &pool));
    VkCommandBufferAllocateInfo allocation{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocation.commandPool = pool;
    allocation.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    COOPVK_CHECK(vkAllocateCommandBuffers(context.device, &allocation, &commands));
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    {
        const Layout layout(context);
        VkPipeline pipeline = VK_NULL_HANDLE;
        COOPVK_CHECK(createPipeline(context, layout.pipeline, plain(), {}, &pipeline));
        COOPVK_CHECK(vkBeginCommandBuffer(commands, &begin));
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        const uint32_t word = 1;
        vkCmdPushConstants(commands, layout.pipeline, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &word);
        recordThere(commands, memory);
        COOPVK_CHECK(vkEndCommandBuffer(commands));
        COOPVK_CHECK(vkResetCommandBuffer(commands, 0));
        vkDestroyPipeline(context.device, pipeline, nullptr);
    }
    COOPVK_CHECK(vkBeginCommandBuffer(commands, &begin));
    recordThere(commands, memory);
    conversionBarrier(commands);
    recordBack(commands, memory);
    COOPVK_CHECK(vkEndCommandBuffer(commands));
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    COOPVK_CHECK(vkQueueSubmit(context.queue, 1, &submit, VK_NULL_HANDLE));
    COOPVK_CHECK(vkQueueWaitIdle(context.queue));
    EXPECT_EQ(difference(memory.read(before)[2], before[0]), "");
    vkFreeCommandBuffers(context.device, pool, 1, &commands);
    vkDestroyCommandPool(context.device, pool, nullptr);
}

// Something to dispatch: a shader that writes all its push constants to binding 0.
struct PushShader {
    PushShader() : layout(Context::get()) {
        words = compileGlsl(glsl::header() + glsl::buffer(0, "d", "uint") +
                            "layout(push_constant) uniform Push { uint n[32]; } push;\n"
                            "void main() { if (gl_LocalInvocationIndex == 0)\n"
                            "    for (uint i = 0; i < 32; ++i) d[i] = push.n[i]; }\n");
        Context& context = Context::get();
        COOPVK_CHECK(createPipeline(context, layout.pipeline, words, {}, &pipeline));
        const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kMaxBuffers};
        VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
        info.maxSets = 1;
        info.poolSizeCount = 1;
        info.pPoolSizes = &size;
        COOPVK_CHECK(vkCreateDescriptorPool(context.device, &info, nullptr, &pool));
        VkDescriptorSetAllocateInfo allocation{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
        allocation.descriptorPool = pool;
        allocation.descriptorSetCount = 1;
        allocation.pSetLayouts = &layout.set;
        COOPVK_CHECK(vkAllocateDescriptorSets(context.device, &allocation, &set));
    }
    ~PushShader() {
        vkDestroyDescriptorPool(Context::get().device, pool, nullptr);
        vkDestroyPipeline(Context::get().device, pipeline, nullptr);
    }
    PushShader(const PushShader&) = delete;
    PushShader& operator=(const PushShader&) = delete;

    void describe(const Memory& memory, size_t index) const {
        for (uint32_t i = 0; i < kMaxBuffers; ++i) {
            const VkDescriptorBufferInfo buffer = memory.descriptor(index, 128);
            VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
            write.dstSet = set;
            write.dstBinding = std::min(i, kArrayBinding);
            write.dstArrayElement = i - write.dstBinding;
            write.descriptorCount = 1;
            write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
            write.pBufferInfo = &buffer;
            vkUpdateDescriptorSets(Context::get().device, 1, &write, 0, nullptr);
        }
    }
    void bindSet(VkCommandBuffer commands) const {
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipeline, 0, 1,
                                &set, 0, nullptr);
    }
    void push(VkCommandBuffer commands, uint32_t offset, const Bytes& bytes) const {
        vkCmdPushConstants(commands, layout.pipeline, VK_SHADER_STAGE_COMPUTE_BIT, offset,
                           static_cast<uint32_t>(bytes.size()), bytes.data());
    }

    Layout layout;
    Words words;
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;
};

// A condition that does not hold stops what follows a conversion, but not the conversion.
TEST(ConvertCommands, ConditionalRendering) {
    COOPVK_REQUIRE(Requirement::kConditionalRendering);
    const PushShader shader;
    std::vector<Bytes> before = roundTripBuffers();
    before.push_back(toBytes({0u}));  // the condition
    before.push_back(Rng("kept").bytes(128));
    const std::vector<Bytes> after =
        runCommands(before, [&](Commands& commands, const Memory& memory) {
            const VkConditionalRenderingBeginInfoEXT info{
                VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT, nullptr, memory.handle(),
                memory.offset(3), 0};
            shader.describe(memory, 4);
            const VkCommandBuffer to = commands.primary;
            vkCmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, shader.pipeline);
            shader.bindSet(to);
            shader.push(to, 0, Rng("pushed").bytes(128));
            vkCmdBeginConditionalRenderingEXT(to, &info);
            recordThere(to, memory);
            vkCmdDispatch(to, 1, 1, 1);
            vkCmdEndConditionalRenderingEXT(to);
        });
    EXPECT_EQ(difference(after[1], convertOnHost(kThere, before[0], before[1])), "");
    EXPECT_EQ(difference(after[4], before[4]), "");
}

using Binding = std::function<void(const PushShader&, VkCommandBuffer)>;

// Binds, pushes in pieces with a conversion between them, converts and dispatches.
void expectState(const Binding& bind, bool second) {
    const PushShader shader;
    std::vector<Bytes> before = roundTripBuffers();
    before.push_back(Rng("pushed before").bytes(128));
    const Bytes pushed = Rng("pushed").bytes(128), update = Rng("update").bytes(24);
    const std::vector<Bytes> after =
        runCommands(before, [&](Commands& commands, const Memory& memory) {
            shader.describe(memory, 3);
            const VkCommandBuffer to = commands.primary;
            bind(shader, to);
            shader.bindSet(to);
            if (second) {
                const VkPushConstantsInfo info{VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO,
                                               nullptr,
                                               shader.layout.pipeline,
                                               VK_SHADER_STAGE_COMPUTE_BIT,
                                               0,
                                               128,
                                               pushed.data()};
                vkCmdPushConstants2(to, &info);
            } else {
                shader.push(to, 0, pushed);
            }
            recordThere(to, memory);
            conversionBarrier(to);
            shader.push(to, 16, update);
            recordBack(to, memory);
            vkCmdDispatch(to, 1, 1, 1);
        });
    Bytes want = pushed;
    std::copy(update.begin(), update.end(), want.begin() + 16);
    EXPECT_EQ(difference(after[3], want), "");
    EXPECT_EQ(difference(after[2], before[0]), "");
}

TEST(ConvertCommands, BoundPipeline) {
    const auto bind = [](const PushShader& shader, VkCommandBuffer commands) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader.pipeline);
    };
    expectState(bind, false);
    expectState(bind, true);
}

TEST(ConvertCommands, BoundShaderObject) {
    COOPVK_REQUIRE(Requirement::kShaderObject);
    ShaderObject object;
    expectState(
        [&](const PushShader& shader, VkCommandBuffer commands) {
            const Specialization special(Context::get(), {});
            COOPVK_CHECK(createShaderObject(shader.layout, VK_SHADER_CODE_TYPE_SPIRV_EXT,
                                            shader.words.data(), shader.words.size() * 4, special,
                                            object));
            // A pipeline first, which the shader object replaces.
            vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader.pipeline);
            const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
            vkCmdBindShadersEXT(commands, 1, &stage, &object.handle);
        },
        false);
}

// An error in a recorded conversion comes out at the end of the recording.
TEST(ConvertCommands, Refused) {
    Context& context = Context::get();
    const Memory memory(context, {Bytes(64), Bytes(64)});
    Commands commands(context);
    commands.begin();
    const ConversionRequest wrong = {
        {kF32, kRowMajor, 16}, {VK_COMPONENT_TYPE_SINT8_KHR, kTraining}, 4, 4};
    recordConversion(commands.primary, wrong, memory, 0, 64, 1, 64);
    EXPECT_LT(vkEndCommandBuffer(commands.primary), 0);
}

}  // namespace
}  // namespace coopvk::test
