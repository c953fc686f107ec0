// SPDX-License-Identifier: Apache-2.0
#include "format.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "halves.hpp"
#include "numbers/exact.hpp"
#include "random.hpp"

namespace coopvk::test {
namespace {

namespace numbers = reference::numbers;
using numbers::Number;

constexpr Format kFormats[] = {
    {"bf16", "bfloat16_t", "bf16vec", 2, Kind::kFloat, Number::bf16, Requirement::kBfloat16},
    {"e4m3", "floate4m3_t", "fe4m3vec", 1, Kind::kFloat, Number::e4m3, Requirement::kFloat8},
    {"e5m2", "floate5m2_t", "fe5m2vec", 1, Kind::kFloat, Number::e5m2, Requirement::kFloat8},
    {"f16", "float16_t", "f16vec", 2, Kind::kFloat, Number::f16},
    {"f32", "float32_t", "f32vec", 4, Kind::kFloat, Number::f32},
    {"f64", "float64_t", "f64vec", 8, Kind::kFloat, Number::f64, Requirement::kFloat64},
    {"s8", "int8_t", "i8vec", 1, Kind::kSigned, Number::s8},
    {"s16", "int16_t", "i16vec", 2, Kind::kSigned, Number::s16},
    {"s32", "int32_t", "i32vec", 4, Kind::kSigned, Number::s32},
    {"s64", "int64_t", "i64vec", 8, Kind::kSigned, Number::s64, Requirement::kInt64},
    {"u8", "uint8_t", "u8vec", 1, Kind::kUnsigned, Number::u8},
    {"u16", "uint16_t", "u16vec", 2, Kind::kUnsigned, Number::u16},
    {"u32", "uint32_t", "u32vec", 4, Kind::kUnsigned, Number::u32},
    {"u64", "uint64_t", "u64vec", 8, Kind::kUnsigned, Number::u64, Requirement::kInt64},
};

// The positive numbers of a format of up to 16 bits, in their order, and what would follow the
// largest one.
std::vector<double> numbersOf(const Format& format) {
    std::vector<double> values;
    for (uint64_t bits = 0; std::isfinite(valueOf(format, bits)); ++bits)
        values.push_back(valueOf(format, bits));
    values.push_back(2 * values.back() - values[values.size() - 2]);
    return values;
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
    const std::vector<double> values = numbersOf(to);
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

}  // namespace

std::string Format::vectorOf(uint32_t components) const {
    return components == 1 ? std::string(scalar) : std::string(vector) + std::to_string(components);
}

std::span<const Format> allFormats() { return kFormats; }

const Format& format(std::string_view name) {
    return *std::ranges::find(kFormats, name, &Format::name);
}

double valueOf(const Format& format, uint64_t bits) {
    return numbers::decodeDouble(format.number, bits);
}

bool isNan(const Format& format, uint64_t bits) {
    return format.isFloat() && std::isnan(valueOf(format, bits));
}

uint64_t nearest(const Format& format, double value, bool saturates) {
    return numbers::encode(format.number, numbers::fromDouble(value),
                           numbers::Rounding::nearestEven,
                           saturates ? numbers::Overflow::saturate : numbers::Overflow::special);
}

std::optional<uint64_t> converted(const Format& to, const Format& from, uint64_t bits,
                                  bool saturates) {
    const auto result =
        numbers::convert(from.number, to.number, bits, numbers::conversionRule(saturates));
    return result.defined ? std::optional(result.bits) : std::nullopt;
}

bool mayBeFlushed(const Format& to, const Format& from, uint64_t bits) {
    const bool bySingle =
        (to.name == "bf16" && from.name == "f64") || (to.name == "f64" && from.name == "bf16");
    if (bySingle) return std::fabs(valueOf(from, bits)) < std::numeric_limits<float>::min();
    // Vulkan, "Precision and Operation of SPIR-V Instructions": denormals may be flushed.
    constexpr double kSmallestHalf = 0x1p-14;
    return from.name == "f16" && mayFlushHalves() && std::fabs(valueOf(from, bits)) < kSmallestHalf;
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
