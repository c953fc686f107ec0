// SPDX-License-Identifier: Apache-2.0
//
// A picture, and heaps for its descriptors and for samplers.
#pragma once

#include <cstring>

#include "heaps.hpp"
#include "images.hpp"

namespace coopvk::reference::test {

inline constexpr auto kConstant = VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT;
inline constexpr VkClearColorValue kColor = {{0.2f, 0.4f, 0.6f, 0.8f}};

inline VkSamplerCreateInfo borderOf(VkBorderColor color) {
    VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    info.addressModeU = info.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
    info.borderColor = color;
    info.maxLod = VK_LOD_CLAMP_NONE;
    return info;
}

inline VkImageViewCreateInfo viewOf(const Picture& picture, VkFormat format) {
    VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    info.image = picture.image;
    info.viewType = VK_IMAGE_VIEW_TYPE_2D;
    info.format = format;
    info.subresourceRange = picture.range;
    return info;
}

// Samplers: 1 has a black border, 2 a white one.
class HeapImages : public Accepting {
 protected:
    void SetUp() override {
        more = kHeapExtensions;
        more.push_back(VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME);
        colors_.pNext = &features_.heaps;
        moreFeatures = &colors_;
        Accepting::SetUp();
        resources_ = std::make_unique<Heap>(device, physical);
        samplers_ = std::make_unique<Heap>(device, physical, true);
        programs_ = std::make_unique<HeapPrograms>(device);
        picture_ = std::make_unique<Picture>(device, kFormat, VkExtent2D{4, 4});
        results_ = std::make_unique<Words>(device, std::vector<uint32_t>(320, 0));
        samplers().sampler(1, borderOf(VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK));
        samplers().sampler(2, borderOf(VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE));
    }
    void TearDown() override {
        vkDeviceWaitIdle(device);
        results_.reset();
        picture_.reset();
        programs_.reset();
        samplers_.reset();
        resources_.reset();
        Accepting::TearDown();
    }
    static constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
    Heap& resources() { return *resources_; }
    Heap& samplers() { return *samplers_; }
    HeapPrograms& programs() { return *programs_; }
    Picture& picture() { return *picture_; }
    Words& results() { return *results_; }

    void show(uint32_t number, const Picture& of, VkFormat format = kFormat,
              VkDescriptorType type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE) {
        resources().image(number, type, viewOf(of, format));
    }
    // The picture has its color when the shader executes.
    void dispatch(VkPipeline pipeline, const std::array<uint32_t, 4>& push = {},
                  const Picture* other = nullptr) {
        EXPECT_VK(run([&](VkCommandBuffer to) {
            picture().prepare(to);
            picture().clear(to, kColor);
            if (other != nullptr) other->prepare(to), other->clear(to);
            fullBarrier(to);
            resources().bind(to);
            samplers().bind(to);
            pushData(to, 0, push);
            vkCmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
            vkCmdDispatch(to, 1, 1, 1);
        }));
    }
    // The vector with this number.
    void expectResult(size_t number, std::array<float, 4> expected) {
        std::array<float, 4> found{};
        std::memcpy(found.data(), &results()[4 * number], sizeof(found));
        for (size_t c = 0; c < 4; ++c) EXPECT_NEAR(found[c], expected[c], 1e-6) << number;
    }
    void expectColor(size_t number) {
        const auto& c = kColor.float32;
        expectResult(number, {c[0], c[1], c[2], c[3]});
    }
    uint32_t stride() { return static_cast<uint32_t>(resources().stride); }
    uint32_t samplerStride() { return static_cast<uint32_t>(samplers().stride); }

 private:
    HeapFeatures features_;
    VkPhysicalDeviceCustomBorderColorFeaturesEXT colors_{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT, nullptr, VK_TRUE,
        VK_FALSE};
    std::unique_ptr<Heap> resources_, samplers_;
    std::unique_ptr<HeapPrograms> programs_;
    std::unique_ptr<Picture> picture_;
    std::unique_ptr<Words> results_;
};

}  // namespace coopvk::reference::test
