// SPDX-License-Identifier: Apache-2.0
//
// Types and constants on demand, each declared once. Non-aggregate types must be unique in a module
// (SPIR-V specification, section 2.8), so what the module already has is reused; aggregates are
// only shared among those made here, since those of the module may carry layout decorations.
#pragma once

#include <map>

#include "ir/module.hpp"

namespace coopvk::rewrite {

class TypeTable {
 public:
    explicit TypeTable(Module& module);

    Id voidType() { return unique(spv::Op::OpTypeVoid, {}); }
    Id boolType() { return unique(spv::Op::OpTypeBool, {}); }
    Id intType(uint32_t width, bool isSigned);
    Id uint32() { return intType(32, false); }
    Id floatType(uint32_t width);
    // A scalar where components is 1.
    Id vectorType(Id component, uint32_t components);
    Id arrayType(Id element, uint32_t length);
    Id structType(std::span<const Id> members);  // without a layout
    Id pointerType(spv::StorageClass storage, Id pointee);
    // OpTypeCooperativeMatrixKHR.
    Id matrixType(Operands operands);
    Id functionType(Id result, std::span<const Id> parameters);

    // Constants. Integer and floating-point values are given by their low bits.
    Id constant(Id scalarType, uint64_t bits);
    Id constantU32(uint32_t value) { return constant(uint32(), value); }
    Id constantFloat(Id floatType, double value);
    Id constantBool(bool value);
    Id constantNull(Id type) { return unique(spv::Op::OpConstantNull, {}, type); }
    // All components the same; the scalar itself where the type is no vector.
    Id constantSplat(Id type, Id scalar);
    Id constantComposite(Id type, std::span<const Id> constituents);

    // Facts about types of any origin.
    bool isFloat(Id type) const;    // scalar or vector of
    bool isInteger(Id type) const;  // scalar or vector of
    bool isSigned(Id type) const;
    std::optional<spv::FPEncoding> encoding(
        Id type) const;                  // of floats that are not as IEEE 754 has them
    uint32_t width(Id type) const;       // bits of a scalar or of a vector's component
    uint32_t components(Id type) const;  // 1 for scalars, 0 for anything but scalars and vectors
    Id scalarOf(Id type) const;          // component type of a vector, else the type

    // What keeps a type from being emulated as a component of matrices and vectors, or nothing.
    std::string_view componentProblem(Id type) const;
    // Declares the capability that arithmetic with components of a type needs.
    void declareArithmetic(Id component);

    // After ids were renamed or taken away: forgets them.
    void rescan();

    Module& module() { return module_; }
    const Module& module() const { return module_; }

 private:
    using Key = std::pair<std::pair<spv::Op, Id>, std::vector<uint32_t>>;
    Id unique(spv::Op opcode, Operands operands, Id type = 0);

    Module& module_;
    std::map<Key, Id> known_;
};

// A new variable of the module, without an initializer.
Id globalVariable(TypeTable& types, spv::StorageClass storage, Id contents, std::string_view name);

// IEEE 754 binary16 bits of a value, rounded to nearest even.
uint16_t float16Bits(double value);

}  // namespace coopvk::rewrite
