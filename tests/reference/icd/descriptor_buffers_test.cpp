// SPDX-License-Identifier: Apache-2.0
//
// VK_EXT_descriptor_buffer: descriptors that the program, or a command, writes to memory.
#include <cstdlib>

#include "dependencies.hpp"
#include "images.hpp"
// These have no includes of their own.
#include "embedded_sampler.spv.h"
#include "levels.spv.h"
#include "plus_one.spv.h"
#include "texels.spv.h"

namespace coopvk::reference::test::descriptor_buffers_test {
namespace {

using Values = std::vector<uint32_t>;
constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr auto kUniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
constexpr auto kImage = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
constexpr auto kInMemory = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
                                      VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT;

// Memory for the descriptors of a few sets of a layout.
class Heap {
 public:
    Heap(VkDevice device, VkPhysicalDevice physical, VkDescriptorSetLayout layout)
        : device_(device), layout_(layout), words_(device, Values(512, 0), 1, kUsage) {
        VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &sizes};
        vkGetPhysicalDeviceProperties2(physical, &all);
    }
    // Where a binding has an element of this size in the set that begins at `set`.
    void* at(VkDeviceSize set, uint32_t binding, uint32_t element, size_t size) {
        VkDeviceSize offset = 0;
        vkGetDescriptorSetLayoutBindingOffsetEXT(device_, layout_, binding, &offset);
        return reinterpret_cast<std::byte*>(&words_[0]) + set + offset + element * size;
    }
    void buffer(VkDeviceSize set, uint32_t binding, VkDescriptorType type, VkDeviceAddress address,
                VkDeviceSize bytes = 8, VkFormat format = VK_FORMAT_UNDEFINED) {
        const VkDescriptorAddressInfoEXT at{VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT, nullptr,
                                            address, bytes, format};
        VkDescriptorGetInfoEXT info{VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, nullptr, type};
        info.data.pStorageBuffer = address == 0 ? nullptr : &at;
        const size_t size = type == kUniform ? sizes.uniformBufferDescriptorSize
                                             : sizes.storageBufferDescriptorSize;
        vkGetDescriptorEXT(device_, &info, size, this->at(set, binding, 0, size));
    }
    void image(uint32_t binding, uint32_t element, const VkDescriptorImageInfo& image,
               VkDescriptorType type = kImage) {
        VkDescriptorGetInfoEXT info{VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, nullptr, type};
        info.data.pCombinedImageSampler = &image;
        const size_t size = type == kImage ? sizes.combinedImageSamplerDescriptorSize
                                           : sizes.sampledImageDescriptorSize;
        vkGetDescriptorEXT(device_, &info, size, at(0, binding, element, size));
    }
    void bind(VkCommandBuffer commands, VkPipelineLayout layout, VkDeviceSize set,
              uint32_t buffer = 0) {
        const VkDescriptorBufferBindingInfoEXT info{
            VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT, nullptr, words_.address(),
            kUsage};
        vkCmdBindDescriptorBuffersEXT(commands, 1, &info);
        vkCmdSetDescriptorBufferOffsetsEXT(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1,
                                           &buffer, &set);
    }
    Words& words() { return words_; }

    VkPhysicalDeviceDescriptorBufferPropertiesEXT sizes{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT};

 private:
    VkDevice device_;
    VkDescriptorSetLayout layout_;
    Words words_;
};

VkPhysicalDeviceDescriptorBufferFeaturesEXT enabled() {
    VkPhysicalDeviceDescriptorBufferFeaturesEXT features{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT};
    features.descriptorBuffer = VK_TRUE;
    return features;
}

class DescriptorBuffers : public Dependent {
 protected:
    void SetUp() override {
        deviceExtensions = {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
                            VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME};
        moreFeatures = &features_;
        Dependent::SetUp();
        layout_ = std::make_unique<Layout>(
            device, std::vector{binding(0, kStorage), binding(1, kStorage), binding(2, kUniform)},
            kInMemory);
        heap_ = std::make_unique<Heap>(device, physical, layout_->set);
    }
    void TearDown() override {
        vkDeviceWaitIdle(device);
        heap_.reset();
        layout_.reset();
        Dependent::TearDown();
    }
    // The set at `set`: reads and writes these words.
    void write(VkDeviceSize set, size_t from, size_t to) {
        heap_->buffer(set, 0, kStorage, words(from).address());
        heap_->buffer(set, 1, kStorage, words(to).address());
        heap_->buffer(set, 2, kUniform, words(from).address());
    }
    void plusOne(VkCommandBuffer commands, VkDeviceSize set, uint32_t from = 0,
                 uint32_t buffer = 0) {
        heap_->bind(commands, layout_->pipelines, set, buffer);
        const VkSpecializationMapEntry entry{1, 0, sizeof(from)};
        const VkSpecializationInfo info{1, &entry, sizeof(from), &from};
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                          layout_->pipeline(kPlusOneWords, &info));
        vkCmdDispatch(commands, 1, 1, 1);
    }
    Heap& heap() { return *heap_; }
    Layout& layout() { return *layout_; }

 private:
    VkPhysicalDeviceDescriptorBufferFeaturesEXT features_ = enabled();
    std::unique_ptr<Layout> layout_;
    std::unique_ptr<Heap> heap_;
};

TEST_F(DescriptorBuffers, LayoutsHaveRoomForThem) {
    VkDeviceSize size = 0, before = 0;
    vkGetDescriptorSetLayoutSizeEXT(device, layout().set, &size);
    const VkDeviceSize sizes[] = {heap().sizes.storageBufferDescriptorSize,
                                  heap().sizes.storageBufferDescriptorSize,
                                  heap().sizes.uniformBufferDescriptorSize};
    for (uint32_t i = 0; i < 3; ++i) {
        VkDeviceSize offset = 0;
        vkGetDescriptorSetLayoutBindingOffsetEXT(device, layout().set, i, &offset);
        EXPECT_GE(offset, before) << i;
        before = offset + sizes[i];
    }
    EXPECT_GE(size, before);
    EXPECT_GT(sizes[0], 0u);
}

TEST_F(DescriptorBuffers, DispatchesReadThem) {
    words(0)[0] = 10, words(0)[1] = 20;
    write(0, 0, 1);
    write(256, 1, 2);
    EXPECT_VK(run([&](VkCommandBuffer to) {
        plusOne(to, 0);
        barrier(to, kEverything, kEverything);
        plusOne(to, 256, 1);  // from the uniform buffer
    }));
    EXPECT_EQ(words(1).values(), (Values{11, 21}));
    EXPECT_EQ(words(2).values(), (Values{12, 22}));
}

// They are read when the dispatch executes.
TEST_F(DescriptorBuffers, CommandsWriteThem) {
    constexpr Side kDescriptorRead = {kCompute, VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT};
    check("VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT", [&](VkCommandBuffer to, bool isRight) {
        write(0, 2, 1);
        write(256, 0, 1);
        const VkBufferCopy region{256, 0, 256};
        const VkBuffer heapBuffer = heap().words().buffer;
        vkCmdCopyBuffer(to, heapBuffer, heapBuffer, 1, &region);
        barrier(to, kCopyWrite, isRight ? kDescriptorRead : kShaderRead);
        plusOne(to, 0);
    });
    EXPECT_EQ(words(1).values(), (Values{2, 3}));
}

TEST_F(DescriptorBuffers, NullDescriptors) {
    write(0, 0, 1);
    heap().buffer(0, 0, kStorage, 0);
    EXPECT_VK(run([&](VkCommandBuffer to) { plusOne(to, 0); }));
    EXPECT_EQ(words(1).values(), (Values{1, 1}));
}

// Their bytes are the block's.
TEST_F(DescriptorBuffers, InlineUniformBlocks) {
    Layout inlined(device,
                   {binding(0, kStorage), binding(1, kStorage),
                    binding(2, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 8)},
                   kInMemory);
    Heap bytes(device, physical, inlined.set);
    bytes.buffer(0, 0, kStorage, words(0).address());
    bytes.buffer(0, 1, kStorage, words(1).address());
    const uint32_t block[] = {70, 80}, fromBlock = 1;
    std::memcpy(bytes.at(0, 2, 0, sizeof(block)), block, sizeof(block));
    const VkSpecializationMapEntry entry{1, 0, sizeof(fromBlock)};
    const VkSpecializationInfo info{1, &entry, sizeof(fromBlock), &fromBlock};
    EXPECT_VK(run([&](VkCommandBuffer to) {
        bytes.bind(to, inlined.pipelines, 0);
        vkCmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE,
                          inlined.pipeline(kPlusOneWords, &info));
        vkCmdDispatch(to, 1, 1, 1);
    }));
    EXPECT_EQ(words(1).values(), (Values{71, 81}));
}

class LostDescriptors : public DescriptorBuffers {
 protected:
    void SetUp() override {
        if (std::getenv("VK_INSTANCE_LAYERS") != nullptr)
            GTEST_SKIP() << "the validation layer reports it";
        DescriptorBuffers::SetUp();
        write(0, 0, 1);
    }
    void TearDown() override {
        if (device != VK_NULL_HANDLE) DescriptorBuffers::TearDown();
    }
    void expectLost(const std::string& part, uint32_t buffer = 0) {
        EXPECT_EQ(run([&](VkCommandBuffer to) { plusOne(to, 0, 0, buffer); }),
                  VK_ERROR_DEVICE_LOST);
        bool isThere = false;
        for (const std::string& message : takeMessages())
            isThere = isThere || (message.find(part) != std::string::npos &&
                                  message.find("coopvk-reference-usage") == 0);
        EXPECT_TRUE(isThere) << part;
    }
};

TEST_F(LostDescriptors, BytesOfSomethingElse) {
    heap().words()[0] = 7;
    expectLost("set 0, binding 0: a descriptor buffer has no descriptor there");
}

TEST_F(LostDescriptors, OtherTypes) {
    heap().buffer(0, 0, kUniform, words(0).address());
    expectLost("set 0, binding 0: a descriptor buffer has a descriptor of another type");
}

TEST_F(LostDescriptors, AddressesOfNothing) {
    heap().buffer(0, 0, kStorage, words(0).address());
    replace(0, std::make_unique<Words>(device, Values{1, 2}));
    expectLost("a descriptor has an address where there is no buffer");
}

TEST_F(LostDescriptors, BuffersThatAreNotBound) { expectLost("there is no such buffer bound", 1); }

class NoNullDescriptors : public LostDescriptors {
 protected:
    NoNullDescriptors() { hasNullDescriptors = false; }
};

TEST_F(NoNullDescriptors, NeedTheFeature) {
    heap().buffer(0, 0, kStorage, 0);
    expectLost("a descriptor is null, without the feature nullDescriptor");
}

TEST_F(LostDescriptors, WrongOffsets) {
    const VkCommandBuffer commands = allocate();
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    EXPECT_VK(vkBeginCommandBuffer(commands, &begin));
    heap().bind(commands, layout().pipelines, 32);
    EXPECT_EQ(vkEndCommandBuffer(commands), VK_ERROR_VALIDATION_FAILED_EXT);
    uint32_t bytes[8] = {};
    VkDescriptorGetInfoEXT info{VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, nullptr, kStorage};
    vkGetDescriptorEXT(device, &info, 16, bytes);
    EXPECT_EQ(bytes[0], 0u);
    const auto messages = takeMessages();
    ASSERT_EQ(messages.size(), 2u);
    EXPECT_NE(messages[0].find("descriptorBufferOffsetAlignment"), std::string::npos);
    EXPECT_NE(messages[1].find("the size is not that of the descriptor"), std::string::npos);
}

class DescriptorsOfImages : public Accepting {
 protected:
    void SetUp() override {
        moreFeatures = &features_;
        more = {VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME};
        Accepting::SetUp();
    }
    VkSampler borderSampler() {
        VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
        info.addressModeU = info.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
        info.borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
        info.maxLod = VK_LOD_CLAMP_NONE;
        VkSampler sampler = VK_NULL_HANDLE;
        EXPECT_VK(vkCreateSampler(device, &info, nullptr, &sampler));
        return sampler;
    }
    // A set with one sampler, which is in its layout.
    VkDescriptorSetLayout embeddedSet(const VkSampler& sampler) {
        VkDescriptorSetLayoutBinding only = binding(0, VK_DESCRIPTOR_TYPE_SAMPLER);
        only.pImmutableSamplers = &sampler;
        VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        info.flags =
            kInMemory | VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT;
        info.bindingCount = 1;
        info.pBindings = &only;
        VkDescriptorSetLayout set = VK_NULL_HANDLE;
        EXPECT_VK(vkCreateDescriptorSetLayout(device, &info, nullptr, &set));
        return set;
    }
    // With this set, too.
    void add(Layout& layout, VkDescriptorSetLayout second) {
        const VkDescriptorSetLayout sets[] = {layout.set, second};
        VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
        info.setLayoutCount = 2;
        info.pSetLayouts = sets;
        vkDestroyPipelineLayout(device, layout.pipelines, nullptr);
        EXPECT_VK(vkCreatePipelineLayout(device, &info, nullptr, &layout.pipelines));
    }

 private:
    VkPhysicalDeviceDescriptorBufferFeaturesEXT features_ = enabled();
};

// shaders/embedded_sampler.comp: the border is the sampler's.
TEST_F(DescriptorsOfImages, EmbeddedSamplers) {
    Picture picture(device, VK_FORMAT_R8G8B8A8_UNORM, {4, 4});
    Words results(device, Values(4, 0));
    const VkSampler sampler = borderSampler();
    const VkDescriptorSetLayout embedded = embeddedSet(sampler);
    Layout layout(device, {binding(0, kStorage), binding(1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE)},
                  kInMemory);
    add(layout, embedded);
    Heap heap(device, physical, layout.set);
    heap.buffer(0, 0, kStorage, results.address(), 16);
    heap.image(1, 0, picture.info(), VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE);
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        picture.prepare(commands);
        picture.clear(commands);
        fullBarrier(commands);
        heap.bind(commands, layout.pipelines, 0);
        vkCmdBindDescriptorBufferEmbeddedSamplersEXT(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                                     layout.pipelines, 1);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                          layout.pipeline(kEmbeddedSamplerWords));
        vkCmdDispatch(commands, 1, 1, 1);
    }));
    const float one = 1;
    EXPECT_EQ(std::memcmp(&results[0], &one, sizeof(one)), 0);
    vkDestroyDescriptorSetLayout(device, embedded, nullptr);
    vkDestroySampler(device, sampler, nullptr);
}

// shaders/levels.comp: the fifth result is a border, the sixth a texel of the second level.
TEST_F(DescriptorsOfImages, WithTheirSamplers) {
    Picture picture(device, VK_FORMAT_R8G8B8A8_UNORM, {4, 4}, VK_IMAGE_ASPECT_COLOR_BIT, 2);
    Words results(device, Values(32, 0));
    const VkSampler sampler = borderSampler();
    Layout layout(device, {binding(0, kStorage), binding(1, kImage, 3)}, kInMemory);
    Heap heap(device, physical, layout.set);
    heap.buffer(0, 0, kStorage, results.address(), 128);
    for (uint32_t i = 0; i < 3; ++i) heap.image(1, i, picture.info(sampler));
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        picture.prepare(commands);
        const VkClearColorValue half{{0.2f, 0.2f, 0.2f, 0.2f}};
        vkCmdClearColorImage(commands, picture.image, VK_IMAGE_LAYOUT_GENERAL, &half, 1,
                             &picture.range);
        fullBarrier(commands);
        heap.bind(commands, layout.pipelines, 0);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipeline(kLevelsWords));
        vkCmdDispatch(commands, 1, 1, 1);
    }));
    const auto number = [&](size_t i) {
        float value = 0;
        std::memcpy(&value, &results[i], sizeof(value));
        return value;
    };
    EXPECT_EQ(number(16), 1);  // the border
    EXPECT_NEAR(number(20), 0.2f, 1e-6);
    vkDestroySampler(device, sampler, nullptr);
}

// shaders/texels.comp: images to store, and buffers of texels.
TEST_F(DescriptorsOfImages, TexelsOfAllKinds) {
    constexpr auto kStored = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    constexpr auto kTexels = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    constexpr auto kIntegers = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    Picture colors(device, VK_FORMAT_R8G8B8A8_UNORM, {4, 4});
    Picture counters(device, VK_FORMAT_R32_UINT, {1, 2});
    Words results(device, Values(320, 0)), count(device, Values(2, 9));
    Words halves(device, Values(16, 0x3C00C000)), integers(device, Values(16, 1));
    const VkSampler sampler = borderSampler();
    Layout layout(device,
                  {binding(0, kStorage), binding(1, kImage), binding(2, kStored),
                   binding(3, kStored), binding(4, kTexels), binding(5, kIntegers)},
                  kInMemory);
    Heap heap(device, physical, layout.set);
    heap.buffer(0, 0, kStorage, results.address(), 1280);
    heap.image(1, 0, colors.info(sampler));
    heap.image(2, 0, colors.info(), kStored);
    heap.image(3, 0, counters.info(), kStored);
    heap.buffer(0, 4, kTexels, halves.address(), 64, VK_FORMAT_R16G16_SFLOAT);
    heap.buffer(0, 5, kIntegers, integers.address(), 64, VK_FORMAT_R32_SINT);
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        colors.prepare(commands);
        counters.prepare(commands);
        colors.clear(commands, {{0.2f, 0.4f, 0.6f, 0.8f}});
        counters.clear(commands);
        fullBarrier(commands);
        heap.bind(commands, layout.pipelines, 0);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipeline(kTexelsWords));
        vkCmdDispatch(commands, 1, 1, 1);
        fullBarrier(commands);
        counters.copyTo(commands, count.buffer);
    }));
    const float color[] = {0.2f, 0.4f, 0.6f, 0.8f}, others[] = {-2, 1, 16, 1};
    for (uint32_t i = 0; i < 16; ++i) {
        float found[12];
        std::memcpy(found, &results[20 * i + 4], sizeof(found));
        for (uint32_t c = 0; c < 4; ++c) {
            EXPECT_NEAR(found[c], color[c], 1e-6);      // fetched
            EXPECT_NEAR(found[4 + c], color[c], 1e-6);  // loaded
            EXPECT_EQ(found[8 + c], others[c]);         // of the buffers
        }
        EXPECT_EQ(integers[i], 0u - i);
    }
    EXPECT_EQ(count.values(), (Values{0, 16}));
    vkDestroySampler(device, sampler, nullptr);
}

}  // namespace
}  // namespace coopvk::reference::test::descriptor_buffers_test
