// SPDX-License-Identifier: Apache-2.0
//
// One shader, whose inputs reach it in every way that Vulkan has. Each way must give the same sum.
#include "programs.hpp"
#include "size.spv.h"
#include "sum.spv.h"

namespace coopvk::reference::test::dispatch_test {
namespace {

constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr auto kDynamic = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
constexpr auto kUniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
constexpr auto kInline = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
using Values = std::vector<uint32_t>;

struct Push {
    uint64_t address = 0;
    uint32_t added = 4;
    uint32_t usesAddress = 0;
};

// inputs 1 and 2, uniform 3, added 4 (sum.comp).
constexpr uint32_t kSum = 1 + 10 * 2 + 100 * 3 + 1000 * 4;

class Dispatch : public Vulkan {
 protected:
    void SetUp() override {
        Vulkan::SetUp();
        result = std::make_unique<Words>(device, Values(8, 0));
        // At multiples of 64 bytes: 1, 2, 3.
        Values all(48, 0);
        all[0] = 1;
        all[16] = 2;
        all[32] = 3;
        inputs = std::make_unique<Words>(device, all);
    }
    void TearDown() override {
        result.reset();
        inputs.reset();
        Vulkan::TearDown();
    }

    VkDescriptorBufferInfo input(VkDeviceSize i) { return inputs->info(64 * i, 16); }

    void writeAll(VkDescriptorSet set, VkDescriptorType storage = kStorage) {
        const VkDescriptorBufferInfo results = result->info();
        const VkDescriptorBufferInfo words[] = {input(0), input(1)};
        const VkDescriptorBufferInfo uniform = input(2);
        const VkWriteDescriptorSet writes[] = {write(set, 0, kStorage, {&results, 1}),
                                               write(set, 2, storage, words),
                                               write(set, 5, kUniform, {&uniform, 1})};
        vkUpdateDescriptorSets(device, 3, writes, 0, nullptr);
    }

    void push(VkCommandBuffer commands, const Layout& layout, const Push& values = {}) {
        vkCmdPushConstants(commands, layout.pipelines, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                           sizeof(values), &values);
    }

    void bind(VkCommandBuffer commands, const Layout& layout, VkPipeline pipeline,
              VkDescriptorSet set, std::span<const uint32_t> offsets = {}) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipelines, 0, 1,
                                &set, static_cast<uint32_t>(offsets.size()), offsets.data());
    }

    static std::vector<VkDescriptorSetLayoutBinding> bindings(VkDescriptorType storage = kStorage) {
        return {binding(5, kUniform), binding(0, kStorage), binding(2, storage, 2)};
    }

    std::unique_ptr<Words> result, inputs;
};

TEST_F(Dispatch, Sets) {
    Layout layout(device, bindings());
    const VkDescriptorSet set = layout.allocate();
    writeAll(set);
    const VkPipeline pipeline = layout.pipeline(kSumWords);
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        push(commands, layout);
        bind(commands, layout, pipeline, set);
        vkCmdDispatch(commands, 2, 1, 1);
    }));
    EXPECT_EQ(result->values(), (Values{kSum, 1000000 + kSum, 0, 0, 0, 0, 0, 0}));
}

TEST_F(Dispatch, SpecializationIndirectAndBase) {
    Layout layout(device, bindings());
    const VkDescriptorSet set = layout.allocate();
    writeAll(set);
    const uint32_t data[] = {2, 3};
    const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}};
    const VkSpecializationInfo specialization{2, entries, sizeof(data), data};
    const VkPipeline pipeline = layout.pipeline(kSumWords, &specialization);
    Words groups(device, {9, 1, 1, 1});
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        push(commands, layout);
        bind(commands, layout, pipeline, set);
        vkCmdDispatchIndirect(commands, groups.buffer, 4);
    }));
    EXPECT_EQ(result->values(), (Values{3 * kSum, 3 * kSum, 0, 0, 0, 0, 0, 0}));
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        push(commands, layout);
        bind(commands, layout, pipeline, set);
        vkCmdDispatchBase(commands, 3, 0, 0, 1, 1, 1);
    }));
    EXPECT_EQ((*result)[6], 3 * kSum + 3000000);
}

TEST_F(Dispatch, DynamicOffsets) {
    Layout layout(device, bindings(kDynamic));
    const VkDescriptorSet set = layout.allocate();
    writeAll(set, kDynamic);
    const VkPipeline pipeline = layout.pipeline(kSumWords);
    // The first input moves to 2, the second one to 3.
    const uint32_t offsets[] = {64, 64};
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        push(commands, layout);
        bind(commands, layout, pipeline, set, offsets);
        vkCmdDispatch(commands, 1, 1, 1);
    }));
    EXPECT_EQ((*result)[0], 2u + 10 * 3 + 100 * 3 + 1000 * 4);
}

TEST_F(Dispatch, PushedDescriptorsAddUp) {
    Layout layout(device, bindings(), VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
    const VkPipeline pipeline = layout.pipeline(kSumWords);
    const VkDescriptorBufferInfo results = result->info();
    const VkDescriptorBufferInfo words[] = {input(1), input(1)};
    const VkDescriptorBufferInfo first = input(0), uniform = input(2);
    const VkWriteDescriptorSet writes[] = {write({}, 0, kStorage, {&results, 1}),
                                           write({}, 2, kStorage, words),
                                           write({}, 5, kUniform, {&uniform, 1})};
    const VkWriteDescriptorSet change = write({}, 2, kStorage, {&first, 1});
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        push(commands, layout);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vkCmdPushDescriptorSetKHR(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipelines, 0, 3,
                                  writes);
        vkCmdPushDescriptorSetKHR(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipelines, 0, 1,
                                  &change);
        vkCmdDispatch(commands, 1, 1, 1);
    }));
    EXPECT_EQ((*result)[0], kSum);
}

TEST_F(Dispatch, TemplatesAndInlineBlocks) {
    Layout layout(device, {binding(0, kStorage), binding(2, kStorage, 2), binding(5, kInline, 16)});
    const VkDescriptorSet set = layout.allocate();
    const VkPipeline pipeline = layout.pipeline(kSumWords);
    struct Data {
        VkDescriptorBufferInfo results, first, second;
        uint32_t uniform[4];
    };
    const Data data{result->info(), input(0), input(1), {3, 0, 0, 0}};
    const VkDescriptorUpdateTemplateEntry entries[] = {
        {0, 0, 1, kStorage, offsetof(Data, results), 0},
        {2, 0, 2, kStorage, offsetof(Data, first), sizeof(VkDescriptorBufferInfo)},
        {5, 0, 16, kInline, offsetof(Data, uniform), 0}};
    VkDescriptorUpdateTemplateCreateInfo info{
        VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO};
    info.descriptorUpdateEntryCount = 3;
    info.pDescriptorUpdateEntries = entries;
    info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
    info.descriptorSetLayout = layout.set;
    VkDescriptorUpdateTemplate update = VK_NULL_HANDLE;
    ASSERT_VK(vkCreateDescriptorUpdateTemplate(device, &info, nullptr, &update));
    vkUpdateDescriptorSetWithTemplate(device, set, update, &data);
    vkDestroyDescriptorUpdateTemplate(device, update, nullptr);
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        push(commands, layout);
        bind(commands, layout, pipeline, set);
        vkCmdDispatch(commands, 1, 1, 1);
    }));
    EXPECT_EQ((*result)[0], kSum);
}

// Of inline blocks elements, descriptors and counts are bytes (VkWriteDescriptorSet,
// VkCopyDescriptorSet).
TEST_F(Dispatch, InlineBlocksInParts) {
    Layout layout(device, {binding(0, kStorage), binding(2, kStorage, 2), binding(5, kInline, 16)});
    const VkDescriptorSet source = layout.allocate(), set = layout.allocate();
    const uint32_t parts[] = {8, 3};
    const VkWriteDescriptorSetInlineUniformBlock block{
        VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK, nullptr, sizeof(parts), parts};
    VkWriteDescriptorSet part = write(source, 5, kInline, {}, 4);
    part.pNext = &block;
    part.descriptorCount = sizeof(parts);
    vkUpdateDescriptorSets(device, 1, &part, 0, nullptr);
    const VkDescriptorBufferInfo results = result->info();
    const VkDescriptorBufferInfo words[] = {input(0), input(1)};
    const VkWriteDescriptorSet writes[] = {write(set, 0, kStorage, {&results, 1}),
                                           write(set, 2, kStorage, words)};
    const VkCopyDescriptorSet copy{
        VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, source, 5, 8, set, 5, 0, 4};
    vkUpdateDescriptorSets(device, 2, writes, 1, &copy);
    const VkPipeline pipeline = layout.pipeline(kSumWords);
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        push(commands, layout);
        bind(commands, layout, pipeline, set);
        vkCmdDispatch(commands, 1, 1, 1);
    }));
    EXPECT_EQ((*result)[0], kSum);
}

TEST_F(Dispatch, Addresses) {
    Layout layout(device, bindings());
    const VkDescriptorSet set = layout.allocate();
    writeAll(set);
    const VkPipeline pipeline = layout.pipeline(kSumWords);
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        push(commands, layout, {inputs->address() + 128, 4, 1});
        // Parts of push constants change alone.
        const uint32_t added = 5;
        vkCmdPushConstants(commands, layout.pipelines, VK_SHADER_STAGE_COMPUTE_BIT, 8, 4, &added);
        bind(commands, layout, pipeline, set);
        vkCmdDispatch(commands, 1, 1, 1);
    }));
    EXPECT_EQ((*result)[0], kSum + 1000 + 3);
}

// A read from an address that no buffer has gives 0, and a report.
TEST_F(Dispatch, AddressesOfFreedMemory) {
    Layout layout(device, bindings());
    const VkDescriptorSet set = layout.allocate();
    writeAll(set);
    const VkPipeline pipeline = layout.pipeline(kSumWords);
    Words gone(device, {5, 5});
    const VkDeviceAddress address = gone.address();
    gone.freeMemory();
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        push(commands, layout, {address, 4, 1});
        bind(commands, layout, pipeline, set);
        vkCmdDispatch(commands, 1, 1, 1);
    }));
    EXPECT_EQ((*result)[0], kSum);
    const std::vector<std::string> messages = takeMessages();
    ASSERT_FALSE(messages.empty());
    EXPECT_NE(messages[0].find("coopvk-reference-bounds"), std::string::npos) << messages[0];
}

TEST_F(Dispatch, SubgroupSizes) {
    Layout layout(device, {binding(0, kStorage)});
    const VkDescriptorSet set = layout.allocate();
    const VkDescriptorBufferInfo results = result->info();
    const VkWriteDescriptorSet change = write(set, 0, kStorage, {&results, 1});
    vkUpdateDescriptorSets(device, 1, &change, 0, nullptr);
    for (const uint32_t size : {4u, 16u, 128u}) {
        const VkPipeline pipeline = layout.pipeline(kSizeWords, nullptr, size);
        EXPECT_VK(run([&](VkCommandBuffer commands) {
            bind(commands, layout, pipeline, set);
            vkCmdDispatch(commands, 1, 1, 1);
        }));
        EXPECT_EQ((*result)[0], size);
        EXPECT_EQ((*result)[1], 128 / size);
    }
}

}  // namespace
}  // namespace coopvk::reference::test::dispatch_test
