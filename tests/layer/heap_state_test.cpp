// SPDX-License-Identifier: Apache-2.0
//
// Conversions among descriptor heaps and push data (VK_EXT_descriptor_heap).
#include <functional>

#include "conversion_state.hpp"

namespace coopvk::test {
namespace {

#ifdef VK_EXT_descriptor_heap
class HeapState : public ConversionState {
 protected:
    void pushData(uint32_t word, const void* chain = nullptr) {
        VkPushDataInfoEXT data = {VK_STRUCTURE_TYPE_PUSH_DATA_INFO_EXT, chain};
        data.offset = 4;
        data.data = {&word, sizeof word};
        COOPVK_DEVICE_COMMAND(driver, device, vkCmdPushDataEXT)(commands, &data);
    }
    void bindHeap(const char* command) {
        const VkBindHeapInfoEXT heap = {VK_STRUCTURE_TYPE_BIND_HEAP_INFO_EXT};
        reinterpret_cast<PFN_vkCmdBindResourceHeapEXT>(driver.deviceCommand(device, command))(
            commands, &heap);
    }
    // A secondary command buffer that inherits a resource heap, or none.
    void beginSecondary(bool inherits) {
        COOPVK_DEVICE_COMMAND(driver, device, vkFreeCommandBuffers)
        (device, allocate.commandPool, 1, &commands);
        allocate.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
        COOPVK_DEVICE_COMMAND(driver, device, vkAllocateCommandBuffers)
        (device, &allocate, &commands);
        const VkBindHeapInfoEXT heap = {VK_STRUCTURE_TYPE_BIND_HEAP_INFO_EXT};
        const VkCommandBufferInheritanceDescriptorHeapInfoEXT heaps = {
            VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_DESCRIPTOR_HEAP_INFO_EXT, nullptr, nullptr,
            inherits ? &heap : nullptr};
        const VkCommandBufferInheritanceInfo inheritance = {
            VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, &heaps};
        const VkCommandBufferBeginInfo how = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                              0, &inheritance};
        COOPVK_DEVICE_COMMAND(driver, device, vkBeginCommandBuffer)(commands, &how);
    }
    // Push constants invalidate heaps, and push data everything else.
    void expectHeapsKept(const Commands& seen) {
        EXPECT_TRUE(calls(seen, "vkCmdPushDataEXT"));
        EXPECT_FALSE(calls(seen, "vkCmdPushConstants"));
        EXPECT_FALSE(calls(seen, "vkCmdPushConstants2"));
    }
    void expectSetsKept(const Commands& seen) {
        EXPECT_TRUE(calls(seen, "vkCmdPushConstants"));
        EXPECT_FALSE(calls(seen, "vkCmdPushDataEXT"));
    }
};

TEST_F(HeapState, PushDataIsGivenBack) {
    bindPipeline();
    pushData(9);
    const Commands seen = convertNow();
    expectHeapsKept(seen);
    const Commands expected = {{"vkCmdPushDataEXT", {kNoBank, 4, 9}}, pipelineAgain};
    EXPECT_EQ(restored(seen), expected);
}

// The kernel's pipeline must be one for heaps, which has no layout.
TEST_F(HeapState, Kernel) {
    pushData(9);
    record();
    const auto heapBit = VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT;
    EXPECT_EQ(driver.pipelines.back().flags & heapBit, heapBit);
    EXPECT_EQ(driver.pipelines.back().layout, VK_NULL_HANDLE);
    push({1});
    record();
    EXPECT_EQ(driver.pipelines.back().flags, 0u);
    EXPECT_NE(driver.pipelines.back().layout, VK_NULL_HANDLE);
    EXPECT_EQ(driver.pipelines.size(), 2u);
}

TEST_F(HeapState, BoundHeapsStayBound) {
    for (const char* command : {"vkCmdBindSamplerHeapEXT", "vkCmdBindResourceHeapEXT"}) {
        begin();
        expectSetsKept(convertNow());
        bindHeap(command);
        expectHeapsKept(convertNow());
    }
    // Secondary command buffers do not change what they inherit.
    COOPVK_DEVICE_COMMAND(driver, device, vkCmdExecuteCommands)(commands, 0, nullptr);
    expectHeapsKept(convertNow());
}

TEST_F(HeapState, InheritedHeaps) {
    beginSecondary(true);
    expectHeapsKept(convertNow());
    beginSecondary(false);
    expectSetsKept(convertNow());
}

// Its pInheritanceInfo may be invalid.
TEST_F(HeapState, PrimariesInheritNothing) {
    VkCommandBufferBeginInfo how = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    how.pInheritanceInfo = reinterpret_cast<const VkCommandBufferInheritanceInfo*>(uintptr_t{1});
    COOPVK_DEVICE_COMMAND(driver, device, vkBeginCommandBuffer)(commands, &how);
    expectSetsKept(convertNow());
}

// The last command determines the state; state that it invalidated is not set again.
TEST_F(HeapState, EitherInvalidatesTheOther) {
    push({5});
    pushData(9);
    Commands expected = {{"vkCmdPushDataEXT", {kNoBank, 4, 9}}};
    EXPECT_EQ(restored(convertNow()), expected);
    push({6});
    expected = {{"vkCmdPushConstants", {kNoBank, 0, 6}}};
    EXPECT_EQ(restored(convertNow()), expected);
}

// Each command of descriptor sets and buffers that the specification names.
TEST_F(HeapState, SetsInvalidateHeaps) {
    const std::pair<const char*, std::function<void(PFN_vkVoidFunction)>> kCommands[] = {
#define COOPVK_CALL(command, ...)                                             \
    {                                                                         \
        #command, [&](PFN_vkVoidFunction function) {                          \
            reinterpret_cast<PFN_##command>(function)(commands, __VA_ARGS__); \
        }                                                                     \
    }
        COOPVK_CALL(vkCmdBindDescriptorSets, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 0, nullptr,
                    0, nullptr),
        COOPVK_CALL(vkCmdBindDescriptorSets2, nullptr),
        COOPVK_CALL(vkCmdBindDescriptorSets2KHR, nullptr),
        COOPVK_CALL(vkCmdPushDescriptorSet, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 0, nullptr),
        COOPVK_CALL(vkCmdPushDescriptorSetKHR, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 0,
                    nullptr),
        COOPVK_CALL(vkCmdPushDescriptorSet2, nullptr),
        COOPVK_CALL(vkCmdPushDescriptorSet2KHR, nullptr),
        COOPVK_CALL(vkCmdPushDescriptorSetWithTemplate, VK_NULL_HANDLE, layout, 0, nullptr),
        COOPVK_CALL(vkCmdPushDescriptorSetWithTemplateKHR, VK_NULL_HANDLE, layout, 0, nullptr),
        COOPVK_CALL(vkCmdPushDescriptorSetWithTemplate2, nullptr),
        COOPVK_CALL(vkCmdPushDescriptorSetWithTemplate2KHR, nullptr),
        COOPVK_CALL(vkCmdBindDescriptorBuffersEXT, 0, nullptr),
        COOPVK_CALL(vkCmdSetDescriptorBufferOffsetsEXT, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0,
                    0, nullptr, nullptr),
        COOPVK_CALL(vkCmdSetDescriptorBufferOffsets2EXT, nullptr),
        COOPVK_CALL(vkCmdBindDescriptorBufferEmbeddedSamplersEXT, VK_PIPELINE_BIND_POINT_COMPUTE,
                    layout, 0),
        COOPVK_CALL(vkCmdBindDescriptorBufferEmbeddedSamplers2EXT, nullptr),
#undef COOPVK_CALL
    };
    for (const auto& [name, call] : kCommands) {
        SCOPED_TRACE(name);
        pushData(9);
        const uint32_t before = driver.recorded;
        call(driver.deviceCommand(device, name));
        EXPECT_EQ(driver.recorded, before + 1);
        const Commands seen = convertNow();
        expectSetsKept(seen);
        EXPECT_TRUE(restored(seen).empty());
    }
}

// On devices without heaps the layer does not intercept commands for descriptor sets.
TEST(DescriptorSets, InNobodysWay) {
    FakeDriver driver;
    driver.makeInstance();
    driver.recordsAll = false;
    const VkDevice vectors = makeDevice(driver, VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME);
    driver.recordsAll = true;  // the layer has found no vkCmdPushDataEXT by now
    const VkDevice plain = makeDevice(driver, nullptr);
    const VkDevice heaps = makeDevice(driver, VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME);
    const auto own = driver.deviceCommand(plain, "vkCmdBindDescriptorSets");
    EXPECT_EQ(driver.deviceCommand(vectors, "vkCmdBindDescriptorSets"), own);
    EXPECT_NE(driver.deviceCommand(heaps, "vkCmdBindDescriptorSets"), own);
    for (VkDevice device : {vectors, plain, heaps}) driver.destroyDevice(device);
}

#ifdef VK_NV_push_constant_bank
TEST_F(HeapState, BanksOfPushData) {
    const VkPushConstantBankInfoNV bank = {VK_STRUCTURE_TYPE_PUSH_CONSTANT_BANK_INFO_NV, nullptr,
                                           2};
    pushData(9, &bank);
    pushData(10);
    const Commands expected = {{"vkCmdPushDataEXT", {2, 4, 9}},
                               {"vkCmdPushDataEXT", {kNoBank, 4, 10}}};
    EXPECT_EQ(restored(convertNow()), expected);
}
#endif
#endif

}  // namespace
}  // namespace coopvk::test
