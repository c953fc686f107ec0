// SPDX-License-Identifier: Apache-2.0
//
// What a descriptor set has after each of the three ways to change it: writes, copies and update
// templates. By Vulkan's rules of consecutive bindings, what does not fit into a binding goes on in
// the next one.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "inputs/objects.hpp"

namespace coopvk::layer::inputs::descriptors_test {
namespace {

struct TypeRow {
    VkDescriptorType type;
    bool isBuffer, isDynamic;
    const char* text;
};
const TypeRow kTypes[] = {
    {VK_DESCRIPTOR_TYPE_SAMPLER, false, false, "a sampler"},
    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, false, false, "a sampled image"},
    {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, false, false, "a sampled image"},
    {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, false, false, "a storage image"},
    {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, false, false, "a texel buffer"},
    {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, false, false, "a texel buffer"},
    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, true, false, "a uniform buffer"},
    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, true, false, "a storage buffer"},
    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, true, true, "a uniform buffer"},
    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, true, true, "a storage buffer"},
    {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, false, false, "an input attachment"},
    {VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, false, false, "an inline uniform block"},
    {VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, false, false, "an acceleration structure"},
    {VK_DESCRIPTOR_TYPE_MAX_ENUM, false, false, "a descriptor of type 2147483647"},
};

VkDescriptorBufferInfo bufferAt(uint64_t offset) {
    return {reinterpret_cast<VkBuffer>(offset + 1), offset, 16};
}

// Two storage buffers, one, none, and three.
DescriptorSet someSet() {
    constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    DescriptorSet set;
    set.layout = std::make_shared<const SetLayout>(
        SetLayout{{0, {kStorage, 2}}, {1, {kStorage, 1}}, {3, {kStorage, 0}}, {5, {kStorage, 3}}});
    return set;
}

// "0.1:100 1.0:200": binding, element and offset of each.
std::string textOf(const DescriptorSet& set) {
    std::string text;
    for (const auto& [key, descriptor] : set.descriptors) {
        if (!text.empty()) text += ' ';
        text += std::to_string(key.first) + '.' + std::to_string(key.second) + ':' +
                std::to_string(descriptor.buffer.offset);
    }
    return text;
}

std::string bytesOf(const DescriptorSet& set, uint32_t binding) {
    const auto found = set.descriptors.find({binding, 0});
    if (found == set.descriptors.end()) return "none";
    EXPECT_EQ(found->second.type, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK);
    const auto& bytes = found->second.bytes;
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct Places {
    uint32_t binding, element, count;
    const char* expected;
};
const Places kPlaces[] = {
    {0, 0, 1, "0.0:0"},
    {0, 1, 1, "0.1:0"},
    {0, 1, 3, "0.1:0 1.0:100 5.0:200"},
    {0, 0, 6, "0.0:0 0.1:100 1.0:200 5.0:300 5.1:400 5.2:500"},
    {0, 0, 7, "0.0:0 0.1:100 1.0:200 5.0:300 5.1:400 5.2:500"},  // one too many
    {1, 0, 2, "1.0:0 5.0:100"},
    {5, 2, 1, "5.2:0"},
    {0, 3, 1, "5.0:0"},
};

VkWriteDescriptorSet writeOf(const Places& places, VkDescriptorType type,
                             const std::vector<VkDescriptorBufferInfo>& buffers) {
    VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstBinding = places.binding;
    write.dstArrayElement = places.element;
    write.descriptorCount = places.count;
    write.descriptorType = type;
    write.pBufferInfo = buffers.data();
    return write;
}

std::vector<VkDescriptorBufferInfo> eightBuffers() {
    std::vector<VkDescriptorBufferInfo> buffers;
    for (uint64_t i = 0; i < 8; ++i) buffers.push_back(bufferAt(i * 100));
    return buffers;
}

TEST(Descriptors, Types) {
    for (const TypeRow& row : kTypes) {
        EXPECT_EQ(isBuffer(row.type), row.isBuffer) << row.text;
        EXPECT_EQ(isDynamic(row.type), row.isDynamic) << row.text;
        EXPECT_EQ(describe(row.type), row.text);
    }
}

TEST(Descriptors, Writes) {
    const auto buffers = eightBuffers();
    for (const Places& places : kPlaces) {
        DescriptorSet set = someSet();
        set.apply(writeOf(places, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers));
        EXPECT_EQ(textOf(set), places.expected);
        EXPECT_EQ(set.updates, 1u);
    }
    // A set without a layout is pushed: nothing is known of its bindings' sizes.
    DescriptorSet pushed;
    pushed.apply(writeOf({4, 1, 2, ""}, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers));
    EXPECT_EQ(textOf(pushed), "4.1:0 4.2:100");
}

TEST(Descriptors, Templates) {
    struct Data {
        uint64_t before;
        VkDescriptorBufferInfo buffer;
        uint64_t between;
    } data[8] = {};
    for (uint64_t i = 0; i < 8; ++i) data[i].buffer = bufferAt(i * 100);
    for (const Places& places : kPlaces) {
        DescriptorSet set = someSet();
        applyTemplate(set,
                      {{places.binding, places.element, places.count,
                        VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, offsetof(Data, buffer), sizeof(Data)}},
                      data);
        EXPECT_EQ(textOf(set), places.expected);
        EXPECT_EQ(set.updates, 1u);
    }
}

TEST(Descriptors, Copies) {
    const auto buffers = eightBuffers();
    DescriptorSet from = someSet();
    from.apply(writeOf({0, 0, 6, ""}, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers));
    for (const Places& places : kPlaces) {
        if (places.count > 6) continue;
        DescriptorSet to = someSet();
        to.copy(from, {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, VK_NULL_HANDLE, 0, 0,
                       VK_NULL_HANDLE, places.binding, places.element, places.count});
        EXPECT_EQ(textOf(to), places.expected);
        EXPECT_EQ(to.updates, 1u);
    }
    // From the middle, and onto itself: as if all were read first.
    from.copy(from, {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, VK_NULL_HANDLE, 0, 1,
                     VK_NULL_HANDLE, 1, 0, 4});
    EXPECT_EQ(textOf(from), "0.0:0 0.1:100 1.0:100 5.0:200 5.1:300 5.2:400");
}

// Only buffers have a buffer; the other types are known by their type alone.
TEST(Descriptors, OfEachType) {
    const auto buffers = eightBuffers();
    for (const TypeRow& row : kTypes) {
        if (row.type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) continue;
        DescriptorSet written, updated;
        written.apply(
            writeOf({0, 0, 2, ""}, row.type, row.isBuffer ? buffers : decltype(buffers)()));
        applyTemplate(updated, {{0, 0, 2, row.type, 0, sizeof(VkDescriptorBufferInfo)}},
                      buffers.data());
        for (const DescriptorSet* set : {&written, &updated}) {
            ASSERT_EQ(set->descriptors.size(), 2u) << row.text;
            const Descriptor& second = set->descriptors.at({0, 1});
            EXPECT_EQ(second.type, row.type);
            EXPECT_EQ(second.buffer.offset, row.isBuffer ? 100u : 0u) << row.text;
            EXPECT_TRUE(second.bytes.empty());
        }
    }
}

// Elements and counts of inline uniform blocks are bytes.
TEST(Descriptors, InlineUniformBlocks) {
    constexpr auto kBlock = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
    VkWriteDescriptorSetInlineUniformBlock block = {
        VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK, nullptr, 8, "abcdefgh"};
    VkWriteDescriptorSet write = writeOf({2, 0, 8, ""}, kBlock, {});
    DescriptorSet set;
    set.apply(write);
    EXPECT_EQ(bytesOf(set, 2), "none") << "without its structure";
    write.pNext = &block;
    set.apply(write);
    EXPECT_EQ(bytesOf(set, 2), "abcdefgh");
    applyTemplate(set, {{2, 4, 4, kBlock, 3, 1}, {7, 0, 4, kBlock, 0, 1}}, "01234567");
    EXPECT_EQ(bytesOf(set, 2), "abcd3456");
    EXPECT_EQ(bytesOf(set, 7), "0123");
    EXPECT_EQ(set.updates, 3u);
    const auto copy = [&](uint32_t first, uint32_t count) {
        set.copy(set, {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, VK_NULL_HANDLE, 2, first,
                       VK_NULL_HANDLE, 7, 0, count});
        return bytesOf(set, 7);
    };
    EXPECT_EQ(copy(4, 4), "3456") << "to the last byte";
    EXPECT_EQ(copy(0, 8), "abcd3456");
    EXPECT_EQ(copy(4, 8), "abcd3456") << "behind its end";
    EXPECT_EQ(copy(12, 4), "abcd3456");
}

TEST(Descriptors, BuffersAtAddresses) {
    Objects objects;
    const auto add = [&](uint64_t handle, uint64_t address, uint64_t size) {
        TrackedBuffer buffer;
        buffer.handle = reinterpret_cast<VkBuffer>(handle);
        buffer.address = address;
        buffer.size = size;
        objects.buffers[buffer.handle] = buffer;
    };
    add(1, 0, 1000);  // has none
    add(2, 256, 64);
    add(3, uint64_t{1} << 40, 16);
    struct {
        uint64_t address, handle;
    } const rows[] = {{0, 0},
                      {100, 0},
                      {255, 0},
                      {256, 2},
                      {319, 2},
                      {320, 0},
                      {uint64_t{1} << 40, 3},
                      {(uint64_t{1} << 40) + 15, 3},
                      {(uint64_t{1} << 40) + 16, 0}};
    for (const auto& row : rows) {
        const TrackedBuffer* found = objects.bufferAt(row.address);
        EXPECT_EQ(found == nullptr ? 0 : reinterpret_cast<uint64_t>(found->handle), row.handle)
            << row.address;
    }
    EXPECT_EQ(objects.buffer(reinterpret_cast<VkBuffer>(uint64_t{3}))->size, 16u);
    EXPECT_EQ(objects.buffer(reinterpret_cast<VkBuffer>(uint64_t{9})), nullptr);
}

TEST(Descriptors, SetsGoWithTheirPool) {
    Objects objects;
    for (uint64_t i = 1; i <= 4; ++i) {
        auto set = std::make_shared<DescriptorSet>();
        set->pool = reinterpret_cast<VkDescriptorPool>(i % 2 + 1);
        objects.sets[reinterpret_cast<VkDescriptorSet>(i)] = set;
    }
    objects.dropPool(reinterpret_cast<VkDescriptorPool>(uint64_t{1}));
    EXPECT_EQ(objects.sets.size(), 2u);
    for (const uint64_t i : {1, 3})
        EXPECT_TRUE(objects.sets.contains(reinterpret_cast<VkDescriptorSet>(i)));
}

}  // namespace
}  // namespace coopvk::layer::inputs::descriptors_test
