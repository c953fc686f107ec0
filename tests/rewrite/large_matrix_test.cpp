// SPDX-License-Identifier: Apache-2.0
//
// How much code large matrices become. tests/driver tests the results.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::large_matrix_test {
namespace {

// f16 matrices of 32x32 go through variables in a loop with continue and break, a branch, and a
// switch that falls through. `use`: of the matrices; `text`: behind the loop.
std::string moduleText(uint32_t use, std::string_view text) {
    return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %buffer
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %halves ArrayStride 2
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%void_fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c32 = OpConstant %u32 32
%use = OpConstant %u32 {}
%halves = OpTypeRuntimeArray %f16
%block = OpTypeStruct %halves
%pblock = OpTypePointer StorageBuffer %block
%phalf = OpTypePointer StorageBuffer %f16
%buffer = OpVariable %pblock StorageBuffer
%M = OpTypeCooperativeMatrixKHR %f16 %c3 %c32 %c32 %use
%A = OpTypeCooperativeMatrixKHR %f16 %c3 %c32 %c32 %c0
%B = OpTypeCooperativeMatrixKHR %f16 %c3 %c32 %c32 %c1
%C = OpTypeCooperativeMatrixKHR %f16 %c3 %c32 %c32 %c2
%zeros = OpConstantNull %C
%pM = OpTypePointer Function %M
%main = OpFunction %void None %void_fn
%entry = OpLabel
%x = OpVariable %pM Function
%y = OpVariable %pM Function
%p = OpAccessChain %phalf %buffer %c0 %c0
%l1 = OpCooperativeMatrixLoadKHR %M %p %c0 %c32
OpStore %x %l1
%l2 = OpCooperativeMatrixLoadKHR %M %p %c1 %c32
OpStore %y %l2
OpBranch %h
%h = OpLabel
%i = OpPhi %u32 %c0 %entry %next %c
OpLoopMerge %end %c None
OpBranch %body
%body = OpLabel
%x1 = OpLoad %M %x
%y1 = OpLoad %M %y
%isOne = OpIEqual %bool %i %c1
OpSelectionMerge %behind None
OpBranchConditional %isOne %continues %behind
%continues = OpLabel
OpStore %y %x1
OpBranch %c
%behind = OpLabel
%sum = OpFAdd %M %x1 %y1
OpStore %x %sum
%isTwo = OpIEqual %bool %i %c2
OpSelectionMerge %stays None
OpBranchConditional %isTwo %breaks %stays
%breaks = OpLabel
OpBranch %end
%stays = OpLabel
OpSelectionMerge %meet None
OpSwitch %i %other 0 %first 3 %second
%first = OpLabel
%x2 = OpLoad %M %x
%n = OpFNegate %M %x2
OpStore %y %n
OpBranch %second
%second = OpLabel
%x3 = OpLoad %M %x
%y3 = OpLoad %M %y
%d = OpFSub %M %x3 %y3
OpStore %x %d
OpBranch %meet
%other = OpLabel
OpStore %x %y1
OpBranch %meet
%meet = OpLabel
OpBranch %c
%c = OpLabel
%next = OpIAdd %u32 %i %c1
%more = OpULessThan %bool %next %c32
OpBranchConditional %more %h %end
%end = OpLabel
%last = OpLoad %M %x
OpCooperativeMatrixStoreKHR %p %last %c0 %c32
{}
OpReturn
OpFunctionEnd
)",
                       use, text);
}

size_t wordsOf(uint32_t use, std::string_view text = "") {
    const auto words = test::assemble(moduleText(use, text));
    EXPECT_EQ(validate(words), std::nullopt);
    Request request;
    request.words = words;
    Target target;
    target.subgroupSize = 32;
    target.device.shaderFloat16 = true;
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return 0;
    EXPECT_EQ(validate(out->words), std::nullopt);
    return out->words.size();
}

// Without products, an invocation holds each element of A and B as of an accumulator: once.
TEST(LargeMatrices, WithoutProductsAreAsSmallAsAccumulators) {
    const size_t accumulator = wordsOf(2);
    EXPECT_LE(wordsOf(0), accumulator * 11 / 10);
    EXPECT_LE(wordsOf(1), accumulator * 11 / 10);
    EXPECT_LE(accumulator, 5000u);
}

// What branches move is as small if a product reads it: products convert what they read.
TEST(LargeMatrices, ThatProductsReadAreMovedAsSmallAsAccumulators) {
    const std::string loadB = "%b = OpCooperativeMatrixLoadKHR %B %p %c0 %c32\n";
    const std::string loadA = "%a = OpCooperativeMatrixLoadKHR %A %p %c0 %c32\n";
    const auto product = [](std::string_view a, std::string_view b) {
        return std::format(
            "%product = OpCooperativeMatrixMulAddKHR %C {} {} %zeros\n"
            "OpCooperativeMatrixStoreKHR %p %product %c0 %c32\n",
            a, b);
    };
    const size_t apart = wordsOf(2, loadA + loadB + product("%a", "%b"));
    EXPECT_LE(wordsOf(0, loadB + product("%last", "%b")), apart);
    EXPECT_LE(wordsOf(1, loadA + product("%a", "%last")), apart);
}

}  // namespace
}  // namespace coopvk::rewrite::large_matrix_test
