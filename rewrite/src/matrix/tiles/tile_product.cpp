// SPDX-License-Identifier: Apache-2.0
//
// Multiply-adds whose accumulators are tiles: emitTileProduct (product.hpp).
#include "matrix/sliced_product.hpp"
#include "matrix/tiles/tile_memory.hpp"

namespace coopvk::rewrite {

namespace {

// Where the parts of A and B in a slice lie in shared memory.
struct Slice {
    uint32_t depth = 0;  // columns of A; divides K
    RowsInMemory a, b;

    uint32_t words(uint32_t rowsOfA) const { return a.words(rowsOfA) + b.words(depth); }
};

Slice sliceOf(const MatrixContext& context, const MulAdd& p, uint32_t depth) {
    const uint32_t bitsOfA = context.types.width(p.a->component);
    const uint32_t bitsOfB = context.types.width(p.b->component);
    Slice slice;
    slice.depth = depth;
    slice.a = RowsInMemory::of(0, depth, bitsOfA);
    slice.b = RowsInMemory::of(slice.a.words(p.a->rows), p.b->columns, bitsOfB);
    return slice;
}

class TileProduct : SlicedProduct {
 public:
    TileProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                const Slice& slice)
        : SlicedProduct(context, function, product, slice.depth, slice.words(product.a->rows)),
          grid_(*product.result->tiles),
          slice_(slice),
          tiles_(context, emit_, memory_) {}

    Id emit() {
        HeldElements a(*p_.a, emit_, f_.parameter(0));
        HeldElements b(*p_.b, emit_, f_.parameter(1));
        // Positions are computed ahead of all control flow, since later blocks use them, too.
        const Id storesA = storesOf(*p_.a), storesB = storesOf(*p_.b);
        subgroup_ = readSubgroupPosition(emit_, grid_);
        beginSums(p_.result->pack, extractPacks(emit_, *p_.c, f_.parameter(2)));
        forEachSlice(
            [&](Id start) {
                stage(*p_.a, a, slice_.a, storesA, start, Dimension::kColumns);
                stage(*p_.b, b, slice_.b, storesB, start, Dimension::kRows);
            },
            [&] { multiply(); });
        return f_.finish(constructFromPacks(emit_, *p_.result, loadSums()));
    }

 private:
    Id storesOf(const MatrixType& m) {
        position_.laneOn(Dimension::kRows, m.fragment.rows);
        position_.laneOn(Dimension::kColumns, m.fragment.columns);
        return isNoDuplicate(m);
    }

    // Stores what this lane holds of a slice to shared memory. `k`: the dimension of K.
    void stage(const MatrixType& m, HeldElements& elements, const RowsInMemory& rows, Id stores,
               Id start, Dimension k) {
        forEachBlock(m, k, start, stores, [&](uint32_t block, Id inSlice) {
            const Axis& line = m.fragment.axis(other(k));
            for (uint32_t o = 0; o < line.count(); o += line.block) {
                const Id place = position_.indexOn(emit_, other(k), line, o);
                if (k == Dimension::kRows)
                    stageBlock(m, elements, rows, {block, o}, inSlice, place);
                else
                    stageBlock(m, elements, rows, {o, block}, place, inSlice);
            }
        });
    }

    struct Local {
        uint32_t row, column;
    };

    void stageBlock(const MatrixType& m, HeldElements& elements, const RowsInMemory& rows, Local at,
                    Id row, Id column) {
        const Id vector = rows.vectorOf(emit_, row, column);
        const Id component = emit_.modulo(emit_.over(column, rows.perWord), 4);
        for (uint32_t r = 0; r < kWorkgroupBlock; ++r) {
            std::vector<Id> words;
            for (uint32_t first = 0; first < kWorkgroupBlock; first += rows.perWord) {
                std::vector<Slot> slots;
                for (uint32_t i = 0; i < rows.perWord; ++i) {
                    slots.push_back(elements.at(at.row + r, at.column + first + i));
                }
                words.push_back(emit_.bitcast(types_.uint32(), gather(emit_, m.component, slots)));
            }
            memory_.storePart(emit_.plus(vector, r * rows.stride / 4), component, words);
        }
    }

    // The first row or column of a tile of this subgroup.
    Id firstOf(Id subgroup, uint32_t tiles, uint32_t tile, uint32_t size) {
        return emit_.plus(emit_.times(subgroup, tiles * size), tile * size);
    }

    void multiply() {
        const Id typeOfA =
            context_.tiles.tileType(types_, p_.a->component, grid_.rows, grid_.depth, Use::kA);
        const Id typeOfB =
            context_.tiles.tileType(types_, p_.b->component, grid_.depth, grid_.columns, Use::kB);
        std::vector<Id> sums = loadSums();
        for (uint32_t k = 0; k < slice_.depth; k += grid_.depth) {
            std::vector<Id> left;
            for (uint32_t i = 0; i < grid_.down; ++i) {
                const Id row = firstOf(subgroup_.row, grid_.down, i, grid_.rows);
                left.push_back(tiles_.load(typeOfA, slice_.a, row, emit_.constant(k)));
            }
            for (uint32_t j = 0; j < grid_.across; ++j) {
                const Id column = firstOf(subgroup_.column, grid_.across, j, grid_.columns);
                const Id right = tiles_.load(typeOfB, slice_.b, emit_.constant(k), column);
                for (uint32_t i = 0; i < grid_.down; ++i) {
                    Id& sum = sums[i * grid_.across + j];
                    sum = emit_.op(spv::Op::OpCooperativeMatrixMulAddKHR, p_.result->pack,
                                   operandsOf(left[i], right, sum));
                }
            }
        }
        for (size_t i = 0; i < sums.size(); ++i) f_.store(sums_[i], sums[i]);
    }

    Operands operandsOf(Id a, Id b, Id sum) {
        Operands operands = {idOperand(a), idOperand(b), idOperand(sum)};
        if (p_.operands != 0) operands.push_back(literal(p_.operands));
        return operands;
    }

    const TileGrid& grid_;
    const Slice& slice_;
    TileMemory tiles_;
    SubgroupPosition subgroup_;
};

}  // namespace

Id emitTileProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& p,
                   const Instruction& at) {
    const uint32_t step = p.result->tiles->depth;
    Slice slice = sliceOf(context, p, step);
    const uint32_t words = workgroupWords(context, at, slice.words(p.a->rows));
    if (words == 0) return 0;
    for (uint32_t depth = step; depth <= p.a->columns; depth += step) {
        const Slice deeper = sliceOf(context, p, depth);
        if (p.a->columns % depth == 0 && deeper.words(p.a->rows) <= words) slice = deeper;
    }
    return TileProduct(context, function, p, slice).emit();
}

}  // namespace coopvk::rewrite
