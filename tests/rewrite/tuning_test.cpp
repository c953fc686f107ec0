// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "assemble.hpp"
#include "coopvk/plan.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"

namespace coopvk::rewrite::tuning_test {
namespace {

TEST(Tuning, FromText) {
    constexpr std::string_view kAll =
        "grid-rows=8,row-block=0,column-block=2,pairs=k,unroll=1000,slice=4,slices=rolled,"
        "shared=f32,loops=joined,tails=apart,sums=closed,alone=512,lines=2,tile-columns=8,"
        "rows=shifted";
    const auto all = matrixTuningFromText(kAll);
    ASSERT_TRUE(all) << all.error().message;
    EXPECT_EQ(all->gridRows, 8u);
    EXPECT_EQ(all->rowBlock, 0u);
    EXPECT_EQ(all->columnBlock, 2u);
    EXPECT_EQ(all->halfPairsAlongK, true);
    EXPECT_EQ(all->unrolledProducts, 1000u);
    EXPECT_EQ(all->sliceDepth, 4u);
    EXPECT_EQ(all->rollSlices, true);
    EXPECT_EQ(all->sharedSingles, true);
    EXPECT_EQ(all->joinLoops, true);
    EXPECT_EQ(all->joinTails, false);
    EXPECT_EQ(all->openSums, false);
    EXPECT_EQ(all->smallProduct, 512u);
    EXPECT_EQ(all->linesAtOnce, 2u);
    EXPECT_EQ(all->tileColumns, 8u);
    EXPECT_EQ(all->shiftsRows, true);
    EXPECT_EQ(tuningText(*all), kAll);
    EXPECT_EQ(tuningText({}), "");
    const auto one = matrixTuningFromText("pairs=n");
    ASSERT_TRUE(one);
    EXPECT_EQ(one->halfPairsAlongK, false);
    EXPECT_FALSE(one->gridRows);
    EXPECT_TRUE(matrixTuningFromText(""));
    for (const char* wrong :
         {"grid-rows=0", "grid-rows=3", "row-block=x", "unroll=", "unroll", "pairs=m", "lanes=4",
          "slice=3", "slices=", "slices=4", "unroll=1=2", ",", "unroll=99999999999", "lines=8",
          "lines=3", "tile-columns=1", "tile-columns=16", "rows=k", "alone="}) {
        EXPECT_FALSE(matrixTuningFromText(wrong)) << wrong;
    }
}

// Each value that `coopvk tune` tries is one.
TEST(Tuning, TableHasValues) {
    size_t values = 0;
    for (const TuningInfo& info : tuningTable()) {
        EXPECT_FALSE(info.changes.empty()) << info.name;
        for (std::string_view rest = info.values; !rest.empty(); ++values) {
            const std::string value(rest.substr(0, rest.find(',')));
            rest.remove_prefix(std::min(value.size() + 1, rest.size()));
            const std::string text = std::string(info.name) + "=" + value;
            const auto one = matrixTuningFromText(text);
            ASSERT_TRUE(one) << one.error().message;
            EXPECT_EQ(tuningText(*one), text);
        }
    }
    EXPECT_GT(values, 30u);
}

// What a class of devices chooses is replaced, but for tiles that would have one column of lanes.
TEST(Tuning, OfVectors) {
    Target target;
    const auto valueOf = [&](std::string_view name) {
        const auto rows = devicePlan(target);
        return std::ranges::find(rows, name, &PlanRow::name)->value;
    };
    const std::pair<std::string_view, std::string> rows[] = {
        {"vectors: multiplications of a small product", "300"},
        {"vectors: rows of weights at once", "2"},
        {"vectors: columns of a lane in a tile", "2"},
        {"vectors: rows that loops store", "shifted"}};
    for (const auto& [name, value] : rows) EXPECT_NE(valueOf(name), value) << name;
    target.tuning = {.smallProduct = 300, .linesAtOnce = 2, .tileColumns = 2, .shiftsRows = true};
    for (const auto& [name, value] : rows) EXPECT_EQ(valueOf(name), value) << name;
    target.tuning = {.tileColumns = 8};
    target.subgroupSize = 4;
    EXPECT_EQ(valueOf("vectors: columns of a lane in a tile"), "2");
}

Result<Rewritten> tuned(const MatrixTuning& tuning,
                        const std::string& text = test::multiplyModule(16, 16, 16)) {
    const std::vector<uint32_t> words = test::assemble(text);
    Request request;
    request.words = words;
    Target target;
    target.tuning = tuning;
    return rewrite(request, target);
}

TEST(Tuning, Overrides) {
    const auto chosen = tuned({});
    const auto other = tuned({.gridRows = 32, .rowBlock = 1, .columnBlock = 4});
    ASSERT_TRUE(chosen && other);
    EXPECT_EQ(validate(other->words), std::nullopt);
    const auto tells = [](const std::string& note) {
        return note.find("grid 32x1, row blocks 1, column blocks 4") != std::string::npos;
    };
    EXPECT_EQ(std::ranges::count_if(other->notes, tells), 1);
    EXPECT_NE(chosen->words, other->words);
    EXPECT_NE(tuned({.halfPairsAlongK = true})->words, chosen->words);
    EXPECT_FALSE(tuned({.gridRows = 64}));
    EXPECT_FALSE(tuned({.gridRows = 0}));
    EXPECT_FALSE(tuned({.rowBlock = 3}));
    EXPECT_FALSE(tuned({.sliceDepth = 3}));
}

// In pairs along N, A takes fewer registers than B: where sums are f16, the grid of lanes is tall,
// so that more rows of lanes share B. With pairs along K, and sums of f32, it is wide.
TEST(Tuning, GridsFollowPairs) {
    const std::string ofSingles = test::multiplyModule(16, 16, 16);
    const std::string ofHalves = test::edited(ofSingles, {{"%C = OpTypeCooperativeMatrixKHR %f32",
                                                           "%C = OpTypeCooperativeMatrixKHR %f16"},
                                                          {"StoreKHR %pc", "StoreKHR %pa"}});
    struct {
        const std::string& text;
        bool pairsAlongK;
        const char* grid;
    } const rows[] = {
        {ofHalves, false, "grid 8x4"},
        {ofHalves, true, "grid 4x8"},
        {ofSingles, false, "grid 4x8"},
        {ofSingles, true, "grid 4x8"},
    };
    for (const auto& row : rows) {
        const auto out = tuned({.halfPairsAlongK = row.pairsAlongK}, row.text);
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(std::ranges::count_if(out->notes,
                                        [&](const std::string& note) {
                                            return note.find(row.grid) != std::string::npos;
                                        }),
                  1)
            << row.grid << (row.pairsAlongK ? ", pairs along K" : ", pairs along N");
    }
}

TEST(Choices, HaveNames) {
    EXPECT_EQ(backEndFromName("auto"), BackEnd::kAuto);
    EXPECT_EQ(backEndFromName("core"), BackEnd::kCore);
    EXPECT_EQ(backEndFromName("native"), BackEnd::kNative);
    EXPECT_EQ(backEndFromName("Core"), std::nullopt);
    EXPECT_EQ(numericsFromName("fast"), Numerics::kFast);
    EXPECT_EQ(numericsFromName("same"), Numerics::kSame);
    EXPECT_EQ(numericsFromName(""), std::nullopt);
    for (const Numerics numerics : {Numerics::kFast, Numerics::kSame}) {
        EXPECT_EQ(numericsFromName(numericsName(numerics)), numerics);
    }
}

}  // namespace
}  // namespace coopvk::rewrite::tuning_test
