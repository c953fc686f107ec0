// SPDX-License-Identifier: Apache-2.0
#include "shader_text.hpp"

#include <algorithm>

namespace coopvk::reference::test {

namespace {

constexpr std::string_view kCapabilities = R"(
OpCapability Shader
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpCapability GroupNonUniform
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformShuffle
OpCapability GroupNonUniformClustered
)";

constexpr std::string_view kTypes = R"(
%void = OpTypeVoid
%main_type = OpTypeFunction %void
%bool = OpTypeBool
%u8 = OpTypeInt 8 0
%u16 = OpTypeInt 16 0
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%s8 = OpTypeInt 8 1
%s16 = OpTypeInt 16 1
%s32 = OpTypeInt 32 1
%s64 = OpTypeInt 64 1
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%v2u16 = OpTypeVector %u16 2
%v2u32 = OpTypeVector %u32 2
%v3u32 = OpTypeVector %u32 3
%v4u32 = OpTypeVector %u32 4
%v2f32 = OpTypeVector %f32 2
%v3f32 = OpTypeVector %f32 3
%v4f32 = OpTypeVector %f32 4
%true = OpConstantTrue %bool
%false = OpConstantFalse %bool
%f_0 = OpConstant %f32 0
%f_1 = OpConstant %f32 1
%words = OpTypeRuntimeArray %u32
%block = OpTypeStruct %words
%p_block = OpTypePointer StorageBuffer %block
%p_word = OpTypePointer StorageBuffer %u32
%p_input = OpTypePointer Input %u32
%p_function_u32 = OpTypePointer Function %u32
%in = OpVariable %p_block StorageBuffer
%out = OpVariable %p_block StorageBuffer
%index = OpVariable %p_input Input
)";

// Ids of variables that the declarations define: SPIR-V 1.4 lists them in the entry point.
std::string interfaceOf(const std::string& declarations) {
    std::string ids;
    size_t start = 0;
    while (start < declarations.size()) {
        const size_t end = std::min(declarations.find('\n', start), declarations.size());
        const std::string line = declarations.substr(start, end - start);
        if (line.find("Variable") != line.npos) ids += " " + line.substr(0, line.find(' '));
        start = end + 1;
    }
    return ids;
}

}  // namespace

std::string shader(const ShaderText& text) {
    std::string all(kCapabilities);
    all += text.capabilities;
    all += "%glsl = OpExtInstImport \"GLSL.std.450\"\n";
    all += "OpMemoryModel " + text.memoryModel + "\n";
    all += "OpEntryPoint GLCompute %main \"main\" %in %out %index" + interfaceOf(text.declarations);
    all += "\nOpExecutionMode %main LocalSize " + std::to_string(text.localSize) + " 1 1\n";
    all += R"(OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
)";
    all += text.annotations;
    all += kTypes;
    for (int i = 0; i <= 16; ++i)
        all += "%u_" + std::to_string(i) + " = OpConstant %u32 " + std::to_string(i) + "\n";
    all += text.declarations + text.functions;
    all += "%main = OpFunction %void None %main_type\n%start = OpLabel\n";
    // Variables of the function come first.
    size_t at = 0;
    std::string variables;
    while (text.body.compare(at, 1, "%") == 0 &&
           text.body.substr(at, text.body.find('\n', at) - at).find("OpVariable") !=
               std::string::npos) {
        const size_t end = text.body.find('\n', at) + 1;
        variables += text.body.substr(at, end - at);
        at = end;
    }
    all += variables + "%i = OpLoad %u32 %index\n" + text.body.substr(at);
    return all + "OpReturn\nOpFunctionEnd\n";
}

std::string loadWord(std::string_view name, std::string_view index) {
    const std::string id(name);
    return id + "_at = OpAccessChain %p_word %in %u_0 " + std::string(index) + "\n" + id +
           " = OpLoad %u32 " + id + "_at\n";
}

std::string storeWord(std::string_view index, std::string_view value) {
    // A pointer for each pair of index and value.
    std::string id = "%to_" + std::string(index.substr(1)) + "_" + std::string(value.substr(1));
    return id + " = OpAccessChain %p_word %out %u_0 " + std::string(index) + "\nOpStore " + id +
           " " + std::string(value) + "\n";
}

uint32_t countReports(const Execution& run, Check check) {
    return static_cast<uint32_t>(
        std::count_if(run.reports.begin(), run.reports.end(),
                      [&](const Report& report) { return report.check == check; }));
}

}  // namespace coopvk::reference::test
