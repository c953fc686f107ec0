// SPDX-License-Identifier: Apache-2.0
//
// Integer widening, narrowing and saturating addition. Values are scalars or vectors; arithmetic
// types are unsigned.
#pragma once

#include "ir/emitter.hpp"
#include "matrix/row_product.hpp"

namespace coopvk::rewrite {

// The integer sign or zero extended to `type`, which has as many components and is at least as
// wide.
Id extendInteger(Emitter& emit, Id value, Id type, bool isSigned);

// The low bits of the integer, as `type`, which has as many components and is at most as wide.
Id narrowInteger(Emitter& emit, Id value, Id type);

// a + b, saturated to the limits of integers of `width` bits, in the low bits of a value of `type`,
// which is at least as wide. Of `a` only the low `width` bits count; `b` is extended to `type`.
Id saturatingAdd(Emitter& emit, Id type, uint32_t width, bool isSigned, Id a, Id b);

// Rows of integer products: one multiplication at a time, or dot products of four bytes.

// Arithmetic of the result's width, or of 32 bits if that is narrower: SPV_KHR_cooperative_matrix
// defines only the low bits.
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

    // A row that has begun. `inSums`: C is the first addend of the sums.
    Row withC(std::vector<Id> left, std::span<const Id> c, bool inSums);

    void add(Id& sum, Id product) {
        sum = sum == 0 ? product : emit_.op(spv::Op::OpIAdd, arithmetic_, {sum, product});
    }

    Id arithmetic_;

 private:
    std::vector<std::vector<Id>> b_;
};

// Four products of bytes at once; nullptr where that does not suit the device or the matrices.
std::unique_ptr<RowProduct> dotRow(MatrixContext& context, Emitter& emit, const MulAdd& p);

}  // namespace coopvk::rewrite
