// SPDX-License-Identifier: Apache-2.0
//
// Variables with a set and a binding in programs with heaps: each source of a mapping
// (VkDescriptorMappingSourceEXT). Offsets are those of the equations in the chapter "Descriptor
// Heaps"; other buffers lie around what a mapping leads to.
#include <cstdlib>

#include "heaps.hpp"
// It has no includes of its own.
#include "plus_one.spv.h"

namespace coopvk::reference::test::heap_mappings_test {
namespace {

using Values = std::vector<uint32_t>;
constexpr uint32_t kIndexAt = 16, kAddressAt = 8;  // in push data

// shaders/plus_one.comp: from binding 0 (`from` 0) or the uniform buffer at binding 2 (1) to
// binding 1. Words 0 are the source, 1 the target.
class HeapMappings : public Dependent {
 protected:
    void SetUp() override {
        deviceExtensions = kHeapExtensions;
        deviceExtensions.push_back(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME);
        moreFeatures = &features_.heaps;
        Dependent::SetUp();
        heap_ = std::make_unique<Heap>(device, physical);
        programs_ = std::make_unique<HeapPrograms>(device);
        stride_ = static_cast<uint32_t>(heap().stride);
        for (uint32_t i = 0; i < 16; ++i) heap().buffer(i, kStorageBuffer, words(2).address());
        words(0)[0] = 10, words(0)[1] = 20, words(2)[0] = 1000, words(2)[1] = 2000;
    }
    void TearDown() override {
        vkDeviceWaitIdle(device);
        programs_.reset();
        heap_.reset();
        Dependent::TearDown();
    }
    Heap& heap() { return *heap_; }
    HeapPrograms& programs() { return *programs_; }
    uint32_t stride() const { return stride_; }

    VkPipeline pipeline(std::span<const Mapping> mappings, uint32_t from = 0,
                        VkResult expected = VK_SUCCESS) {
        const VkSpecializationMapEntry entry{1, 0, sizeof(from)};
        const VkSpecializationInfo info{1, &entry, sizeof(from), &from};
        return programs().make(kPlusOneWords, mappings, &info, expected);
    }
    void push(VkCommandBuffer to, uint32_t index, VkDeviceAddress address) {
        heap().bind(to);
        pushData(to, 0, std::array{0u, 0u});  // of the shader
        pushData(to, kIndexAt, std::array{index});
        pushData(to, kAddressAt, std::array{uint32_t(address), uint32_t(address >> 32)});
    }
    VkResult runWith(std::span<const Mapping> mappings, uint32_t from, uint32_t index,
                     VkDeviceAddress address) {
        return run([&](VkCommandBuffer to) {
            push(to, index, address);
            vkCmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline(mappings, from));
            vkCmdDispatch(to, 1, 1, 1);
        });
    }
    void expectRight(std::span<const Mapping> mappings, uint32_t from, uint32_t index = 0,
                     VkDeviceAddress address = 0) {
        words(1)[0] = words(1)[1] = 0;
        EXPECT_VK(runWith(mappings, from, index, address));
        EXPECT_EQ(words(1).values(), (Values{11, 21}));
    }
    // The storage buffers at these numbers of the heap, by the source.
    std::array<Mapping, 2> both(VkDescriptorMappingSourceEXT source, uint32_t from, uint32_t to) {
        heap().buffer(from, kStorageBuffer, words(0).address());
        heap().buffer(to, kStorageBuffer, words(1).address());
        return {mappingOf(0, 0, source, 2), unused()};
    }
    // Of the uniform buffer, where the program does not read it.
    Mapping unused() {
        Mapping mapping = mappingOf(0, 2, VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_DATA_EXT);
        mapping.sourceData.pushDataOffset = 0;
        return mapping;
    }
    // Bindings 0 and 1 by constant offsets, and binding 2 by the source.
    std::array<Mapping, 2> uniform(VkDescriptorMappingSourceEXT source) {
        std::array<Mapping, 2> mappings =
            both(VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT, 14, 15);
        mappings[0].sourceData.constantOffset = {14 * stride(), stride()};
        mappings[1] = mappingOf(0, 2, source);
        return mappings;
    }

 private:
    HeapFeatures features_;
    std::unique_ptr<Heap> heap_;
    std::unique_ptr<HeapPrograms> programs_;
    uint32_t stride_ = 0;
};

// heapOffset + shaderIndex * heapArrayStride: 3 + 2 i.
TEST_F(HeapMappings, ConstantOffsets) {
    auto mappings = both(VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT, 3, 5);
    mappings[0].sourceData.constantOffset = {3 * stride(), 2 * stride()};
    expectRight(mappings, 0);
}

// heapOffset + pushIndex * heapIndexStride + shaderIndex * heapArrayStride: 1 + 3 * 2 + 4 i.
TEST_F(HeapMappings, IndicesInPushData) {
    auto mappings = both(VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT, 7, 11);
    mappings[0].sourceData.pushIndex = {stride(), kIndexAt, 2 * stride(), 4 * stride()};
    expectRight(mappings, 0, 3);
}

// The same with an index in memory, 8 bytes behind the address.
TEST_F(HeapMappings, IndicesInMemory) {
    Words indices(device, {9, 9, 3, 9});
    auto mappings = both(VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_EXT, 7, 11);
    mappings[0].sourceData.indirectIndex = {stride(), kAddressAt, 8, 2 * stride(), 4 * stride()};
    expectRight(mappings, 0, 0, indices.address());
}

// An index in memory for each element: 1 + 2 index.
TEST_F(HeapMappings, ArraysOfIndicesInMemory) {
    Words indices(device, {9, 4, 0, 9});
    auto mappings = both(VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_ARRAY_EXT, 9, 1);
    mappings[0].sourceData.indirectIndexArray = {stride(), kAddressAt, 4, 2 * stride()};
    expectRight(mappings, 0, 0, indices.address());
}

// shaderOffset + heapOffset + the offset in push data.
TEST_F(HeapMappings, DataInTheHeap) {
    auto mappings = uniform(VK_DESCRIPTOR_MAPPING_SOURCE_RESOURCE_HEAP_DATA_EXT);
    mappings[1].sourceData.heapData = {2 * stride(), kIndexAt};
    uint32_t* const data = &heap().words()[3 * stride() / 4];
    data[0] = 10, data[1] = 20;
    expectRight(mappings, 1, stride());
}

TEST_F(HeapMappings, PushData) {
    auto mappings = uniform(VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_DATA_EXT);
    mappings[1].sourceData.pushDataOffset = kAddressAt;
    expectRight(mappings, 1, 0, uint64_t{20} << 32 | 10);
}

TEST_F(HeapMappings, AddressesInPushData) {
    auto mappings = uniform(VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_ADDRESS_EXT);
    mappings[1].sourceData.pushAddressOffset = kAddressAt;
    expectRight(mappings, 1, 0, words(0).address());
}

// Of storage buffers, too.
TEST_F(HeapMappings, StorageBuffersByAddresses) {
    auto mappings = uniform(VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_ADDRESS_EXT);
    mappings[1].sourceData.pushAddressOffset = kAddressAt;
    Mapping stored = mappings[1];
    stored.firstBinding = 0;
    mappings[0].firstBinding = mappings[0].bindingCount = 1;
    mappings[0].sourceData.constantOffset.heapOffset = 15 * stride();
    expectRight(std::array{mappings[0], stored, unused()}, 0, 0, words(0).address());
}

TEST_F(HeapMappings, AddressesInMemory) {
    const VkDeviceAddress source = words(0).address();
    Words addresses(device, {0, 0, uint32_t(source), uint32_t(source >> 32)});
    auto mappings = uniform(VK_DESCRIPTOR_MAPPING_SOURCE_INDIRECT_ADDRESS_EXT);
    mappings[1].sourceData.indirectAddress = {kAddressAt, 8};
    expectRight(mappings, 1, 0, addresses.address());
}

// A mapping is of the kinds of resources in its mask: binding 0 is a buffer that is only read.
TEST_F(HeapMappings, KindsOfResources) {
    auto mappings = both(VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT, 3, 4);
    mappings[0].sourceData.constantOffset = {8 * stride(), 0};
    Mapping reads = mappings[0], writes = mappings[0], others = mappings[0];
    reads.resourceMask = VK_SPIRV_RESOURCE_TYPE_READ_ONLY_STORAGE_BUFFER_BIT_EXT;
    reads.sourceData.constantOffset.heapOffset = 3 * stride();
    writes.resourceMask = VK_SPIRV_RESOURCE_TYPE_READ_WRITE_STORAGE_BUFFER_BIT_EXT;
    writes.sourceData.constantOffset.heapOffset = 4 * stride();
    others.resourceMask =
        VK_SPIRV_RESOURCE_TYPE_UNIFORM_BUFFER_BIT_EXT | VK_SPIRV_RESOURCE_TYPE_SAMPLER_BIT_EXT;
    expectRight(std::array{others, writes, reads, unused()}, 0);
}

// Indices in memory are read as uniform buffers are.
TEST_F(HeapMappings, DependenciesOfIndices) {
    constexpr Side kUniformRead = {kCompute, VK_ACCESS_2_UNIFORM_READ_BIT};
    Words indices(device, {0, 0});
    auto mappings = both(VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_EXT, 7, 8);
    mappings[0].sourceData.indirectIndex = {0, kAddressAt, 0, 7 * stride(), stride()};
    check("VK_ACCESS_2_UNIFORM_READ_BIT", [&](VkCommandBuffer to, bool isRight) {
        vkCmdFillBuffer(to, indices.buffer, 0, VK_WHOLE_SIZE, 1);
        barrier(to, kFill, isRight ? kUniformRead : kShaderRead);
        push(to, 0, indices.address());
        vkCmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline(mappings));
        vkCmdDispatch(to, 1, 1, 1);
    });
    EXPECT_EQ(words(1).values(), (Values{11, 21}));
}

// A shader's binary has its mappings.
TEST_F(HeapMappings, ShaderObjects) {
    auto mappings = both(VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT, 3, 5);
    mappings[0].sourceData.constantOffset = {3 * stride(), 2 * stride()};
    const VkShaderDescriptorSetAndBindingMappingInfoEXT mapped{
        VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT, nullptr, 2,
        mappings.data()};
    VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT, &mapped};
    info.flags = VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT;
    info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
    info.codeSize = sizeof(kPlusOneWords);
    info.pCode = kPlusOneWords;
    info.pName = "main";
    std::array<VkShaderEXT, 2> shaders{};
    ASSERT_VK(vkCreateShadersEXT(device, 1, &info, nullptr, &shaders[0]));
    size_t size = 0;
    ASSERT_VK(vkGetShaderBinaryDataEXT(device, shaders[0], &size, nullptr));
    std::vector<uint64_t> binary(size / 8 + 1);
    ASSERT_VK(vkGetShaderBinaryDataEXT(device, shaders[0], &size, binary.data()));
    info.pNext = nullptr;
    info.codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
    info.codeSize = size;
    info.pCode = binary.data();
    ASSERT_VK(vkCreateShadersEXT(device, 1, &info, nullptr, &shaders[1]));
    for (const VkShaderEXT shader : shaders) {
        words(1)[0] = words(1)[1] = 0;
        EXPECT_VK(run([&](VkCommandBuffer to) {
            const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
            vkCmdBindShadersEXT(to, 1, &stage, &shader);
            push(to, 0, 0);
            vkCmdDispatch(to, 1, 1, 1);
        }));
        EXPECT_EQ(words(1).values(), (Values{11, 21}));
        vkDestroyShaderEXT(device, shader, nullptr);
    }
}

class BadMappings : public HeapMappings {
 protected:
    void SetUp() override {
        if (std::getenv("VK_INSTANCE_LAYERS") != nullptr)
            GTEST_SKIP() << "the validation layer reports it";
        HeapMappings::SetUp();
    }
    void TearDown() override {
        if (device != VK_NULL_HANDLE) HeapMappings::TearDown();
    }
    void expectMessage(const std::string& part) {
        bool isThere = false;
        for (const std::string& message : takeMessages())
            isThere |= message.find(part) != std::string::npos &&
                       message.find("coopvk-reference-usage") == 0;
        EXPECT_TRUE(isThere) << part;
    }
    void expectRefused(std::span<const Mapping> mappings, const std::string& part) {
        EXPECT_EQ(pipeline(mappings, 0, VK_ERROR_VALIDATION_FAILED_EXT), VK_NULL_HANDLE);
        expectMessage(part);
    }
};

TEST_F(BadMappings, Pipelines) {
    expectRefused({}, "set 0, binding 0 has no mapping");
    auto mappings = uniform(VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_SHADER_RECORD_INDEX_EXT);
    expectRefused(mappings, "set 0, binding 2 is mapped to a shader record");
    mappings[1] = mappingOf(0, 2, VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_DATA_EXT);
    mappings[1].sourceData.pushDataOffset = 254;
    expectRefused(mappings, "push data");
    mappings[1].sourceData.pushDataOffset = 256;
    expectRefused(mappings, "push data");
    mappings[1].sourceData.pushDataOffset = 0;
    mappings[0].source = VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_DATA_EXT;
    mappings[0].sourceData.pushDataOffset = 0;
    expectRefused(mappings, "set 0, binding 0 is mapped to data, and no uniform buffer");
}

TEST_F(BadMappings, Offsets) {
    auto mappings = both(VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT, 3, 5);
    mappings[0].sourceData.pushIndex = {0, kIndexAt, 4, stride()};
    EXPECT_EQ(runWith(mappings, 0, 1, 0), VK_ERROR_DEVICE_LOST);
    expectMessage("byte 4 of the resource heap: the offset of the descriptor is misaligned");
}

TEST_F(BadMappings, PushDataThatWasNotSet) {
    auto mappings = both(VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT, 3, 5);
    mappings[0].sourceData.pushIndex = {0, 32, stride(), stride()};
    EXPECT_EQ(runWith(mappings, 0, 1, 0), VK_ERROR_DEVICE_LOST);
    expectMessage("set 0, binding 0: push data that it needs was not set");
}

TEST_F(BadMappings, AddressesOfNothing) {
    auto mappings = uniform(VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_ADDRESS_EXT);
    mappings[1].sourceData.pushAddressOffset = kAddressAt;
    EXPECT_EQ(runWith(mappings, 1, 0, 64), VK_ERROR_DEVICE_LOST);
    expectMessage("set 0, binding 2: it is mapped to an address where there is no buffer");
}

}  // namespace
}  // namespace coopvk::reference::test::heap_mappings_test
