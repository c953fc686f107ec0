// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace coopvk::reference::test {

// A shader with matrices of f32: types %A (4 x 8), %B (8 x 6), %C (4 x 6), %BT (6 x 4), a tensor
// layout %layout, and pointers %p0 to %p2 to the start of three storage buffers of floats. `scope`:
// 2 Workgroup, 3 Subgroup. `local`: invocations of the workgroup.
inline std::string text(const std::string& body, const std::string& scope = "3", uint32_t local = 4,
                        const std::string& functions = "") {
    return R"(
OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpCapability CooperativeMatrixReductionsNV
OpCapability CooperativeMatrixConversionsNV
OpCapability CooperativeMatrixPerElementOperationsNV
OpCapability CooperativeMatrixTensorAddressingNV
OpCapability TensorAddressingNV
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_NV_cooperative_matrix2"
OpExtension "SPV_NV_tensor_addressing"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %buffer0 %buffer1 %buffer2
OpExecutionMode %main LocalSize )" +
           std::to_string(local) + R"( 1 1
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer0 DescriptorSet 0
OpDecorate %buffer0 Binding 0
OpDecorate %buffer1 DescriptorSet 0
OpDecorate %buffer1 Binding 1
OpDecorate %buffer2 DescriptorSet 0
OpDecorate %buffer2 Binding 2
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%0 = OpConstant %u32 0
%1 = OpConstant %u32 1
%2 = OpConstant %u32 2
%4 = OpConstant %u32 4
%6 = OpConstant %u32 6
%8 = OpConstant %u32 8
%scope = OpConstant %u32 )" +
           scope + R"(
%A = OpTypeCooperativeMatrixKHR %f32 %scope %4 %8 %0
%B = OpTypeCooperativeMatrixKHR %f32 %scope %8 %6 %1
%C = OpTypeCooperativeMatrixKHR %f32 %scope %4 %6 %2
%BT = OpTypeCooperativeMatrixKHR %f32 %scope %6 %4 %1
%array = OpTypeRuntimeArray %f32
%block = OpTypeStruct %array
%pointer = OpTypePointer StorageBuffer %block
%element = OpTypePointer StorageBuffer %f32
%buffer0 = OpVariable %pointer StorageBuffer
%buffer1 = OpVariable %pointer StorageBuffer
%buffer2 = OpVariable %pointer StorageBuffer
%zero = OpConstant %f32 0
%zeros = OpConstantComposite %C %zero
%procedure = OpTypeFunction %void
%binary = OpTypeFunction %f32 %f32 %f32
%indexed = OpTypeFunction %f32 %u32 %u32 %f32
%layout = OpTypeTensorLayoutNV %2 %1
%main = OpFunction %void None %procedure
%entry = OpLabel
%p0 = OpAccessChain %element %buffer0 %0 %0
%p1 = OpAccessChain %element %buffer1 %0 %0
%p2 = OpAccessChain %element %buffer2 %0 %0
)" + body + R"(
OpReturn
OpFunctionEnd
)" + functions;
}

}  // namespace coopvk::reference::test
