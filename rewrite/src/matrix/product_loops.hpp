// SPDX-License-Identifier: Apache-2.0
//
// How many matrices types and variables have, which products are twice in the code, and which loops
// around products must stay loops.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "ir/types.hpp"
#include "plan/device_plan.hpp"

namespace coopvk::rewrite {

// How many matrices values of a type have; of a pointer type, values of the type pointed to. Visits
// each type once, since structures of malicious modules may contain themselves.
class MatrixCounts {
 public:
    explicit MatrixCounts(const Module& module) : module_(module) {}

    // Counts matrices of the type `matrix`; nullopt: of any type.
    uint64_t in(Id type, std::optional<Id> matrix = {}) {
        const Instruction& i = module_.def(type);
        return held(i.opcode == OpTypePointer ? i.word(1) : type, matrix, 0);
    }

    // The most matrices of a type that a variable of a function has.
    uint64_t maxKept(const Function& function, Id matrix) {
        const auto [entry, isNew] = kept_.try_emplace({&function, matrix}, 0);
        for (const InstructionPtr& i : function.blocks.front()->body) {
            if (!isNew) break;
            if (i->opcode != OpVariable) continue;
            entry->second = std::max(entry->second, in(i->type, matrix));
        }
        return entry->second;
    }

 private:
    // Universal limit of structures (SPIR-V specification, section 2.17).
    static constexpr uint32_t kMaxDepth = 255;
    static constexpr uint64_t kMaxCount = 0xFFFF;

    uint64_t held(Id type, std::optional<Id> matrix, uint32_t depth) {
        const auto [entry, isNew] = known_.try_emplace({type, matrix}, 0);
        if (isNew && depth < kMaxDepth)
            entry->second = std::min(count(type, matrix, depth), kMaxCount);
        return entry->second;
    }

    // Follows no pointers: they may lead back to the type, and pointers in memory never point to a
    // matrix.
    uint64_t count(Id type, std::optional<Id> matrix, uint32_t depth) {
        const Instruction& i = module_.def(type);
        switch (i.opcode) {
            case OpTypeCooperativeMatrixKHR:
                return !matrix || *matrix == type ? 1 : 0;
            case OpTypeArray:
                return held(i.word(0), matrix, depth + 1) *
                       std::clamp<uint64_t>(module_.constantValue(i.word(1)).value_or(1), 1,
                                            kMaxCount);
            case OpTypeStruct: {
                uint64_t sum = 0;
                for (const Operand& o : i.operands) sum += held(o.word, matrix, depth + 1);
                return sum;
            }
            default:
                return 0;
        }
    }

    const Module& module_;
    std::map<std::pair<Id, std::optional<Id>>, uint64_t> known_;
    std::map<std::pair<const Function*, Id>, uint64_t> kept_;
};

// Products that the code has twice. Each becomes long code.

// Puts one loop in place of two that follow each other and whose bodies do the same, if these
// multiply matrices: lowering makes long code of a body. The first one may be two nested loops, of
// which the outer one only counts. Returns how many pairs it joined.
//
//   before:  for (i < n) { for (j < 4) body }
//            for (k < end) body
//   after:   for (first = true; (first = first && (j != 0 || i < n)) || k < end;) {
//                body; j = j + 1; if (j == 4) { j = 0; i = i + 1 } }
//
// The conditions are those of both loops, with the same values; an outer loop around an inner one
// that never runs is left out. The second loop's condition may be evaluated more often. No subgroup
// may diverge where matrices are multiplied, so it does not matter that subgroups do not reconverge
// between the loops. `withDecoding`: also loops whose loads decode elements.
size_t joinEqualLoops(TypeTable& types, bool withDecoding);

// Moves the end of both branches of a selection behind them, if it is the same but for values that
// phis join, and multiplies matrices. Returns how many selections had one.
//
//   before:  if (c) { a = load(x); s = a * b + s } else { a2 = load(y); s = a2 * b + s }
//   after:   if (c) { a = load(x) } else { a2 = load(y) }  s = phi(a, a2) * b + s
size_t joinCommonTails(TypeTable& types);

// Both, as the target's plan says, once what nothing reads is dropped. `native`: factors are arrays
// of the driver's matrices, where each load has its own product (tensor/load_order.hpp). Adds what
// it did to the notes.
void joinProducts(TypeTable& types, const PlannedTarget& target, bool native,
                  std::vector<std::string>& notes);

// Loop controls of loops around matrix products.

// Components of accumulators up to which an invocation may have them in registers: two f16 in each
// of 512, the most registers of an invocation on any GPU (AMD's CDNA).
inline constexpr uint64_t kMaxInRegisters = 1024;

// Sets DontUnroll on loops of more than `maxUnrolled` multiplications of components in an
// invocation and iteration. A multiply-add becomes a hundred instructions or more. Many shaders
// request that loops around them are unrolled; then they exceed the instruction cache, and take
// long to compile. Loops stay unchanged that pick matrices out of arrays by their counter, if the
// accumulators fit registers once the loop is unrolled.
void keepProductLoopsRolled(Module& module, uint32_t subgroupSize, uint64_t maxUnrolled);

}  // namespace coopvk::rewrite
