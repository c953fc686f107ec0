// SPDX-License-Identifier: Apache-2.0
//
// Matrices of bfloat16 and scope Workgroup: tiles of the driver's matrices, if it has such ones and
// bfloat16 itself is the driver's, too.
#include <gtest/gtest.h>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "ir/module.hpp"

namespace coopvk::rewrite::bfloat16_tiles_test {
namespace {

// A product of 64 x 64 by 64 x 64 components.
constexpr std::string_view kModule = R"(
OpCapability Shader
OpCapability BFloat16TypeKHR
OpCapability BFloat16CooperativeMatrixKHR
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpCapability TensorAddressingNV
OpCapability CooperativeMatrixTensorAddressingNV
OpExtension "SPV_KHR_bfloat16"
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_NV_tensor_addressing"
OpExtension "SPV_NV_cooperative_matrix2"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %from %to
OpExecutionMode %main LocalSize 128 1 1
OpDecorate %components ArrayStride 2
OpDecorate %floats ArrayStride 4
OpDecorate %from_block Block
OpMemberDecorate %from_block 0 Offset 0
OpDecorate %to_block Block
OpMemberDecorate %to_block 0 Offset 0
OpDecorate %from DescriptorSet 0
OpDecorate %from Binding 0
OpDecorate %to DescriptorSet 0
OpDecorate %to Binding 1
%void = OpTypeVoid
%void_fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%bf16 = OpTypeFloat 16 BFloat16KHR
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c64 = OpConstant %u32 64
%f0 = OpConstant %f32 0
%components = OpTypeRuntimeArray %bf16
%floats = OpTypeRuntimeArray %f32
%from_block = OpTypeStruct %components
%to_block = OpTypeStruct %floats
%from_pointer = OpTypePointer StorageBuffer %from_block
%to_pointer = OpTypePointer StorageBuffer %to_block
%component_pointer = OpTypePointer StorageBuffer %bf16
%float_pointer = OpTypePointer StorageBuffer %f32
%from = OpVariable %from_pointer StorageBuffer
%to = OpVariable %to_pointer StorageBuffer
%A = OpTypeCooperativeMatrixKHR %bf16 %c2 %c64 %c64 %c0
%B = OpTypeCooperativeMatrixKHR %bf16 %c2 %c64 %c64 %c1
%C = OpTypeCooperativeMatrixKHR %f32 %c2 %c64 %c64 %c2
%a0 = OpConstantNull %A
%b0 = OpConstantNull %B
%zeros = OpConstantComposite %C %f0
%layout = OpTypeTensorLayoutNV %c2 %c1
%main = OpFunction %void None %void_fn
%entry = OpLabel
%t = OpCreateTensorLayoutNV %layout
%p = OpAccessChain %component_pointer %from %c0 %c0
%q = OpAccessChain %float_pointer %to %c0 %c0
%a = OpCooperativeMatrixLoadTensorNV %A %p %a0 %t None None
%b = OpCooperativeMatrixLoadTensorNV %B %p %b0 %t None None
%product = OpCooperativeMatrixMulAddKHR %C %a %b %zeros
OpCooperativeMatrixStoreTensorNV %q %product %t None None
OpReturn
OpFunctionEnd
)";

// The number of products of bfloat16 matrices in the output.
size_t productsOfTiles(const ExtensionSet& emulated, bool hasShape) {
    using enum ComponentType;
    const std::vector<uint32_t> words = test::assemble(kModule);
    EXPECT_EQ(validate(words), std::nullopt);
    Request request;
    request.words = words;
    Target target;
    target.device.nativeShapes = {{16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false}};
    if (hasShape) {
        target.device.nativeShapes.push_back(
            {16, 16, 16, kBFloat16, kBFloat16, kFloat32, kFloat32, false});
    }
    target.emulated = emulated;
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return 0;
    EXPECT_EQ(validate(out->words), std::nullopt);
    const Result<Module> module = Module::parse(out->words);
    EXPECT_TRUE(module);
    size_t products = 0;
    module->visitBlocks([&](const Instruction& i) {
        products += i.opcode == spv::Op::OpCooperativeMatrixMulAddKHR ? 1 : 0;
    });
    const bool declares = module->hasCapability(spv::Capability::BFloat16CooperativeMatrixKHR);
    EXPECT_EQ(declares, products != 0);
    return products;
}

TEST(BFloat16Tiles, AreTheDriversOwn) {
    // 4 subgroups; each has 32 x 32 elements, and multiplies 32 columns of A in an iteration.
    EXPECT_EQ(productsOfTiles({Extension::kNvCooperativeMatrix2}, true), 2u * 2 * 2);
}

TEST(BFloat16Tiles, NeedAShape) {
    EXPECT_EQ(productsOfTiles({Extension::kNvCooperativeMatrix2}, false), 0u);
}

TEST(BFloat16Tiles, AreNotEmulated) {
    EXPECT_EQ(
        productsOfTiles({Extension::kNvCooperativeMatrix2, Extension::kKhrShaderBfloat16}, true),
        0u);
}

}  // namespace
}  // namespace coopvk::rewrite::bfloat16_tiles_test
