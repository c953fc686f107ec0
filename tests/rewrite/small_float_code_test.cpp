// SPDX-License-Identifier: Apache-2.0
//
// The code for matrices of 8-bit floats: denormals of f16, and what lanes exchange.
#include <gtest/gtest.h>

#include <algorithm>

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

// The module's product with f16 sums, without what only other tests need.
std::string halfProduct(std::string_view code) {
    std::string text = module({"Subgroup", "", code});
    replaceAll(text, "OpDecorate %saturated SaturatedToLargestFloat8NormalConversionEXT\n", "");
    return text;
}

std::string rewrittenFor(const std::string& text, const Target& target) {
    const std::vector<uint32_t> words = test::assemble(text);
    Request request;
    request.words = words;
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return {};
    EXPECT_EQ(validate(out->words), std::nullopt);
    return disassemble(out->words);
}

Target withManyRegisters() {
    Target target;
    target.subgroupSize = 32;
    target.device.maxSubgroupSize = 32;
    target.device.shaderIntegerDotProduct = true;
    target.device.dot4x8Signed = target.device.dot4x8Unsigned = true;
    return target;
}

size_t countOf(const std::string& text, std::string_view part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

// Lanes that load the same numbers convert some each, and get the others through shared memory, or
// without room there by shuffles; not where shuffles are slow, and not of E5M2, which are the upper
// bytes of f16.
TEST(SmallFloatLoads, AreDividedAmongLanes) {
    const std::string text = halfProduct("%r = OpCooperativeMatrixMulAddKHR %F %a %b %zero\n" +
                                         std::string(kStoreFloats));
    constexpr std::string_view kShuffle = "OpGroupNonUniformShuffle ", kScale = "OpFMul %v2half";
    const std::string staged = rewrittenFor(text, withManyRegisters());
    EXPECT_NE(staged.find("%coopvk_lanes = OpVariable"), staged.npos) << staged;
    EXPECT_EQ(staged.find(kShuffle), staged.npos) << staged;
    Target small = withManyRegisters();
    small.device.maxComputeSharedMemorySize = 511;  // 16 bytes for each lane
    const std::string divided = rewrittenFor(text, small);
    EXPECT_NE(divided.find(kShuffle), divided.npos) << divided;
    EXPECT_EQ(divided.find("coopvk_lanes"), divided.npos) << divided;
    Target slow = withManyRegisters();
    slow.device.scalarRegisters = true;
    const std::string whole = rewrittenFor(text, slow);
    EXPECT_EQ(whole.find(kShuffle), whole.npos) << whole;
    EXPECT_LE(countOf(divided, kScale) * 2, countOf(whole, kScale));
    std::string upperBytes = text;
    replaceAll(upperBytes, "%e4m3 %scope", "%e5m2 %scope");
    replaceAll(upperBytes, "%halves = OpConstantComposite %C %half\n", "");
    const std::string bytes = rewrittenFor(upperBytes, withManyRegisters());
    EXPECT_EQ(bytes.find(kShuffle), bytes.npos) << bytes;
}

// f16 are rounded in pairs where arithmetic of these is fast, and else in f32.
// tests/inputs/modules/float8_of_halves.comp compares results.
TEST(SmallFloatRounding, IsInPairsOfHalves) {
    const std::string text =
        halfProduct("%h = OpFConvert %H %c\n%r = OpFConvert %C %h\n" + std::string(kStore));
    const auto usesSingles = [&](const Target& target) {
        return rewrittenFor(text, target).find("Toe4m3") != std::string::npos;
    };
    Target target = withManyRegisters();
    EXPECT_FALSE(usesSingles(target));
    EXPECT_TRUE(usesSingles({}));
    target.numerics = Numerics::kSame;
    EXPECT_TRUE(usesSingles(target));
}

// Vectors of f16 become bytes without f32 there. tests/inputs/modules/float8_of_vectors.comp
// compares results.
TEST(SmallFloatRounding, OfVectorsIsInPairsOfHalves) {
    const std::string text = R"(
OpCapability Shader
OpCapability Float16
OpCapability Int8
OpCapability Float8EXT
OpCapability StorageBuffer16BitAccess
OpCapability StorageBuffer8BitAccess
OpExtension "SPV_EXT_float8"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %buffer
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 8
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%half = OpTypeFloat 16
%halves = OpTypeVector %half 3
%e4m3 = OpTypeFloat 8 Float8E4M3EXT
%floats = OpTypeVector %e4m3 3
%block = OpTypeStruct %halves %floats
%blockPointer = OpTypePointer StorageBuffer %block
%halvesPointer = OpTypePointer StorageBuffer %halves
%floatsPointer = OpTypePointer StorageBuffer %floats
%buffer = OpVariable %blockPointer StorageBuffer
%main = OpFunction %void None %f
%l = OpLabel
%p = OpAccessChain %halvesPointer %buffer %c0
%q = OpAccessChain %floatsPointer %buffer %c1
%x = OpLoad %halves %p
%y = OpFConvert %floats %x
OpStore %q %y
OpReturn
OpFunctionEnd
)";
    EXPECT_EQ(rewrittenFor(text, withManyRegisters()).find("Toe4m3"), std::string::npos);
    EXPECT_NE(rewrittenFor(text, {}).find("Toe4m3"), std::string::npos);
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

// What a decoration says of a conversion of a matrix is said of the conversions of its elements,
// and of nothing else (SPV_KHR_float_controls2: FPFastMathMode is of instructions that compute
// floats).
TEST(SmallFloatCode, DecorationsAreOfConversions) {
    std::string text =
        module({"Subgroup", "",
                "%p = OpCooperativeMatrixMulAddKHR %F %a %b %zero\n%r = OpFConvert %C %p\n" +
                    std::string(kStore)});
    for (const auto& [from, to] :
         {std::pair("OpCapability CooperativeMatrixConversionsNV\n",
                    "OpCapability FloatControls2\n"),
          std::pair("OpCapability CooperativeMatrixReductionsNV\n", ""),
          std::pair("OpCapability CooperativeMatrixPerElementOperationsNV\n", ""),
          std::pair("SPV_NV_cooperative_matrix2", "SPV_KHR_float_controls2"),
          std::pair("%saturated SaturatedToLargestFloat8NormalConversionEXT",
                    "%r FPFastMathMode NotInf"),
          std::pair("%I = OpTypeCooperativeMatrixKHR %s32 %scope %n %n %c2\n", ""),
          std::pair("%Y = OpTypeCooperativeMatrixKHR %u8 %scope %n %n %c2\n", "")})
        replaceAll(text, from, to);
    const std::vector<uint32_t> words = test::assemble(text);
    ASSERT_EQ(validate(words), std::nullopt) << text;
    const Result<Rewritten> out = rewrite({.words = words}, withDriversMatrices());
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(std::ranges::count(out->paths, "matrices: native"), 1);
    const std::string result = disassemble(out->words);
    constexpr std::string_view kDecorates = "OpDecorate %";
    for (size_t at = result.find(kDecorates); at != result.npos;
         at = result.find(kDecorates, at + 1)) {
        const std::string line = result.substr(at, result.find('\n', at) - at);
        if (line.find(" FPFastMathMode ") == line.npos) continue;
        const size_t start = std::string_view("OpDecorate ").size();
        const std::string id = line.substr(start, line.find(' ', start) - start);
        const size_t defined = result.find(id + " = ") + id.size() + 3;
        const std::string opcode = result.substr(defined, result.find(' ', defined) - defined);
        EXPECT_TRUE(opcode == "OpFConvert" || opcode.starts_with("OpF") || opcode == "OpExtInst")
            << line << ": " << opcode;
    }
}

}  // namespace
}  // namespace coopvk::rewrite::small_float_matrix_test
