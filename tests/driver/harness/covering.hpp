// SPDX-License-Identifier: Apache-2.0
//
// Few cases in place of all combinations: every pair of values of two factors that occurs in a list
// of cases also occurs in what is chosen of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace coopvk::test {

// A case's value of each factor, as text. All cases of a list have the same factors.
using Factors = std::vector<std::string>;

// Indices, in order, of cases that together have every pair of values of two factors that any case
// has (of cases with one factor: every value). Greedy: the next case is one with the most pairs
// that are still wanted.
std::vector<size_t> coveringPairs(const std::vector<Factors>& cases);
// The same for every value of each factor.
std::vector<size_t> coveringValues(const std::vector<Factors>& cases);

// The part that a run with 4, 8 or 16 lanes has of coveringPairs of all three, where the number of
// lanes is one more factor: each run has every value, all together every pair.
std::vector<size_t> partOfRun(const std::vector<Factors>& cases, uint32_t lanes);

// What the environment asks for:
//   COOPVK_TEST_FULL=1            every case
//   COOPVK_TEST_COVERS=pairs      coveringPairs
//   COOPVK_TEST_COVERS=values     coveringValues
//   neither                       partOfRun; every case where the device has other subgroups
std::vector<size_t> chosen(const std::vector<Factors>& cases);

// Whether COOPVK_TEST_FULL=1 is set.
bool runsAll();

// The chosen ones of a list; factorsOf(case) gives Factors.
template <typename Case, typename FactorsOf>
std::vector<Case> covering(const std::vector<Case>& cases, FactorsOf factorsOf) {
    std::vector<Factors> factors;
    factors.reserve(cases.size());
    for (const Case& c : cases) factors.push_back(factorsOf(c));
    std::vector<Case> result;
    for (const size_t index : chosen(factors)) result.push_back(cases[index]);
    return result;
}

}  // namespace coopvk::test
