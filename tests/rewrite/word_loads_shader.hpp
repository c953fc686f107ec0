// SPDX-License-Identifier: Apache-2.0
//
// A shader that loads a matrix straight from a buffer of half floats.
#pragma once

#include <format>
#include <string>
#include <string_view>

#include "assemble.hpp"

namespace coopvk::rewrite::word_loads_test {

constexpr std::string_view kHead =
    "OpCapability Shader\nOpCapability Float16\nOpCapability StorageBuffer16BitAccess\n"
    "OpCapability VulkanMemoryModel\nOpCapability CooperativeMatrixKHR\n"
    "OpExtension \"SPV_KHR_cooperative_matrix\"\nOpMemoryModel Logical Vulkan";
constexpr std::string_view kDecorations =
    "OpDecorate %halves ArrayStride 2\nOpDecorate %inBlock Block\nOpDecorate %pushBlock Block\n"
    "OpMemberDecorate %inBlock 0 Offset 0\nOpMemberDecorate %inBlock 1 Offset {}\n"
    "OpMemberDecorate %pushBlock 0 Offset 0\nOpDecorate %in DescriptorSet 0\n"
    "OpDecorate %in Binding 1\nOpDecorate %in NonWritable\nOpDecorate %group BuiltIn WorkgroupId";

// Loads an f16 A, 16 x 16, from halves[index] with a stride, and multiplies it.
struct Shader {
    std::string_view code;               // defines %i
    std::string_view stride = "%c1024";  // in elements
    std::string_view offset = "16";      // of the array
    std::string_view head = "";          // at the start of the function
    std::string_view functions = "";
    std::string_view layout = "%c0";

    std::string text() const {
        return test::bufferPreamble(kHead, "%buffer %in %group %push",
                                    std::format(kDecorations, offset)) +
               std::format(R"(%s32 = OpTypeInt 32 1
%u32x3 = OpTypeVector %u32 3
%f16 = OpTypeFloat 16
%c4 = OpConstant %u32 4
%c8 = OpConstant %u32 8
%c12 = OpConstant %u32 12
%c1024 = OpConstant %u32 1024
%back = OpConstant %s32 -1024
%splat = OpConstantComposite %u32x3 %c16 %c16 %c16
%halves = OpTypeRuntimeArray %f16
%inBlock = OpTypeStruct %u32 %halves
%pushBlock = OpTypeStruct %u32
%inPointer = OpTypePointer StorageBuffer %inBlock
%pushPointer = OpTypePointer PushConstant %pushBlock
%halfPointer = OpTypePointer StorageBuffer %f16
%groupPointer = OpTypePointer Input %u32x3
%numberPointer = OpTypePointer PushConstant %u32
%local = OpTypePointer Function %u32
%takes = OpTypeFunction %void %local
%in = OpVariable %inPointer StorageBuffer
%group = OpVariable %groupPointer Input
%push = OpVariable %pushPointer PushConstant
%A = OpTypeCooperativeMatrixKHR %f16 %c3 %c16 %c16 %c0
%B = OpTypeCooperativeMatrixKHR %f16 %c3 %c16 %c16 %c1
%C = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c2
%b = OpConstantNull %B
%zero = OpConstantNull %C
{3}
%main = OpFunction %void None %void_fn
%entry = OpLabel
{2}
%groups = OpLoad %u32x3 %group
%x = OpCompositeExtract %u32 %groups 0
%pn = OpAccessChain %numberPointer %push %c0
%n = OpLoad %u32 %pn
{0}
%p = OpAccessChain %halfPointer %in %c1 %i
%a = OpCooperativeMatrixLoadKHR %A %p {4} {1}
%product = OpCooperativeMatrixMulAddKHR %C %a %b %zero
%pc = OpAccessChain %pointer %buffer %c0 %c0
OpCooperativeMatrixStoreKHR %pc %product %c0 %c16
OpReturn
OpFunctionEnd
)",
                           code, stride, head, functions, layout);
    }
};

}  // namespace coopvk::rewrite::word_loads_test
