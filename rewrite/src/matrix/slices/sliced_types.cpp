// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "matrix/factors.hpp"
#include "matrix/open_sums.hpp"
#include "matrix/product_loops.hpp"
#include "matrix/slices/segments.hpp"

namespace coopvk::rewrite {

namespace {

// Whether each load of a sliced type is from shared memory, and each of its slices starts at a
// whole pointee.
bool loadsAllow(const TypeTable& types, const MatrixUses& uses, const SlicedTypes& sliced) {
    const Module& module = types.module();
    return std::ranges::all_of(uses.loads(), [&](const MatrixAccess& access) {
        if (!sliced.types.contains(access.type)) return true;
        const Instruction& load = *access.instruction;
        const Instruction& type = module.def(access.type);
        const auto d = matrixDimensions(module, type);
        if (!access.along || !d || load.operands.size() < 3) return false;
        // From other memory, it is faster if lanes load long lines at once.
        if (module.storage(load.word(0)) != spv::StorageClass::Workgroup) return false;
        const bool acrossLines = (access.along == Dimension::kColumns) == (d->use == Use::kB);
        const Id pointee = module.pointee(load.word(0));
        const uint32_t bits = types.width(pointee) * types.components(pointee);
        const uint32_t step = sliced.depth * types.width(type.word(0));
        return acrossLines || (bits != 0 && step % bits == 0);
    });
}

struct Components {
    uint32_t factorBits;  // of A and B, the narrower ones
    uint32_t sumBits;
    uint64_t sums;  // of a lane, in one variable
    bool areFloats;
    bool areOpen;         // open sums (open_sums.hpp)
    bool haveDuplicates;  // there are fewer sums than lanes
};

struct Slices {
    uint32_t depth = 0;  // columns of A in a slice; 0: no slices
    bool rolled = false;
};

// Slices are deeper where an instruction multiplies several columns at once. docs/fleet.md and
// docs/benchmarks.md have the measurements.
Slices slicesFor(const Target& target, const LayoutPolicy& policy, const Components& c) {
    const DeviceTraits& device = target.device;
    if (device.isCpu) {
        // Few registers: with 8 lanes or more, those of a loop over slices suffice for the sums.
        constexpr uint32_t kLanes = 8;
        const bool isSliced = c.areFloats && (c.sumBits == 32 || c.areOpen) && c.factorBits == 16 &&
                              target.subgroupSize >= kLanes;
        return isSliced ? Slices{2, true} : Slices{};
    }
    // The product of each slice would end with the addition of both halves of a pair.
    if (c.areFloats && c.sumBits == 16 && policy.halfPairsAlongK && !c.areOpen) return {};
    // Their conversions are long code, which unrolled exceeds the cache of instructions: a quarter
    // of the speed on an H200. A slice is a word.
    if (c.areFloats && c.factorBits == 8) return {4, true};
    if (hasFewRegisters(device)) {
        const bool isWide = target.subgroupSize > 64;
        if (!c.areFloats) return {isWide ? 8u : 16u, true};
        return {isWide && (c.sumBits == 32 || c.haveDuplicates) ? 2u : 4u, true};
    }
    if (device.scalarRegisters) {
        if (!c.areFloats) return {};
        if (c.sumBits == 16) return {8, false};
        const bool dots = device.shaderMixedFloatDotProductFloat16AccFloat32;
        return {dots && target.subgroupSize > 32 ? 8u : 4u, false};
    }
    if (hasManyRegisters(device)) {
        if (!c.areFloats) return {};
        constexpr uint64_t kManySums = 65;  // leave few registers for A and B
        if (c.sumBits == 32 && c.sums >= kManySums) return {4, true};
        if (policy.halfPairsAlongK) return {};
        if (c.sumBits == 16) return {8, false};
        return c.factorBits == 16 ? Slices{4, true} : Slices{};
    }
    return {c.factorBits == 4 ? 8u : 4u, false};
}

Slices tuned(Slices slices, const MatrixTuning& tuning) {
    return {tuning.sliceDepth.value_or(slices.depth), tuning.rollSlices.value_or(slices.rolled)};
}

// The most components of a type of accumulator that a variable keeps in each lane.
uint64_t sumsOfLane(const Module& module, const Target& target, MatrixCounts& matrices, Id type) {
    const auto d = matrixDimensions(module, module.def(type));
    uint64_t kept = 1;
    for (const auto& function : module.functions()) {
        if (function->blocks.empty()) continue;
        kept = std::max(kept, matrices.maxKept(*function, type));
    }
    return d ? kept * d->rows * d->columns / target.subgroupSize : 0;
}

}  // namespace

SlicedTypes chooseSlices(const TypeTable& types, const Target& target, const LayoutPolicy& policy) {
    const Module& module = types.module();
    const auto isFactor = [&](const Instruction& type) {
        return !policy.likeAccumulators.contains(type.result);
    };
    const MatrixUses uses(module);
    const FactorSurvey survey(uses, types, isFactor, {});
    const std::set<Id> open = openAccumulators(uses, types, target, policy);
    MatrixCounts matrices(module);
    SlicedTypes out;
    for (const MatrixProduct& product : uses.products()) {
        const Id a = product.a, b = product.b, accumulator = product.instruction->type;
        const auto d = matrixDimensions(module, module.def(a));
        const auto right = matrixDimensions(module, module.def(b));
        if (!d || !d->isOfSubgroup() || !right || d->columns != right->rows) return {};
        if (!survey.has(a) || !survey.has(b)) return {};
        const Id sum = module.def(accumulator).word(0);
        const Components components = {std::min(survey.bitsOf(a), survey.bitsOf(b)),
                                       types.width(sum),
                                       sumsOfLane(module, target, matrices, accumulator),
                                       types.isFloat(sum),
                                       open.contains(accumulator),
                                       uint64_t{d->rows} * right->columns < target.subgroupSize};
        const auto [depth, rolled] = tuned(slicesFor(target, policy, components), target.tuning);
        if (depth == 0 || d->columns <= depth || d->columns % depth != 0) return {};
        if (out.depth != 0 && (out.depth != depth || out.wholeDepth != d->columns)) return {};
        out.depth = depth;
        out.wholeDepth = d->columns;
        out.rolled |= rolled;
        out.types.insert({a, b});
    }
    // 4-bit components take many registers, unless words of them are read as bytes.
    out.rolled |= module.hasCapability(spv::Capability::Int4CooperativeMatrixINTEL) &&
                  !wantsByteDots(target.device);
    if (out.depth == 0 || !loadsAllow(types, uses, out)) return {};
    return out;
}

}  // namespace coopvk::rewrite
