// SPDX-License-Identifier: Apache-2.0
//
// Tiles in shared memory: loads and stores, conversions between accumulators in tiles and
// distributed ones, and multiply-adds whose accumulators are tiles.
#include <algorithm>

#include "ir/control_flow.hpp"
#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"
#include "matrix/staged_product.hpp"
#include "matrix/tiles/tile_grid.hpp"

namespace coopvk::rewrite {

namespace {

// Rows or columns of components in shared memory.
struct LinesInMemory {
    uint32_t first;    // first word; a multiple of four
    uint32_t stride;   // words from one line to the next; a multiple of four
    uint32_t perWord;  // components of a word
    bool areColumns;

    // Lines of `length` components. Padding lets lines begin at different banks.
    static LinesInMemory of(uint32_t first, uint32_t length, uint32_t componentBits,
                            bool areColumns = false) {
        const uint32_t perWord = 32 / componentBits;
        return {first, (length / perWord + 3) / 4 * 4 + 4, perWord, areColumns};
    }
    uint32_t words(uint32_t lines) const { return lines * stride; }
    // Number of the vector of four words that has component (row, column): all are u32.
    Id vectorOf(Emitter& emit, Id row, Id column) const {
        const Id line = areColumns ? column : row;
        const Id along = emit.over(areColumns ? row : column, 4 * perWord);
        return emit.plus(emit.addU32(emit.times(line, stride / 4), along), first / 4);
    }
};

class TileMemory {
 public:
    TileMemory(Emitter& emit, WorkgroupMemory& memory) : emit_(emit), memory_(memory) {}

    // The tile whose first component is at (row, column), both u32. The number of its word is a
    // multiple of four.
    Id load(Id type, const LinesInMemory& lines, Id row, Id column) {
        return inWords(lines).load(emit_, type, pointer(lines, row, column));
    }
    void store(Id tile, const LinesInMemory& lines, Id row, Id column) {
        inWords(lines).store(emit_, pointer(lines, row, column), tile);
    }

 private:
    Id pointer(const LinesInMemory& lines, Id row, Id column) {
        return memory_.pointerToVector(lines.vectorOf(emit_, row, column));
    }
    DriverLines inWords(const LinesInMemory& lines) {
        return DriverLines::shared(emit_, lines.stride / 4, lines.areColumns);
    }

    Emitter& emit_;
    WorkgroupMemory& memory_;
};

// The row and column of this subgroup in the grid of the workgroup's subgroups: u32.
struct SubgroupPosition {
    Id row = 0, column = 0;
};
SubgroupPosition readSubgroupPosition(Emitter& emit, const TileGrid& grid) {
    const Id subgroup = readSubgroup(emit);
    return {emit.over(subgroup, grid.subgroupColumns), emit.modulo(subgroup, grid.subgroupColumns)};
}

// Converts some of each subgroup's tiles at a time, through shared memory.
class TileExchange {
 public:
    TileExchange(MatrixContext& context, FunctionBuilder& function, const MatrixType& tiled,
                 const MatrixType& distributed, uint32_t words)
        : context_(context),
          f_(function),
          emit_(function.emit()),
          tiled_(tiled),
          distributed_(distributed),
          grid_(*tiled.tiles),
          memory_(context, emit_),
          tiles_(emit_, memory_),
          position_(context.position(emit_.out(), LaneScope::kWorkgroup)) {
        const auto wordsOf = [&](uint32_t down, uint32_t across) {
            return rowsOf(across).words(grid_.subgroupRows * down * grid_.rows);
        };
        across_ = largestDivisor(grid_.across, [&](uint32_t n) { return wordsOf(1, n) <= words; });
        down_ =
            largestDivisor(grid_.down, [&](uint32_t n) { return wordsOf(n, across_) <= words; });
        rows_ = rowsOf(across_);
        memory_.use(wordsOf(down_, across_));
    }

    // The fewest words of shared memory that suffice.
    static uint32_t leastWords(const TypeTable& types, const MatrixType& tiled) {
        const TileGrid& g = *tiled.tiles;
        return LinesInMemory::of(0, g.subgroupColumns * g.columns, types.width(tiled.component))
            .words(g.subgroupRows * g.rows);
    }

    Id emitToDistributed() {
        const std::vector<Id> tiles = extractPacks(emit_, tiled_, f_.parameter(0));
        begin();
        const std::vector<Id> words =
            listOf(wordCount(), [&](uint32_t) { return f_.variable(context_.types.uint32()); });
        forEachPart([&](const Part& part) {
            memory_.barrier();
            forEachTile(part, [&](uint32_t tile, Id row, Id column) {
                tiles_.store(tiles[tile], rows_, row, column);
            });
            memory_.barrier();
            forEachBlockRow(part, [&](uint32_t first, Id place, uint32_t offset) {
                const std::vector<Id> run = memory_.loadWords(place, offset, wordsOfBlockRow());
                for (uint32_t w = 0; w < run.size(); ++w) f_.store(words[first + w], run[w]);
            });
        });
        return finishDistributed(f_.loadAll(words));
    }

    Id emitToTiles() {
        HeldElements elements(distributed_, emit_, f_.parameter(0));
        const std::vector<Id> words = wordsOf(elements);
        begin();
        const Condition writes = position_.isNoDuplicate(emit_, distributed_.fragment);
        std::vector<Id> tiles(grid_.count());
        forEachPart([&](const Part& part) {
            memory_.barrier();
            f_.when(writes, [&] {
                forEachBlockRow(part, [&](uint32_t first, Id place, uint32_t offset) {
                    memory_.storeWords(place, offset,
                                       std::span(words).subspan(first, wordsOfBlockRow()));
                });
            });
            memory_.barrier();
            forEachTile(part, [&](uint32_t tile, Id row, Id column) {
                tiles[tile] = tiles_.load(tiled_.pack, rows_, row, column);
            });
        });
        return f_.finish(constructFromPacks(emit_, tiled_, tiles));
    }

 private:
    // Of each subgroup, the tiles that are in memory at once: from these on, down_ x across_.
    struct Part {
        uint32_t firstRow = 0, firstColumn = 0;
    };

    template <typename Fits>
    static uint32_t largestDivisor(uint32_t count, Fits fits) {
        for (uint32_t divisor = count; divisor > 1; --divisor) {
            if (count % divisor == 0 && fits(divisor)) return divisor;
        }
        return 1;
    }

    LinesInMemory rowsOf(uint32_t across) const {
        return LinesInMemory::of(0, grid_.subgroupColumns * across * grid_.columns,
                                 context_.types.width(tiled_.component));
    }

    // Computes positions ahead of all control flow, since later blocks use them, too.
    void begin() {
        subgroup_ = readSubgroupPosition(emit_, grid_);
        const Fragment& f = distributed_.fragment;
        const Id rowLane = position_.laneOn(Dimension::kRows, f.rows);
        const Id columnLane = position_.laneOn(Dimension::kColumns, f.columns);
        blockRows_ = listOf(f.rows.count() / kWorkgroupBlock, [&](uint32_t r) {
            return tileIndex(indexOn(emit_, f.rows, rowLane, r * kWorkgroupBlock), grid_.rows,
                             grid_.down, down_);
        });
        blockColumns_ = listOf(f.columns.count() / kWorkgroupBlock, [&](uint32_t c) {
            return tileIndex(indexOn(emit_, f.columns, columnLane, c * kWorkgroupBlock),
                             grid_.columns, grid_.across, across_);
        });
    }

    // An index on an axis of the matrix: which tile of its subgroup it is in, and its index in
    // memory while that has `atOnce` tiles of each subgroup. A subgroup has `tiles` tiles of `size`
    // elements on the axis.
    struct TileIndex {
        Id tile = 0;
        Id inMemory = 0;
    };
    TileIndex tileIndex(Id index, uint32_t size, uint32_t tiles, uint32_t atOnce) {
        const Id number = emit_.over(index, size);
        const Id tile = emit_.modulo(number, tiles);
        const Id subgroup = emit_.over(number, tiles);
        const Id first = emit_.times(subgroup, atOnce);
        const Id slot = emit_.addU32(first, emit_.modulo(tile, atOnce));
        const Id inTile = emit_.modulo(index, size);
        return {tile, emit_.addU32(emit_.times(slot, size), inTile)};
    }

    void forEachPart(const std::function<void(const Part&)>& body) {
        for (uint32_t row = 0; row < grid_.down; row += down_) {
            for (uint32_t column = 0; column < grid_.across; column += across_) {
                body({row, column});
            }
        }
    }

    // Calls body(tile, row, column) for this subgroup's tiles of a part; row and column (u32) are
    // those in memory.
    void forEachTile(const Part& part,
                     const std::function<void(uint32_t tile, Id row, Id column)>& body) {
        const auto first = [&](Id subgroup, uint32_t atOnce, uint32_t tile, uint32_t size) {
            return emit_.times(emit_.plus(emit_.times(subgroup, atOnce), tile), size);
        };
        for (uint32_t i = 0; i < down_; ++i) {
            const Id row = first(subgroup_.row, down_, i, grid_.rows);
            for (uint32_t j = 0; j < across_; ++j) {
                body((part.firstRow + i) * grid_.across + part.firstColumn + j, row,
                     first(subgroup_.column, across_, j, grid_.columns));
            }
        }
    }

    // Whether one of `tiles` tiles is among the `atOnce` from `first` on.
    Condition isAmong(Id tile, uint32_t first, uint32_t atOnce, uint32_t tiles) {
        if (atOnce == tiles) return Condition::always();
        const Id fromFirst =
            emit_.op(OpISub, context_.types.uint32(), {tile, emit_.constant(first)});
        return emit_.compare(OpULessThan, fromFirst, emit_.constant(atOnce));
    }

    // Runs body(first, place, offset) for the rows of this lane's blocks that are in memory.
    // `first`: of the lane's words. The row begins at the word `place` + `offset`.
    void forEachBlockRow(
        const Part& part,
        const std::function<void(uint32_t first, Id place, uint32_t offset)>& body) {
        uint32_t block = 0;  // its first row
        for (const TileIndex& row : blockRows_) {
            for (const TileIndex& column : blockColumns_) {
                const Condition isRow = isAmong(row.tile, part.firstRow, down_, grid_.down);
                const Condition isColumn =
                    isAmong(column.tile, part.firstColumn, across_, grid_.across);
                f_.when(emit_.both(isRow, isColumn), [&] {
                    const Id down = emit_.times(row.inMemory, rows_.stride);
                    const Id along = emit_.over(column.inMemory, rows_.perWord);
                    const Id place = emit_.addU32(down, along);
                    for (uint32_t r = 0; r < kWorkgroupBlock; ++r)
                        body((block + r) * wordsOfBlockRow(), place, r * rows_.stride);
                });
                block += kWorkgroupBlock;
            }
        }
    }

    // A lane's elements as words, by block, then row of the block.
    uint32_t wordsOfBlockRow() const { return kWorkgroupBlock / rows_.perWord; }
    uint32_t wordCount() const { return distributed_.count / rows_.perWord; }
    // Calls body(word, row, column) with the local row and column of each word's first component.
    void forEachWord(
        const std::function<void(uint32_t word, uint32_t row, uint32_t column)>& body) {
        const uint32_t blocksAcross = distributed_.fragment.columns.count() / kWorkgroupBlock;
        for (uint32_t word = 0; word < wordCount(); ++word) {
            const uint32_t inRow = word % wordsOfBlockRow();
            const uint32_t blockRow = word / wordsOfBlockRow();
            const uint32_t block = blockRow / kWorkgroupBlock;
            body(word, block / blocksAcross * kWorkgroupBlock + blockRow % kWorkgroupBlock,
                 block % blocksAcross * kWorkgroupBlock + inRow * rows_.perWord);
        }
    }

    std::vector<Id> wordsOf(HeldElements& elements) {
        std::vector<Id> words(wordCount());
        forEachWord([&](uint32_t word, uint32_t row, uint32_t column) {
            const std::vector<Slot> slots =
                listOf(rows_.perWord, [&](uint32_t i) { return elements.at(row, column + i); });
            words[word] = emit_.bitcast(context_.types.uint32(),
                                        gather(emit_, distributed_.component, slots));
        });
        return words;
    }

    Id finishDistributed(const std::vector<Id>& words) {
        HeldElements elements(distributed_);
        const Id pack = context_.types.vectorType(distributed_.component, rows_.perWord);
        forEachWord([&](uint32_t word, uint32_t row, uint32_t column) {
            const Id value = emit_.bitcast(pack, words[word]);
            for (uint32_t i = 0; i < rows_.perWord; ++i) {
                elements.at(row, column + i) = {value, i};
            }
        });
        return f_.finish(elements.construct(distributed_, emit_));
    }

    MatrixContext& context_;
    FunctionBuilder& f_;
    Emitter& emit_;
    const MatrixType& tiled_;
    const MatrixType& distributed_;
    const TileGrid& grid_;
    WorkgroupMemory memory_;
    TileMemory tiles_;
    GridPosition position_;
    SubgroupPosition subgroup_;
    uint32_t down_, across_;  // rows and columns of a subgroup's tiles in memory at once
    LinesInMemory rows_;
    std::vector<TileIndex> blockRows_, blockColumns_;
};

}  // namespace

void lowerTileConversion(MatrixContext& context, MatrixWriter& writer, const Instruction& at) {
    const MatrixType& from = *context.matrixOfValue(at.word(0));
    const MatrixType& to = *context.matrix(at.type);
    const MatrixType& tiled = from.tiles ? from : to;
    const std::vector<uint32_t> key = {static_cast<uint32_t>(at.opcode), from.id, to.id};
    const Id function = context.helper(key, [&]() -> Id {
        const uint32_t least = TileExchange::leastWords(context.types, tiled);
        uint32_t words = workgroupWords(context, at, least);
        if (words == 0) return 0;
        // With more memory, the matrix goes through it in fewer parts, with fewer barriers.
        words = std::max(words, deepSliceWords(context));
        const Id parameters[] = {from.id};
        FunctionBuilder builder(context.types, context.newFunctions,
                                from.tiles ? "coopvk_deal_tiles" : "coopvk_make_tiles", to.id,
                                parameters);
        TileExchange exchange(context, builder, tiled, from.tiles ? to : from, words);
        return from.tiles ? exchange.emitToDistributed() : exchange.emitToTiles();
    });
    if (function == 0) return;
    writer.emit().call(at.type, function, std::array{at.word(0)}, at.result);
}

namespace {

// Where the parts of A and B in a slice lie in shared memory.
struct Slice {
    uint32_t depth;  // columns of A; divides K
    LinesInMemory a, b;
    uint32_t words;  // of both
};

// Lines of a matrix along the dimension of its runs, from word `first` on.
LinesInMemory linesOf(const TypeTable& types, const MatrixType& m, uint32_t first, uint32_t rows,
                      uint32_t columns) {
    const bool areColumns = m.fragment.run && m.fragment.run->along == Dimension::kRows;
    return LinesInMemory::of(first, areColumns ? rows : columns, types.width(m.component),
                             areColumns);
}

Slice sliceOf(const MatrixContext& context, const MulAdd& p, uint32_t depth) {
    const auto wordsOf = [](const LinesInMemory& lines, uint32_t rows, uint32_t columns) {
        return lines.words(lines.areColumns ? columns : rows);
    };
    const LinesInMemory a = linesOf(context.types, *p.a, 0, p.a->rows, depth);
    const uint32_t wordsOfA = wordsOf(a, p.a->rows, depth);
    const LinesInMemory b = linesOf(context.types, *p.b, wordsOfA, depth, p.b->columns);
    return {depth, a, b, wordsOfA + wordsOf(b, depth, p.b->columns)};
}

class TiledProduct : StagedProduct {
 public:
    TiledProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                 const Slice& slice)
        : StagedProduct(context, function, product, slice.depth, slice.words),
          grid_(*product.result->tiles),
          slice_(slice),
          tiles_(emit_, memory_) {}

    Id emit(ProductPart part) {
        const bool isEnd = part == ProductPart::kEnd;
        subgroup_ = readSubgroupPosition(emit_, grid_);
        beginSums(f_.parameter(isEnd ? 0 : 2));
        isEnd ? multiply() : multiplySlices(part == ProductPart::kOpened);
        return f_.finish(constructFromPacks(emit_, *p_.result, f_.loadAll(sums_)));
    }

 private:
    void multiplySlices(bool leavesLast) {
        HeldElements a(*p_.a, emit_, f_.parameter(0));
        HeldElements b(*p_.b, emit_, f_.parameter(1));
        // Positions are computed ahead of all control flow, since later blocks use them, too.
        const Condition storesA = storesOf(*p_.a), storesB = storesOf(*p_.b);
        forEachSlice(
            [&](Id start) {
                stage(*p_.a, a, slice_.a, storesA, start, Dimension::kColumns);
                stage(*p_.b, b, slice_.b, storesB, start, Dimension::kRows);
            },
            [&] { multiply(); }, leavesLast);
    }

    Condition storesOf(const MatrixType& m) {
        positionOf(m).laneOn(Dimension::kRows, m.fragment.rows);
        positionOf(m).laneOn(Dimension::kColumns, m.fragment.columns);
        return isNoDuplicate(m);
    }

    // Stores what this lane holds of a slice to shared memory. `k`: the dimension of K.
    void stage(const MatrixType& m, HeldElements& elements, const LinesInMemory& lines,
               Condition stores, Id start, Dimension k) {
        const Axis& line = m.fragment.axis(other(k));
        const bool inRuns = m.fragment.run.has_value();
        const bool runsAlongK = inRuns && m.fragment.run->along == k;
        const uint32_t length = !inRuns      ? kWorkgroupBlock
                                : runsAlongK ? blockOf(m.fragment.axis(k))
                                             : line.block;
        forEachBlock(m, k, start, stores, [&](uint32_t block, Id inSlice) {
            for (uint32_t o = 0; o < line.count(); o += line.block) {
                const Id place = positionOf(m).indexOn(emit_, other(k), line, o);
                const bool isB = k == Dimension::kRows;
                const StagedElement at = isB ? StagedElement{block, o, inSlice, place}
                                             : StagedElement{o, block, place, inSlice};
                stageLines(m, elements, lines, at, inRuns ? 1 : kWorkgroupBlock, length);
            }
        });
    }

    // An element: its local row and column, and those in memory (u32).
    struct StagedElement {
        uint32_t localRow, localColumn;
        Id row, column;
    };

    // Stores `length` elements along each of `count` lines, which in memory are whole vectors of
    // four words, or a part of one.
    void stageLines(const MatrixType& m, HeldElements& elements, const LinesInMemory& lines,
                    const StagedElement& at, uint32_t count, uint32_t length) {
        const Id first = lines.vectorOf(emit_, at.row, at.column);
        const uint32_t wordsAtOnce = std::min(4u, length / lines.perWord);
        const Id along = lines.areColumns ? at.row : at.column;
        const Id component =
            wordsAtOnce == 4 ? 0 : emit_.modulo(emit_.over(along, lines.perWord), 4);
        const auto element = [&](uint32_t line, uint32_t offset) {
            return lines.areColumns ? elements.at(at.localRow + offset, at.localColumn + line)
                                    : elements.at(at.localRow + line, at.localColumn + offset);
        };
        for (uint32_t line = 0; line < count; ++line) {
            for (uint32_t word = 0; word < length / lines.perWord; word += wordsAtOnce) {
                const std::vector<Id> words = listOf(wordsAtOnce, [&](uint32_t w) {
                    const std::vector<Slot> slots = listOf(lines.perWord, [&](uint32_t i) {
                        return element(line, (word + w) * lines.perWord + i);
                    });
                    return emit_.bitcast(types_.uint32(), gather(emit_, m.component, slots));
                });
                memory_.storeInVector(
                    emit_.plus(first, line * lines.stride / 4 + word / wordsAtOnce), component,
                    words);
            }
        }
    }

    // The first row or column of a tile of this subgroup.
    Id firstOf(Id subgroup, uint32_t tiles, uint32_t tile, uint32_t size) {
        return emit_.plus(emit_.times(subgroup, tiles * size), tile * size);
    }

    // A loop on CPUs: lavapipe compiles each multiplication for tenths of a second.
    void multiply() {
        const uint32_t steps = slice_.depth / grid_.depth;
        if (context_.target.device.prefersShortCode) {
            return f_.loopAbove(1, steps, [&](Id step) {
                std::vector<Id> sums = f_.loadAll(sums_);
                addStep(emit_.times(step, grid_.depth), sums);
                storeSums(sums);
            });
        }
        std::vector<Id> sums = f_.loadAll(sums_);
        for (uint32_t step = 0; step < steps; ++step) {
            addStep(emit_.constant(step * grid_.depth), sums);
        }
        storeSums(sums);
    }

    // Variables for the sums, with the tiles of C as values.
    void beginSums(Id c) {
        for (const Id tile : extractPacks(emit_, *p_.c, c)) {
            sums_.push_back(f_.variable(p_.result->pack));
            f_.store(sums_.back(), tile);
        }
    }

    void storeSums(std::span<const Id> sums) {
        for (size_t i = 0; i < sums.size(); ++i) f_.store(sums_[i], sums[i]);
    }

    // Adds the product of the tiles at column `k` of A and row `k` of B (u32).
    void addStep(Id k, std::vector<Id>& sums) {
        const Id typeOfA =
            context_.tiles.tileType(types_, p_.a->component, grid_.rows, grid_.depth, Use::kA);
        const Id typeOfB =
            context_.tiles.tileType(types_, p_.b->component, grid_.depth, grid_.columns, Use::kB);
        const std::vector<Id> left = listOf(grid_.down, [&](uint32_t i) {
            const Id row = firstOf(subgroup_.row, grid_.down, i, grid_.rows);
            return tiles_.load(typeOfA, slice_.a, row, k);
        });
        for (uint32_t j = 0; j < grid_.across; ++j) {
            const Id column = firstOf(subgroup_.column, grid_.across, j, grid_.columns);
            const Id right = tiles_.load(typeOfB, slice_.b, k, column);
            for (uint32_t i = 0; i < grid_.down; ++i) {
                Id& sum = sums[i * grid_.across + j];
                sum = emit_.op(OpCooperativeMatrixMulAddKHR, p_.result->pack,
                               operandsOf(left[i], right, sum));
            }
        }
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
    std::vector<Id> sums_;  // variables
};

}  // namespace

Id emitTileProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& p,
                   const Instruction& at, ProductPart part) {
    const uint32_t depth =
        deepestSlice(context, p, at, p.result->tiles->depth, deepSliceWords(context),
                     [&](uint32_t columns) { return sliceOf(context, p, columns).words; });
    if (depth == 0) return 0;
    const Slice slice = sliceOf(context, p, depth);
    return TiledProduct(context, function, p, slice).emit(part);
}

}  // namespace coopvk::rewrite
