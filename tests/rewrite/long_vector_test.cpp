// SPDX-License-Identifier: Apache-2.0
//
// SPV_EXT_long_vector: OpTypeVectorIdEXT has the opcode of OpTypeCooperativeVectorNV. The driver's
// long vectors stay beside emulated cooperative vectors.
#include <gtest/gtest.h>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "read_all.hpp"
#include "vector_module.hpp"

namespace coopvk::rewrite::long_vector_test {
namespace {

// A layer of cooperative vectors, and instructions on long vectors of five components.
std::string moduleOf(std::string_view types, std::string_view code, uint32_t size = 16) {
    return test::edited(
        test::layerModule(size, size, 0, false),
        {{"OpCapability Float16", "OpCapability LongVectorEXT\nOpCapability Float16"},
         {"OpExtension", "OpExtension \"SPV_EXT_long_vector\"\nOpExtension"},
         {"OpDecorate", "OpDecorate %five SpecId 0\nOpDecorate"},
         {"%main = OpFunction",
          "%float = OpTypeFloat 32\n%five = OpSpecConstant %uint 5\n"
          "%long = OpTypeVectorIdEXT %float %five\n%some = OpConstantNull %long\n" +
              std::string(types) + "\n%main = OpFunction"},
         {"%r = OpExtInst", std::string(code) + "\n%r = OpExtInst"}});
}

Result<Rewritten> run(const std::string& source) {
    const std::vector<uint32_t> words = assembleAndReadAll(source);
    EXPECT_EQ(validate(words), std::nullopt);
    Request request;
    request.words = words;
    Target target;
    target.emulated.erase(Extension::kExtShaderLongVector);
    return rewrite(request, target);
}

// Arithmetic, comparisons, reductions and dynamic indices, most of which cooperative vectors lack.
TEST(LongVectors, StayTheDrivers) {
    const Result<Rewritten> out =
        run(moduleOf("%flags = OpTypeVectorIdEXT %bool %five",
                     "%product = OpFMul %long %some %some\n%dot = OpDot %float %product %some\n"
                     "%less = OpFOrdLessThan %flags %some %product\n%any = OpAny %bool %less\n"
                     "%changed = OpVectorInsertDynamic %long %product %dot %i"));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    const std::string text = disassemble(out->words);
    EXPECT_EQ(test::occurrences(text, "OpTypeVectorIdEXT"), 2u);
    EXPECT_EQ(test::occurrences(text, "CooperativeVector"), 0u);
    EXPECT_EQ(test::occurrences(text, "OpDot"), 1u);
    EXPECT_EQ(test::occurrences(text, "OpCapability LongVectorEXT"), 1u);
}

// Large cooperative vectors become arrays as long vectors do; the driver's own stay.
TEST(LongVectors, StayBesideLargeCooperativeVectors) {
    const Result<Rewritten> out = run(moduleOf("", "%product = OpFMul %long %some %some", 300));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    const std::string text = disassemble(out->words);
    EXPECT_EQ(test::occurrences(text, "OpTypeVectorIdEXT"), 1u) << text;
    EXPECT_EQ(test::occurrences(text, "OpCapability LongVectorEXT"), 1u);
}

// A type that is converted from and to a cooperative one is cooperative, too.
TEST(LongVectors, ConversionsLeadToCooperativeTypes) {
    const Result<Rewritten> out =
        run(test::edited(moduleOf("%singles = OpTypeCooperativeVectorNV %float %m",
                                  "%product = OpFMul %long %some %some\n%wide = OpFConvert "
                                  "%singles %sum\n%more = OpFAdd %singles %wide %wide\n"
                                  "%narrow = OpFConvert %out %more"),
                         {{"FMax %sum", "FMax %narrow"}}));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    EXPECT_EQ(test::occurrences(disassemble(out->words), "OpTypeVectorIdEXT"), 1u);
}

// Cooperative vectors cannot be compared: where a type is of both kinds, long vectors are lowered,
// too.
TEST(LongVectors, AreLoweredWhereCooperativeOnesAreCompared) {
    const Result<Rewritten> out =
        run(moduleOf("%flags = OpTypeVectorIdEXT %bool %m",
                     "%less = OpFOrdLessThan %flags %sum %sum\n%any = OpAny %bool %less"));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    const std::string text = disassemble(out->words);
    EXPECT_EQ(test::occurrences(text, "OpTypeVectorIdEXT"), 0u);
    EXPECT_EQ(test::occurrences(text, "LongVectorEXT"), 0u);
}

// Nor may they be in memory with an explicit layout; long vectors may.
TEST(LongVectors, AreLoweredWhereCooperativeOnesHaveAnExplicitLayout) {
    const std::string typed = test::edited(
        moduleOf("%vectors = OpTypeRuntimeArray %out\n%vectorBlock = OpTypeStruct %vectors\n"
                 "%vectorPointer = OpTypePointer StorageBuffer %vectorBlock\n"
                 "%outPointer = OpTypePointer StorageBuffer %out\n"
                 "%more = OpVariable %vectorPointer StorageBuffer",
                 "%place = OpAccessChain %outPointer %more %zero %i\n"
                 "%loaded = OpLoad %out %place\nOpStore %place %sum"),
        {{"%buffer %id\n", "%buffer %id %more\n"},
         {"OpDecorate %five",
          "OpDecorate %vectors ArrayStride 36\nOpDecorate %vectorBlock Block\n"
          "OpMemberDecorate %vectorBlock 0 Offset 0\nOpDecorate %more DescriptorSet 0\n"
          "OpDecorate %more Binding 1\nOpDecorate %five"}});
    const std::string untyped = test::edited(
        moduleOf("%anything = OpTypeUntypedPointerKHR StorageBuffer",
                 "%place = OpUntypedAccessChainKHR %anything %array %at %i\n"
                 "%loaded = OpLoad %out %place\nOpStore %place %sum"),
        {{"OpExtension", "OpExtension \"SPV_KHR_untyped_pointers\"\nOpExtension"},
         {"OpCapability Float16", "OpCapability UntypedPointersKHR\nOpCapability Float16"}});
    for (const std::string& source : {typed, untyped}) {
        const Result<Rewritten> out = run(source);
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt);
        EXPECT_EQ(test::occurrences(disassemble(out->words), "OpTypeVectorIdEXT"), 0u);
    }
}

}  // namespace
}  // namespace coopvk::rewrite::long_vector_test
