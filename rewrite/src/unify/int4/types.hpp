// SPDX-License-Identifier: Apache-2.0
//
// The 4-bit types of a module (SPV_INTEL_int4) and the types that replace them.
//
//   scalar          an 8-bit integer of the same signedness, which holds the 4-bit value
//   vector of 2     one u8: component i in bits 4i to 4i + 3
//   vector of 3, 4  one u16
//   vector of 8     one u32
//   vector of 16    two u32
//
// So a vector has the size in memory that the specification says, and strides and offsets stay. If
// a module has vectors of 4 or 8 that are not aligned to their size, or stores single components of
// them to memory that other invocations may write, two or four u8 replace all vectors of this
// count. Vector16Memory is for vectors of 16 that are not aligned to four bytes. The 4-bit types
// are replaced last, except in matrix types, where they tell how components lie in memory
// (number.hpp).
#pragma once

#include "lowering/context.hpp"
#include "lowering/memory_types.hpp"

namespace coopvk::rewrite {

struct Int4Type {
    Id id = 0;
    bool isSigned = false;
    uint32_t components = 1;
    Id replacement = 0;
    uint32_t bytes = 0;  // of the replacement if it is a vector of bytes; else 0
    Id laidOut = 0;      // the type in memory with a layout, if that is not the replacement

    bool isByteWise() const { return bytes != 0; }
    uint32_t words() const { return components > 8 ? 2 : 1; }
};

// A pointer to a component of a vector.
struct ComponentPointer {
    Id vector = 0;  // pointer to the vector
    Id index = 0;
    Id type = 0;  // of the vector
};

struct Int4Context : LoweringContext {
    using LoweringContext::LoweringContext;

    std::map<Id, Int4Type> int4;  // scalars and vectors, by type id
    std::map<Id, ComponentPointer> componentPointers;
    bool workgroupHasLayout = false;  // Workgroup variables are blocks

    const Int4Type* type(Id id) const {
        const auto found = int4.find(id);
        return found == int4.end() ? nullptr : &found->second;
    }
    const Int4Type* vector(Id id) const {
        const Int4Type* found = type(id);
        return found != nullptr && found->components > 1 ? found : nullptr;
    }
    const Int4Type* typeOf(Id value) const { return type(module.def(value).type); }
    // Whether a type is a matrix of 4-bit components.
    bool isMatrix(Id id) const {
        const Instruction& def = module.def(id);
        return def.opcode == OpTypeCooperativeMatrixKHR && type(def.word(0)) != nullptr;
    }

    // Refuses instructions that may not take 4-bit integers, or pointers to components.
    void checkKept(const Instruction& instruction) override;

    bool isLaidOut(spv::StorageClass storage) const {
        return !isPrivate(storage) &&
               (storage != spv::StorageClass::Workgroup || workgroupHasLayout);
    }
};

// The pass: turns 4-bit integers into wider ones, which later passes expect.
// Specialization constants must be frozen. Only component types of cooperative matrices remain
// 4-bit integers: they tell how components lie in memory. The capability Int4CooperativeMatrixINTEL
// remains with them. Values of such components are 8-bit integers of the same signedness.
//
//   %x = OpLoad %s4x8 %p                   %x = OpLoad %u32 %p
//   %e = OpCompositeExtract %s4 %x 3       %b = OpBitFieldSExtract %u32 %x %c12 %c4
//                                          %e = OpSConvert %s8 %b
std::optional<Error> unifyInt4(Int4Context& context);

// Converts between 4-bit scalars or vectors, in the types that replace them, and their components
// as 32-bit integers.

class Int4Values {
 public:
    Int4Values(Int4Context& context, Emitter& emit) : context_(context), emit_(emit) {}

    // The components of a value as u32, sign or zero extended from four bits.
    std::vector<Id> components(Id value, const Int4Type& type, bool isSigned);
    // One of them; `index` is an integer of any type.
    Id component(Id value, const Int4Type& type, Id index, bool isSigned);
    // The value with one component replaced by the low four bits of a u32.
    Id withComponent(Id value, const Int4Type& type, Id index, Id component);
    // Makes a value of the low four bits of u32 components. Defines `result`, or a new id.
    Id make(const Int4Type& type, std::span<const Id> components, std::optional<Id> result = {});
    // The same for a scalar type, by its id.
    Id scalar(Id type, bool isSigned, Id component, std::optional<Id> result = {});

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
    Id fromWords(const Int4Type& type, std::span<const Id> words, std::optional<Id> result = {});
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
