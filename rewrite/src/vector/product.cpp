// SPDX-License-Identifier: Apache-2.0
#include "vector/product.hpp"

#include "vector/composite.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kGroup = 4;  // components that are taken from the input together

uint32_t divideUp(uint32_t value, uint32_t by) { return (value + by - 1) / by; }

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
        placeMatrix(layout, rows, columns, matrixType.bytes(), stride.value_or(0));
    const bool byRow = layout != VectorMatrixLayout::kColumnMajor;
    return static_cast<uint32_t>(byRow ? placement.rowBytes : placement.columnBytes);
}

Sum sumFor(const VectorContext& context, const VectorMatrixMul& product) {
    const TypeTable& types = context.types;
    const DeviceTraits& device = context.target.device;
    if (!product.inputType.isFloat()) {
        const bool a = product.inputType.isSigned();
        const bool b = product.matrixType.isSigned();
        const bool fast = a != b ? device.dot4x8Mixed
                          : a    ? device.dot4x8Signed
                                 : device.dot4x8Unsigned;
        const bool bytes = product.inputType.bytes() == 1 && product.matrixType.bytes() == 1;
        return bytes && fast && device.shaderIntegerDotProduct && product.linesAreRows()
                   ? Sum::kDot
                   : Sum::kInteger;
    }
    // Processors without f16 arithmetic would convert at every step.
    const bool half = types.isFloat(product.result->component) &&
                      types.width(product.result->component) == 16 &&
                      product.matrixType.bytes() <= 2 && !device.isCpu && device.shaderFloat16;
    return half ? Sum::kHalfPairs : Sum::kFloat;
}

Sum sumAloneFor(Sum sum, const VectorMatrixMul& product) {
    if (sum != Sum::kHalfPairs) return sum;
    return product.linesAreRows() ? Sum::kHalfPieces : Sum::kFloat;
}

bool choosesNoRegister(const Target& target) {
    return !target.device.isCpu && (target.device.scalarRegisters || target.subgroupSize >= 64);
}

ProductInput::ProductInput(VectorFunction& function, Arithmetic& arithmetic,
                           const VectorMatrixMul& product, Id value)
    : f_(function),
      emit_(function.emit()),
      types_(function.types()),
      arithmetic_(arithmetic),
      product_(product),
      value_(value) {}

uint32_t ProductInput::units() const { return divideUp(product_.k, arithmetic_.unitComponents()); }

// Components of one group as scalars that products can be made of; zeros from `valid` on.
std::vector<Id> ProductInput::components(std::span<const Id> packs, uint32_t valid) {
    std::vector<Id> scalars;
    const VectorType& input = *product_.input;
    const Id s32 = types_.intType(32, true);
    for (uint32_t c = 0; c < valid; ++c) {
        if (product_.inputType.isPacked) {
            const bool isSigned = product_.inputType.isSigned();
            const Id word = emit_.bitcast(s32, packs[0]);
            scalars.push_back(
                emit_.op(isSigned ? spv::Op::OpBitFieldSExtract : spv::Op::OpBitFieldUExtract, s32,
                         {word, types_.constantU32(8 * c), types_.constantU32(8)}));
            continue;
        }
        const Id pack = packs[c / input.packWidth];
        const Id scalar = input.packWidth == 1
                              ? pack
                              : emit_.extract(input.component, pack, {c % input.packWidth});
        scalars.push_back(arithmetic_.convertInput(scalar, product_.inputSigned));
    }
    const Id zero = types_.constantNull(scalars.empty() ? s32 : emit_.typeOf(scalars[0]));
    scalars.resize(kGroup, zero);
    return scalars;
}

std::vector<Id> ProductInput::unitsOf(std::span<const Id> packs, uint32_t valid) {
    const Id u32 = types_.uint32();
    if (arithmetic_.sum() == Sum::kDot && product_.inputType.isPacked) {
        const uint32_t keep = valid >= kGroup ? ~0u : (1u << 8 * valid) - 1;
        const Id word = emit_.bitcast(u32, packs[0]);
        if (keep == ~0u) return {word};
        return {emit_.op(spv::Op::OpBitwiseAnd, u32, {word, types_.constantU32(keep)})};
    }
    const std::vector<Id> scalars = components(packs, valid);
    if (arithmetic_.unitComponents() == 2) {
        const std::span<const Id> all(scalars);
        return {emit_.construct(arithmetic_.unitType(), all.first(2)),
                emit_.construct(arithmetic_.unitType(), all.subspan(2))};
    }
    if (arithmetic_.sum() != Sum::kDot) return scalars;
    Id word = emit_.bitcast(u32, scalars[0]);
    for (uint32_t c = 1; c < kGroup; ++c) {
        word = emit_.op(spv::Op::OpBitFieldInsert, u32,
                        {word, emit_.bitcast(u32, scalars[c]), types_.constantU32(8 * c),
                         types_.constantU32(8)});
    }
    return {word};
}

// visit(index of the group (u32), packs, valid components)
template <typename Visit>
void ProductInput::forEachGroup(Visit visit) {
    const VectorType& input = *product_.input;
    const uint32_t packsPerGroup =
        product_.inputType.isPacked ? 1 : std::max(1u, kGroup / input.packWidth);
    const uint32_t whole = product_.k / kGroup;
    const uint32_t rest = product_.k % kGroup;
    const auto packsAt = [&](uint32_t group) {
        std::vector<Id> packs;
        for (uint32_t p = group * packsPerGroup; p < (group + 1) * packsPerGroup; ++p) {
            const uint32_t inside = std::min(p, input.packs() - 1);
            packs.push_back(emit_.extract(input.pack, value_, {inside}));
        }
        return packs;
    };
    if (whole * packsPerGroup <= kUnrolledPacks) {
        for (uint32_t g = 0; g < whole; ++g) visit(types_.constantU32(g), packsAt(g), kGroup);
    } else {
        const Id source = f_.variable(input.id);
        f_.store(source, value_);
        f_.loop(whole, [&](Id g) {
            std::vector<Id> packs;
            const Id first = emit_.mulInt(types_.uint32(), g, types_.constantU32(packsPerGroup));
            for (uint32_t p = 0; p < packsPerGroup; ++p) {
                packs.push_back(f_.load(f_.element(
                    source, emit_.addInt(types_.uint32(), first, types_.constantU32(p)))));
            }
            visit(g, packs, kGroup);
        });
    }
    if (rest != 0) visit(types_.constantU32(whole), packsAt(whole), rest);
}

void ProductInput::makeUnits(bool asValues) {
    const uint32_t perGroup = kGroup / arithmetic_.unitComponents();
    if (!asValues) {
        // Readers take whole quads of the matrix: at most 16 units.
        const uint32_t used = divideUp(product_.k, kGroup) * perGroup;
        const auto count = static_cast<uint32_t>(roundUp(used, 16));
        array_ = f_.variable(types_.arrayType(arithmetic_.unitType(), count));
        for (uint32_t u = used; u < count; ++u) {
            f_.store(f_.element(array_, types_.constantU32(u)),
                     types_.constantNull(arithmetic_.unitType()));
        }
    }
    forEachGroup([&](Id group, const std::vector<Id>& packs, uint32_t valid) {
        const std::vector<Id> units = unitsOf(packs, valid);
        if (asValues) {
            values_.insert(values_.end(), units.begin(), units.end());
            return;
        }
        const Id first = emit_.mulInt(types_.uint32(), group, types_.constantU32(perGroup));
        for (uint32_t u = 0; u < units.size(); ++u) {
            const Id index = emit_.addInt(types_.uint32(), first, types_.constantU32(u));
            f_.store(f_.element(array_, index), units[u]);
        }
    });
}

void ProductInput::makeScalars() {
    array_ = f_.variable(
        types_.arrayType(arithmetic_.unitType(), divideUp(product_.k, kGroup) * kGroup));
    forEachGroup([&](Id group, const std::vector<Id>& packs, uint32_t valid) {
        const std::vector<Id> scalars = components(packs, valid);
        const Id first = emit_.mulInt(types_.uint32(), group, types_.constantU32(kGroup));
        for (uint32_t c = 0; c < valid; ++c) {
            const Id index = emit_.addInt(types_.uint32(), first, types_.constantU32(c));
            f_.store(f_.element(array_, index), emit_.splat(arithmetic_.unitType(), scalars[c]));
        }
    });
}

Id ProductInput::unit(uint32_t index) {
    if (array_ != 0) return unitAt(types_.constantU32(index));
    return index < values_.size() ? values_[index] : types_.constantNull(arithmetic_.unitType());
}

Id ProductInput::unitAt(Id index) {
    const std::optional<uint64_t> known = emit_.module().constantValue(index);
    if (array_ == 0 && known) return unit(static_cast<uint32_t>(*known));
    return f_.load(f_.element(array_, index));
}

Id ProductInput::scalarAt(Id index) { return unitAt(index); }

}  // namespace coopvk::rewrite
