// SPDX-License-Identifier: Apache-2.0
//
// A module with matrices of 8-bit floats, as text.
#pragma once

#include <format>
#include <string>
#include <string_view>

#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::small_float_matrix_test {

struct Body {
    std::string_view scope;
    std::string_view functions;  // behind the entry point
    std::string_view code;
};

inline void replaceAll(std::string& text, std::string_view from, std::string_view to) {
    for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

// A module with matrices of 16 x 16: %A, %B and %C of e4m3, %D of e5m2, %H of f16, %F of f32, %I of
// s32 and %Y of bytes; %a, %b and %c are loaded from the same bytes.
inline std::string module(const Body& body) {
    return std::format(R"(
OpCapability Shader
OpCapability Int8
OpCapability Int16
OpCapability Float16
OpCapability Float8EXT
OpCapability Float8CooperativeMatrixEXT
OpCapability StorageBuffer8BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpCapability CooperativeMatrixConversionsNV
OpCapability CooperativeMatrixReductionsNV
OpCapability CooperativeMatrixPerElementOperationsNV
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_NV_cooperative_matrix2"
OpExtension "SPV_EXT_float8"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %in %out
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %bytes ArrayStride 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %floats ArrayStride 4
OpDecorate %outBlock Block
OpMemberDecorate %outBlock 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
OpDecorate %saturated SaturatedToLargestFloat8NormalConversionEXT
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%s32 = OpTypeInt 32 1
%u8 = OpTypeInt 8 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%e4m3 = OpTypeFloat 8 Float8E4M3EXT
%e5m2 = OpTypeFloat 8 Float8E5M2EXT
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%scope = OpConstant %u32 {}
%n = OpConstant %u32 16
%half = OpConstant %e4m3 0x1p-1
%bytes = OpTypeRuntimeArray %e4m3
%block = OpTypeStruct %bytes
%floats = OpTypeRuntimeArray %f32
%outBlock = OpTypeStruct %floats
%blockPointer = OpTypePointer StorageBuffer %block
%outPointer = OpTypePointer StorageBuffer %outBlock
%bytePointer = OpTypePointer StorageBuffer %e4m3
%floatPointer = OpTypePointer StorageBuffer %f32
%in = OpVariable %blockPointer StorageBuffer
%out = OpVariable %outPointer StorageBuffer
%A = OpTypeCooperativeMatrixKHR %e4m3 %scope %n %n %c0
%B = OpTypeCooperativeMatrixKHR %e4m3 %scope %n %n %c1
%C = OpTypeCooperativeMatrixKHR %e4m3 %scope %n %n %c2
%D = OpTypeCooperativeMatrixKHR %e5m2 %scope %n %n %c1
%H = OpTypeCooperativeMatrixKHR %f16 %scope %n %n %c2
%F = OpTypeCooperativeMatrixKHR %f32 %scope %n %n %c2
%I = OpTypeCooperativeMatrixKHR %s32 %scope %n %n %c2
%Y = OpTypeCooperativeMatrixKHR %u8 %scope %n %n %c2
%zero = OpConstantNull %F
%halves = OpConstantComposite %C %half
%variable = OpTypePointer Function %C
%element = OpTypePointer Function %e4m3
%each = OpTypeFunction %e4m3 %u32 %u32 %e4m3 %e4m3 %e4m3
%both = OpTypeFunction %e4m3 %e4m3 %e4m3
%takes = OpTypeFunction %void %element
%eachFloat = OpTypeFunction %f32 %u32 %u32 %f32
%bothFloats = OpTypeFunction %f32 %f32 %f32
%main = OpFunction %void None %f
%label = OpLabel
%v = OpVariable %variable Function
%w = OpVariable %element Function
%pa = OpAccessChain %bytePointer %in %c0 %c0
%pf = OpAccessChain %floatPointer %out %c0 %c0
%a = OpCooperativeMatrixLoadKHR %A %pa %c0 %n
%b = OpCooperativeMatrixLoadKHR %B %pa %c1 %n
%c = OpCooperativeMatrixLoadKHR %C %pa %c0 %n
%single = OpLoad %e4m3 %pa
{}
OpReturn
OpFunctionEnd
{}
)",
                       body.scope == "Workgroup" ? 2 : 3, body.code, body.functions);
}

inline constexpr std::string_view kBoth = R"(
%function = OpFunction %e4m3 None %both
%x = OpFunctionParameter %e4m3
%y = OpFunctionParameter %e4m3
%bothBody = OpLabel
OpReturnValue %y
OpFunctionEnd
)";
inline constexpr std::string_view kStore = "OpCooperativeMatrixStoreKHR %pa %r %c0 %n\n";
inline constexpr std::string_view kStoreFloats = "OpCooperativeMatrixStoreKHR %pf %r %c0 %n\n";

// The driver has matrices of f16.
inline Target withDriversMatrices() {
    using enum ComponentType;
    Target target;
    target.device.nativeShapes = {{16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false},
                                  {16, 16, 16, kFloat16, kFloat16, kFloat16, kFloat16, false}};
    target.emulated = {Extension::kExtShaderFloat8, Extension::kQcomCooperativeMatrixConversion};
    return target;
}

}  // namespace coopvk::rewrite::small_float_matrix_test
