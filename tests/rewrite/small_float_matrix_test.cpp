// SPDX-License-Identifier: Apache-2.0
//
// Matrices of 8-bit floats and of bfloat16: each instruction that may have them results in a valid
// module.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "small_float_module.hpp"

namespace coopvk::rewrite::small_float_matrix_test {
namespace {

// The module with bfloat16 in place of E4M3 and E5M2, and 16-bit integers in place of bytes.
std::string withBfloat16(std::string text) {
    for (const auto& [from, to] :
         {std::pair("OpCapability Float8EXT\nOpCapability Float8CooperativeMatrixEXT\n",
                    "OpCapability BFloat16TypeKHR\nOpCapability BFloat16CooperativeMatrixKHR\n"),
          std::pair("StorageBuffer8BitAccess", "StorageBuffer16BitAccess"),
          std::pair("SPV_EXT_float8", "SPV_KHR_bfloat16"),
          std::pair("OpTypeFloat 8 Float8E4M3EXT", "OpTypeFloat 16 BFloat16KHR"),
          std::pair("%e5m2 = OpTypeFloat 8 Float8E5M2EXT\n", ""), std::pair("%e5m2", "%e4m3"),
          std::pair("%u8 = OpTypeInt 8 0", "%u8 = OpTypeInt 16 0"),
          std::pair("ArrayStride 1", "ArrayStride 2"),
          std::pair("%D = OpTypeCooperativeMatrixKHR %e4m3 %scope %n %n %c1\n", ""),
          std::pair("OpFConvert %D %c", "OpFConvert %B %zero"), std::pair("%D", "%B")}) {
        replaceAll(text, from, to);
    }
    return text;
}

Result<Rewritten> run(const std::string& text, bool isValid = true) {
    const std::vector<uint32_t> words = test::assemble(text);
    EXPECT_EQ(!validate(words), isValid) << text;
    Request request;
    request.words = words;
    return rewrite(request, {});
}

constexpr std::string_view kEach = R"(
%function = OpFunction %e4m3 None %each
%row = OpFunctionParameter %u32
%column = OpFunctionParameter %u32
%x = OpFunctionParameter %e4m3
%y = OpFunctionParameter %e4m3
%z = OpFunctionParameter %e4m3
%eachBody = OpLabel
OpReturnValue %y
OpFunctionEnd
)";
constexpr std::string_view kEachFloat = R"(
%function = OpFunction %f32 None %eachFloat
%row = OpFunctionParameter %u32
%column = OpFunctionParameter %u32
%x = OpFunctionParameter %f32
%eachBody = OpLabel
OpReturnValue %x
OpFunctionEnd
)";
constexpr std::string_view kBothFloats = R"(
%function = OpFunction %f32 None %bothFloats
%x = OpFunctionParameter %f32
%y = OpFunctionParameter %f32
%bothBody = OpLabel
OpReturnValue %y
OpFunctionEnd
)";
struct Case {
    std::string_view name, code, store, functions;
};
constexpr Case kCases[] = {
    {"Copy", "%r = OpCopyObject %C %c\n", kStore, ""},
    {"Product", "%r = OpCooperativeMatrixMulAddKHR %F %a %b %zero\n", kStoreFloats, ""},
    {"ProductOfSmall", "%r = OpCooperativeMatrixMulAddKHR %C %a %b %c\n", kStore, ""},
    {"ProductOfHalf",
     "%h = OpFConvert %H %c\n%p = OpCooperativeMatrixMulAddKHR %H %a %b %h\n"
     "%r = OpFConvert %C %p\n",
     kStore, ""},
    {"MixedProduct",
     "%d = OpCooperativeMatrixLoadKHR %D %pa %c0 %n\n"
     "%r = OpCooperativeMatrixMulAddKHR %F %a %d %zero\n",
     kStoreFloats, ""},
    {"Extract",
     "%x = OpCompositeExtract %e4m3 %c 1\n%y = OpCompositeInsert %C %x %c 0\n"
     "%r = OpCompositeInsert %C %single %y 2\n",
     kStore, ""},
    {"Construct", "%r = OpCompositeConstruct %C %single\n", kStore, ""},
    {"Constant", "%r = OpCopyObject %C %halves\n", kStore, ""},
    {"Pointers",
     "OpStore %v %c\n%p = OpAccessChain %element %v %c1\n%x = OpLoad %e4m3 %p\n"
     "OpStore %w %x\n%q = OpAccessChain %element %v %c0\nOpCopyMemory %q %w\n"
     "OpCopyMemory %w %p\nOpStore %q %x\n%r = OpLoad %C %v\n",
     kStore, ""},
    {"FromFloat", "%saturated = OpFConvert %C %zero\n%r = OpCopyObject %C %saturated\n", kStore,
     ""},
    {"FromInteger", "%i = OpConvertFToS %I %c\n%r = OpConvertSToF %C %i\n", kStore, ""},
    {"Bitcast", "%y = OpBitcast %Y %c\n%r = OpBitcast %C %y\n", kStore, ""},
    {"Use",
     "%t = OpCooperativeMatrixConvertNV %B %c\n"
     "%r = OpCooperativeMatrixMulAddKHR %F %a %t %zero\n",
     kStoreFloats, ""},
    {"UseAndFormat", "%t = OpFConvert %D %c\n%r = OpCooperativeMatrixMulAddKHR %F %a %t %zero\n",
     kStoreFloats, ""},
    {"PerElement", "%r = OpCooperativeMatrixPerElementOpNV %C %c %function %c %single\n", kStore,
     kEach},
    {"Reduce", "%r = OpCooperativeMatrixReduceNV %C %c Row|Column %function\n", kStore, kBoth},
    // In the same module, other matrices stay as they are.
    {"PerElementOfFloats", "%r = OpCooperativeMatrixPerElementOpNV %F %zero %function\n",
     kStoreFloats, kEachFloat},
    {"ReduceOfFloats", "%r = OpCooperativeMatrixReduceNV %F %zero Row|Column %function\n",
     kStoreFloats, kBothFloats},
};

class SmallFloatMatrix : public testing::TestWithParam<std::tuple<Case, std::string_view, bool>> {};

TEST_P(SmallFloatMatrix, OutputIsValidAndDeterministic) {
    const auto& [one, scope, isBfloat16] = GetParam();
    const std::string code = std::string(one.code) + std::string(one.store);
    const bool saturates = code.find("%saturated") != std::string::npos;
    std::string text = module({scope, one.functions, code});
    if (!saturates || isBfloat16) {
        const std::string_view decoration =
            "OpDecorate %saturated SaturatedToLargestFloat8NormalConversionEXT\n";
        text.erase(text.find(decoration), decoration.size());
    }
    if (isBfloat16) text = withBfloat16(std::move(text));
    const Result<Rewritten> out = run(text);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
    EXPECT_TRUE(scan(out->words, ExtensionSet::all()).empty());
    const std::string result = disassemble(out->words);
    for (const char* gone :
         {"CooperativeMatrix", "Float8", "BFloat16", "SPV_EXT", "OpTypeFloat 8"}) {
        EXPECT_EQ(result.find(gone), std::string::npos) << gone;
    }
    const Result<Rewritten> again = run(text);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->words, out->words);
}

INSTANTIATE_TEST_SUITE_P(Cases, SmallFloatMatrix,
                         testing::Combine(testing::ValuesIn(kCases),
                                          testing::Values("Subgroup", "Workgroup"),
                                          testing::Bool()),
                         [](const auto& test) {
                             return std::string(std::get<2>(test.param) ? "Bfloat16" : "Float8") +
                                    std::string(std::get<0>(test.param).name) +
                                    std::string(std::get<1>(test.param));
                         });

// ---------------------------------------------------------------------------------------------
// The driver's matrices

struct NativeCase {
    std::string_view name, code, store;
    bool isNative;
};
constexpr NativeCase kNativeCases[] = {
    {"Product", "%r = OpCooperativeMatrixMulAddKHR %F %a %b %zero\n", kStoreFloats, true},
    {"ProductOfHalf",
     "%h = OpFConvert %H %c\n%p = OpCooperativeMatrixMulAddKHR %H %a %b %h\n"
     "%r = OpFConvert %C %p\n",
     kStore, true},
    {"MixedProduct",
     "%d = OpCooperativeMatrixLoadKHR %D %pa %c0 %n\n"
     "%r = OpCooperativeMatrixMulAddKHR %F %a %d %zero\n",
     kStoreFloats, true},
    {"Saturated",
     "%p = OpCooperativeMatrixMulAddKHR %F %a %b %zero\n%saturated = OpFConvert %C %p\n"
     "%r = OpCopyObject %C %saturated\n",
     kStore, true},
    {"Elements",
     "%x = OpCompositeExtract %e4m3 %c 1\n%y = OpCompositeConstruct %C %x\n"
     "%r = OpCompositeConstruct %C %single\n",
     kStore, true},
    {"ElementsToAnotherUse",
     "%x = OpCompositeExtract %e4m3 %c 1\n%y = OpCompositeInsert %A %x %a 1\n"
     "%r = OpCooperativeMatrixMulAddKHR %F %y %b %zero\n",
     kStoreFloats, false},
    {"SmallSums", "%r = OpCooperativeMatrixMulAddKHR %C %a %b %c\n", kStore, false},
    {"Bitcast", "%d = OpBitcast %D %b\n%r = OpCooperativeMatrixMulAddKHR %F %a %d %zero\n",
     kStoreFloats, true},
    {"BitcastToOtherThanTheDrivers", "%y = OpBitcast %Y %c\n%r = OpBitcast %C %y\n", kStore, false},
};

class SmallFloatNative : public testing::TestWithParam<NativeCase> {};

// 8-bit floats are f16 in the driver's matrices; shaders that these cannot express become core
// SPIR-V.
TEST_P(SmallFloatNative, UsesTheDriversHalves) {
    const NativeCase& c = GetParam();
    std::string text = module({"Subgroup", "", std::string(c.code) + std::string(c.store)});
    for (const std::string_view nv : {"OpCapability CooperativeMatrixConversionsNV\n",
                                      "OpCapability CooperativeMatrixReductionsNV\n",
                                      "OpCapability CooperativeMatrixPerElementOperationsNV\n",
                                      "OpExtension \"SPV_NV_cooperative_matrix2\"\n"}) {
        text.erase(text.find(nv), nv.size());
    }
    if (text.find("%saturated =") == text.npos) {
        replaceAll(text, "OpDecorate %saturated SaturatedToLargestFloat8NormalConversionEXT\n", "");
    }
    // The driver has no matrices of these types.
    for (const std::string_view type : {"%I = OpTypeCooperativeMatrixKHR %s32 %scope %n %n %c2\n",
                                        "%Y = OpTypeCooperativeMatrixKHR %u8 %scope %n %n %c2\n"}) {
        if (c.code.find(type.substr(0, 2)) == c.code.npos) replaceAll(text, type, "");
    }
    const std::vector<uint32_t> words = test::assemble(text);
    ASSERT_EQ(validate(words), std::nullopt) << text;
    Request request;
    request.words = words;
    const Target target = withDriversMatrices();
    const Result<Rewritten> out = rewrite(request, target);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
    const std::string result = disassemble(out->words);
    EXPECT_EQ(result.find("OpTypeCooperativeMatrixKHR") != result.npos, c.isNative);
    EXPECT_EQ(result.find("Float8"), result.npos);
    EXPECT_EQ(std::ranges::count(out->paths, "matrices: native"), c.isNative ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, SmallFloatNative, testing::ValuesIn(kNativeCases),
                         [](const auto& test) { return std::string(test.param.name); });

// A conversion to the driver's halves that changes the use, too: the driver may distribute both in
// different ways, so elements go through shared memory. One of the same use is a copy.
TEST(SmallFloatNatives, ConversionsToHalvesMayChangeTheUse) {
    const auto barriers = [](const std::string& code) {
        std::string text = module({"Subgroup", "", code});
        for (const std::string_view unused :
             {"OpCapability CooperativeMatrixReductionsNV\n",
              "OpCapability CooperativeMatrixPerElementOperationsNV\n",
              "OpDecorate %saturated SaturatedToLargestFloat8NormalConversionEXT\n",
              "%I = OpTypeCooperativeMatrixKHR %s32 %scope %n %n %c2\n"})
            replaceAll(text, unused, "");
        replaceAll(text, "%Y = OpTypeCooperativeMatrixKHR %u8 %scope %n %n %c2\n",
                   "%K = OpTypeCooperativeMatrixKHR %f16 %scope %n %n %c1\n");
        const std::vector<uint32_t> words = test::assemble(text);
        EXPECT_EQ(validate(words), std::nullopt) << text;
        const Result<Rewritten> out = rewrite({.words = words}, withDriversMatrices());
        if (!out) {
            ADD_FAILURE() << out.error().message;
            return size_t{0};
        }
        EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
        EXPECT_EQ(std::ranges::count(out->paths, "matrices: native"), 1);
        return test::occurrences(disassemble(out->words), "OpControlBarrier");
    };
    const std::string store = "OpCooperativeMatrixStoreKHR %pf %zero %c0 %n\n";
    const size_t none = barriers("%p = OpCooperativeMatrixMulAddKHR %F %a %b %zero\n" + store);
    EXPECT_EQ(
        barriers("%h = OpFConvert %H %c\n%p = OpCooperativeMatrixMulAddKHR %H %a %b %h\n" + store),
        none);
    EXPECT_GT(barriers("%k = OpFConvert %K %c\n%p = OpCooperativeMatrixMulAddKHR %F %a %k %zero\n" +
                       store),
              none);
}

// The driver has 8-bit floats, and coopvk the matrices.
TEST(SmallFloatMatrixDeclarations, BytesOfTheDriversFloats) {
    std::string text =
        module({"Subgroup", "",
                "%r = OpCooperativeMatrixMulAddKHR %F %a %b %zero\n" + std::string(kStoreFloats)});
    for (const std::string_view unused :
         {"OpCapability Int8\n", "%u8 = OpTypeInt 8 0\n",
          "%Y = OpTypeCooperativeMatrixKHR %u8 %scope %n %n %c2\n",
          "OpDecorate %saturated SaturatedToLargestFloat8NormalConversionEXT\n",
          "OpCapability StorageBuffer8BitAccess\n"}) {
        replaceAll(text, unused, "");
    }
    const std::vector<uint32_t> words = test::assemble(text);
    ASSERT_EQ(validate(words), std::nullopt) << text;
    Request request;
    request.words = words;
    Target target;
    target.emulated.erase(Extension::kExtShaderFloat8);
    const Result<Rewritten> out = rewrite(request, target);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
    EXPECT_NE(disassemble(out->words).find("Float8EXT"), std::string::npos);
}

TEST(SmallFloatMatrixErrors, PointersToElementsStayInTheFunction) {
    const Result<Rewritten> out =
        run(module({"Subgroup",
                    "%function = OpFunction %void None %takes\n%x = OpFunctionParameter %element\n"
                    "%body = OpLabel\nOpReturn\nOpFunctionEnd\n",
                    "%saturated = OpFConvert %C %zero\n%p = OpAccessChain %element %v %c1\n"
                    "%called = OpFunctionCall %void %function %p\n"}),
            false);
    ASSERT_FALSE(out);
    EXPECT_NE(out.error().message.find("pointer to an 8-bit float"), std::string::npos);
}

}  // namespace
}  // namespace coopvk::rewrite::small_float_matrix_test
