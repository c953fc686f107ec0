// SPDX-License-Identifier: Apache-2.0
//
// Which values are tiles of the driver's matrices, by the conversions that are left.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "ir/module.hpp"
#include "ir/types.hpp"

namespace coopvk::rewrite::tile_conversions_test {
namespace {

// A module whose main function has A, B and `zeros`, the products' C, and the text.
std::string moduleText(std::string_view text, std::string_view decorations) {
    return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpCapability CooperativeMatrixReductionsNV
OpCapability CooperativeMatrixConversionsNV
OpCapability CooperativeMatrixConversionsEXT
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_NV_cooperative_matrix2"
OpExtension "SPV_EXT_cooperative_matrix_maintenance1"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %buffer %sums
OpExecutionMode %main LocalSize 128 1 1
{}
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
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%combine_fn = OpTypeFunction %f32 %f32 %f32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c64 = OpConstant %u32 64
%f0 = OpConstant %f32 0
%h0 = OpConstant %f16 0
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
%A = OpTypeCooperativeMatrixKHR %f16 %c2 %c64 %c64 %c0
%B = OpTypeCooperativeMatrixKHR %f16 %c2 %c64 %c64 %c1
%C = OpTypeCooperativeMatrixKHR %f32 %c2 %c64 %c64 %c2
%zeros = OpConstantComposite %C %f0
%D = OpTypeCooperativeMatrixKHR %f16 %c2 %c64 %c64 %c2
%halfzeros = OpConstantComposite %D %h0
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
%a = OpCooperativeMatrixLoadKHR %A %p %c0 %c64
%b = OpCooperativeMatrixLoadKHR %B %p %c0 %c64
{}
OpReturn
OpFunctionEnd
)",
                       decorations, text);
}

struct Conversions {
    size_t toTiles = 0, fromTiles = 0;  // calls in the main function
    bool operator==(const Conversions&) const = default;
};

Result<Rewritten> rewritten(const std::string& module, const std::vector<MatrixShape>& shapes,
                            uint32_t sharedBytes = 16384) {
    const std::vector<uint32_t> words = test::assemble(module);
    Request request;
    request.words = words;
    Target target;
    target.subgroupSize = 32;
    target.device.nativeShapes = shapes;
    target.device.maxComputeSharedMemorySize = sharedBytes;
    target.emulated = {Extension::kNvCooperativeMatrix2};
    target.backEnd = BackEnd::kNative;
    return rewrite(request, target);
}

constexpr auto kHalf = ComponentType::kFloat16, kSingle = ComponentType::kFloat32;
const std::vector<MatrixShape> kShapes = {{16, 16, 16, kHalf, kHalf, kSingle, kSingle, false},
                                          {16, 16, 16, kHalf, kHalf, kHalf, kHalf, false}};

Conversions conversionsIn(std::string_view text) {
    const Result<Rewritten> out = rewritten(moduleText(text, ""), kShapes);
    if (!out) {
        ADD_FAILURE() << out.error().message;
        return {};
    }
    EXPECT_EQ(validate(out->words), std::nullopt);
    EXPECT_EQ(out->paths.front(), "matrices: native, in tiles of workgroups");
    const Result<Module> module = Module::parse(out->words);
    std::map<Id, std::string> names;
    for (const InstructionPtr& i : module->section(Section::kDebug)) {
        if (i->opcode == spv::Op::OpName) names[i->word(0)] = stringFromOperands(*i, 1);
    }
    Conversions conversions;
    module->visitBlocks([&](const Instruction& i) {
        if (i.opcode != spv::Op::OpFunctionCall) return;
        if (names[i.word(0)] == "coopvk_make_tiles") ++conversions.toTiles;
        if (names[i.word(0)] == "coopvk_deal_tiles") ++conversions.fromTiles;
    });
    return conversions;
}

TEST(TileConversions, SumsOfALoopAreTiles) {
    EXPECT_EQ(conversionsIn(R"(
OpBranch %header
%header = OpLabel
%i = OpPhi %u32 %c0 %entry %next %header
%sum = OpPhi %C %zeros %entry %product %header
%product = OpCooperativeMatrixMulAddKHR %C %a %b %sum
%next = OpIAdd %u32 %i %c1
%again = OpULessThan %bool %next %c64
OpLoopMerge %merge %header None
OpBranchConditional %again %header %merge
%merge = OpLabel
%reduced = OpCooperativeMatrixReduceNV %C %product Row %combine
OpCooperativeMatrixStoreKHR %q %product %c0 %c64
OpCooperativeMatrixStoreKHR %q %reduced %c0 %c64)"),
              (Conversions{1, 3}));
}

// The reductions would need four conversions, the product needs one.
TEST(TileConversions, ReducedProductsAreDistributed) {
    EXPECT_EQ(conversionsIn(R"(
%product = OpCooperativeMatrixMulAddKHR %C %a %b %zeros
%first = OpCooperativeMatrixReduceNV %C %product Row %combine
%second = OpCooperativeMatrixReduceNV %C %first Column %combine
OpCooperativeMatrixStoreKHR %q %second %c0 %c64)"),
              (Conversions{0, 1}));
}

// C is added behind the conversion.
TEST(TileConversions, SumsOfDistributedValuesNeedNoTiles) {
    EXPECT_EQ(conversionsIn(R"(
%before = OpCooperativeMatrixLoadKHR %C %q %c0 %c64
%product = OpCooperativeMatrixMulAddKHR %C %a %b %before
%first = OpCooperativeMatrixReduceNV %C %product Row %combine
%second = OpCooperativeMatrixMulAddKHR %C %a %b %first
%third = OpCooperativeMatrixReduceNV %C %second Row %combine
OpCooperativeMatrixStoreKHR %q %third %c0 %c64)"),
              (Conversions{0, 2}));
}

// A literal index picks a component of the distributed value.
TEST(TileConversions, PickedComponentsAreDistributed) {
    EXPECT_EQ(conversionsIn(R"(
%product = OpCooperativeMatrixMulAddKHR %C %a %b %zeros
%component = OpCompositeExtract %f32 %product 0
OpStore %q %component)"),
              (Conversions{0, 1}));
}

// Conversions that transpose give matrices of use A and B only
// (SPV_EXT_cooperative_matrix_maintenance1). Where one gives an accumulator, none is tiles.
TEST(TileConversions, TransposedAccumulatorsAreNoTiles) {
    using enum ComponentType;
    const Result<Rewritten> out =
        rewritten(moduleText(R"(
%product = OpCooperativeMatrixMulAddKHR %C %a %b %zeros
%turned = OpFConvert %D %product
%sum = OpCooperativeMatrixMulAddKHR %D %a %b %turned
OpCooperativeMatrixStoreKHR %p %sum %c0 %c64)",
                             "OpDecorate %turned CooperativeMatrixTransposeEXT"),
                  kShapes);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    EXPECT_NE(out->paths.front(), "matrices: native, in tiles of workgroups");
}

// Cooperative Matrix Operands, not the types, say whether the integers of a shape are signed.
TEST(TileShapes, HaveTheSignsOfOperands) {
    using enum ComponentType;
    for (const bool isSigned : {true, false}) {
        const std::string product = std::format(
            "%product = OpCooperativeMatrixMulAddKHR %C %a %b %zeros {}\n"
            "OpCooperativeMatrixStoreKHR %q %product %c0 %c64",
            isSigned ? "MatrixASignedComponentsKHR|MatrixBSignedComponentsKHR|"
                       "MatrixCSignedComponentsKHR|MatrixResultSignedComponentsKHR"
                     : "");
        const std::string bytes = test::edited(
            moduleText(product, ""), {{"OpCapability Float16", "OpCapability Int8"},
                                      {"StorageBuffer16BitAccess", "StorageBuffer8BitAccess"},
                                      {"%halves ArrayStride 2", "%halves ArrayStride 1"},
                                      {"%f16 = OpTypeFloat 16", "%f16 = OpTypeInt 8 0"},
                                      {"%f32 = OpTypeFloat 32", "%f32 = OpTypeInt 32 1"},
                                      {"OpFAdd", "OpIAdd"}});
        const Result<Rewritten> out =
            rewritten(bytes, {{16, 16, 16, kSint8, kSint8, kSint32, kSint32, false}});
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt);
        EXPECT_EQ(out->paths.front() == "matrices: native, in tiles of workgroups", isSigned);
    }
}

// A product takes as deep slices as there is memory for, 18 KiB here. The conversion of a matrix of
// a subgroup takes no more than what is then left.
TEST(TileConversions, LeaveEnoughSharedMemoryToSubgroups) {
    const std::string module = test::edited(moduleText(R"(
%product = OpCooperativeMatrixMulAddKHR %C %a %b %zeros
OpCooperativeMatrixStoreKHR %q %product %c0 %c64
%held = OpCooperativeMatrixLoadKHR %H %p %c0 %c64
%factor = OpCooperativeMatrixConvertNV %F %held
%sum = OpCooperativeMatrixMulAddKHR %S %factor %other %sums0
OpCooperativeMatrixStoreKHR %p %sum %c0 %c64)",
                                                       ""),
                                            {{"%combine = ", R"(%c3 = OpConstant %u32 3
%c16 = OpConstant %u32 16
%c96 = OpConstant %u32 96
%c128 = OpConstant %u32 128
%H = OpTypeCooperativeMatrixKHR %f16 %c3 %c128 %c96 %c2
%F = OpTypeCooperativeMatrixKHR %f16 %c3 %c128 %c96 %c0
%O = OpTypeCooperativeMatrixKHR %f16 %c3 %c96 %c16 %c1
%S = OpTypeCooperativeMatrixKHR %f16 %c3 %c128 %c16 %c2
%other = OpConstantNull %O
%sums0 = OpConstantNull %S
%combine = )"}});
    const Result<Rewritten> out = rewritten(module, kShapes, 30 * 1024);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(out->paths.front(), "matrices: native, in tiles of workgroups");
    const Result<Module> result = Module::parse(out->words);
    TypeSizes sizes(*result, MemoryLayout::kShared);
    uint64_t used = 0;
    for (const InstructionPtr& i : result->section(Section::kGlobals)) {
        if (i->opcode == spv::Op::OpVariable && storageOf(*i) == spv::StorageClass::Workgroup)
            used += sizes.of(result->pointee(i->result)).bytes;
    }
    EXPECT_GE(used, 18u * 1024);
    EXPECT_LE(used, 30u * 1024);
}

}  // namespace
}  // namespace coopvk::rewrite::tile_conversions_test
