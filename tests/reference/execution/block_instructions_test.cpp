// SPDX-License-Identifier: Apache-2.0
// Instructions of SPV_INTEL_2d_block_io in programs: sizes that no block has, variables that are
// too small, and the intervals of floats that go through blocks.
#include <gtest/gtest.h>

#include <format>

#include "coopvk_reference/intervals.hpp"
#include "shader_text.hpp"

namespace coopvk::reference::test::block_instructions_test {
namespace {

constexpr char kHeader[] =
    "OpCapability Subgroup2DBlockIOINTEL\nOpCapability Subgroup2DBlockTransformINTEL\n"
    "OpCapability Subgroup2DBlockTransposeINTEL\nOpExtension \"SPV_INTEL_2d_block_io\"\n";

// Four invocations. %base: word 0 of %out, %from: word 0 of %in, %at: the coordinate (0, 0).
Execution executed(const std::string& declarations, const std::string& variables,
                   const std::string& body, Intervals* intervals = nullptr) {
    ShaderText text;
    text.capabilities = kHeader;
    text.declarations =
        "%p_float = OpTypePointer Function %f32\n%k_5000 = OpConstant %u32 5000\n"
        "%k_64 = OpConstant %u32 64\n" +
        declarations;
    text.body = variables +
                "%base = OpAccessChain %p_word %out %u_0 %u_0\n"
                "%from = OpAccessChain %p_word %in %u_0 %u_0\n"
                "%at = OpCompositeConstruct %v2u32 %u_0 %u_0\n" +
                body;
    Execution run;
    run.validate = false;  // the extension is not among those of the environment
    run.settings.intervals = intervals;
    for (uint32_t i = 0; i < 16; ++i) run.buffers[0].push_back(bitsOf(float(i + 1)));
    run.buffers[1].resize(36);
    for (const uint32_t binding : {0u, 1u})
        if (intervals != nullptr) run.deviations[binding].resize(run.buffers[binding].size() * 4);
    execute(run, shader(text));
    return run;
}

std::string arrayOf(const char* type, const char* count) {
    return std::format(
        "%own_array = OpTypeArray {} {}\n"
        "%p_own_array = OpTypePointer Function %own_array\n"
        "%p_own = OpTypePointer Function {}\n",
        type, count, type);
}
constexpr char kOwn[] = "%own = OpVariable %p_own_array Function\n";
constexpr char kDest[] = "%dest = OpAccessChain %p_own %own %u_0\n";

// Size of an element, width, height, number of blocks.
TEST(BlockInstructions, SizesThatAreNone) {
    const auto error = [](const std::string& instruction, const std::string& sizes) {
        const std::string body = kDest + ("OpSubgroup2DBlock" + instruction) + "INTEL " + sizes +
                                 " %from %k_64 %u_16 %k_64 %at %dest\n";
        return executed(arrayOf("%u32", "%k_64"), kOwn, body).error;
    };
    EXPECT_EQ(error("Load", "%u_4 %u_4 %u_4 %u_1"), "");
    EXPECT_EQ(error("Load", "%u_8 %u_4 %u_4 %u_1"), "");
    EXPECT_EQ(error("LoadTransform", "%u_2 %u_4 %u_4 %u_1"), "");
    for (const char* sizes :
         {"%u_3 %u_4 %u_4 %u_1", "%u_16 %u_4 %u_4 %u_1", "%u_0 %u_4 %u_4 %u_1",
          "%u_4 %u_0 %u_4 %u_1", "%u_4 %u_4 %u_0 %u_1", "%u_4 %u_4 %u_4 %u_0",
          "%u_4 %k_5000 %u_4 %u_1", "%u_4 %u_4 %k_5000 %u_1", "%u_4 %u_4 %u_4 %k_5000"})
        EXPECT_NE(error("Load", sizes), "") << sizes;
    // Rows are packed into 32 bits.
    EXPECT_EQ(error("LoadTransform", "%u_4 %u_4 %u_4 %u_1"), "");
    EXPECT_NE(error("LoadTransform", "%u_8 %u_4 %u_4 %u_1"), "");
}

// An invocation has four words of a block of 4 x 4.
TEST(BlockInstructions, VariablesThatAreTooSmall) {
    for (const char* count : {"%u_4", "%u_3"}) {
        const Execution run = executed(arrayOf("%u32", count), kOwn,
                                       std::string(kDest) +
                                           "OpSubgroup2DBlockLoadINTEL %u_4 %u_4 %u_4 %u_1 %from "
                                           "%u_16 %u_4 %u_16 %at %dest\n");
        EXPECT_EQ(run.error, "");
        const bool fits = count[3] == '4';
        EXPECT_EQ(countReports(run, kCheckBounds), fits ? 0u : 1u);
        if (!fits) {
            EXPECT_EQ(run.reports.at(0).message, "a block is larger than the variable");
        }
    }
}

// Own floats 0 and 1: e to the power of the invocation's number, and that number. Both go to memory
// and back.
constexpr char kFloats[] =
    "%n = OpConvertUToF %f32 %i\n%e = OpExtInst %f32 %glsl Exp %n\n"
    "%own_0 = OpAccessChain %p_own %own %u_0\nOpStore %own_0 %e\n"
    "%own_1 = OpAccessChain %p_own %own %u_1\nOpStore %own_1 %n\n"
    "OpSubgroup2DBlockStoreINTEL %u_4 %u_4 %u_2 %u_1 %own_0 %base %u_16 %u_2 %u_16 %at\n";
// The second block's elements to memory, one by one.
constexpr char kBack[] =
    "%other_0 = OpAccessChain %p_other %other %u_0\n"
    "OpSubgroup2DBlockLoadINTEL %u_4 %u_4 %u_2 %u_1 %base %u_16 %u_2 %u_16 %at %other_0\n";

bool isPoint(const Execution& run, size_t word) { return run.deviations.at(1)[word * 4] == 0; }

TEST(BlockInstructions, IntervalsOfFloats) {
    Intervals intervals(Functions::kAsAnywhere);
    const Execution run =
        executed(arrayOf("%f32", "%u_2") + "%p_other = OpTypePointer Function %f32\n",
                 std::string(kOwn) + "%other = OpVariable %p_own_array Function\n",
                 std::string(kFloats) + kBack +
                     "%other_1 = OpAccessChain %p_other %other %u_1\n"
                     "%x = OpLoad %f32 %other_0\n%y = OpLoad %f32 %other_1\n"
                     "%x_word = OpBitcast %u32 %x\n%y_word = OpBitcast %u32 %y\n"
                     "%x_at = OpIAdd %u32 %i %u_16\n%y_at = OpIAdd %u32 %x_at %u_4\n"
                     "%to_x = OpAccessChain %p_word %out %u_0 %x_at\nOpStore %to_x %x_word\n"
                     "%to_y = OpAccessChain %p_word %out %u_0 %y_at\nOpStore %to_y %y_word\n",
                 &intervals);
    EXPECT_EQ(run.error, "");
    for (const Report& report : run.reports) ADD_FAILURE() << describe(report);
    for (const size_t first : {0u, 16u})
        for (size_t lane = 0; lane < 4; ++lane) {
            const uint32_t bits = run.buffers.at(1)[first + lane];
            const Interval interval =
                intervalOf(run.deviations.at(1)[(first + lane) * 4], numbers::Number::f32, bits);
            // Vulkan, "Precision of GLSL.std.450 Instructions": 3 + 2 * |x| ULP.
            const double value = floatOf(bits), most = (3 + 2.0 * double(lane)) * value * 0x1p-23;
            EXPECT_LT(interval.low, value);
            EXPECT_GT(interval.high, value);
            EXPECT_GE(interval.low, value - 2 * most);
            EXPECT_LE(interval.high, value + 2 * most);
            EXPECT_EQ(run.buffers.at(1)[first + 4 + lane], bitsOf(float(lane)));
            EXPECT_TRUE(isPoint(run, first + 4 + lane));
        }
}

// Bytes of an invocation: nothing is known of parts of a float that may be another one.
TEST(BlockInstructions, IntervalsOfBytes) {
    Intervals intervals(Functions::kAsAnywhere);
    const Execution run = executed(
        arrayOf("%f32", "%u_2") +
            "%bytes = OpTypeArray %u8 %u_8\n%p_bytes = OpTypePointer Function %bytes\n"
            "%p_other = OpTypePointer Function %u8\n",
        std::string(kOwn) + "%other = OpVariable %p_bytes Function\n",
        std::string(kFloats) + kBack +
            "%other_7 = OpAccessChain %p_other %other %u_7\n"
            "%x = OpLoad %u8 %other_0\n%y = OpLoad %u8 %other_7\n"
            "%x_word = OpUConvert %u32 %x\n%y_word = OpUConvert %u32 %y\n"
            "%x_at = OpIAdd %u32 %i %u_16\n%y_at = OpIAdd %u32 %x_at %u_4\n"
            "%to_x = OpAccessChain %p_word %out %u_0 %x_at\nOpStore %to_x %x_word\n"
            "%to_y = OpAccessChain %p_word %out %u_0 %y_at\nOpStore %to_y %y_word\n"
            // The bytes as a block of words again.
            "%rest = OpIAdd %u32 %u_16 %u_8\n%last = OpAccessChain %p_word %out %u_0 %rest\n"
            "OpSubgroup2DBlockStoreINTEL %u_4 %u_4 %u_2 %u_1 %other_0 %last %u_16 %u_2 %u_16 %at\n",
        &intervals);
    EXPECT_EQ(run.error, "");
    for (size_t lane = 0; lane < 4; ++lane) {
        EXPECT_EQ(run.buffers.at(1)[16 + lane], run.buffers.at(1)[lane] & 0xFF);
        EXPECT_EQ(run.buffers.at(1)[20 + lane], bitsOf(float(lane)) >> 24);
        EXPECT_EQ(run.buffers.at(1)[24 + lane], run.buffers.at(1)[lane]);
        EXPECT_EQ(run.buffers.at(1)[28 + lane], bitsOf(float(lane)));
        EXPECT_FALSE(isPoint(run, 16 + lane));
        EXPECT_TRUE(isPoint(run, 20 + lane));
        EXPECT_FALSE(isPoint(run, 24 + lane));
        EXPECT_TRUE(isPoint(run, 28 + lane));
    }
}

// Words of an invocation from halves of two rows: the second one may be another number.
TEST(BlockInstructions, IntervalsOfHalves) {
    Intervals intervals(Functions::kAsAnywhere);
    const Execution run = executed(
        arrayOf("%f32", "%u_2") + "%p_other = OpTypePointer Function %u32\n",
        std::string(kOwn) + "%other = OpVariable %p_other Function\n",
        "%n = OpConvertUToF %f32 %i\n%e = OpExtInst %f32 %glsl Exp %n\n"
        "%own_0 = OpAccessChain %p_own %own %u_0\nOpStore %own_0 %n\n"
        "%own_1 = OpAccessChain %p_own %own %u_1\nOpStore %own_1 %e\n"
        "OpSubgroup2DBlockStoreINTEL %u_4 %u_4 %u_2 %u_1 %own_0 %base %u_16 %u_2 %u_16 %at\n"
        "%ones = OpNot %u32 %u_0\nOpStore %other %ones\n"
        "OpSubgroup2DBlockLoadINTEL %u_2 %u_4 %u_2 %u_1 %base %u_16 %u_2 %u_16 %at %other\n"
        "%x = OpLoad %u32 %other\n%x_at = OpIAdd %u32 %i %u_16\n"
        "%to_x = OpAccessChain %p_word %out %u_0 %x_at\nOpStore %to_x %x\n",
        &intervals);
    EXPECT_EQ(run.error, "");
    for (size_t lane = 0; lane < 4; ++lane) {
        const auto half = [&](size_t row) {
            const uint32_t word = run.buffers.at(1)[row * 4 + lane / 2];
            return lane % 2 != 0 ? word >> 16 : word & 0xFFFF;
        };
        EXPECT_EQ(run.buffers.at(1)[16 + lane], half(0) | half(1) << 16);
        EXPECT_FALSE(isPoint(run, 16 + lane));
    }
}

}  // namespace
}  // namespace coopvk::reference::test::block_instructions_test
