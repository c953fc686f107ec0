// SPDX-License-Identifier: Apache-2.0
//
// Which values of a function are computed of physical pointers that it takes as arguments:
// pointers, and addresses as integers.
#pragma once

#include <set>

#include "ir/memory_operands.hpp"
#include "ir/module.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

// What an argument of a function is.
enum class ArgumentKind : uint32_t {
    kOther,
    kPointer,   // a physical pointer into the buffer
    kVariable,  // a pointer to a variable that holds such a pointer
};

class PointerFlow {
 public:
    PointerFlow(const Module& module, const Function& function,
                std::span<const ArgumentKind> parameters);

    bool isPointer(Id value) const { return pointers_.contains(value); }
    bool isVariable(Id value) const { return variables_.contains(value); }
    ArgumentKind kindOf(Id value) const;
    // Whether an operand is a pointer, or a variable that holds one.
    bool takesPointers(const Instruction& i) const;

 private:
    void add(std::set<Id>& known, Id value);
    void visit(const Instruction& i);
    bool anyIsPointer(const Instruction& i) const;
    bool isAddressType(Id type) const;

    const Module& module_;
    std::set<Id> pointers_, variables_;
    std::vector<Id> pending_;  // whose uses are not visited yet
};

// Loads of values of any type with an explicit layout, by bytes from the start of a buffer.

class ViewLoads {
 public:
    // `place`: the buffer's variable and descriptor. `at`: the instruction for errors.
    ViewLoads(LoweringContext& context, Emitter& emit, const Instruction& at,
              const BufferPlace& place)
        : context_(context), types_(context.types), emit_(emit), at_(at), place_(place) {}

    // The value at `bytes` (bufferIndexType()); 0, with an error, where the type cannot be loaded.
    // The address has the alignment of `memory`; without one, that of the type's parts.
    Id load(Id type, Id bytes, const MemoryOperands& memory);

 private:
    Id refuse(std::string_view what);
    Id numeric(Id type, Id bytes, const MemoryOperands& memory);
    Id structure(Id type, Id bytes, const MemoryOperands& memory);
    Id array(Id type, Id bytes, const MemoryOperands& memory);
    Id element(Id type, Id bytes, const MemoryOperands& memory);
    Id pieces(Id type, Id bytes, uint32_t pieceBytes, const MemoryOperands& memory);

    LoweringContext& context_;
    TypeTable& types_;
    Emitter& emit_;
    const Instruction& at_;
    const BufferPlace& place_;
};

// Copies of decode functions for tensors in a descriptor's buffer. Decode functions take a physical
// pointer. The copy takes a number of bytes in its place, and loads from aliases of the buffer.

// The copy of a function whose first parameter is a physical pointer. In its place the copy takes
// the arguments of `place`, and the bytes from the start of the buffer
// (bufferIndexType()). 0, with an error,
// where the function does more with the pointer than load from it and pass it to functions.
Id cloneDecode(LoweringContext& context, const Instruction& at, Id function,
               const BufferPlace& place);

}  // namespace coopvk::rewrite
