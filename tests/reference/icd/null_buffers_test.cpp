// SPDX-License-Identifier: Apache-2.0
//
// VK_EXT_robustness2, nullDescriptor: "loads from such a descriptor return zero values, stores ...
// are discarded". Nothing of that is a report.
#include "programs.hpp"

// These have no includes of their own.
#include "plus_one.spv.h"

namespace coopvk::reference::test::null_buffers_test {
namespace {

using Values = std::vector<uint32_t>;
constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr auto kDynamic = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
constexpr VkDescriptorBufferInfo kNull = {VK_NULL_HANDLE, 0, VK_WHOLE_SIZE};

class NullBuffers : public Vulkan {
 protected:
    void SetUp() override {
        deviceExtensions = {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME};
        Vulkan::SetUp();
    }
    // Of shaders/plus_one.comp, from the buffer of binding 0 to that of binding 1.
    void runPlusOne(VkDescriptorType type, const VkDescriptorBufferInfo& from,
                    const VkDescriptorBufferInfo& to) {
        Layout layout(device, {binding(0, type), binding(1, kStorage),
                               binding(2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER)});
        const VkDescriptorSet set = layout.allocate();
        const VkWriteDescriptorSet writes[] = {
            write(set, 0, type, {&from, 1}), write(set, 1, kStorage, {&to, 1}),
            write(set, 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, {&kNull, 1})};
        vkUpdateDescriptorSets(device, 3, writes, 0, nullptr);
        EXPECT_VK(run([&](VkCommandBuffer commands) {
            vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                              layout.pipeline(kPlusOneWords));
            const uint32_t offset = 0;
            vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipelines, 0,
                                    1, &set, type == kDynamic, &offset);
            vkCmdDispatch(commands, 1, 1, 1);
        }));
    }
};

TEST_F(NullBuffers, AreReadAsZeros) {
    for (const VkDescriptorType type : {kStorage, kDynamic}) {
        Words result(device, Values(2, 9));
        runPlusOne(type, kNull, result.info());
        EXPECT_EQ(result.values(), (Values{1, 1})) << type;
    }
}

TEST_F(NullBuffers, AreNotWritten) {
    Words source(device, Values{5, 6});
    runPlusOne(kStorage, source.info(), kNull);
    EXPECT_EQ(source.values(), (Values{5, 6}));
}

}  // namespace
}  // namespace coopvk::reference::test::null_buffers_test
