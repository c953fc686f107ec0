// SPDX-License-Identifier: Apache-2.0
#include "matrix/staged_product.hpp"

#include "matrix/exchange.hpp"

namespace coopvk::rewrite {

StagedProduct::StagedProduct(MatrixContext& context, FunctionBuilder& function,
                             const MulAdd& product, uint32_t depth, uint32_t words)
    : context_(context),
      types_(context.types),
      f_(function),
      emit_(function.emit()),
      p_(product),
      depth_(depth),
      memory_(context, emit_),
      position_(context.position(emit_.out(), LaneScope::kWorkgroup)) {
    memory_.use(words);
}

void StagedProduct::forEachSlice(const std::function<void(Id start)>& stage,
                                 const std::function<void()>& multiply, bool leavesLast) {
    const auto stageAt = [&](Id start) {
        memory_.barrier();
        stage(start);
        memory_.barrier();
    };
    const uint32_t slices = p_.a->columns / depth_ - (leavesLast ? 1 : 0);
    f_.loopAbove(1, slices, [&](Id slice) {
        stageAt(emit_.times(slice, depth_));
        multiply();
    });
    if (leavesLast) stageAt(emit_.constant(slices * depth_));
}

GridPosition& StagedProduct::positionOf(const MatrixType& m) {
    if (!m.fragment.run) return position_;
    const auto found = inRuns_.find(m.id);
    if (found != inRuns_.end()) return found->second;
    return inRuns_.emplace(m.id, context_.position(emit_.out(), m.fragment)).first->second;
}

void StagedProduct::forEachBlock(const MatrixType& matrix, Dimension k, Id start, Condition stores,
                                 const std::function<void(uint32_t block, Id inSlice)>& body) {
    const Axis& axis = matrix.fragment.axis(k);
    for (uint32_t block = 0; block < axis.count(); block += blockOf(axis)) {
        const Id index = positionOf(matrix).indexOn(emit_, k, axis, block);
        const Id inSlice = emit_.op(OpISub, types_.uint32(), {index, start});
        Condition stored = stores;
        if (depth_ < axis.size) {
            const Condition isIn = emit_.compare(OpULessThan, inSlice, emit_.constant(depth_));
            stored = emit_.both(stores, isIn);
        }
        f_.when(stored, [&] { body(block, inSlice); });
    }
}

}  // namespace coopvk::rewrite
