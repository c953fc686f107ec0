// SPDX-License-Identifier: Apache-2.0
//
// One table of opcodes: who executes an instruction. Each family of instructions has a function
// that returns its rows. SPIRV-Tools knows the operands' shapes.
#pragma once

#include <spirv/unified1/GLSL.std.450.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "coopvk_reference/execute.hpp"
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

// Optional: chooses another handler, or prepares data, once operands and types are resolved.
using Prepare = Status (*)(const Program&, Instruction&);

struct OpcodeRow {
    uint32_t opcode = 0;  // of the core; of an extended set: its number behind that of the set
    Handler handler = nullptr;
    Defined defined = Defined::kHandler;
    Prepare prepare = nullptr;
};
using Rows = std::span<const OpcodeRow>;

// Opcodes of the core have 16 bits.
inline constexpr uint32_t kGlslSet = 1u << 16, kPrintfSet = 2u << 16;

constexpr OpcodeRow row(spv::Op opcode, Handler handler, Defined defined = Defined::kHandler,
                        Prepare prepare = nullptr) {
    return {uint32_t(opcode), handler, defined, prepare};
}
constexpr OpcodeRow row(GLSLstd450 number, Handler handler, Defined defined = Defined::kHandler,
                        Prepare prepare = nullptr) {
    return {kGlslSet + uint32_t(number), handler, defined, prepare};
}
// A row whose result is defined by component.
template <typename Opcode>
constexpr OpcodeRow each(Opcode opcode, Handler handler, Prepare prepare = nullptr) {
    return row(opcode, handler, Defined::kComponentwise, prepare);
}

// Null: not executed by this device.
const OpcodeRow* findRow(spv::Op opcode);
// Of an extended instruction set, by its name.
const OpcodeRow* findRow(std::string_view set, uint32_t number);

// The families, each in a file of its own.
Rows controlRows();     // branches, calls, returns, barriers, and hints that do nothing
Rows compositeRows();   // composites, vectors, copies, selection
Rows integerRows();     // arithmetic, bits and comparisons of integers, booleans
Rows floatRows();       // arithmetic and comparisons of floating-point numbers
Rows conversionRows();  // between numbers, of bits, and numbers packed in words
Rows linearRows();      // vectors and matrices of linear algebra
Rows subgroupRows();    // subgroups: arithmetic, votes, ballots, shuffles
Rows printRows();       // NonSemantic.DebugPrintf

// In memory/.
Rows chainRows();   // access chains and what else computes pointers
Rows accessRows();  // loads, stores and copies, lengths of arrays
Rows atomicRows();

// Cooperative matrices and vectors, in matrices/.
Rows matrixRows();        // products, reductions, conversions of use, calls, arrays
Rows matrixMemoryRows();  // loads and stores
Rows tensorRows();        // tensor layouts and views
Rows vectorRows();        // cooperative vectors, training
Rows blockRows();         // 2D block I/O
// For OpFConvert, OpConvertFToS and so on: a cooperative matrix whose use changes, or that is
// transposed, is converted as a whole.
Status prepareConversion(const Program& program, Instruction& instruction);

}  // namespace coopvk::reference
