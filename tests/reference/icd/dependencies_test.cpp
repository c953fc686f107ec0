// SPDX-License-Identifier: Apache-2.0
//
// Pairs of programs, by the words of "Synchronization and Cache Control": the right one gives no
// report, the faulty one gives those that its row says.
#include "dependencies.hpp"

namespace coopvk::reference::test::dependencies_test {
namespace {

using Commands = VkCommandBuffer;

class Dependencies : public Dependent {};

// "Read-after-write ... hazards need appropriate memory dependencies".
TEST_F(Dependencies, ReadAfterWrite) {
    check("vkCmdDispatch (command 5 of command buffer", [&](Commands to, bool isRight) {
        fill(to, 0);
        if (isRight) barrier(to, kFill, kShaderRead);
        dispatch(to, 0, 1);
    });
}

TEST_F(Dependencies, NamesWhatLacks) {
    EXPECT_VK(run([&](Commands to) {
        fill(to, 0);
        copy(to, 0, 1);
    }));
    expectReports(", which vkCmdFillBuffer (command 1 of command buffer ");
    VkDebugUtilsObjectNameInfoEXT name{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
    name.objectType = VK_OBJECT_TYPE_BUFFER;
    name.objectHandle = reinterpret_cast<uint64_t>(words(0).buffer);
    name.pObjectName = "weights";
    ASSERT_VK(vkSetDebugUtilsObjectNameEXT(device, &name));
    EXPECT_VK(run([&](Commands to) {
        vkCmdFillBuffer(to, words(0).buffer, 4, 4, 3);
        copy(to, 0, 2);
    }));
    expectReports("reads bytes 4 to 7 of buffer \"weights\", which vkCmdFillBuffer (command 1 of");
    EXPECT_VK(run([&](Commands to) {
        fill(to, 0);
        copy(to, 0, 1);
    }));
    expectReports(
        "without a memory dependency from VK_PIPELINE_STAGE_2_CLEAR_BIT, "
        "VK_ACCESS_2_TRANSFER_WRITE_BIT to VK_PIPELINE_STAGE_2_COPY_BIT, "
        "VK_ACCESS_2_TRANSFER_READ_BIT");
}

TEST_F(Dependencies, WriteAfterWrite) {
    check("it has happened, but is not available", [&](Commands to, bool isRight) {
        fill(to, 0, 1);
        barrier(to, isRight ? kFill : Side{kFill.stages}, isRight ? kFill : Side{kFill.stages});
        fill(to, 0, 2);
    });
}

// "Write-after-read hazards can be solved with just an execution dependency".
TEST_F(Dependencies, WriteAfterRead) {
    check(
        "without an execution dependency from VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT to "
        "VK_PIPELINE_STAGE_2_CLEAR_BIT",
        [&](Commands to, bool isRight) {
            dispatch(to, 0, 1);
            if (isRight) barrier(to, {kCompute}, {kFill.stages});
            fill(to, 0);
        });
}

// Each of the four masks of a barrier between a dispatch and a copy of what it wrote.
TEST_F(Dependencies, MasksOfBarriers) {
    const struct {
        Side first, second;
        const char* report;
    } kFaulty[] = {
        {kFill, kCopyRead, "without a memory dependency"},
        {kShaderWrite, kShaderRead, "without a memory dependency"},
        {kShaderRead, kCopyRead, ": it has happened, but is not available"},
        {kShaderWrite, Side{kCopyRead.stages}, ": it is available, but not visible"},
    };
    for (const auto& faulty : kFaulty) {
        check(faulty.report, [&](Commands to, bool isRight) {
            dispatch(to, 0, 1);
            barrier(to, isRight ? kShaderWrite : faulty.first, isRight ? kCopyRead : faulty.second);
            copy(to, 1, 2);
        });
    }
}

// A chain: the second scope of the first barrier meets the first scope of the second one.
TEST_F(Dependencies, Chains) {
    check("vkCmdDispatch", [&](Commands to, bool isRight) {
        dispatch(to, 0, 1);
        barrier(to, kShaderWrite, {isRight ? kFill.stages : kCopyRead.stages});
        barrier(to, {kFill.stages}, kShaderRead);
        dispatch(to, 1, 2);
    });
}

TEST_F(Dependencies, BuffersOfBarriers) {
    check("vkCmdDispatch", [&](Commands to, bool isRight) {
        fill(to, 0);
        bufferBarrier(to, isRight ? 0 : 2, kFill, kShaderRead);
        dispatch(to, 0, 1);
    });
}

TEST_F(Dependencies, RangesOfBarriers) {
    check("bytes 4 to 7", [&](Commands to, bool isRight) {
        fill(to, 0);
        bufferBarrier(to, 0, kFill, kShaderRead, 0, isRight ? 8 : 4);
        dispatch(to, 0, 1);
    });
}

// What the first scope contains also orders other memory, whose writes it does not make available.
TEST_F(Dependencies, ExecutionOfBufferBarriers) {
    check("not available", [&](Commands to, bool isRight) {
        dispatch(to, 0, 1);
        bufferBarrier(to, 2, kShaderWrite, kFill);
        fill(to, isRight ? 0 : 1);
    });
}

TEST_F(Dependencies, UniformBuffers) {
    check("VK_ACCESS_2_UNIFORM_READ_BIT", [&](Commands to, bool isRight) {
        fill(to, 0);
        barrier(to, kFill, isRight ? Side{kCompute, VK_ACCESS_2_UNIFORM_READ_BIT} : kShaderRead);
        dispatch(to, 0, 1, 1);
    });
}

TEST_F(Dependencies, Addresses) {
    check("OpLoad", [&](Commands to, bool isRight) {
        fill(to, 0);
        if (isRight) barrier(to, kFill, kShaderRead);
        dispatch(to, 0, 1, 2);
    });
}

// The arguments are read in another stage than the shader's accesses happen.
TEST_F(Dependencies, IndirectArguments) {
    Words groups(device, {1, 1, 1});
    check("VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT", [&](Commands to, bool isRight) {
        dispatch(to, 0, 1);  // binds everything
        barrier(to, kEverything, kEverything);
        vkCmdFillBuffer(to, groups.buffer, 0, 12, 1);
        barrier(to, kFill,
                isRight ? Side{VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
                               VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT}
                        : kShaderRead);
        vkCmdDispatchIndirect(to, groups.buffer, 0);
    });
    vkDeviceWaitIdle(device);
}

// The logically earlier stages of the first scope: the arguments were read before the shader
// executed.
TEST_F(Dependencies, LogicallyEarlierStages) {
    Words groups(device, {1, 1, 1});
    check("from VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT", [&](Commands to, bool isRight) {
        dispatch(to, 0, 1);
        barrier(to, kEverything, kEverything);
        vkCmdDispatchIndirect(to, groups.buffer, 0);
        barrier(to, isRight ? Side{kCompute} : Side{VK_PIPELINE_STAGE_2_COPY_BIT}, kFill);
        vkCmdFillBuffer(to, groups.buffer, 0, 12, 1);
    });
}

TEST_F(Dependencies, UpdatesAreClears) {
    check("vkCmdUpdateBuffer", [&](Commands to, bool isRight) {
        const uint32_t values[] = {4, 5};
        vkCmdUpdateBuffer(to, words(0).buffer, 0, 8, values);
        barrier(to, isRight ? kFill : kCopyWrite, kShaderRead);
        dispatch(to, 0, 1);
    });
}

TEST_F(Dependencies, StagesOfVulkan10) {
    check("vkCmdDispatch", [&](Commands to, bool isRight) {
        fill(to, 0);
        const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr,
                                     VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT};
        vkCmdPipelineBarrier(to, VK_PIPELINE_STAGE_TRANSFER_BIT,
                             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, isRight ? 1 : 0, &memory, 0,
                             nullptr, 0, nullptr);
        dispatch(to, 0, 1);
    });
}

// TOP_OF_PIPE as a first scope contains nothing.
TEST_F(Dependencies, TopOfPipe) {
    check("vkCmdDispatch", [&](Commands to, bool isRight) {
        fill(to, 0);
        barrier(to, isRight ? kEverything : Side{VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT}, kEverything);
        dispatch(to, 0, 1);
    });
}

TEST_F(Dependencies, Secondaries) {
    const Commands right = recorded(
        [&](Commands to) {
            barrier(to, kFill, kFill);
            fill(to, 0, 2);
        },
        VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    const Commands faulty =
        recorded([&](Commands to) { fill(to, 0, 2); }, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    check("vkCmdFillBuffer", [&](Commands to, bool isRight) {
        fill(to, 0);
        vkCmdExecuteCommands(to, 1, isRight ? &right : &faulty);
    });
}

// Buffers that share memory.
TEST_F(Dependencies, Aliases) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = 8;
    info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    VkBuffer buffers[2] = {};
    for (VkBuffer& each : buffers) ASSERT_VK(vkCreateBuffer(device, &info, nullptr, &each));
    VkMemoryRequirements needed;
    vkGetBufferMemoryRequirements(device, buffers[0], &needed);
    const VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr,
                                          needed.size, 0};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    ASSERT_VK(vkAllocateMemory(device, &allocation, nullptr, &memory));
    for (const VkBuffer each : buffers) ASSERT_VK(vkBindBufferMemory(device, each, memory, 0));
    check("vkCmdCopyBuffer", [&](Commands to, bool isRight) {
        vkCmdFillBuffer(to, buffers[0], 0, 8, 4);
        if (isRight) barrier(to, kFill, kCopyRead);
        const VkBufferCopy region{0, 0, 8};
        vkCmdCopyBuffer(to, buffers[1], words(0).buffer, 1, &region);
    });
    for (const VkBuffer each : buffers) vkDestroyBuffer(device, each, nullptr);
    vkFreeMemory(device, memory, nullptr);
}

}  // namespace
}  // namespace coopvk::reference::test::dependencies_test
