// SPDX-License-Identifier: Apache-2.0
//
// Conversions from and to matrices of 4-bit integers that transpose them.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"

namespace coopvk::rewrite::int4_transposition_test {
namespace {

// Loads a 16 x 16 matrix of use A, converts it to one of other components, and stores that.
std::string moduleOf(std::string_view from, std::string_view to, bool transposes) {
    const auto type = [](std::string_view name, std::string_view component) {
        return std::format("{} = OpTypeCooperativeMatrixKHR {} %c3 %depth %depth %c0\n", name,
                           component);
    };
    return test::edited(
        test::multiplyModule(16, 16, 16),
        {{"OpCapability Float16",
          "OpCapability Int4TypeINTEL\nOpCapability Int4CooperativeMatrixINTEL\nOpCapability Int8\n"
          "OpCapability CooperativeMatrixConversionsEXT\nOpCapability Float16"},
         {"OpExtension",
          "OpExtension \"SPV_INTEL_int4\"\n"
          "OpExtension \"SPV_EXT_cooperative_matrix_maintenance1\"\nOpExtension"},
         {"OpDecorate",
          transposes ? "OpDecorate %to CooperativeMatrixTransposeEXT\nOpDecorate" : "OpDecorate"},
         {"%zero =", "%s4 = OpTypeInt 4 1\n%s8 = OpTypeInt 8 1\n" + type("%From", from) +
                         type("%To", to) + "%zero ="},
         {"%product =",
          "%from = OpCooperativeMatrixLoadKHR %From %pa %c0 %depth\n"
          "%to = OpSConvert %To %from\n"
          "OpCooperativeMatrixStoreKHR %pa %to %c0 %depth\n%product ="}});
}

// Exchanges between invocations in the output.
size_t shuffles(const std::string& source) {
    const std::vector<uint32_t> words = test::assemble(source);
    Request request;
    request.words = words;
    Target target;
    target.device.shaderInt8 = target.device.shaderInt16 = target.device.subgroupShuffle = true;
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return 0;
    EXPECT_EQ(validate(out->words), std::nullopt);
    return test::occurrences(disassemble(out->words), "OpGroupNonUniformShuffle ");
}

// A lane holds whole rows of A, so it needs elements of others to hold what were columns.
TEST(Int4Transposition, ExchangesElements) {
    for (const auto& [from, to] : {std::pair("%s4", "%s8"), std::pair("%s8", "%s4")}) {
        EXPECT_EQ(shuffles(moduleOf(from, to, false)), 0u);
        EXPECT_GT(shuffles(moduleOf(from, to, true)), 0u);
    }
}

}  // namespace
}  // namespace coopvk::rewrite::int4_transposition_test
