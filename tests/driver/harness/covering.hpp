// SPDX-License-Identifier: Apache-2.0
//
// Few cases in place of all combinations: every pair of values of two factors that occurs in a list
// of cases also occurs in the chosen cases.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "../../test_part.hpp"

namespace coopvk::test {

// A case's value of each factor, as text. All cases of a list have the same factors.
using Factors = std::vector<std::string>;

// Indices, in order, of cases that together have every pair of values of two factors that any case
// has (of cases with one factor: every value). Greedy: the next case is one with the most pairs
// that are still wanted.
std::vector<size_t> coveringPairs(const std::vector<Factors>& cases);
// The same for every value of each factor.
std::vector<size_t> coveringValues(const std::vector<Factors>& cases);

// The part of coveringPairs for a run with 4, 8 or 16 lanes, if the number of lanes is one more
// factor: each run has every value, and the three runs together have every pair.
std::vector<size_t> partOfRun(const std::vector<Factors>& cases, uint32_t lanes);

// The choice of the environment:
//   COOPVK_TEST_FULL=1            every case
//   COOPVK_TEST_COVERS=pairs      coveringPairs
//   COOPVK_TEST_COVERS=values     coveringValues
//   neither                       partOfRun; every case where the device has other subgroups
std::vector<size_t> chosen(const std::vector<Factors>& cases);

// Whether each value shall occur in one case only.
bool coversValues();

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

// The same, with all cases for which isAlways(case) is true, for example cases that cannot run
// everywhere, so that no pair is lost.
template <typename Case, typename FactorsOf, typename IsAlways>
std::vector<Case> covering(std::vector<Case> cases, FactorsOf factorsOf, IsAlways isAlways) {
    const auto always = std::stable_partition(cases.begin(), cases.end(),
                                              [&](const Case& c) { return !isAlways(c); });
    std::vector<Case> result = covering(std::vector<Case>(cases.begin(), always), factorsOf);
    result.insert(result.end(), always, cases.end());
    return result;
}

// A factor's value, from a type that std::to_string or strings accept.
template <typename T>
std::string factor(const T& value) {
    if constexpr (std::is_enum_v<T>) {
        return std::to_string(static_cast<int64_t>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
        return std::to_string(value);
    } else {
        return std::string(value);
    }
}
template <typename... T>
Factors factors(const T&... values) {
    return {factor(values)...};
}

// Two sizes' numbers in all combinations.
using IndexPair = std::tuple<size_t, size_t>;
std::vector<IndexPair> coveringIndices(size_t first, size_t second);

}  // namespace coopvk::test
