// SPDX-License-Identifier: Apache-2.0
#include "vector/arithmetic.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <limits>

namespace coopvk::rewrite {

namespace {

using enum ComponentType;

Id shiftRight(Emitter& emit, Id word, uint32_t by) {
    TypeTable& t = emit.types();
    if (by == 0) return word;
    return emit.op(spv::Op::OpShiftRightLogical, t.uint32(), {word, t.constantU32(by)});
}

Id shiftLeft(Emitter& emit, Id word, uint32_t by) {
    TypeTable& t = emit.types();
    if (by == 0) return word;
    return emit.op(spv::Op::OpShiftLeftLogical, t.uint32(), {word, t.constantU32(by)});
}

Id mask(Emitter& emit, Id word, uint32_t bits) {
    TypeTable& t = emit.types();
    return emit.op(spv::Op::OpBitwiseAnd, t.uint32(), {word, t.constantU32(bits)});
}

Id either(Emitter& emit, Id a, Id b) {
    return emit.op(spv::Op::OpBitwiseOr, emit.types().uint32(), {a, b});
}

}  // namespace

bool Interpretation::isFloat() const {
    return type == kFloat16 || type == kFloat32 || type == kFloatE4M3 || type == kFloatE5M2;
}

bool Interpretation::isSigned() const { return type == kSint8 || type == kSint32; }

uint32_t Interpretation::bytes() const {
    switch (type) {
        case kFloat16:
            return 2;
        case kFloat32:
        case kSint32:
        case kUint32:
            return 4;
        default:
            return 1;
    }
}

std::optional<Interpretation> interpretation(std::optional<uint64_t> value) {
    if (!value) return std::nullopt;
    const auto type = static_cast<ComponentType>(*value);
    switch (type) {
        case kFloat16:
        case kFloat32:
        case kSint8:
        case kUint8:
        case kSint32:
        case kUint32:
        case kFloatE4M3:
        case kFloatE5M2:
            return Interpretation{type, false};
        case kSint8Packed:
            return Interpretation{kSint8, true};
        case kUint8Packed:
            return Interpretation{kUint8, true};
        default:
            return std::nullopt;
    }
}

Id glslMin(Emitter& emit, Id value, uint32_t limit) {
    TypeTable& types = emit.types();
    return emit.glsl(GLSLstd450UMin, types.uint32(), {value, types.constantU32(limit)});
}

Arithmetic::Arithmetic(VectorFunction& function, Sum sum, Interpretation input,
                       Interpretation matrix)
    : f_(function),
      emit_(function.emit()),
      types_(function.types()),
      sum_(sum),
      input_(input),
      matrix_(matrix) {
    switch (sum) {
        case Sum::kHalfPairs:
            unit_ = sumType_ = types_.vectorType(types_.floatType(16), 2);
            f_.module().addCapability(spv::Capability::Float16);
            break;
        case Sum::kHalfPieces:
            unit_ = types_.vectorType(types_.floatType(16), 2);
            sumType_ = types_.floatType(32);
            f_.module().addCapability(spv::Capability::Float16);
            break;
        case Sum::kFloat:
            unit_ = sumType_ = types_.floatType(32);
            break;
        case Sum::kInteger:
            unit_ = sumType_ = types_.intType(32, true);
            break;
        case Sum::kDot:
            unit_ = types_.uint32();
            sumType_ = types_.uint32();
            f_.module().addCapability(spv::Capability::DotProduct);
            f_.module().addCapability(spv::Capability::DotProductInput4x8BitPacked);
            if (f_.module().version() < 0x00010600) {
                f_.module().addExtension("SPV_KHR_integer_dot_product");
            }
            break;
    }
}

uint32_t Arithmetic::unitComponents() const {
    switch (sum_) {
        case Sum::kHalfPairs:
        case Sum::kHalfPieces:
            return 2;
        case Sum::kDot:
            return 4;
        default:
            return 1;
    }
}

uint32_t Arithmetic::unitsPerWord() const { return 4 / matrix_.bytes() / unitComponents(); }

// Bytes 0 and 1 (or 2 and 3) as f16 bits: exponents have the same bias.
Id Arithmetic::e5m2Pair(Id word, bool high) {
    const Id half = high ? shiftRight(emit_, word, 16) : word;
    const Id low = shiftLeft(emit_, mask(emit_, half, 0xFF), 8);
    const Id second = mask(emit_, shiftLeft(emit_, half, 16), 0xFF000000);
    return emit_.bitcast(types_.vectorType(types_.floatType(16), 2), either(emit_, low, second));
}

// E4M3 has a bias of 7 where f16 has 15: the same bits, moved, are 256 times too small. Its one
// NaN, all ones, would become a finite number.
Id Arithmetic::e4m3Pair(Id word, bool high) {
    const Id half = high ? shiftRight(emit_, word, 16) : word;
    // Byte 0 to bits 8..15, byte 1 to bits 24..31.
    const Id spread = either(emit_, shiftLeft(emit_, mask(emit_, half, 0xFF), 8),
                             mask(emit_, shiftLeft(emit_, half, 16), 0xFF000000));
    const Id magnitude = shiftRight(emit_, mask(emit_, spread, 0x7F007F00), 1);
    const Id u32 = types_.uint32();
    const Id carry = emit_.op(spv::Op::OpIAdd, u32, {magnitude, types_.constantU32(0x00800080)});
    const Id isNan = mask(emit_, shiftRight(emit_, carry, 14), 0x00010001);
    const Id nan = emit_.op(spv::Op::OpIMul, u32, {isNan, types_.constantU32(0x7FFF)});
    const Id sign = mask(emit_, spread, 0x80008000);
    const Id bits = either(emit_, either(emit_, magnitude, sign), nan);
    const Id f16 = types_.floatType(16);
    const Id pair = types_.vectorType(f16, 2);
    const Id scale = types_.constantSplat(pair, types_.constantFloat(f16, 256.0));
    return emit_.op(spv::Op::OpFMul, pair, {emit_.bitcast(pair, bits), scale});
}

// f16 pairs of a word of f16, E4M3 or E5M2.
std::vector<Id> Arithmetic::smallFloats(Id word) {
    f_.module().addCapability(spv::Capability::Float16);
    switch (matrix_.type) {
        case kFloatE4M3:
            return {e4m3Pair(word, false), e4m3Pair(word, true)};
        case kFloatE5M2:
            return {e5m2Pair(word, false), e5m2Pair(word, true)};
        default:
            return {emit_.bitcast(types_.vectorType(types_.floatType(16), 2), word)};
    }
}

std::vector<Id> Arithmetic::units(Id word) {
    if (sum_ == Sum::kDot) return {word};
    if (takesHalves()) return smallFloats(word);
    std::vector<Id> units;
    if (sum_ == Sum::kFloat) {
        if (matrix_.type == kFloat32) return {emit_.bitcast(types_.floatType(32), word)};
        const Id pair = types_.vectorType(types_.floatType(32), 2);
        for (Id half : smallFloats(word)) {
            const Id wide = emit_.op(spv::Op::OpFConvert, pair, {half});
            units.push_back(emit_.extract(types_.floatType(32), wide, {0}));
            units.push_back(emit_.extract(types_.floatType(32), wide, {1}));
        }
        return units;
    }
    const Id s32 = types_.intType(32, true);
    const Id value = emit_.bitcast(s32, word);
    if (matrix_.bytes() == 4) return {value};
    const spv::Op extract =
        matrix_.isSigned() ? spv::Op::OpBitFieldSExtract : spv::Op::OpBitFieldUExtract;
    for (uint32_t byte = 0; byte < 4; ++byte) {
        units.push_back(
            emit_.op(extract, s32, {value, types_.constantU32(8 * byte), types_.constantU32(8)}));
    }
    return units;
}

Id Arithmetic::zero() { return types_.constantNull(sumType_); }

Id Arithmetic::multiplyAdd(Id weight, Id input, Id accumulator) {
    switch (sum_) {
        case Sum::kHalfPairs:
        case Sum::kHalfPieces:
            return emit_.glsl(GLSLstd450Fma, emit_.typeOf(accumulator),
                              {weight, input, accumulator});
        case Sum::kFloat: {
            // Not every processor has the fused instruction that Fma asks for.
            if (!f_.context().target.device.isCpu) {
                return emit_.glsl(GLSLstd450Fma, sumType_, {weight, input, accumulator});
            }
            const Id product = emit_.op(spv::Op::OpFMul, sumType_, {weight, input});
            return emit_.op(spv::Op::OpFAdd, sumType_, {accumulator, product});
        }
        case Sum::kInteger: {
            const Id product = emit_.op(spv::Op::OpIMul, sumType_, {weight, input});
            return emit_.op(spv::Op::OpIAdd, sumType_, {accumulator, product});
        }
        case Sum::kDot:
            break;
    }
    const bool weightSigned = matrix_.isSigned();
    const bool inputSigned = input_.isSigned();
    spv::Op opcode = spv::Op::OpSUDot;
    Id type = types_.intType(32, true);
    if (weightSigned == inputSigned) {
        opcode = weightSigned ? spv::Op::OpSDot : spv::Op::OpUDot;
        if (!weightSigned) type = types_.uint32();
    } else if (!weightSigned) {
        std::swap(weight, input);  // OpSUDot takes the signed operand first
    }
    const Id dot = emit_.op(opcode, type,
                            {idOperand(weight), idOperand(input),
                             literal(spv::PackedVectorFormat::PackedVectorFormat4x8Bit)});
    return emit_.op(spv::Op::OpIAdd, sumType_, {accumulator, emit_.bitcast(sumType_, dot)});
}

Id Arithmetic::addPieces(std::span<const Id> weights, std::span<const Id> inputs, Id accumulator) {
    const Id f32 = types_.floatType(32);
    const Id pair = types_.vectorType(f32, 2);
    Id piece = 0;
    uint32_t count = 0;
    const auto flush = [&] {
        if (piece == 0) return;
        const Id wide = emit_.op(spv::Op::OpFConvert, pair, {piece});
        for (uint32_t part = 0; part < 2; ++part) {
            accumulator =
                emit_.op(spv::Op::OpFAdd, f32, {accumulator, emit_.extract(f32, wide, {part})});
        }
        piece = count = 0;
    };
    for (size_t u = 0; u < weights.size(); ++u) {
        if (inputs[u] == 0) continue;
        piece = piece == 0 ? emit_.op(spv::Op::OpFMul, unit_, {weights[u], inputs[u]})
                           : multiplyAdd(weights[u], inputs[u], piece);
        if (++count == kPieceUnits) flush();
    }
    flush();
    return accumulator;
}

Id Arithmetic::addProducts(std::span<const Id> weights, std::span<const Id> inputs,
                           Id accumulator) {
    if (sum_ == Sum::kHalfPieces) return addPieces(weights, inputs, accumulator);
    for (size_t u = 0; u < weights.size(); ++u) {
        if (inputs[u] == 0) continue;
        accumulator = multiplyAdd(weights[u], inputs[u], accumulator);
    }
    return accumulator;
}

Id Arithmetic::total(Id accumulator) {
    if (sum_ != Sum::kHalfPairs) return accumulator;
    const Id f16 = types_.floatType(16);
    return emit_.op(spv::Op::OpFAdd, f16,
                    {emit_.extract(f16, accumulator, {0}), emit_.extract(f16, accumulator, {1})});
}

namespace {

// Smallest and largest value of an 8-bit integer interpretation.
std::pair<int32_t, int32_t> range(const Interpretation& i) {
    if (i.isSigned()) return {-128, 127};
    return {0, 255};
}

}  // namespace

Id Arithmetic::convertInput(Id value, bool isSigned) {
    const Id from = emit_.typeOf(value);
    const Id f32 = types_.floatType(32);
    const Id s32 = types_.intType(32, true);
    const Id wanted = takesHalves() ? types_.floatType(16) : f32;
    if (input_.isFloat()) {
        if (from == wanted) return value;
        if (types_.isFloat(from)) return emit_.op(spv::Op::OpFConvert, wanted, {value});
        return emit_.op(isSigned ? spv::Op::OpConvertSToF : spv::Op::OpConvertUToF, wanted,
                        {value});
    }
    if (types_.isFloat(from)) {
        // Round to nearest even, then saturate; NaN goes to the smallest value.
        if (types_.width(from) != 32) value = emit_.op(spv::Op::OpFConvert, f32, {value});
        if (input_.bytes() != 1) return emit_.op(spv::Op::OpConvertFToS, s32, {value});
        const auto [low, high] = range(input_);
        value = emit_.glsl(GLSLstd450RoundEven, f32, {value});
        value = emit_.glsl(GLSLstd450NMax, f32, {value, types_.constantFloat(f32, low)});
        value = emit_.glsl(GLSLstd450NMin, f32, {value, types_.constantFloat(f32, high)});
        return emit_.op(spv::Op::OpConvertFToS, s32, {value});
    }
    const uint32_t width = types_.width(from);
    const Id wide = types_.intType(32, isSigned);
    if (width != 32) {
        // The operand's own signedness must not matter for what the operands mask says.
        const Id typed = emit_.bitcast(types_.intType(width, isSigned), value);
        value = emit_.op(isSigned ? spv::Op::OpSConvert : spv::Op::OpUConvert, wide, {typed});
    } else {
        value = emit_.bitcast(wide, value);
    }
    if (input_.bytes() == 1 && (width > 8 || isSigned != input_.isSigned())) {
        const auto [low, high] = range(input_);
        const Id top = types_.constant(wide, static_cast<uint64_t>(high));
        if (isSigned) {
            const Id bottom = types_.constant(wide, static_cast<uint64_t>(int64_t{low}));
            value = emit_.glsl(GLSLstd450SClamp, wide, {value, bottom, top});
        } else {
            value = emit_.glsl(GLSLstd450UMin, wide, {value, top});
        }
    }
    return emit_.bitcast(s32, value);
}

}  // namespace coopvk::rewrite
