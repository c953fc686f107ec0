// SPDX-License-Identifier: Apache-2.0
//
// Variables that alias a module's buffers keep the module's decorations for accesses to these
// buffers (SPIR-V specification, sections 2.18.2 "Aliasing" and 3.20 "Decoration"), for all
// extensions that need such variables.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "read_all.hpp"

namespace coopvk::rewrite::buffer_views_test {
namespace {

// A buffer of two arrays, in an array of four descriptors; then the body.
std::string module(std::string_view capabilities, std::string_view decorations,
                   std::string_view types, std::string_view body) {
    return std::format(R"(OpCapability Shader
{}
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %b
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 1024
OpDecorate %words ArrayStride 4
{}
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c4 = OpConstant %u32 4
%c8 = OpConstant %u32 8
%c64 = OpConstant %u32 64
%c256 = OpConstant %u32 256
%one = OpConstant %f32 1
%words = OpTypeArray %f32 %c256
%block = OpTypeStruct %words %words
%blocks = OpTypeArray %block %c4
%pBlocks = OpTypePointer StorageBuffer %blocks
%pWords = OpTypePointer StorageBuffer %words
%pWord = OpTypePointer StorageBuffer %f32
%b = OpVariable %pBlocks StorageBuffer
{}
%main = OpFunction %void None %fn
%label = OpLabel
{}
OpReturn
OpFunctionEnd
)",
                       capabilities, decorations, types, body);
}

std::string atomicAdd(std::string_view decorations) {
    return module(
        "OpCapability AtomicFloat32AddEXT\nOpExtension \"SPV_EXT_shader_atomic_float_add\"",
        decorations, "",
        "%p = OpAccessChain %pWord %b %c0 %c1 %c8\n%r = OpAtomicFAddEXT %f32 %p %c1 %c0 %one");
}

// Reads the first array and writes the second.
std::string vectorCopy(std::string_view decorations) {
    return module("OpCapability CooperativeVectorNV\nOpExtension \"SPV_NV_cooperative_vector\"",
                  decorations, "%V = OpTypeCooperativeVectorNV %f32 %c8",
                  "%from = OpAccessChain %pWords %b %c0 %c0\n"
                  "%to = OpAccessChain %pWords %b %c0 %c1\n"
                  "%v = OpCooperativeVectorLoadNV %V %from %c0\n"
                  "OpCooperativeVectorStoreNV %to %c0 %v");
}

std::string blockLoad(std::string_view decorations, std::string_view base = "%b") {
    const std::string pointer = std::format("%p = OpAccessChain %pWord {} %c1 %c0 %c0\n", base);
    return module(
        "OpCapability Subgroup2DBlockIOINTEL\nOpCapability ShaderNonUniform\n"
        "OpExtension \"SPV_INTEL_2d_block_io\"\n"
        "OpExtension \"SPV_EXT_descriptor_indexing\"",
        decorations,
        "%s32 = OpTypeInt 32 1\n%s32x2 = OpTypeVector %s32 2\n"
        "%at = OpConstantNull %s32x2\n%held = OpTypeArray %u32 %c256\n"
        "%pHeld = OpTypePointer Function %held\n"
        "%alsoBlocks = OpTypePointer StorageBuffer %blocks",
        "%h = OpVariable %pHeld Function\n"
        "%whole = OpAccessChain %alsoBlocks %b\n" +
            pointer +
            "OpSubgroup2DBlockLoadINTEL %c4 %c8 %c8 %c1 %p %c64 %c8 %c64 %at %h\n"
            "%loaded = OpLoad %held %h");
}

// Every use of a buffer that has views of it.
std::vector<std::string> uses(std::string_view decorations) {
    return {atomicAdd(decorations), vectorCopy(decorations), blockLoad(decorations)};
}

std::string rewritten(const std::string& text) {
    const std::vector<uint32_t> words = assembleAndReadAll(text);
    Request request;
    request.words = words;
    Target target;
    target.subgroupSize = 32;
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return {};
    EXPECT_EQ(validate(out->words).value_or(""), "");
    return disassemble(out->words);
}

// "%name" of the structure of views.
std::string viewBlock(const std::string& text) {
    const size_t name = text.find("\"coopvk_buffer\"");
    const size_t start = text.rfind('%', name);
    return name == std::string::npos ? "" : text.substr(start, text.find(' ', start) - start);
}

bool hasMember(const std::string& text, std::string_view decoration) {
    return text.find(std::format("OpMemberDecorate {} 0 {}", viewBlock(text), decoration)) !=
           std::string::npos;
}

TEST(BufferViews, AreCoherentAndVolatileAsAnyMember) {
    for (const std::string& use : uses("OpMemberDecorate %block 1 Coherent\n"
                                       "OpMemberDecorate %block 0 Volatile")) {
        const std::string text = rewritten(use);
        EXPECT_TRUE(hasMember(text, "Coherent")) << text;
        EXPECT_TRUE(hasMember(text, "Volatile")) << text;
    }
}

TEST(BufferViews, AreCoherentAsTheVariable) {
    for (const std::string& use : uses("OpDecorate %b Coherent")) {
        const std::string text = rewritten(use);
        EXPECT_TRUE(hasMember(text, "Coherent")) << text;
        EXPECT_FALSE(hasMember(text, "Volatile")) << text;
    }
}

bool isDecorated(const std::string& text, std::string_view name, std::string_view decoration) {
    return text.find(std::format("OpDecorate {} {}", name, decoration)) != std::string::npos;
}

// Drivers may move accesses to a buffer that no other variable is for.
TEST(BufferViews, AreAliasedOnlyBesideOtherAccesses) {
    for (const std::string& use : uses("")) {
        const std::string text = rewritten(use);
        EXPECT_FALSE(isDecorated(text, "%coopvk_view", "Aliased")) << text;
        EXPECT_FALSE(isDecorated(text, "%coopvk_view", "Restrict")) << text;
    }
    for (const std::string& use : uses("OpDecorate %b Restrict")) {
        const std::string text = rewritten(use);
        EXPECT_FALSE(isDecorated(text, "%coopvk_view", "Aliased")) << text;
    }
    // The module says that other buffers may have the same memory.
    for (const std::string& use : uses("OpDecorate %b Aliased")) {
        const std::string text = rewritten(use);
        EXPECT_TRUE(isDecorated(text, "%coopvk_view", "Aliased")) << text;
    }
    for (std::string use : uses("")) {
        use.insert(use.find("OpReturn"),
                   "%also = OpAccessChain %pWord %b %c0 %c1 %c0\nOpStore %also %one\n");
        const std::string text = rewritten(use);
        EXPECT_TRUE(isDecorated(text, "%coopvk_view", "Aliased")) << text;
    }
}

// Nothing is written to it.
TEST(BufferViews, AreNotAliasedIfTheyAreReadOnly) {
    std::string use = blockLoad(
        "OpMemberDecorate %block 0 NonWritable\n"
        "OpMemberDecorate %block 1 NonWritable");
    use.insert(use.find("OpReturn"),
               "%also = OpAccessChain %pWord %b %c0 %c1 %c0\n"
               "%seen = OpLoad %f32 %also\n");
    const std::string text = rewritten(use);
    EXPECT_FALSE(isDecorated(text, "%coopvk_view", "Aliased")) << text;
}

// One view serves all members.
TEST(BufferViews, AreNonWritableOnlyIfAllMembersAre) {
    const std::string text = rewritten(vectorCopy("OpMemberDecorate %block 0 NonWritable"));
    EXPECT_FALSE(hasMember(text, "NonWritable")) << text;
    const std::string both =
        rewritten(blockLoad("OpMemberDecorate %block 0 NonWritable\n"
                            "OpMemberDecorate %block 1 NonWritable"));
    EXPECT_TRUE(hasMember(both, "NonWritable")) << both;
}

// A view is read where a part of a word is stored. NonReadable: "this module does not read from the
// memory holding the variable".
TEST(BufferViews, LeaveNothingNonReadable) {
    for (const std::string& use : uses("OpDecorate %b NonReadable\n"
                                       "OpMemberDecorate %block 0 NonReadable\n"
                                       "OpMemberDecorate %block 1 NonReadable")) {
        const std::string text = rewritten(use);
        EXPECT_NE(text.find("coopvk_view"), text.npos) << text;
        EXPECT_EQ(text.find(" NonReadable"), text.npos) << text;
    }
}

TEST(BufferViews, AreReachedNonUniformly) {
    const std::string text = rewritten(blockLoad("OpDecorate %p NonUniform"));
    const size_t base = text.find(" %coopvk_view %uint_1");
    ASSERT_NE(base, std::string::npos) << text;
    const size_t start = text.find('%', text.rfind('\n', base));
    const std::string pointer = text.substr(start, text.find(' ', start) - start);
    EXPECT_NE(text.find(std::format("OpDecorate {} NonUniform", pointer)), std::string::npos)
        << text;
}

// A chain without indices, to a pointer type of its own, is no step into the array of descriptors.
TEST(BufferViews, AreReachedThroughChainsWithoutIndices) {
    const std::string text = rewritten(blockLoad("", "%whole"));
    EXPECT_NE(text.find(" %coopvk_view %uint_1"), std::string::npos) << text;
}

// Of shared memory a view has as many elements as there are, here behind a matrix of four columns.
TEST(BufferViews, ReachTheEndOfSharedBlocks) {
    const std::string text = rewritten(
        module("OpCapability CooperativeMatrixKHR\nOpCapability WorkgroupMemoryExplicitLayoutKHR\n"
               "OpExtension \"SPV_KHR_cooperative_matrix\"\n"
               "OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"",
               "OpDecorate %gaps ArrayStride 8\nOpDecorate %inShared Block\n"
               "OpMemberDecorate %inShared 0 Offset 0\nOpMemberDecorate %inShared 0 ColMajor\n"
               "OpMemberDecorate %inShared 0 MatrixStride 16\n"
               "OpMemberDecorate %inShared 1 Offset 64",
               "%c3 = OpConstant %u32 3\n%c16 = OpConstant %u32 16\n"
               "%column = OpTypeVector %f32 2\n%matrix = OpTypeMatrix %column 4\n"
               "%gaps = OpTypeArray %f32 %c256\n%inShared = OpTypeStruct %matrix %gaps\n"
               "%pShared = OpTypePointer Workgroup %inShared\n"
               "%pFloat = OpTypePointer Workgroup %f32\n%s = OpVariable %pShared Workgroup\n"
               "%M = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c1",
               "%p = OpAccessChain %pFloat %s %c1 %c0\n"
               "%m = OpCooperativeMatrixLoadKHR %M %p %c0 %c16"));
    EXPECT_NE(text.find("OpTypeArray %float %uint_528"), text.npos) << text;
}

// Without blocks in shared memory its arrays have no layout, even if the module has the capability.
TEST(BufferViews, AreNotOfSharedArrays) {
    const std::string text = rewritten(
        module("OpCapability Float64\nOpCapability CooperativeMatrixKHR\n"
               "OpCapability WorkgroupMemoryExplicitLayoutKHR\n"
               "OpExtension \"SPV_KHR_cooperative_matrix\"\n"
               "OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"",
               "",
               "%c2 = OpConstant %u32 2\n%c16 = OpConstant %u32 16\n%f64 = OpTypeFloat 64\n"
               "%doubles = OpTypeArray %f64 %c256\n%pDoubles = OpTypePointer Workgroup %doubles\n"
               "%pDouble = OpTypePointer Workgroup %f64\n%s = OpVariable %pDoubles Workgroup\n"
               "%M = OpTypeCooperativeMatrixKHR %f32 %c2 %c16 %c16 %c2",
               "%p = OpAccessChain %pDouble %s %c8\n"
               "%m = OpCooperativeMatrixLoadKHR %M %p %c0 %c8"));
    EXPECT_EQ(text.find("coopvk_view"), text.npos) << text;
}

}  // namespace
}  // namespace coopvk::rewrite::buffer_views_test
