// SPDX-License-Identifier: Apache-2.0
//
// Which invocation holds which elements of a cooperative matrix.
//
// A "lane" is an invocation of the matrix's scope, with its number in the subgroup or workgroup.
// The lanes form a grid of `rows` x `columns`; lane = gridRow * columns + gridColumn. Rows of a
// matrix are distributed to grid rows, columns to grid columns:
//
//   Accumulator M x N   rows and columns are distributed: each element is in one lane
//   A           M x K   rows are distributed, a lane holds all K columns of its rows; the lanes of
//                       one grid row hold the same elements
//   B           K x N   columns are distributed, a lane holds all K rows of its columns; the lanes
//                       of one grid column hold the same elements
//
// So a multiply-add exchanges nothing between lanes. An axis is distributed to the largest power of
// two of lanes that divides its size and fits the grid: then every lane holds the same number of
// elements, whatever the size. Lanes beyond that number hold the same elements as lanes of lower
// number ("duplicates"), and must not store.
//
// In a lane, element e has the local row e / columns.count() and the local column
// e % columns.count(). Components of 8 and 16 bits are held in packs, which are vectors of up to 32
// bits, along the axis whose neighbours a multiply-add reads together.
//
// A matrix of scope Workgroup is distributed as accumulators are, whatever its use: each element is
// in one lane, in blocks of 4 x 4 neighbours. So conversions of use move nothing. A multiply-add
// gets its operands through shared memory (workgroup_product.cpp).
//
// Matrices of scope Workgroup that are only loaded from tensors and multiplied as tiles are
// distributed in "runs": neighbours that are neighbours in memory, too. Consecutive lanes hold
// consecutive runs of a line, so that a lane, and a subgroup, load much at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "ir/emitter.hpp"
#include "ir/types.hpp"
#include "plan/device_plan.hpp"

namespace coopvk::rewrite {

class MatrixUses;

struct Grid {
    uint32_t rows = 1;
    uint32_t columns = 1;

    bool operator==(const Grid&) const = default;
};

enum class Use : uint32_t { kA = 0, kB = 1, kAccumulator = 2 };  // Cooperative Matrix Use

enum class Dimension { kRows, kColumns };
constexpr Dimension other(Dimension d) {
    return d == Dimension::kRows ? Dimension::kColumns : Dimension::kRows;
}

// How one axis of a matrix is distributed to lanes: lane 0 has the first `block` neighbours, lane 1
// the next ones, and after the last lane lane 0 again.
struct Axis {
    uint32_t size = 1;
    uint32_t lanes = 1;  // divides size; a power of two
    uint32_t block = 1;  // divides count()

    uint32_t count() const { return size / lanes; }  // elements of a lane
    // How many neighbours a lane holds together; the first one has a multiple of it as its index.
    uint32_t neighbours() const { return lanes == 1 ? size : block; }
    // Index on the axis of local element `local`: base(local) + lane * block.
    uint32_t base(uint32_t local) const { return local / block * (lanes * block) + local % block; }
    uint32_t index(uint32_t lane, uint32_t local) const { return base(local) + lane * block; }
    // The inverse: which lane holds element `index` of the axis, and as which local element.
    uint32_t laneOf(uint32_t index) const { return index / block % lanes; }
    uint32_t localOf(uint32_t index) const {
        return index / (lanes * block) * block + index % block;
    }
    bool operator==(const Axis&) const = default;
};

enum class PackAxis { kColumns, kRows };

// Whose invocations are the lanes.
enum class LaneScope { kSubgroup, kWorkgroup };

// Neighbours along a dimension that a lane holds together.
struct Run {
    Dimension along = Dimension::kColumns;
    uint32_t length = 1;

    bool operator==(const Run&) const = default;
};

inline constexpr uint32_t kUndivided = 0;

// How the lanes of a subgroup hold the elements of one use. Axes are distributed as in layout.hpp:
// blocks of `rowBlock` rows and `columnBlock` columns to a grid of lanes, whatever the size.
struct MappedLanes {
    Grid grid;
    bool isByColumns = false;                // consecutive lanes fill the grid column by column
    uint32_t rowBlock = 1, columnBlock = 1;  // kUndivided: each lane holds the whole axis
    bool hasElementsByColumns = false;       // element e is in the local column e / rows.count()

    bool operator==(const MappedLanes&) const = default;
};

struct Fragment {
    Axis rows;
    Axis columns;
    uint32_t packWidth = 1;  // components in a pack
    PackAxis packAxis = PackAxis::kColumns;
    LaneScope scope = LaneScope::kSubgroup;
    std::optional<Run> run;          // distributed in runs of this kind
    std::optional<MappedLanes> map;  // distributed as some GPU does

    const Axis& axis(Dimension d) const { return d == Dimension::kRows ? rows : columns; }
    uint32_t length() const { return rows.count() * columns.count(); }
    // Whether element number e of the module is in the local column e / rows.count(), where that
    // is not in the local row e / columns.count(), too.
    bool numbersByColumns() const {
        return map && map->hasElementsByColumns && rows.count() > 1 && columns.count() > 1;
    }
    uint32_t packs() const { return length() / packWidth; }
    uint32_t packOf(uint32_t row, uint32_t column) const {
        return packAxis == PackAxis::kColumns ? (row * columns.count() + column) / packWidth
                                              : row / packWidth * columns.count() + column;
    }
    uint32_t componentOf(uint32_t row, uint32_t column) const {
        return (packAxis == PackAxis::kColumns ? column : row) % packWidth;
    }
};

// One policy for all matrices of a module, since they are converted into each other.
struct LayoutPolicy {
    Grid grid;  // of a subgroup
    // Neighbouring rows and columns that a lane holds together; 0: all that it holds.
    uint32_t rowBlock = 0;
    uint32_t columnBlock = 0;
    // 16-bit components of B are packed in pairs along K rather than along N.
    bool halfPairsAlongK = false;
    // Of a workgroup, for matrices of scope Workgroup: a power of two of lanes. Further invocations
    // hold the same elements as those of lower number. The grid consists of cells: invocations of
    // consecutive numbers, as many as a subgroup has, fill a cell row by row, and cells fill the
    // grid row by row. So a subgroup reads few lines of A and of B.
    Grid workgroup, cell;
    // Matrix types of use A and B, by id, that are distributed as accumulators are.
    std::set<uint32_t> likeAccumulators;
    // Matrix types of scope Workgroup, by id, that are distributed in runs (tiles/tile_grid.hpp).
    std::map<uint32_t, Run> runs;
    // Matrix types, by id, whose elements lie as on some GPU (element_maps.hpp). The grid and the
    // blocks above are that GPU's for accumulators unless some accumulators are among the types.
    std::map<uint32_t, MappedLanes> mapped;
    ElementLayout elementLayout = ElementLayout::kFree;
    // Where accumulators among these types are read, an invocation's number comes from its row and
    // column in the grid above. Loops of products have those in registers anyway.
    bool derivesLanes = false;

    // Whether invocations hold other elements of a type of A or B than products read.
    bool isHeldApart(uint32_t type) const {
        return likeAccumulators.contains(type) || mapped.contains(type);
    }
};

Fragment makeFragment(const LayoutPolicy& policy, Use use, uint32_t rows, uint32_t columns,
                      uint32_t componentBits);
// A lane may hold all of an axis whose size is not a multiple of kWorkgroupBlock.
Fragment makeWorkgroupFragment(const LayoutPolicy& policy, uint32_t rows, uint32_t columns,
                               uint32_t componentBits);
inline constexpr uint32_t kWorkgroupBlock = 4;
// The same in runs, whose length divides the size of the dimension.
Fragment makeRunFragment(const LayoutPolicy& policy, Run run, uint32_t rows, uint32_t columns,
                         uint32_t componentBits);

// The same as some GPU does.
Fragment makeMappedFragment(const MappedLanes& map, uint32_t rows, uint32_t columns,
                            uint32_t componentBits);

// The squarest grid of `lanes` lanes, a power of two. Where it cannot be square, it has more
// columns than rows, or with `tall` more rows than columns.
Grid makeGrid(uint32_t lanes, bool tall);

// Chooses how the matrices of a module are distributed.

// Chooses by the sizes of the matrices, and by how the module loads, stores and multiplies them;
// target.tuning has precedence. Speed depends on the policy, results do not:
// docs/developers/benchmarks.md has the measurements.
// Accumulators of the types `heldSums` lie as the layout says, and those of products do not
// (sums/sum_types.hpp); none: all lie so.
LayoutPolicy choosePolicy(const MatrixUses& uses, const TypeTable& types,
                          const PlannedTarget& target, ElementLayout layout,
                          const std::set<uint32_t>& heldSums = {});

// Where an invocation is in the grid of lanes of its subgroup or workgroup (layout.hpp).

struct LaneGrid {
    LaneScope scope;
    Grid grid, cell;                 // LayoutPolicy has both
    uint32_t lanes;                  // invocations of the scope: some may be outside of the grid
    bool cellsAreSubgroups = false;  // as in MatrixContext
    bool isByColumns = false;        // consecutive lanes fill the grid column by column
};

class GridPosition {
 public:
    // Emits each instruction once, into `out`.
    GridPosition(TypeTable& types, InstructionList& out, const LaneGrid& lanes)
        : emit_(types, out), lanes_(lanes) {}

    // u32 values.
    Id lane();  // SubgroupLocalInvocationId, or the number in the workgroup
    Id row();   // in the grid; of invocations outside of it, that of one with lower number
    Id column();
    Id coordinate(Dimension d) { return d == Dimension::kRows ? row() : column(); }
    // The invocation's lane on an axis of rows or of columns, in [0, axis.lanes).
    Id laneOn(Dimension d, const Axis& axis);
    // The row or column of the matrix that has the local index `local`.
    Id indexOn(Emitter& emit, Dimension d, const Axis& axis, uint32_t local);
    // True unless a lane of lower number holds the same rows and columns.
    Condition isNoDuplicate(Emitter& emit, uint32_t rowLanes, uint32_t columnLanes);
    Condition isNoDuplicate(Emitter& emit, const Fragment& f) {
        return isNoDuplicate(emit, f.rows.lanes, f.columns.lanes);
    }
    void setLane(Id lane) { lane_ = lane; }  // where the module has read it already

 private:
    using Value = std::optional<Id>;  // that is computed once

    Id numberBySubgroup();
    Id limited(Id lane);
    Id laneInCell();
    // The lane's digit that counts `below` lanes and has `count` values: lane / below % count.
    Id digit(Value& value, uint32_t below, uint32_t count);
    template <typename Make>
    Id once(Value& value, Make make) {
        if (!value) value = make();
        return *value;
    }

    Emitter emit_;
    const LaneGrid lanes_;
    Value lane_, laneInCell_, row_, column_;
    std::map<std::pair<Id, uint32_t>, Value> axisLanes_;  // by coordinate and number of lanes
};

// The index on an axis of a local element, in the lane `lane` of the axis: u32. `local` is a
// constant, or a u32 value.
Id indexOn(Emitter& emit, const Axis& axis, Id lane, uint32_t local);
Id indexOfValue(Emitter& emit, const Axis& axis, Id lane, Id local);

}  // namespace coopvk::rewrite
