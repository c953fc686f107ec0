// SPDX-License-Identifier: Apache-2.0
//
// The values of numbers' bits, the bits of values, and arrays of numbers
// (SPV_QCOM_cooperative_matrix_conversion).
#include <bit>
#include <cmath>

#include "lowering/number.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

namespace {

// The bits of infinity; if there is none, of the first number of NaN's exponent.
uint32_t infinityOf(const Number& number) {
    return ((1u << number.fields.exponentBits) - 1) << number.mantissaBits();
}

double ofTwosComplement(const Number& number, uint64_t bits) {
    const auto value = static_cast<int8_t>(bits << (8 - number.bits));
    return std::ldexp(value,
                      static_cast<int>(number.bits) - 8 - static_cast<int>(number.fields.bias));
}

}  // namespace

uint32_t magnitudeMask(const Number& number) {
    return (1u << (number.bits - (number.hasSign() ? 1 : 0))) - 1;
}

uint32_t overflowOf(const Number& number) {
    if (number.fields.specials == Number::Specials::kNone) return magnitudeMask(number) + 1;
    return number.hasInfinity() ? infinityOf(number) : magnitudeMask(number);
}

uint32_t quietNanOf(const Number& number) {
    return number.hasInfinity() ? infinityOf(number) | 1u << (number.mantissaBits() - 1)
                                : magnitudeMask(number);
}

uint32_t convertedNanOf(const Number& number) {
    const bool hasOneNan = number.fields.specials == Number::Specials::kOnlyNan;
    const bool isNegative = hasOneNan && number.hasSign();
    return quietNanOf(number) | (isNegative ? magnitudeMask(number) + 1 : 0);
}

double valueOf(const Number& number, uint64_t bits) {
    if (number.bits == 64) return std::bit_cast<double>(bits);
    if (number.fields.exponentBits == 0) return ofTwosComplement(number, bits);
    const uint32_t mantissa = number.mantissaBits();
    const auto magnitude = static_cast<uint32_t>(bits) & magnitudeMask(number);
    const bool isNegative = number.hasSign() && (bits >> (number.bits - 1) & 1) != 0;
    const double sign = isNegative ? -1 : 1;
    if (magnitude >= overflowOf(number)) {
        const bool isInfinity = number.hasInfinity() && magnitude == infinityOf(number);
        return std::copysign(isInfinity ? INFINITY : NAN, sign);
    }
    const uint32_t exponent = magnitude >> mantissa;
    const uint32_t fraction = magnitude & ((1u << mantissa) - 1);
    // Without mantissa there are neither zero nor denormals.
    const bool isDenormal = exponent == 0 && mantissa != 0;
    const uint32_t significand = isDenormal ? fraction : fraction | 1u << mantissa;
    const int scale = static_cast<int>(isDenormal ? 1 : exponent) -
                      static_cast<int>(number.fields.bias + mantissa);
    return sign * std::ldexp(significand, scale);
}

uint64_t bitsOf(const Number& number, double value, bool saturates) {
    if (number.bits == 64) return std::bit_cast<uint64_t>(value);
    const uint64_t sign = std::signbit(value) ? uint64_t{1} << (number.bits - 1) : 0;
    const double magnitude = std::fabs(value);
    if (std::isnan(value)) return sign | convertedNanOf(number);
    const uint64_t most = overflowOf(number) - (saturates ? 1 : 0);
    if (std::isinf(value)) return sign | most;
    const auto mantissa = static_cast<int>(number.mantissaBits());
    const int smallest = 1 - static_cast<int>(number.fields.bias) - mantissa;
    int exponent = smallest;
    if (magnitude != 0) std::frexp(magnitude, &exponent);
    // The unit in the last place. A carry out of the mantissa correctly increments the exponent.
    const int unit = std::max(exponent - 1 - mantissa, smallest);
    const auto units = static_cast<uint64_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
    return sign | std::min((static_cast<uint64_t>(unit - smallest) << mantissa) + units, most);
}

namespace {

// More elements than any matrix has, and few enough to unroll.
constexpr uint64_t kMostElements = 4096;

}  // namespace

NumberArray numberArray(const LoweringContext& context, Id type) {
    const Instruction& def = context.module.def(type);
    const std::optional<uint64_t> length = context.module.constantValue(def.word(1));
    const bool isScalar =
        context.types.components(def.word(0)) == 1 && context.types.width(def.word(0)) != 0;
    if (def.opcode != OpTypeArray || !length || *length == 0 || *length > kMostElements ||
        !isScalar) {
        return {};
    }
    return {type, def.word(0), static_cast<uint32_t>(*length)};
}

bool requireDefaultEncoding(LoweringContext& context, const Instruction& at, Id scalar) {
    if (scalar == 0 || !context.types.encoding(scalar)) return true;
    context.invalid(at,
                    "floats must have the default encoding, no bfloat16 or 8-bit floats "
                    "(SPV_QCOM_cooperative_matrix_conversion)");
    return false;
}

void lowerBitCastArray(LoweringContext& context, Emitter& emit, const Instruction& cast) {
    const NumberArray to = numberArray(context, cast.type);
    const NumberArray from = numberArray(context, context.module.def(cast.word(0)).type);
    const TypeTable& types = context.types;
    if (!requireDefaultEncoding(context, cast, to.element) ||
        !requireDefaultEncoding(context, cast, from.element)) {
        return;
    }
    if (to.element == 0 || from.element == 0 ||
        uint64_t{to.length} * types.width(to.element) !=
            uint64_t{from.length} * types.width(from.element)) {
        return context.invalid(cast, "casts arrays of different sizes");
    }
    const std::vector<Slot> slots = slotsOf(emit, emit.parts(cast.word(0)));
    const std::vector<Slot> cells = regroup(emit, slots, from.element, to.element);
    emit.construct(to.type, scalarsOf(emit, to.element, cells), cast.result);
}

namespace {

// The function (array, start) that returns elements from a dynamic index on.
Id subArrayHelper(LoweringContext& context, const NumberArray& from, const NumberArray& to,
                  Id indexType) {
    const std::vector<uint32_t> key = {static_cast<uint32_t>(OpExtractSubArrayQCOM), from.type,
                                       to.type, indexType};
    return context.helper(key, [&] {
        TypeTable& types = context.types;
        // The array's type may have a layout, which a Function variable must not have.
        const Id plain = types.arrayType(from.element, from.length);
        const Id parameters[] = {from.type, indexType};
        FunctionBuilder function(types, context.newFunctions,
                                 std::format("coopvk_subarray_{}_of_{}", to.length, from.length),
                                 to.type, parameters);
        Emitter& emit = function.emit();
        const Id variable = function.variable(plain);
        function.store(variable, emit.construct(plain, emit.parts(function.parameter(0))));
        std::vector<Id> parts;
        for (uint32_t i = 0; i < to.length; ++i) {
            const Id index =
                emit.addInt(indexType, function.parameter(1), types.constant(indexType, i));
            parts.push_back(function.load(function.element(variable, index)));
        }
        return function.finish(emit.construct(to.type, parts));
    });
}

}  // namespace

void lowerExtractSubArray(LoweringContext& context, Emitter& emit, const Instruction& extract) {
    const NumberArray to = numberArray(context, extract.type);
    const NumberArray from = numberArray(context, context.module.def(extract.word(0)).type);
    const Id start = extract.word(1);
    if (!requireDefaultEncoding(context, extract, from.element)) return;
    if (to.element == 0 || from.element != to.element || to.length > from.length ||
        !context.types.isInteger(emit.typeOf(start))) {
        return context.invalid(extract,
                               "extracts from an array that is smaller or has other elements");
    }
    if (const std::optional<uint64_t> first = context.module.constantValue(start)) {
        // Elements beyond the end are undefined, but indices must be valid.
        std::vector<Id> values;
        for (uint32_t i = 0; i < to.length; ++i) {
            const auto at = static_cast<uint32_t>((*first + i) % from.length);
            values.push_back(emit.extract(from.element, extract.word(0), {at}));
        }
        emit.construct(to.type, values, extract.result);
        return;
    }
    const Id helper = subArrayHelper(context, from, to, emit.typeOf(start));
    emit.call(to.type, helper, std::array{extract.word(0), start}, extract.result);
}

}  // namespace coopvk::rewrite
