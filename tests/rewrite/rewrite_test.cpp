// SPDX-License-Identifier: Apache-2.0
#include "coopvk/rewrite.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "assemble.hpp"

namespace coopvk::rewrite {
namespace {

Result<Rewritten> run(const std::vector<uint32_t>& words, uint32_t subgroupSize,
                      std::span<const SpecializationEntry> entries = {}) {
    Request request;
    request.words = words;
    request.specialization = entries;
    Target target;
    target.subgroupSize = subgroupSize;
    return rewrite(request, target);
}

class Rewrite : public testing::TestWithParam<uint32_t> {};

TEST_P(Rewrite, OutputIsValidAndDeterministic) {
    for (const auto& [m, n, k] :
         {std::tuple{16u, 16u, 16u}, {8u, 8u, 32u}, {1u, 1u, 1u}, {12u, 6u, 20u}, {64u, 16u, 8u}}) {
        const std::vector<uint32_t> words = test::assemble(test::multiplyModule(m, n, k));
        const Result<Rewritten> out = run(words, GetParam());
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt);
        EXPECT_TRUE(scan(out->words, ExtensionSet::all()).empty());
        EXPECT_EQ(disassemble(out->words).find("CooperativeMatrix"), std::string::npos);
        EXPECT_EQ(out->localSize[0], 32u);
        const Result<Rewritten> again = run(words, GetParam());
        ASSERT_TRUE(again);
        EXPECT_EQ(again->words, out->words);
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Rewrite, testing::Values(4, 8, 16, 32, 64, 128));

TEST(RewriteErrors, NoSuchEntryPoint) {
    const std::vector<uint32_t> words = test::assemble(test::multiplyModule(16, 16, 16));
    Request request;
    request.words = words;
    for (const char* name : {"", "main"}) {
        request.entryPoint = name;
        EXPECT_TRUE(rewrite(request, Target{})) << name;
    }
    request.entryPoint = "mai";
    const Result<Rewritten> out = rewrite(request, Target{});
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(out.error().message.find("'mai'"), std::string::npos);
}

TEST(RewriteErrors, NameWhatIsWrong) {
    const std::vector<uint32_t> words = test::assemble(test::multiplyModule(16, 16, 16));
    for (const uint32_t size : {0u, 3u, 24u, 256u}) {
        const Result<Rewritten> out = run(words, size);
        ASSERT_FALSE(out);
        EXPECT_EQ(out.error().code, ErrorCode::kInvalidArgument);
        EXPECT_NE(out.error().message.find("subgroup size"), std::string::npos);
    }
    const std::byte wrong[2] = {};
    const SpecializationEntry short2[] = {{0, wrong}};
    const Result<Rewritten> out = run(words, 32, short2);
    ASSERT_FALSE(out);
    EXPECT_NE(out.error().message.find("specialization constant 0"), std::string::npos);
}

TEST(RewriteSpecialization, SetsTheShape) {
    const std::vector<uint32_t> words = test::assemble(test::multiplyModule(16, 16, 16));
    const uint32_t rows = 8;
    std::byte data[4];
    std::memcpy(data, &rows, sizeof rows);
    const SpecializationEntry entries[] = {{0, data}};
    const Result<Rewritten> out = run(words, 32, entries);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    EXPECT_NE(disassemble(out->words).find("coopvk_muladd_f32_f16_f16_8x16x16"), std::string::npos);
    const uint32_t zero = 0;
    std::memcpy(data, &zero, sizeof zero);
    EXPECT_FALSE(run(words, 32, entries)) << "a matrix without rows";
}

}  // namespace
}  // namespace coopvk::rewrite
