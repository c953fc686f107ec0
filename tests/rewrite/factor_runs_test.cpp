// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "matrix/tiles/tile_grid.hpp"

namespace coopvk::rewrite::factor_runs_test {
namespace {

// A product of %a (32 x 64) and %b (64 x 32), which are loaded from tensors of f16.
struct Case {
    std::string_view name;
    std::string_view viewOfA = "None", viewOfB = "None";  // Tensor Addressing Operands
    std::string_view more = "";                           // behind the product
    bool isTiled = true;
    std::optional<rewrite::Run> a = rewrite::Run{Dimension::kColumns, 8};
    std::optional<rewrite::Run> b = rewrite::Run{Dimension::kColumns, 8};
};

constexpr std::string_view kTransposed = "TensorView %transposed";

std::string moduleText(const Case& c) {
    return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpCapability TensorAddressingNV
OpCapability CooperativeMatrixTensorAddressingNV
OpCapability CooperativeMatrixBlockLoadsNV
OpCapability PhysicalStorageBufferAddresses
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_NV_tensor_addressing"
OpExtension "SPV_NV_cooperative_matrix2"
OpMemoryModel PhysicalStorageBuffer64 Vulkan
OpEntryPoint GLCompute %main "main" %buffer
OpExecutionMode %main LocalSize 128 1 1
OpDecorate %halves ArrayStride 2
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%void_fn = OpTypeFunction %void
%bool = OpTypeBool
%false = OpConstantFalse %bool
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c32 = OpConstant %u32 32
%c64 = OpConstant %u32 64
%f0 = OpConstant %f32 0
%halves = OpTypeRuntimeArray %f16
%block = OpTypeStruct %halves
%block_pointer = OpTypePointer StorageBuffer %block
%pointer = OpTypePointer StorageBuffer %f16
%buffer = OpVariable %block_pointer StorageBuffer
%physical = OpTypePointer PhysicalStorageBuffer %f16
%coordinates = OpTypeArray %u32 %c2
%decode_type = OpTypeFunction %f16 %physical %coordinates %coordinates
%A = OpTypeCooperativeMatrixKHR %f16 %c2 %c32 %c64 %c0
%B = OpTypeCooperativeMatrixKHR %f16 %c2 %c64 %c32 %c1
%C = OpTypeCooperativeMatrixKHR %f32 %c2 %c32 %c32 %c2
%a0 = OpConstantNull %A
%b0 = OpConstantNull %B
%zeros = OpConstantComposite %C %f0
%layout = OpTypeTensorLayoutNV %c2 %c1
%permuted = OpTypeTensorViewNV %c2 %false %c1 %c0
%main = OpFunction %void None %void_fn
%label = OpLabel
%t = OpCreateTensorLayoutNV %layout
%transposed = OpCreateTensorViewNV %permuted
%p = OpAccessChain %pointer %buffer %c0 %c0
%a = OpCooperativeMatrixLoadTensorNV %A %p %a0 %t None {}
%b = OpCooperativeMatrixLoadTensorNV %B %p %b0 %t None {}
%copy = OpCopyObject %A %a
%product = OpCooperativeMatrixMulAddKHR %C %copy %b %zeros
{}
OpReturn
OpFunctionEnd
%decode = OpFunction %f16 None %decode_type
%address = OpFunctionParameter %physical
%in_tensor = OpFunctionParameter %coordinates
%in_block = OpFunctionParameter %coordinates
%decode_label = OpLabel
%decoded = OpLoad %f16 %address Aligned 2
OpReturnValue %decoded
OpFunctionEnd
)",
                       c.viewOfA, c.viewOfB, c.more);
}

const Case kCases[] = {
    {.name = "Rows"},
    {.name = "Columns",
     .viewOfA = kTransposed,
     .viewOfB = kTransposed,
     .a = Run{Dimension::kRows, 8},
     .b = Run{Dimension::kRows, 8}},
    {.name = "BothDimensions",
     .more = "%again = OpCooperativeMatrixLoadTensorNV %A %p %a0 %t None TensorView %transposed",
     .a = std::nullopt},
    {.name = "Decoded", .viewOfA = "DecodeFunc %decode", .a = Run{Dimension::kColumns, 4}},
    {.name = "AlsoDecoded",
     .more = "%again = OpCooperativeMatrixLoadTensorNV %A %p %a0 %t None DecodeFunc %decode",
     .a = Run{Dimension::kColumns, 4}},
    {.name = "AlsoPlain",
     .viewOfA = "DecodeFunc %decode",
     .more = "%again = OpCooperativeMatrixLoadTensorNV %A %p %a0 %t None None",
     .a = Run{Dimension::kColumns, 4}},
    {.name = "Arithmetic", .more = "%twice = OpFAdd %A %a %a", .a = std::nullopt},
    {.name = "Stored",
     .more = "OpCooperativeMatrixStoreTensorNV %p %b %t None None",
     .b = std::nullopt},
    {.name = "OtherLoad",
     .more = "%other = OpCooperativeMatrixLoadKHR %B %p %c0 %c32",
     .b = std::nullopt},
    {.name = "Component", .more = "%one = OpCompositeExtract %f16 %a 0", .a = std::nullopt},
    {.name = "Length", .more = "%length = OpCooperativeMatrixLengthKHR %u32 %A"},
    {.name = "NoTiles", .isTiled = false, .a = std::nullopt, .b = std::nullopt},
};

class FactorRuns : public testing::TestWithParam<Case> {};

TEST_P(FactorRuns, AreAlongMemory) {
    const Case& c = GetParam();
    const std::vector<uint32_t> words = test::assemble(moduleText(c));
    ASSERT_EQ(validate(words), std::nullopt);
    Result<Module> module = Module::parse(words);
    ASSERT_TRUE(module) << module.error().message;
    const TypeTable types(*module);
    std::vector<Id> matrices;  // A, B, C
    for (const InstructionPtr& i : module->section(Section::kGlobals)) {
        if (i->opcode == spv::Op::OpTypeCooperativeMatrixKHR) matrices.push_back(i->result);
    }
    ASSERT_EQ(matrices.size(), 3u);
    TilePlan tiles;
    if (c.isTiled) tiles.grids[matrices[2]] = {.rows = 16, .columns = 16, .depth = 16};
    std::map<Id, rewrite::Run> want;
    if (c.a) want[matrices[0]] = *c.a;
    if (c.b) want[matrices[1]] = *c.b;
    EXPECT_EQ(chooseRuns(types, tiles), want);
}

INSTANTIATE_TEST_SUITE_P(Tensor, FactorRuns, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace coopvk::rewrite::factor_runs_test
