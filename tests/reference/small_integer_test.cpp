// SPDX-License-Identifier: Apache-2.0
// Programs with 4-bit integers (SPV_INTEL_int4) and with 2D blocks (SPV_INTEL_2d_block_io).
#include <gtest/gtest.h>

#include "program_runner.hpp"

namespace coopvk::reference::test::small_integer_test {
namespace {

// Two storage buffers of `element`, and what else a test declares.
std::string text(const std::string& capabilities, const std::string& element, uint32_t stride,
                 const std::string& declarations, const std::string& body) {
    return "OpCapability Shader\nOpCapability VulkanMemoryModel\nOpCapability Int8\n" +
           capabilities +
           "OpMemoryModel Logical Vulkan\nOpEntryPoint GLCompute %main \"main\" %from %to\n"
           "OpExecutionMode %main LocalSize 4 1 1\nOpDecorate %array ArrayStride " +
           std::to_string(stride) +
           "\nOpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\n"
           "OpDecorate %from DescriptorSet 0\nOpDecorate %from Binding 0\n"
           "OpDecorate %to DescriptorSet 0\nOpDecorate %to Binding 1\n"
           "%void = OpTypeVoid\n%u32 = OpTypeInt 32 0\n%s32 = OpTypeInt 32 1\n"
           "%u8 = OpTypeInt 8 0\n%procedure = OpTypeFunction %void\n"
           "%0 = OpConstant %u32 0\n%1 = OpConstant %u32 1\n%2 = OpConstant %u32 2\n"
           "%3 = OpConstant %u32 3\n%4 = OpConstant %u32 4\n%8 = OpConstant %u32 8\n" +
           declarations + "%array = OpTypeRuntimeArray " + element +
           "\n%block = OpTypeStruct %array\n%pointer = OpTypePointer StorageBuffer %block\n"
           "%elements = OpTypePointer StorageBuffer " +
           element +
           "\n%from = OpVariable %pointer StorageBuffer\n"
           "%to = OpVariable %pointer StorageBuffer\n"
           "%main = OpFunction %void None %procedure\n%entry = OpLabel\n" +
           body + "OpReturn\nOpFunctionEnd\n";
}

constexpr const char* kInt4 =
    "OpCapability Int4TypeINTEL\nOpCapability Int4CooperativeMatrixINTEL\n"
    "OpCapability CooperativeMatrixKHR\nOpExtension \"SPV_INTEL_int4\"\n"
    "OpExtension \"SPV_KHR_cooperative_matrix\"\n";

// "the first component in every pair is in bits 0-3 of the corresponding byte, and the second
// component is in bits 4-7".
TEST(SmallIntegers, PairsShareBytes) {
    const std::string source =
        text(kInt4, "%s4x4", 2, "%s4 = OpTypeInt 4 1\n%s4x4 = OpTypeVector %s4 4\n",
             "%p = OpAccessChain %elements %from %0 %1\n%q = OpAccessChain %elements %to %0 %1\n"
             "%v = OpLoad %s4x4 %p\n%x = OpCompositeExtract %s4 %v 1\n"
             "%y = OpCompositeInsert %s4x4 %x %v 2\nOpStore %q %y\n");
    Execution run;
    run.validate = false;
    run.buffers = {{0, {0x43210000}}, {1, {0xFFFFFFFF}}};
    execute(run, source);
    EXPECT_EQ(run.error, "");
    // Components 1, 2, 3, 4: component 2 becomes component 1.
    EXPECT_EQ(run.buffers[1][0], 0x4221FFFFu);
    EXPECT_EQ(run.buffers[0][0], 0x43210000u);
}

// SPIRV-Tools refuses the strides of such vectors: the device does not ask it for them.
TEST(SmallIntegers, VectorsInStorageBuffersAreValid) {
    for (const uint32_t count : {2u, 4u}) {
        Execution run;
        run.buffers = {{0, {0x43210000}}, {1, {0xFFFFFFFF}}};
        const std::string number = std::to_string(count);
        execute(run, text(kInt4, "%vector", count / 2,
                          "%s4 = OpTypeInt 4 1\n%vector = OpTypeVector %s4 " + number + "\n",
                          "%p = OpAccessChain %elements %from %0 %1\n"
                          "%q = OpAccessChain %elements %to %0 %1\n"
                          "%v = OpLoad %vector %p\nOpStore %q %v\n"));
        EXPECT_EQ(run.error, "");
        EXPECT_EQ(run.buffers[1][0], count == 2 ? 0xFFFF00FFu : 0x4321FFFFu);
    }
}

// A pointer to a component leads to its half of the byte: by a constant index and by others, in a
// buffer and in shared memory.
TEST(SmallIntegers, PointersToComponents) {
    const std::string source = text(
        kInt4, "%s4x4", 2,
        "%s4 = OpTypeInt 4 1\n%s4x4 = OpTypeVector %s4 4\n"
        "%one = OpTypePointer StorageBuffer %s4\n%vectors = OpTypeArray %s4x4 %2\n"
        "%to_vectors = OpTypePointer Workgroup %vectors\n%to_vector = OpTypePointer Workgroup "
        "%s4x4\n"
        "%shared_one = OpTypePointer Workgroup %s4\n%shared = OpVariable %to_vectors Workgroup\n",
        // Component 3 of the first vector, by a constant, to component 1 of the second.
        "%p = OpAccessChain %one %from %0 %0 %3\n%q = OpAccessChain %one %to %0 %1 %1\n"
        "%v = OpLoad %s4 %p\nOpStore %q %v\n"
        // Component n of the first vector to component n - 1 of the same, n from memory.
        "%np = OpAccessChain %one %from %0 %1 %0\n%n4 = OpLoad %s4 %np\n%n = OpUConvert %u32 %n4\n"
        "%m = OpISub %u32 %n %1\n%r = OpAccessChain %one %from %0 %0 %n\n"
        "%s = OpAccessChain %one %to %0 %0 %m\n%w = OpLoad %s4 %r\nOpStore %s %w\n"
        // The second vector through shared memory, with another component n.
        "%e = OpAccessChain %elements %from %0 %1\n%x = OpLoad %s4x4 %e\n"
        "%t = OpAccessChain %to_vector %shared %1\nOpStore %t %x\n"
        "%u = OpAccessChain %shared_one %shared %1 %n\nOpStore %u %w\n%y = OpLoad %s4x4 %t\n"
        "%f = OpAccessChain %elements %to %0 %2\nOpStore %f %y\n");
    std::string single = source;
    single.replace(single.find("LocalSize 4"), 11, "LocalSize 1");
    Execution run;
    run.validate = false;
    run.buffers = {{0, {0x87624321, 0}}, {1, {0xFFFFFFFF, 0xFFFFFFFF}}};
    execute(run, single);
    EXPECT_EQ(run.error, "");
    EXPECT_TRUE(run.reports.empty());
    // The first vector is 1 2 3 4, the second 2 6 7 8: n is 2, and component 2 of the first is 3.
    EXPECT_EQ(run.buffers[1][0], 0xFF4FFF3Fu);
    EXPECT_EQ(run.buffers[1][1], 0xFFFF8362u);
}

TEST(SmallIntegers, MatricesMultiply) {
    const std::string source = text(
        kInt4, "%u8", 1,
        "%s4 = OpTypeInt 4 1\n%A = OpTypeCooperativeMatrixKHR %s4 %3 %4 %8 %0\n"
        "%B = OpTypeCooperativeMatrixKHR %s4 %3 %8 %4 %1\n"
        "%C = OpTypeCooperativeMatrixKHR %s32 %3 %4 %4 %2\n%zero = OpConstant %s32 0\n"
        "%zeros = OpConstantComposite %C %zero\n",
        "%p = OpAccessChain %elements %from %0 %0\n%q = OpAccessChain %elements %to %0 %0\n"
        "%a = OpCooperativeMatrixLoadKHR %A %p %0 %4\n%b = OpCooperativeMatrixLoadKHR %B %p %1 %4\n"
        "%c = OpCooperativeMatrixMulAddKHR %C %a %b %zeros MatrixASignedComponentsKHR|"
        "MatrixBSignedComponentsKHR|MatrixCSignedComponentsKHR|MatrixResultSignedComponentsKHR\n"
        "OpCooperativeMatrixStoreKHR %q %c %0 %16\n");
    std::string whole = source;
    whole.insert(whole.find("%array = "), "%16 = OpConstant %u32 16\n");
    Execution run;
    run.validate = false;
    run.buffers = {{0, {0x76543210, 0xFEDCBA98, 0x13579BDF, 0x8088F17A}},
                   {1, std::vector<uint32_t>(16)}};
    execute(run, whole);
    EXPECT_EQ(run.error, "");
    const auto nibble = [&](uint32_t line, uint32_t k) {  // rows of A are columns of B
        const uint32_t bits = run.buffers[0][line] >> (4 * k) & 15;
        return int32_t(bits << 28) >> 28;
    };
    for (uint32_t row = 0; row < 4; ++row) {
        for (uint32_t column = 0; column < 4; ++column) {
            int32_t expected = 0;
            for (uint32_t k = 0; k < 8; ++k) expected += nibble(row, k) * nibble(column, k);
            EXPECT_EQ(int32_t(run.buffers[1][row * 4 + column]), expected);
        }
    }
}

// Two elements share a byte, and different invocations may hold them.
TEST(SmallIntegers, MatrixIsStoredWithoutRace) {
    const std::string source = text(
        kInt4, "%u8", 1, "%s4 = OpTypeInt 4 1\n%A = OpTypeCooperativeMatrixKHR %s4 %3 %4 %8 %0\n",
        "%p = OpAccessChain %elements %from %0 %0\n%q = OpAccessChain %elements %to %0 %0\n"
        "%a = OpCooperativeMatrixLoadKHR %A %p %0 %4\n"
        "OpCooperativeMatrixStoreKHR %q %a %0 %4\n");
    Execution run;
    run.validate = false;
    run.settings.placement = Choice::kShuffled;
    run.buffers = {{0, {0x76543210, 0xFEDCBA98, 0x13579BDF, 0x8088F17A}},
                   {1, std::vector<uint32_t>(4)}};
    execute(run, source);
    EXPECT_EQ(run.error, "");
    for (const Report& report : run.reports) ADD_FAILURE() << describe(report);
    EXPECT_EQ(run.buffers[1], run.buffers[0]);
}

constexpr const char* kBlocks =
    "OpCapability Subgroup2DBlockIOINTEL\nOpCapability Subgroup2DBlockTransformINTEL\n"
    "OpCapability Subgroup2DBlockTransposeINTEL\nOpExtension \"SPV_INTEL_2d_block_io\"\n";

// A block of 4 x 2 words from (2, 1) on in a region of 5 words and 2 rows, of which the last row
// and the last column are outside; stored to (0, 0).
TEST(Blocks2D, LoadAndStore) {
    const std::string source = text(
        kBlocks, "%u32", 4,
        "%u32x2 = OpTypeVector %u32 2\n%20 = OpConstant %u32 20\n%16 = OpConstant %u32 16\n"
        "%data = OpTypeArray %u32 %2\n%variable = OpTypePointer Function %data\n"
        "%start = OpConstantComposite %u32x2 %2 %1\n%origin = OpConstantComposite %u32x2 %0 %0\n",
        "%d = OpVariable %variable Function\n%p = OpAccessChain %elements %from %0 %0\n"
        "%q = OpAccessChain %elements %to %0 %0\n"
        "OpSubgroup2DBlockLoadINTEL %4 %4 %2 %1 %p %20 %2 %20 %start %d\n"
        "OpSubgroup2DBlockStoreINTEL %4 %4 %2 %1 %d %q %16 %2 %16 %origin\n");
    Execution run;
    run.validate = false;
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < 15; ++i) words.push_back(100 + i);
    run.buffers = {{0, words}, {1, std::vector<uint32_t>(8, 7)}};
    execute(run, source);
    EXPECT_EQ(run.error, "");
    const std::vector<uint32_t> expected = {107, 108, 109, 0, 0, 0, 0, 0};
    EXPECT_EQ(run.buffers[1], expected);
}

}  // namespace
}  // namespace coopvk::reference::test::small_integer_test
