// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of matrix-vector products: multiply-adds and sums.
#include "lowering/number.hpp"
#include "vector/product.hpp"

namespace coopvk::rewrite {

std::optional<Interpretation> interpretation(std::optional<uint64_t> value) {
    using enum ComponentType;
    if (!value) return std::nullopt;
    auto type = static_cast<ComponentType>(*value);
    const bool isPacked = type == kSint8Packed || type == kUint8Packed;
    if (isPacked) type = type == kSint8Packed ? kSint8 : kUint8;
    const Number* number = findNumber(type);
    if (number == nullptr || number->unpack == nullptr || type == kBFloat16) return std::nullopt;
    if (!number->isFloat() && number->bits == 16) return std::nullopt;
    return Interpretation{*number, isPacked};
}

Id atMost(Emitter& emit, Id value, uint32_t limit) {
    if (const auto known = emit.module().constantValue(value)) {
        return emit.constant(std::min(static_cast<uint32_t>(*known), limit));
    }
    return emit.glsl(GLSLstd450UMin, emit.types().uint32(), {value, emit.constant(limit)});
}

Sum sumFor(const VectorContext& context, const VectorMatrixMul& product) {
    using enum ComponentType;
    const DevicePlan& device = context.target.device;
    if (!product.inputType.isFloat()) {
        const bool isFast =
            device.acceleratesDots(product.inputType.isSigned(), product.matrixType.isSigned());
        const bool bytes = product.inputType.bytes() == 1 && product.matrixType.bytes() == 1;
        return bytes && isFast && product.linesAreRows() ? Sum::kDot : Sum::kInteger;
    }
    const Number* result = numberOf(context.types, product.result->component);
    const bool half =
        result->type == kFloat16 && product.matrixType.bytes() <= 2 && device.packsHalves;
    return half ? Sum::kHalfPairs : Sum::kFloat;
}

Sum sumAloneFor(const VectorContext& context, const VectorMatrixMul& product) {
    const Sum sum = sumFor(context, product);
    if (sum != Sum::kHalfPairs) return sum;
    return product.linesAreRows() ? Sum::kHalfPieces : Sum::kFloat;
}

uint32_t unitComponents(Sum sum) {
    if (sum == Sum::kDot) return 4;
    return sum == Sum::kHalfPairs || sum == Sum::kHalfPieces ? 2 : 1;
}

Arithmetic::Arithmetic(VectorFunction& function, Sum sum, Interpretation input,
                       Interpretation matrix)
    : VectorCode(function), sum_(sum), input_(input), matrix_(matrix) {
    switch (sum) {
        case Sum::kHalfPairs:
        case Sum::kHalfPieces:
            unit_ = types_.vectorType(f16(), 2);
            sumType_ = sum == Sum::kHalfPairs ? unit_ : f32();
            types_.declareArithmetic(f16());
            break;
        case Sum::kFloat:
            unit_ = sumType_ = f32();
            break;
        case Sum::kInteger:
            unit_ = sumType_ = s32();
            break;
        case Sum::kDot:
            unit_ = sumType_ = u32();
            f_.module().addCapability(spv::Capability::DotProduct);
            f_.module().addCapability(spv::Capability::DotProductInput4x8BitPacked);
            if (f_.module().version() < 0x00010600) {
                f_.module().addExtension("SPV_KHR_integer_dot_product");
            }
            break;
    }
}

std::vector<Id> Arithmetic::units(std::span<const Id> words) {
    std::vector<Id> units;
    for (Id word : words) {
        for (Id unit : unitsOf(word)) units.push_back(unit);
    }
    return units;
}

std::vector<Id> Arithmetic::unitsOf(Id word) {
    if (sum_ == Sum::kDot) return {word};
    std::vector<Id> unpacked = unpackWord(emit_, matrix_, word);
    if (sum_ == Sum::kInteger) {
        for (Id& unit : unpacked) unit = emit_.bitcast(unit_, unit);
    }
    if (sum_ != Sum::kFloat || matrix_.bits == 32) return unpacked;
    std::vector<Id> units;
    for (Id half : unpacked) {
        const Id wide = emit_.op(OpFConvert, types_.vectorType(f32(), 2), {half});
        units.push_back(emit_.extract(f32(), wide, {0}));
        units.push_back(emit_.extract(f32(), wide, {1}));
    }
    return units;
}

Id Arithmetic::multiplyAdd(Id weight, Id input, Id accumulator) {
    if (takesHalves() || (sum_ == Sum::kFloat && device().fusesSingles)) {
        const bool isExact = input_.bits <= 16 && matrix_.bits <= 16;
        return fusedMultiplyAdd(emit_, device(), weight, input, accumulator, isExact);
    }
    const bool isFloat = sum_ == Sum::kFloat;
    const Id product = sum_ == Sum::kDot
                           ? dot(weight, input)
                           : emit_.op(isFloat ? OpFMul : OpIMul, sumType_, {weight, input});
    return emit_.op(isFloat ? OpFAdd : OpIAdd, sumType_, {accumulator, product});
}

Id Arithmetic::dot(Id weight, Id input) {
    const bool weightSigned = matrix_.isSigned();
    const bool inputSigned = input_.isSigned();
    spv::Op opcode = OpSUDot;
    if (weightSigned == inputSigned) {
        opcode = weightSigned ? OpSDot : OpUDot;
    } else if (!weightSigned) {
        std::swap(weight, input);  // the first operand of OpSUDot is the signed one
    }
    const Id dot = emit_.op(opcode, opcode == OpUDot ? u32() : s32(),
                            {idOperand(weight), idOperand(input),
                             literal(spv::PackedVectorFormat::PackedVectorFormat4x8Bit)});
    return emit_.bitcast(sumType_, dot);
}

Id Arithmetic::addPieces(std::span<const Id> weights, std::span<const Id> inputs, Id accumulator) {
    constexpr uint32_t kPieceUnits = 4;
    Id piece = 0;
    uint32_t count = 0;
    const auto flush = [&] {
        if (piece == 0) return;
        const Id wide = emit_.op(OpFConvert, types_.vectorType(f32(), 2), {piece});
        for (uint32_t part = 0; part < 2; ++part) {
            const Id sum = emit_.extract(f32(), wide, {part});
            accumulator = emit_.op(OpFAdd, f32(), {accumulator, sum});
        }
        piece = count = 0;
    };
    for (size_t u = 0; u < inputs.size(); ++u) {
        piece = piece == 0 ? emit_.op(OpFMul, unit_, {weights[u], inputs[u]})
                           : multiplyAdd(weights[u], inputs[u], piece);
        if (++count == kPieceUnits) flush();
    }
    flush();
    return accumulator;
}

Id Arithmetic::addProducts(std::span<const Id> weights, std::span<const Id> inputs,
                           Id accumulator) {
    if (sum_ == Sum::kHalfPieces) return addPieces(weights, inputs, accumulator);
    for (size_t u = 0; u < inputs.size(); ++u) {
        accumulator = multiplyAdd(weights[u], inputs[u], accumulator);
    }
    return accumulator;
}

Id Arithmetic::total(Id accumulator, bool hasBias) {
    if (sum_ != Sum::kHalfPairs) return accumulator;
    const Id type = hasBias ? f32() : f16();
    if (hasBias) accumulator = emit_.op(OpFConvert, types_.vectorType(type, 2), {accumulator});
    const Id first = emit_.extract(type, accumulator, {0});
    return emit_.op(OpFAdd, type, {first, emit_.extract(type, accumulator, {1})});
}

Id Arithmetic::convertInput(Id value, bool isSigned) {
    if (!input_.isFloat()) return toInteger(emit_, input_, value, isSigned);
    const Id from = emit_.typeOf(value);
    const Id wanted = takesHalves() ? f16() : f32();
    if (from == wanted) return value;
    if (types_.isFloat(from)) return emit_.op(OpFConvert, wanted, {value});
    return emit_.op(isSigned ? OpConvertSToF : OpConvertUToF, wanted, {value});
}

}  // namespace coopvk::rewrite
