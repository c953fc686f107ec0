// SPDX-License-Identifier: Apache-2.0
//
// The tests' choice among all combinations contains everything that it promises.
#include "harness/covering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "harness/random.hpp"

namespace coopvk::test::covering_test {
namespace {

using Pair = std::tuple<size_t, size_t, std::string, std::string>;

std::set<Pair> pairsOf(const std::vector<Factors>& cases, const std::vector<size_t>& indices) {
    std::set<Pair> result;
    for (const size_t i : indices)
        for (size_t a = 0; a < cases[i].size(); ++a)
            for (size_t b = 0; b < a; ++b) result.insert({a, b, cases[i][a], cases[i][b]});
    return result;
}

std::set<std::pair<size_t, std::string>> valuesOf(const std::vector<Factors>& cases,
                                                  const std::vector<size_t>& indices) {
    std::set<std::pair<size_t, std::string>> result;
    for (const size_t i : indices)
        for (size_t f = 0; f < cases[i].size(); ++f) result.insert({f, cases[i][f]});
    return result;
}

// All combinations of `factors` factors of `values` values, less some, in disorder.
std::vector<Factors> combinations(size_t factors, size_t values, std::string_view seed) {
    Rng rng(seed);
    size_t count = 1;
    for (size_t f = 0; f < factors; ++f) count *= values;
    std::vector<Factors> cases;
    for (size_t i = 0; i < count; ++i) {
        Factors one;
        for (size_t f = 0, rest = i; f < factors; ++f, rest /= values)
            one.push_back(std::to_string(rest % values));
        if (rng.range(0, 9) != 0) cases.push_back(one);
    }
    for (size_t i = cases.size(); i > 1; --i) std::swap(cases[i - 1], cases[rng.next() % i]);
    return cases;
}

std::vector<size_t> everyIndex(const std::vector<Factors>& cases) {
    std::vector<size_t> result;
    for (size_t i = 0; i < cases.size(); ++i) result.push_back(i);
    return result;
}

TEST(Covering, EveryPairIsInFewCases) {
    struct Row {
        size_t factors, values;
    };
    for (const Row row : {Row{1, 5}, Row{2, 4}, Row{3, 5}, Row{4, 4}, Row{5, 3}}) {
        const std::vector<Factors> cases = combinations(row.factors, row.values, "covering pairs");
        const std::vector<size_t> few = coveringPairs(cases);
        EXPECT_EQ(pairsOf(cases, few), pairsOf(cases, everyIndex(cases)));
        EXPECT_EQ(valuesOf(cases, few), valuesOf(cases, everyIndex(cases)));
        EXPECT_TRUE(std::ranges::is_sorted(few));
        EXPECT_EQ(std::ranges::adjacent_find(few), few.end());
        // Two factors need all; with more, some two and a half times the square of the values is
        // a generous bound for a greedy choice.
        EXPECT_LE(few.size(), 5 * row.values * row.values / 2);
    }
}

TEST(Covering, EveryValueIsInFewerCases) {
    const std::vector<Factors> cases = combinations(4, 4, "covering values");
    const std::vector<size_t> few = coveringValues(cases);
    EXPECT_EQ(valuesOf(cases, few), valuesOf(cases, everyIndex(cases)));
    EXPECT_LE(few.size(), 2 * 4u);
}

TEST(Covering, NothingOfNothing) {
    EXPECT_TRUE(coveringPairs({}).empty());
    EXPECT_TRUE(coveringValues({}).empty());
}

// Each run with 4, 8 and 16 lanes has every value; all of them together have every pair.
TEST(Covering, RunsShareThePairs) {
    const std::vector<Factors> cases = combinations(3, 6, "covering runs");
    std::vector<size_t> together;
    for (const uint32_t lanes : {4u, 8u, 16u}) {
        const std::vector<size_t> part = partOfRun(cases, lanes);
        EXPECT_EQ(valuesOf(cases, part), valuesOf(cases, everyIndex(cases))) << lanes;
        EXPECT_LT(part.size(), cases.size() / 3);
        together.insert(together.end(), part.begin(), part.end());
    }
    EXPECT_EQ(pairsOf(cases, together), pairsOf(cases, everyIndex(cases)));
}

}  // namespace
}  // namespace coopvk::test::covering_test
