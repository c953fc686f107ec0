// SPDX-License-Identifier: Apache-2.0
//
// Constants of 4-bit integers.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::int4_constants_test {
namespace {

// Stores a constant vector of so many components, 1, 2, 3 and so on, in the third element of a
// buffer, whose elements have so many bytes.
std::string outputOf(uint32_t components, uint32_t bytes) {
    std::string numbers, constituents;
    for (uint32_t c = 0; c < components; ++c) {
        numbers += std::format("%n{} = OpConstant %u4 {}\n", c, (c + 1) % 16);
        constituents += std::format(" %n{}", c);
    }
    const std::vector<uint32_t> words =
        test::assemble(std::format(R"(
OpCapability Shader
OpCapability Int4TypeINTEL
OpCapability Vector16
OpExtension "SPV_INTEL_int4"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %out
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %list ArrayStride {}
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u4 = OpTypeInt 4 0
%vector = OpTypeVector %u4 {}
%c0 = OpConstant %u32 0
%c2 = OpConstant %u32 2
{}%constant = OpConstantComposite %vector{}
%list = OpTypeRuntimeArray %vector
%block = OpTypeStruct %list
%outPointer = OpTypePointer StorageBuffer %block
%pointer = OpTypePointer StorageBuffer %vector
%out = OpVariable %outPointer StorageBuffer
%main = OpFunction %void None %f
%label = OpLabel
%p = OpAccessChain %pointer %out %c0 %c2
OpStore %p %constant
OpReturn
OpFunctionEnd
)",
                                   bytes, components, numbers, constituents));
    const Result<Rewritten> out = rewrite({.words = words}, {});
    if (!out) {
        ADD_FAILURE() << out.error().message;
        return {};
    }
    EXPECT_EQ(validate(out->words), std::nullopt);
    return disassemble(out->words);
}

// The component of the lowest number is in the lowest-order bits (SPV_INTEL_int4).
TEST(Int4Constants, HaveTheirComponentsInOrder) {
    struct {
        uint32_t components, bytes;
        std::string constant;
    } const rows[] = {
        {2, 1, std::format("OpConstant %uchar {}\n", 0x21)},
        {4, 2, std::format("OpConstant %ushort {}\n", 0x4321)},
        // Elements that are at no multiple of two bytes.
        {4, 3, std::format("OpConstantComposite %v2uchar %uchar_{} %uchar_{}\n", 0x21, 0x43)},
        {8, 4, std::format("OpConstant %uint {}\n", 0x87654321)},
        {16, 8,
         std::format("OpConstantComposite %v2uint %uint_{} %uint_{}\n", 0x87654321, 0x0fedcba9)},
    };
    for (const auto& row : rows) {
        const std::string text = outputOf(row.components, row.bytes);
        EXPECT_NE(text.find(row.constant), text.npos) << row.constant << text;
    }
}

}  // namespace
}  // namespace coopvk::rewrite::int4_constants_test
