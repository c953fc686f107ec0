// SPDX-License-Identifier: Apache-2.0
//
// usage: oracle_expressions [--count N] [--seed S] [--long]
//
// Judges random expressions, at least N of them (10,000; with --long a million). Status 1: a value
// was outside of its interval.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>

#include "../test_part.hpp"
#include "expressions.hpp"

namespace {
constexpr uint64_t kFew = 1000, kAll = 1000000;
}

int main(int argc, char** argv) {
    using namespace coopvk::oracle;
    uint64_t count = coopvk::test::runsAll() ? kAll : kFew, seed = 1;
    for (int i = 1; i < argc; ++i) {
        const bool hasValue = i + 1 < argc;
        if (std::strcmp(argv[i], "--long") == 0) {
            count = kAll;
        } else if (hasValue && std::strcmp(argv[i], "--count") == 0) {
            count = std::strtoull(argv[++i], nullptr, 10);
        } else if (hasValue && std::strcmp(argv[i], "--seed") == 0) {
            seed = std::strtoull(argv[++i], nullptr, 10);
        } else {
            std::cerr << "usage: oracle_expressions [--count N] [--seed S] [--long]\n";
            return 2;
        }
    }
    Judged judged;
    try {
        for (; judged.expressions < count; ++seed) judgeExpressions(seed, judged);
    } catch (const std::exception& problem) {
        std::cerr << "seed " << seed << ": " << problem.what() << "\n";
        return 1;
    }
    std::cout << judged.expressions << " expressions, " << judged.values
              << " values: " << judged.outside << " are outside of their intervals\n";
    if (!judged.widths.empty()) {
        std::ranges::sort(judged.widths);
        std::cout << "width of sums of products, by what many orders gave: median "
                  << judged.widths[judged.widths.size() / 2] << " of " << judged.widths.size()
                  << "\n";
    }
    if (judged.outside > 0) std::cout << "the first: " << judged.first << "\n";
    return judged.outside == 0 ? 0 : 1;
}
