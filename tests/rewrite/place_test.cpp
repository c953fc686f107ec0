// SPDX-License-Identifier: Apache-2.0
//
// The offset of what an access chain leads to: SPIR-V, "Offset", "ArrayStride", "MatrixStride",
// "RowMajor".
#include "lowering/place.hpp"

#include <gtest/gtest.h>

#include <set>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::place_test {
namespace {

// Matrices of three rows and two columns.
constexpr std::string_view kModule = R"(
OpCapability Shader
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %array ArrayStride 48
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 4
OpMemberDecorate %block 1 Offset 64
OpMemberDecorate %block 1 ColMajor
OpMemberDecorate %block 1 MatrixStride 16
OpMemberDecorate %block 2 Offset 128
OpMemberDecorate %block 2 RowMajor
OpMemberDecorate %block 2 MatrixStride 8
OpMemberDecorate %block 3 Offset 256
OpMemberDecorate %block 3 RowMajor
OpMemberDecorate %block 3 MatrixStride 12
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%column = OpTypeVector %f32 3
%matrix = OpTypeMatrix %column 2
%three = OpConstant %u32 3
%array = OpTypeArray %matrix %three
%block = OpTypeStruct %column %matrix %matrix %array
%pointer = OpTypePointer StorageBuffer %block
%element = OpTypePointer StorageBuffer %f32
%buffer = OpVariable %pointer StorageBuffer
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%main = OpFunction %void None %f
%label = OpLabel
%1 = OpAccessChain %element %buffer %c0 %c2
%2 = OpAccessChain %element %buffer %c1 %c1 %c2
%3 = OpAccessChain %element %buffer %c2 %c1 %c0
%4 = OpAccessChain %element %buffer %c2 %c1 %c2
%5 = OpAccessChain %element %buffer %three %c2 %c1 %c2
%6 = OpAccessChain %element %buffer %three %c1 %c0 %c1
OpReturn
OpFunctionEnd
)";

TEST(BufferPlaces, AreWhereDecorationsSay) {
    Result<Module> module = Module::parse(test::assemble(kModule));
    ASSERT_TRUE(module);
    TypeTable types(*module);
    InstructionList code;
    Emitter emit(types, code);
    // Member, then columns and rows by stride; in row-major matrices columns are 4 bytes apart.
    const uint64_t expected[] = {4 + 2 * 4,       64 + 16 + 2 * 4,           128 + 4,
                                 128 + 4 + 2 * 8, 256 + 2 * 48 + 4 + 2 * 12, 256 + 48 + 12};
    std::vector<Id> chains;
    for (const InstructionPtr& i : module->functions()[0]->blocks[0]->body)
        if (i->opcode == spv::Op::OpAccessChain) chains.push_back(i->result);
    ASSERT_EQ(chains.size(), std::size(expected));
    for (size_t n = 0; n < chains.size(); ++n) {
        const BufferPlace place = placeOf(emit, chains[n]);
        ASSERT_TRUE(place.valid()) << n;
        EXPECT_EQ(module->constantValue(place.bytes), expected[n]) << n;
    }
    EXPECT_TRUE(code.empty()) << "constants need no code";
}

// Buffers in a heap: by the type in whose elements it is, and by constant indices. Others are
// arguments of functions.
TEST(BufferPlaces, HaveKeys) {
    std::string text = R"(
OpCapability Shader
OpCapability UntypedPointersKHR
OpCapability DescriptorHeapEXT
OpCapability VulkanMemoryModel
OpExtension "SPV_EXT_descriptor_heap"
OpExtension "SPV_KHR_untyped_pointers"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %heap
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %heap BuiltIn ResourceHeapEXT
OpDecorate %words Block
OpMemberDecorate %words 0 Offset 0
OpDecorateId %buffers ArrayStrideIdEXT %size
OpDecorateId %distant ArrayStrideIdEXT %c256
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%words = OpTypeStruct %u32
%to_words = OpTypePointer StorageBuffer %words
%to_word = OpTypePointer StorageBuffer %u32
%to_descriptor = OpTypeUntypedPointerKHR UniformConstant
%heap = OpUntypedVariableKHR %to_descriptor UniformConstant
%buffer = OpTypeBufferEXT StorageBuffer
%size = OpConstantSizeOfEXT %u32 %buffer
%buffers = OpTypeRuntimeArray %buffer
%distant = OpTypeRuntimeArray %buffer
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c256 = OpConstant %u32 256
%main = OpFunction %void None %f
%label = OpLabel
%n = OpIAdd %u32 %c0 %c1
%m = OpIAdd %u32 %c1 %c1
)";
    const std::string rows[] = {"buffers %heap %c0", "buffers %heap %c1", "distant %heap %c1",
                                "buffers %heap %n", "distant %heap %n"};
    int number = 0;
    const auto add = [&](const std::string& row) {
        const std::string id = std::to_string(number++);
        text += "%d" + id + " = OpUntypedAccessChainKHR %to_descriptor %" + row + "\n%b" + id +
                " = OpBufferPointerEXT %to_words %d" + id + "\n%p" + id +
                " = OpAccessChain %to_word %b" + id + " %c0\n";
    };
    for (const std::string& row : rows) add(row);
    add("buffers %heap %m");
    add("buffers %heap %c1");
    Result<Module> module = Module::parse(test::assemble(text + "OpReturn\nOpFunctionEnd\n"));
    ASSERT_TRUE(module);
    TypeTable types(*module);
    InstructionList code;
    Emitter emit(types, code);
    std::vector<std::vector<uint32_t>> keys;
    for (const InstructionPtr& i : module->functions()[0]->blocks[0]->body) {
        if (i->opcode != spv::Op::OpAccessChain) continue;
        const BufferPlace place = placeOf(emit, i->result);
        ASSERT_TRUE(place.valid());
        place.appendKey(*module, keys.emplace_back());
    }
    ASSERT_EQ(keys.size(), 7u);
    EXPECT_EQ(keys[5], keys[3]);
    EXPECT_EQ(keys[6], keys[1]);
    keys.resize(std::size(rows));
    EXPECT_EQ(std::set(keys.begin(), keys.end()).size(), keys.size());
}

}  // namespace
}  // namespace coopvk::rewrite::place_test
