// SPDX-License-Identifier: Apache-2.0
//
// The table of ir/component_kinds.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

enum class ComponentKind : uint8_t { kInteger, kUnsigned, kFloat, kNumber, kBool };

// Whose types the operands must have.
enum class Like : uint8_t {
    kResult,     // that of the result, but for the signs of integers
    kEachOther,  // that of the first one
    kAny,        // some are scalars, or have another width
};

// What an instruction takes and gives.
struct KindRow {
    ComponentKind result = ComponentKind::kNumber, operands = ComponentKind::kNumber;
    Like like = Like::kAny;
    uint32_t mostBits = 64;
    size_t firstOperand = 0;
    uint32_t leastBits = 0;
};

// nullptr: the instruction is not known.
const KindRow* kindRow(const Module& module, const Instruction& instruction);
// Whether it may be known, by its opcode alone.
bool mayHaveKindRow(spv::Op opcode);

}  // namespace coopvk::rewrite
