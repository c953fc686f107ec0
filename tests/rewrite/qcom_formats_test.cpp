// SPDX-License-Identifier: Apache-2.0
//
// Components of SPV_QCOM_cooperative_matrix_conversion: floats have the default encoding. bfloat16
// and 8-bit floats are refused, in matrices and in arrays alike.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"

namespace coopvk::rewrite::qcom_formats_test {
namespace {

struct Element {
    std::string_view name, declarations, type;
    uint32_t bits;
    bool isAllowed;
};
constexpr std::string_view kFloat8 =
    "OpCapability Float8EXT\nOpCapability Float8CooperativeMatrixEXT\n"
    "OpExtension \"SPV_EXT_float8\"\n";
constexpr Element kElements[] = {
    {"f32", "", "OpTypeFloat 32", 32, true},
    {"f16", "OpCapability Float16\n", "OpTypeFloat 16", 16, true},
    {"bf16",
     "OpCapability BFloat16TypeKHR\nOpCapability BFloat16CooperativeMatrixKHR\n"
     "OpExtension \"SPV_KHR_bfloat16\"\n",
     "OpTypeFloat 16 BFloat16KHR", 16, false},
    {"e4m3", kFloat8, "OpTypeFloat 8 Float8E4M3EXT", 8, false},
    {"e5m2", kFloat8, "OpTypeFloat 8 Float8E5M2EXT", 8, false},
};

struct Operation {
    std::string_view name, code;
};
constexpr Operation kOperations[] = {
    {"Construct", "%r = OpCompositeConstructCoopMatQCOM %A %line0\n"},
    {"ConstructFromWords", "%r = OpCompositeConstructCoopMatQCOM %A %words0\n"},
    {"Extract", "%r = OpCompositeExtractCoopMatQCOM %line %A0\n"},
    {"ExtractWords", "%r = OpCompositeExtractCoopMatQCOM %words %A0\n"},
    {"CastToWords", "%r = OpBitCastArrayQCOM %words %line0\n"},
    {"CastFromWords", "%r = OpBitCastArrayQCOM %line %words0\n"},
    {"SubArray", "%r = OpExtractSubArrayQCOM %half %line0 %s0\n"},
};

// Matrices %A, whose rows have 32 bytes. `globals`: further declarations.
std::string module(const Element& element, const Operation& operation,
                   std::string_view globals = "") {
    // Capabilities come ahead of extensions.
    const size_t split =
        std::min(element.declarations.find("OpExtension"), element.declarations.size());
    return std::format(R"(
OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpCapability CooperativeMatrixConversionQCOM
{}OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_QCOM_cooperative_matrix_conversion"
{}OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 32 1 1
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%s32 = OpTypeInt 32 1
%e = {}
%s0 = OpConstant %s32 0
%u0 = OpConstant %u32 0
%u3 = OpConstant %u32 3
%u8 = OpConstant %u32 8
%u16 = OpConstant %u32 16
%length = OpConstant %u32 {}
%part = OpConstant %u32 {}
%A = OpTypeCooperativeMatrixKHR %e %u3 %u16 %length %u0
%line = OpTypeArray %e %length
%half = OpTypeArray %e %part
%words = OpTypeArray %u32 %u8
%A0 = OpConstantNull %A
%line0 = OpConstantNull %line
%words0 = OpConstantNull %words
{}%main = OpFunction %void None %f
%label = OpLabel
{}OpReturn
OpFunctionEnd
)",
                       element.declarations.substr(0, split), element.declarations.substr(split),
                       element.type, 256 / element.bits, 128 / element.bits, globals,
                       operation.code);
}

class QcomFormats : public testing::TestWithParam<std::tuple<Element, Operation>> {};

TEST_P(QcomFormats, OnlyTheDefaultEncoding) {
    const auto& [element, operation] = GetParam();
    const std::vector<uint32_t> words = test::assemble(module(element, operation));
    Request request;
    request.words = words;
    const Result<Rewritten> out = rewrite(request, {});
    if (element.isAllowed) {
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
        return;
    }
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ErrorCode::kInvalidModule);
    EXPECT_NE(out.error().message.find("floats must have the default encoding"), std::string::npos)
        << out.error().message;
}

// Arrays of numbers are unrolled: of one element, and of the most that coopvk takes.
TEST(QcomArrays, OfAsManyElementsAsAreUnrolled) {
    struct {
        uint32_t length;
        bool isAllowed;
    } const rows[] = {{1, true}, {4096, true}, {4097, false}};
    for (const auto& row : rows) {
        const std::string globals = std::format(
            "%many = OpConstant %u32 {}\n%integers = OpTypeArray %u32 %many\n"
            "%numbers = OpTypeArray %e %many\n%n0 = OpConstantNull %numbers\n",
            row.length);
        const std::vector<uint32_t> words = test::assemble(
            module(kElements[0], {"Cast", "%r = OpBitCastArrayQCOM %integers %n0\n"}, globals));
        Request request;
        request.words = words;
        const Result<Rewritten> out = rewrite(request, {});
        EXPECT_EQ(bool(out), row.isAllowed) << row.length;
        EXPECT_TRUE(!out || !validate(out->words));
    }
}

// Lines of 32 bytes are 8 words, also of f16: lanes exchange two of them at once.
TEST(QcomArrays, LanesExchangeWords) {
    using Edit = std::pair<std::string_view, std::string_view>;
    for (const Operation& operation : {kOperations[0], kOperations[2]}) {
        const bool isToA = operation.name == "Construct";
        size_t shuffles[2] = {};
        for (const size_t f16 : {0, 1}) {
            // Null constants would be folded.
            const std::string text = test::edited(
                module(kElements[f16], operation,
                       "%to_A = OpTypePointer Private %A\n%held_A = OpVariable %to_A Private\n"
                       "%to_line = OpTypePointer Private %line\n"
                       "%held_line = OpVariable %to_line Private\n"),
                {{"\"main\"", "\"main\" %held_A %held_line"},
                 isToA ? Edit("%A %line0\n", "%A %some_line\nOpStore %held_A %r\n")
                       : Edit("%line %A0\n", "%line %some_A\nOpStore %held_line %r\n"),
                 {"%label = OpLabel\n",
                  "%label = OpLabel\n%some_A = OpLoad %A %held_A\n"
                  "%some_line = OpLoad %line %held_line\n"}});
            const std::vector<uint32_t> words = test::assemble(text);
            Request request;
            request.words = words;
            const Result<Rewritten> out = rewrite(request, {});
            ASSERT_TRUE(out) << out.error().message;
            const std::string code = disassemble(out->words);
            for (size_t at = 0; (at = code.find("OpGroupNonUniformShuffle", at)) != code.npos; ++at)
                ++shuffles[f16];
        }
        EXPECT_GT(shuffles[0], 0u) << operation.name;
        EXPECT_EQ(shuffles[1], shuffles[0]) << operation.name;
    }
}

INSTANTIATE_TEST_SUITE_P(All, QcomFormats,
                         testing::Combine(testing::ValuesIn(kElements),
                                          testing::ValuesIn(kOperations)),
                         [](const auto& test) {
                             return std::string(std::get<1>(test.param).name) + "_" +
                                    std::string(std::get<0>(test.param).name);
                         });

}  // namespace
}  // namespace coopvk::rewrite::qcom_formats_test
