// SPDX-License-Identifier: Apache-2.0
#include "matrix/tiles/tile_product.hpp"

#include "matrix/packs.hpp"
#include "matrix/tiles/tile_memory.hpp"

namespace coopvk::rewrite {

namespace {

// A slice of A and B in shared memory.
struct Slice {
    uint32_t depth = 0;  // divides K
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

class TileProduct {
 public:
    TileProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                const Slice& slice)
        : context_(context),
          f_(function),
          emit_(function.emit()),
          p_(product),
          grid_(*product.result->tiles),
          slice_(slice),
          memory_(context, emit_),
          tiles_(context, emit_, memory_),
          position_(context.position(emit_.out(), LaneScope::kWorkgroup)) {
        memory_.use(slice.words(product.a->rows));
    }

    Id emit() {
        HeldElements a(*p_.a, emit_, f_.parameter(0));
        HeldElements b(*p_.b, emit_, f_.parameter(1));
        // Ahead of all control flow.
        const Id storesA = noDuplicate(*p_.a), storesB = noDuplicate(*p_.b);
        subgroup_ = readSubgroupPosition(emit_, grid_);
        for (const Id tile : extractPacks(emit_, *p_.c, f_.parameter(2))) {
            sums_.push_back(f_.variable(p_.result->pack));
            f_.store(sums_.back(), tile);
        }
        f_.repeat(p_.a->columns / slice_.depth, 1, [&](Id slice) {
            const Id start = emit_.mulInt(u32(), slice, c(slice_.depth));
            memory_.barrier();
            stage(*p_.a, a, slice_.a, storesA, start, false);
            stage(*p_.b, b, slice_.b, storesB, start, true);
            memory_.barrier();
            multiply();
        });
        std::vector<Id> result;
        for (const Id sum : sums_) result.push_back(f_.load(sum));
        return f_.finish(constructFromPacks(emit_, *p_.result, result));
    }

 private:
    Id u32() { return context_.types.uint32(); }
    Id c(uint32_t value) { return emit_.constant(value); }

    Id noDuplicate(const MatrixType& m) {
        // And where the lane is, ahead of all control flow.
        position_.rowLane(m.fragment.rows.lanes);
        position_.columnLane(m.fragment.columns.lanes);
        return position_.isNoDuplicate(emit_, m.fragment.rows.lanes, m.fragment.columns.lanes);
    }

    Id indexOf(const Axis& axis, bool isRow, uint32_t local) {
        const Id lane = isRow ? position_.rowLane(axis.lanes) : position_.columnLane(axis.lanes);
        return indexOn(emit_, axis, lane, local);
    }

    // Puts what this lane holds of a slice, rows or columns from `start` on, into shared memory.
    void stage(const MatrixType& m, HeldElements& elements, const RowsInMemory& rows, Id stores,
               Id start, bool sliceOfRows) {
        const Axis& k = sliceOfRows ? m.fragment.rows : m.fragment.columns;
        for (uint32_t block = 0; block < k.count(); block += k.block) {
            const Id index = indexOf(k, sliceOfRows, block);
            const Id inSlice = emit_.op(spv::Op::OpISub, u32(), {index, start});
            Id stored = stores;
            if (slice_.depth < k.size) {
                stored =
                    emit_.both(stores, emit_.op(spv::Op::OpULessThan, context_.types.boolType(),
                                                {inSlice, c(slice_.depth)}));
            }
            const auto body = [&] {
                const Axis& other = sliceOfRows ? m.fragment.columns : m.fragment.rows;
                for (uint32_t o = 0; o < other.count(); o += other.block) {
                    const Id place = indexOf(other, !sliceOfRows, o);
                    if (sliceOfRows)
                        stageBlock(m, elements, rows, {block, o}, inSlice, place);
                    else
                        stageBlock(m, elements, rows, {o, block}, place, inSlice);
                }
            };
            stored == 0 ? body() : f_.when(stored, body);
        }
    }

    struct Local {
        uint32_t row, column;
    };

    void stageBlock(const MatrixType& m, HeldElements& elements, const RowsInMemory& rows, Local at,
                    Id row, Id column) {
        const Id along = emit_.divInt(u32(), column, c(rows.perWord));
        const Id down = emit_.mulInt(u32(), row, c(rows.stride));
        const Id start = emit_.addInt(u32(), down, along);
        for (uint32_t r = 0; r < kWorkgroupBlock; ++r) {
            for (uint32_t column0 = 0; column0 < kWorkgroupBlock; column0 += rows.perWord) {
                std::vector<Slot> slots;
                for (uint32_t i = 0; i < rows.perWord; ++i) {
                    slots.push_back(elements.at(at.row + r, at.column + column0 + i));
                }
                const uint32_t offset = rows.first + r * rows.stride + column0 / rows.perWord;
                memory_.store(emit_.addInt(u32(), start, c(offset)),
                              emit_.bitcast(u32(), gather(emit_, m.component, slots)));
            }
        }
    }

    // First row or column of this subgroup's tile.
    Id firstOf(Id subgroup, uint32_t tiles, uint32_t tile, uint32_t size) {
        const Id first = emit_.mulInt(u32(), subgroup, c(tiles * size));
        return emit_.addInt(u32(), first, c(tile * size));
    }

    void multiply() {
        TypeTable& types = context_.types;
        const Id typeOfA =
            context_.tiles.tileType(types, p_.a->component, grid_.rows, grid_.depth, Use::kA);
        const Id typeOfB =
            context_.tiles.tileType(types, p_.b->component, grid_.depth, grid_.columns, Use::kB);
        std::vector<Id> sums;
        for (const Id sum : sums_) sums.push_back(f_.load(sum));
        for (uint32_t k = 0; k < slice_.depth; k += grid_.depth) {
            std::vector<Id> left;
            for (uint32_t i = 0; i < grid_.down; ++i) {
                const Id row = firstOf(subgroup_.row, grid_.down, i, grid_.rows);
                left.push_back(tiles_.load(typeOfA, slice_.a, row, c(k)));
            }
            for (uint32_t j = 0; j < grid_.across; ++j) {
                const Id column = firstOf(subgroup_.column, grid_.across, j, grid_.columns);
                const Id right = tiles_.load(typeOfB, slice_.b, c(k), column);
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
        using Mask = spv::CooperativeMatrixOperandsMask;
        const auto bit = [](bool set, Mask mask) { return set ? static_cast<uint32_t>(mask) : 0; };
        const uint32_t signs = bit(p_.signs.a, Mask::MatrixASignedComponentsKHR) |
                               bit(p_.signs.b, Mask::MatrixBSignedComponentsKHR) |
                               bit(p_.signs.c, Mask::MatrixCSignedComponentsKHR) |
                               bit(p_.signs.result, Mask::MatrixResultSignedComponentsKHR);
        Operands operands = {idOperand(a), idOperand(b), idOperand(sum)};
        if (signs != 0) operands.push_back(literal(signs));
        return operands;
    }

    MatrixContext& context_;
    FunctionBuilder& f_;
    Emitter& emit_;
    const MulAdd& p_;
    const TileGrid& grid_;
    const Slice& slice_;
    WorkgroupMemory memory_;
    TileMemory tiles_;
    GridPosition position_;
    SubgroupPosition subgroup_;
    std::vector<Id> sums_;  // variables, one for each tile
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
