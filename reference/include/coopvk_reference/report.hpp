// SPDX-License-Identifier: Apache-2.0
//
// What the device noticed while it executed a program.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace coopvk::reference {

// A bit for each check: a set of checks is a sum of them.
enum Check : uint32_t {
    kCheckRaces = 1u << 0,      // conflicting accesses that nothing orders
    kCheckUnwritten = 1u << 1,  // reads of memory that nothing wrote
    kCheckBounds = 1u << 2,     // accesses outside of descriptors, arrays, vectors
    kCheckUndefined = 1u << 3,  // undefined values in memory, branches, addresses
    kCheckDomain = 1u << 4,  // shifts, divisions, conversions outside of their domain are undefined
    kCheckDivergence = 1u << 5,  // barriers, subgroup or cooperative operations that not all reach
    kCheckUniformity = 1u << 6,  // operands that must be the same in all invocations and are not
    kCheckProgram = 1u << 7,     // what the program itself says: assumptions that do not hold
    kAllChecks = (1u << 8) - 1,
};

// "races", "unwritten", ...
const char* checkName(Check check);

struct Report {
    Check check = kCheckBounds;
    std::string message;  // one line: what happened, with the values
    uint32_t opcode = 0;
    uint32_t resultId = 0;    // of the instruction, or 0
    uint32_t word = 0;        // position of the instruction in the module, in words
    std::string instruction;  // its name, its line of source or its call's, its operands' values
    std::array<uint32_t, 3> workgroup = {};
    uint32_t subgroup = 0;  // in the workgroup
    uint32_t lane = 0;      // in the subgroup
};

// Receives reports. Threads of the device call it, never two at once for one execution.
class Reporter {
 public:
    virtual ~Reporter() = default;
    // False: stop the execution, which then gives ErrorCode::kDeviceLost.
    virtual bool report(const Report& report) = 0;
    // A message of NonSemantic.DebugPrintf.
    virtual void print(const std::string& text) = 0;
};

// One line for people: check, message, instruction and place.
std::string describe(const Report& report);

}  // namespace coopvk::reference
