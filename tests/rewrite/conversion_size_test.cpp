// SPDX-License-Identifier: Apache-2.0
//
// The amount of code for conversions of use and transpositions in a subgroup: compilers of drivers
// fail with too many values at the same time. tests/driver tests the results.
#include <gtest/gtest.h>

#include <format>
#include <sstream>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::conversion_size_test {
namespace {

constexpr uint32_t kLanes = 32;

struct Move {
    uint32_t rows, columns;
    uint32_t use;  // of the result: 0 is A, 1 is B
    bool transposes = false;
    uint32_t subgroups = 1;
};

// A module that loads an f16 accumulator, converts or transposes it, and stores that.
std::string moduleOf(const Move& m) {
    return std::format(
        R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpCapability CooperativeMatrixConversionsNV
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_NV_cooperative_matrix2"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %buffer
OpExecutionMode %main LocalSize {} {} 1
OpDecorate %halves ArrayStride 2
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%c0 = OpConstant %u32 0
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%use = OpConstant %u32 {}
%rows = OpConstant %u32 {}
%columns = OpConstant %u32 {}
%halves = OpTypeRuntimeArray %f16
%block = OpTypeStruct %halves
%blockPointer = OpTypePointer StorageBuffer %block
%pointer = OpTypePointer StorageBuffer %f16
%buffer = OpVariable %blockPointer StorageBuffer
%From = OpTypeCooperativeMatrixKHR %f16 %c3 %rows %columns %c2
%To = OpTypeCooperativeMatrixKHR %f16 %c3 {} %use
%main = OpFunction %void None %f
%label = OpLabel
%p = OpAccessChain %pointer %buffer %c0 %c0
%from = OpCooperativeMatrixLoadKHR %From %p %c0 %columns
%to = {} %To %from
OpCooperativeMatrixStoreKHR %p %to %c0 %columns
OpReturn
OpFunctionEnd
)",
        kLanes, m.subgroups, m.use, m.rows, m.columns,
        m.transposes ? "%columns %rows" : "%rows %columns",
        m.transposes ? "OpCooperativeMatrixTransposeNV" : "OpCooperativeMatrixConvertNV");
}

void replace(std::string& text, std::string_view from, std::string_view to) {
    const size_t at = text.find(from);
    ASSERT_NE(at, text.npos) << from;
    text.replace(at, from.size(), to);
}

// The same, and a function with a product that reads a matrix of the result's type. So lanes hold
// the result as products want it. `converts`: else without the conversion.
std::string withProduct(const Move& m, bool converts = true) {
    std::string text = moduleOf(m);
    const std::string rows = m.transposes ? "%columns" : "%rows";
    const std::string columns = m.transposes ? "%rows" : "%columns";
    const bool isA = m.use == 0;
    replace(text, "%main = OpFunction",
            std::format("%c1 = OpConstant %u32 1\n%c16 = OpConstant %u32 16\n"
                        "%Other = OpTypeCooperativeMatrixKHR %f16 %c3 {} {}\n"
                        "%Sum = OpTypeCooperativeMatrixKHR %f16 %c3 {} %c2\n"
                        "%x = OpConstantNull %To\n%y = OpConstantNull %Other\n"
                        "%z = OpConstantNull %Sum\n"
                        "%multiply = OpFunction %void None %f\n%begin = OpLabel\n"
                        "%product = OpCooperativeMatrixMulAddKHR %Sum {} %z\n"
                        "OpReturn\nOpFunctionEnd\n%main = OpFunction",
                        isA ? columns + " %c16" : "%c16 " + rows, isA ? "%c1" : "%c0",
                        isA ? rows + " %c16" : "%c16 " + columns, isA ? "%x %y" : "%y %x"));
    if (converts) return text;
    const size_t begin = text.find("%to = "), end = text.find("OpReturn", begin);
    return text.erase(begin, end - begin);
}

struct Code {
    size_t instructions = 0;
    size_t shuffles = 0;
    size_t barriers = 0;
    size_t sharedVariables = 0;
};

Code rewritten(const std::string& module, uint32_t sharedBytes) {
    const std::vector<uint32_t> words = test::assemble(module);
    Request request;
    request.words = words;
    Target target;
    target.device.subgroupShuffle = true;
    target.device.maxComputeSharedMemorySize = sharedBytes;
    target.subgroupSize = kLanes;
    const Result<Rewritten> out = rewrite(request, target);
    if (!out) {
        ADD_FAILURE() << out.error().message;
        return {};
    }
    EXPECT_EQ(validate(out->words), std::nullopt);
    Code code;
    std::istringstream lines(disassemble(out->words));
    for (std::string line; std::getline(lines, line);) {
        const auto has = [&](std::string_view what) { return line.find(what) != line.npos; };
        code.instructions += has(" Op");
        code.shuffles += has(" OpGroupNonUniformShuffle ");
        code.barriers += has(" OpControlBarrier ");
        code.sharedVariables += has(" OpVariable ") && has(" Workgroup");
    }
    return code;
}

// Elements that a lane may hold before and after: A has all columns of a lane's rows, of which a
// grid of 32 lanes has at least four, B all rows of its columns.
size_t mostElements(const Move& m) { return size_t{m.rows} * m.columns * 2 / 4; }

constexpr Move kLarge[] = {{48, 80, 0, true}, {48, 80, 1, true}, {128, 96, 1}, {128, 32, 0, true}};

TEST(ConversionSize, LargeOnesAreLinearInWhatALaneHolds) {
    for (const Move& m : kLarge) {
        SCOPED_TRACE(withProduct(m));
        const Code code = rewritten(withProduct(m), 32768);
        const size_t others = rewritten(withProduct(m, false), 32768).instructions;
        EXPECT_EQ(code.shuffles, 0u);
        EXPECT_EQ(code.sharedVariables, 1u);
        EXPECT_EQ(code.barriers, 2u);
        // Each element is loaded, moved and stored: addresses, accesses, packs.
        EXPECT_LE(code.instructions, others + 300 + 12 * mostElements(m));
    }
}

TEST(ConversionSize, LargeOnesOfManySubgroupsGoInParts) {
    for (Move m : kLarge) {
        m.subgroups = 6;
        SCOPED_TRACE(withProduct(m));
        const Code code = rewritten(withProduct(m), 32768);
        const size_t others = rewritten(withProduct(m, false), 32768).instructions;
        EXPECT_EQ(code.shuffles, 0u);
        EXPECT_EQ(code.sharedVariables, 1u);
        EXPECT_GT(code.barriers, 2u);
        EXPECT_LE(code.instructions, others + 300 + 12 * mostElements(m));
    }
}

TEST(ConversionSize, SmallOnesShuffle) {
    for (const Move& m : {Move{16, 16, 0}, Move{16, 16, 1}, Move{16, 16, 1, true}}) {
        SCOPED_TRACE(moduleOf(m));
        const Code code = rewritten(moduleOf(m), 32768);
        EXPECT_GT(code.shuffles, 0u);
        EXPECT_EQ(code.sharedVariables, 0u);
    }
}

TEST(ConversionSize, ShufflesWhereSharedMemoryHasNoRoom) {
    for (const Move& m : kLarge) {
        SCOPED_TRACE(withProduct(m));
        const Code code = rewritten(withProduct(m), 256);
        EXPECT_GT(code.shuffles, 0u);
        EXPECT_EQ(code.sharedVariables, 0u);
    }
}

// A module that loads an f16 matrix of 128 x 128 and stores it. `product`: and multiplies another
// one.
std::string loadAndStore(uint32_t use, bool product = false) {
    std::string text = moduleOf({128, 128, use});
    replace(text, "OpCooperativeMatrixLoadKHR %From", "OpCooperativeMatrixLoadKHR %To");
    replace(text, "%to = OpCooperativeMatrixConvertNV %To %from\n", "");
    replace(text, "StoreKHR %p %to", "StoreKHR %p %from");
    if (!product) return text;
    replace(text, "%main = OpFunction", R"(%c1 = OpConstant %u32 1
%A = OpTypeCooperativeMatrixKHR %f16 %c3 %rows %columns %c0
%B = OpTypeCooperativeMatrixKHR %f16 %c3 %rows %columns %c1
%a = OpConstantNull %A
%b = OpConstantNull %B
%c = OpConstantNull %From
%main = OpFunction)");
    replace(text, "OpReturn", "%d = OpCooperativeMatrixMulAddKHR %From %a %b %c\nOpReturn");
    return text;
}

// A lane has 512 components of such an accumulator, and 4,096 of an A that products read.
TEST(ConversionSize, LargeMatricesThatNoProductReadsAreNotRepeated) {
    for (const uint32_t use : {0u, 1u}) {
        EXPECT_LE(rewritten(loadAndStore(use), 32768).instructions, 300u + 12 * 512);
        EXPECT_GE(rewritten(loadAndStore(use, true), 32768).instructions, 4096u);
    }
}

}  // namespace
}  // namespace coopvk::rewrite::conversion_size_test
