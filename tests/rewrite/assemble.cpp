// SPDX-License-Identifier: Apache-2.0
#include "assemble.hpp"

#include <gtest/gtest.h>

#include <format>
#include <spirv-tools/libspirv.hpp>

#include "../keep_shader.hpp"

namespace coopvk::test {

std::vector<uint32_t> assemble(std::string_view text) {
    std::vector<uint32_t> words;
    spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
    std::string message;
    tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t&,
                                 const char* what) { message += what; });
    if (!tools.Assemble(text.data(), text.size(), &words,
                        SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS)) {
        ADD_FAILURE() << message;
        return {};
    }
    keepShader(words);
    return words;
}

std::string multiplyModule(uint32_t rows, uint32_t columns, uint32_t depth) {
    return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %in %out
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %rows SpecId 0
OpDecorate %halves ArrayStride 2
OpDecorate %floats ArrayStride 4
OpDecorate %inBlock Block
OpDecorate %outBlock Block
OpMemberDecorate %inBlock 0 Offset 0
OpMemberDecorate %outBlock 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%rows = OpSpecConstant %u32 {}
%columns = OpConstant %u32 {}
%depth = OpConstant %u32 {}
%halves = OpTypeRuntimeArray %f16
%floats = OpTypeRuntimeArray %f32
%inBlock = OpTypeStruct %halves
%outBlock = OpTypeStruct %floats
%inPointer = OpTypePointer StorageBuffer %inBlock
%outPointer = OpTypePointer StorageBuffer %outBlock
%halfPointer = OpTypePointer StorageBuffer %f16
%floatPointer = OpTypePointer StorageBuffer %f32
%in = OpVariable %inPointer StorageBuffer
%out = OpVariable %outPointer StorageBuffer
%A = OpTypeCooperativeMatrixKHR %f16 %c3 %rows %depth %c0
%B = OpTypeCooperativeMatrixKHR %f16 %c3 %depth %columns %c1
%C = OpTypeCooperativeMatrixKHR %f32 %c3 %rows %columns %c2
%zero = OpConstantNull %C
%main = OpFunction %void None %f
%label = OpLabel
%pa = OpAccessChain %halfPointer %in %c0 %c0
%a = OpCooperativeMatrixLoadKHR %A %pa %c0 %depth
%b = OpCooperativeMatrixLoadKHR %B %pa %c0 %columns
%product = OpCooperativeMatrixMulAddKHR %C %a %b %zero
%pc = OpAccessChain %floatPointer %out %c0 %c0
OpCooperativeMatrixStoreKHR %pc %product %c0 %columns
OpReturn
OpFunctionEnd
)",
                       rows, columns, depth);
}

std::string bufferPreamble(std::string_view head, std::string_view interface,
                           std::string_view decorations, uint32_t invocations) {
    return std::format(R"({}
OpEntryPoint GLCompute %main "main" {}
OpExecutionMode %main LocalSize {} 1 1
OpDecorate %floats ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
{}
%void = OpTypeVoid
%void_fn = OpTypeFunction %void
%bool = OpTypeBool
%true = OpConstantTrue %bool
%false = OpConstantFalse %bool
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c5 = OpConstant %u32 5
%c6 = OpConstant %u32 6
%c16 = OpConstant %u32 16
%f0 = OpConstant %f32 0
%f1 = OpConstant %f32 1
%floats = OpTypeRuntimeArray %f32
%block = OpTypeStruct %floats
%block_pointer = OpTypePointer StorageBuffer %block
%pointer = OpTypePointer StorageBuffer %f32
%buffer = OpVariable %block_pointer StorageBuffer
)",
                       head, interface, invocations, decorations);
}

}  // namespace coopvk::test
