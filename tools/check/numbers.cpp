// SPDX-License-Identifier: Apache-2.0
#include "numbers.hpp"

#include <cmath>
#include <cstring>
#include <format>

namespace coopvk::check {
namespace {

struct FloatParts {
    uint32_t mantissaBits;
    int64_t bias;
    uint64_t topExponent;  // of infinities and NaN, in formats that have these
};

FloatParts partsOf(const Format& format) {
    return {format.bits - 1 - format.exponentBits, (int64_t{1} << (format.exponentBits - 1)) - 1,
            (uint64_t{1} << format.exponentBits) - 1};
}

// E4M3 has no infinity, and one NaN for each sign.
bool isE4M3(const Format& format) { return format.bits == 8 && format.exponentBits == 4; }

uint64_t floatBits(const Format& format, bool negative, int64_t exponent, uint64_t mantissa) {
    const FloatParts parts = partsOf(format);
    return uint64_t{negative} << (format.bits - 1) |
           static_cast<uint64_t>(exponent + parts.bias) << parts.mantissaBits | mantissa;
}

uint64_t smallFloat(const Format& format, int64_t value) {
    if (value == 0) return 0;
    const uint64_t size = static_cast<uint64_t>(std::abs(value));
    const int64_t exponent = size >= 4 ? 2 : size >= 2 ? 1 : 0;
    const uint64_t rest = size - (uint64_t{1} << exponent);
    return floatBits(format, value < 0, exponent,
                     rest << (partsOf(format).mantissaBits - static_cast<uint64_t>(exponent)));
}

// From 1/8 to 2, with any sign and mantissa.
uint64_t anyFloat(const Format& format, Random& random) {
    const uint64_t mantissa = random.next() & ((uint64_t{1} << partsOf(format).mantissaBits) - 1);
    const auto exponent = static_cast<int64_t>(random.below(4)) - 3;
    return floatBits(format, random.below(2) != 0, exponent, mantissa);
}

uint64_t anyInteger(const Format& format, Random& random) {
    return format.bits <= 16 ? random.next() & ((uint64_t{1} << format.bits) - 1)
                             : random.below(256);
}

int64_t signedValue(const Format& format, uint64_t bits) {
    const uint32_t unused = 64 - format.bits;
    return static_cast<int64_t>(bits << unused) >> unused;
}

}  // namespace

uint64_t Random::next() {
    state_ += 0x9E3779B97F4A7C15ull;
    uint64_t bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
    return bits ^ (bits >> 31);
}

uint64_t randomNumber(const Format& format, Values values, Random& random) {
    const bool isFloat = format.kind == Format::Kind::kFloat;
    if (values == Values::kAny)
        return isFloat ? anyFloat(format, random) : anyInteger(format, random);
    const auto value = static_cast<int64_t>(random.below(9)) - 4;
    if (isFloat) return smallFloat(format, value);
    return static_cast<uint64_t>(format.isSigned ? value : std::abs(value));
}

double valueOf(const Format& format, uint64_t bits) {
    if (format.kind != Format::Kind::kFloat)
        return format.isSigned ? static_cast<double>(signedValue(format, bits))
                               : static_cast<double>(bits);
    const FloatParts parts = partsOf(format);
    const bool isNegative = (bits >> (format.bits - 1) & 1) != 0;
    const uint64_t mantissa = bits & ((uint64_t{1} << parts.mantissaBits) - 1);
    const uint64_t exponent = bits >> parts.mantissaBits & parts.topExponent;
    const double sign = isNegative ? -1 : 1;
    const bool isSpecial = isE4M3(format) ? (bits & 0x7F) == 0x7F : exponent == parts.topExponent;
    if (isSpecial) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
    const uint64_t leading = exponent == 0 ? 0 : uint64_t{1} << parts.mantissaBits;
    const int64_t power = static_cast<int64_t>(exponent == 0 ? 1 : exponent) - parts.bias -
                          static_cast<int64_t>(parts.mantissaBits);
    return sign * std::ldexp(static_cast<double>(leading + mantissa), static_cast<int>(power));
}

std::string textOf(const Format& format, uint64_t bits) {
    if (format.kind == Format::Kind::kAddress) return std::format("{:#x}", bits);
    return std::format("{} ({:#x})", valueOf(format, bits), bits);
}

uint64_t readBits(const std::byte* from, const Format& format) {
    uint64_t bits = 0;
    std::memcpy(&bits, from, format.bytes());
    return bits;
}

void writeBits(std::byte* to, const Format& format, uint64_t bits) {
    std::memcpy(to, &bits, format.bytes());
}

}  // namespace coopvk::check
