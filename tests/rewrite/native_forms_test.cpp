// SPDX-License-Identifier: Apache-2.0
//
// The native back-end takes what it lists, and shaders that have no matrices.
#include <gtest/gtest.h>

#include <algorithm>

#include "assemble.hpp"
#include "coopvk/advertised.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "ir/module.hpp"

namespace coopvk::rewrite::native_forms_test {
namespace {

using enum ComponentType;

// SPV_QCOM_cooperative_matrix_conversion has instructions on arrays alone, which need no memory
// model.
constexpr std::string_view kArrays = R"(
OpCapability Shader
OpCapability CooperativeMatrixConversionQCOM
OpExtension "SPV_QCOM_cooperative_matrix_conversion"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 32 1 1
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%s32 = OpTypeInt 32 1
%f32 = OpTypeFloat 32
%s0 = OpConstant %s32 0
%u8 = OpConstant %u32 8
%u4 = OpConstant %u32 4
%line = OpTypeArray %f32 %u8
%part = OpTypeArray %f32 %u4
%words = OpTypeArray %u32 %u8
%line0 = OpConstantNull %line
%main = OpFunction %void None %f
%label = OpLabel
%w = OpBitCastArrayQCOM %words %line0
%p = OpExtractSubArrayQCOM %part %line0 %s0
OpReturn
OpFunctionEnd
)";

TEST(NativeForms, ShadersWithoutMatrices) {
    const std::vector<uint32_t> words = test::assemble(kArrays);
    for (const bool hasShapes : {false, true}) {
        Request request;
        request.words = words;
        Target target;
        target.backEnd = BackEnd::kNative;
        if (hasShapes) {
            target.device.nativeShapes = {{8, 8, 8, kFloat16, kFloat16, kFloat32, kFloat32, false}};
        }
        const Result<Rewritten> out = rewrite(request, target);
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt);
        const std::string text = disassemble(out->words);
        EXPECT_EQ(test::occurrences(text, "QCOM"), 0u);
        EXPECT_EQ(test::occurrences(text, "Cooperative"), 0u);
    }
}

// The driver has 8-bit products with K of 32 only, so K of flexible matrices grows in steps of 32.
TEST(NativeForms, FlexibleSizesAreMadeOfTiles) {
    DeviceTraits device;
    device.nativeShapes = {{16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false},
                           {8, 8, 32, kSint8, kSint8, kSint32, kSint32, false}};
    device.onlyNativeShapes = true;
    const auto sizes = [&](ComponentType a, const std::vector<FlexibleShape>& shapes) {
        std::vector<std::array<uint32_t, 3>> found;
        for (const auto& [granularity, invocations] : shapes) {
            const MatrixShape& g = granularity;
            if (invocations == 0 && g.a == a) found.push_back({g.m, g.n, g.k});
        }
        return found;
    };
    using Sizes = std::vector<std::array<uint32_t, 3>>;
    const std::vector<FlexibleShape> listed = flexibleShapes(device);
    EXPECT_EQ(sizes(kFloat16, listed), (Sizes{{16, 16, 16}}));
    EXPECT_EQ(sizes(kSint8, listed), (Sizes{{16, 16, 32}}));
    EXPECT_EQ(sizes(kUint8, listed), Sizes());
    // Of a workgroup they may become core SPIR-V.
    EXPECT_TRUE(std::ranges::any_of(listed, [](const FlexibleShape& shape) {
        return shape.workgroupInvocations == 64 && shape.granularity.a == kUint8;
    }));
    device.onlyNativeShapes = false;
    EXPECT_EQ(sizes(kUint8, flexibleShapes(device)).front(), (std::array<uint32_t, 3>{16, 16, 16}));
}

// Cooperative Matrix Operands say whether integers are signed, and whether the sum saturates: the
// driver's shape must agree.
TEST(NativeForms, ProductsAskForTheirSigns) {
    const std::string bytes =
        test::edited(test::multiplyModule(16, 16, 16),
                     {{"OpCapability Float16\nOpCapability StorageBuffer16BitAccess",
                       "OpCapability Int8\nOpCapability StorageBuffer8BitAccess"},
                      {"OpExtension", "OpExtension \"SPV_KHR_8bit_storage\"\nOpExtension"},
                      {"%halves ArrayStride 2", "%halves ArrayStride 1"},
                      {"%f16 = OpTypeFloat 16", "%f16 = OpTypeInt 8 1"},
                      {"%f32 = OpTypeFloat 32", "%f32 = OpTypeInt 32 1"}});
    const std::string kSigned =
        "MatrixASignedComponentsKHR|MatrixBSignedComponentsKHR|MatrixCSignedComponentsKHR|"
        "MatrixResultSignedComponentsKHR";
    const MatrixShape signedBytes = {16, 16, 16, kSint8, kSint8, kSint32, kSint32, false};
    const MatrixShape unsignedBytes = {16, 16, 16, kUint8, kUint8, kUint32, kUint32, false};
    MatrixShape saturating = signedBytes;
    saturating.saturating = true;
    const auto isNative = [&](const std::string& operands, const MatrixShape& shape) {
        const auto words =
            test::assemble(test::edited(bytes, {{"%a %b %zero", "%a %b %zero " + operands}}));
        Target target;
        target.backEnd = BackEnd::kNative;
        target.device.nativeShapes = {shape};
        return bool(rewrite({.words = words}, target));
    };
    struct {
        std::string operands;
        MatrixShape shape;
    } const rows[] = {{"", unsignedBytes},
                      {kSigned, signedBytes},
                      {kSigned + "|SaturatingAccumulationKHR", saturating}};
    for (const auto& one : rows)
        for (const auto& other : rows)
            EXPECT_EQ(isNative(one.operands, other.shape), &one == &other) << one.operands;
}

// Mesa does not support OpCopyMemory of matrices. One with memory operands keeps them.
TEST(Native, CopiesOfMatricesAreLoadsAndStores) {
    for (const std::string_view operands : {"", " Aligned 16", " Volatile"}) {
        const std::string text = test::edited(
            test::multiplyModule(16, 16, 16),
            {{"%main = Op", "%held = OpTypePointer Function %C\n%main = Op"},
             {"%pa =", "%v = OpVariable %held Function\n%w = OpVariable %held Function\n%pa ="},
             {"%pc =", "OpStore %v %product\nOpCopyMemory %w %v" + std::string(operands) +
                           "\n%copied = OpLoad %C %w\n%pc ="},
             {"%pc %product", "%pc %copied"}});
        const auto words = test::assemble(text);
        ASSERT_EQ(validate(words), std::nullopt);
        for (const uint32_t size : {16u, 8u}) {
            Target target;
            target.backEnd = BackEnd::kNative;
            target.device.nativeShapes = {
                {size, size, size, kFloat16, kFloat16, kFloat32, kFloat32, false}};
            const auto out = rewrite({.words = words}, target);
            ASSERT_TRUE(out) << out.error().message;
            EXPECT_EQ(validate(out->words), std::nullopt);
            EXPECT_EQ(test::occurrences(disassemble(out->words), "OpCopyMemory"),
                      operands.empty() ? 0u : 1u);
        }
    }
}

// Elements of a matrix in a structure. A copy of the matrix is in a variable, one of whose elements
// is loaded or stored; the structure's other matrix stays.
TEST(Native, ElementsOfMatricesInStructures) {
    const auto words = test::assemble(test::edited(
        test::multiplyModule(16, 16, 16), {{"%zero =", "%both = OpTypeStruct %C %C\n%zero ="},
                                           {"%pc =",
                                            "%s = OpCompositeConstruct %both %product %zero\n"
                                            "%element = OpCompositeExtract %f32 %s 1 3\n"
                                            "%t = OpCompositeInsert %both %element %s 0 2\n"
                                            "%changed = OpCompositeExtract %C %t 0\n%pc ="},
                                           {"%pc %product", "%pc %changed"}}));
    ASSERT_EQ(validate(words), std::nullopt);
    Target target;
    target.backEnd = BackEnd::kNative;
    target.device.nativeShapes = {{8, 8, 8, kFloat16, kFloat16, kFloat32, kFloat32, false}};
    const auto out = rewrite({.words = words}, target);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    Result<Module> module = Module::parse(out->words);
    ASSERT_TRUE(module);
    std::vector<const Instruction*> loads, stores;
    module->visitBlocks([&](const Instruction& i) {
        const bool isOne = i.opcode == spv::Op::OpLoad || i.opcode == spv::Op::OpStore;
        const Id pointer = isOne ? i.word(0) : 0;
        if (!isOne || module->storage(pointer) != spv::StorageClass::Function) return;
        (i.opcode == spv::Op::OpLoad ? loads : stores).push_back(&i);
    });
    // Each time the whole matrix, into the same variable; then one element.
    ASSERT_EQ(stores.size(), 3u) << disassemble(out->words);
    ASSERT_EQ(loads.size(), 2u);
    const auto isElement = [&](const Instruction& access) {
        return module->def(access.word(0)).opcode != spv::Op::OpVariable;
    };
    EXPECT_FALSE(isElement(*stores[0]));
    EXPECT_TRUE(isElement(*loads[0]));
    EXPECT_EQ(stores[1]->word(0), stores[0]->word(0));
    EXPECT_TRUE(isElement(*stores[2]));
    EXPECT_EQ(stores[2]->word(1), loads[0]->result);
    EXPECT_EQ(loads[1]->word(0), stores[0]->word(0));
}

}  // namespace
}  // namespace coopvk::rewrite::native_forms_test
