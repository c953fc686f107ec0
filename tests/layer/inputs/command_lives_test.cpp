// SPDX-License-Identifier: Apache-2.0
//
// Inputs of dispatches: what becomes of them where command buffers and pools end, and what commands
// of later versions bind.
#include <cstring>
#include <functional>

#include "inputs/input_commands.hpp"

namespace coopvk::test::command_lives_test {
namespace {

using layer::inputs::DescriptorSet;
using layer::inputs::KeptShader;
using layer::inputs::SetLayout;

class CommandLives : public InputCommands {
 protected:
    VkCommandBuffer allocate(VkCommandPool pool) {
        VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        info.commandPool = pool;
        info.commandBufferCount = 1;
        VkCommandBuffer allocated = VK_NULL_HANDLE;
        EXPECT_EQ(call<PFN_vkAllocateCommandBuffers>("vkAllocateCommandBuffers")(device, &info,
                                                                                 &allocated),
                  VK_SUCCESS);
        return allocated;
    }
    // A dispatch in a command buffer, of which inputs are kept.
    void dispatchIn(VkCommandBuffer where) {
        call<PFN_vkCmdBindPipeline>("vkCmdBindPipeline")(where, kPoint, pipeline);
        call<PFN_vkCmdDispatchIndirect>("vkCmdDispatchIndirect")(where, buffer, 0);
        inputs().trackCommands(where,
                               [&](const auto& state, const auto&) { shader = state.shader; });
    }
    // Asks before and behind a submission whether it ended; `written`: inputs that are written.
    void askAround(const std::function<VkResult()>& submission,
                   const std::function<VkResult()>& question, uint32_t written) {
        call<PFN_vkResetCommandBuffer>("vkResetCommandBuffer")(commands, 0);
        if (shader != nullptr) inputs().track([&](const auto&) { shader->kept = 0; });
        dispatchIn(commands);
        driver.waitResult = VK_NOT_READY;
        EXPECT_EQ(question(), VK_NOT_READY);
        driver.waitResult = VK_SUCCESS;
        EXPECT_EQ(question(), VK_SUCCESS);
        EXPECT_EQ(shader->written, written) << "nothing was submitted";
        EXPECT_EQ(submission(), VK_SUCCESS);
        driver.waitResult = VK_NOT_READY;
        EXPECT_EQ(question(), VK_NOT_READY);
        EXPECT_EQ(shader->written, written);
        driver.waitResult = VK_SUCCESS;
        EXPECT_EQ(question(), VK_SUCCESS);
        EXPECT_EQ(shader->written, written + 1);
    }
    bool isKnown(VkCommandBuffer one) {
        bool known = false;
        inputs().track([&](const auto& state) { known = state.commands.contains(one); });
        return known;
    }
    // A set with storage buffers in two dynamic bindings.
    VkDescriptorSet makeSet() {
        const auto handle = reinterpret_cast<VkDescriptorSet>(uint64_t{5});
        constexpr auto kDynamic = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
        inputs().track([&](auto& state) {
            set = std::make_shared<DescriptorSet>();
            set->layout =
                std::make_shared<SetLayout>(SetLayout{{0, {kDynamic, 1}}, {1, {kDynamic, 1}}});
            for (const uint32_t binding : {0, 1})
                set->descriptors[{binding, 0}] = {kDynamic, {buffer, 0, 4}};
            state.objects.sets[handle] = set;
        });
        return handle;
    }

    const VkCommandPool first = VK_NULL_HANDLE,
                        second = reinterpret_cast<VkCommandPool>(uint64_t{2});
    VkBuffer buffer = makeBuffer(64);
    std::shared_ptr<KeptShader> shader;
    std::shared_ptr<DescriptorSet> set;
};

// What was recorded and never submitted is not kept any longer.
TEST_F(CommandLives, EndWithWhatIsRecordedAgain) {
    const VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const auto ends = [&](auto&& end) {
        dispatchIn(commands);
        EXPECT_EQ(shader->kept, 1u);
        end();
        EXPECT_EQ(shader->kept, 0u);
        EXPECT_TRUE(isKnown(commands));
    };
    ends([&] { call<PFN_vkBeginCommandBuffer>("vkBeginCommandBuffer")(commands, &begin); });
    ends([&] { call<PFN_vkResetCommandBuffer>("vkResetCommandBuffer")(commands, 0); });
    ends([&] { call<PFN_vkResetCommandPool>("vkResetCommandPool")(device, first, 0); });
}

TEST_F(CommandLives, EndWithTheirPool) {
    const VkCommandBuffer other = allocate(second), freed = allocate(second);
    dispatchIn(other);
    EXPECT_EQ(shader->kept, 1u);
    call<PFN_vkResetCommandPool>("vkResetCommandPool")(device, first, 0);
    EXPECT_EQ(shader->kept, 1u);
    call<PFN_vkFreeCommandBuffers>("vkFreeCommandBuffers")(device, second, 1, &freed);
    EXPECT_TRUE(isKnown(other) && !isKnown(freed));
    driver.commandBuffers.erase(commands);  // the fake driver's pools are one
    call<PFN_vkDestroyCommandPool>("vkDestroyCommandPool")(device, second, nullptr);
    driver.commandBuffers.insert(commands);
    EXPECT_EQ(shader->kept, 0u);
    EXPECT_TRUE(isKnown(commands) && !isKnown(other));
}

// What was submitted, by either command, is written once the application waits or asks, and the
// device has executed it.
TEST_F(CommandLives, SubmittedAndAskedFor) {
    const auto queue = reinterpret_cast<VkQueue>(device);  // which has its dispatch key
    const VkCommandBuffer other = allocate(first);
    const VkCommandBuffer both[] = {other, commands};
    const VkCommandBufferSubmitInfo infos[] = {
        {VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, other, 0},
        {VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, commands, 0}};
    const std::function<VkResult()> submissions[] = {
        [&] {
            VkSubmitInfo submits[2] = {{VK_STRUCTURE_TYPE_SUBMIT_INFO},
                                       {VK_STRUCTURE_TYPE_SUBMIT_INFO}};
            submits[1].commandBufferCount = 2;
            submits[1].pCommandBuffers = both;
            return call<PFN_vkQueueSubmit>("vkQueueSubmit")(queue, 2, submits, VK_NULL_HANDLE);
        },
        [&] {
            VkSubmitInfo2 submits[2] = {{VK_STRUCTURE_TYPE_SUBMIT_INFO_2},
                                        {VK_STRUCTURE_TYPE_SUBMIT_INFO_2}};
            submits[1].commandBufferInfoCount = 2;
            submits[1].pCommandBufferInfos = infos;
            return call<PFN_vkQueueSubmit2>("vkQueueSubmit2")(queue, 2, submits, VK_NULL_HANDLE);
        }};
    const std::function<VkResult()> questions[] = {
        [&] { return call<PFN_vkQueueWaitIdle>("vkQueueWaitIdle")(queue); },
        [&] { return call<PFN_vkDeviceWaitIdle>("vkDeviceWaitIdle")(device); },
        [&] {
            return call<PFN_vkWaitForFences>("vkWaitForFences")(device, 0, nullptr, VK_TRUE, 0);
        },
        [&] { return call<PFN_vkGetFenceStatus>("vkGetFenceStatus")(device, VK_NULL_HANDLE); },
        [&] { return call<PFN_vkWaitSemaphores>("vkWaitSemaphores")(device, nullptr, 0); },
        [&] {
            uint64_t value = 0;
            return call<PFN_vkGetSemaphoreCounterValue>("vkGetSemaphoreCounterValue")(
                device, VK_NULL_HANDLE, &value);
        }};
    uint32_t written = 0;
    for (const auto& submission : submissions)
        for (const auto& question : questions) {
            askAround(submission, question, written);
            ++written;
        }
}

// A dispatch for whose copies there is no memory does not count.
TEST_F(CommandLives, WithoutMemory) {
    for (uint32_t type = 0; type < VK_MAX_MEMORY_TYPES; ++type) driver.fullMemoryTypes.insert(type);
    dispatchIn(commands);
    EXPECT_EQ(shader->kept, 0u);
    EXPECT_EQ(copiesFrom(buffer), std::vector<uint64_t>{});
    driver.fullMemoryTypes.clear();
    dispatchIn(commands);
    EXPECT_EQ(shader->kept, 1u);
}

// What is bound and pushed for stages other than compute changes nothing.
TEST_F(CommandLives, CommandsWithStages) {
    const VkDescriptorSet sets[] = {makeSet()};
    const uint32_t offsets[] = {4, 8};
    VkDescriptorBufferInfo range = {buffer, 16, 8};
    VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &range;
    for (const VkShaderStageFlags stages :
         {VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
          VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_VERTEX_BIT}) {
        VkBindDescriptorSetsInfo bind = {VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO};
        bind.stageFlags = stages;
        bind.firstSet = 3;
        bind.descriptorSetCount = 1;
        bind.pDescriptorSets = sets;
        bind.dynamicOffsetCount = 2;
        bind.pDynamicOffsets = offsets;
        call<PFN_vkCmdBindDescriptorSets2>("vkCmdBindDescriptorSets2")(commands, &bind);
        VkPushDescriptorSetInfo pushed = {VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_INFO};
        pushed.stageFlags = stages;
        pushed.set = 1;
        pushed.descriptorWriteCount = 1;
        pushed.pDescriptorWrites = &write;
        call<PFN_vkCmdPushDescriptorSet2>("vkCmdPushDescriptorSet2")(commands, &pushed);
        VkPushConstantsInfo constants = {VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO};
        constants.stageFlags = stages;
        constants.size = 4;
        constants.pValues = "ABCD";
        call<PFN_vkCmdPushConstants2>("vkCmdPushConstants2")(commands, &constants);
        call<PFN_vkCmdPushConstants>("vkCmdPushConstants")(commands, VK_NULL_HANDLE, stages, 4, 4,
                                                           "EFGH");
        inputs().trackCommands(commands, [&](const auto& state, const auto&) {
            const bool compute = (stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
            EXPECT_EQ(state.sets.size(), compute ? 2u : 0u);
            EXPECT_EQ(state.pushConstants.size(), compute ? 8u : 0u);
            if (!compute) return;
            EXPECT_EQ(state.sets.at(3).dynamicOffsets, (std::vector<uint32_t>{4, 8}));
            EXPECT_EQ(state.sets.at(1).set->descriptors.size(), 1u);
            EXPECT_EQ(std::memcmp(state.pushConstants.data(), "ABCDEFGH", 8), 0);
        });
    }
    // What is copied before and after: each binding's range, at its own offset, and the pushed one;
    // between, the number of workgroups.
    dispatchIn(commands);
    EXPECT_EQ(copiesFrom(buffer), (std::vector<uint64_t>{4, 4, 8, 12, 4, 4, 8}));
}

// An update with a template changes the set that it names, until the template is destroyed.
TEST_F(CommandLives, UpdateTemplates) {
    const VkDescriptorSet handle = makeSet();
    const VkDescriptorUpdateTemplateEntry entry = {
        0, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 0, sizeof(VkDescriptorBufferInfo)};
    VkDescriptorUpdateTemplateCreateInfo info = {
        VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO};
    info.descriptorUpdateEntryCount = 1;
    info.pDescriptorUpdateEntries = &entry;
    info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
    VkDescriptorUpdateTemplate how = VK_NULL_HANDLE;
    EXPECT_EQ(call<PFN_vkCreateDescriptorUpdateTemplate>("vkCreateDescriptorUpdateTemplate")(
                  device, &info, nullptr, &how),
              VK_SUCCESS);
    const auto offsetAfter = [&](VkDescriptorSet to, uint64_t offset) {
        const VkDescriptorBufferInfo range = {buffer, offset, 4};
        call<PFN_vkUpdateDescriptorSetWithTemplate>("vkUpdateDescriptorSetWithTemplate")(
            device, to, how, &range);
        return set->descriptors.at({0, 0}).buffer.offset;
    };
    EXPECT_EQ(offsetAfter(handle, 16), 16u);
    EXPECT_EQ(offsetAfter(reinterpret_cast<VkDescriptorSet>(uint64_t{6}), 20), 16u);
    call<PFN_vkDestroyDescriptorUpdateTemplate>("vkDestroyDescriptorUpdateTemplate")(device, how,
                                                                                     nullptr);
    EXPECT_EQ(offsetAfter(handle, 24), 16u);
}

}  // namespace
}  // namespace coopvk::test::command_lives_test
