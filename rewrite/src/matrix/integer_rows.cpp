// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "lowering/number.hpp"
#include "matrix/product.hpp"

namespace coopvk::rewrite {

namespace {

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

    void prepareB(Id b) override { b_ = scalarsOfB(b, float_, convert(p_.signs.b)); }

    Row begin(std::span<const Id> a, std::span<const Id> c) override {
        return withC(scalars(a, float_, convert(p_.signs.a)), c, false);
    }

    void step(Row& row, uint32_t k) override {
        for (uint32_t j = 0; j < columns(); ++j) {
            multiplyAdd(row.sums[j], float_, row.left[k], b_[k][j]);
        }
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

    Id float_;
    std::vector<std::vector<Id>> b_;
};

}  // namespace

IntegerRow::IntegerRow(MatrixContext& context, Emitter& emit, const MulAdd& product)
    : RowProduct(context, emit, product),
      arithmetic_(types_.intType(std::max(32u, types_.width(product.result->component)), false)) {}

RowProduct::Row IntegerRow::begin(std::span<const Id> a, std::span<const Id> c) {
    // Saturating products add C last.
    return withC(scalars(a, arithmetic_, extend(p_.signs.a)), c, !p_.saturating);
}

void IntegerRow::step(Row& row, uint32_t k) {
    for (uint32_t j = 0; j < columns(); ++j) {
        add(row.sums[j], emit_.op(OpIMul, arithmetic_, {row.left[k], b_[k][j]}));
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

}  // namespace coopvk::rewrite
