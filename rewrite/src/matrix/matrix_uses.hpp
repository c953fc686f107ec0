// SPDX-License-Identifier: Apache-2.0
//
// How a module uses its matrices (OpTypeCooperativeMatrixKHR), found by one walk.
#pragma once

#include "ir/composites.hpp"
#include "matrix/matrix_types.hpp"

namespace coopvk::rewrite {

// A multiply-add, with the types of its operands.
struct MatrixProduct {
    const Instruction* instruction;
    const Function* function;
    Id a, b, c;
    bool isInLoop;
};

// A load or a store of a matrix.
struct MatrixAccess {
    const Instruction* instruction;
    Id type;  // of the matrix
    bool isTensor;
    // The elements along this dimension, a row's if it is kColumns, are neighbours in memory;
    // nullopt: it is not known, or there are none.
    std::optional<Dimension> along;
};

// What other instructions and constants do with matrices of a type.
enum MatrixFact : uint32_t {
    kHasZeros = 1 << 0,      // OpConstantNull and module-scope OpUndef
    kHasConstants = 1 << 1,  // other constants
    kIsAddend = 1 << 2,      // operand C of a product
    kHasElements = 1 << 3,   // indices select single components
    kIsConstructed = 1 << 4,
    kAsksLength = 1 << 5,
    kFromTensor = 1 << 6,  // loaded by tensor addresses
    kHasOthers = 1 << 7,   // other than loads, products and moves of values
};

// Valid until instructions are added, removed or changed.
class MatrixUses {
 public:
    explicit MatrixUses(const Module& module);

    // The types with valid dimensions, in order.
    const std::vector<std::pair<Id, MatrixDimensions>>& types() const { return types_; }
    const std::vector<MatrixProduct>& products() const { return products_; }
    const std::vector<MatrixAccess>& loads() const { return loads_; }
    const std::vector<MatrixAccess>& stores() const { return stores_; }
    // Access chains that end at or behind a component, and the types of the matrices.
    const std::vector<std::pair<Id, Id>>& elementPointers() const { return elementPointers_; }
    // Types of matrices between which single elements are copied: to, from.
    const std::set<std::pair<Id, Id>>& elementCopies() const { return elementCopies_; }
    // How often values of a type that were not just loaded from memory go to a variable, or meet
    // others where branches meet.
    uint32_t moves(Id type) const;
    // The bits of MatrixFact for a type.
    uint32_t facts(Id type) const { return isMatrix(type) ? facts_[type] & ~kIsMatrix : 0; }

 private:
    void visit(const Function& function);
    void visit(const Instruction& i);
    void visitOther(const Instruction& i);
    void add(Id type, uint32_t fact);
    void countMove(Id value);
    void copyElement(Id to, Id from);
    Id matrixBehind(Id pointer) const;
    Id matrixOfElement(Id value) const;
    MatrixAccess accessOf(const Instruction& i, Id type, size_t layout) const;
    MatrixAccess tensorAccessOf(const Instruction& i, Id type) const;
    bool isMatrix(Id type) const { return type < facts_.size() && (facts_[type] & kIsMatrix) != 0; }
    Id typeOf(Id value) const { return module_.def(value).type; }

    static constexpr uint32_t kIsMatrix = 1u << 31;

    const Module& module_;
    std::vector<uint32_t> facts_, moves_;  // by type
    std::vector<std::pair<Id, MatrixDimensions>> types_;
    std::vector<MatrixProduct> products_;
    std::vector<MatrixAccess> loads_, stores_;
    std::vector<std::pair<Id, Id>> elementPointers_;
    std::set<std::pair<Id, Id>> elementCopies_;
};

}  // namespace coopvk::rewrite
