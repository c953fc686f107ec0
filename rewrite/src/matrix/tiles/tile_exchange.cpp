// SPDX-License-Identifier: Apache-2.0
//
// Conversions between accumulators in tiles and distributed ones (tile_grid.hpp).
#include <algorithm>

#include "ir/control_flow.hpp"
#include "matrix/instructions.hpp"
#include "matrix/tiles/tile_memory.hpp"

namespace coopvk::rewrite {

namespace {

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
        std::vector<Id> words;
        for (uint32_t w = 0; w < wordCount(); ++w) {
            words.push_back(f_.variable(context_.types.uint32()));
        }
        forEachPart([&](const Part& part) {
            memory_.barrier();
            forEachTile(part, [&](uint32_t tile, Id row, Id column) {
                tiles_.store(tiles[tile], rows_, row, column);
            });
            memory_.barrier();
            forEachBlock(part, [&](uint32_t block, Id place) {
                for (uint32_t r = 0; r < kWorkgroupBlock; ++r) {
                    const std::vector<Id> run =
                        memory_.loadWords(place, r * rows_.stride, wordsOfBlockRow());
                    for (uint32_t w = 0; w < run.size(); ++w) {
                        f_.store(words[wordOfBlock(block, r, w)], run[w]);
                    }
                }
            });
        });
        std::vector<Id> loaded;
        for (const Id word : words) loaded.push_back(f_.load(word));
        return finishDistributed(loaded);
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
                forEachBlock(part, [&](uint32_t block, Id place) {
                    for (uint32_t r = 0; r < kWorkgroupBlock; ++r) {
                        std::vector<Id> run;
                        for (uint32_t w = 0; w < wordsOfBlockRow(); ++w) {
                            run.push_back(words[wordOfBlock(block, r, w)]);
                        }
                        memory_.storeWords(place, r * rows_.stride, run);
                    }
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
        for (uint32_t r = 0; r < f.rows.count(); r += kWorkgroupBlock) {
            blockRows_.push_back(
                tileIndex(indexOn(emit_, f.rows, rowLane, r), grid_.rows, grid_.down, down_));
        }
        for (uint32_t c = 0; c < f.columns.count(); c += kWorkgroupBlock) {
            blockColumns_.push_back(tileIndex(indexOn(emit_, f.columns, columnLane, c),
                                              grid_.columns, grid_.across, across_));
        }
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

    // Runs body(block, place) for the blocks of this lane that are in memory. `place`: the word of
    // the block's first element.
    void forEachBlock(const Part& part, const std::function<void(uint32_t block, Id place)>& body) {
        uint32_t block = 0;
        for (const TileIndex& row : blockRows_) {
            for (const TileIndex& column : blockColumns_) {
                const Condition isRow = isAmong(row.tile, part.firstRow, down_, grid_.down);
                const Condition isColumn =
                    isAmong(column.tile, part.firstColumn, across_, grid_.across);
                f_.when(emit_.both(isRow, isColumn), [&] {
                    const Id down = emit_.times(row.inMemory, rows_.stride);
                    const Id along = emit_.over(column.inMemory, rows_.perWord);
                    body(block, emit_.addU32(down, along));
                });
                ++block;
            }
        }
    }

    // A lane's elements as words, by block, then row of the block.
    uint32_t wordsOfBlockRow() const { return kWorkgroupBlock / rows_.perWord; }
    uint32_t wordCount() const { return distributed_.count / rows_.perWord; }
    uint32_t wordOfBlock(uint32_t block, uint32_t row, uint32_t word) const {
        return (block * kWorkgroupBlock + row) * wordsOfBlockRow() + word;
    }
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
            std::vector<Slot> slots;
            for (uint32_t i = 0; i < rows_.perWord; ++i) {
                slots.push_back(elements.at(row, column + i));
            }
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
    uint32_t down_ = 1, across_ = 1;  // rows and columns of a subgroup's tiles in memory at once
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

}  // namespace coopvk::rewrite
