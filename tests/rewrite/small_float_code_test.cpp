// SPDX-License-Identifier: Apache-2.0
//
// The code for matrices of 8-bit floats: denormals of f16, and what lanes exchange.
#include <gtest/gtest.h>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "small_float_module.hpp"

namespace coopvk::rewrite::small_float_matrix_test {
namespace {

// Lanes take totals from those whose numbers differ in one bit, which is a constant.
TEST(SmallFloatReductions, ShuffleByAConstant) {
    std::string text =
        module({"Subgroup", kBoth,
                "%r = OpCooperativeMatrixReduceNV %C %c Row %function\n" + std::string(kStore)});
    replaceAll(text, "OpDecorate %saturated SaturatedToLargestFloat8NormalConversionEXT\n", "");
    const std::vector<uint32_t> words = test::assemble(text);
    Request request;
    request.words = words;
    const Result<Rewritten> out = rewrite(request, {});
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    const std::string result = disassemble(out->words);
    EXPECT_NE(result.find("OpGroupNonUniformShuffleXor"), result.npos) << result;
    EXPECT_EQ(result.find("OpGroupNonUniformShuffle "), result.npos) << result;
}

std::string productFor(const std::string& text, bool preserves) {
    const std::vector<uint32_t> words = test::assemble(text);
    Request request;
    request.words = words;
    Target target;
    target.device.shaderDenormPreserveFloat16 = preserves;
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return {};
    EXPECT_EQ(validate(out->words), std::nullopt);
    return disassemble(out->words);
}

// E4M3 become f16 by a product, whose factors may be denormals: the shader asks for these where the
// device has them, and has none elsewhere. tests/inputs/modules/float8_flushed_halves.comp compares
// results.
TEST(SmallFloatDenormals, AreKeptOrAvoided) {
    std::string text = module(
        {"Subgroup", "", "%r = OpCooperativeMatrixMulAddKHR %C %a %b %c\n" + std::string(kStore)});
    replaceAll(text, "OpDecorate %saturated SaturatedToLargestFloat8NormalConversionEXT\n", "");
    const auto has = [](const std::string& where, std::string_view what) {
        return where.find(what) != where.npos;
    };
    constexpr std::string_view kMode = " DenormPreserve 16\n";
    constexpr std::string_view kProduct = "OpFMul %v2half";
    const std::string kept = productFor(text, true);
    EXPECT_TRUE(has(kept, kMode) && has(kept, "OpCapability DenormPreserve")) << kept;
    EXPECT_TRUE(has(kept, kProduct)) << kept;
    const std::string avoided = productFor(text, false);
    EXPECT_FALSE(has(avoided, "Denorm")) << avoided;
    EXPECT_FALSE(has(avoided, kProduct)) << avoided;
    std::string flushing = text;
    replaceAll(flushing, "OpCapability Float8EXT\n",
               "OpCapability Float8EXT\nOpCapability DenormFlushToZero\n");
    replaceAll(flushing, "LocalSize 32 1 1\n",
               "LocalSize 32 1 1\nOpExecutionMode %main DenormFlushToZero 16\n");
    const std::string flushed = productFor(flushing, true);
    EXPECT_FALSE(has(flushed, "DenormPreserve")) << flushed;
    EXPECT_FALSE(has(flushed, kProduct)) << flushed;
}

// All elements that an invocation moves through shared memory need one number of its subgroup.
TEST(SmallFloatStaging, ReadsTheSubgroupOnce) {
    std::string text =
        module({"Subgroup", "",
                "%r = OpCooperativeMatrixMulAddKHR %F %a %b %zero\n" + std::string(kStoreFloats)});
    for (const std::string_view gone :
         {"OpCapability CooperativeMatrixConversionsNV\n",
          "OpCapability CooperativeMatrixReductionsNV\n",
          "OpCapability CooperativeMatrixPerElementOperationsNV\n",
          "OpExtension \"SPV_NV_cooperative_matrix2\"\n",
          "OpDecorate %saturated SaturatedToLargestFloat8NormalConversionEXT\n",
          "%I = OpTypeCooperativeMatrixKHR %s32 %scope %n %n %c2\n",
          "%Y = OpTypeCooperativeMatrixKHR %u8 %scope %n %n %c2\n"}) {
        replaceAll(text, gone, "");
    }
    const std::vector<uint32_t> words = test::assemble(text);
    Request request;
    request.words = words;
    const Result<Rewritten> out = rewrite(request, withDriversMatrices());
    ASSERT_TRUE(out) << out.error().message;
    const std::string result = disassemble(out->words);
    const size_t first = result.find("OpLoad %uint %coopvk_subgroup");
    EXPECT_NE(first, result.npos) << result;
    EXPECT_EQ(result.find("OpLoad %uint %coopvk_subgroup", first + 1), result.npos) << result;
}

}  // namespace
}  // namespace coopvk::rewrite::small_float_matrix_test
