// SPDX-License-Identifier: Apache-2.0
//
// Forms of modules that other producers write, whose results a device does not show.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::foreign_forms_test {
namespace {

Result<Rewritten> run(const std::vector<uint32_t>& words) {
    Request request;
    request.words = words;
    Target target;
    target.subgroupSize = 32;
    return rewrite(request, target);
}

// A load of a block from a buffer.
constexpr std::string_view kBlockLoad = R"(
OpCapability Shader
OpCapability Subgroup2DBlockIOINTEL
OpExtension "SPV_INTEL_2d_block_io"
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%s32 = OpTypeInt 32 1
%s32x2 = OpTypeVector %s32 2
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c4 = OpConstant %u32 4
%c8 = OpConstant %u32 8
%c32 = OpConstant %u32 32
%at = OpConstantNull %s32x2
%words = OpTypeRuntimeArray %u32
%block = OpTypeStruct %words
%pBlock = OpTypePointer StorageBuffer %block
%pWord = OpTypePointer StorageBuffer %u32
%buffer = OpVariable %pBlock StorageBuffer
%held = OpTypeArray %u32 %c32
%pHeld = OpTypePointer Function %held
%main = OpFunction %void None %f
%label = OpLabel
%h = OpVariable %pHeld Function
%p = OpAccessChain %pWord %buffer %c0 %c0
OpSubgroup2DBlockLoadINTEL %c4 %c8 %c8 %c1 %p %c32 %c8 %c32 %at %h
OpReturn
OpFunctionEnd
)";

// Compilers write SPIR-V 1.0 unless told otherwise; operations on subgroups came with 1.3.
TEST(ForeignForms, VersionBeforeOperationsOnSubgroups) {
    std::vector<uint32_t> words = test::assemble(kBlockLoad);
    words.at(1) = 0x00010000;
    const Result<Rewritten> out = run(words);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words).value_or(""), "");
    EXPECT_EQ(out->words.at(1), 0x00010300u);
}

// Ids may have gaps, up to the universal limit (SPIR-V specification, section 2.17).
TEST(ForeignForms, IdsAtTheLimitOfTheBound) {
    std::vector<uint32_t> words = test::assemble(test::multiplyModule(16, 16, 16));
    words.at(3) = 0x3FFFFF;
    ASSERT_EQ(validate(words).value_or(""), "");
    const Result<Rewritten> out = run(words);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words).value_or(""), "");
}

// One matrix, from a buffer of an array that the invocations of a workgroup may choose differently.
constexpr std::string_view kChosenBuffer = R"(
OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability ShaderNonUniform
OpCapability StorageBufferArrayNonUniformIndexing
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %buffers %id
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffers DescriptorSet 0
OpDecorate %buffers Binding 0
OpDecorate %id BuiltIn SubgroupId
OpDecorate %p NonUniform
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c4 = OpConstant %u32 4
%c16 = OpConstant %u32 16
%words = OpTypeRuntimeArray %f32
%block = OpTypeStruct %words
%array = OpTypeArray %block %c4
%pArray = OpTypePointer StorageBuffer %array
%pWord = OpTypePointer StorageBuffer %f32
%buffers = OpVariable %pArray StorageBuffer
%pId = OpTypePointer Input %u32
%id = OpVariable %pId Input
%C = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c2
%main = OpFunction %void None %f
%label = OpLabel
%number = OpLoad %u32 %id
%p = OpAccessChain %pWord %buffers %number %c0 %c0
%c = OpCooperativeMatrixLoadKHR %C %p %c0 %c16
OpCooperativeMatrixStoreKHR %p %c %c0 %c16
OpReturn
OpFunctionEnd
)";

TEST(ForeignForms, PointersToElementsAreNonUniform) {
    const std::vector<uint32_t> words =
        test::assemble("OpCapability GroupNonUniform\n" + std::string(kChosenBuffer));
    ASSERT_EQ(validate(words).value_or(""), "");
    const Result<Rewritten> out = run(words);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words).value_or(""), "");
    const std::string text = disassemble(out->words);
    size_t accesses = 0;
    constexpr std::string_view kLoad = "OpLoad %v2uint ";  // both elements of a line
    for (size_t at = 0; (at = text.find(kLoad, at)) != text.npos; ++accesses) {
        at += kLoad.size();
        const std::string pointer = text.substr(at, text.find_first_of(" \n", at) - at);
        EXPECT_NE(text.find(std::format("OpDecorate {} NonUniform", pointer)), text.npos)
            << pointer << " in\n"
            << text;
    }
    EXPECT_NE(accesses, 0u);
}

}  // namespace
}  // namespace coopvk::rewrite::foreign_forms_test
