// SPDX-License-Identifier: Apache-2.0
//
// Products with matrices of cooperative vectors that lie in an optimal layout of another
// implementation, whose rows are filled up.
#include <gtest/gtest.h>

#include "program_runner.hpp"

namespace coopvk::reference::test::optimal_layout_test {
namespace {

// Two rows of three numbers, with room for a fourth.
std::string text(const std::string& layout) {
    return R"(
OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability CooperativeVectorNV
OpExtension "SPV_NV_cooperative_vector"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %in %out
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%procedure = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%bool = OpTypeBool
%false = OpConstantFalse %bool
%u_0 = OpConstant %u32 0
%u_2 = OpConstant %u32 2
%u_3 = OpConstant %u32 3
%u_16 = OpConstant %u32 16
%single = OpConstant %u32 1
%layout = OpConstant %u32 )" +
           layout +
           R"(
%f_1 = OpConstant %f32 1
%f_10 = OpConstant %f32 10
%f_100 = OpConstant %f32 100
%three = OpTypeCooperativeVectorNV %f32 %u_3
%two = OpTypeCooperativeVectorNV %f32 %u_2
%input = OpConstantComposite %three %f_1 %f_10 %f_100
%array = OpTypeRuntimeArray %f32
%block = OpTypeStruct %array
%to_block = OpTypePointer StorageBuffer %block
%to_array = OpTypePointer StorageBuffer %array
%in = OpVariable %to_block StorageBuffer
%out = OpVariable %to_block StorageBuffer
%main = OpFunction %void None %procedure
%start = OpLabel
%matrix = OpAccessChain %to_array %in %u_0
%result = OpAccessChain %to_array %out %u_0
%product = OpCooperativeVectorMatrixMulNV %two %input %single %matrix %u_0 %single %u_2 %u_3 %layout %false %u_16
OpCooperativeVectorStoreNV %result %u_0 %product
OpReturn
OpFunctionEnd
)";
}

TEST(OptimalLayout, RowsOfProductsAreFilledUp) {
    constexpr uint32_t kRowMajor = 0, kInferencing = 2, kTraining = 3;
    for (const uint32_t layout : {kRowMajor, kInferencing, kTraining}) {
        for (const bool knowsReaders : {false, true}) {
            Execution run;
            run.optimalLayout.lineAlignment = 16;
            for (const float number :
                 {1.f, 2.f, 3.f, 77.f, 4.f, 5.f, 6.f, 88.f, 9.f, 9.f, 9.f, 9.f})
                run.buffers[0].push_back(bitsOf(number));
            run.buffers[1].resize(2);
            if (knowsReaders) run.readers[0].resize(48);
            execute(run, text(std::to_string(layout)));
            EXPECT_EQ(run.error, "");
            for (const Report& report : run.reports) ADD_FAILURE() << describe(report);
            EXPECT_EQ(run.buffers[1], (std::vector<uint32_t>{bitsOf(321), bitsOf(654)}));
            // Only of optimal layouts is it known what fills up the rows.
            const uint32_t padding = layout == kRowMajor ? 0 : kReadsPadding;
            for (size_t byte = 0; byte < run.readers[0].size(); ++byte) {
                const uint32_t reader = run.readers[0][byte];
                if (byte % 16 >= 12 || byte >= 32)
                    EXPECT_EQ(reader, byte < 32 ? padding : 0) << byte;
                else
                    EXPECT_TRUE(reader != 0 && reader != kReadsPadding) << byte;
            }
        }
    }
}

}  // namespace
}  // namespace coopvk::reference::test::optimal_layout_test
