// SPDX-License-Identifier: Apache-2.0
#include "format.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "random.hpp"

namespace coopvk::test {
namespace {

constexpr Format kFormats[] = {
    {"bf16", "bfloat16_t", "bf16vec", 2, Kind::kFloat, 8, 127, true, Requirement::kBfloat16},
    {"e4m3", "floate4m3_t", "fe4m3vec", 1, Kind::kFloat, 4, 7, false, Requirement::kFloat8},
    {"e5m2", "floate5m2_t", "fe5m2vec", 1, Kind::kFloat, 5, 15, true, Requirement::kFloat8},
    {"f16", "float16_t", "f16vec", 2, Kind::kFloat, 5, 15},
    {"f32", "float32_t", "f32vec", 4, Kind::kFloat, 8, 127},
    {"f64", "float64_t", "f64vec", 8, Kind::kFloat, 11, 1023, true, Requirement::kFloat64},
    {"s8", "int8_t", "i8vec", 1, Kind::kSigned},
    {"s16", "int16_t", "i16vec", 2, Kind::kSigned},
    {"s32", "int32_t", "i32vec", 4, Kind::kSigned},
    {"s64", "int64_t", "i64vec", 8, Kind::kSigned, 0, 0, true, Requirement::kInt64},
    {"u8", "uint8_t", "u8vec", 1, Kind::kUnsigned},
    {"u16", "uint16_t", "u16vec", 2, Kind::kUnsigned},
    {"u32", "uint32_t", "u32vec", 4, Kind::kUnsigned},
    {"u64", "uint64_t", "u64vec", 8, Kind::kUnsigned, 0, 0, true, Requirement::kInt64},
};

// The values of the bits 0, 1, 2, ... of a format of up to 16 bits, without a sign. The last one is
// what would follow the largest number if there were more exponents: the first that overflows.
struct Numbers {
    std::vector<double> values;
    uint64_t infinity = 0;  // or NaN
};

Numbers listNumbers(const Format& format) {
    Numbers numbers;
    const uint32_t mantissa = format.mantissaBits();
    const uint64_t all = (uint64_t{1} << (format.bits() - 1)) - 1;
    numbers.infinity = format.hasInfinity ? all >> mantissa << mantissa : all;
    for (uint64_t bits = 0; bits <= numbers.infinity; ++bits) {
        const auto exponent = static_cast<int>(bits >> mantissa);
        const double fraction =
            static_cast<double>(bits & ((uint64_t{1} << mantissa) - 1)) / std::exp2(mantissa);
        numbers.values.push_back(exponent == 0 ? std::ldexp(fraction, 1 - format.bias)
                                               : std::ldexp(1 + fraction, exponent - format.bias));
    }
    return numbers;
}

const Numbers& numbersOf(const Format& format) {
    static std::map<std::string_view, Numbers> known;
    const auto [entry, isNew] = known.try_emplace(format.name);
    if (isNew) entry->second = listNumbers(format);
    return entry->second;
}

uint64_t signBit(const Format& format) { return uint64_t{1} << (format.bits() - 1); }

Wide integerOf(const Format& format, uint64_t bits) {
    return extend(bits, format.bits(), format.kind == Kind::kSigned);
}

// A float of the source's format next to a value, and the ones beside it.
void addNeighbourhood(const Format& from, double value, std::vector<uint64_t>& out) {
    if (from.bits() == 64) {
        for (const double at :
             {std::nextafter(value, -INFINITY), value, std::nextafter(value, INFINITY)}) {
            out.push_back(std::bit_cast<uint64_t>(at));
        }
    }
    const auto single = static_cast<float>(value);
    for (const float at :
         {std::nextafter(single, -INFINITY), single, std::nextafter(single, INFINITY)}) {
        out.push_back(from.bits() == 64 ? std::bit_cast<uint64_t>(double{at})
                                        : std::bit_cast<uint32_t>(at));
    }
}

void addFloats(const Format& from, const Format& to, std::vector<uint64_t>& out) {
    const std::vector<double>& values = numbersOf(to).values;
    for (size_t i = 0; i < values.size(); ++i) {
        for (const double sign : {1.0, -1.0}) {
            addNeighbourhood(from, sign * values[i], out);
            if (i + 1 == values.size()) continue;
            addNeighbourhood(from, sign * (values[i] + values[i + 1]) / 2, out);
        }
    }
    constexpr double kSpecial[] = {INFINITY,
                                   NAN,
                                   0.0,
                                   std::numeric_limits<float>::denorm_min(),
                                   std::numeric_limits<float>::max(),
                                   1e300,
                                   1e-300};
    for (const double special : kSpecial) {
        for (const double sign : {1.0, -1.0}) {
            const double value = std::copysign(special, sign);
            out.push_back(from.bits() == 64 ? std::bit_cast<uint64_t>(value)
                                            : std::bit_cast<uint32_t>(static_cast<float>(value)));
        }
    }
}

void addIntegers(const Format& from, std::vector<uint64_t>& out) {
    for (uint64_t value = 0; value < 2048; ++value) {
        out.push_back(wrap(value, from.bits()));
        out.push_back(wrap(~value, from.bits()));
    }
    for (uint32_t bit = 10; bit < from.bits(); ++bit) {
        // Beside and halfway between numbers with few bits.
        for (uint64_t low : {uint64_t{0}, uint64_t{1} << (bit - 4), uint64_t{3} << (bit - 9)}) {
            const uint64_t value = (uint64_t{1} << bit) + low;
            for (const uint64_t near : {value - 1, value, value + 1}) {
                out.push_back(wrap(near, from.bits()));
                out.push_back(wrap(0 - near, from.bits()));
            }
        }
    }
}

std::optional<uint64_t> floatToInteger(const Format& to, double value) {
    const double low =
        to.kind == Kind::kSigned ? -std::ldexp(1, static_cast<int>(to.bits()) - 1) : 0;
    const double high = std::ldexp(1, static_cast<int>(to.bits()) - (to.kind == Kind::kSigned));
    const double whole = std::trunc(value);
    if (!(whole >= low && whole < high)) return std::nullopt;
    return wrap(static_cast<uint64_t>(static_cast<Wide>(whole)), to.bits());
}

}  // namespace

std::string Format::vectorOf(uint32_t components) const {
    return components == 1 ? std::string(scalar) : std::string(vector) + std::to_string(components);
}

std::span<const Format> allFormats() { return kFormats; }

const Format& format(std::string_view name) {
    return *std::ranges::find(kFormats, name, &Format::name);
}

double valueOf(const Format& format, uint64_t bits) {
    if (format.bits() == 64) return std::bit_cast<double>(bits);
    if (format.bits() == 32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
    const Numbers& numbers = numbersOf(format);
    const uint64_t magnitude = bits & (signBit(format) - 1);
    const double sign = (bits & signBit(format)) != 0 ? -1.0 : 1.0;
    if (magnitude < numbers.infinity) return std::copysign(numbers.values[magnitude], sign);
    const bool isInfinity = format.hasInfinity && magnitude == numbers.infinity;
    return std::copysign(isInfinity ? INFINITY : NAN, sign);
}

bool isNan(const Format& format, uint64_t bits) {
    return format.isFloat() && std::isnan(valueOf(format, bits));
}

uint64_t nearest(const Format& format, double value, bool saturates) {
    if (format.bits() == 64) return std::bit_cast<uint64_t>(value);
    if (format.bits() == 32) return std::bit_cast<uint32_t>(static_cast<float>(value));
    const Numbers& numbers = numbersOf(format);
    const uint64_t sign = std::signbit(value) ? signBit(format) : 0;
    const double magnitude = std::fabs(value);
    if (std::isnan(value)) return sign | (signBit(format) - 1);
    const auto above = std::ranges::upper_bound(numbers.values, magnitude);
    uint64_t bits = static_cast<uint64_t>(above - numbers.values.begin());
    if (above != numbers.values.end()) {
        const double down = magnitude - numbers.values[bits - 1];
        const double up = numbers.values[bits] - magnitude;
        if (down < up || (down == up && (bits - 1) % 2 == 0)) --bits;
    }
    bits = std::min(bits, numbers.infinity);
    return sign | (saturates && bits == numbers.infinity ? bits - 1 : bits);
}

std::optional<uint64_t> converted(const Format& to, const Format& from, uint64_t bits,
                                  bool saturates) {
    const bool bySingle = to.name == "bf16" || from.name == "bf16";
    if (from.isFloat()) {
        double value = valueOf(from, bits);
        if (bySingle) value = static_cast<float>(value);
        return to.isFloat() ? nearest(to, value, saturates) : floatToInteger(to, value);
    }
    const Wide integer = integerOf(from, bits);
    if (!to.isFloat()) return std::nullopt;
    if (bySingle || to.bits() == 32) return nearest(to, static_cast<float>(integer), saturates);
    return nearest(to, static_cast<double>(integer), saturates);
}

bool mayBeFlushed(const Format& to, const Format& from, uint64_t bits) {
    const bool bySingle =
        (to.name == "bf16" && from.name == "f64") || (to.name == "f64" && from.name == "bf16");
    return bySingle && std::fabs(valueOf(from, bits)) < std::numeric_limits<float>::min();
}

std::vector<uint64_t> inputs(const Format& from, const Format& to) {
    std::vector<uint64_t> out;
    if (from.bits() <= 16) {
        for (uint64_t bits = 0; bits >> from.bits() == 0; ++bits) out.push_back(bits);
    } else if (from.isFloat()) {
        addFloats(from, to, out);
    } else {
        addIntegers(from, out);
    }
    Rng rng(from.name);
    for (int i = 0; i < 1000; ++i) out.push_back(wrap(rng.next(), from.bits()));
    return out;
}

Bytes packed(const Format& format, std::span<const uint64_t> values) {
    Bytes bytes(values.size() * format.bytes);
    for (size_t i = 0; i < values.size(); ++i) {
        std::memcpy(bytes.data() + i * format.bytes, &values[i], format.bytes);
    }
    return bytes;
}

std::vector<uint64_t> unpacked(const Format& format, const Bytes& bytes) {
    std::vector<uint64_t> values(bytes.size() / format.bytes);
    for (size_t i = 0; i < values.size(); ++i) {
        std::memcpy(&values[i], bytes.data() + i * format.bytes, format.bytes);
    }
    return values;
}

}  // namespace coopvk::test
