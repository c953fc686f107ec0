// SPDX-License-Identifier: Apache-2.0
//
// Texts of others in messages.
#include "system/text.hpp"

#include <gtest/gtest.h>

#include <span>
#include <vector>

namespace coopvk::layer::text_test {
namespace {

std::string repeated(std::string_view text, size_t count) {
    std::string all;
    for (size_t i = 0; i < count; ++i) all += text;
    return all;
}

struct Row {
    std::string_view text, shown;
};

void expectShown(std::span<const Row> rows) {
    for (const Row& row : rows) {
        EXPECT_EQ(printable(row.text), row.shown);
        EXPECT_EQ(findUnprintable(row.text) == std::string_view::npos, row.text == row.shown)
            << row.shown;
    }
}

// RFC 3629: which bytes are characters; which of them terminals may take for commands.
TEST(Texts, Printable) {
    expectShown(std::vector<Row>{
        {"", ""},
        {"a b~", "a b~"},
        {"\x1f", "\\x1f"},
        {"\x7f", "\\x7f"},
        {"a\tb\n", "a\\x09b\\x0a"},
        {"\xc2\xa0", "\xc2\xa0"},
        {"\xc2\x80", "\\xc2\\x80"},  // C1
        {"\xc2\x9f", "\\xc2\\x9f"},
        {"\xdf\xbf", "\xdf\xbf"},
        {"\xe0\xa0\x80", "\xe0\xa0\x80"},
        {"\xed\x9f\xbf", "\xed\x9f\xbf"},
        {"\xee\x80\x80", "\xee\x80\x80"},
        {"\xf0\x90\x80\x80", "\xf0\x90\x80\x80"},
        {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
        // No UTF-8: longer than needed, surrogates, too large, cut off, and bytes alone.
        {"\xc1\xbf", "\\xc1\\xbf"},
        {"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
        {"\xed\xbf\xbf", "\\xed\\xbf\\xbf"},
        {"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf"},
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
        {"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
        {"\xe2\x82", "\\xe2\\x82"},
        {"\xe2\x82x", "\\xe2\\x82x"},
        {"\xf0\x90\x80", "\\xf0\\x90\\x80"},
        {"\xc3", "\\xc3"},
        {"\x80x", "\\x80x"},
    });
    EXPECT_EQ(printable("a\tb\nc", "\t"), "a\tb\\x0ac");
    EXPECT_EQ(findUnprintable("ab\n\t", "\n"), 3u);
}

// Characters that change the direction of a text, and their neighbours.
TEST(Texts, Directions) {
    expectShown(std::vector<Row>{
        {"\xe2\x80\x8d", "\xe2\x80\x8d"},
        {"\xe2\x80\x8e", "\\xe2\\x80\\x8e"},
        {"\xe2\x80\x8f", "\\xe2\\x80\\x8f"},
        {"\xe2\x80\x90", "\xe2\x80\x90"},
        {"\xe2\x80\xa9", "\xe2\x80\xa9"},
        {"\xe2\x80\xaa", "\\xe2\\x80\\xaa"},
        {"\xe2\x80\xae", "\\xe2\\x80\\xae"},
        {"\xe2\x80\xaf", "\xe2\x80\xaf"},
        {"\xe2\x81\xa5", "\xe2\x81\xa5"},
        {"\xe2\x81\xa6", "\\xe2\\x81\\xa6"},
        {"\xe2\x81\xa9", "\\xe2\\x81\\xa9"},
        {"\xe2\x81\xaa", "\xe2\x81\xaa"},
    });
}

// The first 80 bytes, and no part of a character.
TEST(Texts, Shortened) {
    const std::string most(80, 'x'), less(78, 'x');
    struct {
        std::string text, shown;
    } const rows[] = {
        {"", ""},
        {most, most},
        {most + "y", most + "..."},
        {less + "\xc3\xa9", less + "\xc3\xa9"},
        {less + "\xc3\xa9y", less + "\xc3\xa9..."},
        {less + "y\xc3\xa9", less + "y..."},
        {less + "\xe2\x82\xac", less + "..."},
        {less.substr(1) + "\xf0\x90\x80\x80", less.substr(1) + "..."},
        {less.substr(2) + "\xf0\x90\x80\x80y", less.substr(2) + "\xf0\x90\x80\x80..."},
        {"\xe2\x82\xac" + less, "\xe2\x82\xac" + less.substr(0, 77) + "..."},
        {repeated("\xf0\x90\x80\x80", 20), repeated("\xf0\x90\x80\x80", 20)},
        {repeated("\xf0\x90\x80\x80", 21), repeated("\xf0\x90\x80\x80", 20) + "..."},
        // Bytes that are no characters do not make a text longer or shorter than others.
        {repeated("\x80", 81), repeated("\\x80", 80) + "..."},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(shortened(row.text), row.shown);
        EXPECT_EQ(inQuotes(row.text), "'" + row.shown + "'");
    }
}

TEST(Texts, Parts) {
    EXPECT_EQ(trimmed(" \t\r\n\f\va b \t\r\n\f\v"), "a b");
    EXPECT_EQ(trimmed(" \t"), "");
    EXPECT_EQ(trimmed("a"), "a");
    std::string_view text = "a=b==c";
    EXPECT_EQ(takeUntil('=', text), "a");
    EXPECT_EQ(takeUntil('=', text), "b");
    EXPECT_EQ(takeUntil('=', text), "");
    EXPECT_EQ(takeUntil('=', text), "c");
    EXPECT_EQ(text, "");
    EXPECT_EQ(takeUntil('=', text), "");
    EXPECT_EQ(lowerCase("AbZ\xc3\x89"), "abz\xc3\x89");
    EXPECT_EQ(upperCase("aBz_1"), "ABZ_1");
}

}  // namespace
}  // namespace coopvk::layer::text_test
