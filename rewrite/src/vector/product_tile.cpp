// SPDX-License-Identifier: Apache-2.0
//
// Computes the products of a subgroup's invocations together, in tiles.
#include "ir/memory_model.hpp"
#include "lowering/built_ins.hpp"
#include "lowering/shared_memory.hpp"
#include "vector/product.hpp"

namespace coopvk::rewrite {

namespace {

class TileProduct : private VectorCode {
 public:
    TileProduct(const ProductWork& work, const Tile& tile)
        : VectorCode(work.function),
          work_(work),
          p_(work.product),
          tile_(tile),
          quad_(types_.vectorType(u32(), 4)) {}

    void run() {
        lane_ = readLane(emit_);
        const Id subgroup = subgroupNumber(f_.context(), emit_, tile_);
        f_.module().addCapability(spv::Capability::GroupNonUniform);
        gridRow_ = over(lane_, tile_.gridColumns);
        gridColumn_ = modulo(lane_, tile_.gridColumns);
        base_ = times(subgroup, tile_.lanes * tile_.laneQuads());
        laneQuads_ = laneBase(lane_);
        for (uint32_t j = 0; j < tile_.columnsPerLane; ++j) {
            columns_.push_back(laneBase(plus(gridColumn_, tile_.gridColumns * j)));
        }
        const uint32_t sums = tile_.rowsPerLane * tile_.columnsPerLane;
        for (uint32_t s = 0; s < sums; ++s) {
            sums_.push_back(f_.variable(work_.arithmetic.sumType()));
        }
        f_.repeat(tile_.tiles, 1, [&](Id t) { computeTile(t); });
    }

 private:
    Id laneBase(Id lane) { return addU32(base_, times(lane, tile_.laneQuads())); }

    // The quads of a line, the quads of input that belong to one of them, and the quads of a line
    // that belong to a chunk: the part of the input that is exchanged at once.
    uint32_t matrixQuads() const { return p_.lineBytes() / 16; }
    uint32_t inputQuadsPerMatrixQuad() { return work_.arithmetic.unitsPerWord(); }
    uint32_t matrixQuadsPerChunk() { return tile_.quads / inputQuadsPerMatrixQuad(); }

    Id slot(Id index) { return emit_.chain(quad_, {tile_.exchange, index}); }
    Id load(Id index) { return emit_.load(quad_, slot(index), nonPrivateAccess(f_.module())); }
    void store(Id index, Id value) {
        emit_.store(slot(index), value, nonPrivateAccess(f_.module()));
    }
    void barrier() { sharedBarrier(emit_, spv::Scope::Subgroup); }

    void computeTile(Id t) {
        const Id firstRow =
            addU32(times(t, tile_.rowsPerTile()), times(gridRow_, tile_.rowsPerLane));
        rows_.clear();
        lines_.clear();
        for (uint32_t r = 0; r < tile_.rowsPerLane; ++r) {
            Id row = plus(firstRow, r);
            if (p_.m % tile_.rowsPerTile() != 0) row = atMost(emit_, row, p_.m - 1);
            rows_.push_back(row);
            const Id bytes = work_.matrix.fromStart(mulU32(row, work_.parameters.stride)).bytes();
            lines_.push_back(over(bytes, 16));
        }
        for (Id sum : sums_) f_.store(sum, work_.arithmetic.zero());
        const uint32_t perChunk = matrixQuadsPerChunk();
        const uint32_t whole = matrixQuads() / perChunk;
        f_.repeat(whole, 1, [&](Id chunk) { addChunk(chunk, perChunk); });
        if (const uint32_t rest = matrixQuads() % perChunk; rest != 0) addChunk(c(whole), rest);
        shareResults(t);
    }

    // Shares a chunk of this lane's input, and adds the products with the chunks of its columns.
    void addChunk(Id chunk, uint32_t quads) {
        const bool known = emit_.module().constantValue(chunk).has_value();
        if (known || !work_.input.hasValues()) {
            shareInput(chunk, quads);
        } else {
            // Values have no dynamic indices.
            for (uint32_t k = 0; k < matrixQuads() / quads; ++k) {
                const Id isThis = emit_.compare(spv::Op::OpIEqual, chunk, c(k));
                f_.when(isThis, [&] { shareInput(c(k), quads); });
            }
        }
        barrier();
        const Id firstQuad = times(chunk, matrixQuadsPerChunk());
        f_.loop(
            quads, [&](Id q) { addQuad(addU32(firstQuad, q), q); }, spv::LoopControlMask::MaskNone);
        barrier();
    }

    void shareInput(Id chunk, uint32_t quads) {
        const Id firstUnit = times(chunk, 4 * tile_.quads);
        const std::optional<uint64_t> known = emit_.module().constantValue(firstUnit);
        for (uint32_t q = 0; q < quads * inputQuadsPerMatrixQuad(); ++q) {
            std::vector<Id> words;
            for (uint32_t u = 0; u < 4; ++u) {
                const Id unit = plus(firstUnit, 4 * q + u);
                const bool beyond = known && *known + 4 * q + u >= work_.input.units();
                words.push_back(beyond ? c(0) : emit_.bitcast(u32(), work_.input.unitAt(unit)));
            }
            store(plus(laneQuads_, q), emit_.construct(quad_, words));
        }
    }

    // Indices of a quad in the line and in the chunk.
    void addQuad(Id matrixQuad, Id chunkQuad) {
        const uint32_t ratio = inputQuadsPerMatrixQuad();
        std::vector<std::vector<Id>> inputs(tile_.columnsPerLane);
        for (uint32_t j = 0; j < tile_.columnsPerLane; ++j) {
            const Id first = addU32(columns_[j], times(chunkQuad, ratio));
            for (uint32_t q = 0; q < ratio; ++q) {
                for (Id word : emit_.parts(load(plus(first, q)))) {
                    inputs[j].push_back(emit_.bitcast(work_.arithmetic.unitType(), word));
                }
            }
        }
        for (uint32_t r = 0; r < tile_.rowsPerLane; ++r) {
            const Id quad = work_.matrix.quadAt(addU32(lines_[r], matrixQuad));
            const std::vector<Id> weights = work_.arithmetic.units(emit_.parts(quad));
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
                words.push_back(emit_.bitcast(u32(), emit_.join(p_.result->pack, parts)));
            }
            words.resize(4, c(0));
            store(addU32(columns_[j], gridRow_), emit_.construct(quad_, words));
        }
        barrier();
        const uint32_t packs = tile_.rowsPerLane / width;
        std::vector<Id> results;
        for (uint32_t l = 0; l < tile_.gridRows; ++l) {
            const std::vector<Id> words = emit_.parts(load(plus(laneQuads_, l)));
            for (uint32_t p = 0; p < packs; ++p) {
                results.push_back(emit_.bitcast(p_.result->pack, words[p]));
            }
        }
        work_.result.storePacks(times(t, tile_.gridRows * packs), results, tile_.rows() / width);
        barrier();
    }

    const ProductWork& work_;
    const VectorMatrixMul& p_;
    const Tile& tile_;
    Id quad_;
    Id lane_ = 0;
    Id gridRow_ = 0;
    Id gridColumn_ = 0;
    Id base_ = 0;
    Id laneQuads_ = 0;         // first quad of this lane in shared memory
    std::vector<Id> columns_;  // first quad of each vector that this lane multiplies
    std::vector<Id> rows_;     // of this lane in the current tile
    std::vector<Id> lines_;    // the quad in the matrix at which each row starts
    std::vector<Id> sums_;
};

}  // namespace

void multiplyAsTile(const ProductWork& work, const Tile& tile) { TileProduct(work, tile).run(); }

}  // namespace coopvk::rewrite
