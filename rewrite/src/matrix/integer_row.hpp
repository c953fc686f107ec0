// SPDX-License-Identifier: Apache-2.0
//
// Rows of products of integers: one by one, and by dot products of four bytes.
#pragma once

#include "matrix/integer_arithmetic.hpp"
#include "matrix/packs.hpp"
#include "matrix/row_product.hpp"

namespace coopvk::rewrite {

// Integers at the width of the result, at least 32 bits; the low bits are what the text asks for.
class IntegerRow : public RowProduct {
 public:
    IntegerRow(MatrixContext& context, Emitter& emit, const MulAdd& product);

    void prepareB(Id b) override { b_ = scalarsOfB(b, arithmetic_, extend(p_.signs.b)); }
    Row begin(std::span<const Id> a, std::span<const Id> c) override;
    void step(Row& row, uint32_t k) override;
    std::vector<Id> end(Row& row) override;

 protected:
    Convert extend(bool isSigned) {
        return [this, isSigned](Id value, Id type) {
            return extendInteger(emit_, value, type, isSigned);
        };
    }

    // With C in the sums, or with none yet.
    Row withC(std::vector<Id> left, std::span<const Id> c, bool inSums);

    void add(Id& sum, Id product) {
        sum = sum == 0 ? product : emit_.op(spv::Op::OpIAdd, arithmetic_, {sum, product});
    }

    Id arithmetic_;

 private:
    std::vector<std::vector<Id>> b_;
};

// Four 8-bit products at once; nothing where the device or the matrices do not suit that.
std::unique_ptr<RowProduct> dotRow(MatrixContext& context, Emitter& emit, const MulAdd& p);

}  // namespace coopvk::rewrite
