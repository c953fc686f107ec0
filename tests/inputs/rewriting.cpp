// SPDX-License-Identifier: Apache-2.0
#include "rewriting.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace coopvk::test {

bool isFor(const Input& input, const rewrite::Target& target) {
    return input.lanes.empty() ||
           std::ranges::find(input.lanes, target.subgroupSize) != input.lanes.end();
}

void expectRewriting(const Input& input, const Words& words, const rewrite::Target& target) {
    const auto result = rewrite::rewrite({.words = words}, target);
    if (input.isRefused) {
        // What needs no emulation is the driver's to refuse.
        if (rewrite::scan(words, target.emulated).empty()) return;
        ASSERT_FALSE(result) << "must be refused";
        EXPECT_NE(result.error().message.find(input.refused), std::string::npos)
            << result.error().message;
        return;
    }
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(rewrite::scan(result->words, target.emulated).empty()) << "emulated code is left";
    const auto invalid = rewrite::validate(result->words);
    EXPECT_FALSE(invalid) << *invalid;
}

}  // namespace coopvk::test
