// SPDX-License-Identifier: Apache-2.0
//
// How one matrix lies in memory as one lane sees it. "Inner" is the axis whose neighbours are
// neighbours in memory (columns for row-major layouts), "outer" the one that Stride separates.
// "Memory scalar" is the scalar type of what Pointer points to; a line (row or column) of the
// matrix starts at a whole pointee.
#pragma once

#include "ir/memory_operands.hpp"
#include "lowering/element_pointer.hpp"
#include "lowering/words.hpp"
#include "matrix/matrix_writer.hpp"

namespace coopvk::rewrite {

// A place in a line, counted in memory scalars: a constant plus, where `lane` is not 0, a u32
// that differs by lane.
struct LinePosition {
    uint32_t constant = 0;
    Id lane = 0;
    uint32_t laneFactor = 0;  // what `lane` is a multiple of
};

class MatrixMemory {
 public:
    // operands: MemoryLayout, [Stride], [Memory Operands].
    MatrixMemory(MatrixContext& context, MatrixWriter& writer, const Instruction& at,
                 const MatrixType& matrix, Id pointer, std::span<const Operand> operands);

    bool valid() const { return valid_; }
    bool rowMajor() const { return rowMajor_; }
    const Axis& inner() const {
        return rowMajor_ ? matrix_.fragment.columns : matrix_.fragment.rows;
    }
    const Axis& outer() const {
        return rowMajor_ ? matrix_.fragment.rows : matrix_.fragment.columns;
    }
    Id innerLane();  // u32; 0 where the axis is not dealt
    Id outerLane();
    Id memoryScalar() const { return pointer_.scalar(); }
    uint32_t memoryBytes() const { return pointer_.scalarBytes(); }
    uint32_t memoryBits() const { return pointer_.scalarBytes() * 8; }
    uint32_t componentBits() const { return componentBits_; }
    // True where each run of a lane is whole memory scalars at a whole memory scalar.
    bool isDirect() const;

    // Memory scalars a run, and where the run that starts at local element `local` begins.
    uint32_t runScalars() const { return inner().run() * componentBits_ / memoryBits(); }
    LinePosition runPosition(uint32_t local);

    // Loads `count` memory scalars of the outer-th local line into slots.
    void load(uint32_t outerLocal, LinePosition position, uint32_t count, std::vector<Slot>& out);
    // Stores slots of memory scalars there.
    void store(uint32_t outerLocal, LinePosition position, std::span<const Slot> slots);

 private:
    struct Piece {
        Id pointer;
        bool whole;  // a whole pointee rather than one component of it
    };
    Piece piece(uint32_t outerLocal, LinePosition position, uint32_t left);
    Id sliceStart();
    Id lineIndex(uint32_t outerLocal);
    Id pointeeIndex(Id line, uint32_t constant, Id dynamic);

    MatrixContext& context_;
    MatrixWriter& writer_;
    const MatrixType& matrix_;
    ElementPointer pointer_;
    MemoryOperands memory_;       // of the matrix instruction, repeated on every access
    uint32_t componentBits_ = 0;  // in memory
    bool rowMajor_ = true;
    bool valid_ = false;
    Id stride_ = 0;     // as index type
    Id slice_ = 0;      // index of the slice's first pointee; 0: the matrix is loaded whole
    Id firstLine_ = 0;  // index of the lane's first line, without the constant part
    std::map<uint32_t, Id> lines_;
};

// Row and column of a lane's element at inner/outer local indices.
struct Local {
    uint32_t row, column;
};

inline Local localOf(const MatrixMemory& memory, uint32_t outer, uint32_t inner) {
    return memory.rowMajor() ? Local{outer, inner} : Local{inner, outer};
}

}  // namespace coopvk::rewrite
