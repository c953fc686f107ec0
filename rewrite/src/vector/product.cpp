// SPDX-License-Identifier: Apache-2.0
//
// The input and the result of a product: components as units of the arithmetic, and totals plus
// bias as components.
#include "vector/product.hpp"

#include "ir/emitter.hpp"
#include "lowering/number.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kGroup = 4;  // components of the input that are converted together

}  // namespace

uint32_t VectorMatrixMul::lineBytes() const {
    const uint32_t bytes = lineLength() * matrixType.bytes();
    return isOptimal(layout) ? static_cast<uint32_t>(roundUp(bytes, kOptimalLineAlignment)) : bytes;
}

std::optional<uint32_t> VectorMatrixMul::lineStride() const {
    if (!isOptimal(layout) && !stride) return std::nullopt;
    const uint32_t rows = transpose ? k : m;
    const uint32_t columns = transpose ? m : k;
    const MatrixPlacement placement =
        placeMatrix(layout, rows, columns, matrixType.bytes(), stride.value_or(0), inBlocks);
    const bool byRow = layout != VectorMatrixLayout::kColumnMajor;
    return static_cast<uint32_t>(byRow ? placement.rowBytes : placement.columnBytes);
}

uint32_t VectorMatrixMul::quadBytes() const {
    return static_cast<uint32_t>(kOptimalLineAlignment * (inBlocks ? kBlockRows : 1));
}

Id startOfLine(Emitter& emit, bool inBlocks, Id stride, Id line) {
    const Id type = bufferIndexType(emit.types());
    line = emit.toUnsigned(type, line);
    stride = emit.toUnsigned(type, stride);
    if (!inBlocks) return emit.mulInt(type, line, stride);
    constexpr auto kRows = static_cast<uint32_t>(kBlockRows);
    const Id block = emit.mulInt(type, emit.over(line, kRows), emit.times(stride, kRows));
    return emit.sum(block, emit.times(emit.modulo(line, kRows), kOptimalLineAlignment));
}

// ---------------------------------------------------------------------------------------------
// The input

ProductInput::ProductInput(VectorFunction& function, Arithmetic& arithmetic,
                           const VectorMatrixMul& product, Id value)
    : VectorCode(function), arithmetic_(arithmetic), product_(product), value_(value) {}

// The components of a group, converted for the arithmetic; zeros from `valid` on.
std::vector<Id> ProductInput::components(std::span<const Id> packs, uint32_t valid) {
    std::vector<Id> scalars;
    const VectorType& input = *product_.input;
    if (product_.inputType.isPacked) {
        scalars = unpackWord(emit_, product_.inputType, packs[0]);
        scalars.resize(valid);
    }
    for (auto i = static_cast<uint32_t>(scalars.size()); i < valid; ++i) {
        Id scalar = packs[i / input.packWidth];
        if (input.packWidth > 1) {
            scalar = emit_.extract(input.component, scalar, {i % input.packWidth});
        }
        scalars.push_back(arithmetic_.convertInput(scalar, product_.inputSigned));
    }
    const Id zero = types_.constantNull(emit_.typeOf(scalars[0]));
    scalars.resize(kGroup, zero);
    return scalars;
}

std::vector<Id> ProductInput::unitsOf(std::span<const Id> packs, uint32_t valid) {
    const bool isDot = arithmetic_.sum() == Sum::kDot;
    if (isDot && product_.inputType.isPacked) {
        const Id word = emit_.bitcast(u32(), packs[0]);
        if (valid >= kGroup) return {word};
        return {U32(emit_, word) & ((1u << 8 * valid) - 1)};
    }
    const std::vector<Id> scalars = components(packs, valid);
    if (arithmetic_.unitComponents() == 2) {
        const std::span<const Id> all(scalars);
        return {emit_.construct(arithmetic_.unitType(), all.first(2)),
                emit_.construct(arithmetic_.unitType(), all.subspan(2))};
    }
    if (!isDot) return scalars;
    Id word = emit_.bitcast(u32(), scalars[0]);
    for (uint32_t i = 1; i < kGroup; ++i) {
        word = U32(emit_, word).withField(emit_.bitcast(u32(), scalars[i]), c(8 * i), 8);
    }
    return {word};
}

// Calls visit(index of the group (u32), its packs, its valid components) for each group.
template <typename Visit>
void ProductInput::forEachGroup(Visit visit) {
    const VectorType& input = *product_.input;
    const uint32_t packsPerGroup =
        product_.inputType.isPacked ? 1 : std::max(1u, kGroup / input.packWidth);
    const uint32_t whole = product_.k / kGroup;
    const uint32_t rest = product_.k % kGroup;
    const auto visitAt = [&](Id group, uint32_t valid) {
        const Id first = times(group, packsPerGroup);
        const std::vector<Id> packs = listOf(packsPerGroup, [&](uint32_t p) {
            const Id index = plus(first, p);
            const auto known = emit_.module().constantValue(index);
            const auto inside =
                static_cast<uint32_t>(std::min<uint64_t>(known.value_or(0), input.packs() - 1));
            return input.isLarge ? loadPack(input, value_, known ? c(inside) : index)
                                 : emit_.extract(input.pack, value_, {inside});
        });
        visit(group, packs, valid);
    };
    f_.loopAbove(input.isLarge ? 0 : whole, whole, [&](Id g) { visitAt(g, kGroup); });
    if (rest != 0) visitAt(c(whole), rest);
}

void ProductInput::makeUnits(bool asValues) {
    const uint32_t perGroup = kGroup / arithmetic_.unitComponents();
    if (!asValues) {
        // Products read units for whole quads of the matrix: at most 16.
        const uint32_t used = divideUp(product_.k, kGroup) * perGroup;
        const auto count = static_cast<uint32_t>(roundUp(used, 16));
        array_.emplace(f_, arithmetic_.unitType(), count, Indices::kDynamic);
        for (uint32_t u = used; u < count; ++u) {
            array_->store(c(u), types_.constantNull(arithmetic_.unitType()));
        }
    }
    forEachGroup([&](Id group, const std::vector<Id>& packs, uint32_t valid) {
        const std::vector<Id> units = unitsOf(packs, valid);
        if (asValues) {
            values_.insert(values_.end(), units.begin(), units.end());
            return;
        }
        const Id first = times(group, perGroup);
        for (uint32_t u = 0; u < units.size(); ++u) {
            array_->store(plus(first, u), units[u]);
        }
    });
}

void ProductInput::makeScalars() {
    const VectorType& input = *product_.input;
    if (device().indexingHoldsRegisters && arithmetic_.unitType() == f32() &&
        product_.inputType.type == ComponentType::kFloat16 && input.component == f16()) {
        floats_.emplace(f_, input, value_, 0, input.packs(), Indices::kDynamic);
        return;
    }
    array_.emplace(f_, arithmetic_.unitType(), divideUp(product_.k, kGroup) * kGroup,
                   Indices::kDynamic);
    forEachGroup([&](Id group, const std::vector<Id>& packs, uint32_t valid) {
        const std::vector<Id> scalars = components(packs, valid);
        const Id first = times(group, kGroup);
        for (uint32_t i = 0; i < valid; ++i) {
            const Id index = plus(first, i);
            array_->store(index, emit_.splat(arithmetic_.unitType(), scalars[i]));
        }
    });
}

Id ProductInput::unitAt(Id index) {
    if (floats_) return floats_->at(index);
    if (array_) return array_->load(index);
    const uint64_t known = emit_.module().constantValue(index).value_or(0);
    return known < values_.size() ? values_[known] : types_.constantNull(arithmetic_.unitType());
}

// ---------------------------------------------------------------------------------------------
// The result

RowStores rowStoresFor(const VectorContext& context, const VectorType& result, uint32_t rows,
                       bool mayShift) {
    if (result.isLarge) return RowStores::kIndexed;
    const DevicePlan& device = context.target.device;
    const bool shifts = mayShift && rows <= device.shiftedRows;
    return device.rowStores.value_or(shifts ? RowStores::kShifted : RowStores::kIndexed);
}

ProductResult::ProductResult(VectorFunction& function, const VectorMatrixMul& product, Sum sum,
                             const ProductParameters& parameters, uint32_t rows, RowStores stores)
    : VectorCode(function),
      product_(product),
      sum_(sum),
      stores_(stores),
      packs_(function, product.result->pack, divideUp(rows, product.result->packWidth),
             product.result->isLarge ? Indices::kDynamic : Indices::kConstant) {
    if (product.hasBias) bias_.emplace(function, product.bias, parameters.bias);
    if (stores_ == RowStores::kIndexed) return;
    // NVIDIA's driver 580 takes the wrong elements if the first ones to be shifted are undefined.
    for (uint32_t p = 0; p < divideUp(rows, product.result->packWidth); ++p) {
        packs_.store(c(p), types_.constantNull(product.result->pack));
    }
}

std::optional<Id> ProductResult::biasOf(Id row) {
    if (!product_.hasBias) return std::nullopt;
    const Interpretation& number = product_.biasType;
    auto line = bias_->fromStart(times(row, number.bytes()));
    Id value = unpackWord(emit_, number, line.load(0, number.bytes())[0])[0];
    if (number.bits == 16) value = emit_.extract(f16(), value, {0});
    const bool isFloatSum = sum_ != Sum::kInteger && sum_ != Sum::kDot;
    const Id wanted = isFloatSum ? f32() : s32();
    if (isFloatSum && !number.isFloat()) {
        return emit_.op(number.isSigned() ? OpConvertSToF : OpConvertUToF, wanted, {value});
    }
    return emit_.converted(wanted, value);
}

Id ProductResult::finish(Id total, std::optional<Id> bias) {
    if (bias) {
        const Id type = emit_.typeOf(*bias);
        total = emit_.op(types_.isInteger(type) ? OpIAdd : OpFAdd, type,
                         {emit_.bitcast(type, total), *bias});
    }
    const Id wanted = product_.result->component;
    const bool isInteger = types_.isInteger(emit_.typeOf(total));
    if (isInteger && types_.isFloat(wanted)) total = emit_.bitcast(s32(), total);
    return emit_.converted(wanted, total);
}

void ProductResult::store(Id first, std::span<const Id> totals, uint32_t looped) {
    const uint32_t width = product_.result->packWidth;
    const std::optional<uint64_t> known = emit_.module().constantValue(first);
    const bool mayExceed = product_.m % totals.size() != 0;
    std::vector<Id> components;
    for (uint32_t r = 0; r < totals.size(); ++r) {
        Id row = plus(first, r);
        if (known && *known + r >= product_.m) {
            components.push_back(components.empty() ? totals[r] : components.back());
            continue;
        }
        if (product_.hasBias && mayExceed) row = atMost(emit_, row, product_.m - 1);
        components.push_back(finish(totals[r], biasOf(row)));
    }
    const std::vector<Id> packs = listOf(components.size() / width, [&](uint32_t p) {
        return emit_.join(product_.result->pack, std::span(components).subspan(p * width, width));
    });
    storePacks(over(first, width), packs, looped / width);
}

void ProductResult::storePacks(Id first, std::span<const Id> packs, uint32_t looped) {
    const auto count = static_cast<uint32_t>(packs.size());
    if (f_.module().constantValue(first) || stores_ == RowStores::kIndexed) {
        for (uint32_t p = 0; p < count; ++p) packs_.store(plus(first, p), packs[p]);
        return;
    }
    for (uint32_t i = 0; i + count < looped; ++i) packs_.store(c(i), packs_.load(c(i + count)));
    for (uint32_t p = 0; p < count; ++p) packs_.store(c(looped - count + p), packs[p]);
}

Id ProductResult::finishFunction() {
    const VectorType& type = *product_.result;
    if (type.isLarge) {
        const auto store = [&](Id p) { storePack(type, f_.result(), p, packs_.load(p)); };
        f_.loop(type.count / type.packWidth, store);
        if (type.count % type.packWidth != 0) store(c(type.packs() - 1));
        return f_.finishResult();
    }
    return f_.finish(emit_.construct(
        type.id, listOf(type.packs(), [&](uint32_t p) { return packs_.load(c(p)); })));
}

// The arithmetic of matrix-vector products: multiply-adds and sums.

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
        std::ranges::copy(emit_.parts(wide), std::back_inserter(units));
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
    const FourBytes weights = {weight, matrix_.isSigned()}, inputs = {input, input_.isSigned()};
    const bool isUnsigned = !weights.areSigned && !inputs.areSigned;
    const Id dot = byteDot(emit_, isUnsigned ? u32() : s32(), weights, inputs);
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
