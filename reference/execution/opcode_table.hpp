// SPDX-License-Identifier: Apache-2.0
//
// One table of opcodes: who executes an instruction. Each family of instructions has a function
// that returns its rows; opcode_table.cpp lists the families. SPIRV-Tools knows the operands'
// shapes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "coopvk_reference/result.hpp"
#include "program/program.hpp"

namespace coopvk::reference {

// In which lanes and components a result is defined.
enum class Defined : uint8_t {
    kHandler,        // the handler says so
    kComponentwise,  // component i: where component i of all operands with a value is; an operand
                     // of one component counts for all
    kAll,            // where all components of all operands are
    kAlways,
};

struct OpcodeRow {
    uint32_t opcode = 0;  // of the core, or of the extended set
    Handler handler = nullptr;
    Defined defined = Defined::kHandler;
    // Optional: chooses another handler, or prepares data, once operands and types are resolved.
    Status (*prepare)(const Program&, Instruction&) = nullptr;
};
using Rows = std::span<const OpcodeRow>;

constexpr OpcodeRow row(spv::Op opcode, Handler handler, Defined defined = Defined::kHandler,
                        Status (*prepare)(const Program&, Instruction&) = nullptr) {
    return {static_cast<uint32_t>(opcode), handler, defined, prepare};
}

// Null: not executed by this device.
const OpcodeRow* findRow(spv::Op opcode);
// Of an extended instruction set, by its name.
const OpcodeRow* findRow(std::string_view set, uint32_t number);

}  // namespace coopvk::reference
