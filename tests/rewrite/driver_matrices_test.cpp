// SPDX-License-Identifier: Apache-2.0
//
// Matrices of scope Subgroup stay the driver's beside instructions that the driver's lack.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "ir/module.hpp"

namespace coopvk::rewrite::driver_matrices_test {
namespace {

// A module whose main function has A, B, `zeros` and a product, then the text.
std::string moduleText(std::string_view text, std::string_view globals = "") {
    return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpCapability CooperativeMatrixReductionsNV
OpCapability CooperativeMatrixConversionsNV
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_NV_cooperative_matrix2"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %buffer %sums
OpExecutionMode %main LocalSize 128 1 1
OpDecorate %halves ArrayStride 2
OpDecorate %singles ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %sumblock Block
OpMemberDecorate %sumblock 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
OpDecorate %sums DescriptorSet 0
OpDecorate %sums Binding 1
%void = OpTypeVoid
%void_fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%combine_fn = OpTypeFunction %f32 %f32 %f32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c16 = OpConstant %u32 16
%c32 = OpConstant %u32 32
%f0 = OpConstant %f32 0
%halves = OpTypeRuntimeArray %f16
%block = OpTypeStruct %halves
%block_pointer = OpTypePointer StorageBuffer %block
%pointer = OpTypePointer StorageBuffer %f16
%singles = OpTypeRuntimeArray %f32
%sumblock = OpTypeStruct %singles
%sumblock_pointer = OpTypePointer StorageBuffer %sumblock
%sumpointer = OpTypePointer StorageBuffer %f32
%buffer = OpVariable %block_pointer StorageBuffer
%sums = OpVariable %sumblock_pointer StorageBuffer
%A = OpTypeCooperativeMatrixKHR %f16 %c3 %c32 %c16 %c0
%B = OpTypeCooperativeMatrixKHR %f16 %c3 %c16 %c16 %c1
%C = OpTypeCooperativeMatrixKHR %f32 %c3 %c32 %c16 %c2
%zeros = OpConstantComposite %C %f0
{}
%combine = OpFunction %f32 None %combine_fn
%x = OpFunctionParameter %f32
%y = OpFunctionParameter %f32
%begin = OpLabel
%total = OpFAdd %f32 %x %y
OpReturnValue %total
OpFunctionEnd
%main = OpFunction %void None %void_fn
%entry = OpLabel
%p = OpAccessChain %pointer %buffer %c0 %c0
%q = OpAccessChain %sumpointer %sums %c0 %c0
%a = OpCooperativeMatrixLoadKHR %A %p %c0 %c16
%b = OpCooperativeMatrixLoadKHR %B %p %c0 %c16
%product = OpCooperativeMatrixMulAddKHR %C %a %b %zeros
{}
OpReturn
OpFunctionEnd
)",
                       globals, text);
}

constexpr auto kHalf = ComponentType::kFloat16, kSingle = ComponentType::kFloat32;
constexpr MatrixShape kSingles = {16, 16, 16, kHalf, kHalf, kSingle, kSingle, false};
constexpr MatrixShape kHalves = {16, 16, 16, kHalf, kHalf, kHalf, kHalf, false};

Result<Rewritten> rewritten(const std::string& module, std::vector<MatrixShape> shapes) {
    const std::vector<uint32_t> words = test::assemble(module);
    Request request;
    request.words = words;
    Target target;
    target.subgroupSize = 32;
    target.device.nativeShapes = std::move(shapes);
    target.emulated = {Extension::kNvCooperativeMatrix2};
    target.backEnd = BackEnd::kAuto;
    Result<Rewritten> out = rewrite(request, target);
    if (out) {
        EXPECT_EQ(validate(out->words), std::nullopt);
    }
    return out;
}

bool hasNote(const Rewritten& out, std::string_view text) {
    return std::ranges::any_of(
        out.notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

// The rewritten module has the driver's products, and the note names so many conversions.
void expectNative(std::string_view text, uint32_t conversions,
                  std::vector<MatrixShape> shapes = {kSingles, kHalves},
                  std::string_view globals = "") {
    const Result<Rewritten> out = rewritten(moduleText(text, globals), std::move(shapes));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(out->paths.front(), "matrices: native, in tiles");
    const std::string note =
        std::format("conversions around what the driver's matrices lack: {}", conversions);
    EXPECT_TRUE(hasNote(*out, note)) << testing::PrintToString(out->notes);
    size_t products = 0;
    Module::parse(out->words)->visitBlocks([&](const Instruction& i) {
        if (i.opcode == spv::Op::OpCooperativeMatrixMulAddKHR) ++products;
    });
    EXPECT_GE(products, 2u);  // of 16 rows
}

void expectCore(const std::string& module, std::string_view reason) {
    const Result<Rewritten> out = rewritten(module, {kSingles, kHalves});
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(out->paths.front(), "matrices: core");
    EXPECT_TRUE(hasNote(*out, reason)) << testing::PrintToString(out->notes);
}

constexpr std::string_view kReduction =
    "%r = OpCooperativeMatrixReduceNV %C %product Row %combine\n"
    "OpCooperativeMatrixStoreKHR %q %r %c0 %c16";

TEST(DriverMatrices, ReductionsAreOfDistributedElements) { expectNative(kReduction, 2); }

// The second one takes what the first one gave.
TEST(DriverMatrices, ReductionsInARowNeedNoConversionBetween) {
    expectNative(
        "%r = OpCooperativeMatrixReduceNV %C %product Row %combine\n"
        "%s = OpCooperativeMatrixReduceNV %C %r Column %combine\n"
        "OpCooperativeMatrixStoreKHR %q %s %c0 %c16",
        3);
}

// Components first, by the driver's own conversion; else both in one conversion of elements.
TEST(DriverMatrices, SumsBecomeFactors) {
    constexpr std::string_view kText =
        "%h = OpFConvert %A %product\n"
        "%second = OpCooperativeMatrixMulAddKHR %C %h %b %product\n"
        "OpCooperativeMatrixStoreKHR %q %second %c0 %c16";
    expectNative(kText, 1);
    expectNative(kText, 2, {kSingles});
}

TEST(DriverMatrices, CoreCodeHasAReason) {
    const std::string reduced = moduleText(kReduction);
    expectCore(test::edited(reduced, {{"%product = OpCooperativeMatrixMulAddKHR %C %a %b %zeros",
                                       "%product = OpCopyObject %C %zeros"}}),
               "no products");
    expectCore(test::edited(reduced, {{"%C = OpTypeCooperativeMatrixKHR %f32 %c3 %c32 %c16 %c2",
                                       "%C = OpTypeCooperativeMatrixKHR %f32 %c3 %c32 %c16 %c2\n"
                                       "%D = OpTypeCooperativeMatrixKHR %f32 %c3 %c32 %c1 %c2"}}),
               "no shape of the driver divides all matrices");
    // 28 KiB of 32.
    expectCore(
        test::edited(moduleText(kReduction,
                                "%many = OpConstant %u32 7168\n%taken = OpTypeArray %f32 %many\n"
                                "%taken_pointer = OpTypePointer Workgroup %taken\n"
                                "%shared = OpVariable %taken_pointer Workgroup"),
                     {{"%buffer %sums\n", "%buffer %sums %shared\n"}}),
        "more shared memory than the shader leaves");
}

}  // namespace
}  // namespace coopvk::rewrite::driver_matrices_test
