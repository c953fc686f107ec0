// SPDX-License-Identifier: Apache-2.0
#include "vector/arithmetic.hpp"

#include <spirv/unified1/GLSL.std.450.h>

namespace coopvk::rewrite {

std::optional<Interpretation> interpretation(std::optional<uint64_t> value) {
    using enum ComponentType;
    if (!value) return std::nullopt;
    auto type = static_cast<ComponentType>(*value);
    const bool isPacked = type == kSint8Packed || type == kUint8Packed;
    if (isPacked) type = type == kSint8Packed ? kSint8 : kUint8;
    const Number* number = findNumber(type);
    if (number == nullptr || number->unpack == nullptr) return std::nullopt;
    if (!number->isFloat() && number->bits == 16) return std::nullopt;
    return Interpretation{*number, isPacked};
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

std::vector<Id> Arithmetic::units(Id word) {
    if (sum_ == Sum::kDot) return {word};
    std::vector<Id> unpacked = unpackWord(emit_, matrix_, word);
    if (sum_ == Sum::kInteger) {
        for (Id& unit : unpacked) unit = emit_.bitcast(unit_, unit);
    }
    if (sum_ != Sum::kFloat || matrix_.bits == 32) return unpacked;
    std::vector<Id> units;
    const Id pair = types_.vectorType(types_.floatType(32), 2);
    for (Id half : unpacked) {
        const Id wide = emit_.op(spv::Op::OpFConvert, pair, {half});
        units.push_back(emit_.extract(types_.floatType(32), wide, {0}));
        units.push_back(emit_.extract(types_.floatType(32), wide, {1}));
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

Id Arithmetic::convertInput(Id value, bool isSigned) {
    if (!input_.isFloat()) return toInteger(emit_, input_, value, isSigned);
    const Id from = emit_.typeOf(value);
    const Id wanted = types_.floatType(takesHalves() ? 16 : 32);
    if (from == wanted) return value;
    if (types_.isFloat(from)) return emit_.op(spv::Op::OpFConvert, wanted, {value});
    return emit_.op(isSigned ? spv::Op::OpConvertSToF : spv::Op::OpConvertUToF, wanted, {value});
}

}  // namespace coopvk::rewrite
