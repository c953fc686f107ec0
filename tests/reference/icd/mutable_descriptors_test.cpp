// SPDX-License-Identifier: Apache-2.0
//
// Descriptors whose type is chosen when they are written (VK_EXT_mutable_descriptor_type).
#include "plus_one.spv.h"
#include "programs.hpp"

namespace coopvk::reference::test::mutable_descriptors_test {
namespace {

using Values = std::vector<uint32_t>;
constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr VkDescriptorType kUniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
constexpr VkDescriptorType kMutable = VK_DESCRIPTOR_TYPE_MUTABLE_EXT;

class MutableDescriptors : public Vulkan {
 protected:
    void SetUp() override {
        deviceExtensions = {VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME,
                            VK_EXT_ROBUSTNESS_2_EXTENSION_NAME};
        moreFeatures = &feature_;
        Vulkan::SetUp();
    }

 private:
    VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT feature_{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT};
};

// Bindings 0 and 2 are of either type, and each is written as what the shader wants of it, also
// after it was of the other type.
TEST_F(MutableDescriptors, AreWhatWasWrittenLast) {
    const VkDescriptorType both[] = {kStorage, kUniform};
    const VkMutableDescriptorTypeListEXT list{2, both};
    const VkMutableDescriptorTypeListEXT lists[] = {list, {}, list};
    const VkMutableDescriptorTypeCreateInfoEXT types{
        VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT, nullptr, 3, lists};
    Layout layout(device, {binding(0, kMutable), binding(1, kStorage), binding(2, kMutable)}, 0,
                  &types);
    const uint32_t fromUniform = 1;
    const VkSpecializationMapEntry entry{1, 0, 4};
    const VkSpecializationInfo specialization{1, &entry, 4, &fromUniform};
    const VkPipeline pipelines[] = {layout.pipeline(kPlusOneWords),
                                    layout.pipeline(kPlusOneWords, &specialization)};
    const VkDescriptorSet set = layout.allocate();
    Words storage(device, {10, 20}), uniform(device, {30, 40}), target(device, {7, 7});
    const VkDescriptorBufferInfo infos[] = {storage.info(), target.info(), uniform.info()};
    const VkWriteDescriptorSet writes[] = {
        write(set, 0, kUniform, {&infos[2], 1}), write(set, 2, kStorage, {&infos[0], 1}),
        write(set, 0, kStorage, {&infos[0], 1}), write(set, 2, kUniform, {&infos[2], 1}),
        write(set, 1, kStorage, {&infos[1], 1})};
    vkUpdateDescriptorSets(device, 5, writes, 0, nullptr);
    const Values expected[] = {{11, 21}, {31, 41}};
    for (size_t i = 0; i < 2; ++i) {
        EXPECT_VK(run([&](VkCommandBuffer commands) {
            vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[i]);
            vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipelines, 0,
                                    1, &set, 0, nullptr);
            vkCmdDispatch(commands, 1, 1, 1);
        }));
        EXPECT_EQ(target.values(), expected[i]);
    }
}

// "must be in the list": another type is refused, and what was there stays.
TEST_F(MutableDescriptors, HaveNoOtherTypeThanTheList) {
    if (std::getenv("VK_INSTANCE_LAYERS") != nullptr) GTEST_SKIP() << "the layer reports it";
    const VkDescriptorType only[] = {kUniform};
    const VkMutableDescriptorTypeListEXT list{1, only};
    const VkMutableDescriptorTypeCreateInfoEXT types{
        VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT, nullptr, 1, &list};
    Layout layout(device, {binding(0, kMutable)}, 0, &types);
    Words buffer(device, {1});
    const VkDescriptorBufferInfo info = buffer.info();
    const VkWriteDescriptorSet bad = write(layout.allocate(), 0, kStorage, {&info, 1});
    vkUpdateDescriptorSets(device, 1, &bad, 0, nullptr);
    const auto messages = takeMessages();
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_NE(messages[0].find("descriptors of another type"), std::string::npos) << messages[0];
}

}  // namespace
}  // namespace coopvk::reference::test::mutable_descriptors_test
