// SPDX-License-Identifier: Apache-2.0
#include "matrix/product_loops.hpp"

#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"

namespace coopvk::rewrite::product_loops_test {
namespace {

// Further lines for the module and for the loop.
struct Extra {
    std::string_view types, body;
};

// A loop from 0 to 2 that the module wants unrolled: it adds a 16x16x16 product to one of
// `accumulators` matrices, at `index`.
std::string loopModule(uint32_t accumulators, std::string_view index, const Extra& extra) {
    return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 32 1 1
%void = OpTypeVoid
%f = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c16 = OpConstant %u32 16
%count = OpConstant %u32 {}
%A = OpTypeCooperativeMatrixKHR %f16 %c3 %c16 %c16 %c0
%B = OpTypeCooperativeMatrixKHR %f16 %c3 %c16 %c16 %c1
%C = OpTypeCooperativeMatrixKHR %f16 %c3 %c16 %c16 %c2
%array = OpTypeArray %C %count
%a = OpConstantNull %A
%b = OpConstantNull %B
%arrayPointer = OpTypePointer Function %array
%matrixPointer = OpTypePointer Function %C
%counterPointer = OpTypePointer Function %u32
{}%main = OpFunction %void None %f
%entry = OpLabel
%sums = OpVariable %arrayPointer Function
%i = OpVariable %counterPointer Function
OpStore %i %c0
OpBranch %header
%header = OpLabel
OpLoopMerge %merge %continue Unroll
OpBranch %check
%check = OpLabel
%now = OpLoad %u32 %i
%more = OpULessThan %bool %now %c2
OpBranchConditional %more %body %merge
%body = OpLabel
%loaded = OpLoad %u32 %i
%half = OpShiftRightLogical %u32 %loaded %c1
{}%place = OpAccessChain %matrixPointer %sums {}
%sum = OpLoad %C %place
%product = OpCooperativeMatrixMulAddKHR %C %a %b %sum
OpStore %place %product
OpBranch %continue
%continue = OpLabel
%old = OpLoad %u32 %i
%next = OpIAdd %u32 %old %c1
OpStore %i %next
OpBranch %header
%merge = OpLabel
OpReturn
OpFunctionEnd
)",
                       accumulators, extra.types, extra.body, index);
}

spv::LoopControlMask controlAfter(uint32_t accumulators, std::string_view index,
                                  uint32_t subgroupSize, const Extra& extra = {}) {
    Result<Module> module = Module::parse(test::assemble(loopModule(accumulators, index, extra)));
    EXPECT_TRUE(module);
    if (!module) return spv::LoopControlMask::MaskNone;
    keepProductLoopsRolled(*module, subgroupSize, 1024);
    for (const auto& block : module->functions().front()->blocks) {
        for (const InstructionPtr& i : block->body) {
            if (i->opcode == spv::Op::OpLoopMerge) return spv::LoopControlMask{i->word(2)};
        }
    }
    ADD_FAILURE() << "no loop left";
    return spv::LoopControlMask::MaskNone;
}

TEST(MatrixLoops, LargeBodiesStayRolled) {
    EXPECT_EQ(controlAfter(16, "%c0", 32), spv::LoopControlMask::DontUnroll);
}

TEST(MatrixLoops, SmallBodiesKeepTheirHint) {
    EXPECT_EQ(controlAfter(8, "%c0", 32), spv::LoopControlMask::Unroll);
    EXPECT_EQ(controlAfter(16, "%c0", 128), spv::LoopControlMask::Unroll);
}

TEST(MatrixLoops, MatricesPickedByTheCounterKeepTheirHint) {
    EXPECT_EQ(controlAfter(16, "%loaded", 32), spv::LoopControlMask::Unroll);
    EXPECT_EQ(controlAfter(16, "%half", 32), spv::LoopControlMask::Unroll);
}

// 200 matrices of 16x16 are 1,600 components to each of 32 invocations.
TEST(MatrixLoops, MoreMatricesThanRegistersStayRolled) {
    EXPECT_EQ(controlAfter(200, "%loaded", 32), spv::LoopControlMask::DontUnroll);
    EXPECT_EQ(controlAfter(128, "%loaded", 32), spv::LoopControlMask::Unroll);
}

TEST(MatrixLoops, PointersMayLeadBackToTheirType) {
    constexpr Extra kList = {
        "OpTypeForwardPointer %node PhysicalStorageBuffer\n"
        "%struct = OpTypeStruct %u32 %node\n"
        "%node = OpTypePointer PhysicalStorageBuffer %struct\n",
        "%next_node = OpUndef %node\n"};
    EXPECT_EQ(controlAfter(16, "%c0", 32, kList), spv::LoopControlMask::DontUnroll);
    EXPECT_EQ(controlAfter(16, "%half", 32, kList), spv::LoopControlMask::Unroll);
}

TEST(MatrixLoops, TypesNestedInThemselvesTakeNoTime) {
    std::string types = "%s0 = OpTypeStruct %u32 %u32\n";
    for (int depth = 1; depth < 500; ++depth) {
        types += std::format("%s{} = OpTypeStruct %s{} %s{}\n", depth, depth - 1, depth - 1);
    }
    const Extra extra = {types, "%many = OpUndef %s499\n"};
    EXPECT_EQ(controlAfter(16, "%c0", 32, extra), spv::LoopControlMask::DontUnroll);
}

}  // namespace
}  // namespace coopvk::rewrite::product_loops_test
