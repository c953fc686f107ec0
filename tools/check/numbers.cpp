// SPDX-License-Identifier: Apache-2.0
#include "numbers.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <format>
#include <type_traits>

namespace coopvk::check {
namespace {

namespace numbers = reference::numbers;

// From 1/8 to 2, with any sign and mantissa.
uint64_t anyFloat(const Format& format, Random& random) {
    const uint32_t mantissaBits = numbers::format(*format.number).mantissaBits;
    const uint64_t mantissa = random.next() & numbers::lowBits(mantissaBits);
    const double size =
        1 + static_cast<double>(mantissa) / static_cast<double>(uint64_t{1} << mantissaBits);
    const double value = size * static_cast<double>(uint64_t{1} << random.below(4)) / 8;
    return numbers::bitsOf(*format.number, random.below(2) != 0 ? -value : value);
}

uint64_t anyInteger(const Format& format, Random& random) {
    return format.bits <= 16 ? random.next() & ((uint64_t{1} << format.bits) - 1)
                             : random.below(256);
}

// Of so many numbers one is special: sums of products with several would be NaN.
constexpr uint64_t kSpecialEvery = 48;

// Where other formats round, saturate or overflow: halfway between two of their numbers, or one
// beside it; the largest numbers, and the first ones that are too large.
constexpr double kBoundaries[] = {1 + 0x1p-11,  1 + 0x1p-11 + 0x1p-23,
                                  1 + 0x1p-8,   1 + 0x1p-8 + 0x1p-23,
                                  1 + 0x1p-4,   1.25,
                                  0x1p-24,      0x1p-25,
                                  0x1p-14,      0x1.ffcp-15,
                                  448,          464,
                                  465,          57344,
                                  61440,        65504,
                                  65519.996,    65520,
                                  0x1.fffffep8, 127.5,
                                  -128.5,       255.5,
                                  32767.5,      0x1p31,
                                  -0x1p31,      0x1.fep127,
                                  0x1.ffp127,   0x1p-126,
                                  0x1p-133,     2.5};

uint64_t specialFloat(const Format& format, Random& random) {
    const numbers::Format& f = numbers::format(*format.number);
    const uint64_t exponents = numbers::lowBits(f.exponentBits) << f.mantissaBits;
    const uint64_t mantissas = numbers::lowBits(f.mantissaBits);
    const uint64_t smallest = uint64_t{1} << f.mantissaBits;
    const uint64_t patterns[] = {
        0, 1, mantissas, smallest, exponents, exponents - 1, exponents | mantissas, smallest + 1};
    const uint64_t sign = f.hasSign() ? random.below(2) << (f.bits - 1) : 0;
    if (random.below(2) == 0) return patterns[random.below(std::size(patterns))] | sign;
    const double boundary = kBoundaries[random.below(std::size(kBoundaries))];
    return numbers::bitsOf(*format.number, boundary) | sign;
}

uint64_t specialInteger(const Format& format, Random& random) {
    const uint64_t ones = numbers::lowBits(format.bits);
    const uint64_t extremes[] = {0, 1, ones, ones - 1, ones >> 1, (ones >> 1) + 1};
    return extremes[random.below(std::size(extremes))];
}

constexpr int64_t kMostSmall = 4;
using SmallNumbers = std::array<uint64_t, 2 * kMostSmall + 1>;

// Unsigned integers have no sign.
SmallNumbers smallNumbers(const Format& format) {
    SmallNumbers all;
    for (int64_t value = -kMostSmall; value <= kMostSmall; ++value) {
        uint64_t& bits = all[static_cast<size_t>(value + kMostSmall)];
        if (format.kind == Format::Kind::kFloat)
            bits = numbers::bitsOf(*format.number, static_cast<double>(value));
        else
            bits = static_cast<uint64_t>(format.isSigned ? value : std::abs(value));
    }
    return all;
}

// `bytes`: a constant where compilers know it.
void writeAny(std::byte* to, uint64_t count, uint64_t stride, auto bytes, const SmallNumbers& of,
              Random& random) {
    for (uint64_t i = 0; i < count; ++i)
        std::memcpy(to + i * stride, &of[random.below(of.size())], bytes);
}
template <uint64_t n>
using Bytes = std::integral_constant<uint64_t, n>;

int64_t signedValue(const Format& format, uint64_t bits) {
    const uint32_t unused = 64 - format.bits;
    return static_cast<int64_t>(bits << unused) >> unused;
}

}  // namespace

uint64_t randomNumber(const Format& format, Values values, Random& random) {
    const bool isFloat = format.kind == Format::Kind::kFloat;
    if (values == Values::kSpecial && random.below(kSpecialEvery) == 0)
        return isFloat ? specialFloat(format, random) : specialInteger(format, random);
    if (values != Values::kSmall)
        return isFloat ? anyFloat(format, random) : anyInteger(format, random);
    const int64_t value = static_cast<int64_t>(random.below(2 * kMostSmall + 1)) - kMostSmall;
    if (isFloat) return numbers::bitsOf(*format.number, static_cast<double>(value));
    return static_cast<uint64_t>(format.isSigned ? value : std::abs(value));
}

void writeSmallNumbers(std::byte* to, uint64_t count, uint64_t stride, const Format& format,
                       Random& random) {
    const SmallNumbers all = smallNumbers(format);
    const uint64_t bytes = format.bytes();
    if (bytes == 1) return writeAny(to, count, stride, Bytes<1>(), all, random);
    if (bytes == 2) return writeAny(to, count, stride, Bytes<2>(), all, random);
    if (bytes == 4) return writeAny(to, count, stride, Bytes<4>(), all, random);
    writeAny(to, count, stride, bytes, all, random);
}

uint64_t orSpecial(const Format& format, uint64_t bits, Random& random) {
    const bool isFloat = format.kind == Format::Kind::kFloat;
    return isFloat && random.below(kSpecialEvery) == 0 ? specialFloat(format, random) : bits;
}

double valueOf(const Format& format, uint64_t bits) {
    if (format.number) return numbers::valueOf(*format.number, bits);
    return format.isSigned ? static_cast<double>(signedValue(format, bits))
                           : static_cast<double>(bits);
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
