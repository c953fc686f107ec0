// SPDX-License-Identifier: Apache-2.0
//
// Shaders, sets and requests that cannot be.
#include "bad_use.hpp"

#include "size.spv.h"
#include "sum.spv.h"

namespace coopvk::reference::test::bad_use_test {
namespace {

constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr auto kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
constexpr auto kMax32 = std::numeric_limits<uint32_t>::max();
using Values = std::vector<uint32_t>;

// The module's words from the first on, each time up to another one.
TEST_F(BadUse, CutModules) {
    Layout layout(device, {binding(0, kStorage)});
    for (size_t size = 1; size < std::size(kSizeWords); ++size)
        EXPECT_EQ(create(layout, std::span(kSizeWords).first(size), "main"),
                  VK_ERROR_INVALID_SHADER_NV)
            << size;
    expectMessages("coopvk-reference-shader");
}

// Some changes give another valid module; none may do more than fail.
TEST_F(BadUse, ModulesWithAWrongWord) {
    Layout layout(device, {binding(0, kStorage)});
    for (const uint32_t change : {1u, 0x10000u, 0x80000000u, kMax32}) {
        for (size_t i = 0; i < std::size(kSumWords); ++i) {
            Values words(std::begin(kSumWords), std::end(kSumWords));
            words[i] ^= change;
            const VkResult result = create(layout, words, "main");
            EXPECT_TRUE(result == VK_SUCCESS || result == VK_ERROR_INVALID_SHADER_NV ||
                        result == VK_ERROR_FEATURE_NOT_PRESENT)
                << result << " word " << i << " ^ " << change;
        }
    }
    expectMessages("coopvk-reference-shader");
}

TEST_F(BadUse, WordsOfAnotherByteOrder) {
    Layout layout(device, {binding(0, kStorage)});
    Values words;
    for (const uint32_t word : kSizeWords)
        words.push_back(word >> 24 | (word >> 8 & 0xFF00) | (word << 8 & 0xFF0000) | word << 24);
    EXPECT_EQ(create(layout, words, "main"), VK_ERROR_INVALID_SHADER_NV);
    expectMessages("coopvk-reference-shader");
}

TEST_F(BadUse, StagesThatContradictTheModule) {
    Layout layout(device, {binding(0, kStorage)});
    EXPECT_EQ(create(layout, kSizeWords, "other"), VK_ERROR_INVALID_SHADER_NV);
    EXPECT_EQ(create(layout, kSizeWords, "main", nullptr, 5), VK_ERROR_INVALID_SHADER_NV);
    expectMessages("coopvk-reference-shader");
    const uint32_t none = 0;
    const VkSpecializationMapEntry size{0, 0, sizeof(none)};  // of the workgroup
    const VkSpecializationInfo noInvocations{1, &size, sizeof(none), &none};
    EXPECT_EQ(create(layout, kSumWords, "main", &noInvocations), VK_ERROR_INVALID_SHADER_NV);
    expectMessages("coopvk-reference-shader");
    const VkSpecializationMapEntry behind{0, 4, sizeof(none)};
    const VkSpecializationInfo tooShort{1, &behind, sizeof(none), &none};
    EXPECT_EQ(create(layout, kSumWords, "main", &tooShort), VK_ERROR_VALIDATION_FAILED_EXT);
    expectMessages("coopvk-reference-usage");
}

TEST_F(BadUse, SetsThatDoNotExist) {
    Layout layout(device, {binding(0, kStorage)},
                  VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT);
    Words words(device, {0, 0});
    const VkDescriptorBufferInfo info = words.info();
    const VkWriteDescriptorSet change = write(VK_NULL_HANDLE, 0, kStorage, {&info, 1});
    const VkDescriptorSet none = VK_NULL_HANDLE;
    for (const uint32_t set : {32u, kMax32}) {
        expectRefused([&](VkCommandBuffer commands) {
            vkCmdBindDescriptorSets(commands, kCompute, layout.pipelines, set, 1, &none, 0,
                                    nullptr);
        });
    }
    for (const uint32_t set : {1u, 32u, kMax32}) {
        expectRefused([&](VkCommandBuffer commands) {
            vkCmdPushDescriptorSet(commands, kCompute, layout.pipelines, set, 1, &change);
        });
    }
}

TEST_F(BadUse, PushConstantsBehindTheEnd) {
    Layout layout(device, {binding(0, kStorage)});
    const Values values(4, 1);
    for (const uint32_t offset : {252u, 256u, kMax32 - 3}) {
        expectRefused([&](VkCommandBuffer commands) {
            vkCmdPushConstants(commands, layout.pipelines, VK_SHADER_STAGE_COMPUTE_BIT, offset, 16,
                               values.data());
        });
    }
}

TEST_F(BadUse, QueriesThatDoNotExist) {
    const VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0,
                                     VK_QUERY_TYPE_TIMESTAMP, 2};
    VkQueryPool queries = VK_NULL_HANDLE;
    ASSERT_VK(vkCreateQueryPool(device, &info, nullptr, &queries));
    Words result(device, {7, 7, 7, 7});
    expectRefused(
        [&](VkCommandBuffer commands) { vkCmdResetQueryPool(commands, queries, 1, kMax32); });
    expectRefused([&](VkCommandBuffer commands) {
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, queries, 1000);
    });
    for (const uint32_t count : {1000u, 2u})  // of queries, and behind the end of the buffer
        expectRefused([&](VkCommandBuffer commands) {
            vkCmdCopyQueryPoolResults(commands, queries, 0, count, result.buffer, 8, 8,
                                      VK_QUERY_RESULT_64_BIT);
        });
    uint64_t values[2] = {7, 7};
    EXPECT_EQ(vkGetQueryPoolResults(device, queries, 1, 5, sizeof(values[0]), values,
                                    sizeof(values[0]), VK_QUERY_RESULT_64_BIT),
              VK_ERROR_VALIDATION_FAILED_EXT);
    expectMessages("coopvk-reference-usage");
    EXPECT_EQ(values[1], 7u);
    vkDestroyQueryPool(device, queries, nullptr);
}

TEST_F(BadUse, RequestsForTooMuch) {
    for (const VkDeviceSize size : {VkDeviceSize{1} << 35, ~VkDeviceSize{0}}) {
        const VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, size,
                                              1};
        VkDeviceMemory memory = VK_NULL_HANDLE;
        EXPECT_EQ(vkAllocateMemory(device, &allocation, nullptr, &memory),
                  VK_ERROR_OUT_OF_DEVICE_MEMORY);
        VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
        info.size = size;
        VkBuffer buffer = VK_NULL_HANDLE;
        EXPECT_EQ(vkCreateBuffer(device, &info, nullptr, &buffer), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    }
    const VkDescriptorSetLayoutBinding bindings[] = {binding(0, kStorage, kMax32),
                                                     binding(1, kStorage, 2)};
    const VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                               nullptr, 0, 2, bindings};
    VkDescriptorSetLayoutSupport support{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT};
    vkGetDescriptorSetLayoutSupport(device, &info, &support);
    EXPECT_FALSE(support.supported);
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateDescriptorSetLayout(device, &info, nullptr, &layout),
              VK_ERROR_OUT_OF_HOST_MEMORY);
    const VkQueryPoolCreateInfo queries{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0,
                                        VK_QUERY_TYPE_TIMESTAMP, kMax32};
    VkQueryPool none = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateQueryPool(device, &queries, nullptr, &none), VK_ERROR_OUT_OF_HOST_MEMORY);
}

}  // namespace
}  // namespace coopvk::reference::test::bad_use_test
