// SPDX-License-Identifier: Apache-2.0
//
// Faults that are planted in what coopvk makes of a program, as edits of its text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numbers.hpp"

namespace coopvk::programs {

// One line of those that match becomes another text. Both are regular expressions as in
// std::regex_replace; the pattern has the name of an instruction.
struct Edit {
    const char* pattern;
    const char* replacement;
    // Lines that are put behind the type of 32-bit integers.
    const char* declarations = "";
};

// A text with the fault, for each place that it has.
using EditText = std::vector<std::string> (*)(const std::string& text);

struct Fault {
    std::string_view kind;  // "wrong lane"
    const char* name;
    // In one of the places in which any of them is possible.
    std::vector<Edit> edits;
    // Or what takes more than a line.
    EditText editText = nullptr;
};

std::span<const Fault> faults();

// A conversion of a float to fewer bits, and back: the number stays as it was.
std::vector<std::string> withoutRoundings(const std::string& text);
// A store that comes behind the next load from its place, in its block.
std::vector<std::string> withLateStores(const std::string& text);
// A load whose result is that of an earlier one from the same place, in its block, although
// something was stored between them.
std::vector<std::string> withEarlierLoads(const std::string& text);

// Plants the fault in one place; empty if there is none for it.
std::string plant(const Fault& fault, const std::string& text, check::Random& random);

}  // namespace coopvk::programs
