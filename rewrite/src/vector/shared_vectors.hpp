// SPDX-License-Identifier: Apache-2.0
//
// The inputs and results of a subgroup's invocations in shared memory, in chunks of as many bytes
// of each vector as the exchange has: the base of the products that a subgroup computes together.
#pragma once

#include "ir/memory_model.hpp"
#include "lowering/built_ins.hpp"
#include "lowering/shared_memory.hpp"
#include "vector/product_together.hpp"

namespace coopvk::rewrite {

class SharedVectors : protected VectorCode {
 protected:
    SharedVectors(const ProductWork& work, const Exchange& exchange)
        : VectorCode(work.function),
          work_(work),
          p_(work.product),
          exchange_(exchange),
          quad_(types_.vectorType(u32(), 4)) {}

    // Reads the positions of the subgroup and of this invocation (lane).
    void begin();

    // The first quad of a lane (u32) of the subgroup.
    Id laneBase(Id lane) { return addU32(base_, times(lane, exchange_.laneQuads())); }
    Id slot(Id index) { return emit_.chain(quad_, {exchange_.variable, index}); }
    Id load(Id index);
    void store(Id index, Id value);
    void barrier();

    // Quads of a line of the matrix, and the quads of input that belong to one of them.
    uint32_t matrixQuads() const { return p_.lineBytes() / 16; }
    uint32_t inputQuadsPerMatrixQuad() const { return work_.arithmetic.unitsPerWord(); }
    uint32_t matrixQuadsPerChunk() const { return exchange_.quads / inputQuadsPerMatrixQuad(); }

    // For each chunk, in order: shares this lane's part of the input, with zeros up to a multiple
    // of `multiple` quads, runs add(first quad of the matrix (u32), quads of the matrix), and frees
    // the memory.
    void forEachChunk(uint32_t multiple, const std::function<void(Id, uint32_t)>& add);

    const ProductWork& work_;
    const VectorMatrixMul& p_;
    const Exchange& exchange_;
    Id quad_;
    Id lane_ = 0;
    Id base_ = 0;
    Id laneQuads_ = 0;  // first quad of this lane

 private:
    void shareChunk(Id chunk, uint32_t quads, uint32_t zeros, uint32_t whole);
    void shareInput(Id chunk, uint32_t quads);
};

inline void SharedVectors::begin() {
    lane_ = readLane(emit_);
    const Id subgroup = subgroupNumber(f_.context(), emit_, exchange_);
    f_.module().addCapability(spv::Capability::GroupNonUniform);
    base_ = times(subgroup, exchange_.lanes * exchange_.laneQuads());
    laneQuads_ = laneBase(lane_);
}

inline Id SharedVectors::load(Id index) {
    return emit_.load(quad_, slot(index), nonPrivateAccess(f_.module()));
}

inline void SharedVectors::store(Id index, Id value) {
    emit_.store(slot(index), value, nonPrivateAccess(f_.module()));
}

inline void SharedVectors::barrier() { sharedBarrier(emit_, spv::Scope::Subgroup); }

inline void SharedVectors::forEachChunk(uint32_t multiple,
                                        const std::function<void(Id, uint32_t)>& add) {
    const uint32_t perChunk = matrixQuadsPerChunk();
    const uint32_t whole = matrixQuads() / perChunk;
    const auto addChunk = [&](Id chunk, uint32_t quads) {
        const uint32_t inputs = quads * inputQuadsPerMatrixQuad();
        const auto padded = static_cast<uint32_t>(roundUp(inputs, multiple));
        shareChunk(chunk, inputs, padded - inputs, whole);
        barrier();
        add(times(chunk, perChunk), quads);
        barrier();
    };
    f_.repeat(whole, 1, [&](Id chunk) { addChunk(chunk, perChunk); });
    if (const uint32_t rest = matrixQuads() % perChunk; rest != 0) addChunk(c(whole), rest);
}

// `whole`: the number of chunks if `chunk` is not constant.
inline void SharedVectors::shareChunk(Id chunk, uint32_t quads, uint32_t zeros, uint32_t whole) {
    const bool known = emit_.module().constantValue(chunk).has_value();
    if (known || !work_.input.hasValues()) {
        shareInput(chunk, quads);
    } else {
        // Values have no dynamic indices.
        for (uint32_t k = 0; k < whole; ++k) {
            const Id isThis = emit_.compare(spv::Op::OpIEqual, chunk, c(k));
            f_.when(isThis, [&] { shareInput(c(k), quads); });
        }
    }
    for (uint32_t z = 0; z < zeros; ++z) {
        store(plus(laneQuads_, quads + z), types_.constantNull(quad_));
    }
}

inline void SharedVectors::shareInput(Id chunk, uint32_t quads) {
    const Id firstUnit = times(chunk, 4 * exchange_.quads);
    const std::optional<uint64_t> known = emit_.module().constantValue(firstUnit);
    for (uint32_t q = 0; q < quads; ++q) {
        std::vector<Id> words;
        for (uint32_t u = 0; u < 4; ++u) {
            const Id unit = plus(firstUnit, 4 * q + u);
            const bool beyond = known && *known + 4 * q + u >= work_.input.units();
            words.push_back(beyond ? c(0) : emit_.bitcast(u32(), work_.input.unitAt(unit)));
        }
        store(plus(laneQuads_, q), emit_.construct(quad_, words));
    }
}

}  // namespace coopvk::rewrite
