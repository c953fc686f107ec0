// SPDX-License-Identifier: Apache-2.0
//
// What loads and stores of matrices by tensor addresses consist of: accesses of elements
// (TensorElements), calls that decode them (TensorDecode), and the walk over those of a lane
// (TensorWalk), which TensorTransfer puts together.
#pragma once

#include "ir/emitter.hpp"
#include "ir/memory_operands.hpp"
#include "lowering/element_pointer.hpp"
#include "lowering/memory.hpp"
#include "lowering/words.hpp"
#include "matrix/context.hpp"
#include "matrix/instructions.hpp"
#include "tensor/tensor_address.hpp"

namespace coopvk::rewrite {

// Loads and stores of a tensor's elements, by their index from Pointer: "This index is then
// multiplied by the size of the component type of the matrix and treated as a byte offset from the
// 'Pointer' operand" (SPV_NV_cooperative_matrix2), whatever type Pointer points to.
class TensorElements {
 public:
    TensorElements(MatrixContext& context, Emitter& emit, const Instruction& at,
                   const MatrixType& matrix, Id pointer, const MemoryOperands& memory);

    bool valid() const { return scalar_ != 0; }
    // The element with an index (u32), as a scalar of the matrix's component type.
    Id load(Emitter& emit, Id index);
    void store(Emitter& emit, Id index, Id component);

    // Whether `length` neighbours, the first of which has a multiple of `length` as its index, may
    // be accessed at once: at most 16 bytes. The same in all invocations. loadRun() and
    // storeRun() access them, by the index divided by `length`.
    Condition hasRuns(Emitter& emit, uint32_t length);
    // Where it is not `inside`, the components are the low bits of `outside` (u32).
    std::vector<Slot> loadRun(Emitter& emit, Id run, Condition inside, Id outside);
    void storeRun(Emitter& emit, Id run, std::span<const Slot> components);
    // What precedes run 0 of Pointer, in runs.
    Id runsAhead(Emitter& emit) {
        const BufferPlace& place = runs_->place();
        return place.isAddress ? emit.constant(0)
                               : emit.over(place.bytes, run_ * componentBits_ / 8);
    }

 private:
    bool unsupported(std::string_view what);
    void resolve(Emitter& emit, Id pointer);
    Id reachable(spv::StorageClass storage) const {
        return untypedPointee(context_, storage, memoryType());
    }
    Id memoryType() const;
    Id fromStart(Emitter& emit, Id index);
    Id packOf(Emitter& emit, Id word);
    void storePart(Emitter& emit, Id index, Id component);
    // The components in memory scalars of `type`, and the inverse.
    std::vector<Slot> unpack(Emitter& emit, std::span<const Slot> memory, Id type);
    std::vector<Slot> pack(Emitter& emit, std::span<const Slot> components, Id type);
    uint32_t bits() const { return context_.types.width(scalar_); }

    MatrixContext& context_;
    TypeTable& types_;
    const Instruction& at_;
    const MatrixType& matrix_;
    const bool isStore_;
    const uint32_t componentBits_;
    const MemoryOperands memory_;
    const Id pointer_;
    std::optional<Memory> scalars_;
    Id scalar_ = 0;            // type of these
    std::optional<Id> first_;  // the scalar that Pointer points to; nullopt: the first one
    // What hasRuns() sets. A run of run_ elements is a vector of type pack_.
    std::optional<Memory> runs_;
    uint32_t run_ = 0;
    Id pack_ = 0;
};

// Visits the elements of a matrix that a lane holds, unrolled or in loops.

// Neighbours that are visited together.
struct TensorRun {
    uint32_t length = 1;
    bool alongRow = true;  // else along a column

    uint32_t rows() const { return alongRow ? 1 : length; }
    uint32_t columns() const { return alongRow ? length : 1; }
};

class TensorWalk {
 public:
    // Unrolls up to `maxUnrolled` visits.
    TensorWalk(MatrixWriter& writer, const MatrixType& matrix, uint32_t maxUnrolled,
               TensorRun run = {}, spv::LoopControlMask control = spv::LoopControlMask::MaskNone);

    // Whether the numbers of elements are not all constants.
    bool isRolled() const { return rollsRows_; }

    // What a row or column (u32) of the matrix gives to the places of its elements.
    using MakePart = std::function<TensorPart(Id)>;
    // `element` is the number (u32) of the local element, row by row; of a run, that of its first
    // element.
    using Visit = std::function<void(const TensorPart& row, const TensorPart& column, Id element)>;
    void run(const MakePart& ofRow, const MakePart& ofColumn, const Visit& visit);

 private:
    MatrixWriter& writer_;
    const MatrixType& matrix_;
    const TensorRun run_;
    const uint32_t rows_, columns_;  // of runs
    const bool rollsRows_, rollsColumns_;
    const spv::LoopControlMask control_;  // of the loops
};

// Calls of decode functions (SPV_NV_cooperative_matrix2). DecodeFunc takes a pointer to a block of
// the tensor, the block's coordinates and an element's coordinates in the block, and returns the
// element. DecodeVectorFunc returns a vector of neighbours in the last dimension
// (SPV_NV_cooperative_matrix_decode_vector).

class TensorDecode {
 public:
    enum class Kind { kElement, kVector };  // DecodeFunc, DecodeVectorFunc
    TensorDecode(MatrixContext& context, Emitter& emit, const Instruction& at,
                 const MatrixType& matrix, const TensorLayoutType& layout, Kind kind, Id function,
                 Id pointer);

    bool valid() const { return function_ != 0; }
    // Whether more calls than one for each element of the matrix make no difference.
    bool mayRepeat() const { return mayRepeat_; }
    // The element at a place, or the vector that begins there.
    Id call(Emitter& emit, const TensorPart& place);

 private:
    bool refuse(std::string_view what);
    bool hasParameters(const Instruction& type) const;
    void useUnits(Emitter& emit);
    Id coordinates(Emitter& emit, uint32_t parameter, std::span<const Id> values);

    MatrixContext& context_;
    const Instruction& at_;
    const uint32_t dimensions_;
    bool mayRepeat_ = false;
    Id function_ = 0;      // the function to call
    Id functionType_ = 0;  // of the application's function
    uint32_t blockBytes_ = 0;
    Id resultType_ = 0;
    std::optional<Memory> memory_;  // from the first block on
    Id unit_ = 0;  // behind a physical pointer: a type whose size divides that of a block
};

// The common parts of loads and stores of matrices by tensor addresses.

// The operands of OpCooperativeMatrixLoadTensorNV and OpCooperativeMatrixStoreTensorNV.
struct TensorOperands {
    Id pointer = 0, object = 0, layout = 0;
    MemoryOperands memory;
    std::optional<Id> view, decode, decodeVector;
};
// nullopt, with an error, where they are invalid.
std::optional<TensorOperands> tensorOperands(MatrixContext& context, const Instruction& at);

// Bytes up to which a lane loads or stores neighbours at once.
inline constexpr uint32_t kTensorRunBytes = 16;

// Loads by tensor addresses that differ in their arguments only call functions, one for each way to
// load. So code that loads in many places is shorter, and loads that follow each other still share
// one branch:
//
//   before:  if (both layouts allow it) { a, b = fast loads } else { a, b = other loads }
//   after:   if (both layouts allow it) { a = fast1(...); b = fast2(...) }
//            else { a = others1(...); b = others2(...) }
//
// Drivers inline the functions.

// Finds the loads that are alike. Runs before any is lowered.
void findSharedLoads(MatrixContext& context);

// Calls the function that loads in this way, with the arguments of `load`. Returns what it loads;
// nullopt: no other load is alike.
std::optional<Id> callSharedLoad(MatrixContext& context, Emitter& emit, const Instruction& load,
                                 LoadWay way);

}  // namespace coopvk::rewrite
