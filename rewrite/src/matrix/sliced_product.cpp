// SPDX-License-Identifier: Apache-2.0
#include "matrix/sliced_product.hpp"

namespace coopvk::rewrite {

SlicedProduct::SlicedProduct(MatrixContext& context, FunctionBuilder& function,
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

void SlicedProduct::forEachSlice(const std::function<void(Id start)>& stage,
                                 const std::function<void()>& multiply) {
    f_.repeat(p_.a->columns / depth_, 1, [&](Id slice) {
        const Id start = emit_.times(slice, depth_);
        memory_.barrier();
        stage(start);
        memory_.barrier();
        multiply();
    });
}

void SlicedProduct::forEachBlock(const MatrixType& matrix, Dimension k, Id start, Id stores,
                                 const std::function<void(uint32_t block, Id inSlice)>& body) {
    const Axis& axis = matrix.fragment.axis(k);
    for (uint32_t block = 0; block < axis.count(); block += axis.block) {
        const Id index = position_.indexOn(emit_, k, axis, block);
        const Id inSlice = emit_.op(spv::Op::OpISub, types_.uint32(), {index, start});
        Id stored = stores;
        if (depth_ < axis.size) {
            stored = emit_.both(
                stores, emit_.compare(spv::Op::OpULessThan, inSlice, emit_.constant(depth_)));
        }
        f_.when(stored, [&] { body(block, inSlice); });
    }
}

void SlicedProduct::beginSums(Id pack, std::span<const Id> values) {
    for (const Id value : values) {
        sums_.push_back(f_.variable(pack));
        f_.store(sums_.back(), value);
    }
}

std::vector<Id> SlicedProduct::loadSums() {
    std::vector<Id> sums;
    for (const Id sum : sums_) sums.push_back(f_.load(sum));
    return sums;
}

}  // namespace coopvk::rewrite
