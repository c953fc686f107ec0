// SPDX-License-Identifier: Apache-2.0
//
// Samplers that convert colors, embedded in mappings to heaps of descriptors.
#include "heaps.hpp"
#include "planes.hpp"

namespace coopvk::reference::test::heap_planes_test {
namespace {

class HeapPlanes : public Planes {
 protected:
    void SetUp() override {
        more = kHeapExtensions;
        moreFeatures = &features_.heaps;
        Planes::SetUp();
    }

    std::vector<float> dispatched(const Colors& colors, VkImage image,
                                  const VkImageViewCreateInfo& viewInfo,
                                  const VkSamplerCreateInfo& samplerInfo) override {
        Heap resources(device, physical), samplers(device, physical, true);
        HeapPrograms programs(device);
        Words planes(device, wordsOf(colors.inPlanes(conversion.format)));
        Words results(device, Values(64, 0x7FC0FFEE));
        resources.buffer(0, kStorageBuffer, results.address(), 256);
        resources.image(1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, viewInfo);
        constexpr auto kConstant = VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT;
        std::array mappings = {mappingOf(0, 0, kConstant), mappingOf(0, 1, kConstant)};
        mappings[1].sourceData.constantOffset = {uint32_t(resources.stride), 0, &samplerInfo};
        EXPECT_VK(run([&](VkCommandBuffer commands) {
            upload(commands, planes.buffer, image);
            resources.bind(commands);
            samplers.bind(commands);
            vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                              programs.make(kPlanesWords, mappings));
            vkCmdDispatch(commands, 1, 1, 1);
        }));
        return numbersOf(results);
    }

 private:
    HeapFeatures features_;
};

// By the formulas of VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601 and of the narrow range, with each
// texel's own chroma. Red and blue change places first.
TEST_F(HeapPlanes, AreConverted) {
    conversion.format = kTwo;
    conversion.ycbcrModel = VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601;
    conversion.ycbcrRange = VK_SAMPLER_YCBCR_RANGE_ITU_NARROW;
    conversion.components.r = VK_COMPONENT_SWIZZLE_B;
    conversion.components.b = VK_COMPONENT_SWIZZLE_R;
    expectTexels(sampled(kColors), [](int x, int y) -> std::array<double, 4> {
        const auto part = size_t(y / 2 * 2 + x / 2);
        const double luma = (kColors.luma[size_t(y * 4 + x)] - 16) / 219.0;
        const double red = (kColors.blue[part] - 128) / 224.0;
        const double blue = (kColors.red[part] - 128) / 224.0;
        return {luma + 1.402 * red, luma - (0.202008 * blue + 0.419198 * red) / 0.587,
                luma + 1.772 * blue, 1};
    });
}

}  // namespace
}  // namespace coopvk::reference::test::heap_planes_test
