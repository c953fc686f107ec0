// SPDX-License-Identifier: Apache-2.0
//
// Reads the assembly text that drivers give of their compilers' output, and counts what its hottest
// loop does.
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

// What instructions whose names begin so are.
struct Row {
    std::string_view prefix;
    Kind kind = Kind::kOther;
    uint32_t multiplyAdds = 0;  // of each lane
};

struct Dialect {
    std::string_view representation;  // the driver's name for the text
    Code (*read)(std::string_view text);
    std::span<const Row>
        rows;  // the first that fits counts; what none fits is no vector instruction
};

// nullptr for a text that is no assembly.
const Dialect* dialectOf(std::string_view representation);

struct Counts {
    uint64_t vector = 0;  // instructions that each lane computes something with
    uint64_t multiplyAddInstructions = 0;
    uint64_t multiplyAdds = 0;  // of each lane
    uint64_t conversions = 0;

    // Share of the vector instructions that multiply and add, in percent.
    double useful() const;
    double perInstruction() const;  // multiply-adds a vector instruction
};

struct HotCode {
    bool isLoop = false;  // else there is none that multiplies, and all code was counted
    Counts counts;
};

// Of the loops that contain no other one with more than an eighth of their multiply-adds, the one
// with most of these.
HotCode countHotCode(const Code& code, std::span<const Row> rows);

}  // namespace coopvk::fleet
