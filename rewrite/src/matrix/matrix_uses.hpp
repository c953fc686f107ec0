// SPDX-License-Identifier: Apache-2.0
//
// The matrix types of a module, and how it uses its matrices (OpTypeCooperativeMatrixKHR), found by
// one walk.
#pragma once

#include <functional>

#include "ir/composites.hpp"
#include "ir/emitter.hpp"
#include "matrix/context.hpp"
#include "matrix/element_flow.hpp"
#include "plan/device_plan.hpp"

namespace coopvk::rewrite {

struct MatrixDimensions {
    uint32_t rows, columns;
    Use use;
    LaneScope scope = LaneScope::kSubgroup;

    bool isOfSubgroup() const { return scope == LaneScope::kSubgroup; }
};

// The constant operands of a matrix type; nullopt where they are not constant, or not valid.
std::optional<MatrixDimensions> matrixDimensions(const Module& module, const Instruction& type);

// Whether test(type) is true for a matrix type of the module.
template <typename Test>
bool anyMatrixType(const Module& module, Test test) {
    return std::ranges::any_of(module.section(Section::kGlobals), [&](const InstructionPtr& i) {
        return i->opcode == OpTypeCooperativeMatrixKHR && test(*i);
    });
}

// The component type of a scalar type. Cooperative Matrix Operands, not the type, say whether
// integers are signed.
ComponentType componentTypeOf(const TypeTable& types, Id scalar, bool isSigned);
// The shape of a multiply-add; nullopt: its operands and their sizes and uses do not fit.
std::optional<MatrixShape> productShape(const TypeTable& types, const Instruction& mulAdd);

// Whether a matrix, or a scalar, is a constant without bits that are set: no zero is negative.
bool isZero(const Module& module, Id value);

// How a matrix whose components are held in `componentBits` bits is distributed.
Fragment makeFragment(const LayoutPolicy& policy, const MatrixDimensions& d,
                      uint32_t componentBits);

// Components of a matrix in an invocation; nullopt where the type's operands are not constant, or
// the component type has no number format.
std::optional<uint32_t> matrixLength(const TypeTable& types, const LayoutPolicy& policy,
                                     Id matrixType);

// Sets count, packWidth, packStep and pack of a type, by its fragment, component and words.
void describePacks(MatrixType& matrix, TypeTable& types);

// The type with the size, use and scope of `from` and components of another format: it is declared
// unless the module has it.
const MatrixType& typeWith(MatrixContext& context, const MatrixType& from, Id format,
                           const Number& number);

// A multiply-add, with the types of its operands.
struct MatrixProduct {
    const Instruction* instruction;
    const Function* function;
    Id a, b, c;
    bool isInLoop;
    bool roundsOnce;  // the module forbids other roundings than that of the result
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
    // Where elements go by their numbers.
    const ElementFlow& elementFlow() const;
    // Types of matrices between which single elements are copied, perhaps changed: to, from.
    const std::set<std::pair<Id, Id>>& elementCopies() const { return elementFlow().copies; }
    // How often values of a type that were not just loaded from memory go to a variable, or meet
    // others where branches meet.
    uint32_t moves(Id type) const;
    // The bits of MatrixFact for a type.
    uint32_t facts(Id type) const {
        return isMatrix(type) ? facts_[type] & ~(kIsMatrix | kReachesMatrix) : 0;
    }

 private:
    void findTypesThatReachMatrices();
    void visit(const Function& function);
    void visit(const Instruction& i);
    void visitOther(const Instruction& i);
    void add(Id type, uint32_t fact);
    void countMove(Id value);
    std::optional<Id> matrixIndexedBy(const Instruction& i) const;
    MatrixAccess accessOf(const Instruction& i, Id type, size_t layout) const;
    MatrixAccess tensorAccessOf(const Instruction& i, Id type) const;
    bool isMatrix(Id type) const { return type < facts_.size() && (facts_[type] & kIsMatrix) != 0; }
    bool reachesMatrix(Id type) const {
        return type < facts_.size() && (facts_[type] & kReachesMatrix) != 0;
    }
    Id typeOf(Id value) const { return module_.def(value).type; }

    // Bits of facts_ beside those of MatrixFact.
    static constexpr uint32_t kIsMatrix = 1u << 31;
    static constexpr uint32_t kReachesMatrix = 1u << 30;  // a matrix is it, or in it, or behind it

    const Module& module_;
    std::vector<uint32_t> facts_, moves_;  // by type
    std::vector<std::pair<Id, MatrixDimensions>> types_;
    std::vector<MatrixProduct> products_;
    std::vector<MatrixAccess> loads_, stores_;
    std::vector<std::pair<Id, Id>> elementPointers_;
    mutable std::optional<ElementFlow> elementFlow_;  // once it is asked for
};

// The types of use A and B between whose elements and those of a matrix of another use and the same
// size the module copies elements, perhaps converted. Matrices of these types are distributed as
// accumulators are, since such programs assume what some drivers do: that copying element i to
// element i converts the use.
std::set<Id> typesLikeAccumulators(const MatrixUses& uses);

// Finds the types of A and B whose values are only loaded, moved and multiplied. An invocation can
// hold such values in a form of its own, for example as words as they lie in memory, until a
// product reads them.

class FactorSurvey {
 public:
    // Which other instructions the module may have, since the form suits them, too.
    struct Form {
        // OpCooperativeMatrixLengthKHR, OpConstantNull and OpUndef: it has as many components.
        bool keepsLength = false;
        bool allowsTensors = false;  // OpCooperativeMatrixLoadTensorNV
    };
    // Considers the matrix types for which `isWanted` is true.
    FactorSurvey(const MatrixUses& uses, const TypeTable& types,
                 const std::function<bool(const Instruction& type)>& isWanted, Form form);

    bool has(Id type) const { return found_.contains(type); }
    const std::set<Id>& found() const { return found_; }
    // Bits of a component of a type in memory.
    uint32_t bitsOf(Id type) const { return types_.width(types_.module().def(type).word(0)); }
    // Drops the types of A and B of each product for which `fit` is false, until it is true for all
    // products whose types are left.
    void dropUnless(const std::function<bool(const MatrixProduct& product)>& fit);

 private:
    const MatrixUses& uses_;
    const TypeTable& types_;
    std::set<Id> found_;
};

}  // namespace coopvk::rewrite
