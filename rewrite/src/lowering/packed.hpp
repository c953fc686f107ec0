// SPDX-License-Identifier: Apache-2.0
//
// Types whose values are lowered to arrays of packs: what an invocation holds of a cooperative
// matrix, a cooperative vector, a matrix made of the driver's own ones. A pack is a scalar, a
// vector or such a matrix, and holds one element or several.
#pragma once

#include "ir/arithmetic_decorations.hpp"
#include "lowering/context.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

struct PackedType {
    Id id = 0;               // redefined as the array: what only moves values stays as it is
    Id component = 0;        // scalar type of an element
    uint32_t count = 0;      // elements
    uint32_t packWidth = 1;  // elements in a pack; the last pack may have more than there are
    uint32_t packStep = 1;   // from one element of a pack to the next
    Id pack = 0;             // type of a pack
    // Arithmetic and conversions take operands that are equal in this only.
    std::array<uint32_t, 3> shape = {0, 0, 0};
    // The lowering has chosen the count, the module does not know it: a composite has one
    // constituent for all elements, and an index may be too high.
    bool hasOpenCount = false;

    struct Place {
        uint32_t pack, part;
    };
    uint32_t packs() const { return (count + packWidth - 1) / packWidth; }
    Place place(uint32_t element) const {
        const uint32_t line = element / packStep;
        return {line / packWidth * packStep + element % packStep, line % packWidth};
    }
    bool hasPlacesOf(const PackedType& other) const {
        return packWidth == other.packWidth && packStep == other.packStep;
    }
};

struct PackedContext : LoweringContext {
    // `kind`, as in "cooperative matrix", is for errors.
    PackedContext(TypeTable& theTypes, const Target& theTarget, std::string_view kind)
        : LoweringContext(theTypes, theTarget), kind_(kind) {}

    // nullptr: not such a type.
    virtual const PackedType* packed(Id type) const = 0;
    const PackedType* packedOfValue(Id value) const { return packed(module.def(value).type); }

    // All packs of a value, in order; and the value made of them, which becomes `result`.
    virtual std::vector<Id> packsOf(Emitter& emit, const PackedType& type, Id value);
    virtual void fromPacks(Emitter& emit, const PackedType& type, std::span<const Id> packs,
                           Id result);

    // Instructions that do more than move such values must have been lowered.
    void checkKept(const Instruction& instruction) override;

    // When all is lowered: of arrays these decorations say nothing, and some drivers reject them.
    void dropArithmeticDecorations();

 private:
    std::string_view kind_;
};

// Whether packs are matrices themselves: instructions on such take scalars, others vectors.
inline bool packsAreMatrices(const TypeTable& types, const PackedType& type) {
    return types.components(type.pack) == 0;
}
// A pack of which each element is the scalar.
Id splatPack(Emitter& emit, const PackedType& type, Id scalar);

// The elements, taken out of packs in order, and put into packs again. Elements beyond the count,
// in a last pack, are the last element again.
std::vector<Slot> slotsOf(const PackedType& type, std::span<const Id> packs);
std::vector<Id> gatherPacks(Emitter& emit, const PackedType& type, std::span<const Slot> elements);

}  // namespace coopvk::rewrite
