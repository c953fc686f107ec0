// SPDX-License-Identifier: Apache-2.0
//
// The 4-bit types of a module (SPV_INTEL_int4) and what stands for them.
//
//   scalar          an 8-bit integer of the same signedness, which holds the 4-bit value
//   vector of 2     one u8: component i in bits 4i to 4i + 3
//   vector of 3, 4  one u16
//   vector of 8     one u32
//   vector of 16    two u32
//
// A vector so takes the bytes that the text gives it in memory, and strides and offsets stay as
// they are. Where a module puts vectors of 4 or 8 elsewhere than at multiples of their size, or
// stores single components of them to memory that others may write to, two or four u8 stand for
// them in the whole module; for those of 16 where they are elsewhere than at multiples of four
// bytes, see int4_sixteen.hpp. Lowering leaves the old types in place until the end and then
// renames them everywhere.
#pragma once

#include <algorithm>

#include "lowering/context.hpp"

namespace coopvk::rewrite {

struct Int4Type {
    Id id = 0;
    bool isSigned = false;
    uint32_t components = 1;
    Id stand = 0;        // the type that stands for it
    uint32_t bytes = 0;  // where that is a vector of bytes: of how many
    Id laidOut = 0;      // what stands for it in memory with a layout, where that is not the same

    bool isByteWise() const { return bytes != 0; }
    uint32_t words() const { return components > 8 ? 2 : 1; }
};

// Memory of each invocation's own: no layout, and nobody else stores there.
inline bool isOwn(spv::StorageClass storage) {
    return storage == spv::StorageClass::Function || storage == spv::StorageClass::Private;
}

struct Int4Context : LoweringContext {
    using LoweringContext::LoweringContext;

    std::map<Id, Int4Type> int4;      // scalars and vectors, by type id
    std::map<Id, bool> matrices;      // cooperative matrices of them: signed?
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

    bool isLaidOut(spv::StorageClass storage) const {
        return !isOwn(storage) && (storage != spv::StorageClass::Workgroup || workgroupHasLayout);
    }
    // A vector that has something else of its own in memory with a layout.
    const Int4Type* sixteen(Id type) const {
        const Int4Type* found = this->type(type);
        return found != nullptr && found->laidOut != 0 ? found : nullptr;
    }
    bool anyLaidOut() const {
        return std::ranges::any_of(int4, [](const auto& one) { return one.second.laidOut != 0; });
    }
};

// Fills context.int4 and context.matrices.
void findInt4Types(Int4Context& context);

// Decides what stands for each. Needs what findInt4Types found.
void chooseInt4Stands(Int4Context& context);

// Whether the device takes single bytes in a storage class.
bool storesBytes(const Int4Context& context, spv::StorageClass storage);

// The rules on where 4-bit types may stand in memory, and the capabilities for what stands for
// them there.
void checkInt4Memory(Int4Context& context);

// The same for a load or a store that does not go to one component of a vector: what the types of
// variables do not tell, as behind untyped and physical pointers.
void checkInt4Access(Int4Context& context, const Instruction& access);

// Puts what stands for them in the place of all 4-bit types.
void renameInt4Types(Int4Context& context);

}  // namespace coopvk::rewrite
