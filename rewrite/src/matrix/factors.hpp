// SPDX-License-Identifier: Apache-2.0
//
// Products of 4- and 8-bit components as dot products of four bytes: which bytes they read.
#pragma once

#include <functional>

#include "ir/emitter.hpp"
#include "matrix/matrix_uses.hpp"
#include "plan/device_plan.hpp"

namespace coopvk::rewrite {

// A component x is read as the byte (x - offset) * 2^shift.
struct ByteReading {
    uint32_t bits = 8;      // of a component: 8, or 4, of which a word has eight
    bool isSigned = false;  // of the byte
    uint32_t shift = 0;
    int32_t offset = 0;

    // A signed byte has a signed 4-bit component in its upper half, where the sign bits coincide;
    // other bytes have the component in their low bits. Where only one of byte and component is
    // signed, the component's highest bit is flipped first: that adds or subtracts 2^(bits - 1).
    ByteReading(uint32_t componentBits, bool componentSigned, bool byteSigned)
        : bits(componentBits), isSigned(byteSigned) {
        const bool fits = componentSigned == byteSigned || (bits == 4 && !componentSigned);
        if (bits == 4 && componentSigned && byteSigned) shift = 4;
        if (!fits) offset = (componentSigned ? -1 : 1) * (1 << (bits - 1));
    }

    // The bytes of a word of components: one word, or for 4-bit components two words, that of the
    // components with even numbers first.
    std::vector<Id> bytes(Emitter& emit, Id word) const;
};

// Finds the types of A and B whose values are only loaded, moved and multiplied. An invocation can
// hold such values in another form until a product reads them.

class FactorSurvey {
 public:
    // What the other form allows.
    struct Form {
        // It has as many components: OpCooperativeMatrixLengthKHR, OpConstantNull and OpUndef.
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

// The types whose components of 4 or 8 bits an invocation holds as words, as they lie in memory,
// until a product reads them. Empty unless products become dot products of four bytes.
std::set<Id> typesInWords(const MatrixUses& uses, const TypeTable& types,
                          const PlannedTarget& target, const LayoutPolicy& policy);

}  // namespace coopvk::rewrite
