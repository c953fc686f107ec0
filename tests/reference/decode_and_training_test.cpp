// SPDX-License-Identifier: Apache-2.0
// Programs whose instructions call functions or add to memory: decode functions of
// SPV_NV_cooperative_matrix2, training of SPV_NV_cooperative_vector. Expected values are those of
// the texts' formulas.
#include <gtest/gtest.h>

#include "coopvk_reference/intervals.hpp"
#include "matrix_text.hpp"
#include "program_runner.hpp"

namespace coopvk::reference::test::decode_and_training_test {
namespace {

void expectRan(const Execution& run) {
    EXPECT_EQ(run.error, "");
    for (const Report& report : run.reports) ADD_FAILURE() << describe(report);
}

void replace(std::string& text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
}

// Blocks of 1 x 2 elements, one number for each: the function gets the block's number, the block's
// coordinates and those in the block.
TEST(DecodeFunctions, GetBlockAndCoordinates) {
    std::string module = text(R"(
%t0 = OpCreateTensorLayoutNV %layout
%t1 = OpTensorLayoutSetBlockSizeNV %layout %t0 %1 %2
%t2 = OpTensorLayoutSetDimensionNV %layout %t1 %4 %6
%c = OpCooperativeMatrixLoadTensorNV %C %p1 %zeros %t2 None DecodeFunc %decode
OpCooperativeMatrixStoreKHR %p2 %c %0 %6
)",
                              "3", 4, R"(
%decode = OpFunction %f32 None %decoding
%quant = OpFunctionParameter %reference
%at = OpFunctionParameter %pair
%in = OpFunctionParameter %pair
%decodeEntry = OpLabel
%number = OpLoad %f32 %quant Aligned 4
%row = OpCompositeExtract %u32 %at 0
%column = OpCompositeExtract %u32 %at 1
%place = OpCompositeExtract %u32 %in 1
%rows = OpIMul %u32 %row %100
%columns = OpIMul %u32 %column %1000
%places = OpIMul %u32 %place %10
%x = OpIAdd %u32 %rows %columns
%y = OpIAdd %u32 %x %places
%z = OpConvertUToF %f32 %y
%value = OpFAdd %f32 %number %z
OpReturnValue %value
OpFunctionEnd
)");
    replace(module, "OpMemoryModel Logical Vulkan",
            "OpCapability PhysicalStorageBufferAddresses\n"
            "OpCapability CooperativeMatrixBlockLoadsNV\n"
            "OpMemoryModel PhysicalStorageBuffer64 Vulkan");
    // Extensions come after all capabilities.
    const std::string extensions =
        "OpExtension \"SPV_KHR_cooperative_matrix\"\nOpExtension \"SPV_NV_cooperative_matrix2\"\n"
        "OpExtension \"SPV_NV_tensor_addressing\"\n";
    replace(module, extensions, "");
    module.insert(module.find("OpMemoryModel"), extensions);
    module.insert(module.find("%main = OpFunction"), R"(
%10 = OpConstant %u32 10
%100 = OpConstant %u32 100
%1000 = OpConstant %u32 1000
%pair = OpTypeArray %u32 %2
%reference = OpTypePointer PhysicalStorageBuffer %f32
%decoding = OpTypeFunction %f32 %reference %pair %pair
)");
    Execution run;
    run.buffers = {{0, {0}}, {1, {}}, {2, std::vector<uint32_t>(24)}};
    for (uint32_t i = 0; i < 12; ++i) run.buffers[1].push_back(bitsOf(float(i) / 16));
    execute(run, module);
    expectRan(run);
    for (uint32_t row = 0; row < 4; ++row) {
        for (uint32_t column = 0; column < 6; ++column) {
            const uint32_t block = row * 3 + column / 2;
            EXPECT_EQ(
                floatOf(run.buffers[2][row * 6 + column]),
                float(block) / 16 + float(100 * row + 1000 * (column / 2) + 10 * (column % 2)));
        }
    }
}

// Four invocations with vectors of 2 and of 3 components: each adds the product of its vectors to
// one matrix, and its second vector to one vector behind the matrix.
const char* const kTraining = R"(
OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability CooperativeVectorNV
OpCapability CooperativeVectorTrainingNV
OpExtension "SPV_NV_cooperative_vector"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %from %to %lane
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %lane BuiltIn LocalInvocationIndex
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %from DescriptorSet 0
OpDecorate %from Binding 0
OpDecorate %to DescriptorSet 0
OpDecorate %to Binding 1
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%0 = OpConstant %u32 0
%1 = OpConstant %u32 1
%2 = OpConstant %u32 2
%3 = OpConstant %u32 3
%16 = OpConstant %u32 16
%24 = OpConstant %u32 24
%32 = OpConstant %u32 32
%A = OpTypeCooperativeVectorNV %f32 %2
%B = OpTypeCooperativeVectorNV %f32 %3
%array = OpTypeRuntimeArray %f32
%block = OpTypeStruct %array
%pointer = OpTypePointer StorageBuffer %block
%elements = OpTypePointer StorageBuffer %array
%from = OpVariable %pointer StorageBuffer
%to = OpVariable %pointer StorageBuffer
%input = OpTypePointer Input %u32
%lane = OpVariable %input Input
%procedure = OpTypeFunction %void
%main = OpFunction %void None %procedure
%entry = OpLabel
%i = OpLoad %u32 %lane
%first = OpIMul %u32 %i %32
%second = OpIAdd %u32 %first %16
%in = OpAccessChain %elements %from %0
%out = OpAccessChain %elements %to %0
%a = OpCooperativeVectorLoadNV %A %in %first
%b = OpCooperativeVectorLoadNV %B %in %second
OpCooperativeVectorOuterProductAccumulateNV %out %0 %a %b %3 %1
OpCooperativeVectorReduceSumAccumulateNV %out %24 %b
OpReturn
OpFunctionEnd
)";

TEST(Training, AddsProductsAndSums) {
    Execution run;
    const auto input = [](uint32_t lane, uint32_t i) { return float((lane * 7 + i * 5) % 11) - 5; };
    for (uint32_t lane = 0; lane < 4; ++lane)
        for (uint32_t i = 0; i < 8; ++i) run.buffers[0].push_back(bitsOf(input(lane, i)));
    for (uint32_t i = 0; i < 9; ++i) run.buffers[1].push_back(bitsOf(float(i)));
    execute(run, kTraining);
    expectRan(run);
    for (uint32_t n = 0; n < 3; ++n) {
        float sum = float(6 + n);
        for (uint32_t lane = 0; lane < 4; ++lane) sum += input(lane, 4 + n);
        EXPECT_EQ(floatOf(run.buffers[1][6 + n]), sum);
        for (uint32_t m = 0; m < 2; ++m) {
            float product = float(m * 3 + n);
            for (uint32_t lane = 0; lane < 4; ++lane)
                product += input(lane, m) * input(lane, 4 + n);
            EXPECT_EQ(floatOf(run.buffers[1][m * 3 + n]), product);
        }
    }
}

// Invocations may add in any order: what is exact in each has no freedom, and a small number is
// lost where a large one comes before its negative.
TEST(Training, AddsInAnyOrder) {
    constexpr float kLarge = 0x1p27f;
    for (const bool isExact : {true, false}) {
        Execution run;
        Intervals intervals;
        run.settings.intervals = &intervals;
        for (const float b : {isExact ? 1.f : kLarge, isExact ? 1.f : -kLarge, 1.f, 1.f})
            for (uint32_t i = 0; i < 8; ++i) run.buffers[0].push_back(bitsOf(i < 4 ? 1.f : b));
        run.buffers[1].resize(9);
        for (const auto& [binding, words] : run.buffers)
            run.deviations[binding].resize(words.size() * 4);
        execute(run, kTraining);
        expectRan(run);
        for (uint32_t n = 0; n < 9; ++n) {
            const Interval sum =
                intervalOf(run.deviations[1][n * 4], numbers::Number::f32, run.buffers[1][n]);
            EXPECT_EQ(sum.low == 4 && sum.high == 4, isExact) << n;
            EXPECT_NE(sum.contains(0) && sum.contains(2), isExact) << n;
            EXPECT_FALSE(sum.contains(kLarge)) << n;
        }
    }
}

// Layouts of SPV_NV_cooperative_vector: 0 and 1 by rows and columns; 2 and 3 are a device's own.
TEST(Training, OptimalLayoutsAreNoticed) {
    for (const char* layout : {"%0", "%1", "%2", "%3"}) {
        std::string module = kTraining;
        const size_t from = module.find("OpCooperativeVectorOuterProductAccumulateNV");
        module.replace(from, module.find("OpReturn\n") - from,
                       "%y = OpCooperativeVectorMatrixMulNV %A %b %1 %in %0 %1 %2 %3 " +
                           std::string(layout) +
                           " %false %16\nOpCooperativeVectorStoreNV %out %0 %y\n");
        replace(module, "%procedure = ",
                "%bool = OpTypeBool\n%false = OpConstantFalse %bool\n"
                "%procedure = ");
        const std::vector<uint32_t> words = assemble(module);
        ProgramRequest request;
        request.words = words;
        request.subgroupSize = 4;
        const auto program = makeProgram(request);
        ASSERT_TRUE(program) << program.error().message;
        EXPECT_EQ(usesOptimalLayouts(**program), layout[1] >= '2') << layout;
    }
}

// What the module with this in place of the training gives.
Execution withProduct(const std::string& product) {
    std::string module = kTraining;
    const size_t from = module.find("OpCooperativeVectorOuterProductAccumulateNV");
    module.replace(from, module.find("OpReturn\n") - from, product);
    replace(module,
            "%procedure = ", "%bool = OpTypeBool\n%false = OpConstantFalse %bool\n%procedure = ");
    Execution run;
    run.buffers[0].resize(64);
    run.buffers[1].resize(64);
    execute(run, module);
    return run;
}

// VkComponentTypeKHR has no 24, "Cooperative Vector Matrix Layout" no 16.
TEST(Training, NumbersWithoutMeaning) {
    const auto error = [](const std::string& input, const std::string& matrix,
                          const std::string& layout, const std::string& bias) {
        return withProduct("%y = OpCooperativeVectorMatrixMulAddNV %A %b " + input + " %in %0 " +
                           matrix + " %in %0 " + bias + " %2 %3 " + layout + " %false %16\n")
            .error;
    };
    EXPECT_EQ(error("%1", "%1", "%0", "%1"), "");
    // Optimal layouts need no stride.
    EXPECT_EQ(
        withProduct("%y = OpCooperativeVectorMatrixMulNV %A %b %1 %in %0 %1 %2 %3 %2 %false\n")
            .error,
        "");
    EXPECT_NE(error("%24", "%1", "%0", "%1"), "");
    EXPECT_NE(error("%1", "%24", "%0", "%1"), "");
    EXPECT_NE(error("%1", "%1", "%16", "%1"), "");
    EXPECT_NE(error("%1", "%1", "%0", "%24"), "");
    const std::string outer = "OpCooperativeVectorOuterProductAccumulateNV %out %0 %a %b ";
    EXPECT_EQ(withProduct(outer + "%3 %1\n").error, "");
    EXPECT_NE(withProduct(outer + "%3 %24\n").error, "");
    EXPECT_NE(withProduct(outer + "%16 %1\n").error, "");
}

TEST(Training, UndefinedVectors) {
    const std::string outer = "OpCooperativeVectorOuterProductAccumulateNV %out %0 ";
    for (const std::string which : {"%a %b", "%no_a %b", "%a %no_b"}) {
        const Execution run =
            withProduct("%no_a = OpUndef %A\n%no_b = OpUndef %B\n" + outer + which + " %3 %1\n");
        uint32_t undefined = 0;
        for (const Report& report : run.reports) undefined += report.check == kCheckUndefined;
        EXPECT_EQ(undefined, which == "%a %b" ? 0u : 1u) << which;
    }
}

}  // namespace
}  // namespace coopvk::reference::test::decode_and_training_test
