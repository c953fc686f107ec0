// SPDX-License-Identifier: Apache-2.0
//
// The size of a workgroup, in each form that a module may give it. An unknown size is none.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"

namespace coopvk::rewrite::workgroup_size_test {
namespace {

struct Form {
    std::string_view name;
    std::string_view constants;
};

// Each is 4 x 4 x 4, and the built-in takes precedence over LocalSize 32 1 1.
constexpr Form kForms[] = {
    {"composite", "%size = OpConstantComposite %v3 %c4 %c4 %c4"},
    {"replicated", "%size = OpConstantCompositeReplicateEXT %v3 %c4"},
    {"specialised", "%size = OpSpecConstantCompositeReplicateEXT %v3 %s4"},
    {"extracted",
     "%all = OpConstantCompositeReplicateEXT %v3 %c4\n"
     "%x = OpSpecConstantOp %u32 CompositeExtract %all 0\n"
     "%size = OpSpecConstantComposite %v3 %x %c4 %s4"},
    {"summed",
     "%twos = OpConstantCompositeReplicateEXT %v3 %c2\n"
     "%size = OpSpecConstantOp %v3 IAdd %twos %twos"},
    {"inserted",
     "%twos = OpConstantCompositeReplicateEXT %v3 %c4\n"
     "%size = OpSpecConstantOp %v3 CompositeInsert %c4 %twos 1"},
};

std::string moduleOf(std::string_view constants) {
    return test::edited(
        test::multiplyModule(16, 16, 16),
        {{"OpCapability Float16", "OpCapability ReplicatedCompositesEXT\nOpCapability Float16"},
         {"OpExtension", "OpExtension \"SPV_EXT_replicated_composites\"\nOpExtension"},
         {"OpDecorate", "OpDecorate %size BuiltIn WorkgroupSize\nOpDecorate"},
         {"%halves =",
          "%v3 = OpTypeVector %u32 3\n%c4 = OpConstant %u32 4\n"
          "%s4 = OpSpecConstant %u32 4\n" +
              std::string(constants) + "\n%halves ="}});
}

Result<Rewritten> run(const std::string& source) {
    const std::vector<uint32_t> words = test::assemble(source);
    Request request;
    request.words = words;
    return rewrite(request, Target{});
}

class WorkgroupSize : public testing::TestWithParam<Form> {};

TEST_P(WorkgroupSize, IsKnown) {
    const Result<Rewritten> out = run(moduleOf(GetParam().constants));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(out->localSize, (std::array<uint32_t, 3>{4, 4, 4}));
}

INSTANTIATE_TEST_SUITE_P(All, WorkgroupSize, testing::ValuesIn(kForms),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(WorkgroupSizes, NoneOfZeroOrTooMany) {
    const auto refusal = [](std::string_view constants) {
        const Result<Rewritten> out = run(moduleOf(constants));
        return out ? std::string() : out.error().message;
    };
    EXPECT_NE(refusal("%size = OpConstantNull %v3").find("size of zero"), std::string::npos);
    EXPECT_NE(refusal("%size = OpConstantComposite %v3 %c4 %c0 %c4").find("size of zero"),
              std::string::npos);
    const auto isTooLarge = [&](std::string_view x, std::string_view rest) {
        return refusal(std::format("%large = OpConstant %u32 {}\n"
                                   "%size = OpConstantComposite %v3 %large {}",
                                   x, rest))
                   .find("65536 invocations") != std::string::npos;
    };
    EXPECT_TRUE(isTooLarge("65536", "%large %large"));
    EXPECT_TRUE(isTooLarge("65537", "%c1 %c1"));
    EXPECT_TRUE(isTooLarge("16385", "%c4 %c1"));
    EXPECT_FALSE(isTooLarge("16384", "%c4 %c1"));
}

// A length is known only once matrices are lowered, and their distribution depends on the size.
TEST(WorkgroupSizes, UnknownOnesAreRefused) {
    const std::string source = test::edited(
        test::multiplyModule(16, 16, 16),
        {{"OpExecutionMode %main LocalSize 32 1 1",
          "OpExecutionModeId %main LocalSizeId %length %c1 %c1"},
         {"%zero =", "%length = OpSpecConstantOp %u32 CooperativeMatrixLengthKHR %C\n%zero ="}});
    const Result<Rewritten> out = run(source);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(out.error().message.find("not a constant"), std::string::npos);
}

}  // namespace
}  // namespace coopvk::rewrite::workgroup_size_test
