// SPDX-License-Identifier: Apache-2.0
//
// What loads and stores of matrices by tensor addresses share.
#pragma once

#include "matrix/packs.hpp"
#include "matrix/tensor_decode.hpp"
#include "matrix/tensor_elements.hpp"
#include "matrix/tensor_walk.hpp"

namespace coopvk::rewrite {

// The operands of either instruction, Pointer first.
struct TensorOperands {
    Id pointer = 0, object = 0, layout = 0;
    MemoryOperands memory;
    Id view = 0, decode = 0, decodeVector = 0;  // 0: none
};
// nullopt, and an error of the context, where they are not as they must be.
std::optional<TensorOperands> tensorOperands(MatrixContext& context, const Instruction& at);

// nullptr, and an error, where the value is no matrix that tensors can hold.
const MatrixType* tensorMatrix(MatrixContext& context, const Instruction& at, Id object);

// Visits that follow each other without a loop: of those with separable addresses, of all others,
// and of calls of decode functions, all of which drivers inline.
inline constexpr uint32_t kMostTensorAccesses = 512;
inline constexpr uint32_t kMostTensorPlaces = 16;
inline constexpr uint32_t kMostDecodeCalls = 16;
// Bytes that a lane loads or stores at once.
inline constexpr uint32_t kTensorRunBytes = 16;

class TensorTransfer {
 public:
    TensorTransfer(MatrixContext& context, MatrixWriter& writer, const Instruction& at,
                   const MatrixType& matrix, const TensorOperands& operands);

 protected:
    // Runs one of three pieces of code, by what the layout says when it is executed. `runs` only
    // where there can be some.
    void byAddress(const std::function<void()>& runs, const std::function<void()>& separable,
                   const std::function<void()>& any);
    // The longest run of a lane of at most so many elements (a power of two), as the address has
    // runs; of one element: there are none.
    TensorRun longestRun(uint32_t most) const;
    // Visits the lane's elements with their places.
    using Visit = std::function<void(const TensorPart& place, Id element)>;
    void visitSeparable(TensorWalk& walk, const Visit& visit);
    // The number of the i-th element of a run.
    Id inRun(Id first, uint32_t i) const;
    void visitAny(TensorWalk& walk, const Visit& visit);

    // An array of the lane's components, one after the other.
    Id componentArray();
    Id componentPointer(Id array, Id element);
    void spill(HeldElements& held, Id array);
    void fill(HeldElements& held, Id array);
    Slot& slotOf(HeldElements& held, Id element);

    MatrixContext& context_;
    TypeTable& types_;
    MatrixWriter& writer_;
    Emitter& emit_;
    const Instruction& at_;
    const MatrixType& matrix_;
    TensorAddress address_;
    // Set by what derives: the runs, and whether memory allows them (a boolean; 0: it does).
    TensorRun run_;
    Id runsFit_ = 0;
};

}  // namespace coopvk::rewrite
