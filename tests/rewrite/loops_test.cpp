// SPDX-License-Identifier: Apache-2.0
//
// Code that lowering puts into loops of every form leaves valid structured control flow.
// tests/driver tests the results.
#include <gtest/gtest.h>

#include <format>

#include "../test_part.hpp"
#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "loop_module.hpp"

namespace coopvk::rewrite::loops_test {
namespace {

enum class Kind { kCpu, kGpu, kWide, kSingleColumns, kTiles };

Target targetOf(Kind kind) {
    Target target;
    target.device.bufferDeviceAddress = true;
    target.device.shaderFloat16 = true;
    target.device.subgroupShuffle = true;
    target.subgroupSize = kind == Kind::kCpu ? 4 : 32;
    target.device.isCpu = kind == Kind::kCpu;
    // Few registers: loops over slices stand in the module's loops.
    if (kind == Kind::kWide) target.subgroupSize = target.device.maxSubgroupSize = 64;
    // Then several invocations store to a scalar.
    if (kind == Kind::kSingleColumns) target.tuning.columnBlock = 1;
    target.device.maxComputeSharedMemorySize = 65536;
    target.backEnd = BackEnd::kCore;
    if (kind != Kind::kTiles) return target;
    using enum ComponentType;
    // Two subgroups share the smaller ones.
    target.device.nativeShapes = {{16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false},
                                  {8, 8, 8, kFloat16, kFloat16, kFloat32, kFloat32, false}};
    target.emulated = {Extension::kNvCooperativeMatrix2};
    target.backEnd = BackEnd::kAuto;
    return target;
}

class Loops : public testing::TestWithParam<test::LoopForm> {};

// A third of the combinations, which has each pair of a form, an operation, a scope and a target.
bool runs(const test::LoopForm& form, size_t operation, uint32_t scope, Kind kind) {
    const auto found =
        std::ranges::find(test::loopForms(), form.name, [](const auto& each) { return each.name; });
    const auto number = size_t(found - test::loopForms().begin());
    return test::runsAll() ||
           (number + operation + scope + size_t(kind) + test::testSeed()) % 3 == 0;
}

TEST_P(Loops, StayStructured) {
    constexpr uint32_t kWorkgroup = 2, kSubgroup = 3;
    size_t number = 0;
    for (const test::LoopOperation& operation : test::loopOperations()) {
        ++number;
        for (const uint32_t scope : {kWorkgroup, kSubgroup}) {
            if (operation.isOfSubgroups && scope == kWorkgroup) continue;
            const auto words = test::assemble(test::loopModule(operation, GetParam(), scope));
            ASSERT_TRUE(GetParam().isOfOlderRules || !validate(words))
                << operation.name << ": " << validate(words).value_or("");
            for (const Kind kind :
                 {Kind::kCpu, Kind::kGpu, Kind::kWide, Kind::kSingleColumns, Kind::kTiles}) {
                // A subgroup has an invocation for each line.
                const bool fits = kind != Kind::kCpu && kind != Kind::kTiles;
                if (operation.isOfSubgroups && !fits) continue;
                if (!runs(GetParam(), number, scope, kind)) continue;
                SCOPED_TRACE(std::format("{}, scope {}, target {}", operation.name, scope,
                                         static_cast<int>(kind)));
                Request request;
                request.words = words;
                const Result<Rewritten> out = rewrite(request, targetOf(kind));
                ASSERT_TRUE(out) << out.error().message;
                EXPECT_EQ(validate(out->words), std::nullopt);
                const bool isGone =
                    disassemble(out->words).find("OpCooperativeMatrix") == std::string::npos;
                EXPECT_TRUE(kind == Kind::kTiles || isGone);
                const bool hasTiles = kind == Kind::kTiles && scope == kWorkgroup &&
                                      operation.name.ends_with("edProduct");
                EXPECT_FALSE(hasTiles && isGone);
            }
        }
    }
}

// The code of a form where %C is no matrix, and %p a pointer to %C.
std::string codeOf(const test::LoopForm& form, std::string_view text) {
    std::string code = test::loopCode(form, text);
    const auto replaceAll = [&](std::string_view from, std::string_view to) {
        for (size_t at = 0; (at = code.find(from, at)) != code.npos; at += to.size()) {
            code.replace(at, from.size(), to);
        }
    };
    replaceAll("OpCooperativeMatrixStoreKHR %p", "OpStore %p");
    replaceAll(" %c0 %c16\n", "\n");
    return code;
}

// An operation of SPV_INTEL_2d_block_io in place of one on matrices: %C is f32. `isPlain`: without
// it, since spirv-val does not know that its operands may point to variables.
std::string blockModule(const test::LoopForm& form, bool isPlain) {
    const std::string code = codeOf(form, isPlain ? "%y@ = OpFAdd %C %x@ %x@\n" : R"(
OpSubgroup2DBlockLoadINTEL %c1 %c64 %c32 %c1 %base %c128 %c128 %c128 %at %held
OpSubgroup2DBlockStoreINTEL %c4 %c8 %c8 %c1 %held %base %c128 %c128 %c128 %at
%y@ = OpFAdd %C %x@ %x@
)");
    return std::format(R"(
OpCapability Shader
OpCapability PhysicalStorageBufferAddresses
OpCapability Subgroup2DBlockIOINTEL
OpExtension "SPV_INTEL_2d_block_io"
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %main "main" %push
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %pushBlock Block
OpMemberDecorate %pushBlock 0 Offset 0
%void = OpTypeVoid
%void_fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%s32 = OpTypeInt 32 1
%s32x2 = OpTypeVector %s32 2
%C = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c4 = OpConstant %u32 4
%c8 = OpConstant %u32 8
%c32 = OpConstant %u32 32
%c64 = OpConstant %u32 64
%c128 = OpConstant %u32 128
%minus = OpConstant %s32 -4
%at = OpConstantComposite %s32x2 %minus %minus
%zeros = OpConstant %C 0
%physical = OpTypePointer PhysicalStorageBuffer %u32
%pushBlock = OpTypeStruct %physical
%pushPointer = OpTypePointer PushConstant %pushBlock
%pushMember = OpTypePointer PushConstant %physical
%push = OpVariable %pushPointer PushConstant
%private = OpTypeArray %u32 %c128
%privatePointer = OpTypePointer Function %private
%floatPointer = OpTypePointer Function %C
%main = OpFunction %void None %void_fn
%entry = OpLabel
%held = OpVariable %privatePointer Function
%p = OpVariable %floatPointer Function
%from = OpAccessChain %pushMember %push %c0
%base = OpLoad %physical %from
{}
OpReturn
OpFunctionEnd
)",
                       code);
}

TEST_P(Loops, StayStructuredAroundBlocks) {
    const std::vector<uint32_t> plain = test::assemble(blockModule(GetParam(), true));
    ASSERT_TRUE(GetParam().isOfOlderRules || !validate(plain)) << validate(plain).value_or("");
    const std::vector<uint32_t> words = test::assemble(blockModule(GetParam(), false));
    for (const Kind kind : {Kind::kCpu, Kind::kGpu, Kind::kWide}) {
        SCOPED_TRACE(static_cast<int>(kind));
        Request request;
        request.words = words;
        const Result<Rewritten> out = rewrite(request, targetOf(kind));
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt);
        EXPECT_EQ(disassemble(out->words).find("2DBlock"), std::string::npos);
    }
}

// Long vectors, structures and arrays of them: %C is a vector of 20 components.
std::string longVectorModule(const test::LoopForm& form) {
    return std::format(R"(
OpCapability Shader
OpCapability LongVectorEXT
OpExtension "SPV_EXT_long_vector"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%void_fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c20 = OpConstant %u32 20
%C = OpTypeVectorIdEXT %f32 %c20
%zeros = OpConstantNull %C
%both = OpTypeStruct %C %C
%nothing = OpConstantNull %both
%many = OpTypeArray %C %c20
%pointer = OpTypePointer Function %C
%manyPointer = OpTypePointer Function %many
%main = OpFunction %void None %void_fn
%entry = OpLabel
%p = OpVariable %pointer Function
%from = OpVariable %manyPointer Function
%to = OpVariable %manyPointer Function
%choice = OpIEqual %bool %c0 %c1
{}
OpReturn
OpFunctionEnd
)",
                       codeOf(form, R"(
OpCopyMemory %to %from
%s@ = OpCompositeConstruct %both %x@ %x@
%t@ = OpSelect %both %choice %s@ %nothing
%u@ = OpCompositeExtract %C %t@ 1
%y@ = OpFAdd %C %x@ %u@
)"));
}

TEST_P(Loops, StayStructuredAroundLongVectors) {
    const std::vector<uint32_t> words = test::assemble(longVectorModule(GetParam()));
    ASSERT_TRUE(GetParam().isOfOlderRules || !validate(words)) << validate(words).value_or("");
    for (const Kind kind : {Kind::kCpu, Kind::kGpu, Kind::kWide}) {
        SCOPED_TRACE(static_cast<int>(kind));
        Request request;
        request.words = words;
        const Result<Rewritten> out = rewrite(request, targetOf(kind));
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt);
        EXPECT_EQ(disassemble(out->words).find("LongVector"), std::string::npos);
    }
}

// Matrices of 8-bit floats that go through shared memory into the driver's f16 matrices.
std::string smallFloatModule(const test::LoopForm& form) {
    constexpr std::string_view kTypes = R"(
%e4m3 = OpTypeFloat 8 Float8E4M3EXT
%e5m2 = OpTypeFloat 8 Float8E5M2EXT
%half = OpConstant %e4m3 0x1p-1
%A = OpTypeCooperativeMatrixKHR %e4m3 %c3 %c16 %c16 %c0
%B = OpTypeCooperativeMatrixKHR %e4m3 %c3 %c16 %c16 %c1
%E = OpTypeCooperativeMatrixKHR %e5m2 %c3 %c16 %c16 %c0
%C = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c2
%zeros = OpConstantNull %C
%halves = OpConstantComposite %B %half
%main = OpFunction %void None %void_fn
%entry = OpLabel
%p = OpAccessChain %pointer %buffer %c0 %c0
)";
    constexpr std::string_view kHead = R"(
OpCapability Shader
OpCapability Float8EXT
OpCapability Float8CooperativeMatrixEXT
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_EXT_float8"
OpMemoryModel Logical Vulkan)";
    return test::bufferPreamble(kHead, "%buffer", "", 128) + std::string(kTypes) +
           test::loopCode(form, R"(
%a@ = OpCooperativeMatrixLoadKHR %A %p %c0 %c16
%e@ = OpFConvert %E %a@
OpCooperativeMatrixStoreKHR %p %e@ %c0 %c16
%y@ = OpCooperativeMatrixMulAddKHR %C %a@ %halves %x@
)") + "OpReturn\nOpFunctionEnd\n";
}

TEST_P(Loops, StayStructuredAroundStagedElements) {
    const std::vector<uint32_t> words = test::assemble(smallFloatModule(GetParam()));
    ASSERT_TRUE(GetParam().isOfOlderRules || !validate(words)) << validate(words).value_or("");
    // Of 128 invocations, half access a matrix: under a condition.
    for (const uint32_t lanes : {32, 128}) {
        Request request;
        request.words = words;
        Target target = targetOf(Kind::kTiles);
        target.subgroupSize = target.device.maxSubgroupSize = lanes;
        target.emulated = {Extension::kExtShaderFloat8};
        const Result<Rewritten> out = rewrite(request, target);
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt);
        EXPECT_NE(disassemble(out->words).find("coopvk_staging"), std::string::npos);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Loops,
                         testing::ValuesIn(test::loopForms().begin(), test::loopForms().end()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace coopvk::rewrite::loops_test
