// SPDX-License-Identifier: Apache-2.0
//
// Where the kernel of recorded conversions finds its arguments, and how long they stay there.
#include <gtest/gtest.h>

#include "conversion_state.hpp"

namespace coopvk::test::conversion_arguments_test {
namespace {

constexpr size_t kBlockSlots = 1024;  // arguments for which memory is allocated at once

class Arguments : public ConversionState {
 protected:
    // The source's address is the first of the arguments, the target's the second.
    struct Addresses {
        uint64_t from, to;
        bool operator==(const Addresses&) const = default;
    };
    // Records a conversion between these addresses, and returns the address of its arguments.
    uint64_t convert(uint64_t from, uint64_t to) {
        info.srcData.deviceAddress = from;
        info.dstData.deviceAddress = to;
        for (const SeenCommand& command : convertNow()) {
            if (command.name == "vkCmdDispatchBase") return addressOf(command, lastWindow());
        }
        ADD_FAILURE() << "nothing is dispatched";
        return 0;
    }
    Addresses at(uint64_t address) const {
        Addresses addresses;
        std::memcpy(&addresses, reinterpret_cast<const void*>(address - driver.addressBase),
                    sizeof addresses);
        return addresses;
    }
    // The matrix that is read and the one that is written, as shaders/convert_matrix.comp has them.
    struct Matrix {
        uint32_t format, flags, lines, lineLength, lineBytes;
        bool operator==(const Matrix&) const = default;
    };
    struct Kernel {
        Addresses addresses;
        Matrix from, to;
        uint32_t words;
    };
    // How many workgroups, and what they find.
    std::pair<uint64_t, Kernel> kernel() {
        for (const SeenCommand& command : convertNow()) {
            if (command.name != "vkCmdDispatchBase") continue;
            const uint64_t address = addressOf(command, lastWindow()) - driver.addressBase;
            Kernel kernel;
            std::memcpy(&kernel, reinterpret_cast<const void*>(address), sizeof kernel);
            return {command.values[3], kernel};
        }
        ADD_FAILURE() << "nothing is dispatched";
        return {};
    }
    void recordMany(size_t count) {
        for (size_t i = 0; i < count; ++i) record();
        driver.seenCommands.clear();
    }
};

TEST_F(Arguments, EachConversionHasItsOwn) {
    const uint64_t first = convert(0x1000, 0x2000), second = convert(0x3000, 0x4000);
    EXPECT_NE(first, second);
    EXPECT_EQ(at(first), (Addresses{0x1000, 0x2000}));
    EXPECT_EQ(at(second), (Addresses{0x3000, 0x4000}));
}

// Bits of the whole, of exponent and mantissa, the bias, and whether there are infinities; 2 by 4
// elements.
TEST_F(Arguments, SayTypesAndLayouts) {
    constexpr auto kFormat = [](uint32_t bits, uint32_t exponent, uint32_t mantissa, uint32_t bias,
                                uint32_t infinities) {
        return bits | exponent << 8 | mantissa << 12 | bias << 17 | infinities << 31;
    };
    struct Type {
        VkComponentTypeKHR type;
        uint32_t format, bytes;
    };
    const Type types[] = {{VK_COMPONENT_TYPE_FLOAT16_KHR, kFormat(16, 5, 10, 15, 1), 2},
                          {VK_COMPONENT_TYPE_FLOAT8_E4M3_EXT, kFormat(8, 4, 3, 7, 0), 1},
                          {VK_COMPONENT_TYPE_FLOAT8_E5M2_EXT, kFormat(8, 5, 2, 15, 1), 1}};
    info.srcStride = 48;
    info.srcSize = size = 1000;
    for (const Type& type : types) {
        info.dstComponentType = type.type;
        info.dstStride = 12;
        info.dstLayout = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_ROW_MAJOR_NV;
        info.srcLayout = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_COLUMN_MAJOR_NV;
        const auto [groups, rows] = kernel();
        EXPECT_EQ(rows.from, (Matrix{kFormat(32, 8, 23, 127, 1), 1, 4, 2, 48}));
        EXPECT_EQ(rows.to, (Matrix{type.format, 0, 2, 4, 12})) << type.type;
        EXPECT_EQ(rows.words, (12 + 4 * type.bytes + 3) / 4);
        EXPECT_EQ(groups, 1u);
        info.dstLayout = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_INFERENCING_OPTIMAL_NV;
        const Kernel optimal = kernel().second;
        EXPECT_EQ(optimal.to.flags & 3, 2u);
        EXPECT_EQ(optimal.to.format, type.format);
    }
}

// A workgroup writes 64 words.
TEST_F(Arguments, AreForAllWords) {
    info.numRows = 1;
    for (const auto& [columns, groups] : std::vector<std::pair<uint32_t, uint64_t>>{
             {1, 1}, {63, 1}, {64, 1}, {65, 2}, {128, 2}, {129, 3}, {64 * 65535 + 1, 65535}}) {
        info.numColumns = columns;
        info.srcSize = size = size_t{columns} * 4;
        info.srcStride = info.dstStride = size;
        const auto [count, found] = kernel();
        EXPECT_EQ(count, groups) << columns;
        EXPECT_EQ(found.words, columns);
    }
}

TEST_F(Arguments, StayUntilTheCommandBufferIsRecordedAgain) {
    const VkCommandBuffer kept = commands;
    const uint64_t address = convert(0x1000, 0x2000);
    commands = allocateOne(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    for (int round = 0; round < 3; ++round) {
        begin();
        for (int i = 0; i < 100; ++i) EXPECT_NE(convert(0x5000, 0x6000), address);
    }
    EXPECT_EQ(at(address), (Addresses{0x1000, 0x2000}));
    freeOne(commands);
    commands = kept;
    begin();
    EXPECT_EQ(convert(0x7000, 0x8000), address) << "the slot that was free last";
}

TEST_F(Arguments, MemoryIsUsedAgain) {
    recordMany(kBlockSlots);
    EXPECT_EQ(driver.memory.size(), 1u);
    for (int round = 0; round < 3; ++round) {
        begin();
        recordMany(kBlockSlots);
    }
    EXPECT_EQ(driver.memory.size(), 1u);
    record();
    EXPECT_EQ(driver.memory.size(), 2u);
    EXPECT_EQ(end(), VK_SUCCESS);
}

TEST_F(Arguments, FreedCommandBuffersHoldNone) {
    for (int round = 0; round < 3; ++round) {
        recordMany(kBlockSlots);
        freeOne(commands);
        commands = allocateOne(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        begin();
    }
    EXPECT_EQ(driver.memory.size(), 1u);
}

TEST_F(Arguments, DestroyedPoolsHoldNone) {
    const auto destroy = COOPVK_DEVICE_COMMAND(driver, device, vkDestroyCommandPool);
    for (int round = 0; round < 3; ++round) {
        recordMany(kBlockSlots);
        destroy(device, allocate.commandPool, nullptr);  // with the command buffer
        allocate.commandPool = round % 2 == 0 ? secondPool : firstPool;
        commands = allocateOne(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        begin();
    }
    EXPECT_EQ(driver.memory.size(), 1u);
}

TEST_F(Arguments, OtherPoolsHoldTheirs) {
    const uint64_t address = convert(0x1000, 0x2000);
    const VkCommandBuffer kept = commands;
    driver.commandBuffers.erase(kept);  // the fake driver's pools are one
    allocate.commandPool = secondPool;
    allocateOne(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    COOPVK_DEVICE_COMMAND(driver, device, vkDestroyCommandPool)(device, secondPool, nullptr);
    driver.commandBuffers.insert(kept);
    allocate.commandPool = firstPool;
    commands = allocateOne(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    begin();
    for (size_t i = 1; i < kBlockSlots; ++i) EXPECT_NE(convert(0x5000, 0x6000), address);
    EXPECT_EQ(at(address), (Addresses{0x1000, 0x2000}));
    freeOne(commands);
    commands = kept;
}

// A window of 64 GiB is constant in a pipeline, so memory elsewhere needs another one.
TEST_F(Arguments, Windows) {
    bindPipeline();
    recordMany(kBlockSlots);
    const uint64_t window = lastWindow();
    driver.addressBase = uint64_t{5} << 36;
    EXPECT_EQ(at(convert(0x1000, 0x2000)), (Addresses{0x1000, 0x2000}));
    EXPECT_EQ(lastWindow(), window + 5);
    EXPECT_EQ(driver.pipelines.size(), 2u);
    // Both in one command: their slots are the last of one window, and the first of the other.
    begin();
    recordMany(1);
    EXPECT_EQ(driver.pipelines.size(), 2u);
    EXPECT_EQ(end(), VK_SUCCESS);
}

// Near the device if possible. See fake_memory.cpp for the types.
TEST_F(Arguments, MemoryTypes) {
    record();
    EXPECT_EQ(driver.memoryTypes, (std::vector<uint32_t>{4}));
    EXPECT_EQ(driver.memoryFlags, (std::vector<uint32_t>{VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT}));
    driver.fullMemoryTypes = {4};
    recordMany(kBlockSlots);
    EXPECT_EQ(driver.memoryTypes, (std::vector<uint32_t>{4, 4, 3}));
    EXPECT_EQ(end(), VK_SUCCESS);
}

TEST_F(Arguments, NoMemory) {
    driver.fullMemoryTypes = {3, 4};
    bindPipeline();
    driver.seenCommands.clear();
    record();
    EXPECT_TRUE(driver.seenCommands.empty()) << "nothing is bound, nothing is restored";
    EXPECT_EQ(end(), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    EXPECT_TRUE(driver.buffers.empty());
    driver.fullMemoryTypes.clear();
    begin();
    record();
    EXPECT_EQ(end(), VK_SUCCESS);
}

// A debug callback, or another thread, that records conversions while memory is allocated.
TEST_F(Arguments, MemoryAllocatedTwice) {
    driver.during["vkAllocateMemory"] = [&] { record(); };
    record();
    EXPECT_EQ(driver.dispatches, 2u);
    EXPECT_EQ(end(), VK_SUCCESS);
}

}  // namespace
}  // namespace coopvk::test::conversion_arguments_test
