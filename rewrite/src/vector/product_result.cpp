// SPDX-License-Identifier: Apache-2.0
//
// What a product gives: totals with their bias, as components of the result, in its packs.
#include "vector/product.hpp"

namespace coopvk::rewrite {

ProductResult::ProductResult(VectorFunction& function, const VectorMatrixMul& product, Sum sum,
                             const ProductParameters& parameters, uint32_t rows)
    : f_(function), emit_(function.emit()), types_(function.types()), product_(product), sum_(sum) {
    packs_ = f_.variable(types_.arrayType(
        product.result->pack, (rows + product.result->packWidth - 1) / product.result->packWidth));
    if (product.hasBias) bias_.emplace(function, product.bias, parameters.bias);
}

Id ProductResult::biasOf(Id row) {
    if (!product_.hasBias) return 0;
    const uint32_t bytes = product_.biasType.bytes();
    const Id offset = emit_.mulInt(types_.uint32(), row, types_.constantU32(bytes));
    auto line = bias_->line(emit_.addInt(types_.uint32(), bias_->start(), offset));
    const Id word = line.part(0, bytes);
    const Id sumScalar = sum_ == Sum::kHalfPairs ? types_.floatType(16)
                         : isFloat(sum_)         ? types_.floatType(32)
                                                 : types_.intType(32, true);
    if (!product_.biasType.isFloat()) {
        const Id value = emit_.bitcast(types_.intType(32, product_.biasType.isSigned()), word);
        if (types_.isInteger(sumScalar)) return emit_.bitcast(sumScalar, value);
        return emit_.op(
            product_.biasType.isSigned() ? spv::Op::OpConvertSToF : spv::Op::OpConvertUToF,
            sumScalar, {value});
    }
    Id value = 0;
    if (bytes == 4) {
        value = emit_.bitcast(types_.floatType(32), word);
    } else {
        const Id f16 = types_.floatType(16);
        value = emit_.extract(f16, emit_.bitcast(types_.vectorType(f16, 2), word), {0});
    }
    if (types_.isInteger(sumScalar)) return emit_.op(spv::Op::OpConvertFToS, sumScalar, {value});
    if (emit_.typeOf(value) == sumScalar) return value;
    return emit_.op(spv::Op::OpFConvert, sumScalar, {value});
}

Id ProductResult::finish(Id total, Id bias) {
    if (bias != 0) {
        const bool integer = types_.isInteger(emit_.typeOf(bias));
        total = emit_.op(integer ? spv::Op::OpIAdd : spv::Op::OpFAdd, emit_.typeOf(bias),
                         {emit_.bitcast(emit_.typeOf(bias), total), bias});
    }
    const Id wanted = product_.result->component;
    const Id type = emit_.typeOf(total);
    if (type == wanted) return total;
    if (types_.isInteger(type)) {
        if (types_.isInteger(wanted)) return emit_.bitcast(wanted, total);
        return emit_.op(spv::Op::OpConvertSToF, wanted,
                        {emit_.bitcast(types_.intType(32, true), total)});
    }
    if (types_.isFloat(wanted)) return emit_.op(spv::Op::OpFConvert, wanted, {total});
    return emit_.op(types_.isSigned(wanted) ? spv::Op::OpConvertFToS : spv::Op::OpConvertFToU,
                    wanted, {total});
}

void ProductResult::store(Id first, std::span<const Id> totals, uint32_t looped) {
    const Id u32 = types_.uint32();
    const uint32_t width = product_.result->packWidth;
    const std::optional<uint64_t> known = emit_.module().constantValue(first);
    std::vector<Id> components;
    for (uint32_t r = 0; r < totals.size(); ++r) {
        Id row = emit_.addInt(u32, first, types_.constantU32(r));
        const bool ragged = product_.m % totals.size() != 0;
        if (known && *known + r >= product_.m) {
            components.push_back(components.empty() ? totals[r] : components.back());
            continue;
        }
        if (product_.hasBias && ragged && !known) {
            row = glslMin(emit_, row, product_.m - 1);
        }
        components.push_back(finish(totals[r], biasOf(row)));
    }
    const Id pack0 = emit_.divInt(u32, first, types_.constantU32(width));
    std::vector<Id> packs;
    for (uint32_t p = 0; p < components.size() / width; ++p) {
        const std::span<const Id> parts = std::span(components).subspan(p * width, width);
        packs.push_back(width == 1 ? parts[0] : emit_.construct(product_.result->pack, parts));
        if (isPushed(first)) continue;
        storePack(emit_.addInt(u32, pack0, types_.constantU32(p)), packs.back());
    }
    if (isPushed(first)) pushPacks(packs, looped / width);
}

Id ProductResult::packAt(uint32_t index) { return f_.element(packs_, types_.constantU32(index)); }

void ProductResult::storePack(Id index, Id pack) { f_.store(f_.element(packs_, index), pack); }

bool ProductResult::isPushed(Id first) const {
    return !emit_.module().constantValue(first) && choosesNoRegister(f_.context().target);
}

// New ones come in at the end and move the others on: after the loop all are in their places.
void ProductResult::pushPacks(std::span<const Id> packs, uint32_t looped) {
    const auto count = static_cast<uint32_t>(packs.size());
    for (uint32_t i = 0; i + count < looped; ++i) f_.store(packAt(i), f_.load(packAt(i + count)));
    for (uint32_t p = 0; p < count; ++p) f_.store(packAt(looped - count + p), packs[p]);
}

Id ProductResult::value() {
    std::vector<Id> packs;
    for (uint32_t p = 0; p < product_.result->packs(); ++p) {
        packs.push_back(f_.load(packAt(p)));
    }
    return emit_.construct(product_.result->id, packs);
}

}  // namespace coopvk::rewrite
