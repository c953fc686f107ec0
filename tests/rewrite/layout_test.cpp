// SPDX-License-Identifier: Apache-2.0
#include "matrix/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "assemble.hpp"

namespace coopvk::rewrite::layout_test {
namespace {

struct LayoutCase {
    uint32_t subgroup, rows, columns;
    uint32_t rowBlock, columnBlock;
    bool halfPairsAlongK;

    LayoutPolicy policy(bool tall) const {
        return {makeGrid(subgroup, tall), rowBlock, columnBlock, halfPairsAlongK};
    }
};

class Layout : public testing::TestWithParam<LayoutCase> {};

// Every element of an accumulator is in exactly one lane. For A and B, each lane that holds a row
// or column holds all its elements along K.
TEST_P(Layout, DistributesEveryElementOnce) {
    const LayoutCase c = GetParam();
    const LayoutPolicy policy = c.policy(false);
    const Fragment f = makeFragment(policy, Use::kAccumulator, c.rows, c.columns, 32);
    std::set<std::pair<uint32_t, uint32_t>> seen;
    for (uint32_t rowLane = 0; rowLane < f.rows.lanes; ++rowLane) {
        for (uint32_t columnLane = 0; columnLane < f.columns.lanes; ++columnLane) {
            for (uint32_t i = 0; i < f.rows.count(); ++i) {
                for (uint32_t j = 0; j < f.columns.count(); ++j) {
                    const auto place =
                        std::pair(f.rows.index(rowLane, i), f.columns.index(columnLane, j));
                    EXPECT_LT(place.first, c.rows);
                    EXPECT_LT(place.second, c.columns);
                    EXPECT_TRUE(seen.insert(place).second);
                }
            }
        }
    }
    EXPECT_EQ(seen.size(), size_t{c.rows} * c.columns);
    EXPECT_LE(f.rows.lanes * f.columns.lanes, c.subgroup);
    EXPECT_EQ(makeFragment(policy, Use::kA, c.rows, c.columns, 32).columns.count(), c.columns);
    EXPECT_EQ(makeFragment(policy, Use::kB, c.rows, c.columns, 32).rows.count(), c.rows);
}

// Packs partition the elements, whatever their axis.
TEST_P(Layout, PacksHoldEveryElementOnce) {
    const LayoutCase c = GetParam();
    const LayoutPolicy policy = c.policy(true);
    for (const Use use : {Use::kA, Use::kB, Use::kAccumulator}) {
        for (const uint32_t bits : {8u, 16u, 32u, 64u}) {
            const Fragment f = makeFragment(policy, use, c.rows, c.columns, bits);
            std::set<std::pair<uint32_t, uint32_t>> seen;
            for (uint32_t i = 0; i < f.rows.count(); ++i) {
                for (uint32_t j = 0; j < f.columns.count(); ++j) {
                    EXPECT_LT(f.packOf(i, j), f.packs());
                    EXPECT_LT(f.componentOf(i, j), f.packWidth);
                    EXPECT_TRUE(seen.insert({f.packOf(i, j), f.componentOf(i, j)}).second);
                }
            }
            EXPECT_EQ(seen.size(), f.length());
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Layout,
    testing::Values(LayoutCase{4, 16, 16, 0, 0, false}, LayoutCase{8, 8, 8, 1, 0, true},
                    LayoutCase{32, 16, 16, 1, 1, true}, LayoutCase{32, 16, 8, 0, 2, false},
                    LayoutCase{64, 1, 1, 0, 4, true}, LayoutCase{128, 8, 8, 1, 1, false},
                    LayoutCase{16, 3, 7, 0, 0, true}, LayoutCase{32, 24, 12, 1, 2, true},
                    LayoutCase{8, 64, 16, 1, 4, false}, LayoutCase{8, 48, 40, 2, 2, false}));

struct RunCase {
    Dimension along;
    uint32_t length, lanes, rows, columns, bits;
};

class Runs : public testing::TestWithParam<RunCase> {};

// Every element is in exactly one lane, in a run of neighbours; lanes of consecutive numbers hold
// neighbouring runs of a line.
TEST_P(Runs, DistributeEveryElementOnce) {
    const RunCase& c = GetParam();
    LayoutPolicy policy;
    policy.workgroup = makeGrid(c.lanes, false);
    const Fragment f = makeRunFragment(policy, {c.along, c.length}, c.rows, c.columns, c.bits);
    const bool alongRows = c.along == Dimension::kRows;
    const Axis& along = alongRows ? f.rows : f.columns;
    const Axis& across = alongRows ? f.columns : f.rows;
    EXPECT_LE(along.lanes * across.lanes, c.lanes);
    EXPECT_EQ(f.packWidth, 32 / c.bits);
    std::set<std::pair<uint32_t, uint32_t>> seen, packs;
    for (uint32_t lane = 0; lane < along.lanes * across.lanes; ++lane) {
        for (uint32_t i = 0; i < across.count(); ++i) {
            for (uint32_t j = 0; j < along.count(); ++j) {
                const uint32_t line = across.index(lane / along.lanes, i);
                const uint32_t place = along.index(lane % along.lanes, j);
                EXPECT_LT(line, across.size);
                EXPECT_LT(place, along.size);
                EXPECT_TRUE(seen.insert({line, place}).second);
                EXPECT_EQ(place % c.length, j % c.length);
                const uint32_t row = alongRows ? j : i, column = alongRows ? i : j;
                if (lane == 0) packs.insert({f.packOf(row, column), f.componentOf(row, column)});
            }
        }
    }
    EXPECT_EQ(seen.size(), size_t{c.rows} * c.columns);
    EXPECT_EQ(packs.size(), f.length());
    if (along.lanes > 1) {
        EXPECT_EQ(along.index(1, 0), c.length);
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Runs,
                         testing::Values(RunCase{Dimension::kColumns, 8, 256, 128, 64, 16},
                                         RunCase{Dimension::kRows, 8, 256, 64, 128, 16},
                                         RunCase{Dimension::kColumns, 8, 256, 16, 16, 16},
                                         RunCase{Dimension::kColumns, 16, 64, 48, 80, 8},
                                         RunCase{Dimension::kRows, 4, 128, 96, 48, 32},
                                         RunCase{Dimension::kRows, 32, 32, 32, 32, 16}));

// How a product of f16 matrices from a buffer, B in columns, lies in 32 lanes.
std::string gridOn(const DeviceTraits& device) {
    std::string text = test::multiplyModule(16, 16, 16);
    const std::string_view kRows = "%b = OpCooperativeMatrixLoadKHR %B %pa %c0";
    const size_t at = text.find(kRows);
    EXPECT_NE(at, std::string::npos);
    text.replace(at, kRows.size(), "%b = OpCooperativeMatrixLoadKHR %B %pa %c1");
    const std::vector<uint32_t> words = test::assemble(text);
    Target target;
    target.device = device;
    const Result<Rewritten> out = rewrite({.words = words}, target);
    if (!out) return out.error().message;
    const auto note = std::ranges::find_if(out->notes, [](const std::string& each) {
        return each.find("lane grid ") != std::string::npos;
    });
    return note == out->notes.end() ? std::string() : *note;
}

// RDNA 3 issues two dot products at once, and finds more pairs with more columns of B in a lane.
TEST(GridOfColumnsOfB, IsTallWhereDotsArePaired) {
    DeviceTraits device;
    device.scalarRegisters = device.shaderMixedFloatDotProductFloat16AccFloat32 = true;
    EXPECT_NE(gridOn(device).find("lane grid 4x8"), std::string::npos);
    device.dot4x8Mixed = true;
    EXPECT_NE(gridOn(device).find("lane grid 8x4"), std::string::npos);
}

}  // namespace
}  // namespace coopvk::rewrite::layout_test
