// SPDX-License-Identifier: Apache-2.0
//
// Images, samplers and texel buffers in heaps of descriptors: by number, and by mappings.
#include "heap_images.hpp"
// These have no includes of their own.
#include "embedded_sampler.spv.h"
#include "heap_images.spv.h"
#include "levels.spv.h"
#include "texels.spv.h"

namespace coopvk::reference::test::heap_images_test {
namespace {

using Values = std::vector<uint32_t>;

// shaders/heap_images.comp.
TEST_F(HeapImages, ByNumbers) {
    Picture counters(device, VK_FORMAT_R32_UINT, {1, 2});
    Words halves(device, {0, 0x3C00C000}), integers(device, Values(4, 1)), count(device, {9, 9});
    resources().buffer(0, kStorageBuffer, results().address(), 80);
    show(1, picture());
    show(2, picture(), kFormat, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE);
    show(3, counters, VK_FORMAT_R32_UINT, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE);
    resources().texels(4, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, halves.address(), 8,
                       VK_FORMAT_R16G16_SFLOAT);
    resources().texels(5, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, integers.address(), 16,
                       VK_FORMAT_R32_SINT);
    resources().null(6, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE);
    const VkPipeline pipeline = programs().make(kHeapImagesWords);
    for (const uint32_t sampler : {1u, 2u}) {
        dispatch(pipeline, {sampler}, &counters);
        const float border = sampler == 1 ? 0.0f : 1.0f;
        expectResult(0, {border, border, border, 1});
        expectColor(1);
        expectColor(2);
        expectResult(3, {-2, 1, 0, 1});
        expectResult(4, {0, 0, 4, 0});
        EXPECT_EQ(integers.values(), (Values{0, ~0u, ~1u, ~2u}));
        EXPECT_VK(run([&](VkCommandBuffer to) { counters.copyTo(to, count.buffer); }));
        EXPECT_EQ(count.values(), (Values{0, 4}));
    }
}

// Levels and components of the view are in the descriptor.
TEST_F(HeapImages, ViewsInDescriptors) {
    Picture levels(device, kFormat, {4, 4}, VK_IMAGE_ASPECT_COLOR_BIT, 2);
    VkImageViewCreateInfo view = viewOf(levels, kFormat);
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 1, VK_REMAINING_MIP_LEVELS, 0,
                             VK_REMAINING_ARRAY_LAYERS};
    view.components = {VK_COMPONENT_SWIZZLE_A, VK_COMPONENT_SWIZZLE_ZERO, VK_COMPONENT_SWIZZLE_ONE,
                       VK_COMPONENT_SWIZZLE_R};
    resources().buffer(0, kStorageBuffer, results().address(), 16);
    resources().image(1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, view);
    std::array all = {mappingOf(0, 0, kConstant, 2), mappingOf(1, 0, kConstant)};
    all[0].sourceData.constantOffset = {0, stride()};
    all[1].sourceData.constantOffset = {samplerStride()};
    VkSamplerCreateInfo nearest = borderOf(VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK);
    nearest.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    samplers().sampler(1, nearest);
    const VkPipeline pipeline = programs().make(kEmbeddedSamplerWords, all);
    EXPECT_VK(run([&](VkCommandBuffer to) {
        levels.prepare(to);
        const VkImageSubresourceRange second{VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 0, 1};
        vkCmdClearColorImage(to, levels.image, VK_IMAGE_LAYOUT_GENERAL, &kColor, 1, &second);
        fullBarrier(to);
        resources().bind(to);
        samplers().bind(to);
        vkCmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vkCmdDispatch(to, 1, 1, 1);
    }));
    expectResult(0, {0.8f, 0, 1, 0.2f});
}

// shaders/embedded_sampler.comp, with a sampler in the mapping; what the heap has at its offset is
// black.
TEST_F(HeapImages, EmbeddedSamplers) {
    const VkSamplerCreateInfo white = borderOf(VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE);
    resources().buffer(0, kStorageBuffer, results().address(), 16);
    show(1, picture());
    std::array mappings = {mappingOf(0, 0, kConstant, 2), mappingOf(1, 0, kConstant)};
    mappings[0].sourceData.constantOffset = {0, stride()};
    mappings[1].sourceData.constantOffset = {samplerStride(), 0, &white};
    dispatch(programs().make(kEmbeddedSamplerWords, mappings));
    expectResult(0, {1, 1, 1, 1});
}

// shaders/levels.comp: an array of combined image samplers, whose numbers are both in one word:
// "pushIndex = ... & 0xFFFFF", "samplerPushIndex = ... >> 20".
TEST_F(HeapImages, CombinedIndices) {
    resources().buffer(0, kStorageBuffer, results().address(), 128);
    for (uint32_t i = 3; i < 6; ++i) show(i, picture());
    std::array mappings = {mappingOf(0, 0, kConstant),
                           mappingOf(0, 1, VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT)};
    mappings[0].sourceData.constantOffset = {};
    auto& index = mappings[1].sourceData.pushIndex = {};
    index.heapIndexStride = index.heapArrayStride = stride();
    index.useCombinedImageSamplerIndex = VK_TRUE;
    index.samplerHeapIndexStride = samplerStride();
    dispatch(programs().make(kLevelsWords, mappings), {2u << 20 | 3});
    expectResult(4, {1, 1, 1, 1});  // the border of sampler 2
    expectColor(5);
}

// The same with a place of their own in push data for samplers.
TEST_F(HeapImages, IndicesOfSamplers) {
    resources().buffer(0, kStorageBuffer, results().address(), 128);
    for (uint32_t i = 3; i < 6; ++i) show(i, picture());
    std::array mappings = {mappingOf(0, 0, kConstant),
                           mappingOf(0, 1, VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT)};
    mappings[0].sourceData.constantOffset = {};
    auto& index = mappings[1].sourceData.pushIndex = {};
    index.pushOffset = 4;
    index.heapIndexStride = index.heapArrayStride = stride();
    index.samplerHeapOffset = samplerStride();
    index.samplerPushOffset = 8;
    index.samplerHeapIndexStride = samplerStride();
    dispatch(programs().make(kLevelsWords, mappings), {9, 3, 1, 9});
    expectResult(4, {1, 1, 1, 1});
    expectColor(5);
}

// shaders/texels.comp: kinds of images that mappings tell apart.
TEST_F(HeapImages, MappedTexels) {
    constexpr auto kStored = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    Picture counters(device, VK_FORMAT_R32_UINT, {1, 2});
    Words halves(device, Values(16, 0x3C00C000)), integers(device, Values(16, 1));
    resources().buffer(0, kStorageBuffer, results().address(), 1280);
    show(1, picture());
    show(2, picture(), kFormat, kStored);
    show(3, counters, VK_FORMAT_R32_UINT, kStored);
    resources().texels(4, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, halves.address(), 64,
                       VK_FORMAT_R16G16_SFLOAT);
    resources().texels(5, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, integers.address(), 64,
                       VK_FORMAT_R32_SINT);
    Mapping mapping = mappingOf(0, 0, kConstant, 6);
    mapping.sourceData.constantOffset = {0, stride(), nullptr, samplerStride(), 0};
    dispatch(programs().make(kTexelsWords, {&mapping, 1}), {}, &counters);
    for (uint32_t i = 0; i < 16; ++i) {
        expectColor(5 * i + 1);
        expectColor(5 * i + 2);
        expectResult(5 * i + 3, {-2, 1, 16, 1});
        EXPECT_EQ(integers[i], 0u - i);
    }
}

// A command writes sampler 3: reads of heaps of samplers have an access of their own.
TEST_F(HeapImages, DependenciesOfSamplers) {
    resources().buffer(0, kStorageBuffer, results().address(), 16);
    show(1, picture());
    std::array mappings = {mappingOf(0, 0, kConstant, 2), mappingOf(1, 0, kConstant)};
    mappings[0].sourceData.constantOffset = {0, stride()};
    mappings[1].sourceData.constantOffset = {3 * samplerStride()};
    const VkPipeline pipeline = programs().make(kEmbeddedSamplerWords, mappings);
    samplers().sampler(3, borderOf(VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK));
    const VkBuffer heap = samplers().words().buffer;
    const VkBufferCopy region{samplers().at(2), samplers().at(3), samplers().stride};
    for (const VkAccessFlags2 access :
         {VK_ACCESS_2_RESOURCE_HEAP_READ_BIT_EXT, VK_ACCESS_2_SAMPLER_HEAP_READ_BIT_EXT}) {
        const VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                       nullptr,
                                       kCopyWrite.stages,
                                       kCopyWrite.access,
                                       kCompute,
                                       access};
        VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
        dependency.memoryBarrierCount = 1;
        dependency.pMemoryBarriers = &barrier;
        EXPECT_VK(run([&](VkCommandBuffer to) {
            picture().prepare(to);
            picture().clear(to, kColor);
            fullBarrier(to);
            vkCmdCopyBuffer(to, heap, heap, 1, &region);
            vkCmdPipelineBarrier2(to, &dependency);
            resources().bind(to);
            samplers().bind(to);
            vkCmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
            vkCmdDispatch(to, 1, 1, 1);
        }));
        const std::vector<std::string> messages = takeMessages();
        ASSERT_EQ(messages.empty(), access == VK_ACCESS_2_SAMPLER_HEAP_READ_BIT_EXT);
        if (!messages.empty()) {
            EXPECT_NE(messages[0].find("VK_ACCESS_2_SAMPLER_HEAP_READ_BIT_EXT"), std::string::npos)
                << messages[0];
        }
    }
    expectResult(0, {1, 1, 1, 1});
}

}  // namespace
}  // namespace coopvk::reference::test::heap_images_test
