// SPDX-License-Identifier: Apache-2.0
//
// Accesses of one lane to a matrix in memory. "Inner" is the axis whose neighbours are neighbours
// in memory (columns for RowMajorKHR), "outer" the one that Stride separates. A "memory scalar" is
// a scalar of the type that Pointer points to, or a component of it. Each line (row or column) of
// the matrix starts at a whole pointee. A "run" has the neighbours on a line that a lane holds
// together.
#pragma once

#include "lowering/memory.hpp"
#include "lowering/words.hpp"
#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

class MatrixMemory : private MatrixCode {
 public:
    // operands: MemoryLayout, [Stride], [Memory Operands].
    MatrixMemory(MatrixContext& context, MatrixWriter& writer, const Instruction& at,
                 const MatrixType& matrix, Id pointer, std::span<const Operand> operands);
    // The same through `pointer`.
    MatrixMemory(MatrixContext& context, MatrixWriter& writer, const Instruction& at,
                 const MatrixType& matrix, ElementPointer pointer,
                 std::span<const Operand> operands);

    bool valid() const { return place_.has_value(); }
    Condition reaches() const { return pointer().reaches(); }
    bool rowMajor() const { return !place_->areColumns; }
    Dimension outerDimension() const { return rowMajor() ? Dimension::kRows : Dimension::kColumns; }
    const Axis& inner() const { return matrix_.fragment.axis(other(outerDimension())); }
    const Axis& outer() const { return matrix_.fragment.axis(outerDimension()); }
    // The row or column of the matrix (u32) that has a local index on the inner axis.
    Id innerIndex(uint32_t local);
    Id memoryScalar() const { return pointer().scalar(); }
    uint32_t memoryBytes() const { return pointer().scalarBytes(); }
    uint32_t memoryBits() const { return pointer().scalarBytes() * 8; }
    uint32_t componentBits() const { return componentBits_; }
    // Whether each run of a lane consists of whole memory scalars.
    bool isDirect() const;

    // Memory scalars in a run, and the place of the run whose first local element is `local`.
    uint32_t runScalars() const { return inner().neighbours() * componentBits_ / memoryBits(); }
    ScalarIndex runPosition(uint32_t local);
    // Calls visit(outer, first) for each run: its local line, and its first local element in that.
    template <typename Visit>
    void eachRun(Visit visit) const {
        for (uint32_t line = 0; line < outer().count(); ++line) {
            for (uint32_t first = 0; first < inner().count(); first += inner().neighbours()) {
                visit(line, first);
            }
        }
    }

    // Loads `count` memory scalars of a local line.
    std::vector<Slot> load(uint32_t outerLocal, ScalarIndex position, uint32_t count) {
        return place_->memory.loadScalars(emit_, lineIndex(outerLocal), position, count);
    }
    std::vector<Slot> loadRun(uint32_t outerLocal, uint32_t first) {
        return load(outerLocal, runPosition(first), runScalars());
    }
    // The same of the local line with the number `outerLocal`, a u32 value.
    std::vector<Slot> loadRunOf(Id outerLocal, uint32_t first) {
        const ScalarIndex position = runPosition(first);
        return place_->memory.loadScalars(emit_, lineIndexOf(outerLocal), position, runScalars());
    }
    // Stores memory scalars to a local line.
    void store(uint32_t outerLocal, ScalarIndex position, std::span<const Slot> slots) {
        place_->memory.storeScalars(emit_, lineIndex(outerLocal), position, slots);
    }

 private:
    const ElementPointer& pointer() const { return place_->pointer(); }
    Id sliceStart();
    // Where the matrix, or its slice, begins; and where a line of the lane begins.
    Id start();
    Id lineIndex(uint32_t outerLocal);
    Id lineIndexOf(Id outerLocal);

    const MatrixType& matrix_;
    std::optional<MatrixPlace> place_;  // nullopt after an error
    uint32_t componentBits_ = 0;        // in memory
    std::optional<Id> slice_;      // the slice's first pointee; nullopt: the matrix is loaded whole
    std::optional<Id> firstLine_;  // the lane's first line, without the constant part
};

// 8-bit floats are converted when a matrix is loaded, and several lanes hold the same elements of A
// or B. In a divided load each of them converts some lines, and gets the others by shuffles.

// Whether a load is divided: shuffles are fast, conversions are long, and lanes have equal parts.
bool isDividedLoad(const MatrixContext& context, const MatrixMemory& memory,
                   const MatrixType& matrix);
void loadDivided(MatrixContext& context, MatrixWriter& writer, MatrixMemory& memory,
                 const MatrixType& matrix, HeldElements& elements);

}  // namespace coopvk::rewrite
