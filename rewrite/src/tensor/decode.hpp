// SPDX-License-Identifier: Apache-2.0
//
// Copies of decode functions for tensors in a descriptor's buffer. Decode functions take a physical
// pointer. The copy takes a number of bytes in its place, and accesses aliases of the buffer:
//
//   before:  decode(block pointer, coordinates...) { return pointer->scale * 2 }
//   after:   decode(bytes from the buffer's start, coordinates...) { return alias[bytes / 4] * 2 }
#pragma once

#include <set>

#include "ir/cloner.hpp"
#include "ir/memory_operands.hpp"
#include "ir/module.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

// The copy of a function whose first parameter is a physical pointer. In its place the copy takes
// the arguments of `place`, and the bytes from the start of the buffer (bufferIndexType()). 0, with
// an error, where the function needs the address itself, which no descriptor tells.
Id cloneDecode(LoweringContext& context, const Instruction& at, Id function,
               const BufferPlace& place);

// Which values of a function are computed of physical pointers that it takes as arguments:
// pointers, and addresses as integers.

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

// Loads and stores of values of any type with an explicit layout, and atomics, by bytes from the
// start of a buffer.

class ViewAccess {
 public:
    // `place`: the buffer's variable and descriptor. `at`: the instruction for errors.
    ViewAccess(LoweringContext& context, Emitter& emit, const Instruction& at,
               const BufferPlace& place)
        : context_(context), types_(context.types), emit_(emit), at_(at), place_(place) {}

    // Copies an instruction that accesses memory through a pointer into the buffer, which became
    // bytes (bufferIndexType()). False if it is not one, or does more with the pointer.
    bool copy(const Instruction& i, const PointerFlow& flow, const Cloner& copies);

 private:
    struct Part {
        Id type;
        uint32_t offset;
    };
    void copyMemory(const Instruction& i, const PointerFlow& flow, const Cloner& copies);
    void copyAtomic(const Instruction& i, const Cloner& copies);
    // Stores a value at `bytes`; or loads one, without `stored`: nullopt with an error. The address
    // has the alignment of `memory`; without one, that of the type's parts.
    using Value = std::optional<Id>;
    Value access(Id type, Id bytes, const MemoryOperands& memory, Value stored = {});
    Value address(Id type, Id bytes, const MemoryOperands& memory, Value stored);
    Value members(Id type, std::span<const Part> parts, Id bytes, const MemoryOperands& memory,
                  Value stored);
    Value structure(Id type, Id bytes, const MemoryOperands& memory, Value stored);
    Value array(Id type, Id bytes, const MemoryOperands& memory, Value stored);
    Value numeric(Id type, Id bytes, const MemoryOperands& memory, Value stored);
    Value element(Id type, Id bytes, const MemoryOperands& memory, Value stored);
    Value pieces(Id type, Id bytes, uint32_t pieceBytes, const MemoryOperands& memory,
                 Value stored);
    // What members() and the like return: the whole of the parts that were loaded.
    template <typename Make>
    Value whole(Value stored, Make make) {
        return context_.error || stored ? Value() : make();
    }
    // A pointer to a scalar or vector whose alignment is its size; nullopt with an error.
    Value pointer(Id type, Id bytes, bool writes);
    Value refuse(std::string_view what);

    LoweringContext& context_;
    TypeTable& types_;
    Emitter& emit_;
    const Instruction& at_;
    const BufferPlace& place_;
};

}  // namespace coopvk::rewrite
