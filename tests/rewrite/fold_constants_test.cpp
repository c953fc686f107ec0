// SPDX-License-Identifier: Apache-2.0
//
// What instructions on constants become: the constants that SPIR-V's text says.
#include "optimise/fold_constants.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <format>

#include "assemble.hpp"

namespace coopvk::rewrite::fold_constants_test {
namespace {

using Bits = std::vector<uint64_t>;  // of each component

// `what`: an instruction without its result, in the entry point.
std::string moduleOf(std::string_view what) {
    return std::format(R"(
OpCapability Shader
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%f = OpTypeFunction %void
%bool = OpTypeBool
%u8 = OpTypeInt 8 0
%u16 = OpTypeInt 16 0
%i16 = OpTypeInt 16 1
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%bools = OpTypeVector %bool 2
%u8x4 = OpTypeVector %u8 4
%u16x2 = OpTypeVector %u16 2
%u16x4 = OpTypeVector %u16 4
%u32x2 = OpTypeVector %u32 2
%u32x3 = OpTypeVector %u32 3
%u64x2 = OpTypeVector %u64 2
%u32x4 = OpTypeVector %u32 4
%f32x2 = OpTypeVector %f32 2
%true = OpConstantTrue %bool
%false = OpConstantFalse %bool
%no = OpConstantNull %bool
%no_yes = OpConstantComposite %bools %no %true
%u32_0 = OpConstant %u32 0
%u32_3 = OpConstant %u32 3
%u32_4097 = OpConstant %u32 4097
%few = OpTypeArray %u32 %u32_3
%many = OpTypeArray %u32 %u32_4097
%pair = OpTypeStruct %u32x2 %f64
%x = OpConstant %u32 0x89ABCDEF
%y = OpConstant %u32 0x01234567
%xy = OpConstantComposite %u32x2 %x %y
%xyx = OpConstantComposite %u32x3 %x %y %x
%l = OpConstant %u64 0x0123456789ABCDEF
%ll = OpConstantComposite %u64x2 %l %l
%zeros = OpConstantNull %u32x2
%zero = OpConstantNull %f32
%empty = OpConstantNull %few
%too_many = OpConstantNull %many
%nothing = OpConstantNull %pair
%third = OpConstant %f64 0.333333333333333333
%large = OpConstant %f64 1e300
%tiny = OpConstant %f32 -0x1p-15
%odd = OpConstant %f32 0x1.002p+0
%both = OpConstantComposite %f32x2 %tiny %odd
%i16_m2 = OpConstant %i16 -2
%main = OpFunction %void None %f
%label = OpLabel
%r = {}
OpReturn
OpFunctionEnd
)",
                       what);
}

std::optional<Bits> bitsOf(const Module& module, const TypeTable& types, Id constant) {
    const Instruction& def = module.def(constant);
    switch (def.opcode) {
        case spv::Op::OpConstantNull:
            return Bits(types.components(def.type), 0);
        case spv::Op::OpConstantTrue:
        case spv::Op::OpConstantFalse:
            return Bits{def.opcode == spv::Op::OpConstantTrue ? 1u : 0u};
        case spv::Op::OpConstant:
            return Bits{def.operands.size() == 1 ? def.word(0)
                                                 : def.word(0) | uint64_t{def.word(1)} << 32};
        case spv::Op::OpConstantComposite: {
            Bits all;
            for (const Operand& part : def.operands) {
                const std::optional<Bits> bits = bitsOf(module, types, part.word);
                if (!bits) return std::nullopt;
                all.insert(all.end(), bits->begin(), bits->end());
            }
            return all;
        }
        default:
            return std::nullopt;
    }
}

struct Row {
    std::string_view what;
    std::optional<Bits> expected;  // nullopt: the instruction stays
};
const Row kRows[] = {
    // The lowest component has the lowest bits.
    {"OpBitcast %u64 %xy", Bits{0x0123456789ABCDEF}},
    {"OpBitcast %u32x2 %l", Bits{0x89ABCDEF, 0x01234567}},
    {"OpBitcast %u16x4 %l", Bits{0xCDEF, 0x89AB, 0x4567, 0x0123}},
    {"OpBitcast %u16x4 %xy", Bits{0xCDEF, 0x89AB, 0x4567, 0x0123}},
    {"OpBitcast %u8x4 %y", Bits{0x67, 0x45, 0x23, 0x01}},
    {"OpBitcast %u32x4 %ll", Bits{0x89ABCDEF, 0x01234567, 0x89ABCDEF, 0x01234567}},
    {"OpBitcast %u64 %large", Bits{std::bit_cast<uint64_t>(1e300)}},
    {"OpBitcast %f64 %l", Bits{0x0123456789ABCDEF}},
    {"OpBitcast %f32 %x", Bits{0x89ABCDEF}},
    {"OpBitcast %u32 %tiny", Bits{0xB8000000}},
    {"OpBitcast %u64 %zeros", Bits{0}},
    {"OpBitcast %u16x2 %zero", Bits{0, 0}},
    {"OpUConvert %u64 %x", Bits{0x89ABCDEF}},
    {"OpUConvert %u64x2 %xy", Bits{0x89ABCDEF, 0x01234567}},
    {"OpUConvert %u8 %l", Bits{0xEF}},
    {"OpSConvert %u64 %i16_m2", Bits{~uint64_t{1}}},
    {"OpFConvert %f32 %third", Bits{std::bit_cast<uint32_t>(1.0f / 3)}},
    {"OpFConvert %f32 %large", Bits{0x7F800000}},
    {"OpFConvert %f64 %tiny", Bits{std::bit_cast<uint64_t>(-0x1p-15)}},
    {"OpFConvert %f64 %zero", Bits{0}},
    {"OpFConvert %f16 %tiny", Bits{0x8200}},
    {"OpFConvert %f16 %third", Bits{0x3555}},
    // Halves below 2^-14 are zeros, with their sign; others have ten bits, and ties go to the even
    // one.
    {"OpQuantizeToF16 %f32x2 %both", Bits{0x80000000, std::bit_cast<uint32_t>(1.0f)}},
    {"OpIAdd %u32x2 %xy %xy", Bits{0x13579BDE, 0x02468ACE}},
    {"OpIAdd %u64x2 %ll %ll", Bits{0x02468ACF13579BDE, 0x02468ACF13579BDE}},
    {"OpINotEqual %bools %xy %zeros", Bits{1, 1}},
    {"OpUGreaterThan %bool %l %l", Bits{0}},
    {"OpLogicalNot %bool %no", Bits{1}},
    {"OpLogicalNot %bools %no_yes", Bits{1, 0}},
    {"OpLogicalOr %bool %no %true", Bits{1}},
    {"OpSelect %u32 %no %x %y", Bits{0x01234567}},
    {"OpSelect %u32 %true %x %y", Bits{0x89ABCDEF}},
    {"OpSelect %u32x2 %no_yes %xy %zeros", Bits{0, 0x01234567}},
    {"OpSelect %u32x2 %no_yes %zeros %xy", Bits{0x89ABCDEF, 0}},
    {"OpVectorShuffle %u32x3 %xy %zeros 1 2 0", Bits{0x01234567, 0, 0x89ABCDEF}},
    {"OpVectorShuffle %u32x4 %zeros %xyx 4 3 2 1", Bits{0x89ABCDEF, 0x01234567, 0x89ABCDEF, 0}},
    {"OpCompositeExtract %u32 %xyx 1", Bits{0x01234567}},
    {"OpCompositeExtract %u32 %nothing 0 1", Bits{0}},
    {"OpCompositeExtract %f64 %nothing 1", Bits{0}},
    {"OpCompositeExtract %u32 %too_many 4096", Bits{0}},
    {"OpCompositeInsert %u32x3 %y %xyx 2", Bits{0x89ABCDEF, 0x01234567, 0x01234567}},
    {"OpCompositeInsert %pair %y %nothing 0 1", Bits{0, 0x01234567, 0}},
    {"OpCompositeInsert %few %y %empty 2", Bits{0, 0, 0x01234567}},
    {"OpCompositeInsert %many %y %too_many 0", std::nullopt},
    {"OpFAdd %f32 %zero %zero", std::nullopt},
    {"OpCopyObject %u32 %x", std::nullopt},
    {"OpUndef %u32", std::nullopt},
};

class Folded : public testing::TestWithParam<Row> {};

TEST_P(Folded, IsWhatTheInstructionGives) {
    const Row& row = GetParam();
    const std::vector<uint32_t> words = test::assemble(moduleOf(row.what));
    EXPECT_EQ(validate(words), std::nullopt);
    Result<Module> module = Module::parse(words);
    ASSERT_TRUE(module);
    TypeTable types(*module);
    const Instruction& i = *module->functions().front()->blocks.front()->body.front();
    const std::optional<Id> constant = folded(types, i);
    ASSERT_EQ(constant.has_value(), row.expected.has_value()) << row.what;
    if (!constant) return;
    EXPECT_EQ(module->def(*constant).type, i.type) << row.what;
    EXPECT_EQ(bitsOf(*module, types, *constant), row.expected) << row.what;
}

INSTANTIATE_TEST_SUITE_P(All, Folded, testing::ValuesIn(kRows));

// An undefined component may have any value.
TEST(FoldedShuffle, MayHaveUndefinedComponents) {
    const std::vector<uint32_t> words =
        test::assemble(moduleOf("OpVectorShuffle %u32x2 %xy %zeros 1 0xFFFFFFFF"));
    Result<Module> module = Module::parse(words);
    ASSERT_TRUE(module);
    TypeTable types(*module);
    const auto constant = folded(types, *module->functions().front()->blocks.front()->body.front());
    ASSERT_TRUE(constant);
    const auto bits = bitsOf(*module, types, *constant);
    ASSERT_TRUE(bits);
    EXPECT_EQ(bits->front(), 0x01234567u);
}

}  // namespace
}  // namespace coopvk::rewrite::fold_constants_test
