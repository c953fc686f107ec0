// SPDX-License-Identifier: Apache-2.0
//
// Which role (A, B or accumulator) each VK_NV_cooperative_matrix value plays. NV types do not say;
// multiply-add does, and the answer spreads along the data flow: values that must have one type
// (copies, phis, variables, parameters, operands of element-wise instructions) form a class with
// one role. A class that multiply-add wants in several roles gets the one that saves most
// conversions; the other uses convert.
#pragma once

#include "matrix/layout.hpp"
#include "unify/matrix_leaves.hpp"

namespace coopvk::rewrite {

using Roles = std::vector<Use>;

class RoleInference {
 public:
    RoleInference(const Module& module, const MatrixLeaves& leaves);

    // The roles of the matrices in a value, leaf by leaf; for a function those of its result.
    // Empty for values without matrices.
    Roles ofValue(Id value) const;
    // The roles in which an instruction wants a constant (or OpUndef), which differ by use.
    Roles ofConstantUse(const Instruction& instruction, size_t operand) const;
    // What the elements of all matrices of this type's size are indexed by.
    Use ofElements(Id matrixType) const;

    static bool isConstant(const Instruction& definition);

 private:
    struct Range {
        uint32_t first = 0;
        uint32_t count = 0;
        Range part(uint32_t offset, uint32_t size) const;
    };
    struct Class {
        uint32_t parent = 0;
        uint32_t wanted[3] = {0, 0, 0};
        bool isResult = false;  // of a multiply-add
        Use role = Use::kAccumulator;
    };
    using Size = std::pair<uint64_t, uint64_t>;

    Range make(Id type);
    Range value(Id id);
    Range operand(const Instruction& instruction, size_t index);
    uint32_t root(uint32_t variable) const;
    void link(uint32_t a, uint32_t b);
    void link(Range a, Range b);
    void want(Range range, Use role, bool isResult = false);
    Roles roles(Range range) const;

    void visit(const Instruction& instruction, Id function);
    void visitChain(const Instruction& chain, size_t firstIndex);
    void visitExtract(const Instruction& extract);
    void visitInsert(const Instruction& insert);
    void visitConstruct(const Instruction& construct);
    void visitCall(const Instruction& call);
    void linkWithAll(const Instruction& instruction);
    // The part of `whole` that a place names; notes accesses to elements.
    Range at(Range whole, const MatrixLeaves::Place& place);
    void linkElementAccesses();
    void decide();
    Size sizeOf(Id matrixType) const;

    const Module& module_;
    const MatrixLeaves& leaves_;
    mutable std::vector<Class> classes_;
    std::map<Id, Range> values_;
    std::map<std::pair<const Instruction*, size_t>, Range> constantUses_;
    std::map<Id, const Function*> functions_;
    std::vector<std::pair<uint32_t, Id>> elementAccesses_;  // variable and matrix type
    std::map<Size, uint32_t> elementClasses_;
};

}  // namespace coopvk::rewrite
