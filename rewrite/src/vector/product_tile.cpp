// SPDX-License-Identifier: Apache-2.0
#include "vector/product_tile.hpp"

#include "ir/memory_model.hpp"
#include "lowering/built_ins.hpp"
#include "lowering/shared_memory.hpp"

namespace coopvk::rewrite {

namespace {

class TileProduct {
 public:
    TileProduct(const ProductWork& work, const Tile& tile)
        : context_(work.function.context()),
          f_(work.function),
          emit_(work.function.emit()),
          types_(work.function.types()),
          work_(work),
          p_(work.product),
          tile_(tile),
          quad_(types_.vectorType(types_.uint32(), 4)),
          exchange_(exchangeVariable(context_, tile)) {}

    void run() {
        lane_ = readLane(emit_);
        const Id subgroup = subgroupNumber(context_, emit_, tile_);
        context_.module.addCapability(spv::Capability::GroupNonUniform);
        gridRow_ = emit_.divInt(u32(), lane_, c(tile_.gridColumns));
        gridColumn_ = emit_.modInt(u32(), lane_, c(tile_.gridColumns));
        base_ = emit_.mulInt(u32(), subgroup, c(tile_.lanes * tile_.laneQuads()));
        own_ = laneBase(lane_);
        for (uint32_t j = 0; j < tile_.columnsPerLane; ++j) {
            columns_.push_back(
                laneBase(emit_.addInt(u32(), gridColumn_, c(tile_.gridColumns * j))));
        }
        const uint32_t sums = tile_.rowsPerLane * tile_.columnsPerLane;
        for (uint32_t s = 0; s < sums; ++s) {
            sums_.push_back(f_.variable(work_.arithmetic.sumType()));
        }
        f_.repeat(tile_.tiles, 1, [&](Id t) { oneTile(t); });
    }

 private:
    Id u32() { return types_.uint32(); }
    Id c(uint32_t value) { return types_.constantU32(value); }
    Id laneBase(Id lane) {
        return emit_.addInt(u32(), base_, emit_.mulInt(u32(), lane, c(tile_.laneQuads())));
    }

    // Quads of a line, input quads that one of them takes, and how many a chunk of input serves.
    uint32_t matrixQuads() const { return p_.lineBytes() / 16; }
    uint32_t inputQuadsPerMatrixQuad() { return work_.arithmetic.unitsPerWord(); }
    uint32_t matrixQuadsPerChunk() { return tile_.quads / inputQuadsPerMatrixQuad(); }

    Id slot(Id index) {
        return emit_.op(spv::Op::OpAccessChain,
                        types_.pointerType(spv::StorageClass::Workgroup, quad_),
                        {exchange_, index});
    }
    Id get(Id index) {
        Operands operands = {idOperand(slot(index))};
        append(operands, nonPrivateAccess(context_.module));
        return emit_.op(spv::Op::OpLoad, quad_, std::move(operands));
    }
    void put(Id index, Id value) {
        Operands operands = {idOperand(slot(index)), idOperand(value)};
        append(operands, nonPrivateAccess(context_.module));
        emit_.opVoid(spv::Op::OpStore, std::move(operands));
    }
    void barrier() { sharedBarrier(emit_, spv::Scope::Subgroup); }

    void oneTile(Id t) {
        const Id firstRow = emit_.addInt(u32(), emit_.mulInt(u32(), t, c(tile_.rowsPerTile())),
                                         emit_.mulInt(u32(), gridRow_, c(tile_.rowsPerLane)));
        rows_.clear();
        lines_.clear();
        for (uint32_t r = 0; r < tile_.rowsPerLane; ++r) {
            Id row = emit_.addInt(u32(), firstRow, c(r));
            if (p_.m % tile_.rowsPerTile() != 0) row = glslMin(emit_, row, p_.m - 1);
            rows_.push_back(row);
            const Id offset = emit_.mulInt(u32(), row, work_.parameters.stride);
            const Id bytes = emit_.addInt(u32(), work_.matrix.start(), offset);
            lines_.push_back(emit_.divInt(u32(), bytes, c(16)));
        }
        for (Id sum : sums_) f_.store(sum, work_.arithmetic.zero());
        const uint32_t perChunk = matrixQuadsPerChunk();
        const uint32_t whole = matrixQuads() / perChunk;
        f_.repeat(whole, 1, [&](Id chunk) { oneChunk(chunk, perChunk); });
        if (const uint32_t rest = matrixQuads() % perChunk; rest != 0) oneChunk(c(whole), rest);
        shareResults(t);
    }

    // Gives this lane's part of the input to the others and adds its products.
    void oneChunk(Id chunk, uint32_t quads) {
        const bool known = emit_.module().constantValue(chunk).has_value();
        if (known || !work_.input.hasValues()) {
            give(chunk, quads);
        } else {
            // Values are picked by constants.
            for (uint32_t k = 0; k < matrixQuads() / quads; ++k) {
                const Id isIt = emit_.op(spv::Op::OpIEqual, types_.boolType(), {chunk, c(k)});
                f_.when(isIt, [&] { give(c(k), quads); });
            }
        }
        barrier();
        const Id firstQuad = emit_.mulInt(u32(), chunk, c(matrixQuadsPerChunk()));
        f_.loop(
            quads, [&](Id q) { addQuad(emit_.addInt(u32(), firstQuad, q), q); },
            spv::LoopControlMask::MaskNone);
        barrier();
    }

    void give(Id chunk, uint32_t quads) {
        const Id firstUnit = emit_.mulInt(u32(), chunk, c(4 * tile_.quads));
        const std::optional<uint64_t> known = emit_.module().constantValue(firstUnit);
        for (uint32_t q = 0; q < quads * inputQuadsPerMatrixQuad(); ++q) {
            std::vector<Id> words;
            for (uint32_t u = 0; u < 4; ++u) {
                const Id unit = emit_.addInt(u32(), firstUnit, c(4 * q + u));
                const bool beyond = known && *known + 4 * q + u >= work_.input.units();
                words.push_back(beyond ? c(0) : emit_.bitcast(u32(), work_.input.unitAt(unit)));
            }
            put(emit_.addInt(u32(), own_, c(q)), emit_.construct(quad_, words));
        }
    }

    std::vector<Id> wordsOf(Id quad) {
        std::vector<Id> words;
        for (uint32_t w = 0; w < 4; ++w) words.push_back(emit_.extract(u32(), quad, {w}));
        return words;
    }

    // matrixQuad: of the line; chunkQuad: of the part that is exchanged.
    void addQuad(Id matrixQuad, Id chunkQuad) {
        const uint32_t ratio = inputQuadsPerMatrixQuad();
        std::vector<std::vector<Id>> inputs(tile_.columnsPerLane);
        for (uint32_t j = 0; j < tile_.columnsPerLane; ++j) {
            const Id first =
                emit_.addInt(u32(), columns_[j], emit_.mulInt(u32(), chunkQuad, c(ratio)));
            for (uint32_t q = 0; q < ratio; ++q) {
                for (Id word : wordsOf(get(emit_.addInt(u32(), first, c(q))))) {
                    inputs[j].push_back(emit_.bitcast(work_.arithmetic.unitType(), word));
                }
            }
        }
        for (uint32_t r = 0; r < tile_.rowsPerLane; ++r) {
            const Id quad = work_.matrix.quadAt(emit_.addInt(u32(), lines_[r], matrixQuad));
            std::vector<Id> weights;
            for (Id word : wordsOf(quad)) {
                for (Id unit : work_.arithmetic.units(word)) weights.push_back(unit);
            }
            for (uint32_t j = 0; j < tile_.columnsPerLane; ++j) {
                const Id variable = sums_[r * tile_.columnsPerLane + j];
                Id sum = f_.load(variable);
                for (size_t u = 0; u < weights.size(); ++u) {
                    sum = work_.arithmetic.multiplyAdd(weights[u], inputs[j][u], sum);
                }
                f_.store(variable, sum);
            }
        }
    }

    // A quad holds one lane's rows for one vector.
    void shareResults(Id t) {
        std::vector<Id> biases;
        for (Id row : rows_) biases.push_back(work_.result.biasOf(row));
        const uint32_t width = p_.result->packWidth;
        for (uint32_t j = 0; j < tile_.columnsPerLane; ++j) {
            std::vector<Id> words;
            for (uint32_t r = 0; r < tile_.rowsPerLane; r += width) {
                std::vector<Id> parts;
                for (uint32_t w = r; w < r + width; ++w) {
                    const Id sum = f_.load(sums_[w * tile_.columnsPerLane + j]);
                    parts.push_back(work_.result.finish(work_.arithmetic.total(sum), biases[w]));
                }
                const Id pack = width == 1 ? parts[0] : emit_.construct(p_.result->pack, parts);
                words.push_back(emit_.bitcast(u32(), pack));
            }
            words.resize(4, c(0));
            put(emit_.addInt(u32(), columns_[j], gridRow_), emit_.construct(quad_, words));
        }
        barrier();
        const uint32_t packs = tile_.rowsPerLane / width;
        const Id firstPack = emit_.mulInt(u32(), t, c(tile_.gridRows * packs));
        const bool pushed = work_.result.isPushed(firstPack);
        std::vector<Id> own;
        for (uint32_t l = 0; l < tile_.gridRows; ++l) {
            const std::vector<Id> words = wordsOf(get(emit_.addInt(u32(), own_, c(l))));
            for (uint32_t p = 0; p < packs; ++p) {
                own.push_back(emit_.bitcast(p_.result->pack, words[p]));
                if (pushed) continue;
                const Id index = emit_.addInt(u32(), firstPack, c(l * packs + p));
                work_.result.storePack(index, own.back());
            }
        }
        if (pushed) work_.result.pushPacks(own, tile_.rows() / width);
        barrier();
    }

    VectorContext& context_;
    VectorFunction& f_;
    Emitter& emit_;
    TypeTable& types_;
    const ProductWork& work_;
    const VectorMatrixMul& p_;
    const Tile& tile_;
    Id quad_;
    Id exchange_;
    Id lane_ = 0;
    Id gridRow_ = 0;
    Id gridColumn_ = 0;
    Id base_ = 0;
    Id own_ = 0;
    std::vector<Id> columns_;  // where the vectors of this lane's columns stand
    std::vector<Id> rows_;     // of this lane in the current tile
    std::vector<Id> lines_;    // quad at which each of them starts
    std::vector<Id> sums_;
};

}  // namespace

void multiplyAsTile(const ProductWork& work, const Tile& tile) { TileProduct(work, tile).run(); }

}  // namespace coopvk::rewrite
