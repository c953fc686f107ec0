// SPDX-License-Identifier: Apache-2.0
//
// Buffers in heaps of descriptors, and the commands that bind heaps and push data.
#include <cstdlib>

#include "heaps.hpp"
// It has no includes of its own.
#include "heap_buffers.spv.h"

namespace coopvk::reference::test::descriptor_heaps_test {
namespace {

using Values = std::vector<uint32_t>;
constexpr Side kHeapRead = {kCompute, VK_ACCESS_2_RESOURCE_HEAP_READ_BIT_EXT};

// Words 0, 1 and 2 are the storage buffers 0, 1 and 2 of the heap; words 1 are uniform buffer 3.
class DescriptorHeaps : public Dependent {
 protected:
    void SetUp() override {
        deviceExtensions = kHeapExtensions;
        deviceExtensions.push_back(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME);
        moreFeatures = &features_.heaps;
        Dependent::SetUp();
        heap_ = std::make_unique<Heap>(device, physical);
        programs_ = std::make_unique<HeapPrograms>(device);
        for (uint32_t i = 0; i < 3; ++i) heap().buffer(i, kStorageBuffer, words(i).address());
        heap().buffer(3, kUniformBuffer, words(1).address());
        words(0)[0] = 3, words(0)[1] = 4, words(1)[0] = 5, words(1)[1] = 6;
    }
    void TearDown() override {
        vkDeviceWaitIdle(device);
        programs_.reset();
        heap_.reset();
        Dependent::TearDown();
    }
    Heap& heap() { return *heap_; }
    HeapPrograms& programs() { return *programs_; }

    // The shader's push data: numbers in the heap, and what swaps the words.
    void dispatch(VkCommandBuffer to, const std::array<uint32_t, 4>& push = {0, 3, 2, 0}) {
        heap().bind(to);
        pushData(to, 0, push);
        dispatchOnly(to);
    }
    void dispatchOnly(VkCommandBuffer to) {
        vkCmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, programs().make(kHeapBuffersWords));
        vkCmdDispatch(to, 1, 1, 1);
    }
    void expectMessage(const std::string& id, const std::string& part) {
        bool isThere = false;
        for (const std::string& message : takeMessages())
            isThere |= message.find(part) != std::string::npos && message.find(id) == 0;
        EXPECT_TRUE(isThere) << part;
    }

 private:
    HeapFeatures features_;
    std::unique_ptr<Heap> heap_;
    std::unique_ptr<HeapPrograms> programs_;
};

// Vulkan, "Required Limits".
TEST_F(DescriptorHeaps, Limits) {
    const auto& has = heap().properties;
    for (const VkDeviceSize alignment : {has.samplerHeapAlignment, has.resourceHeapAlignment}) {
        EXPECT_LE(alignment, 65536u);
        EXPECT_EQ(alignment & (alignment - 1), 0u);
    }
    EXPECT_LE(has.samplerDescriptorSize, 32u);
    EXPECT_LE(has.imageDescriptorSize, 64u);
    EXPECT_LE(has.bufferDescriptorSize, 128u);
    EXPECT_LE(has.samplerDescriptorAlignment, has.samplerDescriptorSize);
    EXPECT_LE(has.imageDescriptorAlignment, has.imageDescriptorSize);
    EXPECT_LE(has.bufferDescriptorAlignment, has.bufferDescriptorSize);
    EXPECT_GE(has.maxSamplerHeapSize, 4000 * has.samplerDescriptorSize);
    EXPECT_GE(has.maxResourceHeapSize, ((1u << 20) - (1u << 15)) * has.bufferDescriptorSize);
    EXPECT_GE(has.maxPushDataSize, 256u);
    EXPECT_GE(has.maxDescriptorHeapEmbeddedSamplers, 2032u);
    EXPECT_LE(has.samplerYcbcrConversionCount, 3u);
    for (const auto type : {kStorageBuffer, kUniformBuffer}) {
        const VkDeviceSize size = vkGetPhysicalDeviceDescriptorSizeEXT(physical, type);
        EXPECT_GT(size, 0u);
        EXPECT_LE(size, has.bufferDescriptorSize);
    }
}

TEST_F(DescriptorHeaps, BuffersByNumbers) {
    EXPECT_VK(run([&](VkCommandBuffer to) { dispatch(to); }));
    EXPECT_EQ(words(2).values(), (Values{53, 64}));
}

// "fully identical" descriptors have "the same bit pattern"; nothing behind the size is written.
TEST_F(DescriptorHeaps, SameBits) {
    const auto bytes = [&](uint32_t number) {
        const auto* begin = reinterpret_cast<std::byte*>(&heap().words()[0]) + heap().at(number);
        return std::vector(begin, begin + heap().stride);
    };
    const auto untouched = bytes(5);
    heap().buffer(4, kStorageBuffer, words(0).address());
    EXPECT_EQ(bytes(4), bytes(0));
    EXPECT_NE(bytes(4), bytes(1));
    EXPECT_EQ(bytes(5), untouched);
}

// They are read when the dispatch executes.
TEST_F(DescriptorHeaps, CommandsWriteThem) {
    check("VK_ACCESS_2_RESOURCE_HEAP_READ_BIT_EXT", [&](VkCommandBuffer to, bool isRight) {
        const VkBuffer buffer = heap().words().buffer;
        heap().buffer(4, kStorageBuffer, words(1).address());
        const VkBufferCopy region{heap().at(1), heap().at(4), heap().stride};
        heap().null(4, kStorageBuffer);
        vkCmdCopyBuffer(to, buffer, buffer, 1, &region);
        barrier(to, kCopyWrite, isRight ? kHeapRead : kShaderRead);
        dispatch(to, {4, 3, 2, 0});
    });
    EXPECT_EQ(words(2).values(), (Values{55, 66}));
}

TEST_F(DescriptorHeaps, NullDescriptors) {
    heap().null(4, kStorageBuffer);
    EXPECT_VK(run([&](VkCommandBuffer to) { dispatch(to, {4, 3, 2, 0}); }));
    EXPECT_EQ(words(2).values(), (Values{50, 60}));
}

// Two descriptors of one buffer: each invocation reads what the other writes.
TEST_F(DescriptorHeaps, Races) {
    heap().buffer(4, kStorageBuffer, words(0).address());
    EXPECT_VK(run([&](VkCommandBuffer to) { dispatch(to, {0, 3, 4, 1}); }));
    expectMessage("coopvk-reference-races", "");
}

// A descriptor that the heap has not: the access is reported, and reads are zeros.
TEST_F(DescriptorHeaps, OutsideOfTheHeap) {
    if (std::getenv("VK_INSTANCE_LAYERS") != nullptr)
        GTEST_SKIP() << "the validation layer reports it";
    for (const uint32_t number : {16u, 1u << 20}) {
        EXPECT_VK(run([&](VkCommandBuffer to) { dispatch(to, {number, 3, 2, 0}); }));
        EXPECT_EQ(words(2).values(), (Values{50, 60}));
        expectMessage("coopvk-reference-bounds", "descriptor that is not there");
    }
}

// Push data stays until it is pushed again.
TEST_F(DescriptorHeaps, PushDataInParts) {
    EXPECT_VK(run([&](VkCommandBuffer to) {
        heap().bind(to);
        pushData(to, 0, std::array{1u, 3u, 1u, 0u});
        pushData(to, 8, std::array{2u});
        pushData(to, 0, std::array{0u});
        dispatchOnly(to);
    }));
    EXPECT_EQ(words(2).values(), (Values{53, 64}));
}

// "immediately invalidates all state set by commands in this chapter".
TEST_F(DescriptorHeaps, CommandsOfSetsInvalidate) {
    if (std::getenv("VK_INSTANCE_LAYERS") != nullptr)
        GTEST_SKIP() << "the validation layer reports it";
    Layout layout(device, {binding(0, kStorageBuffer)});
    const std::array<uint32_t, 4> push{0, 3, 2, 0};
    EXPECT_VK(run([&](VkCommandBuffer to) {
        pushData(to, 0, push);
        vkCmdPushConstants(to, layout.pipelines, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push),
                           push.data());
        heap().bind(to);
        dispatchOnly(to);
    }));
    expectMessage("coopvk-reference-unwritten", "push constants");
}

// A secondary command buffer begins with the heaps that it inherits.
TEST_F(DescriptorHeaps, SecondaryCommandBuffers) {
    const VkBindHeapInfoEXT bound = heap().info();
    const VkCommandBufferInheritanceDescriptorHeapInfoEXT heaps{
        VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_DESCRIPTOR_HEAP_INFO_EXT, nullptr, nullptr,
        &bound};
    const VkCommandBufferInheritanceInfo inherits{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                  &heaps};
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0,
                                         &inherits};
    const VkCommandBuffer secondary = allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    ASSERT_VK(vkBeginCommandBuffer(secondary, &begin));
    pushData(secondary, 0, std::array{0u, 3u, 2u, 0u});
    dispatchOnly(secondary);
    ASSERT_VK(vkEndCommandBuffer(secondary));
    EXPECT_VK(run([&](VkCommandBuffer to) {
        heap().bind(to);
        vkCmdExecuteCommands(to, 1, &secondary);
    }));
    EXPECT_EQ(words(2).values(), (Values{53, 64}));
    if (std::getenv("VK_INSTANCE_LAYERS") != nullptr) return;
    EXPECT_EQ(run([&](VkCommandBuffer to) { vkCmdExecuteCommands(to, 1, &secondary); }),
              VK_ERROR_DEVICE_LOST);
    expectMessage("coopvk-reference-usage", "inherits a heap that is not bound");
}

class LostHeaps : public DescriptorHeaps {
 protected:
    void SetUp() override {
        if (std::getenv("VK_INSTANCE_LAYERS") != nullptr)
            GTEST_SKIP() << "the validation layer reports it";
        DescriptorHeaps::SetUp();
    }
    void TearDown() override {
        if (device != VK_NULL_HANDLE) DescriptorHeaps::TearDown();
    }
    void expectLost(const std::string& part) {
        EXPECT_EQ(run([&](VkCommandBuffer to) { dispatch(to); }), VK_ERROR_DEVICE_LOST);
        expectMessage("coopvk-reference-usage", part);
    }
};

TEST_F(LostHeaps, BytesOfSomethingElse) {
    heap().words()[0] = 7;
    expectLost("byte 0 of the resource heap: there is no descriptor");
}

TEST_F(LostHeaps, OtherTypes) {
    heap().buffer(3, kStorageBuffer, words(1).address());
    expectLost("of the resource heap: the descriptor is of another type");
}

TEST_F(LostHeaps, AddressesOfNothing) {
    replace(0, std::make_unique<Words>(device, Values{1, 2}));
    expectLost("a descriptor has an address where there is no buffer");
}

TEST_F(LostHeaps, NothingBound) {
    EXPECT_EQ(run([&](VkCommandBuffer to) {
                  pushData(to, 0, std::array{0u, 3u, 2u, 0u});
                  dispatchOnly(to);
              }),
              VK_ERROR_DEVICE_LOST);
    expectMessage("coopvk-reference-usage", "no resource heap is bound");
}

class BadHeaps : public LostHeaps {
 protected:
    void expectInvalid(const std::string& part) { expectMessage("coopvk-reference-usage", part); }
    // A command that cannot be recorded.
    template <typename Command>
    void expectUnrecorded(const Command& command, const std::string& part) {
        const VkCommandBuffer commands = allocate();
        const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        ASSERT_VK(vkBeginCommandBuffer(commands, &begin));
        command(commands);
        EXPECT_NE(vkEndCommandBuffer(commands), VK_SUCCESS);
        expectInvalid(part);
    }
};

TEST_F(BadHeaps, Descriptors) {
    VkDeviceAddressRangeEXT range{words(0).address(), 0};
    VkResourceDescriptorInfoEXT info{VK_STRUCTURE_TYPE_RESOURCE_DESCRIPTOR_INFO_EXT,
                                     nullptr,
                                     kStorageBuffer,
                                     {.pAddressRange = &range}};
    EXPECT_NE(heap().write(0, info), VK_SUCCESS);
    expectInvalid("is empty");
    range = {words(0).address() + 4, 4};
    EXPECT_NE(heap().write(0, info), VK_SUCCESS);
    expectInvalid("misaligned");
    range = {words(0).address(), 1u << 20};
    EXPECT_NE(heap().write(0, info), VK_SUCCESS);
    expectInvalid("beyond the end of its buffer");
    info.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
    EXPECT_NE(heap().write(0, info), VK_SUCCESS);
    expectInvalid("no descriptors of this type");
    info.type = kStorageBuffer;
    range.size = 8;
    const VkHostAddressRangeEXT small{&heap().words()[0], 4};
    EXPECT_NE(vkWriteResourceDescriptorsEXT(device, 1, &info, &small), VK_SUCCESS);
    expectInvalid("no room");
    EXPECT_VK(heap().write(0, info));
}

TEST_F(BadHeaps, Commands) {
    VkBindHeapInfoEXT info = heap().info();
    const auto bind = [&](VkCommandBuffer to) { vkCmdBindResourceHeapEXT(to, &info); };
    ++info.heapRange.address;
    expectUnrecorded(bind, "no multiple of its alignment");
    info = heap().info();
    info.reservedRangeSize = info.heapRange.size;
    expectUnrecorded(bind, "the reserved range ends behind the heap");
    info = heap().info();
    info.heapRange.size *= 2;
    expectUnrecorded(bind, "beyond the end of its buffer");
    const std::array<uint32_t, 2> data{};
    expectUnrecorded([&](VkCommandBuffer to) { pushData(to, 252, data); }, "behind the last byte");
    expectUnrecorded([&](VkCommandBuffer to) { pushData(to, 2, data); }, "no multiple of 4");
}

TEST_F(BadHeaps, ReservedRangesAreOfNobody) {
    VkBindHeapInfoEXT info = heap().info();
    info.reservedRangeOffset = 0;
    info.reservedRangeSize = heap().at(1);
    EXPECT_VK(run([&](VkCommandBuffer to) {
        vkCmdBindResourceHeapEXT(to, &info);
        pushData(to, 0, std::array{0u, 3u, 2u, 0u});
        dispatchOnly(to);
    }));
    expectMessage("coopvk-reference-bounds", "descriptor that is not there");
    EXPECT_EQ(words(2).values(), (Values{50, 60}));
}

}  // namespace
}  // namespace coopvk::reference::test::descriptor_heaps_test
