// SPDX-License-Identifier: Apache-2.0
#include "matrix/integer_arithmetic.hpp"

namespace coopvk::rewrite {

Id extendInteger(Emitter& emit, Id value, Id type, bool isSigned) {
    TypeTable& types = emit.types();
    if (types.width(emit.typeOf(value)) == types.width(type)) return emit.bitcast(type, value);
    return emit.op(isSigned ? spv::Op::OpSConvert : spv::Op::OpUConvert, type, {value});
}

Id narrowInteger(Emitter& emit, Id value, Id type) {
    TypeTable& types = emit.types();
    if (types.width(emit.typeOf(value)) == types.width(type)) return emit.bitcast(type, value);
    const Id narrow =
        types.vectorType(types.intType(types.width(type), false), types.components(type));
    return emit.bitcast(type, emit.op(spv::Op::OpUConvert, narrow, {value}));
}

namespace {

Id select(Emitter& emit, Id type, Id condition, Id yes, Id no) {
    return emit.op(spv::Op::OpSelect, type, {condition, yes, no});
}

// Where `width` is that of the type: a carry or a change of sign shows the overflow.
Id saturatingAddFull(Emitter& emit, Id type, bool isSigned, Id a, Id b) {
    TypeTable& types = emit.types();
    const Id sum = emit.op(spv::Op::OpIAdd, type, {a, b});
    const uint32_t width = types.width(type);
    if (!isSigned) {
        const Id carried = emit.compare(spv::Op::OpULessThan, sum, a);
        return select(emit, type, carried, types.constant(type, ~uint64_t{0}), sum);
    }
    const uint64_t signBit = uint64_t{1} << (width - 1);
    const Id zero = types.constant(type, 0);
    const Id changedA = emit.op(spv::Op::OpBitwiseXor, type, {a, sum});
    const Id changedB = emit.op(spv::Op::OpBitwiseXor, type, {b, sum});
    const Id changed = emit.op(spv::Op::OpBitwiseAnd, type, {changedA, changedB});
    const Id overflow = emit.compare(spv::Op::OpSLessThan, changed, zero);
    const Id negative = emit.compare(spv::Op::OpSLessThan, a, zero);
    const Id limit = select(emit, type, negative, types.constant(type, signBit),
                            types.constant(type, signBit - 1));
    return select(emit, type, overflow, limit, sum);
}

}  // namespace

Id saturatingAdd(Emitter& emit, Id type, uint32_t width, bool isSigned, Id a, Id b) {
    TypeTable& types = emit.types();
    if (types.width(type) == width) return saturatingAddFull(emit, type, isSigned, a, b);
    // The type is wider, so it has the exact sum.
    const Id narrow = types.intType(width, false);
    const Id low = extendInteger(emit, narrowInteger(emit, a, narrow), type, isSigned);
    const Id sum = emit.op(spv::Op::OpIAdd, type, {low, b});
    const uint64_t top = (uint64_t{1} << (isSigned ? width - 1 : width)) - 1;
    const Id most = types.constant(type, top);
    const spv::Op above = isSigned ? spv::Op::OpSGreaterThan : spv::Op::OpUGreaterThan;
    const Id clamped = select(emit, type, emit.compare(above, sum, most), most, sum);
    if (!isSigned) return clamped;
    const Id least = types.constant(type, ~top);
    const Id isBelow = emit.compare(spv::Op::OpSLessThan, clamped, least);
    return select(emit, type, isBelow, least, clamped);
}

}  // namespace coopvk::rewrite
