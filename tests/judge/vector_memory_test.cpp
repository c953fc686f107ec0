// SPDX-License-Identifier: Apache-2.0
//
// Cooperative vectors of each component type, short ones and those that are loops, from memory,
// through an addition, and back: executed on the reference device. All numbers are small integers.
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <format>
#include <random>

#include "coopvk/rewrite.hpp"
#include "execution/shader_text.hpp"

namespace coopvk::judge::vector_memory_test {
namespace {

struct Component {
    std::string_view name;
    uint32_t bits, exponentBits;  // 0: an integer
};
constexpr Component kComponents[] = {
    {"s8", 8, 0},   {"u8", 8, 0},   {"s16", 16, 0}, {"u16", 16, 0}, {"f16", 16, 5},  {"s32", 32, 0},
    {"u32", 32, 0}, {"f32", 32, 8}, {"s64", 64, 0}, {"u64", 64, 0}, {"f64", 64, 11},
};

// Of an integer, as IEEE 754 and two's complement have it.
uint64_t encoded(const Component& component, int number) {
    if (component.exponentBits == 0) return static_cast<uint64_t>(int64_t{number});
    if (number == 0) return 0;
    const auto magnitude = static_cast<uint64_t>(std::abs(number));
    const int exponent = std::bit_width(magnitude) - 1;
    const int fraction = static_cast<int>(component.bits - component.exponentBits) - 1;
    const int bias = (1 << (component.exponentBits - 1)) - 1;
    return (number < 0 ? uint64_t{1} << (component.bits - 1) : 0) |
           static_cast<uint64_t>(exponent + bias) << fraction |
           (magnitude - (uint64_t{1} << exponent)) << (fraction - exponent);
}

void put(std::vector<uint32_t>& words, uint32_t byte, uint64_t bits, uint32_t count) {
    for (uint32_t b = 0; b < count; ++b, ++byte) {
        const uint32_t shift = byte % 4 * 8;
        const auto value = static_cast<uint32_t>(bits >> (8 * b) & 0xFF);
        words[byte / 4] = (words[byte / 4] & ~(0xFFu << shift)) | value << shift;
    }
}

std::string moduleOf(const Component& component, uint32_t count) {
    reference::test::ShaderText text;
    text.localSize = 1;
    text.memoryModel = "Logical Vulkan";
    text.capabilities =
        "OpCapability VulkanMemoryModel\nOpCapability CooperativeVectorNV\n"
        "OpExtension \"SPV_NV_cooperative_vector\"\n";
    text.declarations = std::format(
        "%count = OpConstant %u32 {}\n%V = OpTypeCooperativeVectorNV %{} %count\n"
        "%p_list = OpTypePointer StorageBuffer %words\n",
        count, component.name);
    text.body = std::format(
        "%from = OpAccessChain %p_list %in %u_0\n%to = OpAccessChain %p_list %out %u_0\n"
        "%v = OpCooperativeVectorLoadNV %V %from %u_16\n%w = {} %V %v %v\n"
        "OpCooperativeVectorStoreNV %to %u_16 %w\n",
        component.exponentBits != 0 ? "OpFAdd" : "OpIAdd");
    return shader(text);
}

TEST(VectorMemory, HoldsEachComponent) {
    constexpr uint32_t kPoison = 0xDEADBEEF, kOffset = 16;
    std::mt19937 random(1);
    for (const Component& component : kComponents) {
        for (const uint32_t count : {1u, 3u, 14u, 131u, 518u}) {
            const uint32_t bytes = component.bits / 8;
            const std::vector<uint32_t> poison(kOffset / 4 + (count * bytes + 15) / 16 * 4 + 4,
                                               kPoison);
            reference::test::Execution execution;
            execution.buffers[0] = execution.buffers[1] = poison;
            std::vector<uint32_t> expected = poison;
            for (uint32_t c = 0; c < count; ++c) {
                const bool isUnsigned = component.name[0] == 'u';
                const int number = static_cast<int>(random() % 41) - (isUnsigned ? 0 : 20);
                const uint32_t at = kOffset + c * bytes;
                put(execution.buffers[0], at, encoded(component, number), bytes);
                put(expected, at, encoded(component, 2 * number), bytes);
            }
            const auto words = reference::test::assemble(moduleOf(component, count));
            rewrite::Target target;
            target.device.shaderFloat64 = target.device.shaderInt64 = true;
            const auto rewritten = rewrite::rewrite({.words = words}, target);
            ASSERT_TRUE(rewritten) << component.name << rewritten.error().message;
            execute(execution, rewritten->words);
            EXPECT_EQ(execution.error, "") << component.name;
            EXPECT_TRUE(execution.reports.empty()) << component.name;
            EXPECT_EQ(execution.buffers.at(1), expected) << component.name << ' ' << count;
        }
    }
}

}  // namespace
}  // namespace coopvk::judge::vector_memory_test
