// SPDX-License-Identifier: Apache-2.0
//
// Words of a module to a list of instructions with typed operands, by SPIRV-Tools.
#pragma once

#include <string>
#include <vector>

#include "coopvk_reference/execute.hpp"
#include "program/program.hpp"

namespace coopvk::reference {

struct ParsedOperand {
    uint32_t word = 0;
    uint32_t high = 0;  // of a literal of 64 bits
    bool id = false;
};

struct Parsed {
    spv::Op opcode = spv::Op::OpNop;
    uint32_t typeId = 0;
    uint32_t resultId = 0;
    uint32_t word = 0;                    // position in the module
    std::vector<ParsedOperand> operands;  // without result type and result; without strings
    std::string text;                     // the string operand, if there is one
};

// kInvalidModule: with the validator's message.
Result<std::vector<Parsed>> parse(const ProgramRequest& request);

}  // namespace coopvk::reference
