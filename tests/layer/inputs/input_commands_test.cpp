// SPDX-License-Identifier: Apache-2.0
//
// The commands that keep inputs of dispatches (the setting dump_inputs), above a driver that
// records its calls.
#include "inputs/input_commands.hpp"

#include <cstring>

#include "fakes/fake_commands.hpp"
#include "fakes/recorded_conversions.hpp"
#include "report/request_json.hpp"

namespace coopvk::test::input_commands_test {
namespace {

class ConversionInputs : KeepsInputs, public RecordedConversions {};

// The kernel and its arguments are destroyed with the device, by commands that follow buffers and
// pipelines.
TEST_F(ConversionInputs, EndWithTheDevice) {
    record();
    EXPECT_EQ(end(), VK_SUCCESS);
}

using Sizes = std::vector<uint64_t>;

TEST_F(InputCommands, CopyTheCountOfAnIndirectDispatch) {
    const VkBuffer buffer = makeBuffer(64);
    dispatchIndirect(buffer);
    EXPECT_EQ(copiesFrom(buffer), Sizes{sizeof(VkDispatchIndirectCommand)});
}

// Layers above may get commands from the instance, also those that the layer does not intercept
// otherwise, and for devices whose inputs are not kept.
TEST_F(InputCommands, OfTheInstance) {
    const VkBuffer buffer = makeBuffer(64);
    const auto dispatch = COOPVK_INSTANCE_COMMAND(driver, vkCmdDispatchIndirect);
    dispatch(commands, buffer, 0);
    EXPECT_EQ(copiesFrom(buffer), Sizes{sizeof(VkDispatchIndirectCommand)});

    VkDevice other = VK_NULL_HANDLE;
    const VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    ASSERT_EQ(driver.makeDevice(info, &other), VK_SUCCESS);
    VkCommandBufferAllocateInfo how = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    how.commandBufferCount = 1;
    VkCommandBuffer others = VK_NULL_HANDLE;
    ASSERT_EQ(COOPVK_INSTANCE_COMMAND(driver, vkAllocateCommandBuffers)(other, &how, &others),
              VK_SUCCESS);
    dispatch(others, buffer, 0);
    EXPECT_EQ(driver.dispatches, 2u);
    EXPECT_EQ(copiesFrom(buffer).size(), 1u);
    COOPVK_INSTANCE_COMMAND(driver, vkFreeCommandBuffers)(other, VK_NULL_HANDLE, 1, &others);
    driver.destroyDevice(other);
}

// A buffer that is shared with other programs stays as it is, so that nothing may be copied from
// it.
TEST_F(InputCommands, DoNotCopyTheCountFromASharedBuffer) {
    const VkExternalMemoryBufferCreateInfo shared = {
        VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
    const VkBuffer buffer = makeBuffer(64, &shared);
    dispatchIndirect(buffer);
    EXPECT_EQ(copiesFrom(buffer), Sizes{});
    EXPECT_EQ(driver.dispatches, 1u);
}

// What is pushed for graphics changes nothing for compute.
TEST_F(InputCommands, PushTemplates) {
    const VkBuffer ours = makeBuffer(64), graphics = makeBuffer(128), compute = makeBuffer(32);
    VkDescriptorBufferInfo range = {ours, 0, 64};
    VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &range;
    call<PFN_vkCmdPushDescriptorSet>("vkCmdPushDescriptorSet")(commands, kPoint, VK_NULL_HANDLE, 0,
                                                               1, &write);
    VkDescriptorUpdateTemplateEntry entry = {0, 0,           1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                             0, sizeof range};
    VkDescriptorUpdateTemplateCreateInfo info = {
        VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO};
    info.descriptorUpdateEntryCount = 1;
    info.pDescriptorUpdateEntries = &entry;
    info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS;
    info.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
    VkDescriptorUpdateTemplate pushes = VK_NULL_HANDLE;
    const auto push = [&](VkBuffer buffer, uint64_t size) {
        EXPECT_EQ(call<PFN_vkCreateDescriptorUpdateTemplate>("vkCreateDescriptorUpdateTemplate")(
                      device, &info, nullptr, &pushes),
                  VK_SUCCESS);
        range = {buffer, 0, size};
        call<PFN_vkCmdPushDescriptorSetWithTemplate>("vkCmdPushDescriptorSetWithTemplate")(
            commands, pushes, VK_NULL_HANDLE, 0, &range);
    };
    push(graphics, 128);
    info.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
    entry.dstBinding = 1;
    push(compute, 32);
    const VkBuffer later = makeBuffer(16);
    range = {later, 0, 16};
    VkPushDescriptorSetWithTemplateInfo again = {
        VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_INFO};
    again.descriptorUpdateTemplate = pushes;
    again.set = 1;
    again.pData = &range;
    call<PFN_vkCmdPushDescriptorSetWithTemplate2>("vkCmdPushDescriptorSetWithTemplate2")(commands,
                                                                                         &again);
    call<PFN_vkCmdDispatchBase>("vkCmdDispatchBase")(commands, 0, 0, 0, 1, 1, 1);
    EXPECT_EQ(copiesFrom(ours), (Sizes{64, 64}));  // before and after
    EXPECT_EQ(copiesFrom(graphics), Sizes{});
    EXPECT_EQ(copiesFrom(compute), (Sizes{32, 32}));
    EXPECT_EQ(copiesFrom(later), (Sizes{16, 16}));
}

// Sets have the bindings of their layout, as long as it exists; a layout that could not be made
// changes nothing.
TEST_F(InputCommands, SetsOfLayouts) {
    const VkDescriptorSetLayoutBinding bindings[] = {
        {3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
        {5, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}};
    VkDescriptorSetLayoutCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    info.bindingCount = 2;
    info.pBindings = bindings;
    auto layout = reinterpret_cast<VkDescriptorSetLayout>(uint64_t{8});  // the driver's
    ASSERT_EQ(call<PFN_vkCreateDescriptorSetLayout>("vkCreateDescriptorSetLayout")(
                  device, &info, nullptr, &layout),
              VK_SUCCESS);
    VkDescriptorSetAllocateInfo how = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    const VkDescriptorSetLayout layouts[] = {VK_NULL_HANDLE, layout};
    how.descriptorSetCount = 2;
    how.pSetLayouts = layouts;
    VkDescriptorSet allocated[] = {reinterpret_cast<VkDescriptorSet>(uint64_t{10}),
                                   reinterpret_cast<VkDescriptorSet>(uint64_t{9})};
    ASSERT_EQ(
        call<PFN_vkAllocateDescriptorSets>("vkAllocateDescriptorSets")(device, &how, allocated),
        VK_SUCCESS);
    const VkDescriptorSet set = allocated[1];
    const VkBuffer buffer = makeBuffer(64);
    const VkDescriptorBufferInfo ranges[] = {{buffer, 0, 4}, {buffer, 8, 4}};
    VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set;
    write.dstBinding = 3;
    write.dstArrayElement = 1;
    write.descriptorCount = 2;  // the second goes to the next binding
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = ranges;
    call<PFN_vkUpdateDescriptorSets>("vkUpdateDescriptorSets")(device, 1, &write, 0, nullptr);
    inputs().track([&](const auto& state) {
        ASSERT_TRUE(state.objects.sets.contains(set));
        const auto& descriptors = state.objects.sets.at(set)->descriptors;
        ASSERT_EQ(descriptors.size(), 2u);
        EXPECT_EQ(descriptors.at({3, 1}).buffer.offset, 0u);
        EXPECT_EQ(descriptors.at({5, 0}).buffer.offset, 8u);
    });
    call<PFN_vkDestroyDescriptorSetLayout>("vkDestroyDescriptorSetLayout")(device, layout, nullptr);
    call<PFN_vkFreeDescriptorSets>("vkFreeDescriptorSets")(device, VK_NULL_HANDLE, 1, &set);
    inputs().track([&](const auto& state) {
        EXPECT_FALSE(state.objects.layouts.contains(layout));
        EXPECT_FALSE(state.objects.sets.contains(set));
    });
}

// Whatever is bound for compute, also if that is the first of several, or nothing.
TEST_F(InputCommands, BindShaders) {
    const VkShaderStageFlagBits stages[] = {VK_SHADER_STAGE_COMPUTE_BIT,
                                            VK_SHADER_STAGE_VERTEX_BIT};
    const VkShaderEXT shaders[2] = {};
    const auto hasShader = [&] {
        bool has = false;
        inputs().trackCommands(
            commands, [&](const auto& state, const auto&) { has = state.shader != nullptr; });
        return has;
    };
    const auto bind = call<PFN_vkCmdBindShadersEXT>("vkCmdBindShadersEXT");
    EXPECT_TRUE(hasShader()) << "of a pipeline";
    bind(commands, 1, stages + 1, shaders);
    EXPECT_TRUE(hasShader()) << "that of vertices is another";
    bind(commands, 1, stages, shaders);
    EXPECT_FALSE(hasShader());
    call<PFN_vkCmdBindPipeline>("vkCmdBindPipeline")(commands, kPoint, pipeline);
    EXPECT_TRUE(hasShader());
    bind(commands, 2, stages, nullptr);
    EXPECT_FALSE(hasShader());
    std::vector<size_t> bound;  // how many, by each command that the driver got
    for (const auto& [name, values] : driver.seenCommands)
        if (name == "vkCmdBindShadersEXT") bound.push_back(values.size());
    EXPECT_EQ(bound, (std::vector<size_t>{1, 1, 2}));
}

// Of buffers with this usage only, once they have memory.
TEST_F(InputCommands, AddressesOfBuffers) {
    VkBufferUsageFlags2CreateInfo usage = {VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO};
    usage.usage = VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT;
    const VkBuffer with = makeBuffer(64, &usage), without = makeBuffer(64);
    VkMemoryAllocateInfo how = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    how.allocationSize = 256;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    ASSERT_EQ(call<PFN_vkAllocateMemory>("vkAllocateMemory")(device, &how, nullptr, &memory),
              VK_SUCCESS);
    const auto bind = call<PFN_vkBindBufferMemory>("vkBindBufferMemory");
    EXPECT_EQ(bind(device, with, memory, 64), VK_SUCCESS);
    EXPECT_EQ(bind(device, without, memory, 0), VK_SUCCESS);
    const auto tracked = [&](VkBuffer buffer) {
        layer::inputs::TrackedBuffer found;
        inputs().track([&](const auto& state) { found = state.objects.buffers.at(buffer); });
        return found;
    };
    EXPECT_NE(tracked(with).address, 0u);
    EXPECT_EQ(tracked(with).address, driver.buffers.at(numberOf(with)).address);
    EXPECT_EQ(tracked(without).address, 0u);
    EXPECT_EQ(tracked(with).memory, numberOf(memory));
    EXPECT_EQ(tracked(with).memoryOffset, 64u);
    VkBindBufferMemoryInfo bound = {VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO};
    bound.buffer = without;
    bound.memory = memory;
    bound.memoryOffset = 128;
    EXPECT_EQ(call<PFN_vkBindBufferMemory2>("vkBindBufferMemory2")(device, 1, &bound), VK_SUCCESS);
    EXPECT_EQ(tracked(without).memoryOffset, 128u);
    call<PFN_vkFreeMemory>("vkFreeMemory")(device, memory, nullptr);
}

// Without the setting, a folder for shaders changes no command.
TEST(InputCommandsOff, AreTheDrivers) {
    constexpr const char* kName = "vkCmdBindDescriptorSets";
    for (const bool keeps : {false, true}) {
        const std::string folder = std::filesystem::temp_directory_path() /
                                   ("coopvk-no-inputs-" + std::to_string(getpid()));
        setenv("COOPVK_DUMP_DIR", folder.c_str(), 1);
        if (keeps) setenv("COOPVK_DUMP_INPUTS", "1", 1);
        FakeDriver driver;
        driver.recordsAll = true;
        driver.makeInstance();
        EXPECT_EQ(driver.instanceCommand(kName) == fake::getDeviceProcAddr(VK_NULL_HANDLE, kName),
                  !keeps);
        driver.destroyInstance();
        unsetenv("COOPVK_DUMP_DIR");
        unsetenv("COOPVK_DUMP_INPUTS");
        std::filesystem::remove_all(folder);
    }
}

// Sets that are bound at once have numbers that follow each other, and dynamic offsets in their
// order.
TEST_F(InputCommands, BindSetsAndPush) {
    const auto set = [](uint64_t number) { return reinterpret_cast<VkDescriptorSet>(number); };
    layer::inputs::DispatchInputs& inputs = this->inputs();
    const auto pool = reinterpret_cast<VkDescriptorPool>(uint64_t{7});
    inputs.track([&](auto& state) {
        using namespace layer::inputs;
        for (const uint32_t number : {1, 2}) {
            auto tracked = std::make_shared<DescriptorSet>();
            tracked->pool = pool;
            tracked->layout = std::make_shared<SetLayout>(
                SetLayout{{0, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, number}}});
            state.objects.sets[set(number)] = tracked;
        }
    });
    const VkDescriptorSet sets[] = {set(2), set(1)};
    const uint32_t offsets[] = {10, 20, 30};
    const uint32_t recorded = driver.recorded;
    call<PFN_vkCmdBindDescriptorSets>("vkCmdBindDescriptorSets")(commands, kPoint, VK_NULL_HANDLE,
                                                                 3, 2, sets, 3, offsets);
    const auto push = call<PFN_vkCmdPushConstants>("vkCmdPushConstants");
    push(commands, VK_NULL_HANDLE, VK_SHADER_STAGE_COMPUTE_BIT, 8, 4, "IJKL");
    push(commands, VK_NULL_HANDLE, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, "ABCDEFGH");
    EXPECT_EQ(driver.recorded, recorded + 3) << "the driver's";
    inputs.trackCommands(commands, [&](const auto& state, const auto&) {
        ASSERT_EQ(state.sets.size(), 2u);
        EXPECT_EQ(state.sets.at(3).dynamicOffsets, (std::vector<uint32_t>{10, 20}));
        EXPECT_EQ(state.sets.at(4).dynamicOffsets, std::vector<uint32_t>{30});
        ASSERT_EQ(state.pushConstants.size(), 12u);
        EXPECT_EQ(std::memcmp(state.pushConstants.data(), "ABCDEFGHIJKL", 12), 0);
    });
    // A pool's sets go when it is reset, or destroyed.
    const auto living = [&] {
        size_t count = 0;
        inputs.track([&](const auto& state) { count = state.objects.sets.size(); });
        return count;
    };
    EXPECT_EQ(living(), 2u);
    call<PFN_vkResetDescriptorPool>("vkResetDescriptorPool")(device, pool, 0);
    EXPECT_EQ(living(), 0u);
    inputs.track([&](auto& state) {
        auto tracked = std::make_shared<layer::inputs::DescriptorSet>();
        tracked->pool = pool;
        state.objects.sets[set(3)] = tracked;
    });
    call<PFN_vkDestroyDescriptorPool>("vkDestroyDescriptorPool")(device, pool, nullptr);
    EXPECT_EQ(living(), 0u);
}

#ifdef VK_KHR_device_address_commands
TEST_F(InputCommands, NoteConditions) {
    const auto isConditional = [&] {
        bool conditional = false;
        layer::deviceOf(device).inputs->trackCommands(
            commands, [&](const auto& state, const auto&) { conditional = state.conditional; });
        return conditional;
    };
    const VkConditionalRenderingBeginInfo2EXT info = {
        VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_2_EXT};
    call<PFN_vkCmdBeginConditionalRendering2EXT>("vkCmdBeginConditionalRendering2EXT")(commands,
                                                                                       &info);
    EXPECT_TRUE(isConditional());
    call<PFN_vkCmdEndConditionalRenderingEXT>("vkCmdEndConditionalRenderingEXT")(commands);
    EXPECT_FALSE(isConditional());
    ASSERT_GE(driver.seenCommands.size(), 2u);
    EXPECT_EQ(driver.seenCommands.end()[-2].name, "vkCmdBeginConditionalRendering2EXT");
    EXPECT_EQ(driver.seenCommands.end()[-1].name, "vkCmdEndConditionalRenderingEXT");
}
#endif

// A driver may cut the name of its device within a character.
TEST_F(InputCommands, NamesThatAreNotUtf8) {
    layer::RecordedRequest request;
    request.target.device.name = "device \xc3";
    const layer::ShaderWords words{matrix};
    EXPECT_NE(layer::deviceOf(device).instance->dumps.describe(words, request).name, "");
}

}  // namespace
}  // namespace coopvk::test::input_commands_test
