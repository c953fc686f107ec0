// SPDX-License-Identifier: Apache-2.0
//
// Accesses to the application's memory, for all kinds of lowering. What each of them needs:
//
// - where the memory lies: a place (lowering/place.hpp) in a buffer of a variable or of the
//   descriptor heap, in shared memory with a layout, or behind a physical pointer. A view of a
//   place is an array of any type, so an access is as wide as its proven alignment allows;
// - where a place is not known, or need not be: elements of the application's own array, which has
//   gaps, or lies in others, or in a variable of the invocation (ElementPointer), or of an array of
//   coopvk's own (WorkgroupMemory in matrix/exchange). Their scalars are accessed together where an
//   index shows that they are a whole element;
// - Memory Operands of the instruction, with which each access is aligned to its size.
//
// An index counts elements of the access from the start of the buffer, the address, or the element
// that an ElementPointer points to. Users decide the order and the widths: lines of matrices
// (matrix/memory), runs of tensors (matrix/tensor_elements), words of vectors (vector/memory),
// rows of blocks (blockio/region), members of structures (tensor/decode_clone).
#pragma once

#include "ir/control_flow.hpp"
#include "ir/memory_operands.hpp"
#include "lowering/element_pointer.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

// The number of a scalar: constant + dynamic. Drivers need one address for all with the same
// dynamic part.
struct ScalarIndex {
    uint32_t constant = 0;
    std::optional<Id> dynamic = {};  // u32 or u64; nullopt: nothing is added
    // How many scalars from this one on are certain to be in one element of the memory, where that
    // does not follow from the number itself.
    uint32_t together = 1;
};

class Memory {
 public:
    Memory(LoweringContext& context, BufferPlace place, const MemoryOperands& operands = {})
        : context_(&context),
          place_(std::move(place)),
          operands_(place_.isAddress ? operands.withAlignment(kAnyAlignment) : operands) {}
    Memory(LoweringContext& context, ElementPointer elements, const MemoryOperands& operands = {})
        : context_(&context), elements_(std::move(elements)), operands_(operands) {}

    // What a pointer leads to: the buffer that is known, else elements of the array that it points
    // into, behind an untyped pointer of type `component`. nullopt with an error, which names `at`.
    static std::optional<Memory> behind(LoweringContext& context, Emitter& emit, Id pointer,
                                        const Instruction& at, Id component,
                                        const MemoryOperands& operands = {});

    // The only scalar type of accesses, or an integer of its width; nullopt: all types.
    std::optional<Id> onlyScalar() const {
        return elements_ ? std::optional(elements_->scalar()) : std::nullopt;
    }
    const BufferPlace& place() const { return place_; }
    const MemoryOperands& operands() const { return operands_; }
    // The type of indices, and the bytes ahead of the pointer from which the memory was made.
    Id indexType() const;
    Id bytesAhead(Emitter& emit) const { return elements_ ? emit.constant(0) : place_.bytes; }

    // Makes a view that later accesses to elements of this type use.
    void view(Emitter& emit, Id type);
    // Terms of the index may be negative, or wrap: only their sum is right.
    Id pointer(Emitter& emit, Id type, Id index);
    Id load(Emitter& emit, Id type, Id index);
    void store(Emitter& emit, Id type, Id index, Id value);

    // Of elements alone: `count` scalars from an index on, behind element `first` (indexType(),
    // with origin()). They are accessed by whole elements, where these are known to begin there.
    const ElementPointer& elements() const { return *elements_; }
    std::vector<Slot> loadScalars(Emitter& emit, Id first, ScalarIndex index, uint32_t count);
    void storeScalars(Emitter& emit, Id first, ScalarIndex index, std::span<const Slot> scalars);
    // Stores scalars of one element, or the whole: `component` (u32) is the number of the first.
    void storePart(Emitter& emit, Id element, Id component, std::span<const Slot> scalars);

 private:
    // Some scalars of one element.
    struct Part {
        Id element, component;
        uint32_t count;
    };
    Part part(Emitter& emit, Id first, const ScalarIndex& index, size_t left) const;
    Id pointerTo(Emitter& emit, const Part& part, uint32_t number) const {
        return elements_->at(emit, part.element, emit.plus(part.component, number));
    }

    TypeTable& types() const { return context_->types; }

    LoweringContext* context_;
    BufferPlace place_;
    std::optional<ElementPointer> elements_;  // without one, place_
    MemoryOperands operands_;
    std::map<Id, Id> views_;  // by type
};

// Where a matrix lies that an instruction loads or stores by lines: rows or columns.
struct MatrixPlace {
    // `operands`: MemoryLayout, Stride, Memory Operands. nullopt after an error, which names `at`.
    static std::optional<MatrixPlace> of(LoweringContext& context, Emitter& emit,
                                         const Instruction& at, ElementPointer pointer,
                                         std::span<const Operand> operands);

    const ElementPointer& pointer() const { return memory.elements(); }
    // What precedes a line (of the index type), and where it begins: pointees.
    Id ahead(Emitter& emit, Id line) const { return emit.mulInt(memory.indexType(), line, stride); }
    Id lineAt(Emitter& emit, Id line) const {
        return emit.addInt(memory.indexType(), pointer().origin(), ahead(emit, line));
    }

    Memory memory;  // of pointees
    bool areColumns = false;
    Id stride = 0;  // from a line to the next one: pointees, of the index type
};

// Parts of words that other invocations change at the same time.

// The scope of atomics that all invocations see that may access the memory.
Id atomicScope(Emitter& emit, Id pointer);

// Replaces the `count` bits from bit `first` (u32) on of a 32-bit integer by the low bits of a u32.
void storeBits(Emitter& emit, Id pointer, Id bits, Id first, uint32_t count);

// A u32 in memory, and the operands of atomics that change it.
struct AtomicWord {
    Id pointer = 0;
    Id scope = 0;
    Id semantics = 0;  // where it is changed
    Id relaxed = 0;    // where it is only read
};
// Changes a word to change(word), which no other invocation changes in between. Returns a variable
// that has the word before. Where mayBeHelper, invocations that are helpers change nothing: what
// their atomics return is undefined, and may never be equal.
Id changeWord(ControlFlow& flow, const AtomicWord& word, const std::function<Id(Id)>& change,
              bool mayBeHelper = false);

}  // namespace coopvk::rewrite
