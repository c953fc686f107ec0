// SPDX-License-Identifier: Apache-2.0
//
// An error stays the first one, whatever else the lowering of vectors tries.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "vector_module.hpp"

namespace coopvk::rewrite::vector_errors_test {
namespace {

// A vector that is too large; and one that is made of consecutive elements of an array in an array
// of arrays of descriptors, where no location can be found: that construction stays, which is no
// error.
std::string twoVectors(std::string_view large) {
    constexpr uint32_t kComponents = 512;
    std::string constants =
        "%length = OpConstant %uint 512\n%one = OpConstant %uint 1\n"
        "%long = OpTypeCooperativeVectorNV %half %length\n"
        "%bad = OpConstant %uint " +
        std::string(large) +
        "\n%Bad = OpTypeCooperativeVectorNV %half %bad\n"
        "%row = OpTypeArray %half %length\n%rows = OpTypeStruct %row\n"
        "%some = OpTypeArray %rows %two\n%many = OpTypeArray %some %two\n"
        "%manyPointer = OpTypePointer StorageBuffer %many\n"
        "%descriptors = OpVariable %manyPointer StorageBuffer\n"
        "%halfPointer = OpTypePointer StorageBuffer %half\n";
    std::string code, vector = "%vector = OpCompositeConstruct %long";
    for (uint32_t c = 0; c < kComponents; ++c) {
        constants += std::format("%c{0} = OpConstant %uint {0}\n", c);
        code += std::format(
            "%p{0} = OpAccessChain %halfPointer %descriptors %zero %one %zero %c{0}\n"
            "%v{0} = OpLoad %half %p{0}\n",
            c);
        vector += std::format(" %v{}", c);
    }
    return test::edited(
        test::layerModule(16, 16, 0, false),
        {{"%buffer %id", "%buffer %id %descriptors"},
         {"OpDecorate",
          "OpDecorate %descriptors DescriptorSet 0\n"
          "OpDecorate %descriptors Binding 1\nOpDecorate %row ArrayStride 2\n"
          "OpDecorate %rows Block\nOpMemberDecorate %rows 0 Offset 0\nOpDecorate"},
         {"%main = OpFunction", "%two = OpConstant %uint 2\n" + constants + "%main = OpFunction"},
         {"OpReturn", code + vector + "\nOpReturn"}});
}

Result<Rewritten> run(const std::string& source) {
    const std::vector<uint32_t> words = test::assemble(source);
    Request request;
    request.words = words;
    return rewrite(request, Target{});
}

// VUID-StandaloneSpirv-Uniform-06807: an array of descriptors has no arrays in it.
TEST(VectorErrors, ArraysOfDescriptors) {
    const auto loadFrom = [](std::string_view variable, std::string_view indices) {
        return test::edited(
            test::layerModule(16, 16, 0, false),
            {{"%buffer %id", "%buffer %id %descriptors"},
             {"OpDecorate",
              "OpDecorate %descriptors DescriptorSet 0\n"
              "OpDecorate %descriptors Binding 1\nOpDecorate %row ArrayStride 2\n"
              "OpDecorate %rows Block\nOpMemberDecorate %rows 0 Offset 0\nOpDecorate"},
             {"%main = OpFunction",
              std::format("%two = OpConstant %uint 2\n%length = OpConstant %uint 16\n"
                          "%long = OpTypeCooperativeVectorNV %half %length\n"
                          "%row = OpTypeArray %half %length\n%rows = OpTypeStruct %row\n"
                          "%some = OpTypeArray %rows %two\n%many = OpTypeArray %some %two\n"
                          "%anyPointer = OpTypePointer StorageBuffer {}\n"
                          "%descriptors = OpVariable %anyPointer StorageBuffer\n"
                          "%rowPointer = OpTypePointer StorageBuffer %row\n"
                          "%main = OpFunction",
                          variable)},
             {"OpReturn",
              std::format("%row0 = OpAccessChain %rowPointer %descriptors {}\n"
                          "%loaded = OpCooperativeVectorLoadNV %long %row0 %zero None\n"
                          "OpCooperativeVectorStoreNV %row0 %zero %loaded None\nOpReturn",
                          indices)}});
    };
    EXPECT_TRUE(run(loadFrom("%rows", "%zero")));
    EXPECT_TRUE(run(loadFrom("%some", "%zero %zero")));
    const Result<Rewritten> bad = run(loadFrom("%many", "%zero %zero %zero"));
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().code, ErrorCode::kInvalidModule);
    EXPECT_NE(bad.error().message.find("in an array of arrays of descriptors"), std::string::npos)
        << bad.error().message;
}

TEST(VectorErrors, FirstOneStays) {
    const Result<Rewritten> bad = run(twoVectors("20000"));
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(bad.error().message.find("Component Count"), std::string::npos);
}

TEST(VectorErrors, ConstructionsWithoutLocationStay) {
    const Result<Rewritten> good = run(twoVectors("16"));
    EXPECT_TRUE(good) << good.error().message;
}

// Vulkan lists no products of bfloat16, and the arithmetic knows none.
TEST(VectorErrors, RefusesInterpretationsAsBfloat16) {
    for (const std::string_view operands :
         {"%x %bf16 %at %zero %zero %at %zero %zero", "%x %zero %at %zero %bf16 %at %zero %zero",
          "%x %zero %at %zero %zero %at %zero %bf16"}) {
        const Result<Rewritten> out = run(test::edited(
            test::layerModule(16, 16, 0, false),
            {{"%x %zero %at %zero %zero %at %zero %zero", operands},
             {"%main = OpFunction", "%bf16 = OpConstant %uint 1000141000\n%main = OpFunction"}}));
        ASSERT_FALSE(out) << operands;
        EXPECT_EQ(out.error().code, ErrorCode::kUnsupported);
    }
}

// Components of 64 bits, of what is multiplied or of what results.
TEST(VectorErrors, RefusesProductsOfDoubles) {
    const auto productOf = [](std::string_view input, std::string_view result) {
        return run(
            test::edited(test::withoutBias(test::layerModule(16, 16, 0, false)),
                         {{"OpCapability Float16", "OpCapability Float64\nOpCapability Float16"},
                          {"%in = OpTypeCooperativeVectorNV %half",
                           std::format("%in = OpTypeCooperativeVectorNV %{}", input)},
                          {"%out = OpTypeCooperativeVectorNV %half",
                           std::format("%out = OpTypeCooperativeVectorNV %{}", result)},
                          {"%zero = OpConstant", "%double = OpTypeFloat 64\n%zero = OpConstant"}}));
    };
    EXPECT_TRUE(productOf("half", "half"));
    for (const auto& [input, result] :
         {std::pair("double", "half"), {"half", "double"}, {"double", "double"}}) {
        const Result<Rewritten> out = productOf(input, result);
        ASSERT_FALSE(out) << input << result;
        EXPECT_EQ(out.error().code, ErrorCode::kUnsupported);
    }
}

// Each chain's base is the chain before it. More of them than calls that a stack of 1 MiB holds.
TEST(VectorErrors, ChainsOfAnyLength) {
    constexpr uint32_t kChains = 12'500;
    std::string code = "%v0 = OpAccessChain %toLong %variable\n";
    for (uint32_t c = 1; c < kChains; ++c) {
        code += std::format("%v{} = OpAccessChain %toLong %v{}\n", c, c - 1);
    }
    code += std::format("%vector = OpLoad %long %v{}\nOpStore %v{} %vector\n", kChains - 1,
                        kChains / 2);
    const Result<Rewritten> out = run(test::edited(
        test::layerModule(16, 16, 0, false),
        {{"%buffer %id", "%buffer %id %variable"},
         {"%main = OpFunction",
          "%length = OpConstant %uint 512\n"
          "%long = OpTypeCooperativeVectorNV %half %length\n"
          "%toLong = OpTypePointer Private %long\n%variable = OpVariable %toLong Private\n"
          "%main = OpFunction"},
         {"OpReturn", code + "OpReturn"}}));
    ASSERT_TRUE(out) << out.error().message;
}

}  // namespace
}  // namespace coopvk::rewrite::vector_errors_test
