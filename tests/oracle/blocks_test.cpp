// SPDX-License-Identifier: Apache-2.0
//
// SPV_INTEL_2d_block_io: which elements of a region of memory each invocation gets ("Mapping Block
// Data to Invocations"), with transposes, transforms, stores and what is out of bounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <format>
#include <optional>

#include "../test_part.hpp"
#include "device.hpp"

namespace coopvk::oracle::blocks_test {
namespace {

enum class Operation { kLoad, kTranspose, kTransform, kStore };

struct Block {
    Operation operation;
    uint32_t size, width, height, count;  // of an element, in bytes
    uint32_t memoryWidth, memoryHeight, pitch;
    int32_t x, y;
};

struct Position {
    uint32_t block, row, column;  // of the block in memory
};

// What an element of the private array stands for: some elements of the block, from its lowest bits
// on.
using Entry = std::vector<std::optional<Position>>;

uint32_t rowsTogether(const Block& b) {
    return b.operation == Operation::kTransform ? 4 / b.size : 1;
}

// The private array of an invocation. Empty entries: the text assigns no row.
std::vector<Entry> entriesOf(const Block& b, uint32_t lane, uint32_t lanes) {
    const bool transposes = b.operation == Operation::kTranspose;
    const uint32_t together = rowsTogether(b);
    const uint32_t rows = transposes ? b.width : (b.height + together - 1) / together;
    const uint32_t columns = std::bit_ceil(transposes ? b.height : b.width);
    const uint32_t each = std::max(columns / lanes, 1u), atOnce = std::max(lanes / columns, 1u);
    std::vector<Entry> entries;
    for (uint32_t block = 0; block < b.count; ++block)
        for (uint32_t first = 0; first < rows; first += atOnce)
            for (uint32_t i = 0; i < each; ++i) {
                const uint32_t row = first + lane * each / columns % atOnce;
                const uint32_t column = (lane * each + i) % columns;
                Entry& entry = entries.emplace_back();
                if (row >= rows) continue;
                for (uint32_t j = 0; j < together; ++j) {
                    const Position at = transposes ? Position{block, column, row}
                                                   : Position{block, row * together + j, column};
                    const bool isPadded = at.row >= b.height || at.column >= b.width;
                    entry.push_back(isPadded ? std::nullopt : std::optional(at));
                }
            }
    return entries;
}

// The first byte of an element in memory; nothing out of bounds.
std::optional<size_t> byteOf(const Block& b, const Position& at) {
    const int64_t column = int64_t{b.x} + int64_t{at.block} * b.width + at.column;
    const int64_t row = int64_t{b.y} + at.row;
    if (column < 0 || column >= int64_t{b.memoryWidth / b.size}) return std::nullopt;
    if (row < 0 || row >= int64_t{b.memoryHeight}) return std::nullopt;
    return size_t(row * b.pitch + column * b.size);
}

constexpr uint32_t kEntries = 256;  // of an invocation

uint32_t entryBytes(const Block& b) { return b.operation == Operation::kTransform ? 4 : b.size; }
const Format& entryFormat(const Block& b) {
    const uint32_t bytes = entryBytes(b);
    return bytes == 1 ? kU8 : bytes == 2 ? kU16 : bytes == 4 ? kU32 : kU64;
}

Module moduleOf(const Block& b, uint32_t lanes, uint32_t entries) {
    Module module(lanes);
    module.capability("Subgroup2DBlockIOINTEL", "SPV_INTEL_2d_block_io");
    module.capability("Subgroup2DBlockTransposeINTEL");
    module.capability("Subgroup2DBlockTransformINTEL");
    const Format& format = entryFormat(b);
    const Id type = module.scalar(format), word = module.scalar(kU32);
    const Id held = module.array(type, entries);
    const Id variable = module.local(held), toEntry = module.pointer("Function", type);
    const Id index = module.builtIn("SubgroupLocalInvocationId");
    module.capability("GroupNonUniform");
    const Id first = module.value("OpIMul " + word + " " + index + " " + module.u32(kEntries));
    const auto entry = [&](uint32_t i) {
        return std::pair(
            module.value("OpAccessChain " + toEntry + " " + variable + " " + module.u32(i)),
            module.value("OpIAdd " + word + " " + first + " " + module.u32(i)));
    };
    const Id start =
        module.value("OpAccessChain " + toEntry + " " + variable + " " + module.u32(0));
    const Id base = module.element(0, word, 4, module.u32(0));
    const Id integer = module.scalar(kS32);
    const Id coordinate =
        module.value(std::format("OpCompositeConstruct {} {} {}", module.vector(integer, 2),
                                 module.constant(integer, std::to_string(b.x)),
                                 module.constant(integer, std::to_string(b.y))));
    const bool isStore = b.operation == Operation::kStore;
    if (isStore)
        for (uint32_t i = 0; i < entries; ++i) {
            const auto [at, from] = entry(i);
            module.instruction("OpStore " + at + " " + module.load(1, format, from));
        }
    constexpr const char* kNames[] = {"Load", "LoadTranspose", "LoadTransform", "Store"};
    module.instruction(std::format(
        "OpSubgroup2DBlock{}INTEL {} {} {} {} {} {} {} {} {} {}", kNames[int(b.operation)],
        module.u32(b.size), module.u32(b.width), module.u32(b.height), module.u32(b.count),
        isStore ? start : base, isStore ? base : module.u32(b.memoryWidth),
        module.u32(isStore ? b.memoryWidth : b.memoryHeight),
        module.u32(isStore ? b.memoryHeight : b.pitch), isStore ? module.u32(b.pitch) : coordinate,
        isStore ? coordinate : start));
    if (!isStore)
        for (uint32_t i = 0; i < entries; ++i) {
            const auto [at, to] = entry(i);
            module.store(1, format, to, module.value("OpLoad " + type + " " + at));
        }
    return module;
}

class Blocks : public testing::Test {
 protected:
    Random random{53};

    Block anyBlock(Operation operation) {
        Block b{operation, 1u << random() % 4, 0, 0, 1u << random() % 3, 0, 0, 0, 0, 0};
        if (operation == Operation::kTransform) b.size = 1 + uint32_t(random() % 2);
        const uint32_t multiple = std::max(4 / b.size, 1u);
        b.width = multiple * (1 + uint32_t(random() % (16 / multiple)));
        b.height = 1 + uint32_t(random() % 8);
        b.memoryWidth = 64 + 8 * uint32_t(random() % 9);
        b.memoryHeight = 1 + uint32_t(random() % 20);
        b.pitch = (b.memoryWidth + 15) / 16 * 16 + 16 * uint32_t(random() % 2);
        b.x = int32_t(multiple) * (int32_t(random() % 24) - 6);
        b.y = int32_t(random() % 24) - 6;
        return b;
    }

    void expectBlock(const Block& b, uint32_t lanes) {
        SCOPED_TRACE(std::format(
            "operation {}, {} bytes, {} x {} x {}, region {} x {} pitch {}, at {} {}, lanes {}",
            int(b.operation), b.size, b.width, b.height, b.count, b.memoryWidth, b.memoryHeight,
            b.pitch, b.x, b.y, lanes));
        reference::test::Execution execution;
        execution.lanes = lanes;
        execution.validate = false;  // Vulkan has no CrossWorkgroup pointers
        const auto entries = uint32_t(entriesOf(b, 0, lanes).size());
        const Format& format = entryFormat(b);
        execution.buffers[0].resize(4096);
        execution.buffers[1].resize(size_t{lanes} * kEntries * size_t(format.words()));
        for (uint32_t binding : {0u, 1u})
            for (uint32_t& word : execution.buffers[binding]) word = uint32_t(random());
        const std::vector<uint32_t> before = execution.buffers[0];
        run(execution, moduleOf(b, lanes, entries));
        const auto held = elementsOf(format, execution.buffers[1]);
        std::vector<uint8_t> region(before.size() * 4);
        std::memcpy(region.data(), before.data(), region.size());
        for (uint32_t lane = 0; lane < lanes; ++lane) {
            const std::vector<Entry> all = entriesOf(b, lane, lanes);
            for (uint32_t i = 0; i < entries; ++i) {
                const uint64_t value = held[lane * kEntries + i];
                if (b.operation != Operation::kStore)
                    expectEntry(b, region, all[i], value);
                else
                    put(b, region, all[i], value);
            }
        }
        const std::span after(reinterpret_cast<const uint8_t*>(execution.buffers[0].data()),
                              region.size());
        EXPECT_TRUE(std::ranges::equal(region, after));
    }

 private:
    static void expectEntry(const Block& b, const std::vector<uint8_t>& region, const Entry& entry,
                            uint64_t value) {
        if (entry.empty()) return;
        uint64_t expected = 0;
        for (size_t j = 0; j < entry.size(); ++j) {
            const auto byte = entry[j] ? byteOf(b, *entry[j]) : std::nullopt;
            if (byte)
                std::memcpy(reinterpret_cast<uint8_t*>(&expected) + j * b.size, &region[*byte],
                            b.size);
        }
        EXPECT_EQ(value, expected);
    }
    static void put(const Block& b, std::vector<uint8_t>& region, const Entry& entry,
                    uint64_t value) {
        if (entry.empty() || !entry[0]) return;
        if (const auto byte = byteOf(b, *entry[0])) std::memcpy(&region[*byte], &value, b.size);
    }
};

TEST_F(Blocks, GiveInvocationsWhatTheTextSays) {
    const int count = test::runsAll() ? 20000 : 160;
    for (int i = 0; i < count && !HasFailure(); ++i)
        expectBlock(anyBlock(Operation(i % 4)), 4u << random() % 4);
}

}  // namespace
}  // namespace coopvk::oracle::blocks_test
