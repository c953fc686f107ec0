// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "matrix/integer_row.hpp"

namespace coopvk::rewrite {

IntegerRow::IntegerRow(LoweringContext& context, Emitter& emit, const Product& product)
    : RowProduct(context, emit, product),
      arithmetic_(types_.intType(std::max(32u, types_.width(product.result->component)), false)) {}

RowProduct::Row IntegerRow::begin(std::span<const Id> a, std::span<const Id> c) {
    // Without saturation C may as well start the sums; with it, it is added last.
    return withC(scalars(a, arithmetic_, extend(p_.signs.a)), c, !p_.saturating);
}

void IntegerRow::step(Row& row, uint32_t k) {
    for (uint32_t j = 0; j < columns(); ++j) {
        add(row.sums[j], emit_.op(spv::Op::OpIMul, arithmetic_, {row.left[k], b_[k][j]}));
    }
}

std::vector<Id> IntegerRow::end(Row& row) {
    for (uint32_t j = 0; j < columns(); ++j) {
        Id& sum = row.sums[j];
        if (p_.saturating) {
            const uint32_t width = types_.width(p_.result->component);
            sum = saturatingAdd(emit_, arithmetic_, width, p_.signs.result, sum, row.start[j]);
        }
        sum = narrowInteger(emit_, sum, p_.result->component);
    }
    return pack(row.sums);
}

RowProduct::Row IntegerRow::withC(std::vector<Id> left, std::span<const Id> c, bool inSums) {
    std::vector<Id> start = scalars(c, arithmetic_, extend(p_.signs.c));
    std::vector<Id> sums = inSums ? start : std::vector<Id>(columns());
    return {std::move(left), std::move(start), std::move(sums)};
}

std::unique_ptr<RowProduct> integerRow(LoweringContext& context, Emitter& emit, const Product& p) {
    if (std::unique_ptr<RowProduct> row = dotRow(context, emit, p)) return row;
    return std::make_unique<IntegerRow>(context, emit, p);
}

}  // namespace coopvk::rewrite
