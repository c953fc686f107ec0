// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "matrix/instructions.hpp"
#include "matrix/matrix_uses.hpp"
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

Slices tuned(Slices slices, const MatrixTuning& tuning) {
    return {tuning.sliceDepth.value_or(slices.depth), tuning.rollSlices.value_or(slices.rolled)};
}

// The most components of a type of accumulator that a variable keeps in each lane.
uint64_t sumsOfLane(const Module& module, const PlannedTarget& target, MatrixCounts& matrices,
                    Id type) {
    const auto d = matrixDimensions(module, module.def(type));
    uint64_t kept = 1;
    for (const auto& function : module.functions()) {
        if (function->blocks.empty()) continue;
        kept = std::max(kept, matrices.maxKept(*function, type));
    }
    return d ? kept * d->rows * d->columns / target.subgroupSize : 0;
}

}  // namespace

SlicedTypes chooseSlices(const TypeTable& types, const PlannedTarget& target,
                         const LayoutPolicy& policy) {
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
        const SlicedProduct components = {
            .lanes = target.subgroupSize,
            .factorBits = std::min(survey.bitsOf(a), survey.bitsOf(b)),
            .sumBits = types.width(sum),
            .sums = sumsOfLane(module, target, matrices, accumulator),
            .areFloats = types.isFloat(sum),
            .areOpen = open.contains(accumulator),
            .haveDuplicates = uint64_t{d->rows} * right->columns < target.subgroupSize,
            .arePairsAlongK = policy.halfPairsAlongK,
            .haveMixedDots = target.device.hasMixedDots};
        const auto [depth, rolled] = tuned(target.device.slicesFor(components), target.tuning);
        if (depth == 0 || d->columns <= depth || d->columns % depth != 0) return {};
        if (out.depth != 0 && (out.depth != depth || out.wholeDepth != d->columns)) return {};
        out.depth = depth;
        out.wholeDepth = d->columns;
        out.rolled |= rolled;
        out.types.insert({a, b});
    }
    // 4-bit components take many registers, unless words of them are read as bytes.
    out.rolled |= module.hasCapability(spv::Capability::Int4CooperativeMatrixINTEL) &&
                  !target.device.prefersByteDots;
    if (out.depth == 0 || !loadsAllow(types, uses, out)) return {};
    return out;
}

}  // namespace coopvk::rewrite
