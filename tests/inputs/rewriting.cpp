// SPDX-License-Identifier: Apache-2.0
#include "rewriting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>

namespace coopvk::test {

namespace {

// COOPVK_TEST_WORDS=FILE: each rewriting adds a line to the file, in place of the checks. The files
// of two builds differ where they make other words of an input.
bool notesWords(const rewrite::Result<rewrite::Rewritten>& result) {
    const char* file = std::getenv("COOPVK_TEST_WORDS");
    if (file == nullptr) return false;
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    std::ofstream out(file, std::ios::app);
    out << info->name() << ' ';
    if (!result) {
        out << result.error().message << '\n';
        return true;
    }
    const auto* bytes = reinterpret_cast<const char*>(result->words.data());
    const std::string_view words(bytes, 4 * result->words.size());
    constexpr size_t kHeader = 5;
    size_t instructions = 0;
    for (size_t at = kHeader; at < result->words.size();
         at += std::max(1u, result->words[at] >> 16)) {
        ++instructions;
    }
    out << words.size() / 4 << ' ' << instructions << ' ' << std::hash<std::string_view>()(words);
    for (const auto& note : result->notes) out << " | " << note;
    out << '\n';
    return true;
}

}  // namespace

bool isFor(const Input& input, const rewrite::Target& target) {
    return input.lanes.empty() ||
           std::ranges::find(input.lanes, target.subgroupSize) != input.lanes.end();
}

void expectRewriting(const Input& input, const Words& words, const rewrite::Target& target) {
    const auto result = rewrite::rewrite({.words = words}, target);
    if (notesWords(result)) return;
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
