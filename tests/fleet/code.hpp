// SPDX-License-Identifier: Apache-2.0
//
// Reads the assembly text that drivers give for their compilers' output, and counts the
// instructions of its hottest loop.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coopvk::fleet {

struct Instruction {
    std::string name;    // the mnemonic
    uint32_t times = 1;  // that hardware repeats it
    bool issued = true;  // false: goes along with the one before (a pair that is issued at once)
    std::string target;  // the label that it may jump to; empty for most
};

struct Code {
    std::vector<Instruction> instructions;
    std::map<std::string, size_t, std::less<>> labels;  // with the index of what follows
};

enum class Kind { kMultiplyAdd, kConversion, kOther, kNotVector };

// The kind of instructions whose names begin with this text.
struct Row {
    std::string_view prefix;
    Kind kind = Kind::kOther;
    uint32_t multiplyAdds = 0;  // of each lane
};

struct Dialect {
    std::string_view representation;  // the driver's name for the text
    Code (*read)(std::string_view text);
    std::span<const Row>
        rows;  // the first that matches counts; if none matches, it is no vector instruction
};

// nullptr if the text is no assembly.
const Dialect* dialectOf(std::string_view representation);

struct Counts {
    uint64_t vector = 0;  // instructions that compute something for each lane
    uint64_t multiplyAddInstructions = 0;
    uint64_t multiplyAdds = 0;  // of each lane
    uint64_t conversions = 0;

    // Share of the vector instructions that multiply and add, in percent.
    double useful() const;
    double perInstruction() const;  // multiply-adds a vector instruction
};

struct HotCode {
    bool isLoop = false;  // if false, no loop multiplies, and all code was counted
    Counts counts;
};

// The loop with most multiply-adds, among those that contain no other loop with more than an eighth
// of their multiply-adds.
HotCode countHotCode(const Code& code, std::span<const Row> rows);

// Without spaces, tabs and carriage returns at its ends.
std::string_view trim(std::string_view text);

}  // namespace coopvk::fleet
