// SPDX-License-Identifier: Apache-2.0
//
// SPV_KHR_poison_freeze: OpPoisonKHR and OpFreezeKHR of values that are lowered.
#include <gtest/gtest.h>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "vector_module.hpp"

namespace coopvk::rewrite::poison_freeze_test {
namespace {

std::string declared(const std::string& source, std::string_view mode) {
    return test::edited(
        source, {{"OpCapability Float16", "OpCapability PoisonFreezeKHR\nOpCapability Float16"},
                 {"OpExtension", "OpExtension \"SPV_KHR_poison_freeze\"\nOpExtension"},
                 {mode, "OpExecutionMode %main ArithmeticPoisonKHR\n" + std::string(mode)}});
}

std::string run(const std::string& source, BackEnd backEnd = BackEnd::kCore) {
    const std::vector<uint32_t> words = test::assemble(source);
    EXPECT_EQ(validate(words), std::nullopt);
    Request request;
    request.words = words;
    Target target;
    target.backEnd = backEnd;
    target.device.shaderInt8 = true;
    using enum ComponentType;
    target.device.nativeShapes = {{8, 8, 8, kFloat16, kFloat16, kFloat32, kFloat32, false}};
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return {};
    EXPECT_EQ(validate(out->words), std::nullopt);
    return disassemble(out->words);
}

TEST(PoisonFreeze, Matrices) {
    const std::string source =
        test::edited(declared(test::multiplyModule(16, 16, 16), "OpExecutionMode"),
                     {{"%main = OpFunction", "%none = OpPoisonKHR %C\n%main = OpFunction"},
                      {"%pc = OpAccessChain",
                       "%any = OpPoisonKHR %C\n%both = OpFAdd %C %any %none\n"
                       "%frozen = OpFreezeKHR %C %both\n%sum = OpFAdd %C %frozen %product\n"
                       "%pc = OpAccessChain"},
                      {"%pc %product", "%pc %sum"}});
    for (const BackEnd backEnd : {BackEnd::kCore, BackEnd::kNative}) {
        EXPECT_GT(test::occurrences(run(source, backEnd), "OpFreezeKHR"), 0u);
    }
}

TEST(PoisonFreeze, Vectors) {
    for (const uint32_t components : {16u, 400u}) {
        const std::string source =
            test::edited(declared(test::layerModule(components, 16, 0, false), "OpExecutionMode"),
                         {{"%r = OpExtInst",
                           "%any = OpPoisonKHR %out\n%both = OpFAdd %out %any %sum\n"
                           "%frozen = OpFreezeKHR %out %both\n%r = OpExtInst"},
                          {"FMax %sum", "FMax %frozen"}});
        EXPECT_GT(test::occurrences(run(source), "OpFreezeKHR"), 0u);
    }
}

// A frozen byte is cut to four bits: its upper bits may be any.
TEST(PoisonFreeze, FourBitIntegers) {
    const std::string source =
        test::edited(declared(test::multiplyModule(16, 16, 16), "OpExecutionMode"),
                     {{"OpCapability Float16", "OpCapability Int4TypeINTEL\nOpCapability Float16"},
                      {"OpExtension", "OpExtension \"SPV_INTEL_int4\"\nOpExtension"},
                      {"%zero =", "%s4 = OpTypeInt 4 1\n%s32 = OpTypeInt 32 1\n%zero ="},
                      {"%pc = OpAccessChain",
                       "%any = OpPoisonKHR %s4\n%frozen = OpFreezeKHR %s4 %any\n"
                       "%wide = OpSConvert %s32 %frozen\n%index = OpBitcast %u32 %wide\n"
                       "%pc = OpAccessChain"},
                      {"%out %c0 %c0", "%out %c0 %index"}});
    const std::vector<uint32_t> words = test::assemble(source);
    Request request;
    request.words = words;
    Target target;
    target.device.shaderInt8 = true;
    const Result<Rewritten> out = rewrite(request, target);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    const std::string text = disassemble(out->words);
    EXPECT_EQ(test::occurrences(text, "OpFreezeKHR"), 1u);
    const size_t at = text.find("OpBitFieldSExtract");
    ASSERT_NE(at, text.npos) << text;
    EXPECT_NE(text.substr(at, text.find('\n', at) - at).find(" %uint_0 %uint_4"), text.npos)
        << text;
}

}  // namespace
}  // namespace coopvk::rewrite::poison_freeze_test
