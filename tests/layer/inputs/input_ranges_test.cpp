// SPDX-License-Identifier: Apache-2.0
//
// Which bytes a dispatch can reach.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>

#include "inputs/reach.hpp"

namespace coopvk::test::input_ranges_test {
namespace {

using namespace layer;
using namespace layer::inputs;

template <typename Handle>
Handle handle(uintptr_t number) {
    return reinterpret_cast<Handle>(number);
}

const auto kBuffer = handle<VkBuffer>(2);

TrackedBuffer bufferIn(uint64_t memory, uint64_t offset, uint64_t number) {
    return {.handle = handle<VkBuffer>(number),
            .size = 1000,
            .canBeCopied = true,
            .memory = memory,
            .memoryOffset = offset};
}

TEST(InputRanges, ThoseThatShareMemoryAreOneRegion) {
    Ranges ranges(1000);
    const TrackedBuffer a = bufferIn(1, 0, 10), b = bufferIn(1, 50, 11), c = bufferIn(2, 50, 12);
    EXPECT_TRUE(ranges.add(a, 100, 100));  // memory 1: 100 to 200
    EXPECT_TRUE(ranges.add(b, 100, 100));  // 150 to 250
    EXPECT_TRUE(ranges.add(c, 100, 100));  // memory 2
    EXPECT_TRUE(ranges.add(a, 20, 30));    // memory 1: 20 to 50
    ranges.place();
    ASSERT_EQ(ranges.regions().size(), 3u);
    const KeptRange first = ranges.find(a, 100, 100), second = ranges.find(b, 100, 100);
    EXPECT_EQ(first.region, second.region);
    EXPECT_EQ(second.offset - first.offset, 50u);
    EXPECT_EQ(ranges.regions()[first.region].size, 150u);
    EXPECT_NE(ranges.find(c, 100, 100).region, first.region);
    // Each byte of the regions once.
    std::set<uint64_t> bytes;
    uint64_t copied = 0;
    for (const Copy& copy : ranges.copies()) {
        copied += copy.size;
        EXPECT_LE(copy.to + copy.size, ranges.size());
        for (uint64_t i = 0; i < copy.size; ++i) bytes.insert(copy.to + i);
    }
    EXPECT_EQ(copied, 280u);
    EXPECT_EQ(bytes.size(), 280u);
}

// Also those that only touch, on either side.
TEST(InputRanges, ThoseThatTouchAreOneRegion) {
    Ranges ranges(1000);
    const TrackedBuffer a = bufferIn(1, 5000, 10);
    for (const uint64_t start : {200, 100, 300}) EXPECT_TRUE(ranges.add(a, start, 100));
    EXPECT_TRUE(ranges.add(a, 401, 10));
    ranges.place();
    ASSERT_EQ(ranges.regions().size(), 2u);
    EXPECT_EQ(ranges.regions()[0].size, 300u);
    EXPECT_EQ(ranges.regions()[1].size, 10u);
    EXPECT_EQ(ranges.regions()[0].before, 0u);
    EXPECT_EQ(ranges.regions()[1].before, 512u) << "the next multiple of 256";
}

// A sparse buffer has no memory of its own; its handle may be the number of another's memory.
TEST(InputRanges, ThoseWithoutMemoryShareNone) {
    Ranges ranges(1000);
    const TrackedBuffer bound = bufferIn(5, 0, 10), sparse = bufferIn(0, 0, 5);
    EXPECT_TRUE(ranges.add(bound, 0, 100));
    EXPECT_TRUE(ranges.add(sparse, 0, 100));
    ranges.place();
    ASSERT_EQ(ranges.regions().size(), 2u);
    EXPECT_NE(ranges.find(bound, 0, 100).region, ranges.find(sparse, 0, 100).region);
}

TEST(InputRanges, UpToTheLimit) {
    Ranges ranges(150);
    const TrackedBuffer a = bufferIn(1, 0, 10);
    EXPECT_TRUE(ranges.add(a, 0, 100));
    EXPECT_FALSE(ranges.add(a, 200, 51));
    EXPECT_TRUE(ranges.add(a, 50, 100));  // half of it is there
    EXPECT_FALSE(ranges.add(a, 150, 1));
    EXPECT_TRUE(ranges.add(a, 0, 150));
}

TEST(InputDescriptors, GoOnInTheNextBinding) {
    DescriptorSet set;
    set.layout = std::make_shared<SetLayout>(SetLayout{
        {1, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}}, {4, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3}}});
    const VkDescriptorBufferInfo infos[] = {{kBuffer, 1, 1}, {kBuffer, 2, 1}, {kBuffer, 3, 1}};
    VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstBinding = 1;
    write.dstArrayElement = 1;
    write.descriptorCount = 3;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = infos;
    set.apply(write);
    ASSERT_EQ(set.descriptors.size(), 3u);
    EXPECT_EQ((set.descriptors.at({1, 1}).buffer.offset), 1u);
    EXPECT_EQ((set.descriptors.at({4, 0}).buffer.offset), 2u);
    EXPECT_EQ((set.descriptors.at({4, 1}).buffer.offset), 3u);
    DescriptorSet other;
    other.layout = set.layout;
    VkCopyDescriptorSet copy = {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET};
    copy.srcBinding = 4;
    copy.dstBinding = 1;
    copy.descriptorCount = 2;
    other.copy(set, copy);
    EXPECT_EQ((other.descriptors.at({1, 0}).buffer.offset), 2u);
    EXPECT_EQ((other.descriptors.at({1, 1}).buffer.offset), 3u);
}

// What cannot be kept has a line.
TEST(InputDescriptors, MissingOnesAreNamed) {
    Objects objects;
    objects.buffers[kBuffer] = {.handle = kBuffer, .size = 100, .canBeCopied = false};
    layer::inputs::Recording commands;
    auto set = std::make_shared<DescriptorSet>();
    set->descriptors[{0, 0}] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {kBuffer, 0, 10}};
    set->descriptors[{1, 0}] = {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};
    set->descriptors[{2, 0}] = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, {handle<VkBuffer>(99), 0, 10}};
    set->descriptors[{3, 0}] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {VK_NULL_HANDLE, 0, 10}};
    commands.sets[2].set = set;
    Reach reach(objects, 1000);
    reach.addSets(commands);
    const RecordedDispatch record = reach.finish();
    EXPECT_TRUE(record.descriptors.empty());
    ASSERT_EQ(record.missing.size(), 3u);
    EXPECT_EQ(record.missing[0], "set 2, binding 0 (10 bytes), a buffer that cannot be copied,");
    EXPECT_EQ(record.missing[1], "set 2, binding 1, a storage image,");
    EXPECT_EQ(record.missing[2], "set 2, binding 2 (10 bytes), a buffer that does not exist,");
}

// The rest of a buffer, behind its end or beyond it, as dynamic offsets may make it.
TEST(InputDescriptors, AtTheEndOfABuffer) {
    Objects objects;
    objects.buffers[kBuffer] = {.handle = kBuffer, .size = 100, .canBeCopied = true};
    const auto recordOf = [&](uint64_t offset, uint64_t size) {
        layer::inputs::Recording commands;
        auto set = std::make_shared<DescriptorSet>();
        set->descriptors[{0, 0}] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {kBuffer, offset, size}};
        commands.sets[0].set = set;
        Reach reach(objects, 1000);
        reach.addSets(commands);
        return reach.finish();
    };
    for (const auto& [offset, size, kept, missing] :
         std::vector<std::array<uint64_t, 4>>{{99, 1, 1, 0},
                                              {99, VK_WHOLE_SIZE, 1, 0},
                                              {100, VK_WHOLE_SIZE, 0, 0},
                                              {99, 2, 0, 1},
                                              {100, 1, 0, 1},
                                              {101, 1, 0, 1}}) {
        const RecordedDispatch record = recordOf(offset, size);
        EXPECT_EQ(record.descriptors.size(), kept) << offset << ", " << size;
        EXPECT_EQ(record.missing.size(), missing) << offset << ", " << size;
    }
}

// Dynamic offsets are in the order of bindings and elements; of buffers that are not dynamic none.
// Those that the application did not give are 0.
TEST(InputDescriptors, HaveTheirDynamicOffsets) {
    Objects objects;
    auto set = std::make_shared<DescriptorSet>();
    set->layout =
        std::make_shared<SetLayout>(SetLayout{{0, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1}},
                                              {1, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 2}},
                                              {3, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1}}});
    const std::pair<uint32_t, uint32_t> places[] = {{0, 0}, {1, 0}, {1, 1}, {3, 0}};
    for (uint32_t i = 0; i < 4; ++i) {
        const auto buffer = handle<VkBuffer>(2 + i);
        objects.buffers[buffer] = {.handle = buffer, .size = 1000, .canBeCopied = true};
        const VkDescriptorType type = set->layout->at(places[i].first).type;
        set->descriptors[places[i]] = {type, {buffer, 100, 4}};
    }
    const auto startsOf = [&](std::vector<uint32_t> offsets) {
        layer::inputs::Recording commands;
        commands.sets[0].set = set;
        commands.sets[0].dynamicOffsets = std::move(offsets);
        Reach reach(objects, 1000);
        reach.addSets(commands);
        EXPECT_EQ(reach.finish().descriptors.size(), 4u);
        std::map<VkBuffer, uint64_t> starts;
        for (const Copy& copy : reach.ranges().copies()) starts[copy.buffer] = copy.from;
        std::vector<uint64_t> all;
        for (const auto& [buffer, start] : starts) all.push_back(start);
        return all;
    };
    EXPECT_EQ(startsOf({8, 16, 32}), (std::vector<uint64_t>{100, 108, 116, 132}));
    EXPECT_EQ(startsOf({8, 16}), (std::vector<uint64_t>{100, 108, 116, 100}));
    EXPECT_EQ(startsOf({}), (std::vector<uint64_t>(4, 100)));
    EXPECT_EQ(startsOf({8, 16, 32, 64}), (std::vector<uint64_t>{100, 108, 116, 132}));
}

// Of buffers with addresses, those come first whose addresses are pushed: at any word.
TEST(InputAddresses, PushedOnesComeFirst) {
    Objects objects;
    for (const uint64_t number : {1, 2}) {
        objects.buffers[handle<VkBuffer>(number)] = {.handle = handle<VkBuffer>(number),
                                                     .size = number * 100,
                                                     .canBeCopied = true,
                                                     .address = number * 0x1000};
    }
    std::array<std::byte, 12> pushed = {};
    const uint64_t address = 0x2010;
    std::memcpy(pushed.data() + 4, &address, sizeof address);
    Reach reach(objects, 200);
    reach.addAddresses(pushed);
    const RecordedDispatch record = reach.finish();
    ASSERT_EQ(record.addresses.size(), 1u);
    EXPECT_EQ(record.addresses[0].address, 0x2000u);
    EXPECT_EQ(record.addresses[0].range.size, 200u);
    EXPECT_EQ(record.missing, std::vector<std::string>{"what is in 1 more buffers with addresses"});
}

TEST(InputAddresses, EachHasARegionOfItsOwn) {
    Objects objects;
    for (const uint64_t number : {2, 1, 3}) {
        objects.buffers[handle<VkBuffer>(number)] = {.handle = handle<VkBuffer>(number),
                                                     .size = number * 100,
                                                     .canBeCopied = true,
                                                     .address = number * 0x1000};
    }
    Reach reach(objects, 1000);
    reach.addAddresses({});
    const RecordedDispatch record = reach.finish();
    ASSERT_EQ(record.addresses.size(), 3u);
    for (uint64_t n = 0; n < 3; ++n) {  // the smallest first
        const auto& [address, range] = record.addresses[n];
        EXPECT_EQ(address, (n + 1) * 0x1000);
        EXPECT_EQ(range.offset, 0u);
        EXPECT_EQ(record.regions.at(range.region).size, (n + 1) * 100);
    }
    EXPECT_TRUE(record.missing.empty());
}

}  // namespace
}  // namespace coopvk::test::input_ranges_test
