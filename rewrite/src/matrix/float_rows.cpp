// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "lowering/half_bits.hpp"
#include "matrix/product.hpp"

namespace coopvk::rewrite {

namespace {

auto floatConversion(Emitter& emit) {
    return [&emit](Id value, Id type) { return emit.converted(type, value); };
}

// Whether all matrices of a product have f16 components, and arithmetic of f16 suffices.
bool areHalves(const MatrixContext& context, const MulAdd& p) {
    return !p.roundsOnce &&
           std::ranges::all_of(std::array{p.a, p.b, p.c, p.result}, [&](const MatrixType* m) {
               return context.types.isHalf(m->component);
           });
}

// Whether A and B have pairs of neighbours along K in packs.
bool havePairsAlongK(const MulAdd& p) {
    return p.a->fragment.packWidth == 2 && p.b->fragment.packWidth == 2 &&
           p.b->fragment.packAxis == PackAxis::kRows;
}

// Scalars, of the accumulator's type; for accumulators of 16 bits mostly f32.
class FloatRow : public RowProduct {
 public:
    FloatRow(MatrixContext& context, Emitter& emit, const MulAdd& product)
        : RowProduct(context, emit, product), arithmetic_(product.result->component) {
        const bool staysHalf =
            context.target.device.computesSingleHalves && areHalves(context, product);
        if (types_.width(arithmetic_) == 16 && !staysHalf) arithmetic_ = types_.floatType(32);
    }

    void prepareB(Id b) override { b_ = scalarsOfB(b, arithmetic_, floatConversion(emit_)); }

    Row begin(std::span<const Id> a, std::span<const Id> c) override {
        const Convert convert = floatConversion(emit_);
        return {scalars(a, arithmetic_, convert), {}, scalars(c, arithmetic_, convert)};
    }

    void step(Row& row, uint32_t k) override {
        for (uint32_t j = 0; j < columns(); ++j) {
            multiplyAdd(row.sums[j], arithmetic_, row.left[k], b_[k][j]);
        }
    }

    // Only where rounding to half floats takes long.
    bool sumsStayOpen() const override { return accumulatesOpen(p_, SumForm::kSingles); }

    std::vector<Id> end(Row& row) override {
        if (sumsStayOpen()) return row.sums;
        for (Id& sum : row.sums) {
            sum = roundSums(context_, emit_, p_, p_.result->component, sum);
        }
        return pack(row.sums);
    }

 private:
    Id arithmetic_;
    std::vector<std::vector<Id>> b_;
};

// B stays in packs.
class PackedRow : public RowProduct {
 public:
    using RowProduct::RowProduct;

    void prepareB(Id b) override { b_ = extractPacks(emit_, *p_.b, b); }

 protected:
    Id packOfB(uint32_t row, uint32_t column) const {
        return b_[p_.b->fragment.packOf(row, column)];
    }

 private:
    std::vector<Id> b_;
};

// All matrices are f16: two neighbouring columns at once.
class PackedHalfRow : public PackedRow {
 public:
    using PackedRow::PackedRow;

    static bool fits(const MatrixContext& context, const MulAdd& p) {
        return areHalves(context, p) && p.result->fragment.packWidth == 2 &&
               p.b->fragment.packWidth == 2 && p.b->fragment.packAxis == PackAxis::kColumns &&
               context.target.device.packsHalves;
    }

    Row begin(std::span<const Id> a, std::span<const Id> c) override {
        return {scalars(a, p_.a->component, [](Id value, Id) { return value; }),
                {},
                {c.begin(), c.end()}};
    }

    void step(Row& row, uint32_t k) override {
        const Id pair = p_.result->pack;
        const Id both = emit_.splat(pair, row.left[k]);
        for (uint32_t j = 0; j < row.sums.size(); ++j) {
            multiplyAdd(row.sums[j], pair, both, packOfB(k, 2 * j));
        }
    }

    std::vector<Id> end(Row& row) override { return row.sums; }
};

// All matrices are f16: two neighbours along K at once. Each sum has an even and an odd part, which
// end() adds.
class HalfDotRow : public PackedRow {
 public:
    using PackedRow::PackedRow;

    static bool fits(const MatrixContext& context, const MulAdd& p) {
        return areHalves(context, p) && havePairsAlongK(p) && context.target.device.packsHalves;
    }

    Row begin(std::span<const Id> a, std::span<const Id> c) override {
        const std::vector<Id> start(c.begin(), c.end());
        if (sumsStayOpen()) return {{a.begin(), a.end()}, {}, start};
        return {{a.begin(), a.end()}, start, std::vector<Id>(columns())};
    }

    uint32_t steps() const override { return depth() / 2; }

    void step(Row& row, uint32_t k) override {
        for (uint32_t j = 0; j < columns(); ++j) {
            multiplyAdd(row.sums[j], p_.b->pack, row.left[k], packOfB(2 * k, j));
        }
    }

    bool sumsStayOpen() const override { return accumulatesOpen(p_, SumForm::kHalves); }

    std::vector<Id> end(Row& row) override {
        if (sumsStayOpen()) return row.sums;
        const Id half = p_.result->component;
        std::vector<Id> packs[2];
        for (uint32_t part = 0; part < 2; ++part) {
            std::vector<Id> scalars;
            for (Id sum : row.sums) scalars.push_back(emit_.extract(half, sum, {part}));
            packs[part] = pack(scalars);
        }
        std::vector<Id> out;
        for (size_t i = 0; i < packs[0].size(); ++i) {
            const Id type = emit_.typeOf(packs[0][i]);
            const Id both = emit_.op(OpFAdd, type, {packs[0][i], packs[1][i]});
            out.push_back(emit_.op(OpFAdd, type, {both, row.start[i]}));
        }
        return out;
    }
};

// A and B are f16, sums f32: two neighbours along K at once. SPV_VALVE_mixed_float_dot_product
// leaves order and precision of the two additions to the implementation, "like cooperative matrix
// multiply-add" (its issue 1), as SPV_KHR_cooperative_matrix does for all additions of a product.
class MixedDotRow : public PackedRow {
 public:
    using PackedRow::PackedRow;

    // Numbers, since SPIR-V headers may be older than the extension.
    static constexpr auto kCapability = static_cast<spv::Capability>(6912);
    static constexpr auto kDotProduct = static_cast<spv::Op>(6916);  // OpFDot2MixAcc32VALVE

    static bool fits(const MatrixContext& context, const MulAdd& p) {
        const TypeTable& types = context.types;
        return context.target.device.hasMixedDots && types.isHalf(p.a->component) &&
               types.isHalf(p.b->component) &&
               (types.width(p.result->component) == 32 || accumulatesOpen(p, SumForm::kSingles)) &&
               havePairsAlongK(p);
    }

    void prepareB(Id b) override {
        context_.module.addCapability(kCapability);
        context_.module.addExtension("SPV_VALVE_mixed_float_dot_product");
        PackedRow::prepareB(b);
    }

    Row begin(std::span<const Id> a, std::span<const Id> c) override {
        return {{a.begin(), a.end()}, {}, scalars(c, types_.floatType(32), floatConversion(emit_))};
    }

    bool sumsStayOpen() const override { return accumulatesOpen(p_, SumForm::kSingles); }

    uint32_t steps() const override { return depth() / 2; }

    void step(Row& row, uint32_t k) override {
        for (uint32_t j = 0; j < columns(); ++j) {
            row.sums[j] = emit_.op(kDotProduct, types_.floatType(32),
                                   {row.left[k], packOfB(2 * k, j), row.sums[j]});
        }
    }

    std::vector<Id> end(Row& row) override { return sumsStayOpen() ? row.sums : pack(row.sums); }
};

}  // namespace

Id roundSums(MatrixContext& context, Emitter& emit, const MulAdd& p, Id type, Id sums) {
    TypeTable& types = context.types;
    const bool mayBeDropped = p.roundsOnce && context.target.device.roundsOnceInIntegers &&
                              types.isHalf(types.scalarOf(type));
    const std::optional<Rounding> rounding = halfRounding(context.module);
    if (!mayBeDropped || !rounding) return emit.converted(type, sums);
    const Id function = context.helper({static_cast<uint32_t>(OpFConvert), type}, [&] {
        return halfFunction(types, context.newFunctions, types.components(type), *rounding);
    });
    return emit.call(type, function, std::span(&sums, 1));
}

std::unique_ptr<RowProduct> floatRow(MatrixContext& context, Emitter& emit, const MulAdd& p) {
    if (MixedDotRow::fits(context, p)) return std::make_unique<MixedDotRow>(context, emit, p);
    if (HalfDotRow::fits(context, p)) return std::make_unique<HalfDotRow>(context, emit, p);
    if (PackedHalfRow::fits(context, p)) return std::make_unique<PackedHalfRow>(context, emit, p);
    return std::make_unique<FloatRow>(context, emit, p);
}

}  // namespace coopvk::rewrite
