// SPDX-License-Identifier: Apache-2.0
#include "matrix/tiles/tile_exchange.hpp"

#include "matrix/packs.hpp"
#include "matrix/tiles/tile_memory.hpp"

namespace coopvk::rewrite {

namespace {

// Goes from tiles to dealt elements or back, some of each subgroup's tiles at a time.
class TileExchange {
 public:
    TileExchange(MatrixContext& context, FunctionBuilder& function, const MatrixType& tiled,
                 const MatrixType& dealt, uint32_t words)
        : context_(context),
          f_(function),
          emit_(function.emit()),
          tiled_(tiled),
          dealt_(dealt),
          grid_(*tiled.tiles),
          memory_(context, emit_),
          tiles_(context, emit_, memory_),
          position_(context.position(emit_.out(), LaneScope::kWorkgroup)) {
        for (uint32_t across = grid_.across; across > 0; --across) {
            if (grid_.across % across != 0 || rowsOf(across).words(rows()) > words) continue;
            across_ = across;
            break;
        }
        rows_ = rowsOf(across_);
        memory_.use(rows_.words(rows()));
    }

    // Words that it needs at least.
    static uint32_t leastWords(const TypeTable& types, const MatrixType& tiled) {
        const TileGrid& g = *tiled.tiles;
        return RowsInMemory::of(0, g.subgroupColumns * g.columns, types.width(tiled.component))
            .words(g.subgroupRows * g.rows);
    }

    Id emitToDealt() {
        const std::vector<Id> tiles = extractPacks(emit_, tiled_, f_.parameter(0));
        begin();
        const Id u32 = context_.types.uint32();
        std::vector<Id> words;
        for (uint32_t w = 0; w < wordCount(); ++w) words.push_back(f_.variable(u32));
        forEachTurn([&](uint32_t i, uint32_t first) {
            memory_.barrier();
            for (uint32_t j = 0; j < across_; ++j) {
                tiles_.store(tiles[i * grid_.across + first + j], rows_, rowOfTile(),
                             columnOfTile(j));
            }
            memory_.barrier();
            forEachBlock(i, first, [&](uint32_t block, Id place) {
                for (uint32_t r = 0; r < kWorkgroupBlock; ++r) {
                    const Id at = emit_.addInt(u32, place, emit_.constant(r * rows_.stride));
                    const std::vector<Id> run = memory_.loadRun(at, wordsOfBlockRow());
                    for (uint32_t w = 0; w < run.size(); ++w) {
                        f_.store(words[wordOfBlock(block, r, w)], run[w]);
                    }
                }
            });
        });
        std::vector<Id> loaded;
        for (const Id word : words) loaded.push_back(f_.load(word));
        return finishDealt(loaded);
    }

    Id emitToTiles() {
        HeldElements elements(dealt_, emit_, f_.parameter(0));
        const std::vector<Id> words = wordsOf(elements);
        begin();
        const Id writes = position_.isNoDuplicate(emit_, dealt_.fragment.rows.lanes,
                                                  dealt_.fragment.columns.lanes);
        std::vector<Id> tiles(grid_.count());
        forEachTurn([&](uint32_t i, uint32_t first) {
            memory_.barrier();
            const auto store = [&] {
                forEachBlock(i, first, [&](uint32_t block, Id place) {
                    for (uint32_t r = 0; r < kWorkgroupBlock; ++r) {
                        for (uint32_t w = 0; w < wordsOfBlockRow(); ++w) {
                            const Id offset = emit_.constant(r * rows_.stride + w);
                            memory_.store(emit_.addInt(context_.types.uint32(), place, offset),
                                          words[wordOfBlock(block, r, w)]);
                        }
                    }
                });
            };
            writes == 0 ? store() : f_.when(writes, store);
            memory_.barrier();
            for (uint32_t j = 0; j < across_; ++j) {
                tiles[i * grid_.across + first + j] =
                    tiles_.load(tiled_.pack, rows_, rowOfTile(), columnOfTile(j));
            }
        });
        return f_.finish(constructFromPacks(emit_, tiled_, tiles));
    }

 private:
    uint32_t rows() const { return grid_.subgroupRows * grid_.rows; }
    RowsInMemory rowsOf(uint32_t across) const {
        return RowsInMemory::of(0, grid_.subgroupColumns * across * grid_.columns,
                                context_.types.width(tiled_.component));
    }

    // Ahead of all control flow.
    void begin() {
        subgroup_ = readSubgroupPosition(emit_, grid_);
        const Fragment& f = dealt_.fragment;
        const Id rowLane = position_.rowLane(f.rows.lanes);
        const Id columnLane = position_.columnLane(f.columns.lanes);
        for (uint32_t r = 0; r < f.rows.count(); r += kWorkgroupBlock) {
            blockRows_.push_back(
                placeOn(indexOn(emit_, f.rows, rowLane, r), grid_.rows, grid_.down, 1));
        }
        for (uint32_t c = 0; c < f.columns.count(); c += kWorkgroupBlock) {
            blockColumns_.push_back(placeOn(indexOn(emit_, f.columns, columnLane, c), grid_.columns,
                                            grid_.across, across_));
        }
    }

    // Of an index on an axis of the matrix: in which tile of its subgroup it is, and where in
    // memory while `atOnce` of each subgroup's tiles are there.
    struct Place {
        Id tile = 0;
        Id inMemory = 0;
    };
    Place placeOn(Id index, uint32_t size, uint32_t tiles, uint32_t atOnce) {
        const Id u32 = context_.types.uint32();
        const auto c = [&](uint32_t value) { return emit_.constant(value); };
        const Id number = emit_.divInt(u32, index, c(size));
        const Id tile = emit_.modInt(u32, number, c(tiles));
        const Id subgroup = emit_.divInt(u32, number, c(tiles));
        const Id first = emit_.mulInt(u32, subgroup, c(atOnce));
        const Id slot = emit_.addInt(u32, first, emit_.modInt(u32, tile, c(atOnce)));
        const Id inTile = emit_.modInt(u32, index, c(size));
        return {tile, emit_.addInt(u32, emit_.mulInt(u32, slot, c(size)), inTile)};
    }

    void forEachTurn(const std::function<void(uint32_t i, uint32_t first)>& body) {
        for (uint32_t i = 0; i < grid_.down; ++i) {
            for (uint32_t first = 0; first < grid_.across; first += across_) body(i, first);
        }
    }

    // Blocks of this lane that are in memory: their number, and the word of their first element.
    void forEachBlock(uint32_t i, uint32_t first,
                      const std::function<void(uint32_t block, Id place)>& body) {
        TypeTable& types = context_.types;
        const Id u32 = types.uint32();
        for (uint32_t r = 0; r < blockRows_.size(); ++r) {
            for (uint32_t c = 0; c < blockColumns_.size(); ++c) {
                const auto block = r * static_cast<uint32_t>(blockColumns_.size()) + c;
                const Id isRow = emit_.op(spv::Op::OpIEqual, types.boolType(),
                                          {blockRows_[r].tile, emit_.constant(i)});
                const Id fromFirst =
                    emit_.op(spv::Op::OpISub, u32, {blockColumns_[c].tile, emit_.constant(first)});
                const Id isColumn = emit_.op(spv::Op::OpULessThan, types.boolType(),
                                             {fromFirst, emit_.constant(across_)});
                f_.when(emit_.both(isRow, isColumn), [&] {
                    const Id down =
                        emit_.mulInt(u32, blockRows_[r].inMemory, emit_.constant(rows_.stride));
                    const Id along =
                        emit_.divInt(u32, blockColumns_[c].inMemory, emit_.constant(rows_.perWord));
                    body(block, emit_.addInt(u32, down, along));
                });
            }
        }
    }

    Id rowOfTile() {
        return emit_.mulInt(context_.types.uint32(), subgroup_.row, emit_.constant(grid_.rows));
    }
    Id columnOfTile(uint32_t j) {
        const Id u32 = context_.types.uint32();
        const Id first = emit_.mulInt(u32, subgroup_.column, emit_.constant(across_));
        const Id tile = emit_.addInt(u32, first, emit_.constant(j));
        return emit_.mulInt(u32, tile, emit_.constant(grid_.columns));
    }

    // A lane's elements as words: by block, row in it, word of that.
    uint32_t wordsOfBlockRow() const { return kWorkgroupBlock / rows_.perWord; }
    uint32_t wordCount() const { return dealt_.count / rows_.perWord; }
    uint32_t wordOfBlock(uint32_t block, uint32_t row, uint32_t word) const {
        return (block * kWorkgroupBlock + row) * wordsOfBlockRow() + word;
    }
    // Local row and column of the first component of such a word.
    void forEachWord(
        const std::function<void(uint32_t word, uint32_t row, uint32_t column)>& body) {
        const uint32_t blocksAcross = dealt_.fragment.columns.count() / kWorkgroupBlock;
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
            words[word] =
                emit_.bitcast(context_.types.uint32(), gather(emit_, dealt_.component, slots));
        });
        return words;
    }

    Id finishDealt(const std::vector<Id>& words) {
        HeldElements elements(dealt_);
        const Id pack = context_.types.vectorType(dealt_.component, rows_.perWord);
        forEachWord([&](uint32_t word, uint32_t row, uint32_t column) {
            const Id value = emit_.bitcast(pack, words[word]);
            for (uint32_t i = 0; i < rows_.perWord; ++i) {
                elements.at(row, column + i) = {value, i};
            }
        });
        return f_.finish(elements.construct(dealt_, emit_));
    }

    MatrixContext& context_;
    FunctionBuilder& f_;
    Emitter& emit_;
    const MatrixType& tiled_;
    const MatrixType& dealt_;
    const TileGrid& grid_;
    WorkgroupMemory memory_;
    TileMemory tiles_;
    GridPosition position_;
    SubgroupPosition subgroup_;
    uint32_t across_ = 1;  // tiles of a subgroup that are in memory at once, beside each other
    RowsInMemory rows_;
    std::vector<Place> blockRows_, blockColumns_;
};

}  // namespace

void lowerTileConversion(MatrixContext& context, MatrixWriter& writer, const Instruction& at) {
    const MatrixType& from = *context.matrixOfValue(at.word(0));
    const MatrixType& to = *context.matrix(at.type);
    const MatrixType& tiled = from.tiles ? from : to;
    const std::vector<uint32_t> key = {static_cast<uint32_t>(at.opcode), from.id, to.id};
    const Id function = context.helper(key, [&]() -> Id {
        const uint32_t least = TileExchange::leastWords(context.types, tiled);
        const uint32_t words = workgroupWords(context, at, least);
        if (words == 0) return 0;
        const Id parameters[] = {from.id};
        FunctionBuilder builder(context.types, context.newFunctions,
                                from.tiles ? "coopvk_deal_tiles" : "coopvk_make_tiles", to.id,
                                parameters);
        TileExchange exchange(context, builder, tiled, from.tiles ? to : from, words);
        return from.tiles ? exchange.emitToDealt() : exchange.emitToTiles();
    });
    if (function == 0) return;
    writer.emit().call(at.type, function, std::array{at.word(0)}, at.result);
}

}  // namespace coopvk::rewrite
