// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "assemble.hpp"
#include "ir/types.hpp"

namespace coopvk::rewrite::type_sizes_test {
namespace {

// Sizes in shared memory, whose variables have no offsets. By Vulkan they take at most what the
// rules of storage buffers give, with Booleans of 32 bits. The sizes here are at least that:
// vectors, and matrices, of three take four components, or columns; members of a structure begin at
// multiples of 16, and it ends at one.

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
    EXPECT_EQ(shared.of(10).bytes, 48u) << "4 at 0, 16 at 16, 6 at 32: 38";
    EXPECT_EQ(shared.of(10).scalarAlignment, 4u);
    EXPECT_EQ(openCl.of(6).bytes, 16u);
    EXPECT_EQ(openCl.of(10).bytes, 48u) << "38, aligned as the vector";
    EXPECT_EQ(openCl.of(11).bytes, 32u) << "22, aligned as the vector";
    EXPECT_EQ(laidOut.of(3).bytes, 0u) << "functions have no size";
    EXPECT_EQ(shared.of(3).bytes, kTooManyBytes);
}

// Types of each kind: 20 to 59 are numbered as in kRows.
constexpr std::string_view kKinds = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "main"
OpExecutionMode %1 LocalSize 1 1 1
OpDecorate %33 ArrayStride 16
OpDecorate %35 ArrayStride 8
OpDecorate %43 ArrayStride 8
OpMemberDecorate %36 0 Offset 0
OpMemberDecorate %36 1 Offset 16
OpMemberDecorate %36 1 MatrixStride 16
OpMemberDecorate %36 1 ColMajor
OpMemberDecorate %37 0 Offset 0
OpMemberDecorate %37 1 Offset 16
OpMemberDecorate %37 1 MatrixStride 16
OpMemberDecorate %37 1 RowMajor
OpMemberDecorate %38 0 Offset 0
OpMemberDecorate %38 1 Offset 8
OpDecorate %39 CPacked
OpMemberDecorate %42 0 Offset 4
OpMemberDecorate %44 0 Offset 0
OpMemberDecorate %44 1 Offset 4
OpMemberDecorate %45 0 Offset 0
OpMemberDecorate %45 1 Offset 8
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeFloat 32
%5 = OpTypeVector %4 3
%20 = OpTypeBool
%21 = OpTypeInt 8 0
%22 = OpTypeInt 16 1
%23 = OpTypeInt 32 0
%24 = OpTypeInt 64 0
%25 = OpTypeVector %23 2
%26 = OpTypeVector %23 3
%27 = OpTypeVector %23 4
%28 = OpTypeVector %21 3
%29 = OpTypeMatrix %5 4
%30 = OpTypeMatrix %5 3
%31 = OpTypePointer PhysicalStorageBuffer %23
%6 = OpConstant %23 3
%7 = OpConstant %23 0x80000000
%33 = OpTypeArray %23 %6
%34 = OpTypeArray %23 %6
%35 = OpTypeRuntimeArray %23
%36 = OpTypeStruct %23 %29
%37 = OpTypeStruct %23 %29
%38 = OpTypeStruct %23 %35
%39 = OpTypeStruct %21 %23 %21
%40 = OpTypeStruct %21 %23 %21
%41 = OpTypeCooperativeVectorNV %23 %6
%42 = OpTypeStruct %20
%43 = OpTypeArray %24 %7
%44 = OpTypeStruct %23 %25
%45 = OpTypeStruct %23 %25
%1 = OpFunction %2 None %3
%12 = OpLabel
OpReturn
OpFunctionEnd
)";

struct Size {
    uint64_t bytes;
    uint32_t alignment = 0;  // 0: it does not matter
};
struct Row {
    Id type;
    const char* what;
    std::optional<Size> laidOut, shared, openCl;
};
constexpr uint64_t kAll = kTooManyBytes;
const Row kRows[] = {
    {20, "a Boolean, which only shared memory has", Size{0}, Size{4}, Size{0}},
    {21, "u8", Size{1, 1}, Size{1, 1}, Size{1, 1}},
    {22, "s16", Size{2, 2}, Size{2, 2}, Size{2, 2}},
    {23, "u32", Size{4, 4}, Size{4, 4}, Size{4, 4}},
    {24, "u64", Size{8, 8}, Size{8, 8}, Size{8, 8}},
    {25, "two u32", Size{8, 8}, Size{8}, Size{8, 8}},
    {26, "three u32", Size{12, 16}, Size{16}, Size{16, 16}},
    {27, "four u32", Size{16, 16}, Size{16}, Size{16, 16}},
    {28, "three u8", Size{3, 4}, Size{4}, Size{4, 4}},
    {29, "four columns of three f32: 4 * 16", std::nullopt, Size{64}, Size{0}},
    {30, "three columns of three f32, as four", std::nullopt, Size{64}, Size{0}},
    {31, "a pointer", Size{8, 8}, Size{8, 8}, Size{8, 8}},
    {33, "an array with a stride, which counts only in layouts", Size{48, 4}, Size{12},
     Size{48, 4}},
    {34, "an array without", Size{0}, Size{12}, Size{12, 4}},
    {35, "an array without end", Size{8, 4}, Size{kAll}, Size{0}},
    {36, "columns of a matrix", Size{80, 16}, std::nullopt, std::nullopt},
    {37, "rows of a matrix", Size{64, 16}, std::nullopt, std::nullopt},
    {38, "an array without end in a structure", Size{16, 4}, Size{kAll}, std::nullopt},
    {39, "packed; shared: 1 at 0, 4 at 16, 1 at 32", Size{0}, Size{48}, Size{6}},
    {40, "not packed; shared: as if packed", Size{0}, Size{48}, Size{12, 4}},
    {41, "a cooperative vector", Size{0}, Size{12}, Size{0}},
    {42, "a structure with a Boolean", Size{0}, Size{16}, std::nullopt},
    {43, "16 GiB", Size{kAll}, Size{kAll}, Size{kAll}},
    {44, "a vector at its scalars' alignment; shared: 8 at 16", Size{12, 4}, Size{32}, Size{16, 8}},
    {45, "a vector at its own; shared: 8 at 16", Size{16, 8}, Size{32}, Size{16, 8}},
};

TEST(TypeSizes, AreThoseOfEachKind) {
    Result<Module> module = Module::parse(test::assemble(kKinds));
    ASSERT_TRUE(module) << module.error().message;
    TypeSizes laidOut(*module, MemoryLayout::kExplicit), shared(*module, MemoryLayout::kShared),
        openCl(*module, MemoryLayout::kOpenCl);
    const auto expect = [](const Row& row, TypeSizes& sizes, const std::optional<Size>& size) {
        if (!size) return;
        EXPECT_EQ(sizes.of(row.type).bytes, size->bytes) << row.what;
        if (size->alignment != 0) {
            EXPECT_EQ(sizes.of(row.type).alignment, size->alignment) << row.what;
        }
    };
    for (const Row& row : kRows) {
        expect(row, laidOut, row.laidOut);
        expect(row, shared, row.shared);
        expect(row, openCl, row.openCl);
    }
    TypeTable types(*module);
    EXPECT_EQ(sizeOfType(types, 43), 0u) << "of 32 bits";
    EXPECT_EQ(sizeOfType(types, 45), 16u);
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
