// SPDX-License-Identifier: Apache-2.0
#include "covering.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <queue>
#include <string_view>
#include <utility>

#include "context.hpp"
#include "random.hpp"

namespace coopvk::test {
namespace {

constexpr uint32_t kLanes[] = {4, 8, 16};

// What each case would cover, as numbers from 0.
struct Goals {
    std::vector<std::vector<size_t>> of;  // by case
    size_t count = 0;
};

Goals goalsOf(const std::vector<Factors>& cases, bool pairs) {
    std::map<std::pair<size_t, std::string_view>, size_t> values;  // a number for each
    std::map<std::pair<size_t, size_t>, size_t> numbers;           // of goals: pairs of values
    Goals goals;
    for (const Factors& factors : cases) {
        std::vector<size_t>& mine = goals.of.emplace_back();
        const auto want = [&](size_t a, size_t b) {
            mine.push_back(numbers.try_emplace({a, b}, numbers.size()).first->second);
        };
        std::vector<size_t> own;
        for (size_t f = 0; f < factors.size(); ++f)
            own.push_back(values.try_emplace({f, factors[f]}, values.size()).first->second);
        for (size_t a = 0; a < own.size(); ++a) {
            if (!pairs || own.size() == 1) want(own[a], own[a]);
            for (size_t b = a + 1; pairs && b < own.size(); ++b) want(own[a], own[b]);
        }
    }
    goals.count = numbers.size();
    return goals;
}

std::vector<size_t> greedy(const Goals& goals) {
    // Of equally good cases, the first in a shuffled order, since neighbours in a list are similar.
    std::vector<size_t> order(goals.of.size());
    std::iota(order.begin(), order.end(), size_t{0});
    Rng rng("covering");
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.next() % i]);

    std::vector<bool> isCovered(goals.count);
    const auto gain = [&](size_t index) {
        return std::ranges::count_if(goals.of[index], [&](size_t g) { return !isCovered[g]; });
    };
    // The gain that each had last, which has not grown since, and the end of the order behind it.
    std::priority_queue<std::pair<std::ptrdiff_t, size_t>> candidates;
    for (size_t i = 0; i < order.size(); ++i) candidates.emplace(gain(order[i]), order.size() - i);
    std::vector<size_t> result;
    while (!candidates.empty()) {
        const auto [last, place] = candidates.top();
        const size_t best = order[order.size() - place];
        candidates.pop();
        if (const auto now = gain(best); now != last) {
            candidates.emplace(now, place);
            continue;
        }
        if (last == 0) break;
        for (const size_t goal : goals.of[best]) isCovered[goal] = true;
        result.push_back(best);
    }
    std::ranges::sort(result);
    return result;
}

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::vector<size_t> all(size_t count) {
    std::vector<size_t> result(count);
    std::iota(result.begin(), result.end(), size_t{0});
    return result;
}

}  // namespace

std::vector<size_t> coveringPairs(const std::vector<Factors>& cases) {
    return greedy(goalsOf(cases, true));
}

std::vector<size_t> coveringValues(const std::vector<Factors>& cases) {
    return greedy(goalsOf(cases, false));
}

std::vector<size_t> partOfRun(const std::vector<Factors>& cases, uint32_t lanes) {
    std::vector<Factors> everywhere;
    for (const uint32_t run : kLanes) {
        for (Factors factors : cases) {
            factors.push_back(std::to_string(run));
            everywhere.push_back(std::move(factors));
        }
    }
    const auto run = static_cast<size_t>(std::ranges::find(kLanes, lanes) - kLanes);
    std::vector<size_t> result;
    for (const size_t index : coveringPairs(everywhere))
        if (index / cases.size() == run) result.push_back(index % cases.size());
    return result;
}

std::vector<IndexPair> coveringIndices(size_t first, size_t second) {
    std::vector<IndexPair> all;
    for (size_t a = 0; a < first; ++a)
        for (size_t b = 0; b < second; ++b) all.emplace_back(a, b);
    return covering(all,
                    [](const IndexPair& p) { return factors(std::get<0>(p), std::get<1>(p)); });
}

bool coversValues() { return !runsAll() && environment("COOPVK_TEST_COVERS") == "values"; }

std::vector<size_t> chosen(const std::vector<Factors>& cases) {
    const uint32_t lanes = Context::get().subgroupSize;
    if (runsAll()) return all(cases.size());
    if (environment("COOPVK_TEST_COVERS") == "pairs") return coveringPairs(cases);
    if (coversValues()) return coveringValues(cases);
    if (std::ranges::find(kLanes, lanes) == std::end(kLanes)) return all(cases.size());
    return partOfRun(cases, lanes);
}

}  // namespace coopvk::test
