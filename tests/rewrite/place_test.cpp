// SPDX-License-Identifier: Apache-2.0
//
// The offset of what an access chain leads to: SPIR-V, "Offset", "ArrayStride", "MatrixStride",
// "RowMajor".
#include "lowering/place.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace coopvk::rewrite::place_test
