// SPDX-License-Identifier: Apache-2.0
//
// In which formats `coopvk check` fills and compares memory that no matrix accesses itself: floats
// that are packed into words, and what goes through shared memory. Where a buffer has numbers of
// several formats.
#include <gtest/gtest.h>

#include "case.hpp"
#include "checker.hpp"

namespace coopvk::programs {
namespace {

using check::Format;
using reference::numbers::Number;

constexpr const char* kHead = R"(OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability Float8EXT
OpCapability Int8
OpCapability CooperativeMatrixKHR
OpExtension "SPV_EXT_float8"
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %from %to %shared
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %from DescriptorSet 0
OpDecorate %from Binding 0
OpDecorate %to DescriptorSet 0
OpDecorate %to Binding 1
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%procedure = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u8 = OpTypeInt 8 0
%f32 = OpTypeFloat 32
%e4m3 = OpTypeFloat 8 Float8E4M3EXT
%e4m3x4 = OpTypeVector %e4m3 4
%array = OpTypeRuntimeArray %u32
%block = OpTypeStruct %array
%to_block = OpTypePointer StorageBuffer %block
%to_word = OpTypePointer StorageBuffer %u32
%from = OpVariable %to_block StorageBuffer
%to = OpVariable %to_block StorageBuffer
%c0 = OpConstant %u32 0
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c8 = OpConstant %u32 8
%c64 = OpConstant %u32 64
%one = OpConstant %f32 1
%words = OpTypeArray %u32 %c64
%to_words = OpTypePointer Workgroup %words
%to_shared = OpTypePointer Workgroup %u32
%shared = OpVariable %to_words Workgroup
%A = OpTypeCooperativeMatrixKHR %e4m3 %c3 %c8 %c8 %c0
%main = OpFunction %void None %procedure
%label = OpLabel
%p = OpAccessChain %to_word %from %c0 %c2
%q = OpAccessChain %to_word %to %c0 %c2
)";

// Of a main function with these instructions.
check::Interface interfaceOf(const std::string& body) {
    std::string problem;
    const auto words = assemble(kHead + body + "OpReturn\nOpFunctionEnd\n", problem);
    EXPECT_TRUE(words) << problem;
    return words ? findInterface(check::Module(*words, {})) : check::Interface{};
}

bool has(const check::BufferUse& buffer, Number number) {
    return std::ranges::find(buffer.formats, check::formatOf(number)) != buffer.formats.end();
}

TEST(CheckedFormats, FloatsArePackedIntoWords) {
    const check::Interface found = interfaceOf(
        "%w = OpLoad %u32 %p\n%v = OpBitcast %e4m3x4 %w\n%x = OpFNegate %e4m3x4 %v\n"
        "%y = OpBitcast %u32 %x\nOpStore %q %y\n");
    ASSERT_EQ(found.buffers.size(), 2u);
    EXPECT_TRUE(has(found.buffers[0], Number::e4m3));
    EXPECT_TRUE(has(found.buffers[1], Number::e4m3));
    EXPECT_EQ(found.accessed.size(), 1u);  // by the store
}

// Words go to shared memory, from which a matrix is loaded; words of it go to the other buffer.
TEST(CheckedFormats, MatricesComeFromSharedMemory) {
    const check::Interface found = interfaceOf(
        "%s = OpAccessChain %to_shared %shared %c2\n%w = OpLoad %u32 %p\nOpStore %s %w\n"
        "%m = OpCooperativeMatrixLoadKHR %A %s %c0 %c8\n"
        "%r = OpLoad %u32 %s\nOpStore %q %r\n");
    ASSERT_EQ(found.buffers.size(), 2u);
    EXPECT_TRUE(has(found.buffers[0], Number::e4m3));
    EXPECT_TRUE(has(found.buffers[1], Number::e4m3));
}

TEST(CheckedFormats, IntegersStayIntegers) {
    const check::Interface found = interfaceOf("%w = OpLoad %u32 %p\nOpStore %q %w\n");
    ASSERT_EQ(found.buffers.size(), 2u);
    EXPECT_TRUE(found.buffers[0].formats.empty());
    EXPECT_TRUE(found.buffers[1].formats.empty());
}

// The first two words have halves, the others a float each, as the instructions at 7 and 9 say.
TEST(CheckedFormats, NumbersHaveTheFormatsInWhichTheyWereWritten) {
    std::string problem;
    const auto words = assemble(kHead + std::string("OpReturn\nOpFunctionEnd\n"), problem);
    ASSERT_TRUE(words) << problem;
    const check::Module module(*words, {});
    check::Interface found = findInterface(module);
    found.accessed = {{7, check::formatOf(Number::f16)}, {9, check::formatOf(Number::f32)}};
    check::Buffer buffer{.use = found.buffers[0]};
    buffer.bytes.resize(16);
    buffer.use.formats = {check::formatOf(Number::f16), check::formatOf(Number::f32)};
    check::Accesses writers(16, 7);
    std::fill(writers.begin() + 8, writers.end(), 9);
    std::vector<std::pair<uint64_t, uint32_t>> seen;
    visitNumbers(module, found, buffer, writers, [&](uint64_t offset, const Format& format) {
        seen.emplace_back(offset, format.bits);
    });
    const std::vector<std::pair<uint64_t, uint32_t>> expected = {{0, 16}, {2, 16}, {4, 16},
                                                                 {6, 16}, {8, 32}, {12, 32}};
    EXPECT_EQ(seen, expected);
}

}  // namespace
}  // namespace coopvk::programs
