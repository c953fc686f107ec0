// SPDX-License-Identifier: Apache-2.0
#include "vector_module.hpp"

#include <algorithm>
#include <format>

namespace coopvk::test {

std::string layerModule(uint32_t m, uint32_t k, uint32_t layout, bool transpose,
                        std::string_view localSize) {
    return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeVectorNV
OpExtension "SPV_NV_cooperative_vector"
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %buffer %id
OpExecutionMode %main LocalSize {5}
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %array ArrayStride 2
OpDecorate %y RelaxedPrecision
OpDecorate %sum NoContraction
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%false = OpConstantFalse %bool
%true = OpConstantTrue %bool
%uint = OpTypeInt 32 0
%uint3 = OpTypeVector %uint 3
%half = OpTypeFloat 16
%zero = OpConstant %uint 0
%m = OpConstant %uint {0}
%k = OpConstant %uint {1}
%layout = OpConstant %uint {2}
%stride = OpConstant %uint {4}
%in = OpTypeCooperativeVectorNV %half %k
%out = OpTypeCooperativeVectorNV %half %m
%none = OpConstantNull %out
%array = OpTypeRuntimeArray %half
%block = OpTypeStruct %array
%pointer = OpTypePointer StorageBuffer %block
%arrayPointer = OpTypePointer StorageBuffer %array
%buffer = OpVariable %pointer StorageBuffer
%idPointer = OpTypePointer Input %uint3
%id = OpVariable %idPointer Input
%main = OpFunction %void None %function
%entry = OpLabel
%ids = OpLoad %uint3 %id
%i = OpCompositeExtract %uint %ids 0
%at = OpAccessChain %arrayPointer %buffer %zero
%where = OpIMul %uint %i %stride
%x = OpCooperativeVectorLoadNV %in %at %where
%y = OpCooperativeVectorMatrixMulAddNV %out %x %zero %at %zero %zero %at %zero %zero %m %k %layout %{3} %stride
%sum = OpFAdd %out %y %y
%r = OpExtInst %out %glsl FMax %sum %none
OpCooperativeVectorStoreNV %at %where %r
OpReturn
OpFunctionEnd
)",
                       m, k, layout, transpose ? "true" : "false",
                       (std::max(m, k) * 2 + 15) / 16 * 16, localSize);
}

std::string withoutBias(std::string layer) {
    const std::string_view bias = "MulAddNV %out %x %zero %at %zero %zero %at %zero %zero";
    layer.replace(layer.find(bias), bias.size(), "MulNV %out %x %zero %at %zero %zero");
    return layer;
}

}  // namespace coopvk::test
