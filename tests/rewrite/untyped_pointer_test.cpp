// SPDX-License-Identifier: Apache-2.0
//
// Matrices behind untyped pointers (SPV_KHR_untyped_pointers): which pointers the lowered accesses
// have, and what stays of the module's own.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"

namespace coopvk::rewrite::untyped_pointer_test {
namespace {

struct Parts {
    std::string storage = "StorageBuffer";
    std::string capabilities;
    std::string component = "%f16";
    std::string words = "OpTypeRuntimeArray %u32";  // the contents of the buffer
    std::string further;                            // instructions behind the copy
    std::string size = "%c16";                      // rows and columns
    uint32_t stride = 32;                           // bytes
};

// Copies a matrix of use A inside a block of words.
std::string moduleText(const Parts& p) {
    const bool isBuffer = p.storage == "StorageBuffer";
    return std::format(
        R"(OpCapability Shader
OpCapability Float16
OpCapability VulkanMemoryModel
OpCapability UntypedPointersKHR
OpCapability CooperativeMatrixKHR
{}
OpExtension "SPV_KHR_untyped_pointers"
OpExtension "SPV_KHR_workgroup_memory_explicit_layout"
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %x
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
{}
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c3 = OpConstant %u32 3
%c8 = OpConstant %u32 8
%c16 = OpConstant %u32 16
%c256 = OpConstant %u32 256
%c1024 = OpConstant %u32 1024
%stride = OpConstant %u32 {}
%words = {}
%block = OpTypeStruct %words
%pointer = OpTypeUntypedPointerKHR {}
%x = OpUntypedVariableKHR %pointer {} %block
%M = OpTypeCooperativeMatrixKHR {} %c3 {} {} %c0
%main = OpFunction %void None %fn
%label = OpLabel
%p = OpUntypedAccessChainKHR %pointer %block %x %c0 %c8
%q = OpUntypedAccessChainKHR %pointer %block %x %c0 %c256
%m = OpCooperativeMatrixLoadKHR %M %p %c0 %stride
OpCooperativeMatrixStoreKHR %q %m %c1 %stride
{}
OpReturn
OpFunctionEnd
)",
        p.capabilities, isBuffer ? "OpDecorate %x DescriptorSet 0\nOpDecorate %x Binding 0" : "",
        p.stride, p.words, p.storage, p.storage, p.component, p.size, p.size, p.further);
}

Parts inWorkgroup() {
    Parts parts;
    parts.storage = "Workgroup";
    parts.words = "OpTypeArray %u32 %c1024";
    parts.capabilities = "OpCapability WorkgroupMemoryExplicitLayoutKHR";
    return parts;
}

std::string rewritten(const Parts& parts, Target target = {}) {
    const std::vector<uint32_t> words = test::assemble(moduleText(parts));
    EXPECT_EQ(validate(words).value_or(""), "");
    Request request;
    request.words = words;
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return {};
    EXPECT_EQ(validate(out->words).value_or(""), "");
    return disassemble(out->words);
}

bool has(const std::string& text, std::string_view what) {
    return text.find(what) != std::string::npos;
}

TEST(UntypedPointer, BuffersGetTypedPointers) {
    const std::string text = rewritten({});
    EXPECT_FALSE(has(text, "Untyped")) << text;
    EXPECT_FALSE(has(text, "SPV_KHR_untyped_pointers")) << text;
    EXPECT_TRUE(has(text, "OpCapability StorageBuffer16BitAccess")) << text;
}

TEST(UntypedPointer, OtherUsesStay) {
    Parts parts;
    parts.further = "%w = OpLoad %u32 %p\nOpStore %q %w";
    const std::string text = rewritten(parts);
    EXPECT_TRUE(has(text, "OpCapability UntypedPointersKHR")) << text;
    EXPECT_TRUE(has(text, "OpUntypedVariableKHR")) << text;
    EXPECT_TRUE(has(text, "OpUntypedAccessChainKHR")) << text;
    EXPECT_TRUE(has(text, "OpLoad %uint")) << text;
}

// Blocks in Workgroup memory that are Aliased all alias each other, so there are no views of them.
TEST(UntypedPointer, WorkgroupKeepsUntypedPointers) {
    Parts parts = inWorkgroup();
    parts.capabilities += "\nOpCapability WorkgroupMemoryExplicitLayout16BitAccessKHR";
    const std::string text = rewritten(parts);
    EXPECT_TRUE(has(text, "OpUntypedVariableKHR")) << text;
    EXPECT_TRUE(has(text, "OpLoad %half")) << text;
    EXPECT_FALSE(has(text, "Aliased")) << text;
}

// Variables without a layout must not stand beside those with one.
TEST(UntypedPointer, ProductsAddNoVariableToSharedBlocks) {
    const std::string source = test::edited(
        moduleText(inWorkgroup()),
        {{"%main = OpFunction",
          "%c2 = OpConstant %u32 2\n%A = OpTypeCooperativeMatrixKHR %f32 %c2 %c16 %c16 %c0\n"
          "%B = OpTypeCooperativeMatrixKHR %f32 %c2 %c16 %c16 %c1\n"
          "%C = OpTypeCooperativeMatrixKHR %f32 %c2 %c16 %c16 %c2\n"
          "%a = OpConstantNull %A\n%b = OpConstantNull %B\n%c = OpConstantNull %C\n"
          "%main = OpFunction"},
         {"OpReturn", "%r = OpCooperativeMatrixMulAddKHR %C %a %b %c\nOpReturn"}});
    const std::vector<uint32_t> words = test::assemble(source);
    Request request;
    request.words = words;
    const Result<Rewritten> out = rewrite(request, Target{});
    if (!out) {
        EXPECT_TRUE(has(out.error().message, "shared memory")) << out.error().message;
        return;
    }
    EXPECT_FALSE(has(disassemble(out->words), "OpVariable %_ptr_Workgroup"));
}

TEST(UntypedPointer, WordsWhereTheDeviceHasNoNarrowAccess) {
    Target target;
    target.device.storageBuffer16BitAccess = target.device.storageBuffer8BitAccess = false;
    for (const char* component : {"%f16", "%f32"}) {
        Parts parts;
        parts.component = component;
        parts.stride = 64;
        const std::string text = rewritten(parts, target);
        EXPECT_FALSE(has(text, "BitAccess")) << text;
    }
    const std::string shared = rewritten(inWorkgroup());
    EXPECT_FALSE(has(shared, "16BitAccess")) << shared;
}

// A driver's matrix takes the stride in units of what its pointer points to.
TEST(UntypedPointer, TilesHaveTheirStrideInElements) {
    Target target;
    target.device.nativeShapes = {{8, 8, 8, ComponentType::kFloat16, ComponentType::kFloat16,
                                   ComponentType::kFloat32, ComponentType::kFloat32, false}};
    target.backEnd = BackEnd::kNative;
    const std::string text = rewritten({}, target);
    EXPECT_TRUE(has(text, "OpCooperativeMatrixLoadKHR")) << text;
    EXPECT_TRUE(has(text, "%uint_0 %uint_16")) << text;
    EXPECT_FALSE(has(text, "%uint_0 %uint_32")) << text;
}

TEST(UntypedPointer, SharedTilesKeepTheirStrideInBytes) {
    Target target;
    target.device.nativeShapes = {{8, 8, 8, ComponentType::kFloat16, ComponentType::kFloat16,
                                   ComponentType::kFloat32, ComponentType::kFloat32, false}};
    target.backEnd = BackEnd::kNative;
    const std::string text = rewritten(inWorkgroup(), target);
    EXPECT_TRUE(has(text, "OpCooperativeMatrixLoadKHR")) << text;
    EXPECT_TRUE(has(text, "%uint_0 %uint_32")) << text;
}

}  // namespace
}  // namespace coopvk::rewrite::untyped_pointer_test
