// SPDX-License-Identifier: Apache-2.0
//
// Operands of image instructions that have more components than the image.
#include "images.hpp"
#include "wide.spv.h"

namespace coopvk::reference::test::wide_operands_test {
namespace {

using Values = std::vector<uint32_t>;

class WideOperands : public Accepting {
 protected:
    void SetUp() override {
        more = {VK_EXT_SHADER_LONG_VECTOR_EXTENSION_NAME};
        moreFeatures = &features_;
        Accepting::SetUp();
    }

 private:
    VkPhysicalDeviceShaderLongVectorFeaturesEXT features_{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_LONG_VECTOR_FEATURES_EXT, nullptr, VK_TRUE};
};

// OpImageRead: the coordinate has what "needed by the definition of Image"; a flat image without
// layers needs two numbers. OpImageWrite: a texel has no more than four components.
// And outside of the image there are zeros, with 1 for the alpha that the format does not have
// ("Robust Image Access 2").
TEST_F(WideOperands, AreNotUsed) {
    Picture picture(device, VK_FORMAT_R32_UINT, {3, 1});
    Words source(device, Values{41, 0, 0}), target(device, Values{7, 7, 7});
    Layout layout(device, {binding(0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE)});
    const VkDescriptorSet set = layout.allocate();
    const VkDescriptorImageInfo info = picture.info();
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    write.pImageInfo = &info;
    vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        picture.prepare(commands);
        picture.copyFrom(commands, source.buffer);
        fullBarrier(commands);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipeline(kWideWords));
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipelines, 0, 1,
                                &set, 0, nullptr);
        vkCmdDispatch(commands, 1, 1, 1);
        fullBarrier(commands);
        picture.copyTo(commands, target.buffer);
    }));
    EXPECT_EQ(target.values(), (Values{41, 42, 10}));
    const std::vector<std::string> messages = takeMessages();
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_NE(messages[0].find("accesses texel 3, 0, 0"), std::string::npos);
}

}  // namespace
}  // namespace coopvk::reference::test::wide_operands_test
