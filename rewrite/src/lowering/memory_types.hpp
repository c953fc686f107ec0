// SPDX-License-Identifier: Apache-2.0
//
// Types in memory: the capabilities that values of them need, and types that have another form
// there.
#pragma once

#include <unordered_set>

#include "ir/types.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

// Declares the capabilities of the 8- and 16-bit numbers in a type, as far as the device has them.
// Without these only few instructions may use such values.
void declareNumbersIn(TypeTable& types, const DeviceFeatures& device, Id type);

// For types whose values have another form in memory than in shaders. Pointers to such memory point
// to copies of structures and arrays with the types in memory, and loads and stores convert values
// member by member.

class MemoryTypes {
 public:
    explicit MemoryTypes(LoweringContext& context) : context_(context), module_(context.module) {}
    virtual ~MemoryTypes() = default;

    // Makes the types in memory for all types that pointers to the memory point to, by their types
    // or by the accesses through them.
    void make();
    // The type in memory for a type of values, which may be the same.
    Id inMemory(Id type) const;

    // Lowers a load, store or copy of the memory if the types differ. False if the instruction
    // stays, perhaps changed in place.
    bool access(Emitter& emit, Instruction& instruction);
    // Puts the type in memory into an untyped access chain or OpUntypedArrayLengthKHR.
    void retypeChain(Instruction& instruction) const;
    // Puts the types in memory into pointer types, untyped variables and null initializers. Must
    // come last.
    void retypePointers();

    // The type that OpCopyMemory copies; 0 if no pointer is typed.
    Id copied(const Instruction& copy) const;

 protected:
    // Whether a type is a pointer type for the memory.
    virtual bool isPointer(Id type) const = 0;
    // inMemory() for a scalar or vector type.
    virtual Id scalarInMemory(Id type) const { return type; }
    // Converts a scalar or vector to `type`, from memory or to memory.
    virtual Id convertScalar(Emitter&, Id value, Id) const { return value; }
    // Whether a structure or array has a layout; if not, addLayout() gives one to its copy.
    virtual bool hasLayout(const Instruction&) const { return true; }
    virtual void addLayout(const Instruction& /*type*/, Id /*copy*/) {}

    LoweringContext& context_;
    Module& module_;

 private:
    std::unordered_set<Id> roots() const;
    void addRoots(const Instruction& i, std::unordered_set<Id>& roots) const;
    bool namesType(const Instruction& i) const;
    Id makeCopy(const Instruction& type);
    uint64_t partsOf(const Instruction& type) const;
    bool mayConvert(const Instruction& at, Id type);
    Id convert(Emitter& emit, Id value, Id type) const;
    bool copy(Emitter& emit, const Instruction& instruction);
    bool isMemory(Id pointer) const { return isPointer(module_.def(pointer).type); }

    std::map<Id, Id> inMemory_;     // of structures and arrays that the memory holds
    std::map<Id, uint64_t> parts_;  // how many scalars and vectors a structure or array has
};

}  // namespace coopvk::rewrite
