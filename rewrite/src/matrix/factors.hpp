// SPDX-License-Identifier: Apache-2.0
//
// Finds the types of A and B whose values are only loaded, moved and multiplied. An invocation can
// hold such values in another form until a product reads them.
#pragma once

#include <functional>

#include "matrix/matrix_types.hpp"

namespace coopvk::rewrite {

class FactorSurvey {
 public:
    // What the other form allows.
    struct Form {
        // It has as many components: OpCooperativeMatrixLengthKHR, OpConstantNull and OpUndef.
        bool keepsLength = false;
        bool allowsTensors = false;  // OpCooperativeMatrixLoadTensorNV
    };
    // Considers the matrix types for which `isWanted` is true.
    FactorSurvey(const TypeTable& types,
                 const std::function<bool(const Instruction& type)>& isWanted, Form form);

    bool has(Id type) const { return found_.contains(type); }
    const std::set<Id>& found() const { return found_; }
    // All multiply-adds and loads of the module; with Form::allowsTensors also those of tensors.
    const std::vector<const Instruction*>& products() const { return products_; }
    const std::vector<const Instruction*>& loads() const { return loads_; }
    // Bits of a component of a type in memory.
    uint32_t bitsOf(Id type) const { return types_.width(module_.def(type).word(0)); }
    // Drops the types of A and B of each product for which `fit` is false, until it is true for all
    // products whose types are left.
    void dropUnless(const std::function<bool(const Instruction& product, Id a, Id b)>& fit);

 private:
    void visit(const Instruction& instruction);
    void visitOther(const Instruction& instruction);
    void dropIndexed(Id type, const Instruction& instruction, size_t first);

    const Module& module_;
    const TypeTable& types_;
    const Form form_;
    std::set<Id> found_;
    std::vector<const Instruction*> products_;
    std::vector<const Instruction*> loads_;
};

// The types whose components of 4 or 8 bits an invocation holds as words, as they lie in memory,
// until a product reads them. Empty unless products become dot products of four bytes.
std::set<Id> typesInWords(const TypeTable& types, const Target& target, const LayoutPolicy& policy);

}  // namespace coopvk::rewrite
