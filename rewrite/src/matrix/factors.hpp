// SPDX-License-Identifier: Apache-2.0
//
// Which types of A and B have values that are loaded, moved and multiplied, and nothing else: such
// values can be held in another form until a product reads them.
#pragma once

#include <functional>

#include "matrix/matrix_types.hpp"

namespace coopvk::rewrite {

class FactorSurvey {
 public:
    // `isWanted` looks at matrix types. `keepsLength`: the other form has as many components, so
    // that the length may be asked for, and constants without a value may be of the type.
    FactorSurvey(const TypeTable& types,
                 const std::function<bool(const Instruction& type)>& isWanted, bool keepsLength);

    bool has(Id type) const { return found_.contains(type); }
    const std::set<Id>& found() const { return found_; }
    // All multiply-adds and loads of the module.
    const std::vector<const Instruction*>& products() const { return products_; }
    const std::vector<const Instruction*>& loads() const { return loads_; }
    // Bits of a component in memory.
    uint32_t bitsOf(Id type) const { return types_.width(module_.def(type).word(0)); }
    // Drops both factors of each product for which `fit` is false of their types, until all fit.
    void dropUnless(const std::function<bool(const Instruction& product, Id a, Id b)>& fit);

 private:
    void visit(const Instruction& instruction);
    void visitOther(const Instruction& instruction);
    void dropIndexed(Id type, const Instruction& instruction, size_t first);

    const Module& module_;
    const TypeTable& types_;
    const bool keepsLength_;
    std::set<Id> found_;
    std::vector<const Instruction*> products_;
    std::vector<const Instruction*> loads_;
};

// The types whose components stay together in words, as they lie in memory, until a product reads
// them: those of 4 and 8 bits, where products are to be dot products of four bytes.
std::set<Id> typesInWords(const TypeTable& types, const Target& target, const LayoutPolicy& policy);

}  // namespace coopvk::rewrite
