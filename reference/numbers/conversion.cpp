// SPDX-License-Identifier: Apache-2.0
#include "numbers/conversion.hpp"

namespace coopvk::reference::numbers {
namespace {

Converted convertDirectly(Number from, Number to, uint64_t bits, const ConversionRule& rule) {
    const Exact value = decode(from, bits);
    if (format(to).floating()) return {encode(to, value, rule.rounding, rule.toFloat), true};
    if (!format(from).floating())
        return {encode(to, value, rule.toInteger, rule.fromInteger), true};
    const bool inside = representable(to, value, rule.toInteger);
    return {encode(to, value, rule.toInteger, rule.fromFloat), inside || !rule.integerDomain};
}

}  // namespace

ConversionRule conversionRule(bool saturate, Rounding rounding) {
    ConversionRule rule;
    rule.rounding = rounding;
    if (!saturate) return rule;
    rule.toFloat = rule.fromInteger = Overflow::saturate;
    rule.integerDomain = false;
    return rule;
}

ConversionRule inputRule() {
    ConversionRule rule = conversionRule(true);
    rule.toInteger = Rounding::nearestEven;
    rule.toFloat = Overflow::special;
    return rule;
}

Converted convert(Number from, Number to, uint64_t bits, const ConversionRule& rule) {
    if (from == to) return {bits & format(to).mask(), true};
    // SPV_KHR_bfloat16, "Conversion Instructions"
    const bool throughSingle =
        (from == Number::bf16 || to == Number::bf16) && from != Number::f32 && to != Number::f32;
    if (!throughSingle) return convertDirectly(from, to, bits, rule);
    const Converted single = convertDirectly(from, Number::f32, bits, rule);
    return convertDirectly(Number::f32, to, single.bits, rule);
}

}  // namespace coopvk::reference::numbers
