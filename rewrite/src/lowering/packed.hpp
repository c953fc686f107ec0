// SPDX-License-Identifier: Apache-2.0
//
// Types that are lowered to arrays of packs: cooperative matrices (an invocation's elements),
// cooperative vectors, and matrices in tiles of the driver's matrices. A pack is a scalar, a vector
// or a tile, and holds one or more elements.
#pragma once

#include "ir/arithmetic_decorations.hpp"
#include "ir/opcodes.hpp"
#include "lowering/context.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

struct PackedType {
    Id id = 0;               // redefined as the array: instructions that move values stay
    Id component = 0;        // scalar type of an element
    uint32_t count = 0;      // number of elements
    uint32_t packWidth = 1;  // elements in a pack; the last pack may be partly unused
    uint32_t packStep = 1;   // distance between elements of a pack
    Id pack = 0;             // type of a pack
    // Operands of arithmetic and conversions must have equal shapes.
    std::array<uint32_t, 3> shape = {0, 0, 0};
    // The module does not know the count, which the lowering chose: composites have one constituent
    // for all elements, and indices may be too large.
    bool hasOpenCount = false;
    // The module numbers elements column by column, and columns have this many; 0: as here, row by
    // row.
    uint32_t columnLength = 0;

    struct Place {
        uint32_t pack, part;
    };
    uint32_t packs() const { return divideUp(count, packWidth); }
    Place place(uint32_t element) const {
        const uint32_t line = element / packStep;
        return {line / packWidth * packStep + element % packStep, line % packWidth};
    }
    // The number here of element number `element` in the module.
    uint32_t elementOf(uint32_t element) const {
        if (columnLength == 0) return element;
        return element % columnLength * (count / columnLength) + element / columnLength;
    }
    bool hasPlacesOf(const PackedType& other) const {
        return packWidth == other.packWidth && packStep == other.packStep;
    }
};

struct PackedContext : LoweringContext {
    // Errors name `kind`, such as "cooperative matrix".
    PackedContext(TypeTable& theTypes, const PlannedTarget& theTarget, std::string_view kind)
        : LoweringContext(theTypes, theTarget), kind_(kind) {}

    // nullptr if a type is not packed.
    virtual const PackedType* packed(Id type) const = 0;
    const PackedType* packedOfValue(Id value) const { return packed(module.def(value).type); }

    // The packs of a value, in order; and the inverse, which defines `result`.
    virtual std::vector<Id> packsOf(Emitter& emit, const PackedType& type, Id value);
    virtual void fromPacks(Emitter& emit, const PackedType& type, std::span<const Id> packs,
                           Id result);

    // Refuses instructions on such values, except those that only move them.
    void checkKept(const Instruction& instruction) override;

    // Removes decorations that have no meaning for values that are arrays of packs now.
    void dropValueDecorations();

 private:
    std::string_view kind_;
};

// The elements of packs, in order; and the inverse. Unused elements of the last pack repeat the
// last element.
std::vector<Slot> slotsOf(const PackedType& type, std::span<const Id> packs);
std::vector<Id> gatherPacks(Emitter& emit, const PackedType& type, std::span<const Slot> elements);

// Lowers element-wise instructions on packed values to the same instruction on each pack:
//
//   %c = OpFAdd %matrix %a %b       for each pack p:  c[p] = a[p] + b[p]

// An instruction that computes each element of its result from the same element of its operands.
struct ElementWise {
    spv::Op opcode = OpNop;
    Operands head;  // operands before the values: set and instruction of OpExtInst
    const PackedType* result = nullptr;
    std::vector<Id> operands;
    std::vector<const PackedType*> types;  // of the operands; nullptr: one scalar for all elements
    ArithmeticDecorations decorations;

    const PackedType& source() const;  // type of the first operand that is not a scalar
};

// nullopt if the result has no packed type; also if the operands do not fit, with an error in the
// context. `head`: how many operands precede the values.
std::optional<ElementWise> elementWise(PackedContext& context, const Instruction& instruction,
                                       size_t head = 0);

// Computes the packs of the result from those of each operand, or its scalar, for the first `count`
// elements.
std::vector<Id> mapPacks(Emitter& emit, const ElementWise& map, uint32_t count,
                         const std::vector<std::vector<Id>>& operands);

// The same for all elements; defines `result`.
void mapPacks(PackedContext& context, Emitter& emit, const ElementWise& map, Id result);

// Lowers arithmetic, conversions, OpSelect and products with a scalar.
bool lowerElementWise(PackedContext& context, Emitter& emit, const Instruction& instruction);

// Composite instructions and constants of packed types. The index of an element becomes the index
// of its pack and, if packs hold several elements, an index into the pack. Constituents are put
// into packs. Instructions without packed types stay unchanged.
//
//   %e = OpCompositeExtract %half %v 5       %e = OpCompositeExtract %half %v 2 1

// OpCompositeConstruct and OpCompositeConstructReplicateEXT.
bool lowerPackedConstruct(PackedContext& context, Emitter& emit, const Instruction& construct);
// OpCompositeExtract and OpCompositeInsert.
bool lowerPackedIndices(PackedContext& context, Emitter& emit, Instruction& instruction);
// Access chains, which are changed in place.
bool lowerPackedChain(PackedContext& context, Emitter& emit, Instruction& chain);

template <typename Lowering>
void addPackedComposites(OpcodeTable<Lowering>& table) {
    table.template add<lowerPackedConstruct>(
        {OpCompositeConstruct, OpCompositeConstructReplicateEXT});
    table.template add<lowerPackedIndices>({OpCompositeExtract, OpCompositeInsert});
    table.template add<lowerPackedChain>(kTypedChains);
}

// The same where packs are matrices of the driver: only it knows how many elements an invocation
// has of one.
bool lowerTileChain(PackedContext& context, Emitter& emit, Instruction& chain);

// Changes constants of packed types in place.
void lowerPackedConstants(PackedContext& context);

// Which operand of one of the instructions above is the index into a packed type.
struct PackedIndex {
    const PackedType* type = nullptr;  // nullptr: there is no such operand
    size_t at = 0;                     // number of the operand
};
PackedIndex findPackedIndex(const PackedContext& context, const Instruction& instruction);
// The index in an access chain as an unsigned integer; a constant one is reduced modulo the count.
// 0 and an error if it is not an integer. The number is the one here (PackedType::elementOf()).
Id elementIndex(PackedContext& context, Emitter& emit, const Instruction& chain,
                const PackedIndex& index);

// The index of an element's pack, and of the element in it unless packs hold one element. They have
// the type of `element`, which is an unsigned integer.
struct PackIndices {
    Id pack = 0;
    std::optional<Id> part;
};
PackIndices packIndices(Emitter& emit, const PackedType& type, Id element);
// The same of a u32, as lowerTileChain().
PackIndices tileIndices(Emitter& emit, const PackedType& type, Id element);

}  // namespace coopvk::rewrite
