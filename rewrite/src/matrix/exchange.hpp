// SPDX-License-Identifier: Apache-2.0
//
// Moves components of matrices between invocations: of a workgroup through shared memory, of a
// subgroup by shuffles, or through shared memory if these would be too many.
#pragma once

#include <functional>
#include <tuple>

#include "lowering/memory.hpp"
#include "matrix/context.hpp"
#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

// Shared memory through which the invocations of a workgroup pass elements of matrices of scope
// Workgroup to each other: one variable, an array of vectors of four words. Each instruction that
// uses it uses all of it, between its barriers.

// Words that an instruction may use: of those that the layer reserves, as many as the module's
// variables leave. 0, with an error at the instruction, if they are fewer than `least`.
uint32_t workgroupWords(MatrixContext& context, const Instruction& at, uint32_t least);
// Words that the module leaves of all shared memory, for slices so deep that they save barriers.
// More than 48 KB would leave room for too few workgroups on a processor.
uint32_t deepSliceWords(const MatrixContext& context);

// Shared memory of each subgroup with so many elements of a type; nullopt: there is too little
// left, or the module cannot have it.
std::optional<SubgroupArea> subgroupArea(MatrixContext& context, std::string_view name, Id element,
                                         uint64_t elements);

// The accesses of one instruction.
class WorkgroupMemory {
 public:
    WorkgroupMemory(MatrixContext& context, Emitter& emit);

    // Declares that the instruction uses words 0 to words - 1.
    void use(uint32_t words);
    // Word number `first` + `offset` (u32). Constant parts of it belong in `offset`, since drivers
    // then need one address for all accesses with the same `first`.
    Id load(Id first, uint32_t offset = 0) { return loadWords(first, offset, 1)[0]; }
    void store(Id first, uint32_t offset, Id word) { storeWords(first, offset, {&word, 1}); }
    // One, two or four consecutive words, which begin at a multiple of their number.
    std::vector<Id> loadWords(Id first, uint32_t offset, uint32_t count);
    void storeWords(Id first, uint32_t offset, std::span<const Id> words);
    // Stores words of one vector of four: `vector` is its number, `component` that of the first
    // word.
    void storeInVector(Id vector, Id component, std::span<const Id> words) {
        memory_.storePart(emit_, vector, component, slotsOf(emit_, words));
    }
    Id pointerToVector(Id vector) { return memory_.elements().at(emit_, vector); }
    // Needed ahead of all stores, and between stores and loads.
    void barrier();

 private:
    MatrixContext& context_;
    Emitter& emit_;
    Memory memory_;
};

// Declares the variable, with as many words as the instructions that have been lowered use.
void declareWorkgroupMemory(MatrixContext& context);

// A component of at most 32 bits as a u32, and back.
Id wordOf(Emitter& emit, const MatrixType& matrix, const Slot& component);
Id componentOf(Emitter& emit, const MatrixType& matrix, Id word);

// Each lane holds the whole axis.
inline Axis wholeAxis(uint32_t size) { return {size, 1, size}; }

// False, with an error, where the device has no subgroup shuffles.
bool requireShuffles(MatrixContext& context, const Instruction& at);

// The steps of conversions of use, and of conversions between matrices and rows. It shuffles whole
// packs where it can, and each pack once for all of its components.
class SubgroupExchange : private MatrixCode {
 public:
    // Between lanes that are arranged as those of `matrix`, of components of its type.
    SubgroupExchange(MatrixContext& context, MatrixWriter& writer, const MatrixType& matrix)
        : MatrixCode(context, writer), matrix_(matrix), component_(matrix.component) {}

    // The slot's value in another lane (u32).
    Slot fromLane(const Slot& slot, Id lane);
    // The value in the lane whose number differs in the bits of `mask`.
    Slot fromLaneXor(const Slot& slot, uint32_t mask);
    // candidates[index]. `index` is a u32 below their number, and differs between lanes.
    Slot pick(std::span<const Slot> candidates, Id index);

    // The elements with all of an axis, which come from the lanes that it is distributed to.
    HeldElements gatherAxis(HeldElements& from, Dimension d);
    // This lane's part of an axis that it holds whole.
    HeldElements distributeAxis(HeldElements& from, Dimension d, const Axis& to);
    // This lane's number (u32) on an axis of rows or of columns.
    Id laneOn(Dimension d, const Axis& axis) { return position().laneOn(d, axis); }
    // This lane's row or column in the grid (u32).
    Id gridCoordinate(Dimension d) { return position().coordinate(d); }
    // The lane (u32) with coordinate `along` of the dimension and `other` of the other one.
    Id laneAt(Dimension d, Id along, Id other);
    // How far the next lane along the dimension is.
    uint32_t laneStep(Dimension d);

 private:
    GridPosition& position() { return writer_.position(matrix_); }
    Id shuffle(spv::Op opcode, Id word, Id lane);
    Slot shuffled(spv::Op opcode, const Slot& slot, Id lane);

    const MatrixType& matrix_;
    const Id component_;
    std::map<std::tuple<spv::Op, Id, Id>, Id> shuffled_;  // by value and lane, or mask
    std::map<std::vector<Id>, Id> picked_;                // by index and candidates
    std::map<std::pair<uint32_t, Id>, Id> gridLanes_;     // lanes with one constant coordinate
};

// Moves elements of matrices of scope Workgroup to other invocations, through shared memory.

// An instruction whose result has elements that other invocations compute. A helper function takes
// its first operand, and returns the result.
struct WorkgroupExchange {
    std::string_view name;      // of the helper function
    std::vector<uint32_t> key;  // of the helper function
    const MatrixType& from;
    const MatrixType& to;
    // What each invocation computes: the elements of a matrix that is distributed like this, which
    // is the result, or its transpose. element(...) returns one of them, by local row and column.
    Fragment computed;
    bool isTranspose = false;
    std::function<Slot(Emitter& emit, HeldElements& operand, uint32_t row, uint32_t column)>
        element;
};

// Calls the helper function, which defines at.result.
void lowerWorkgroupExchange(MatrixContext& context, MatrixWriter& writer, const Instruction& at,
                            const WorkgroupExchange& exchange);

// Conversions that move many elements between the lanes of a subgroup go through shared memory:
// each lane stores what it holds and loads what it gets. By shuffles, a lane would get the elements
// of many lanes, and keep few of them: thousands of instructions, and more values at a time than
// compilers of some drivers can have.

// Both are distributed to the lanes of a subgroup, and have equal components.
struct SubgroupMove {
    const MatrixType& from;
    const MatrixType& to;
    bool transposes = false;
};

// A subgroup's part of shared memory for components of a type, and in how many parts a matrix goes
// through it.
struct AreaParts {
    SubgroupArea area;
    uint32_t parts = 1;
};
// The one area for components of a type; a new one, as large as there is room for, where none is
// yet. nullopt: no more than `maxParts` parts of sizeOf(parts) elements fit.
std::optional<AreaParts> areaInParts(MatrixContext& context, Id component, uint32_t maxParts,
                                     const std::function<uint64_t(uint32_t parts)>& sizeOf);

// Whether `shuffles` shuffles are more than shared memory should spare, and there is enough of it.
bool usesSubgroupMemory(MatrixContext& context, const SubgroupMove& move, uint64_t shuffles);

// Defines `result` as the matrix with the elements of `value`. Needs usesSubgroupMemory().
void moveThroughMemory(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move,
                       Id value, Id result);

// Defines `result` as the accumulator `value` in the other layout, if just one of both lies as on
// some GPU (sums/sum_types.hpp) and shared memory has room: that takes an access to store and one
// to load each element, far less than shuffles for the whole matrix.
bool changeGrid(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move, Id value,
                Id result);

// Shared memory with 16 bytes for each lane. Of what one lane stores there, others load all at
// once, in place of a shuffle for each word.
class LaneItems : private MatrixCode {
 public:
    static constexpr uint32_t kWords = 4;

    // nullopt: the module cannot have it, or has no room.
    static std::optional<SubgroupArea> area(MatrixContext& context);

    LaneItems(MatrixContext& context, MatrixWriter& writer, const SubgroupArea& area)
        : MatrixCode(context, writer), area_(emit_, area), vector_(area.element) {}
    // Stores the four words of each lane, and waits until all have.
    void store(std::span<const Id> words) {
        area_.store(place(writer_.lane(), 0), emit_.construct(vector_, words));
        area_.barrier();
    }
    // What the lane `first` + `offset` has stored.
    std::vector<Id> load(Id first, uint32_t offset) {
        return emit_.parts(area_.load(place(first, offset)));
    }
    // Waits until all have loaded.
    void finish() { area_.barrier(); }

 private:
    Id place(Id lane, uint32_t offset) {
        const Id begin = emit_.times(writer_.subgroup(), context_.target.subgroupSize);
        return emit_.plus(emit_.addU32(begin, lane), offset);
    }

    AreaAccess area_;
    const Id vector_;
};

// Changes how the elements of a matrix are distributed to the lanes of a subgroup; `conversion`
// names the operand and the result.
void convertInSubgroup(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move,
                       const Instruction& conversion);

// Some of the elements of each line: `length` from `begin` on.
struct LinePart {
    uint32_t begin = 0, length = ~0u;
    uint32_t slots = 0;  // where a lane stores what is in other parts: the slot of lane 0

    uint32_t end() const { return length == ~0u ? length : begin + length; }
};

// A matrix in shared memory: its lines along a dimension, one after the other.
class MatrixInArea : private MatrixCode {
 public:
    // `first`: the number (u32) of the first unit in the area. A unit is `together` neighbours that
    // a lane holds together; `stride`: units from a line to the next one.
    MatrixInArea(MatrixContext& context, MatrixWriter& writer, const AreaAccess& area, Id first,
                 uint32_t stride, uint32_t together = 1)
        : MatrixCode(context, writer),
          area_(area),
          first_(first),
          stride_(stride),
          together_(together) {}

    // What the lane holds; barriers are the caller's.
    void store(const MatrixType& m, HeldElements& from, Dimension along, LinePart part = {});
    void load(const MatrixType& m, HeldElements& to, Dimension along, LinePart part = {});

 private:
    // Where the lane's first unit lies (u32). The places of others differ by constants, which
    // drivers have in addresses.
    Id start(const MatrixType& m, Dimension along);
    // Visits the units of a lane: the local indices of the first element, and the place.
    template <typename Visit>
    void each(const MatrixType& m, Dimension along, LinePart part, Visit visit);
    Id inPart(const MatrixType& m, Dimension along, uint32_t local, LinePart part, Id place);

    AreaAccess area_;
    const Id first_;
    const uint32_t stride_, together_;
};

}  // namespace coopvk::rewrite
