// SPDX-License-Identifier: Apache-2.0
//
// One row of a product in a lane, by component types: see RowProduct.
#pragma once

#include <functional>
#include <memory>

#include "matrix/product.hpp"

namespace coopvk::rewrite {

// Accumulates, for one row of A in this lane, over all of K and all of the lane's columns: begin,
// then steps() times step, then end. The row's packs of A and of the accumulator come and go
// through plain arrays, so that the same code serves the unrolled and the looped form.
class RowProduct {
 public:
    RowProduct(MatrixContext& context, Emitter& emit, const MulAdd& product)
        : context_(context), types_(context.types), emit_(emit), p_(product) {}
    virtual ~RowProduct() = default;

    // Takes B apart once, ahead of all rows.
    virtual void prepareB(Id b) = 0;
    // A row that is being computed: A's values by step, C's by column, and the sums so far (0: none
    // yet).
    struct Row {
        std::vector<Id> left;
        std::vector<Id> start;
        std::vector<Id> sums;
    };
    // Takes packs of A's row and of C's row.
    virtual Row begin(std::span<const Id> a, std::span<const Id> c) = 0;
    virtual uint32_t steps() const { return depth(); }
    virtual void step(Row& row, uint32_t k) = 0;
    // Packs of the result's row.
    virtual std::vector<Id> end(Row& row) = 0;
    // C and the result come and go as open sums in place of packs (open_sums.hpp).
    virtual bool sumsStayOpen() const { return false; }

 protected:
    // A scalar or vector as `type`, of the same number of components.
    using Convert = std::function<Id(Id value, Id type)>;

    static bool accumulatesOpen(const MulAdd& p, Sums sums) {
        return p.result->sums == sums && p.c->id == p.result->id;
    }

    uint32_t depth() const { return p_.a->columns; }
    uint32_t columns() const { return p_.result->fragment.columns.count(); }

    // The components of packs, in order, as scalars of `type` by `convert` (scalar or vector).
    std::vector<Id> scalars(std::span<const Id> packs, Id type, const Convert& convert) {
        std::vector<Id> out;
        for (Id pack : packs) {
            const uint32_t count = types_.components(emit_.typeOf(pack));
            const Id converted = convert(pack, types_.vectorType(type, count));
            for (Id scalar : emit_.parts(converted)) out.push_back(scalar);
        }
        return out;
    }

    // Packs of the result's row from its scalars.
    std::vector<Id> pack(std::span<const Id> scalars) {
        std::vector<Id> packs;
        const uint32_t width = p_.result->fragment.packWidth;
        for (size_t i = 0; i < scalars.size(); i += width) {
            packs.push_back(emit_.join(p_.result->pack, scalars.subspan(i, width)));
        }
        return packs;
    }

    // B's element at (k, column) as a scalar of `type`.
    std::vector<std::vector<Id>> scalarsOfB(Id b, Id type, const Convert& convert) {
        std::vector<Id> packs;
        for (Id pack : extractPacks(emit_, *p_.b, b)) {
            const uint32_t count = types_.components(emit_.typeOf(pack));
            packs.push_back(convert(pack, types_.vectorType(type, count)));
        }
        const Fragment& f = p_.b->fragment;
        std::vector<std::vector<Id>> out(depth(), std::vector<Id>(columns()));
        for (uint32_t k = 0; k < depth(); ++k) {
            for (uint32_t j = 0; j < columns(); ++j) {
                const Id pack = packs[f.packOf(k, j)];
                out[k][j] =
                    f.packWidth == 1 ? pack : emit_.extract(type, pack, {f.componentOf(k, j)});
            }
        }
        return out;
    }

    MatrixContext& context_;
    TypeTable& types_;
    Emitter& emit_;
    const MulAdd& p_;
};

// For results of floating-point components.
std::unique_ptr<RowProduct> floatRow(MatrixContext& context, Emitter& emit, const MulAdd& p);
// For results of integer components.
std::unique_ptr<RowProduct> integerRow(MatrixContext& context, Emitter& emit, const MulAdd& p);

}  // namespace coopvk::rewrite
