// SPDX-License-Identifier: Apache-2.0
//
// Where the structures are that structures.hpp holds in variables.
#pragma once

#include "ir/memory_operands.hpp"
#include "longvector/structures.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

// A structure, or a part of one: in memory, or a constant.
struct StructurePlace {
    Id type = 0;
    Id constant = 0;  // also a value of OpUndef
    Id pointer = 0, pointee = 0;
    std::vector<Id> indices = {};  // from the pointer's pointee to the part
    MemoryOperands memory = {};
};

class StructurePlaces {
 public:
    StructurePlaces(LongVectorContext& context, FunctionWriter& writer)
        : context_(context), writer_(writer) {}

    StructurePlace behind(Id pointer, Id type, MemoryOperands memory = {}) const {
        return {type, 0, pointer, type, {}, std::move(memory)};
    }
    StructurePlace constant(Id value) const { return {emit().typeOf(value), value}; }
    StructurePlace member(const StructurePlace& place, uint32_t number) const;
    StructurePlace member(const StructurePlace& place, std::span<const Operand> indices) const;

    // The value of a part, as an instruction of type `type` with this result (0: a new one). Values
    // may have a layout that variables lack.
    Id load(const StructurePlace& place, Id type, Id result = 0) const;
    void store(const StructurePlace& place, Id value) const;
    // Copies all parts one by one.
    void copy(const StructurePlace& to, const StructurePlace& from) const;
    // A pointer to the part.
    Id pointerTo(const StructurePlace& place) const;

 private:
    Emitter& emit() const { return writer_.emit(); }
    StructurePlace element(const StructurePlace& place, Id index) const;
    uint32_t alignmentOf(Id type) const;

    LongVectorContext& context_;
    FunctionWriter& writer_;
};

}  // namespace coopvk::rewrite
