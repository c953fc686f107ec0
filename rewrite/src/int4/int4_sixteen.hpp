// SPDX-License-Identifier: Apache-2.0
//
// Vectors of sixteen 4-bit integers in modules whose layouts put some of them at any byte. No
// vector of SPIR-V has eight bytes, so in memory with a layout an array of two u8x4 stands for each
// (Int4Type::laidOut), in the pointers that lead there, and in values of structures and arrays that
// have a layout; everywhere else the two u32 that stand for such vectors elsewhere too.
#pragma once

#include "int4/int4_types.hpp"

namespace coopvk::rewrite {

constexpr uint32_t kParts = 2, kPartBytes = 4;

// Whether a structure or array says where its members lie.
bool hasLayout(const Module& module, Id type);

// Loads, stores and copies of such vectors where there is a layout, and what takes them out of
// values that have one, or puts them in. False if the instruction is none of these.
bool lowerLaidOut(Int4Context& context, Emitter& emit, const Instruction& instruction);

// The vector at operand `at` of the literal indices of an instruction, from operand `first` on,
// that lead to it through `composite`.
Id extractVector(Int4Context& context, Emitter& emit, Id composite, const Instruction& instruction,
                 size_t first, size_t at, Id vectorType);
// A vector as what such indices replace.
Id asMember(Int4Context& context, Emitter& emit, Id vector, Id composite,
            const Instruction& instruction, size_t first, size_t at);

// Constants that have a layout get constituents that have it.
void lowerLaidOutConstant(Int4Context& context, Instruction& constant);

// Structures and arrays with a layout have no place in memory without one.
void checkLaidOut(Int4Context& context);

// In types that have a layout, and pointers to where there is one: what stands for them there.
void renameLaidOut(Int4Context& context);

}  // namespace coopvk::rewrite
