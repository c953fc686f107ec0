// SPDX-License-Identifier: Apache-2.0
//
// A shader that loads a matrix straight from a buffer of half floats.
#pragma once

#include <format>
#include <string>
#include <string_view>

namespace coopvk::rewrite::word_loads_test {

// Loads an f16 A, 16 x 16, from halves[index] with a stride, and multiplies it.
struct Shader {
    std::string_view code;               // defines %i
    std::string_view stride = "%c1024";  // in elements
    std::string_view offset = "16";      // of the array
    std::string_view head = "";          // at the start of the function
    std::string_view functions = "";
    std::string_view layout = "%c0";

    std::string text() const {
        return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %in %out %group %push
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %halves ArrayStride 2
OpDecorate %floats ArrayStride 4
OpDecorate %inBlock Block
OpDecorate %outBlock Block
OpDecorate %pushBlock Block
OpMemberDecorate %inBlock 0 Offset 0
OpMemberDecorate %inBlock 1 Offset {2}
OpMemberDecorate %outBlock 0 Offset 0
OpMemberDecorate %pushBlock 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %in NonWritable
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
OpDecorate %group BuiltIn WorkgroupId
%void = OpTypeVoid
%f = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%s32 = OpTypeInt 32 1
%u32x3 = OpTypeVector %u32 3
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c4 = OpConstant %u32 4
%c6 = OpConstant %u32 6
%c8 = OpConstant %u32 8
%c12 = OpConstant %u32 12
%c16 = OpConstant %u32 16
%c1024 = OpConstant %u32 1024
%back = OpConstant %s32 -1024
%splat = OpConstantComposite %u32x3 %c16 %c16 %c16
%halves = OpTypeRuntimeArray %f16
%floats = OpTypeRuntimeArray %f32
%inBlock = OpTypeStruct %u32 %halves
%outBlock = OpTypeStruct %floats
%pushBlock = OpTypeStruct %u32
%inPointer = OpTypePointer StorageBuffer %inBlock
%outPointer = OpTypePointer StorageBuffer %outBlock
%pushPointer = OpTypePointer PushConstant %pushBlock
%halfPointer = OpTypePointer StorageBuffer %f16
%floatPointer = OpTypePointer StorageBuffer %f32
%groupPointer = OpTypePointer Input %u32x3
%numberPointer = OpTypePointer PushConstant %u32
%local = OpTypePointer Function %u32
%takes = OpTypeFunction %void %local
%in = OpVariable %inPointer StorageBuffer
%out = OpVariable %outPointer StorageBuffer
%group = OpVariable %groupPointer Input
%push = OpVariable %pushPointer PushConstant
%A = OpTypeCooperativeMatrixKHR %f16 %c3 %c16 %c16 %c0
%B = OpTypeCooperativeMatrixKHR %f16 %c3 %c16 %c16 %c1
%C = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c2
%b = OpConstantNull %B
%zero = OpConstantNull %C
{4}
%main = OpFunction %void None %f
%entry = OpLabel
{3}
%groups = OpLoad %u32x3 %group
%x = OpCompositeExtract %u32 %groups 0
%pn = OpAccessChain %numberPointer %push %c0
%n = OpLoad %u32 %pn
{0}
%p = OpAccessChain %halfPointer %in %c1 %i
%a = OpCooperativeMatrixLoadKHR %A %p {5} {1}
%product = OpCooperativeMatrixMulAddKHR %C %a %b %zero
%pc = OpAccessChain %floatPointer %out %c0 %c0
OpCooperativeMatrixStoreKHR %pc %product %c0 %c16
OpReturn
OpFunctionEnd
)",
                           code, stride, offset, head, functions, layout);
    }
};

}  // namespace coopvk::rewrite::word_loads_test
