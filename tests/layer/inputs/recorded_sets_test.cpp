// SPDX-License-Identifier: Apache-2.0
//
// Inputs of dispatches, from the application's commands on: what descriptor sets, descriptor
// buffers and heaps, secondary and protected command buffers, and addresses lead to.
#include <cstring>

#include "inputs/input_commands.hpp"

namespace coopvk::test::recorded_sets_test {
namespace {

using Sizes = std::vector<uint64_t>;

template <typename Handle>
Handle handleOf(uint64_t number) {
    return reinterpret_cast<Handle>(number);
}

class RecordedSets : public InputCommands {
 protected:
    static constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                          kDynamic = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;

    // Handles are not those of the fake driver, which leaves them as they are.
    VkDescriptorSet allocateSet(uint64_t number) {
        VkDescriptorSetAllocateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
        info.descriptorPool = pool;
        info.descriptorSetCount = 1;
        info.pSetLayouts = &layout;
        auto set = handleOf<VkDescriptorSet>(number);
        EXPECT_EQ(
            call<PFN_vkAllocateDescriptorSets>("vkAllocateDescriptorSets")(device, &info, &set),
            VK_SUCCESS);
        return set;
    }
    // Two buffers in binding 0, and one with a dynamic offset in binding 3.
    void makeLayout() {
        const VkDescriptorSetLayoutBinding bindings[] = {{0, kStorage, 2}, {3, kDynamic, 1}};
        VkDescriptorSetLayoutCreateInfo info = {
            VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        info.bindingCount = 2;
        info.pBindings = bindings;
        EXPECT_EQ(call<PFN_vkCreateDescriptorSetLayout>("vkCreateDescriptorSetLayout")(
                      device, &info, nullptr, &layout),
                  VK_SUCCESS);
    }
    void update(std::vector<VkWriteDescriptorSet> writes, std::vector<VkCopyDescriptorSet> copies) {
        call<PFN_vkUpdateDescriptorSets>("vkUpdateDescriptorSets")(
            device, static_cast<uint32_t>(writes.size()), writes.data(),
            static_cast<uint32_t>(copies.size()), copies.data());
    }
    VkWriteDescriptorSet write(VkDescriptorSet set, uint32_t binding, VkDescriptorType type,
                               std::span<const VkDescriptorBufferInfo> ranges) {
        VkWriteDescriptorSet one = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set, binding};
        one.descriptorCount = static_cast<uint32_t>(ranges.size());
        one.descriptorType = type;
        one.pBufferInfo = ranges.data();
        return one;
    }
    void bind(VkDescriptorSet set, uint32_t offset, VkPipelineBindPoint point = kPoint) {
        call<PFN_vkCmdBindDescriptorSets>("vkCmdBindDescriptorSets")(
            commands, point, VK_NULL_HANDLE, 2, 1, &set, 1, &offset);
    }
    // The sizes of what a dispatch copies from a buffer: before it, and the same behind it.
    Sizes dispatched(VkBuffer buffer) {
        inputs().trackCommands(commands, [](auto& state, auto&) { state.shader->kept = 0; });
        driver.seenCommands.clear();
        call<PFN_vkCmdDispatch>("vkCmdDispatch")(commands, 2, 3, 4);
        bool isDispatched = false;
        Sizes before, after;
        for (const auto& [name, values] : driver.seenCommands) {
            if (name == "vkCmdDispatch") {
                EXPECT_EQ(values, (Sizes{2, 3, 4}));
                isDispatched = true;
            } else if (name == "vkCmdCopyBuffer" && values[0] == numberOf(buffer)) {
                (isDispatched ? after : before).push_back(values[1]);
            }
        }
        EXPECT_TRUE(isDispatched);
        EXPECT_EQ(before, after);
        return before;
    }
    size_t setCount() {
        size_t count = 0;
        inputs().track([&](const auto& state) { count = state.objects.sets.size(); });
        return count;
    }

    const VkDescriptorPool pool = handleOf<VkDescriptorPool>(7);
    VkDescriptorSetLayout layout = handleOf<VkDescriptorSetLayout>(11);
    const VkBuffer first = makeBuffer(64), second = makeBuffer(128);
};

TEST_F(RecordedSets, LeadToTheirBuffers) {
    makeLayout();
    const VkDescriptorSet set = allocateSet(21), other = allocateSet(22);
    const VkDescriptorBufferInfo ranges[] = {{first, 0, 16}, {second, 32, VK_WHOLE_SIZE}},
                                 dynamic[] = {{second, 0, 8}}, none[] = {{first, 0, 64}};
    update({write(set, 0, kStorage, ranges), write(set, 3, kDynamic, dynamic),
            write(handleOf<VkDescriptorSet>(99), 0, kStorage, none)},
           {});
    EXPECT_EQ(dispatched(first), Sizes{}) << "nothing is bound";
    bind(set, 16);
    bind(other, 0, VK_PIPELINE_BIND_POINT_GRAPHICS);
    EXPECT_EQ(dispatched(first), Sizes{16});
    inputs().trackCommands(commands, [](const auto& state, auto&) {
        ASSERT_EQ(state.kept.back()->sets.size(), 1u) << "which may not change any more";
        EXPECT_EQ(state.kept.back()->sets[0].number, 2u);
    });
    EXPECT_EQ(dispatched(second), (Sizes{8, 96}));
    VkCopyDescriptorSet copy = {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, set, 0, 0};
    copy.dstSet = other;
    copy.dstBinding = 0;
    copy.dstArrayElement = 1;
    copy.descriptorCount = 1;
    update({}, {copy});
    bind(other, 0);
    EXPECT_EQ(dispatched(first), Sizes{16});
    EXPECT_EQ(dispatched(second), Sizes{});
    // A set that was freed is unknown, and so is one whose pool was reset.
    EXPECT_EQ(setCount(), 2u);
    call<PFN_vkFreeDescriptorSets>("vkFreeDescriptorSets")(device, pool, 1, &set);
    EXPECT_EQ(setCount(), 1u);
    bind(set, 16);
    EXPECT_EQ(dispatched(second), Sizes{});
    call<PFN_vkResetDescriptorPool>("vkResetDescriptorPool")(device, pool, 0);
    EXPECT_EQ(setCount(), 0u);
    call<PFN_vkDestroyDescriptorSetLayout>("vkDestroyDescriptorSetLayout")(device, layout, nullptr);
    inputs().track([&](const auto& state) { EXPECT_TRUE(state.objects.layouts.empty()); });
}

// What lies in buffers of descriptors and in heaps is not known, until sets are bound again.
TEST_F(RecordedSets, AreReplacedByBuffersAndHeaps) {
    makeLayout();
    const VkDescriptorSet set = allocateSet(21);
    const VkDescriptorBufferInfo ranges[] = {{first, 0, 16}};
    update({write(set, 0, kStorage, ranges)}, {});
    const auto opaque = [&] {
        std::string why;
        inputs().trackCommands(commands, [&](const auto& state, auto&) { why = state.opaque; });
        return why;
    };
    const auto replaces = [&](const char* why, const auto& replace) {
        bind(set, 0);
        EXPECT_EQ(opaque(), "");
        EXPECT_EQ(dispatched(first), Sizes{16});
        replace();
        EXPECT_EQ(opaque(), why);
        EXPECT_EQ(dispatched(first), Sizes{});
    };
    const VkDescriptorBufferBindingInfoEXT bufferInfo = {
        VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT};
    replaces("descriptor buffers", [&] {
        call<PFN_vkCmdBindDescriptorBuffersEXT>("vkCmdBindDescriptorBuffersEXT")(commands, 1,
                                                                                 &bufferInfo);
    });
#ifdef VK_EXT_descriptor_heap
    const VkBindHeapInfoEXT heap = {VK_STRUCTURE_TYPE_BIND_HEAP_INFO_EXT};
    replaces("descriptor heaps", [&] {
        call<PFN_vkCmdBindResourceHeapEXT>("vkCmdBindResourceHeapEXT")(commands, &heap);
    });
    replaces("descriptor heaps", [&] {
        call<PFN_vkCmdBindSamplerHeapEXT>("vkCmdBindSamplerHeapEXT")(commands, &heap);
    });
    VkPushDataInfoEXT data = {VK_STRUCTURE_TYPE_PUSH_DATA_INFO_EXT};
    data.offset = 4;
    data.data.address = "ABCD";
    data.data.size = 4;
    call<PFN_vkCmdPushDataEXT>("vkCmdPushDataEXT")(commands, &data);
    inputs().trackCommands(commands, [](const auto& state, auto&) {
        ASSERT_EQ(state.pushConstants.size(), 8u);
        EXPECT_EQ(std::memcmp(state.pushConstants.data() + 4, "ABCD", 4), 0);
    });
#endif
}

// Each command reaches the driver, once.
TEST_F(RecordedSets, CommandsReachTheDriver) {
    const auto once = [&]<typename Function>(const char* name, Function function,
                                             const auto&... arguments) {
        const uint32_t before = driver.recorded;
        function(arguments...);
        EXPECT_EQ(driver.recorded, before + 1) << name;
    };
#define COOPVK_ONCE(name, ...) once(#name, call<PFN_##name>(#name), __VA_ARGS__)
    makeLayout();
    const VkDescriptorSet set = allocateSet(21);
    const VkDescriptorBufferBindingInfoEXT buffer = {
        VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT};
    const VkPushConstantsInfo constants = {VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO};
    const VkPushDescriptorSetInfo pushed = {VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_INFO};
    const VkBindDescriptorSetsInfo bound = {VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO};
    const VkPushDescriptorSetWithTemplateInfo byTemplate = {
        VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_INFO};
    const VkDescriptorUpdateTemplate none = VK_NULL_HANDLE;
    const VkPipelineLayout noLayout = VK_NULL_HANDLE;
    COOPVK_ONCE(vkCmdBindDescriptorBuffersEXT, commands, 1u, &buffer);
    COOPVK_ONCE(vkCmdPushConstants, commands, noLayout, VkShaderStageFlags{0}, 0u, 0u, nullptr);
    COOPVK_ONCE(vkCmdPushConstants2, commands, &constants);
    COOPVK_ONCE(vkCmdPushDescriptorSet, commands, kPoint, noLayout, 0u, 0u, nullptr);
    COOPVK_ONCE(vkCmdPushDescriptorSet2, commands, &pushed);
    COOPVK_ONCE(vkCmdPushDescriptorSetWithTemplate, commands, none, noLayout, 0u, nullptr);
    COOPVK_ONCE(vkCmdPushDescriptorSetWithTemplate2, commands, &byTemplate);
    COOPVK_ONCE(vkCmdBindDescriptorSets, commands, kPoint, noLayout, 0u, 1u, &set, 0u, nullptr);
    COOPVK_ONCE(vkCmdBindDescriptorSets2, commands, &bound);
#ifdef VK_EXT_descriptor_heap
    const VkBindHeapInfoEXT heap = {VK_STRUCTURE_TYPE_BIND_HEAP_INFO_EXT};
    VkPushDataInfoEXT data = {VK_STRUCTURE_TYPE_PUSH_DATA_INFO_EXT};
    data.data.address = "ABCD";
    data.data.size = 4;
    COOPVK_ONCE(vkCmdBindSamplerHeapEXT, commands, &heap);
    COOPVK_ONCE(vkCmdBindResourceHeapEXT, commands, &heap);
    COOPVK_ONCE(vkCmdPushDataEXT, commands, &data);
#endif
    COOPVK_ONCE(vkUpdateDescriptorSets, device, 0u, nullptr, 0u, nullptr);
    COOPVK_ONCE(vkUpdateDescriptorSetWithTemplate, device, set, none, nullptr);
    COOPVK_ONCE(vkFreeDescriptorSets, device, pool, 1u, &set);
    COOPVK_ONCE(vkResetDescriptorPool, device, pool, VkDescriptorPoolResetFlags{0});
    COOPVK_ONCE(vkDestroyDescriptorPool, device, pool, nullptr);
    COOPVK_ONCE(vkDestroyDescriptorSetLayout, device, layout, nullptr);
#undef COOPVK_ONCE
}

// After secondary command buffers it is undefined what is bound; what they have goes with the
// primary one.
TEST_F(RecordedSets, AreUndefinedBehindSecondaryCommandBuffers) {
    const VkCommandBuffer primary = commands;
    VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
    info.commandBufferCount = 1;
    VkCommandBuffer secondary = VK_NULL_HANDLE;
    ASSERT_EQ(
        call<PFN_vkAllocateCommandBuffers>("vkAllocateCommandBuffers")(device, &info, &secondary),
        VK_SUCCESS);
    commands = secondary;
    call<PFN_vkCmdBindPipeline>("vkCmdBindPipeline")(commands, kPoint, pipeline);
    dispatched(first);
    commands = primary;
    bind(handleOf<VkDescriptorSet>(21), 0);
    call<PFN_vkCmdPushConstants>("vkCmdPushConstants")(commands, VK_NULL_HANDLE,
                                                       VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, "ABCD");
    const VkCommandBuffer executed[] = {secondary, handleOf<VkCommandBuffer>(99)};
    call<PFN_vkCmdExecuteCommands>("vkCmdExecuteCommands")(commands, 2, executed);
    inputs().track([&](const auto& state) {
        const auto& one = state.commands.at(primary);
        EXPECT_TRUE(one.shader == nullptr && one.sets.empty() && one.pushConstants.empty());
        EXPECT_EQ(one.kept.size(), 0u);
        EXPECT_EQ(one.executed, state.commands.at(secondary).kept);
        EXPECT_EQ(one.executed.size(), 1u);
    });
    call<PFN_vkFreeCommandBuffers>("vkFreeCommandBuffers")(device, VK_NULL_HANDLE, 1, &secondary);
}

// Nothing may be copied out of protected memory.
TEST_F(RecordedSets, OfProtectedCommandBuffers) {
    for (const VkCommandPoolCreateFlags flags :
         {VkCommandPoolCreateFlags{0},
          VkCommandPoolCreateFlags{VK_COMMAND_POOL_CREATE_PROTECTED_BIT}}) {
        VkCommandPoolCreateInfo info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        info.flags = flags;
        VkCommandPool shared = VK_NULL_HANDLE;  // that of the fixture's command buffer
        ASSERT_EQ(
            call<PFN_vkCreateCommandPool>("vkCreateCommandPool")(device, &info, nullptr, &shared),
            VK_SUCCESS);
        inputs().trackCommands(commands, [](auto& state, auto&) { state.shader->kept = 0; });
        testing::internal::CaptureStderr();
        call<PFN_vkCmdDispatch>("vkCmdDispatch")(commands, 1, 1, 1);
        const std::string log = testing::internal::GetCapturedStderr();
        EXPECT_EQ(log.find("in protected command buffers") != log.npos, flags != 0) << log;
        size_t kept = 0;
        inputs().trackCommands(commands,
                               [&](const auto& state, auto&) { kept = state.kept.size(); });
        EXPECT_EQ(kept, 1u) << "that of the first round";
    }
}

// A buffer that programs ask about has the usage that it gets: that for copies, too.
TEST_F(RecordedSets, BuffersGetTheUsageOfCopies) {
    constexpr VkFlags kOwn = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                      kCopied = kOwn | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    VkBufferUsageFlags2CreateInfo flags = {VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO};
    flags.usage = kOwn;
    const VkExternalMemoryBufferCreateInfo shared = {
        VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
    VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = 64;
    const auto usage = [&](const void* chain, VkFlags own) {
        info.pNext = chain;
        info.usage = own;
        VkDeviceBufferMemoryRequirements asked = {
            VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS};
        asked.pCreateInfo = &info;
        VkMemoryRequirements2 needed = {VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
        call<PFN_vkGetDeviceBufferMemoryRequirements>("vkGetDeviceBufferMemoryRequirements")(
            device, &asked, &needed);
        return driver.seenCommands.back().values.at(0);
    };
    EXPECT_EQ(usage(nullptr, kOwn), kCopied);
    EXPECT_EQ(usage(&flags, 0), kCopied);
    EXPECT_EQ(usage(&shared, kOwn), kOwn);
    EXPECT_EQ(flags.usage, kOwn) << "the application's";
    const auto isCopied = [&](const void* chain) {
        const VkBuffer buffer = makeBuffer(64, chain);
        bool can = false;
        inputs().track([&](const auto& state) { can = state.objects.buffer(buffer)->canBeCopied; });
        return can;
    };
    EXPECT_TRUE(isCopied(nullptr) && isCopied(&flags));
    EXPECT_FALSE(isCopied(&shared));
    // Of another structure's end the usage stays, so that nothing is copied.
    VkBufferOpaqueCaptureAddressCreateInfo ahead = {
        VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO, &flags};
    EXPECT_FALSE(isCopied(&ahead));
}

// The memory of several buffers.
TEST_F(RecordedSets, BuffersAreBoundTogether) {
    VkBindBufferMemoryInfo infos[2] = {{VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO},
                                       {VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO}};
    infos[0].buffer = first;
    infos[1].buffer = second;
    infos[0].memory = infos[1].memory = handleOf<VkDeviceMemory>(5);
    infos[1].memoryOffset = 256;
    EXPECT_EQ(call<PFN_vkBindBufferMemory2>("vkBindBufferMemory2")(device, 2, infos), VK_SUCCESS);
    inputs().track([&](const auto& state) {
        const auto *a = state.objects.buffer(first), *b = state.objects.buffer(second);
        EXPECT_EQ(a->memory, 5u);
        EXPECT_EQ(b->memory, 5u);
        EXPECT_EQ(a->memoryOffset, 0u);
        EXPECT_EQ(b->memoryOffset, 256u);
    });
}

}  // namespace
}  // namespace coopvk::test::recorded_sets_test
