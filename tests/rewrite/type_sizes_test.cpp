// SPDX-License-Identifier: Apache-2.0
#include "ir/type_sizes.hpp"

#include <gtest/gtest.h>

#include "assemble.hpp"

namespace coopvk::rewrite::type_sizes_test {
namespace {

// A u32, a vector of three and three u16: %10 without a layout, %11 with offsets 0, 4, 16.
constexpr std::string_view kModule = R"(
OpCapability Shader
OpCapability Int16
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "main"
OpExecutionMode %1 LocalSize 1 1 1
OpDecorate %9 ArrayStride 2
OpMemberDecorate %11 0 Offset 0
OpMemberDecorate %11 1 Offset 4
OpMemberDecorate %11 2 Offset 16
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeInt 32 0
%5 = OpTypeInt 16 0
%6 = OpTypeVector %4 3
%7 = OpConstant %4 3
%8 = OpTypeArray %5 %7
%9 = OpTypeArray %5 %7
%10 = OpTypeStruct %4 %6 %8
%11 = OpTypeStruct %4 %6 %9
%1 = OpFunction %2 None %3
%12 = OpLabel
OpReturn
OpFunctionEnd
)";

TEST(TypeSizes, FollowTheLayout) {
    Result<Module> module = Module::parse(test::assemble(kModule));
    ASSERT_TRUE(module) << module.error().message;
    TypeSizes laidOut(*module, MemoryLayout::kExplicit), shared(*module, MemoryLayout::kShared),
        openCl(*module, MemoryLayout::kOpenCl);
    EXPECT_EQ(laidOut.of(6).bytes, 12u);
    EXPECT_EQ(laidOut.of(6).alignment, 16u);
    EXPECT_EQ(laidOut.of(10).bytes, 0u) << "no offsets";
    EXPECT_EQ(laidOut.of(11).bytes, 24u) << "22, and the vector has the scalar alignment";
    EXPECT_EQ(shared.of(10).bytes, 48u);
    EXPECT_EQ(shared.of(10).scalarAlignment, 4u);
    EXPECT_EQ(openCl.of(6).bytes, 16u);
    EXPECT_EQ(openCl.of(10).bytes, 48u) << "38, aligned as the vector";
    EXPECT_EQ(openCl.of(11).bytes, 32u) << "22, aligned as the vector";
    EXPECT_EQ(laidOut.of(3).bytes, 0u) << "functions have no size";
    EXPECT_EQ(shared.of(3).bytes, kTooManyBytes);
}

}  // namespace
}  // namespace coopvk::rewrite::type_sizes_test
