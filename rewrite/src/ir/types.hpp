// SPDX-License-Identifier: Apache-2.0
//
// Declares types and constants on demand, each once. Non-aggregate types must be unique in a module
// (SPIR-V specification, section 2.8): those that the module has are reused. Its aggregates are
// not, since they may have layout decorations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

#include "ir/instruction.hpp"
#include "ir/module.hpp"

namespace coopvk::rewrite {

class TypeTable {
 public:
    explicit TypeTable(Module& module);

    Id voidType() { return unique(OpTypeVoid, {}); }
    Id boolType() { return unique(OpTypeBool, {}); }
    Id intType(uint32_t width, bool isSigned);
    Id uint32() { return intType(32, false); }
    Id floatType(uint32_t width);
    // The scalar type itself if `components` is 1.
    Id vectorType(Id component, uint32_t components);
    Id arrayType(Id element, uint32_t length);
    Id structType(std::span<const Id> members);  // without a layout
    Id pointerType(spv::StorageClass storage, Id pointee);
    // OpTypeCooperativeMatrixKHR.
    Id matrixType(Operands operands);
    // A type of its own, also where the module has an equal one.
    Id newType(spv::Op opcode, Operands operands);
    Id columnsType(Id column, uint32_t columns);  // OpTypeMatrix
    Id functionType(Id result, std::span<const Id> parameters);

    // Constants. `bits` are the low bits of an integer or floating-point value.
    Id constant(Id scalarType, uint64_t bits);
    Id constantU32(uint32_t value) { return constant(uint32(), value); }
    Id constantFloat(Id floatType, double value);
    Id constantBool(bool value);
    Id constantNull(Id type) { return unique(OpConstantNull, {}, type); }
    // All components equal; the scalar itself if the type is not a vector.
    Id constantSplat(Id type, Id scalar);
    Id constantComposite(Id type, std::span<const Id> constituents);

    // Facts about any scalar or vector type.
    bool isFloat(Id type) const;
    // Whether components are binary16 numbers of IEEE 754, on which arithmetic is possible.
    bool isHalf(Id type) const { return isFloat(type) && width(type) == 16 && !encoding(type); }
    bool isInteger(Id type) const;
    bool isSigned(Id type) const;
    // FP Encoding of a float type; nullopt for IEEE 754.
    std::optional<spv::FPEncoding> encoding(Id type) const;
    uint32_t width(Id type) const;       // bits of a scalar or of a vector's component; else 0
    uint32_t components(Id type) const;  // 1 for scalars, 0 for other types but vectors
    Id scalarOf(Id type) const;          // component type of a vector, else the type itself

    // The opcode that converts numbers to others: scalars, components of vectors or matrices.
    // Integers are extended as their own types say; the result of OpUConvert is unsigned.
    spv::Op conversion(Id from, Id to) const;

    // Why a type cannot be the component type of an emulated matrix or vector; empty if it can.
    std::string_view componentProblem(Id type) const;
    // Declares the capability that arithmetic with components of a type needs.
    void declareArithmetic(Id component);

    // Reads the module's types again, after ids were renamed or removed.
    void rescan();

    Module& module() { return module_; }
    const Module& module() const { return module_; }

 private:
    // What makes a type or a constant the same as another one. Passes may change the instruction.
    struct Key {
        spv::Op opcode;
        Id type;
        std::span<const Operand> operands;
    };
    struct Known {
        spv::Op opcode;
        Id type;
        Operands operands;

        operator Key() const { return {opcode, type, operands}; }
    };
    struct Hash {
        using is_transparent = void;
        size_t operator()(const Key& key) const;
    };
    struct Same {
        using is_transparent = void;
        bool operator()(const Key& a, const Key& b) const;
    };
    Id unique(spv::Op opcode, std::span<const Operand> operands, Id type = 0);
    Id unique(spv::Op opcode, std::initializer_list<Operand> operands, Id type = 0) {
        return unique(opcode, std::span(operands.begin(), operands.size()), type);
    }

    Module& module_;
    std::unordered_map<Known, Id, Hash, Same> known_;
};

// A new variable of the module, without an initializer.
Id globalVariable(TypeTable& types, spv::StorageClass storage, Id contents, std::string_view name);

// Replaces types by others throughout a module.

using TypeReplacements = std::map<Id, Id>;  // old type -> new type

// Puts the new types into all instructions and removes the old ones. Function types that become
// equal by this become one, since non-aggregate types must not be declared twice. Operands of an
// instruction for which keeps() is true stay, and so do the types that they name.
void replaceTypes(TypeTable& types, const TypeReplacements& replacements,
                  bool (*keeps)(const Instruction& instruction) = nullptr);

// Evaluates operations on constant integers and booleans.

// An integer, or a boolean, whose width is 1. Bits above the width are undefined.
struct Scalar {
    uint64_t bits = 0;
    uint32_t width = 32;

    int64_t asSigned() const;
    uint64_t asUnsigned() const { return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1); }
};

// The low bits of the result; nullopt if the opcode is not supported or `b` is missing. Results
// that SPIR-V leaves undefined (division by zero, shifts by the width or more) are 0.
std::optional<uint64_t> evaluate(spv::Op opcode, Scalar a, std::optional<Scalar> b = {});

// A value rounded to nearest even as the bits of an IEEE 754 binary16 number.
uint16_t float16Bits(double value);

// How many bytes values of a type take in memory.

enum class MemoryLayout {
    // By offsets and strides. Structures have the scalar alignment if a member's offset needs it,
    // else the base alignment. A runtime array counts as one element.
    kExplicit,
    // Without offsets and strides, about as drivers lay out shared memory.
    kShared,
    // That of OpenCL C (specification of OpenCL C, section 6.3.5, "Alignment of Types"), where
    // types have no offsets and strides. Scalars and vectors are aligned to their size; a vector
    // of three components has the size of four. Members of a structure start at the next multiple
    // of their alignment, or without gaps if it is CPacked.
    kOpenCl,
};

// More than any device has; sums of such sizes do not overflow.
inline constexpr uint64_t kTooManyBytes = uint64_t{1} << 32;

struct TypeSize {
    uint64_t bytes = 0;  // at most kTooManyBytes
    uint32_t alignment = 1;
    uint32_t scalarAlignment = 1;  // the size of the widest scalar
};

// Computes the size of each type once: nested structures can multiply to any size.
class TypeSizes {
 public:
    TypeSizes(const Module& module, MemoryLayout layout) : module_(module), layout_(layout) {}

    // 0 bytes if the layout does not tell; in shared memory kTooManyBytes.
    TypeSize of(Id type);
    // The offset of a structure's member; the member before it ends at `end`. nullopt: it has no
    // explicit layout.
    std::optional<uint64_t> memberStart(const Instruction& type, uint32_t member, uint64_t end);

 private:
    TypeSize known(Id type) const;
    TypeSize measure(const Instruction& type);
    TypeSize ofScalar(uint32_t bytes) const;
    TypeSize ofVector(const Instruction& type) const;
    TypeSize ofMatrix(Id column, uint64_t stride, uint64_t lines) const;
    TypeSize ofArray(const Instruction& type) const;
    TypeSize ofMember(const Instruction& structure, uint32_t member) const;
    TypeSize ofStructure(const Instruction& type);

    const Module& module_;
    const MemoryLayout layout_;
    std::unordered_map<Id, TypeSize> known_;
};

// The bytes of a scalar or vector; 0 for other types.
uint32_t bytesOf(const TypeTable& types, Id type);
// The size in bytes, rounded up to the type's alignment; 0 if it has no explicit layout.
uint32_t sizeOfType(const TypeTable& types, Id type);

}  // namespace coopvk::rewrite
