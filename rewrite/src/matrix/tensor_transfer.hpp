// SPDX-License-Identifier: Apache-2.0
//
// The common parts of loads and stores of matrices by tensor addresses.
#pragma once

#include "matrix/instructions.hpp"
#include "matrix/tensor_elements.hpp"

namespace coopvk::rewrite {

// The operands of OpCooperativeMatrixLoadTensorNV and OpCooperativeMatrixStoreTensorNV.
struct TensorOperands {
    Id pointer = 0, object = 0, layout = 0;
    MemoryOperands memory;
    Id view = 0, decode = 0, decodeVector = 0;  // 0: none
};
// nullopt, with an error, where they are invalid.
std::optional<TensorOperands> tensorOperands(MatrixContext& context, const Instruction& at);

// The type of a matrix; nullptr, with an error, where Object is none, or has 4-bit components.
const MatrixType* tensorMatrix(MatrixContext& context, const Instruction& at, Id object);

inline constexpr uint32_t kMaxTensorAccesses = 512;
inline constexpr uint32_t kMaxShortAccesses = 64;
inline constexpr uint32_t kMaxTensorPlaces = 16;
// Bytes up to which a lane loads or stores neighbours at once.
inline constexpr uint32_t kTensorRunBytes = 16;

class TensorTransfer {
 public:
    TensorTransfer(MatrixContext& context, MatrixWriter& writer, const Instruction& at,
                   const MatrixType& matrix, const TensorOperands& operands);

 protected:
    // Emits code that runs one of the three, by the layout's numbers at run time. `runs` is used
    // only where run_ is longer than one element.
    void byAddress(const std::function<void()>& runs, const std::function<void()>& separable,
                   const std::function<void()>& any);
    // A boolean of the layout's numbers: whether `runs` is right, or `separable` where run_ is one
    // element long. 0: never.
    Id condition();
    // Runs emitRuns() while addresses are those of runs.
    void inRuns(const std::function<void()>& emitRuns);
    // The longest run of at most `max` elements (a power of two) in a lane; one element: none.
    TensorRun longestRun(uint32_t max) const;
    // Sets run_ and runsFit_ for accesses of memory by `elements`.
    void chooseRuns(TensorElements& elements);
    // Visits the lane's elements, or the first ones of its runs, with their places.
    using Visit = std::function<void(const TensorPart& place, Id element)>;
    void visitSeparable(TensorWalk& walk, const Visit& visit);
    // The number (u32) of element `i` of a run whose first element has the number `first`.
    Id inRun(Id first, uint32_t i) const;
    void visitAny(TensorWalk& walk, const Visit& visit);

    // Rare ways are one loop, and share what they can.
    bool prefersShortCode() const { return context_.target.device.prefersShortCode; }
    spv::LoopControlMask rareLoops() const {
        return prefersShortCode() ? spv::LoopControlMask::DontUnroll
                                  : spv::LoopControlMask::MaskNone;
    }
    // Accesses up to which the code is unrolled: with separable addresses, and with any others.
    uint32_t maxAccesses() const {
        return prefersShortCode() ? kMaxShortAccesses : kMaxTensorAccesses;
    }
    uint32_t maxPlaces() const { return prefersShortCode() ? 1 : kMaxTensorPlaces; }
    Slot& slotOf(HeldElements& held, Id element);

    MatrixContext& context_;
    TypeTable& types_;
    MatrixWriter& writer_;
    Emitter& emit_;
    const Instruction& at_;
    const MatrixType& matrix_;
    TensorAddress address_;
    // What a lane accesses at once, and whether memory allows that (boolean; 0: it does).
    TensorRun run_;
    Id runsFit_ = 0;
};

}  // namespace coopvk::rewrite
