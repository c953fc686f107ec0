// SPDX-License-Identifier: Apache-2.0
//
// Two instructions on vectors call the same function only if they do the same at places that
// arguments tell.
#include <gtest/gtest.h>

#include <format>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "ir/module.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite::vector_helpers_test {
namespace {

// A module with two buffers, a buffer with two arrays, shared memory of the shader with two arrays,
// and %x, a vector of 16 f16 and %y, one of 32, ahead of `code`.
std::string moduleWith(std::string_view code) {
    return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeVectorNV
OpCapability CooperativeVectorTrainingNV
OpExtension "SPV_NV_cooperative_vector"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %buffer %other %floatBuffer %shared %sharedFloats %index
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %halves ArrayStride 2
OpDecorate %floats ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %floatBlock Block
OpMemberDecorate %floatBlock 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
OpDecorate %other DescriptorSet 0
OpDecorate %other Binding 1
OpDecorate %floatBuffer DescriptorSet 0
OpDecorate %floatBuffer Binding 2
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%no = OpConstantFalse %bool
%yes = OpConstantTrue %bool
%uint = OpTypeInt 32 0
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c8 = OpConstant %uint 8
%c16 = OpConstant %uint 16
%c32 = OpConstant %uint 32
%c64 = OpConstant %uint 64
%c128 = OpConstant %uint 128
%c4096 = OpConstant %uint 4096
%V16 = OpTypeCooperativeVectorNV %half %c16
%V32 = OpTypeCooperativeVectorNV %half %c32
%halves = OpTypeRuntimeArray %half
%floats = OpTypeRuntimeArray %float
%block = OpTypeStruct %halves
%floatBlock = OpTypeStruct %floats
%array = OpTypeArray %half %c4096
%two = OpTypeStruct %array %array
%blockPointer = OpTypePointer StorageBuffer %block
%floatBlockPointer = OpTypePointer StorageBuffer %floatBlock
%halvesPointer = OpTypePointer StorageBuffer %halves
%floatsPointer = OpTypePointer StorageBuffer %floats
%floatArray = OpTypeArray %float %c4096
%twoPointer = OpTypePointer Workgroup %two
%floatArrayPointer = OpTypePointer Workgroup %floatArray
%arrayPointer = OpTypePointer Workgroup %array
%indexPointer = OpTypePointer Input %uint
%buffer = OpVariable %blockPointer StorageBuffer
%other = OpVariable %blockPointer StorageBuffer
%floatBuffer = OpVariable %floatBlockPointer StorageBuffer
%shared = OpVariable %twoPointer Workgroup
%sharedFloats = OpVariable %floatArrayPointer Workgroup
%index = OpVariable %indexPointer Input
%main = OpFunction %void None %function
%entry = OpLabel
%lane = OpLoad %uint %index
%at = OpIMul %uint %lane %c64
%where = OpIAdd %uint %at %c64
%to = OpAccessChain %halvesPointer %buffer %c0
%toOther = OpAccessChain %halvesPointer %other %c0
%toFloats = OpAccessChain %floatsPointer %floatBuffer %c0
%first = OpAccessChain %arrayPointer %shared %c0
%second = OpAccessChain %arrayPointer %shared %c1
%x = OpCooperativeVectorLoadNV %V16 %toFloats %at
%y = OpCooperativeVectorLoadNV %V32 %toFloats %at
OpCooperativeVectorStoreNV %toFloats %at %x
OpCooperativeVectorStoreNV %toFloats %at %y
{}
OpReturn
OpFunctionEnd
)",
                       code);
}

size_t functionsOf(std::string_view code, const Target& target) {
    const std::vector<uint32_t> words = test::assemble(moduleWith(code));
    EXPECT_EQ(validate(words), std::nullopt) << code;
    const Result<Rewritten> out = rewrite({.words = words}, target);
    if (!out) {
        ADD_FAILURE() << code << out.error().message;
        return 0;
    }
    EXPECT_EQ(validate(out->words), std::nullopt) << code;
    return test::occurrences(disassemble(out->words), "OpFunctionEnd");
}

// Of 16 f16, of which results are stored.
std::string loadOf(std::string_view operands, char name) {
    return std::format(
        "%{0} = OpCooperativeVectorLoadNV {1}\nOpCooperativeVectorStoreNV %toFloats %at %{0}\n",
        name, operands);
}
std::string productOf(std::string_view operands, char name) {
    const bool adds = operands.starts_with("+");
    return std::format(
        "%{0} = OpCooperativeVectorMatrixMul{1}NV {2}\n"
        "OpCooperativeVectorStoreNV %toFloats %at %{0}\n",
        name, adds ? "Add" : "", operands.substr(adds ? 1 : 0));
}
std::string storeOf(std::string_view operands, char) {
    return std::format("OpCooperativeVectorStoreNV {}\n", operands);
}
std::string outerProductOf(std::string_view operands, char) {
    return std::format("OpCooperativeVectorOuterProductAccumulateNV {}\n", operands);
}
std::string sumOf(std::string_view operands, char) {
    return std::format("OpCooperativeVectorReduceSumAccumulateNV {}\n", operands);
}

struct Pair {
    std::string (*code)(std::string_view operands, char name);
    std::string_view first, second;
    bool areAlike;
};

constexpr Pair kPairs[] = {
    {loadOf, "%V16 %to %at", "%V16 %to %where", true},
    {loadOf, "%V16 %to %at", "%V16 %toOther %at", false},
    {loadOf, "%V16 %to %at", "%V32 %to %at", false},
    {loadOf, "%V16 %to %at", "%V16 %to %at Volatile", false},
    {loadOf, "%V16 %to %c16", "%V16 %to %c32", true},
    {loadOf, "%V16 %to %c16", "%V16 %to %c8", false},
    {loadOf, "%V16 %first %at", "%V16 %first %where", true},
    {loadOf, "%V16 %first %at", "%V16 %second %at", false},
    {loadOf, "%V16 %first %at", "%V16 %to %at", false},
    {storeOf, "%to %at %x", "%to %where %x", true},
    {storeOf, "%to %at %x", "%toOther %at %x", false},
    {storeOf, "%to %at %x", "%to %at %y", false},
    {storeOf, "%first %at %x", "%second %at %x", false},
    // Stride, layout, transposition; matrices and biases at other places; constant places.
    {productOf, "%V16 %x %c0 %to %at %c0 %c16 %c16 %c0 %no %c64",
     "%V16 %x %c0 %to %where %c0 %c16 %c16 %c0 %no %c64", true},
    {productOf, "%V16 %x %c0 %to %at %c0 %c16 %c16 %c0 %no %c64",
     "%V16 %x %c0 %to %at %c0 %c16 %c16 %c0 %no %c128", false},
    {productOf, "%V16 %x %c0 %to %at %c0 %c16 %c16 %c0 %no %c64",
     "%V16 %x %c0 %to %at %c0 %c16 %c16 %c0 %no %at", false},
    {productOf, "%V16 %x %c0 %to %at %c0 %c16 %c16 %c0 %no %where",
     "%V16 %x %c0 %to %at %c0 %c16 %c16 %c0 %no %at", true},
    {productOf, "%V16 %x %c0 %to %at %c0 %c16 %c16 %c0 %no %c64",
     "%V16 %x %c0 %to %at %c0 %c16 %c16 %c1 %no %c64", false},
    {productOf, "%V16 %x %c0 %to %at %c0 %c16 %c16 %c2 %no",
     "%V16 %x %c0 %to %at %c0 %c16 %c16 %c3 %no", false},
    {productOf, "%V16 %x %c0 %to %at %c0 %c16 %c16 %c2 %no",
     "%V16 %x %c0 %to %at %c0 %c16 %c16 %c2 %yes", false},
    {productOf, "%V16 %x %c0 %to %at %c0 %c16 %c16 %c2 %no",
     "%V16 %x %c0 %toOther %at %c0 %c16 %c16 %c2 %no", false},
    {productOf, "%V16 %x %c0 %to %at %c0 %c16 %c16 %c2 %no",
     "%V16 %y %c0 %to %at %c0 %c16 %c32 %c2 %no", false},
    {productOf, "%V16 %x %c0 %to %at %c0 %c16 %c16 %c2 %no",
     "%V32 %x %c0 %to %at %c0 %c32 %c16 %c2 %no", false},
    {productOf, "%V16 %x %c0 %to %at %c0 %c16 %c16 %c2 %no",
     "+%V16 %x %c0 %to %at %c0 %to %at %c0 %c16 %c16 %c2 %no", false},
    {productOf, "+%V16 %x %c0 %to %at %c0 %to %where %c0 %c16 %c16 %c2 %no",
     "+%V16 %x %c0 %to %at %c0 %to %at %c0 %c16 %c16 %c2 %no", true},
    {productOf, "+%V16 %x %c0 %to %at %c0 %toOther %at %c0 %c16 %c16 %c2 %no",
     "+%V16 %x %c0 %to %at %c0 %to %at %c0 %c16 %c16 %c2 %no", false},
    {outerProductOf, "%to %at %x %y %c2 %c0", "%to %where %x %y %c2 %c0", true},
    {outerProductOf, "%to %at %x %y %c2 %c0", "%to %at %x %y %c0 %c0 %c128", false},
    {outerProductOf, "%to %at %x %y %c0 %c0 %c64", "%to %at %x %y %c0 %c0 %c128", false},
    {outerProductOf, "%to %at %x %y %c0 %c0 %c64", "%to %at %x %y %c0 %c0 %at", false},
    {outerProductOf, "%to %at %x %y %c0 %c0 %where", "%to %at %x %y %c0 %c0 %at", true},
    {outerProductOf, "%to %at %x %y %c0 %c0 %c64", "%to %at %x %y %c1 %c0 %c64", false},
    // The columns of one are the rows of the other.
    {outerProductOf, "%to %at %x %y %c0 %c0 %c64", "%to %at %y %x %c1 %c0 %c64", true},
    {outerProductOf, "%to %at %x %y %c0 %c0 %c128", "%to %at %x %y %c0 %c1 %c128", false},
    {outerProductOf, "%to %at %x %y %c2 %c0", "%toOther %at %x %y %c2 %c0", false},
    {outerProductOf, "%to %at %x %y %c2 %c0", "%to %at %x %x %c2 %c0", false},
    {sumOf, "%to %at %x", "%to %where %x", true},
    {sumOf, "%to %at %x", "%toOther %at %x", false},
    {sumOf, "%to %at %x", "%to %at %y", false},
    {sumOf, "%first %at %x", "%second %at %x", false},
};

void expectHelpers(const Pair& pair, const Target& target) {
    const std::string first = pair.code(pair.first, 'a'), second = pair.code(pair.second, 'b');
    const size_t none = functionsOf("", target);
    EXPECT_EQ(functionsOf(first, target), none + 1) << first;
    EXPECT_EQ(functionsOf(second, target), none + 1) << second;
    EXPECT_EQ(functionsOf(first + second, target), none + (pair.areAlike ? 1 : 2))
        << first << second;
}

TEST(VectorHelpers, AreOfEqualInstructions) {
    for (const Pair& pair : kPairs) expectHelpers(pair, {});
}

// Weights in blocks are not in lines, of whatever stride.
TEST(VectorHelpers, OfBlocksAreOthers) {
    Target target;
    target.device.blockedWeights = true;
    for (const std::string_view stride : {"%c64", "%c128"}) {
        const std::string lines = std::format("%to %at %x %y %c0 %c0 {}", stride);
        expectHelpers({outerProductOf, "%to %at %x %y %c2 %c0", lines, false}, target);
    }
}

// Atomic operations order nothing: other invocations read nothing through what these add to. They
// reach as many invocations as the memory does.
void expectRelaxed(std::string_view operands, spv::Op atomic, spv::Scope scope) {
    using enum spv::Op;
    const std::vector<uint32_t> words = test::assemble(
        moduleWith(outerProductOf(operands, 'a') + loadOf("%V16 %sharedFloats %at", 'b')));
    const Result<Rewritten> out = rewrite({.words = words}, {});
    ASSERT_TRUE(out) << out.error().message;
    const Result<Module> module = Module::parse(out->words);
    ASSERT_TRUE(module) << module.error().message;
    size_t found = 0;
    module->visitBlocks([&](const Instruction& i) {
        if (i.opcode != atomic && i.opcode != OpAtomicLoad) return;
        found += i.opcode == atomic ? 1 : 0;
        EXPECT_EQ(module->constantValue(i.word(1)), uint64_t{static_cast<uint32_t>(scope)});
        EXPECT_EQ(module->constantValue(i.word(2)), 0u);
        if (i.opcode == OpAtomicCompareExchange) {
            EXPECT_EQ(module->constantValue(i.word(3)), 0u);
        }
    });
    EXPECT_GT(found, 0u) << operands;
}

TEST(VectorHelpers, AddRelaxed) {
    using enum spv::Op;
    using spv::Scope;
    expectRelaxed("%to %at %x %y %c2 %c0", OpAtomicCompareExchange, Scope::QueueFamily);
    expectRelaxed("%sharedFloats %at %x %y %c2 %c1", OpAtomicExchange, Scope::Workgroup);
}

}  // namespace
}  // namespace coopvk::rewrite::vector_helpers_test
