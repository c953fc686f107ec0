// SPDX-License-Identifier: Apache-2.0
#include "vector/shared_vectors.hpp"

namespace coopvk::rewrite {

void SharedVectors::begin() {
    lane_ = readLane(emit_);
    const Id subgroup = subgroupNumber(f_.context(), emit_, exchange_);
    f_.module().addCapability(spv::Capability::GroupNonUniform);
    base_ = times(subgroup, exchange_.lanes * VectorExchange::kLaneQuads);
    laneQuads_ = laneBase(lane_);
}

Id SharedVectors::load(Id index) {
    return emit_.load(quad_, slot(index), nonPrivateAccess(f_.module()));
}

void SharedVectors::store(Id index, Id value) {
    emit_.store(slot(index), value, nonPrivateAccess(f_.module()));
}

void SharedVectors::barrier() { sharedBarrier(emit_, spv::Scope::Subgroup); }

void SharedVectors::forEachChunk(uint32_t multiple, const std::function<void(Id, uint32_t)>& add) {
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
    f_.loopAbove(1, whole, [&](Id chunk) { addChunk(chunk, perChunk); });
    if (const uint32_t rest = matrixQuads() % perChunk; rest != 0) addChunk(c(whole), rest);
}

// `whole`: the number of chunks if `chunk` is not constant.
void SharedVectors::shareChunk(Id chunk, uint32_t quads, uint32_t zeros, uint32_t whole) {
    const bool known = emit_.module().constantValue(chunk).has_value();
    if (known || !work_.input.hasValues()) {
        shareInput(chunk, quads);
    } else {
        // Values have no dynamic indices.
        for (uint32_t k = 0; k < whole; ++k) {
            const Id isThis = emit_.compare(OpIEqual, chunk, c(k));
            f_.when(isThis, [&] { shareInput(c(k), quads); });
        }
    }
    for (uint32_t z = 0; z < zeros; ++z) {
        store(plus(laneQuads_, quads + z), types_.constantNull(quad_));
    }
}

void SharedVectors::shareInput(Id chunk, uint32_t quads) {
    const Id firstUnit = times(chunk, 4 * kExchangeQuads);
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
