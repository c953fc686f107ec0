// SPDX-License-Identifier: Apache-2.0
//
// Types that lie in memory in another way than values of them are held: pointers to such memory
// point to copies of structures and arrays, and loads and stores convert values member by member.
#pragma once

#include <unordered_set>

#include "lowering/context.hpp"

namespace coopvk::rewrite {

class MemoryTypes {
 public:
    explicit MemoryTypes(LoweringContext& context) : context_(context), module_(context.module) {}
    virtual ~MemoryTypes() = default;

    // Makes the types of what lies behind pointers to the memory: these say so, or the accesses
    // through them do.
    void make();
    // The type in memory for a type of values; itself where it is the same.
    Id inMemory(Id type) const;

    // A load, a store or a copy, with conversions where the memory is accessed and the types
    // differ; false where the instruction stays, perhaps changed in place.
    bool access(Emitter& emit, Instruction& instruction);
    // Lets an untyped access chain, or what else names the type of memory first, name that.
    void adoptChain(Instruction& instruction) const;
    // Lets the pointer types, and null initializers, be of the types in memory. The last step.
    void adoptPointers();

    // The type of what OpCopyMemory copies, as far as its pointers tell.
    Id copied(const Instruction& copy) const;

 protected:
    // Whether a type is that of pointers to the memory.
    virtual bool isPointer(Id type) const = 0;
    // Of scalars and vectors: their types in memory, and values of `type` (which is either) from
    // the other one.
    virtual Id scalarInMemory(Id type) const { return type; }
    virtual Id convertScalar(Emitter&, Id value, Id) const { return value; }
    // Whether a structure or array says where its members lie; if not, makes a copy of it say so.
    virtual bool saysLayout(const Instruction&) const { return true; }
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

    std::map<Id, Id> inMemory_;     // of structures and arrays, where it differs
    std::map<Id, uint64_t> parts_;  // scalars and vectors in a structure or array
};

}  // namespace coopvk::rewrite
