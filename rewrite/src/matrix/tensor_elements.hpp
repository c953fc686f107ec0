// SPDX-License-Identifier: Apache-2.0
//
// Elements of a tensor in memory, by their index from Pointer: "This index is then multiplied by
// the size of the component type of the matrix and treated as a byte offset from the 'Pointer'
// operand", whatever that points to (SPV_NV_cooperative_matrix2).
#pragma once

#include "ir/memory_operands.hpp"
#include "lowering/element_pointer.hpp"
#include "lowering/words.hpp"
#include "matrix/context.hpp"

namespace coopvk::rewrite {

class TensorElements {
 public:
    TensorElements(MatrixContext& context, Emitter& emit, const Instruction& at,
                   const MatrixType& matrix, Id pointer, const MemoryOperands& memory);

    bool valid() const { return scalar_ != 0; }
    // The component of the element with an index (u32).
    Id load(Emitter& emit, Id index);
    void store(Emitter& emit, Id index, Id component);

    // The same of a run of elements whose indices are neighbours, the first of which is a multiple
    // of their number: at most 16 bytes. Where a boolean is true when it is executed, which is the
    // same in all invocations; 0: never.
    Id hasRuns(Emitter& emit, uint32_t length);
    std::vector<Slot> loadRun(Emitter& emit, Id index);
    void storeRun(Emitter& emit, Id index, std::span<const Slot> components);

 private:
    bool refuse(std::string_view what);
    void resolve(Emitter& emit, Id pointer);
    void resolveBuffer(Emitter& emit, Id pointer);
    void resolvePointer(Emitter& emit, Id pointer);
    bool isComponentOfArray(Id pointer) const;
    Id reachable() const;
    Id pointerTo(Emitter& emit, Id scalar);
    Id castTo(Emitter& emit, Id element);
    Id isMultiple(Emitter& emit, Id number, uint32_t of);
    Id fromStart(Emitter& emit, Id index);
    Id packPointer(Emitter& emit, Id index);
    Id loadScalar(Emitter& emit, Id scalar);
    void storeScalar(Emitter& emit, Id scalar, Id value);
    void storePart(Emitter& emit, Id index, Id component);
    uint32_t bits() const { return context_.types.width(scalar_); }

    MatrixContext& context_;
    TypeTable& types_;
    const Instruction& at_;
    const MatrixType& matrix_;
    const bool isStore_;
    const uint32_t componentBits_;
    MemoryOperands memory_;
    const Id pointer_;
    // Memory is an array of scalars of this type; it is reached in one of three ways.
    Id scalar_ = 0;
    Id first_ = 0;  // scalar that Pointer points to, u32; 0: the first
    Id block_ = 0;  // pointer to a physical block of them
    BufferPlace place_;
    // Runs as vectors.
    Id pack_ = 0;       // type
    Id packBlock_ = 0;  // as block_
    uint32_t run_ = 0;
    std::optional<ElementPointer> elements_;
};

}  // namespace coopvk::rewrite
