// SPDX-License-Identifier: Apache-2.0
//
// What a rewritten module says of the invocations that hold its matrices.
#include "coopvk/held_matrices.hpp"

#include <gtest/gtest.h>

#include <set>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::test::held_matrices_test {
namespace {

using namespace rewrite;

Result<Rewritten> rewritten(std::span<const uint32_t> words, uint32_t subgroup) {
    Target target;
    target.subgroupSize = subgroup;
    target.backEnd = BackEnd::kCore;
    return rewrite::rewrite({.words = words}, target);
}

// One invocation holds each element; others that do are copies.
TEST(HeldMatrices, NameEachElement) {
    const std::vector<uint32_t> words = askForElements(assemble(multiplyModule(16, 16, 32)));
    EXPECT_EQ(validate(words), std::nullopt);
    for (const uint32_t subgroup : {4u, 8u, 32u, 64u}) {
        const auto out = rewritten(words, subgroup);
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt);
        const std::vector<HeldMatrix> matrices = heldMatrices(out->words);
        std::multiset<std::tuple<uint32_t, uint32_t, uint32_t, std::string>> shapes;
        for (const HeldMatrix& matrix : matrices) {
            shapes.insert({matrix.rows, matrix.columns, matrix.use, matrix.number});
            EXPECT_EQ(matrix.invocations, subgroup);
            EXPECT_FALSE(matrix.ofWorkgroup || matrix.inHalves);
            EXPECT_EQ(matrix.elements.size() % subgroup, 0u);
            std::set<std::pair<uint32_t, uint32_t>> own, all;
            for (const HeldElement& element : matrix.elements) {
                const auto place = std::pair(element.row, element.column);
                all.insert(place);
                EXPECT_TRUE(element.isCopy || own.insert(place).second);
            }
            EXPECT_EQ(own.size(), size_t{matrix.rows} * matrix.columns);
            EXPECT_EQ(all.size(), own.size());
        }
        EXPECT_TRUE(shapes.contains({16, 32, 0, "f16"}));
        EXPECT_TRUE(shapes.contains({32, 16, 1, "f16"}));
        EXPECT_TRUE(shapes.contains({16, 16, 2, "f32"}));
    }
}

TEST(HeldMatrices, AreNamedOnlyIfAskedFor) {
    const auto out = rewritten(assemble(multiplyModule(16, 16, 16)), 32);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_TRUE(heldMatrices(out->words).empty());
}

// Number n is in row n % rows of the grid if the lanes go by columns, in column n % columns if not.
TEST(HeldMatrices, LieByRowsOrByColumns) {
    constexpr std::string_view kText =
        "coopvk: type 1 holds 8 x 8, use 2, rows in 2 lanes by 1, columns in 4 lanes by 1, packs "
        "of 1, along rows 0, grid 2 x 4, cells 1 x 1, by columns {}, invocations 8, of workgroup "
        "0, "
        "in halves 0, of f32";
    for (const char* byColumns : {"0", "1"}) {
        std::string text(kText);
        text.replace(text.find("{}"), 2, byColumns);
        const std::vector<HeldMatrix> matrices = heldMatrices(
            assemble("OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n"
                     "%1 = OpString \"" +
                     text + "\"\n"));
        ASSERT_EQ(matrices.size(), 1u);
        for (uint32_t n = 0; n < 8; ++n) {
            const bool goesDown = byColumns[0] == '1';
            EXPECT_EQ(matrices[0].elements[n].row % 2, goesDown ? n % 2 : n / 4) << n;
            EXPECT_EQ(matrices[0].elements[n].column % 4, goesDown ? n / 2 : n % 4) << n;
        }
    }
}

// Words of others may say anything.
TEST(HeldMatrices, AreReadWithCare) {
    const std::vector<uint32_t> none = {1, 2, 3};
    EXPECT_EQ(askForElements(none), none);
    EXPECT_TRUE(heldMatrices(none).empty());
    const std::string text =
        disassemble(rewritten(askForElements(assemble(multiplyModule(16, 16, 16))), 32)->words);
    const size_t at = text.find("coopvk: type");
    ASSERT_NE(at, std::string::npos);
    const std::string answer = text.substr(at, text.find('"', at) - at);
    const auto read = [](const std::string& said) {
        return heldMatrices(
            assemble("OpCapability Shader\nOpCapability Linkage\n"
                     "OpMemoryModel Logical GLSL450\n%1 = OpString \"" +
                     said + "\"\n"));
    };
    EXPECT_EQ(read(answer).size(), 1u);
    // Each number as 0, too large, and missing.
    for (size_t i = 0; i < answer.size(); ++i) {
        if (answer[i] < '0' || answer[i] > '9' || (answer[i - 1] >= '0' && answer[i - 1] <= '9'))
            continue;
        const size_t end = answer.find_first_not_of("0123456789", i);
        if (end == std::string::npos) continue;
        for (const char* other : {"0", "4294967295", "7", ""}) {
            const std::vector<HeldMatrix> matrices =
                read(answer.substr(0, i) + other + answer.substr(end));
            for (const HeldMatrix& matrix : matrices)
                for (const HeldElement& element : matrix.elements) {
                    EXPECT_LT(element.row, matrix.rows);
                    EXPECT_LT(element.column, matrix.columns);
                }
        }
        EXPECT_TRUE(read(answer.substr(0, i)).empty());
    }
}

}  // namespace
}  // namespace coopvk::test::held_matrices_test
