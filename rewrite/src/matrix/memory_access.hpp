// SPDX-License-Identifier: Apache-2.0
//
// Accesses of one lane to a matrix in memory. "Inner" is the axis whose neighbours are neighbours
// in memory (columns for RowMajorKHR), "outer" the one that Stride separates. A "memory scalar" is
// a scalar of the type that Pointer points to, or a component of it. Each line (row or column) of
// the matrix starts at a whole pointee.
#pragma once

#include "ir/memory_operands.hpp"
#include "lowering/element_pointer.hpp"
#include "lowering/words.hpp"
#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

// A place in a line, in memory scalars: constant + lane. `lane` is a u32 value that differs between
// lanes, or 0.
struct LinePosition {
    uint32_t constant = 0;
    Id lane = 0;
    uint32_t laneFactor = 0;  // what `lane` is a multiple of
};

class MatrixMemory : private MatrixCode {
 public:
    // operands: MemoryLayout, [Stride], [Memory Operands].
    MatrixMemory(MatrixContext& context, MatrixWriter& writer, const Instruction& at,
                 const MatrixType& matrix, Id pointer, std::span<const Operand> operands);

    bool valid() const { return valid_; }
    bool rowMajor() const { return rowMajor_; }
    Dimension outerDimension() const { return rowMajor_ ? Dimension::kRows : Dimension::kColumns; }
    const Axis& inner() const { return matrix_.fragment.axis(other(outerDimension())); }
    const Axis& outer() const { return matrix_.fragment.axis(outerDimension()); }
    // The invocation's lane on the axis, u32; 0: each lane holds the whole axis.
    Id innerLane() { return laneOn(other(outerDimension())); }
    Id outerLane() { return laneOn(outerDimension()); }
    Id memoryScalar() const { return pointer_.scalar(); }
    uint32_t memoryBytes() const { return pointer_.scalarBytes(); }
    uint32_t memoryBits() const { return pointer_.scalarBytes() * 8; }
    uint32_t componentBits() const { return componentBits_; }
    // Whether each run of a lane starts and ends between memory scalars.
    bool isDirect() const;

    // Memory scalars in a run, and the place of the run whose first local element is `local`.
    uint32_t runScalars() const { return inner().run() * componentBits_ / memoryBits(); }
    LinePosition runPosition(uint32_t local);
    // Calls visit(outer, first) for each run: its local line, and its first local element in that.
    template <typename Visit>
    void eachRun(Visit visit) const {
        for (uint32_t line = 0; line < outer().count(); ++line) {
            for (uint32_t first = 0; first < inner().count(); first += inner().run()) {
                visit(line, first);
            }
        }
    }

    // Loads `count` memory scalars of a local line.
    std::vector<Slot> load(uint32_t outerLocal, LinePosition position, uint32_t count);
    std::vector<Slot> loadRun(uint32_t outerLocal, uint32_t first) {
        return load(outerLocal, runPosition(first), runScalars());
    }
    // Stores memory scalars to a local line.
    void store(uint32_t outerLocal, LinePosition position, std::span<const Slot> slots);

 private:
    struct Piece {
        Id pointer;
        bool whole;  // a whole pointee rather than one component of it
    };
    Piece piece(uint32_t outerLocal, LinePosition position, uint32_t left);
    Id laneOn(Dimension d) {
        return matrix_.fragment.axis(d).lanes == 1 ? 0 : writer_.laneOn(matrix_, d);
    }
    Id sliceStart();
    Id lineIndex(uint32_t outerLocal);
    Id pointeeIndex(Id line, uint32_t constant, Id dynamic);

    const MatrixType& matrix_;
    ElementPointer pointer_;
    MemoryOperands memory_;       // of the matrix instruction, for each access
    uint32_t componentBits_ = 0;  // in memory
    bool rowMajor_ = true;
    bool valid_ = false;
    Id stride_ = 0;     // of the index type
    Id slice_ = 0;      // index of the slice's first pointee; 0: the matrix is loaded whole
    Id firstLine_ = 0;  // index of the lane's first line, without the constant part
    std::map<uint32_t, Id> lines_;
};

}  // namespace coopvk::rewrite
