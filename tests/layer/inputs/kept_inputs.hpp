// SPDX-License-Identifier: Apache-2.0
//
// Dispatches whose inputs are kept, above a driver that copies between arrays of this file.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "inputs/dispatch_inputs.hpp"
#include "report/dump.hpp"

namespace coopvk::test::kept_inputs {

namespace fs = std::filesystem;
using namespace layer;
using namespace layer::inputs;

inline constexpr size_t kSize = 256;

// What the driver has; its functions have no other place for it.
struct Device {
    std::array<uint8_t, kSize> buffer = {};  // of the application
    std::array<uint8_t, 8 * kSize> staging = {};
    VkResult fence = VK_NOT_READY;
    int objects = 0;  // that exist
    int submissions = 0;
    VkAccessFlags shownTo = 0;  // by the last barrier
    std::string order;  // of barriers: b before copies, B behind them, x others; and copies: c
    std::function<void()> called = [] {}, reading = [] {};  // what happens during a call
};
inline Device device;

template <typename Handle>
Handle handle(uintptr_t number) {
    return reinterpret_cast<Handle>(number);
}

template <typename Info, typename Handle>
VKAPI_ATTR VkResult VKAPI_CALL create(VkDevice, const Info*, const VkAllocationCallbacks*,
                                      Handle* made) {
    device.called();
    *made = handle<Handle>(1000 + static_cast<uintptr_t>(device.objects++));
    return VK_SUCCESS;
}

template <typename Handle>
VKAPI_ATTR void VKAPI_CALL destroy(VkDevice, Handle, const VkAllocationCallbacks*) {
    device.called();
    --device.objects;
}

inline VKAPI_ATTR void VKAPI_CALL barrier(VkCommandBuffer, VkPipelineStageFlags,
                                          VkPipelineStageFlags, VkDependencyFlags, uint32_t count,
                                          const VkMemoryBarrier* memory, uint32_t ofBuffers,
                                          const VkBufferMemoryBarrier*, uint32_t ofImages,
                                          const VkImageMemoryBarrier*) {
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(ofBuffers + ofImages, 0u);
    device.shownTo = memory->dstAccessMask;
    const bool readsNext = (memory->srcAccessMask & VK_ACCESS_MEMORY_WRITE_BIT) != 0 &&
                           (memory->dstAccessMask & VK_ACCESS_TRANSFER_READ_BIT) != 0;
    const bool hasCopied = (memory->srcAccessMask & VK_ACCESS_TRANSFER_WRITE_BIT) != 0;
    device.order += readsNext ? 'b' : hasCopied ? 'B' : 'x';
}

inline Driver makeDriver() {
    Driver driver;
    VkuDeviceDispatchTable& next = driver.next;
    next.CreateBuffer = create<VkBufferCreateInfo, VkBuffer>;
    next.AllocateMemory = create<VkMemoryAllocateInfo, VkDeviceMemory>;
    next.CreateFence = create<VkFenceCreateInfo, VkFence>;
    next.DestroyBuffer = destroy<VkBuffer>;
    next.FreeMemory = destroy<VkDeviceMemory>;
    next.DestroyFence = destroy<VkFence>;
    next.GetBufferMemoryRequirements = [](VkDevice, VkBuffer, VkMemoryRequirements* needed) {
        *needed = {8 * kSize, 1, 1};
    };
    next.BindBufferMemory = [](VkDevice, VkBuffer, VkDeviceMemory, VkDeviceSize offset) {
        EXPECT_EQ(offset, 0u) << "the allocation is no larger than the buffer";
        return VK_SUCCESS;
    };
    next.MapMemory = [](VkDevice, VkDeviceMemory, VkDeviceSize offset, VkDeviceSize,
                        VkMemoryMapFlags flags, void** mapped) {
        EXPECT_EQ(flags, 0u);
        *mapped = device.staging.data() + offset;
        return VK_SUCCESS;
    };
    next.InvalidateMappedMemoryRanges = [](VkDevice, uint32_t, const VkMappedMemoryRange*) {
        device.called();
        device.reading();
        return VK_SUCCESS;
    };
    next.CmdPipelineBarrier = barrier;
    next.CmdCopyBuffer = [](VkCommandBuffer, VkBuffer, VkBuffer, uint32_t,
                            const VkBufferCopy* copy) {
        device.order += 'c';
        std::memcpy(device.staging.data() + copy->dstOffset, device.buffer.data() + copy->srcOffset,
                    copy->size);
    };
    next.GetFenceStatus = [](VkDevice, VkFence) {
        device.called();
        return device.fence;
    };
    next.QueueSubmit = [](VkQueue, uint32_t count, const VkSubmitInfo* submits, VkFence) {
        EXPECT_TRUE(count == 0 || submits != nullptr);
        device.called();
        ++device.submissions;
        return VK_SUCCESS;
    };
    driver.memory.memoryTypeCount = 1;
    driver.memory.memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    return driver;
}

inline const auto kCommands = handle<VkCommandBuffer>(1);
inline const auto kBuffer = handle<VkBuffer>(2);

class KeptInputs : public testing::Test {
 protected:
    KeptInputs() {
        device = {};
        shader_.request.name = "shader";
        shader_.request.text = R"({"stage": "compute"})";
    }
    ~KeptInputs() override {
        inputs_.reset();
        EXPECT_EQ(device.objects, 0);
        fs::remove_all(folder_);
    }

    void start(DumpedInputs limits = {kSize, 1}) { inputs_.emplace(limits, dumps_, makeDriver()); }
    // A command buffer with a buffer in a descriptor and a shader, bound.
    void bind() {
        inputs_->add(7, shader_);
        inputs_->track([](State& state) {
            state.objects.buffers[kBuffer] = {
                .handle = kBuffer, .size = kSize, .canBeCopied = true};
            Recording& commands = state.commands[kCommands];
            commands.shader = state.shaders.at(7);
            auto set = std::make_shared<DescriptorSet>();
            set->descriptors[{0, 0}] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {kBuffer, 16, 32}};
            commands.sets[0].set = set;
            commands.pushConstants = {std::byte{1}, std::byte{2}};
        });
    }
    // Records a dispatch that adds one to each byte.
    bool record() {
        const auto kept = inputs_->keep(kCommands, {.groups = {3, 2, 1}});
        if (kept == nullptr) return false;
        kept->recordBefore(kCommands);
        for (uint8_t& byte : device.buffer) ++byte;
        kept->recordAfter(kCommands);
        return true;
    }
    void submit() {
        inputs_->beforeSubmit({&kCommands, 1});
        inputs_->afterSubmit(nullptr, {&kCommands, 1});
    }
    size_t written() const {
        size_t count = 0;
        if (!fs::exists(folder_)) return 0;
        for (const auto& entry : fs::directory_iterator(folder_))
            count += entry.path().extension() == ".json";
        return count;
    }
    void setSimultaneous() {
        inputs_->trackCommands(kCommands,
                               [](Recording& commands, State&) { commands.simultaneous = true; });
    }
    void retire() {
        inputs_->trackCommands(kCommands,
                               [&](Recording& commands, State&) { inputs_->retire(commands); });
    }

    const fs::path folder_ =
        fs::temp_directory_path() / ("coopvk-inputs-test-" + std::to_string(getpid())) / "dump";
    const Settings settings_{.dumpDir = folder_.string()};
    DumpedShader shader_;
    Log log_{LogLevel::kWarn, COOPVK_NOWHERE};
    ShaderDumps dumps_{settings_, log_};
    std::optional<DispatchInputs> inputs_;
};

}  // namespace coopvk::test::kept_inputs
