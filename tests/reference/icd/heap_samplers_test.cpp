// SPDX-License-Identifier: Apache-2.0
//
// Border colors of samplers in heaps, and what needs no heap of samplers.
#include <algorithm>
#include <set>

#include "heap_images.hpp"
// These have no includes of their own.
#include "embedded_sampler.spv.h"
#include "fetched_texels.spv.h"

namespace coopvk::reference::test::heap_samplers_test {
namespace {

class HeapSamplers : public HeapImages {};

// shaders/fetched_texels.comp: GLSL's type of a uniform texel buffer is one of a combined image
// sampler before SPIR-V 1.6, but its descriptor type, UNIFORM_TEXEL_BUFFER, has no sampler: no heap
// of these must be bound.
TEST_F(HeapSamplers, FetchedTexelsNeedNoSamplers) {
    Words numbers(device, std::vector<uint32_t>{3, 5, 7, 11});
    resources().buffer(0, kStorageBuffer, results().address(), 16);
    resources().texels(1, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, numbers.address(), 16,
                       VK_FORMAT_R32_UINT);
    Mapping mapping = mappingOf(0, 0, kConstant, 2);
    mapping.sourceData.constantOffset = {0, stride()};
    const VkPipeline pipeline = programs().make(kFetchedTexelsWords, {&mapping, 1});
    EXPECT_VK(run([&](VkCommandBuffer to) {
        resources().bind(to);
        vkCmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vkCmdDispatch(to, 1, 1, 1);
    }));
    for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(results()[i], numbers[i]);
}

// A sampler in a mapping needs no bytes of a heap here (minSamplerHeapReservedRangeWithEmbedded),
// so the heap may have none: "If size is not 0, address must not be 0".
TEST_F(HeapSamplers, HeapsWithoutBytes) {
    const VkSamplerCreateInfo white = borderOf(VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE);
    ASSERT_EQ(samplers().properties.minSamplerHeapReservedRangeWithEmbedded, 0u);
    resources().buffer(0, kStorageBuffer, results().address(), 16);
    show(1, picture());
    std::array mappings = {mappingOf(0, 0, kConstant, 2), mappingOf(1, 0, kConstant)};
    mappings[0].sourceData.constantOffset = {0, stride()};
    mappings[1].sourceData.constantOffset = {0, 0, &white};
    const VkPipeline pipeline = programs().make(kEmbeddedSamplerWords, mappings);
    const VkBindHeapInfoEXT empty{VK_STRUCTURE_TYPE_BIND_HEAP_INFO_EXT};
    EXPECT_VK(run([&](VkCommandBuffer to) {
        picture().prepare(to);
        picture().clear(to, kColor);
        fullBarrier(to);
        resources().bind(to);
        vkCmdBindSamplerHeapEXT(to, &empty);
        vkCmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vkCmdDispatch(to, 1, 1, 1);
    }));
    expectResult(0, {1, 1, 1, 1});
}

// A color of a sampler's own is the one that is registered when the sampler is used.
TEST_F(HeapSamplers, RegisteredBorderColors) {
    VkSamplerCustomBorderColorCreateInfoEXT color{
        VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT, nullptr, {}, kFormat};
    uint32_t indices[] = {~0u, ~0u, 7};
    for (const uint32_t i : {0u, 1u})
        EXPECT_VK(vkRegisterCustomBorderColorEXT(device, &color, VK_FALSE, &indices[i]));
    EXPECT_NE(indices[0], indices[1]);
    color.customBorderColor = {{0.25f, 0.5f, 0.75f, 1.0f}};
    EXPECT_VK(vkRegisterCustomBorderColorEXT(device, &color, VK_TRUE, &indices[2]));
    EXPECT_EQ(indices[2], 7u);
    EXPECT_EQ(vkRegisterCustomBorderColorEXT(device, &color, VK_TRUE, &indices[2]),
              VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS);
    const VkSamplerCustomBorderColorIndexCreateInfoEXT index{
        VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_INDEX_CREATE_INFO_EXT, &color, 7};
    VkSamplerCreateInfo info = borderOf(VK_BORDER_COLOR_FLOAT_CUSTOM_EXT);
    info.pNext = &index;
    samplers().sampler(1, info);
    resources().buffer(0, kStorageBuffer, results().address(), 16);
    show(1, picture());
    std::array mappings = {mappingOf(0, 0, kConstant, 2), mappingOf(1, 0, kConstant)};
    mappings[0].sourceData.constantOffset = {0, stride()};
    mappings[1].sourceData.constantOffset = {samplerStride()};
    dispatch(programs().make(kEmbeddedSamplerWords, mappings));
    expectResult(0, {0.25f, 0.5f, 0.75f, 1.0f});
    for (const uint32_t each : indices) vkUnregisterCustomBorderColorEXT(device, each);
}

// As many as maxCustomBorderColorSamplers, which Vulkan wants to be 32 at least; here as many as
// the test takes. Indices that were given back are free.
TEST_F(HeapSamplers, ManyBorderColors) {
    VkPhysicalDeviceCustomBorderColorPropertiesEXT limits{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
    vkGetPhysicalDeviceProperties2(physical, &properties);
    const uint32_t most = std::min(limits.maxCustomBorderColorSamplers, 4200u);
    const VkSamplerCustomBorderColorCreateInfoEXT color{
        VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT, nullptr, {}, kFormat};
    std::set<uint32_t> indices;
    const auto add = [&] {
        uint32_t index = ~0u;
        if (vkRegisterCustomBorderColorEXT(device, &color, VK_FALSE, &index) != VK_SUCCESS) return;
        EXPECT_LT(index, limits.maxCustomBorderColorSamplers);
        indices.insert(index);
    };
    for (uint32_t i = 0; i < most; ++i) add();
    ASSERT_EQ(indices.size(), most);
    vkUnregisterCustomBorderColorEXT(device, *indices.begin());
    indices.erase(indices.begin());
    add();
    EXPECT_EQ(indices.size(), most);
    for (const uint32_t each : indices) vkUnregisterCustomBorderColorEXT(device, each);
}

}  // namespace
}  // namespace coopvk::reference::test::heap_samplers_test
