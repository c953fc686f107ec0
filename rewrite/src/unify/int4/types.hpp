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
// A vector so takes the bytes that the text gives it in memory, and strides and offsets stay as
// they are. Where a module puts vectors of 4 or 8 elsewhere than at multiples of their size, or
// stores single components of them to memory that others may write to, two or four u8 replace them
// in the whole module; for those of 16 where they are elsewhere than at multiples of four bytes,
// see sixteen.hpp. The old types stay in place until the end and are then renamed everywhere but in
// matrix types: see number.hpp for how 4-bit components lie in memory.
#pragma once

#include <algorithm>

#include "ir/opcodes.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

struct Int4Type {
    Id id = 0;
    bool isSigned = false;
    uint32_t components = 1;
    Id replacement = 0;
    uint32_t bytes = 0;  // where that is a vector of bytes: of how many
    Id laidOut = 0;      // the type in memory with a layout, where that is another one

    bool isByteWise() const { return bytes != 0; }
    uint32_t words() const { return components > 8 ? 2 : 1; }
};

// A pointer to a component of a vector: the vector's, and which one.
struct ComponentPointer {
    Id vector = 0;
    Id index = 0;
    Id type = 0;  // the vector's type
};

struct Int4Context : LoweringContext {
    using LoweringContext::LoweringContext;

    std::map<Id, Int4Type> int4;  // scalars and vectors, by type id
    std::map<Id, ComponentPointer> componentPointers;
    bool workgroupHasLayout = false;  // its variables are blocks

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
        return def.opcode == spv::Op::OpTypeCooperativeMatrixKHR && type(def.word(0)) != nullptr;
    }

    // Refuses instructions that may not take 4-bit integers, or pointers to components.
    void checkKept(const Instruction& instruction) override;

    bool isLaidOut(spv::StorageClass storage) const {
        return !isPrivate(storage) &&
               (storage != spv::StorageClass::Workgroup || workgroupHasLayout);
    }
};

// Fills context.int4.
void findInt4Types(Int4Context& context);

// Chooses the type that replaces each. Needs what findInt4Types found.
void chooseInt4Replacements(Int4Context& context);

// The rules on where 4-bit types may be in memory, and the capabilities for what replaces them
// there.
void checkInt4Memory(Int4Context& context);

// The same for a load or a store that does not go to one component of a vector: what the types of
// variables do not tell, as behind untyped and physical pointers.
void checkInt4Access(Int4Context& context, const Instruction& access);

// Replaces all 4-bit types but the component types of matrices.
void renameInt4Types(Int4Context& context);

}  // namespace coopvk::rewrite
