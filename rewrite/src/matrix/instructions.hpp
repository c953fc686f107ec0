// SPDX-License-Identifier: Apache-2.0
//
// Rewrites a function whose matrices are distributed to a grid of lanes (layout.hpp).
#pragma once

#include <set>

#include "lowering/context.hpp"
#include "lowering/words.hpp"
#include "matrix/context.hpp"
#include "matrix/layout.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

class MatrixWriter : public FunctionWriter {
 public:
    MatrixWriter(MatrixContext& context, Function& function)
        : FunctionWriter(context, function), matrices_(context) {}

    // The invocation's position, as values that are the same in the whole function.
    GridPosition& position(LaneScope scope);
    GridPosition& position(const MatrixType& m);

    // u32: the invocation's lane on an axis of the matrix, and the row and column of a local
    // element.
    Id laneOn(const MatrixType& m, Dimension d) {
        return position(m).laneOn(d, m.fragment.axis(d));
    }
    Id rowOf(const MatrixType& m, uint32_t localRow) {
        return position(m).indexOn(emit(), Dimension::kRows, m.fragment.rows, localRow);
    }
    Id columnOf(const MatrixType& m, uint32_t localColumn) {
        return position(m).indexOn(emit(), Dimension::kColumns, m.fragment.columns, localColumn);
    }
    // Whether this invocation is the one that stores what it holds.
    Condition isNoDuplicate(const MatrixType& m) {
        return position(m).isNoDuplicate(emit(), m.fragment);
    }

    // A variable for what holds its values only for a part of the lowering of one instruction. With
    // functions that drivers inline several times it is one of the module.
    Id sharedVariable(Id type) {
        const bool hasFunctions = !matrices_.sharedLoads.loads.empty();
        auto& variables = hasFunctions ? matrices_.sharedLoads.variables : shared_;
        const auto [entry, isNew] = variables.try_emplace(type, 0);
        if (!isNew) return entry->second;
        return entry->second = hasFunctions
                                   ? globalVariable(matrices_.types, spv::StorageClass::Private,
                                                    type, "coopvk_elements")
                                   : variable(type);
    }

 private:
    Id derivedLane();

    MatrixContext& matrices_;
    std::map<Id, Id> shared_;  // variables by type
    std::optional<GridPosition> positions_[2];
    std::map<Id, GridPosition> ownPositions_;  // by matrix type, of those with lanes of their own
};

// Base class of the code for one instruction.
class MatrixCode {
 protected:
    MatrixCode(MatrixContext& context, MatrixWriter& writer)
        : context_(context), types_(context.types), writer_(writer), emit_(writer.emit()) {}

    MatrixContext& context_;
    TypeTable& types_;
    MatrixWriter& writer_;
    Emitter& emit_;
};

// The elements that a lane holds of one matrix, by local row and column: taken out of the array of
// packs, or to be put into one.

struct HeldElements {
    Axis rows;
    Axis columns;
    std::vector<Slot> slots;  // by local row, then local column

    // Without values; at() sets them.
    HeldElements(const Axis& rowAxis, const Axis& columnAxis)
        : rows(rowAxis), columns(columnAxis), slots(rowAxis.count() * columnAxis.count()) {}
    explicit HeldElements(const MatrixType& matrix)
        : HeldElements(matrix.fragment.rows, matrix.fragment.columns) {}
    // The elements of a value; emits one extraction for each pack.
    HeldElements(const MatrixType& matrix, Emitter& emit, Id value);
    // Elements without values that have another axis for one dimension.
    HeldElements emptyWith(Dimension d, const Axis& axis) const {
        return d == Dimension::kRows ? HeldElements(axis, columns) : HeldElements(rows, axis);
    }

    const Axis& axis(Dimension d) const { return d == Dimension::kRows ? rows : columns; }
    bool isDistributed() const { return rows.lanes > 1 || columns.lanes > 1; }
    Slot& at(uint32_t row, uint32_t column) { return slots[row * columns.count() + column]; }
    // Local index `i` of the dimension, and `other` of the other one.
    Slot& at(Dimension d, uint32_t i, uint32_t other) {
        return d == Dimension::kRows ? at(i, other) : at(other, i);
    }
    // A component of the matrix as a scalar; emits its extraction once.
    Id scalar(Emitter& emit, const MatrixType& matrix, uint32_t row, uint32_t column);
    // Calls visit(row, column, slot) for all elements, row by row.
    template <typename Visit>
    void each(Visit visit) {
        for (uint32_t row = 0; row < rows.count(); ++row) {
            for (uint32_t column = 0; column < columns.count(); ++column) {
                visit(row, column, at(row, column));
            }
        }
    }
    // Defines `result`, or a new id, as the matrix with these elements, which are distributed as
    // its fragment says.
    Id construct(const MatrixType& matrix, Emitter& emit, std::optional<Id> result = {}) const;
};

// The packs of a value, in order; open sums are closed.
std::vector<Id> extractPacks(Emitter& emit, const MatrixType& matrix, Id value);
// Defines `result`, or a new id, as the matrix made of these packs.
Id constructFromPacks(Emitter& emit, const MatrixType& matrix, std::span<const Id> packs,
                      std::optional<Id> result = {});

// The matrix with its 4-bit components sign or zero extended; the value itself where they are
// already, or are in words, or have other widths.
Id withSign(MatrixContext& context, Emitter& emit, const MatrixType& matrix, Id value,
            bool isSigned);

// Functions that lower one instruction each. They define the instruction's result, or set
// context.error. Those that return a boolean return false where the instruction stays, perhaps
// changed in place.

// OpCooperativeMatrixLoadKHR and OpCooperativeMatrixStoreKHR.
void lowerMatrixLoad(MatrixContext& context, MatrixWriter& writer, const Instruction& load);
void lowerMatrixStore(MatrixContext& context, MatrixWriter& writer, const Instruction& store);

// OpCooperativeMatrixLoadTensorNV and OpCooperativeMatrixStoreTensorNV.
void lowerTensorLoad(MatrixContext& context, MatrixWriter& writer, const Instruction& load);
bool lowerLoadCondition(MatrixContext& context, MatrixWriter& writer, const Instruction& i);
void lowerTensorStore(MatrixContext& context, MatrixWriter& writer, const Instruction& store);

// OpCooperativeMatrixMulAddKHR: a call of a helper function, one for each combination of types.
void lowerMulAdd(MatrixContext& context, MatrixWriter& writer, const Instruction& mulAdd);
// The OpCopyObject of `opened` in tensor/load_order.hpp: computes the last part of that product.
bool lowerProductEnd(MatrixContext& context, MatrixWriter& writer, const Instruction& copy);

// OpCooperativeMatrixConvertNV: changes the use (A, B, accumulator) of a matrix.
void lowerRoleConversion(MatrixContext& context, MatrixWriter& writer,
                         const Instruction& conversion);
// OpCooperativeMatrixConvertNV between an array of tiles and distributed elements
// (tiles/tile_grid.hpp).
void lowerTileConversion(MatrixContext& context, MatrixWriter& writer,
                         const Instruction& conversion);
// OpFConvert and the other conversions. They may also change the use, from an accumulator to A or B
// (SPV_NV_cooperative_matrix2).
bool lowerConversion(MatrixContext& context, MatrixWriter& writer, Instruction& conversion);
// Finds the conversions that tensor stores do (MatrixContext::storedConversions).
void findStoredConversions(MatrixContext& context);

// OpCooperativeMatrixTransposeNV and OpCooperativeMatrixReduceNV.
void lowerTransposition(MatrixContext& context, MatrixWriter& writer, const Instruction& transpose);
void lowerReduction(MatrixContext& context, MatrixWriter& writer, const Instruction& reduce);

// OpCooperativeMatrixPerElementOpNV and OpCooperativeMatrixGetCoordinateEXT.
void lowerPerElement(MatrixContext& context, MatrixWriter& writer, const Instruction& call);
void lowerGetCoordinate(MatrixContext& context, MatrixWriter& writer, const Instruction& query);

// OpCompositeConstructCoopMatQCOM and OpCompositeExtractCoopMatQCOM: each invocation has an array;
// that of invocation i is row i of A or of an accumulator, or column i of B.
void lowerConstructFromRows(MatrixContext& context, MatrixWriter& writer,
                            const Instruction& construct);
void lowerExtractRows(MatrixContext& context, MatrixWriter& writer, const Instruction& extract);

// Composites and element-wise instructions, as those of other packed types; and what only matrices
// have of these: open sums and components of 4 bits.
// OpCompositeExtract and OpCompositeInsert.
bool lowerMatrixIndices(MatrixContext& context, Emitter& emit, Instruction& instruction);
bool lowerMatrixChain(MatrixContext& context, Emitter& emit, Instruction& chain);
bool lowerMatrixConversion(MatrixContext& context, Emitter& emit, const Instruction& conversion);
void lowerMatrixConstants(MatrixContext& context);

// Open sums: what a lane holds of an f16 accumulator while a loop, or one product of matrices of
// scope Workgroup, adds products to it. Each component is one of these (SumForm):
//   - two f16, to which packed f16 arithmetic adds the products of pairs along K;
//   - one f32, on CPUs, with mixed dot products, and where half floats are emulated.
// It becomes one f16 ("closes") where anything but a product reads it. SPV_KHR_cooperative_matrix
// leaves order and precision of a product's sums to the implementation.

// The types of f16 accumulators with open sums: loops add products to them, and a lane has few
// enough components.
std::set<Id> openAccumulators(const MatrixUses& uses, const TypeTable& types,
                              const PlannedTarget& target, const LayoutPolicy& policy);

// Converts open sums to packs of components, and packs to open sums.
std::vector<Id> closeSums(Emitter& emit, const MatrixType& matrix, std::span<const Id> sums);
std::vector<Id> openSums(Emitter& emit, const MatrixType& matrix, std::span<const Id> packs);
// The same for one component. closeSum defines `result`, or a new id.
Id closeSum(Emitter& emit, const MatrixType& matrix, Id sum, std::optional<Id> result = {});
Id openSum(Emitter& emit, const MatrixType& matrix, Id component);

// Lowers OpLoad and OpStore of a component that is an open sum. False: the instruction stays.
bool lowerSumAccess(MatrixContext& context, Emitter& emit, Instruction& instruction);

// The elements that a lane holds of a matrix, in a variable: loops read and write them by number.

class ElementArray {
 public:
    // Whether other arrays have the variable before and after.
    enum class Variable { kOwn, kShared };
    ElementArray(MatrixContext& context, MatrixWriter& writer, const MatrixType& matrix,
                 Variable variable = Variable::kOwn);

    // The component of a local element (u32), row by row.
    Id load(Id element) { return emit_.load(matrix_.component, pointer(element)); }
    void store(Id element, Id component) { emit_.store(pointer(element), component); }

    // Neighbours whose numbers differ by `step`, where that is shorter and they are whole packs;
    // else nothing and false.
    std::vector<Slot> loadPacks(Id first, uint32_t step, uint32_t count);
    bool storePacks(Id first, uint32_t step, std::span<const Slot> components);

    // Stores all elements of a matrix.
    void fill(Id matrix);
    // The matrix of all elements; defines `result`, or a new id.
    Id whole(std::optional<Id> result = {});

 private:
    Id pointer(Id element);
    Id line(Id element) { return emit_.over(element, matrix_.packStep); }
    Id packOf(Id element, Id line);
    Id packPointer(Id first, uint32_t pack);
    bool takesPacks(uint32_t step, size_t count) const;

    Emitter& emit_;
    const MatrixType& matrix_;
    const bool isOfCpu_;
    const bool holdsPacks_;  // the variable is a matrix; else an array of components
    Id variable_ = 0;
};

}  // namespace coopvk::rewrite
