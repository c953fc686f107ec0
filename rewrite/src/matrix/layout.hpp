// SPDX-License-Identifier: Apache-2.0
//
// Which invocation holds which elements of a cooperative matrix.
//
// The lanes of a subgroup form a grid of `rows` x `columns`; lane = gridRow * columns + gridColumn.
// Rows of a matrix are dealt to grid rows, columns to grid columns:
//
//   Accumulator M x N   rows dealt, columns dealt: each element in one lane
//   A           M x K   rows dealt, all K columns in the lane: replicated across grid columns
//   B           K x N   all K rows in the lane, columns dealt: replicated across grid rows
//
// so that a multiply-add needs no traffic between lanes. An axis is dealt to the largest power of
// two of lanes that divides its size and fits the grid: every lane then holds the same number of
// elements, whatever the size. Lanes beyond that repeat lanes of lower number ("duplicates") and
// must not store.
//
// In a lane, element e is at local row e / columns.count, local column e % columns.count.
// Components of 8 and 16 bits are held in packs, vectors of up to 32 bits, along the axis that
// multiply-add reads together.
//
// A matrix of scope Workgroup is dealt to the invocations of its workgroup as accumulators are,
// whatever its use: each element in one lane, in blocks of 4 x 4 neighbours. Conversions of use
// then move nothing; a multiply-add gets its operands through shared memory
// (workgroup_product.hpp).
#pragma once

#include <cstdint>

namespace coopvk::rewrite {

struct Grid {
    uint32_t rows = 1;
    uint32_t columns = 1;
};

enum class Use : uint32_t { kA = 0, kB = 1, kAccumulator = 2 };  // Cooperative Matrix Use

// How one axis of a matrix is dealt to lanes: in turns of `block` neighbours.
struct Axis {
    uint32_t size = 1;
    uint32_t lanes = 1;  // divides size; a power of two
    uint32_t block = 1;  // neighbours that a lane holds together; divides count()

    uint32_t count() const { return size / lanes; }
    // Longest run of neighbours in a lane, and what every run's start is a multiple of.
    uint32_t run() const { return lanes == 1 ? size : block; }
    // Index on the axis of local element `local` is local base + lane * block.
    uint32_t base(uint32_t local) const { return local / block * (lanes * block) + local % block; }
    uint32_t index(uint32_t lane, uint32_t local) const { return base(local) + lane * block; }
};

enum class PackAxis { kColumns, kRows };

// Whose invocations are the lanes.
enum class LaneScope { kSubgroup, kWorkgroup };

struct Fragment {
    Axis rows;
    Axis columns;
    uint32_t packWidth = 1;  // components a pack
    PackAxis packAxis = PackAxis::kColumns;
    LaneScope scope = LaneScope::kSubgroup;

    uint32_t length() const { return rows.count() * columns.count(); }
    uint32_t packs() const { return length() / packWidth; }
    uint32_t packOf(uint32_t row, uint32_t column) const {
        return packAxis == PackAxis::kColumns ? (row * columns.count() + column) / packWidth
                                              : row / packWidth * columns.count() + column;
    }
    uint32_t componentOf(uint32_t row, uint32_t column) const {
        return (packAxis == PackAxis::kColumns ? column : row) % packWidth;
    }
};

// The grid for a subgroup, and what else applies to the whole module: matrices of one module are
// converted into each other, so all share one way of dealing.
struct LayoutPolicy {
    Grid grid;
    // Neighbouring rows, and columns, that a lane holds together; 0: as many as it holds.
    uint32_t rowBlock = 0;
    uint32_t columnBlock = 0;
    // 16-bit components of B are held in pairs along K rather than along N.
    bool halfPairsAlongK = false;
    // Of the workgroup's invocations, for matrices of scope Workgroup. It has a power of two of
    // them; further ones repeat those of lower number. Invocations of consecutive numbers, as many
    // as a subgroup has, fill a cell of it, row by row; cells fill the grid likewise. A subgroup
    // then reads few lines of A and of B.
    Grid workgroup, cell;
};

Fragment makeFragment(const LayoutPolicy& policy, Use use, uint32_t rows, uint32_t columns,
                      uint32_t componentBits);
// Rows and columns are multiples of kWorkgroupBlock.
Fragment makeWorkgroupFragment(const LayoutPolicy& policy, uint32_t rows, uint32_t columns,
                               uint32_t componentBits);
inline constexpr uint32_t kWorkgroupBlock = 4;

// Near-square grid of a power of two of lanes, wider than high for odd powers of two; the other way
// round where `tall`.
Grid makeGrid(uint32_t lanes, bool tall);

}  // namespace coopvk::rewrite
