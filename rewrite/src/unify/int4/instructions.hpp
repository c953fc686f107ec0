// SPDX-License-Identifier: Apache-2.0
//
// Converts between 4-bit scalars or vectors, in the types that replace them, and their components
// as 32-bit integers.
#pragma once

#include "lowering/function_writer.hpp"
#include "lowering/memory_types.hpp"
#include "unify/int4/types.hpp"

namespace coopvk::rewrite {

class Int4Values {
 public:
    Int4Values(Int4Context& context, Emitter& emit) : context_(context), emit_(emit) {}

    // The components of a value as u32, sign or zero extended from four bits.
    std::vector<Id> components(Id value, const Int4Type& type, bool isSigned);
    // One of them; `index` is an integer of any type.
    Id component(Id value, const Int4Type& type, Id index, bool isSigned);
    // The value with one component replaced by the low four bits of a u32.
    Id withComponent(Id value, const Int4Type& type, Id index, Id component);
    // Makes a value of the low four bits of u32 components. Defines `result` (0: a new id).
    Id make(const Int4Type& type, std::span<const Id> components, Id result = 0);
    // The same for a scalar type, by its id.
    Id scalar(Id type, bool isSigned, Id component, Id result = 0);

    // An index into a vector of the type, as a u32 and reduced to valid values.
    Id within(const Int4Type& type, Id index);
    // Four bits of a u32 from bit `shift` on, sign or zero extended.
    Id bits(Id word, Id shift, bool isSigned);

 private:
    struct Position {
        Id word;   // u32: which word
        Id shift;  // u32: the lowest bit in it
    };
    Position position(const Int4Type& type, Id index);
    std::vector<Id> words(Id value, const Int4Type& type);
    Id fromWords(const Int4Type& type, std::span<const Id> words, Id result);
    Id wordAt(std::span<const Id> words, Id which);

    Int4Context& context_;
    Emitter& emit_;
};

// Vectors of sixteen 4-bit integers in modules that have some at any byte address. In memory with a
// layout each is an array of two u8x4 (Int4Type::laidOut), since vectors have at most four bytes;
// elsewhere it is two u32.

class Vector16Memory final : public MemoryTypes {
 public:
    explicit Vector16Memory(Int4Context& context);

    // Refuse what such arrays do not allow: types with a layout in memory without one, and loads
    // and stores of matrices.
    void checkPointers();
    void checkMatrix(const Instruction& access);

 private:
    bool isPointer(Id type) const override;
    Id scalarInMemory(Id type) const override;
    Id convertScalar(Emitter& emit, Id value, Id type) const override;

    Int4Context& int4_;
    const bool any_;
};

// Lowers instructions on 4-bit integers.

struct Int4Function : FunctionLowering<Int4Context> {
    Int4Function(Int4Context& theContext, Vector16Memory& theMemory, Function& function)
        : FunctionLowering(theContext, function),
          memory(theMemory),
          values(theContext, writer.emit()) {}

    Vector16Memory& memory;
    Int4Values values;
};

// Loads, stores and copies, also of single components, and access chains.
void addInt4Accesses(OpcodeTable<Int4Function>& table);

// Composite instructions on vectors.
void addInt4Composites(OpcodeTable<Int4Function>& table);

// Conversions and bitcasts.
void addInt4Conversions(OpcodeTable<Int4Function>& table);

// Changes a constant of 4-bit scalar or vector type in place; other constants stay unchanged.
void lowerInt4Constant(Int4Context& context, Instruction& constant);

}  // namespace coopvk::rewrite
