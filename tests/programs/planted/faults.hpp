// SPDX-License-Identifier: Apache-2.0
//
// Faults that are planted in what coopvk makes of a program, as edits of its text.
#pragma once

#include <span>
#include <string>
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

struct Fault {
    const char* name;
    // One of the places in which any of them is possible.
    std::vector<Edit> edits;
    // So many programs with such a place are enough to find it.
    uint32_t within;
};

std::span<const Fault> faults();
// Faults of what long vectors become.
std::span<const Fault> longVectorFaults();

// Plants the fault in one place; false if there is none for it.
bool plant(const Fault& fault, std::string& text, check::Random& random);

}  // namespace coopvk::programs
