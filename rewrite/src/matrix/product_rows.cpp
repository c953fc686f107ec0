// SPDX-License-Identifier: Apache-2.0
//
// Products of 4- and 8-bit components as dot products of four bytes.
#include <algorithm>
#include <array>

#include "ir/opcodes.hpp"
#include "lowering/half_bits.hpp"
#include "lowering/number.hpp"
#include "lowering/words.hpp"
#include "matrix/product.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kOnes = 0x01010101;

// A component x is read as the byte (x - offset) * 2^shift.
struct ByteReading {
    uint32_t bits = 8;      // of a component: 8, or 4, of which a word has eight
    bool isSigned = false;  // of the byte
    uint32_t shift = 0;
    int32_t offset = 0;

    // A signed byte has a signed 4-bit component in its upper half, where the sign bits coincide;
    // other bytes have the component in their low bits. Where only one of byte and component is
    // signed, the component's highest bit is flipped first: that adds or subtracts 2^(bits - 1).
    ByteReading(uint32_t componentBits, bool componentSigned, bool byteSigned)
        : bits(componentBits), isSigned(byteSigned) {
        const bool fits = componentSigned == byteSigned || (bits == 4 && !componentSigned);
        if (bits == 4 && componentSigned && byteSigned) shift = 4;
        if (!fits) offset = (componentSigned ? -1 : 1) * (1 << (bits - 1));
    }

    // The bytes of a word of components: one word, or for 4-bit components two words, that of the
    // components with even numbers first.
    std::vector<Id> bytes(Emitter& emit, Id packed) const {
        U32 word(emit, packed);
        if (offset != 0) word = word ^ (bits == 4 ? 0x88888888 : 0x80808080);
        if (bits == 8) return {word};
        if (shift == 0) return {word & 0x0F0F0F0F, word >> 4 & 0x0F0F0F0F};
        return {word << 4 & 0xF0F0F0F0, word & 0xF0F0F0F0};
    }
};

struct Readings {
    ByteReading a, b;
};

// The accelerated dot product with the fewest operands that need an offset. Where none is
// accelerated, that of unsigned bytes, whose products fit the fast 24-bit multiplications of GPUs.
Readings chooseReadings(const DevicePlan& device, const Signs& signs, uint32_t bits) {
    std::optional<Readings> best;
    const auto offsets = [](const Readings& r) { return (r.a.offset != 0) + (r.b.offset != 0); };
    for (const bool a : {signs.a, !signs.a}) {
        for (const bool b : {signs.b, !signs.b}) {
            const Readings r = {{bits, signs.a, a}, {bits, signs.b, b}};
            const bool isFast = device.acceleratesDots(a, b);
            if (isFast && (!best || offsets(r) < offsets(*best))) best = r;
        }
    }
    return best.value_or(Readings{{bits, signs.a, false}, {bits, signs.b, false}});
}

// Bits of a component of A and B; 0 where packs of both are not words with as many components.
uint32_t bitsInWords(const TypeTable& types, const MulAdd& p) {
    if (types.width(p.a->component) != 8 || types.width(p.b->component) != 8) return 0;
    const uint32_t width = p.a->fragment.packWidth;
    if (width != p.b->fragment.packWidth || types.width(p.result->component) != 32) return 0;
    return width == 4 || width == 8 ? 32 / width : 0;
}

// Rows of integer products: one multiplication at a time, or dot products of four bytes.
//
// Arithmetic of the result's width, or of 32 bits if that is narrower: SPV_KHR_cooperative_matrix
// defines only the low bits.
class IntegerRow : public RowProduct {
 public:
    IntegerRow(MatrixContext& context, Emitter& emit, const MulAdd& product)
        : RowProduct(context, emit, product),
          arithmetic_(
              types_.intType(std::max(32u, types_.width(product.result->component)), false)) {}

    void prepareB(Id b) override { right_ = scalarsOfB(b, arithmetic_, extend(p_.signs.b)); }

    Row begin(std::span<const Id> a, std::span<const Id> c) override {
        // Saturating products add C last.
        return withC(scalars(a, arithmetic_, extend(p_.signs.a)), c, !p_.saturating);
    }

    std::vector<Id> end(Row& row) override {
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

 protected:
    Convert extend(bool isSigned) {
        return [this, isSigned](Id value, Id type) {
            return extendInteger(emit_, value, type, isSigned);
        };
    }

    // A row that has begun. `inSums`: the sums begin with C.
    Row withC(std::vector<Id> left, std::span<const Id> c, bool inSums) {
        std::vector<Id> start = scalars(c, arithmetic_, extend(p_.signs.c));
        std::vector<Id> sums = inSums ? start : std::vector<Id>(columns());
        return {std::move(left), std::move(start), std::move(sums)};
    }

    void addProduct(Id& sum, Id left, Id right) override {
        add(sum, emit_.op(OpIMul, arithmetic_, {left, right}));
    }
    void add(Id& sum, Id product) {
        sum = sum == 0 ? product : emit_.op(OpIAdd, arithmetic_, {sum, product});
    }

    Id arithmetic_;
};

// A component x is read as the byte x' = (x - offsetX) * scaleX, and y likewise. Modulo 2^32:
//   scaleX * scaleY * sum(x * y) = sum(x' * y')
//     + offsetY * scaleY * sum(x') + offsetX * scaleX * sum(y')
//     + K * offsetX * offsetY * scaleX * scaleY
class DotRow : public IntegerRow {
 public:
    DotRow(MatrixContext& context, Emitter& emit, const MulAdd& p, const Readings& readings)
        : IntegerRow(context, emit, p), a_(readings.a), b_(readings.b) {}

    void prepareB(Id b) override {
        // Of each pack.
        const auto bytes = listFor(extractPacks(emit_, *p_.b, b), [&](Id pack) {
            return b_.bytes(emit_, emit_.bitcast(types_.uint32(), pack));
        });
        const Fragment& f = p_.b->fragment;
        right_ = eachOfB(4, 1, [&](uint32_t k, uint32_t j) {
            return bytes[f.packOf(k / f.packWidth * f.packWidth, j)][k % f.packWidth / 4];
        });
        if (a_.offset == 0) return;
        for (uint32_t j = 0; j < columns(); ++j) {
            Id sum = 0;
            for (uint32_t k = 0; k < steps(); ++k) add(sum, dot(ones(), right_[k][j]));
            sum = times(sum, factor(a_));
            add(sum, types_.constantU32(depth() * factor(a_) * factor(b_)));
            corrections_.push_back(sum);
        }
    }

    Row begin(std::span<const Id> a, std::span<const Id> c) override {
        std::vector<Id> left;
        for (Id pack : a) {
            for (Id four : a_.bytes(emit_, emit_.bitcast(types_.uint32(), pack))) {
                left.push_back(four);
            }
        }
        Id correction = 0;
        if (b_.offset != 0) {
            for (Id four : left) add(correction, dot(four, ones()));
            correction = times(correction, factor(b_));
        }
        Row row = withC(std::move(left), c, !p_.saturating && shift() == 0);
        for (uint32_t j = 0; j < columns(); ++j) {
            if (a_.offset != 0) add(row.sums[j], corrections_[j]);
            if (b_.offset != 0) add(row.sums[j], correction);
        }
        return row;
    }

    uint32_t steps() const override { return depth() / 4; }

    std::vector<Id> end(Row& row) override {
        for (uint32_t j = 0; j < columns() && shift() != 0; ++j) {
            row.sums[j] = emit_.op(OpShiftRightArithmetic, arithmetic_,
                                   {row.sums[j], types_.constantU32(shift())});
            if (!p_.saturating) add(row.sums[j], row.start[j]);
        }
        return IntegerRow::end(row);
    }

 private:
    uint32_t shift() const { return a_.shift + b_.shift; }

    static uint32_t factor(const ByteReading& reading) {
        return static_cast<uint32_t>(reading.offset) << reading.shift;
    }

    Id ones() { return types_.constantU32(kOnes); }  // as signed or unsigned bytes

    Id times(Id sum, uint32_t number) {
        return emit_.op(OpIMul, arithmetic_, {sum, types_.constantU32(number)});
    }

    void addProduct(Id& sum, Id left, Id right) override { add(sum, dot(left, right)); }
    Id dot(Id a, Id b) { return byteDot(emit_, arithmetic_, {a, a_.isSigned}, {b, b_.isSigned}); }

    ByteReading a_, b_;
    std::vector<Id> corrections_;  // addends of each column's sums, for A's offset
};

// Four products of bytes at once; nullptr where that does not suit the device or the matrices.
std::unique_ptr<RowProduct> dotRow(MatrixContext& context, Emitter& emit, const MulAdd& p) {
    const uint32_t bits = bitsInWords(context.types, p);
    if (bits == 0) return nullptr;
    const DevicePlan& device = context.target.device;
    const Readings readings = chooseReadings(device, p.signs, bits);
    const bool isDirect = device.acceleratesDots(readings.a.isSigned, readings.b.isSigned) &&
                          readings.a.offset == 0 && readings.b.offset == 0;
    if (!isDirect && !device.prefersByteDots) return nullptr;
    return std::make_unique<DotRow>(context, emit, p, readings);
}

// The largest magnitude of a component of A or B. Bytes hold components of 4 bits; their values are
// those of 4 bits if the matrices are only loaded, as those in slices are.
uint32_t maxMagnitude(const MatrixContext& context, const MatrixType& type, bool isSigned) {
    const bool isNarrow = type.number->bits == 4 && type.number->isSigned() == isSigned &&
                          context.slices.depths.contains(type.id);
    const uint32_t bits = isNarrow ? 4 : 8;
    return isSigned ? 1u << (bits - 1) : (1u << bits) - 1;
}

// Bits of the floats (f16 or f32) that have all sums of a product of bytes exactly; 0: neither.
uint32_t exactFloatBits(const MatrixContext& context, const MulAdd& p) {
    const TypeTable& types = context.types;
    const DevicePlan& device = context.target.device;
    if (!device.multipliesBytesAsFloats || types.width(p.a->component) != 8 ||
        types.width(p.b->component) != 8 || types.width(p.result->component) != 32) {
        return 0;
    }
    const uint64_t maxSum = uint64_t{maxMagnitude(context, *p.a, p.signs.a)} *
                            maxMagnitude(context, *p.b, p.signs.b) * p.a->columns;
    if (device.shaderFloat16 && maxSum <= 1u << 11) return 16;
    return maxSum <= 1u << 24 ? 32 : 0;
}

// Bytes as floats. f16 takes half of the registers.
class BytesAsFloatsRow : public IntegerRow {
 public:
    BytesAsFloatsRow(MatrixContext& context, Emitter& emit, const MulAdd& product, uint32_t bits)
        : IntegerRow(context, emit, product), float_(types_.floatType(bits)) {
        if (bits == 16) context.module.addCapability(spv::Capability::Float16);
    }

    void prepareB(Id b) override { right_ = scalarsOfB(b, float_, convert(p_.signs.b)); }

    Row begin(std::span<const Id> a, std::span<const Id> c) override {
        return withC(scalars(a, float_, convert(p_.signs.a)), c, false);
    }

    std::vector<Id> end(Row& row) override {
        for (uint32_t j = 0; j < columns(); ++j) {
            const Id sum = emit_.op(OpConvertFToS, types_.intType(32, true), {row.sums[j]});
            row.sums[j] = emit_.bitcast(arithmetic_, sum);
            if (!p_.saturating) add(row.sums[j], row.start[j]);
        }
        return IntegerRow::end(row);
    }

 private:
    Convert convert(bool isSigned) {
        return [this, isSigned](Id value, Id type) {
            const spv::Op opcode = isSigned ? OpConvertSToF : OpConvertUToF;
            return emit_.op(opcode, type, {value});
        };
    }

    void addProduct(Id& sum, Id left, Id right) override { multiplyAdd(sum, float_, left, right); }

    Id float_;
};

}  // namespace

std::unique_ptr<RowProduct> integerRow(MatrixContext& context, Emitter& emit, const MulAdd& p) {
    if (std::unique_ptr<RowProduct> row = dotRow(context, emit, p)) return row;
    if (const uint32_t bits = exactFloatBits(context, p); bits != 0) {
        return std::make_unique<BytesAsFloatsRow>(context, emit, p, bits);
    }
    return std::make_unique<IntegerRow>(context, emit, p);
}

Id extendInteger(Emitter& emit, Id value, Id type, bool isSigned) {
    TypeTable& types = emit.types();
    if (types.width(emit.typeOf(value)) == types.width(type)) return emit.bitcast(type, value);
    return emit.op(isSigned ? OpSConvert : OpUConvert, type, {value});
}

Id narrowInteger(Emitter& emit, Id value, Id type) {
    TypeTable& types = emit.types();
    if (types.width(emit.typeOf(value)) == types.width(type)) return emit.bitcast(type, value);
    const Id narrow =
        types.vectorType(types.intType(types.width(type), false), types.components(type));
    return emit.bitcast(type, emit.op(OpUConvert, narrow, {value}));
}

namespace {

// Where `width` is that of the type: a carry or a change of sign shows the overflow.
Id saturatingAddFull(Emitter& emit, Id type, bool isSigned, Id a, Id b) {
    TypeTable& types = emit.types();
    const Id sum = emit.op(OpIAdd, type, {a, b});
    const uint32_t width = types.width(type);
    if (!isSigned) {
        const Id carried = emit.compare(OpULessThan, sum, a);
        return emit.select(carried, types.constant(type, ~uint64_t{0}), sum);
    }
    const uint64_t signBit = uint64_t{1} << (width - 1);
    const Id zero = types.constant(type, 0);
    const Id changedA = emit.op(OpBitwiseXor, type, {a, sum});
    const Id changedB = emit.op(OpBitwiseXor, type, {b, sum});
    const Id changed = emit.op(OpBitwiseAnd, type, {changedA, changedB});
    const Id overflow = emit.compare(OpSLessThan, changed, zero);
    const Id negative = emit.compare(OpSLessThan, a, zero);
    const Id limit =
        emit.select(negative, types.constant(type, signBit), types.constant(type, signBit - 1));
    return emit.select(overflow, limit, sum);
}

}  // namespace

Id saturatingAdd(Emitter& emit, Id type, uint32_t width, bool isSigned, Id a, Id b) {
    TypeTable& types = emit.types();
    if (types.width(type) == width) return saturatingAddFull(emit, type, isSigned, a, b);
    // The type is wider, so it has the exact sum.
    const Id narrow = types.intType(width, false);
    const Id low = extendInteger(emit, narrowInteger(emit, a, narrow), type, isSigned);
    const Id sum = emit.op(OpIAdd, type, {low, b});
    const uint64_t top = (uint64_t{1} << (isSigned ? width - 1 : width)) - 1;
    const Id most = types.constant(type, top);
    const spv::Op above = isSigned ? OpSGreaterThan : OpUGreaterThan;
    const Id clamped = emit.select(emit.compare(above, sum, most), most, sum);
    if (!isSigned) return clamped;
    const Id least = types.constant(type, ~top);
    const Id isBelow = emit.compare(OpSLessThan, clamped, least);
    return emit.select(isBelow, least, clamped);
}

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

    void prepareB(Id b) override { right_ = scalarsOfB(b, arithmetic_, floatConversion(emit_)); }

    Row begin(std::span<const Id> a, std::span<const Id> c) override {
        const Convert convert = floatConversion(emit_);
        return {scalars(a, arithmetic_, convert), {}, scalars(c, arithmetic_, convert)};
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
    void addProduct(Id& sum, Id left, Id right) override {
        multiplyAdd(sum, arithmetic_, left, right);
    }

    Id arithmetic_;
};

// B stays in packs.
class PackedRow : public RowProduct {
 public:
    using RowProduct::RowProduct;

    void prepareB(Id b) override {
        const std::vector<Id> packs = extractPacks(emit_, *p_.b, b);
        const Fragment& f = p_.b->fragment;
        const uint32_t along = f.packAxis == PackAxis::kRows ? 1 : f.packWidth;
        right_ = eachOfB(depth() / steps(), along,
                         [&](uint32_t k, uint32_t j) { return packs[f.packOf(k, j)]; });
    }
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

    std::vector<Id> end(Row& row) override { return row.sums; }

 private:
    void addProduct(Id& sum, Id left, Id right) override {
        const Id pair = p_.result->pack;
        if (std::exchange(left_, left) != left) both_ = emit_.splat(pair, left);
        multiplyAdd(sum, pair, both_, right);
    }

    // Of the last product, which is in the same block: one element of A, and a pair of it.
    Id left_ = 0, both_ = 0;
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

    bool sumsStayOpen() const override { return accumulatesOpen(p_, SumForm::kHalves); }

    std::vector<Id> end(Row& row) override {
        if (sumsStayOpen()) return row.sums;
        const Id half = p_.result->component;
        std::vector<Id> packs[2];
        for (uint32_t part = 0; part < 2; ++part) {
            packs[part] =
                pack(listFor(row.sums, [&](Id sum) { return emit_.extract(half, sum, {part}); }));
        }
        return listOf(packs[0].size(), [&](uint32_t i) {
            const Id type = emit_.typeOf(packs[0][i]);
            const Id both = emit_.op(OpFAdd, type, {packs[0][i], packs[1][i]});
            return emit_.op(OpFAdd, type, {both, row.start[i]});
        });
    }

 private:
    void addProduct(Id& sum, Id left, Id right) override {
        multiplyAdd(sum, p_.b->pack, left, right);
    }
};

// A and B are f16, sums f32: two neighbours along K at once. SPV_VALVE_mixed_float_dot_product
// leaves order and precision of the two additions to the implementation, "like cooperative matrix
// multiply-add" (its issue 1), as SPV_KHR_cooperative_matrix does for all additions of a product.
class MixedDotRow : public PackedRow {
 public:
    using PackedRow::PackedRow;

    static bool fits(const MatrixContext& context, const MulAdd& p) {
        const TypeTable& types = context.types;
        return context.target.device.hasMixedDots && types.isHalf(p.a->component) &&
               types.isHalf(p.b->component) &&
               (types.width(p.result->component) == 32 || accumulatesOpen(p, SumForm::kSingles)) &&
               havePairsAlongK(p);
    }

    void prepareB(Id b) override {
        context_.module.addCapability(kDotHalvesToSingle);
        context_.module.addExtension("SPV_VALVE_mixed_float_dot_product");
        PackedRow::prepareB(b);
    }

    Row begin(std::span<const Id> a, std::span<const Id> c) override {
        return {{a.begin(), a.end()}, {}, scalars(c, types_.floatType(32), floatConversion(emit_))};
    }

    bool sumsStayOpen() const override { return accumulatesOpen(p_, SumForm::kSingles); }

    uint32_t steps() const override { return depth() / 2; }

    std::vector<Id> end(Row& row) override { return sumsStayOpen() ? row.sums : pack(row.sums); }

 private:
    void addProduct(Id& sum, Id left, Id right) override {
        sum = emit_.op(kOpDot2Sum32, types_.floatType(32), {left, right, sum});
    }
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
