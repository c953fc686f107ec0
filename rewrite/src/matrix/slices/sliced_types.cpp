// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "matrix/instructions.hpp"
#include "matrix/matrix_uses.hpp"
#include "matrix/product_loops.hpp"
#include "matrix/slices/segments.hpp"

namespace coopvk::rewrite {

namespace {

class SliceChooser {
 public:
    SliceChooser(const TypeTable& types, const PlannedTarget& target, const LayoutPolicy& policy,
                 const MatrixUses& uses)
        : module_(types.module()),
          types_(types),
          target_(target),
          policy_(policy),
          uses_(uses),
          survey_(uses_, types,
                  [&](const Instruction& type) { return !policy.isHeldApart(type.result); }, {}),
          open_(openAccumulators(uses_, types, target, policy)),
          matrices_(module_) {}

    std::optional<SlicedTypes> run() {
        for (const MatrixProduct& product : uses_.products()) {
            if (!add(product)) return std::nullopt;
        }
        // 4-bit components take many registers, unless words of them are read as bytes.
        chosen_.rolled |= module_.hasCapability(spv::Capability::Int4CooperativeMatrixINTEL) &&
                          !target_.device.prefersByteDots;
        const auto allows = [&](const MatrixAccess& load) { return loadAllows(load); };
        const auto allAllow = [&] { return std::ranges::all_of(uses_.loads(), allows); };
        while (hasLayoutOfColumn_ && !allAllow() && mayBeDeeper()) {
            chosen_.depth *= 2;
            chosen_.rolled = false;
        }
        if (chosen_.depth == 0 || !allAllow()) return std::nullopt;
        return std::move(chosen_);
    }

 private:
    // In a layout in which a lane has one column, it has so many rows of A that slices of whole
    // pointees, which are deeper than the plan's, spill fewer registers than none. Processors with
    // scalar registers spill none, and are faster without slices.
    bool mayBeDeeper() const {
        const uint32_t deeper = 2 * chosen_.depth;
        return !target_.device.sharesScalars && deeper != 0 && deeper < chosen_.wholeDepth &&
               chosen_.wholeDepth % deeper == 0;
    }

    // False if the product allows no slices, or others than those before it.
    bool add(const MatrixProduct& product) {
        const auto left = matrixDimensions(module_, module_.def(product.a));
        const auto right = matrixDimensions(module_, module_.def(product.b));
        if (!left || !left->isOfSubgroup() || !right || left->columns != right->rows) return false;
        if (!survey_.has(product.a) || !survey_.has(product.b)) return false;
        // The product of each slice would round to 16 bits.
        const Id sum = module_.def(product.instruction->type).word(0);
        if (product.roundsOnce && types_.isFloat(sum) && types_.width(sum) == 16) return false;
        const auto [depth, rolled] = slicesOf(product, *left, *right);
        const uint32_t k = left->columns;
        if (depth == 0 || k <= depth || k % depth != 0) return false;
        const bool isFirst = chosen_.depth == 0;
        if (!isFirst && (chosen_.depth != depth || chosen_.wholeDepth != k)) return false;
        chosen_.depth = depth;
        chosen_.wholeDepth = k;
        chosen_.rolled |= rolled;
        hasLayoutOfColumn_ |= isLayoutOfColumn(*right);
        chosen_.types.insert({product.a, product.b});
        return true;
    }

    Slices slicesOf(const MatrixProduct& product, const MatrixDimensions& left,
                    const MatrixDimensions& right) {
        const Id accumulator = product.instruction->type;
        const Id sum = module_.def(accumulator).word(0);
        const Slices slices = target_.device.slicesFor(
            {.lanes = target_.subgroupSize,
             .factorBits = std::min(survey_.bitsOf(product.a), survey_.bitsOf(product.b)),
             .sumBits = types_.width(sum),
             .depth = left.columns,
             .sums = sumsOfLane(accumulator),
             .areFloats = types_.isFloat(sum),
             .areOpen = open_.contains(accumulator),
             .haveDuplicates = uint64_t{left.rows} * right.columns < target_.subgroupSize,
             .arePairsAlongK = policy_.halfPairsAlongK,
             .haveMixedDots = target_.device.hasMixedDots,
             .haveLayout = isLayoutOfColumn(right)});
        return {target_.tuning.sliceDepth.value_or(slices.depth),
                target_.tuning.rollSlices.value_or(slices.rolled)};
    }

    bool isLayoutOfColumn(const MatrixDimensions& right) const {
        return policy_.elementLayout != ElementLayout::kFree &&
               right.columns <= policy_.grid.columns;
    }

    // The most components of a type of accumulator that a variable keeps in each lane.
    uint64_t sumsOfLane(Id type) {
        const auto [known, isNew] = sums_.try_emplace(type, 0);
        if (isNew) known->second = countSums(type);
        return known->second;
    }
    uint64_t countSums(Id type) {
        const auto d = matrixDimensions(module_, module_.def(type));
        uint64_t kept = 1;
        for (const auto& function : module_.functions()) {
            if (function->blocks.empty()) continue;
            kept = std::max(kept, matrices_.maxKept(*function, type));
        }
        return d ? kept * d->rows * d->columns / target_.subgroupSize : 0;
    }

    // Whether a load of a sliced type is from shared memory, and each of its slices starts at a
    // whole pointee.
    bool loadAllows(const MatrixAccess& access) const {
        if (!chosen_.types.contains(access.type)) return true;
        const Instruction& load = *access.instruction;
        const Instruction& type = module_.def(access.type);
        const auto d = matrixDimensions(module_, type);
        if (!access.along || !d || load.operands.size() < 3) return false;
        // From other memory, it is faster if lanes load long lines at once.
        if (module_.storage(load.word(0)) != spv::StorageClass::Workgroup) return false;
        const bool acrossLines = (access.along == Dimension::kColumns) == (d->use == Use::kB);
        const Id pointee = module_.pointee(load.word(0));
        const uint32_t bits = types_.width(pointee) * types_.components(pointee);
        const uint32_t step = chosen_.depth * types_.width(type.word(0));
        return acrossLines || (bits != 0 && step % bits == 0);
    }

    const Module& module_;
    const TypeTable& types_;
    const PlannedTarget& target_;
    const LayoutPolicy& policy_;
    const MatrixUses& uses_;
    const FactorSurvey survey_;
    const std::set<Id> open_;
    MatrixCounts matrices_;
    std::map<Id, uint64_t> sums_;  // of a lane, by type
    SlicedTypes chosen_;
    bool hasLayoutOfColumn_ = false;
};

}  // namespace

std::optional<SlicedTypes> chooseSlices(const TypeTable& types, const PlannedTarget& target,
                                        const LayoutPolicy& policy, const MatrixUses& uses) {
    return SliceChooser(types, target, policy, uses).run();
}

}  // namespace coopvk::rewrite
