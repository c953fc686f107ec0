// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "assemble.hpp"
#include "ir/types.hpp"

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

// "The literal is [...] sign-extended" in signed types narrower than 32 bits, else the high-order
// bits are 0; the low-order word of 64 bits comes first (SPIR-V, 2.2.1, "Literal").
TEST(Constants, HaveLiteralsAsWideAsTheirTypesNeed) {
    struct Case {
        uint32_t width;
        bool isSigned;
        uint64_t bits;
        std::vector<uint32_t> words;
    };
    const Case kCases[] = {
        {8, true, 0x7F, {0x7F}},
        {8, true, 0x80, {0xFFFFFF80}},
        {8, true, ~uint64_t{0}, {0xFFFFFFFF}},
        {8, true, 0x17F, {0x7F}},
        {8, false, 0x80, {0x80}},
        {16, true, 1, {1}},
        {16, true, 0x7FFF, {0x7FFF}},
        {16, true, 0x8000, {0xFFFF8000}},
        {16, false, 0xFFFF, {0xFFFF}},
        {16, false, 0x1FFFF, {0xFFFF}},
        {32, true, 0x80000000, {0x80000000}},
        {32, false, 0x123456789, {0x23456789}},
        {64, true, 0x123456789, {0x23456789, 1}},
        {64, false, uint64_t{1} << 63, {0, 0x80000000}},
    };
    for (const Case& c : kCases) {
        Result<Module> module = Module::parse(test::assemble(kModule));
        ASSERT_TRUE(module) << module.error().message;
        TypeTable types(*module);
        const Id constant = types.constant(types.intType(c.width, c.isSigned), c.bits);
        std::vector<uint32_t> words;
        for (const Operand& operand : module->def(constant).operands) words.push_back(operand.word);
        EXPECT_EQ(words, c.words) << c.width << c.isSigned;
    }
}

}  // namespace
}  // namespace coopvk::rewrite::type_sizes_test
