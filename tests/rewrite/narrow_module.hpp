// SPDX-License-Identifier: Apache-2.0
//
// Modules with operations on subgroups, rewritten for a device that has narrower ones.
#pragma once

#include <gtest/gtest.h>

#include <format>
#include <string>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "read_all.hpp"

namespace coopvk::rewrite::narrow_module {

struct Form {
    std::string size = "32 1 1";
    std::string shared;     // elements of the shared array
    std::string functions;  // behind the entry point
};

// `body`: of the entry point, whose first block is %start. Globals that it may name: built-ins
// %lane_in, %size_in, %index_in (LocalInvocationIndex), %group_in (WorkgroupId); the pointers to
// words %out (a storage buffer), %constant (of push constants), %shared_0.
inline std::string moduleOf(const std::string& body, const Form& form = {}) {
    return std::format(R"(
OpCapability Shader
OpCapability GroupNonUniform
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformClustered
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %lane_in %size_in %index_in %group_in %buffer %push %shared
OpExecutionMode %main LocalSize {}
OpDecorate %lane_in BuiltIn SubgroupLocalInvocationId
OpDecorate %size_in BuiltIn SubgroupSize
OpDecorate %index_in BuiltIn LocalInvocationIndex
OpDecorate %group_in BuiltIn WorkgroupId
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
OpDecorate %push_block Block
OpMemberDecorate %push_block 0 Offset 0
%void = OpTypeVoid
%f = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%u32x3 = OpTypeVector %u32 3
%u32x4 = OpTypeVector %u32 4
%array = OpTypeRuntimeArray %u32
%block = OpTypeStruct %array
%push_block = OpTypeStruct %u32
%to_block = OpTypePointer StorageBuffer %block
%to_u32 = OpTypePointer StorageBuffer %u32
%to_push = OpTypePointer PushConstant %push_block
%push_u32 = OpTypePointer PushConstant %u32
%in_u32 = OpTypePointer Input %u32
%in_u32x3 = OpTypePointer Input %u32x3
%local_u32 = OpTypePointer Function %u32
%of_pointer = OpTypeFunction %u32 %local_u32
%shared_u32 = OpTypePointer Workgroup %u32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c4 = OpConstant %u32 4
%c16 = OpConstant %u32 16
%c32 = OpConstant %u32 32
%c264 = OpConstant %u32 264
%true = OpConstantTrue %bool
%shared_size = OpConstant %u32 {}
%shared_array = OpTypeArray %u32 %shared_size
%to_shared = OpTypePointer Workgroup %shared_array
%buffer = OpVariable %to_block StorageBuffer
%push = OpVariable %to_push PushConstant
%shared = OpVariable %to_shared Workgroup
%lane_in = OpVariable %in_u32 Input
%size_in = OpVariable %in_u32 Input
%index_in = OpVariable %in_u32 Input
%group_in = OpVariable %in_u32x3 Input
%main = OpFunction %void None %f
%start = OpLabel
%local = OpVariable %local_u32 Function
%out = OpAccessChain %to_u32 %buffer %c0 %c0
%constant = OpAccessChain %push_u32 %push %c0
%shared_0 = OpAccessChain %shared_u32 %shared %c0
%index = OpLoad %u32 %index_in
{}
OpReturn
OpFunctionEnd
{})",
                       form.size, form.shared.empty() ? "4" : form.shared, body, form.functions);
}

inline constexpr std::string_view kTotal =
    "%total = OpGroupNonUniformIAdd %u32 %c3 Reduce %index\n";

inline Target narrowTarget() {
    Target target;
    target.subgroupSize = 32;
    target.device.driverSubgroupSize = 8;
    return target;
}

inline Result<Rewritten> rewriteText(const std::string& text, const Target& target) {
    const std::vector<uint32_t> words = assembleAndReadAll(text);
    EXPECT_EQ(validate(words), std::nullopt) << text;
    Result<Rewritten> out = rewrite({.words = words}, target);
    if (!out) return out;
    EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
    return out;
}

inline bool has(const std::string& text, std::string_view what) {
    return text.find(what) != std::string::npos;
}

// Empty: it is lowered. Else why it is refused.
inline std::string refusal(const std::string& text) {
    Target target = narrowTarget();
    target.needsFullSubgroups = true;
    const Result<Rewritten> out = rewriteText(text, target);
    if (!out) return out.error().message;
    EXPECT_TRUE(out->emulatesSubgroups);
    EXPECT_FALSE(has(disassemble(out->words), "GroupNonUniform"));
    return {};
}

inline constexpr std::string_view kParts = R"(
%odd = OpIEqual %bool %index %c1
OpSelectionMerge %merge None
OpBranchConditional %odd %then %merge
%then = OpLabel
{}
%merge = OpLabel
%joined = OpPhi %u32 %c1 %start %c2 %then
)";

inline std::string parts(std::string_view then) {
    std::string text(kParts);
    return text.replace(text.find("{}"), 2, then);
}

}  // namespace coopvk::rewrite::narrow_module
