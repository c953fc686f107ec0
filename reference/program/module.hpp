// SPDX-License-Identifier: Apache-2.0
//
// Words of a module to a list of instructions with typed operands, by SPIRV-Tools, and decorations.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
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

// Specialization constants are constants. kInvalidModule: with the validator's message.
Result<std::vector<Parsed>> parse(const ProgramRequest& request);

class Decorations {
 public:
    explicit Decorations(const std::vector<Parsed>& module);
    // The first literal of a decoration (0 if it has none) of an id, or of a member of a struct;
    // nothing if it is not decorated so.
    std::optional<uint32_t> of(uint32_t id, spv::Decoration decoration,
                               uint32_t member = kNone) const;
    bool has(uint32_t id, spv::Decoration decoration) const {
        return of(id, decoration).has_value();
    }

 private:
    void add(const Parsed& instruction, size_t first, uint32_t member);
    void copyGroup(uint32_t group, uint32_t id, uint32_t member);

    std::map<std::tuple<uint32_t, uint32_t, spv::Decoration>, uint32_t> literals_;
};

}  // namespace coopvk::reference
