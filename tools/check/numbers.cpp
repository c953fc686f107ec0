// SPDX-License-Identifier: Apache-2.0
#include "numbers.hpp"

#include <cmath>
#include <cstring>
#include <format>

namespace coopvk::check {
namespace {

namespace numbers = reference::numbers;

// From 1/8 to 2, with any sign and mantissa.
uint64_t anyFloat(const Format& format, Random& random) {
    const uint32_t mantissaBits = numbers::format(*format.number).mantissaBits;
    const uint64_t mantissa = random.next() & numbers::lowBits(mantissaBits);
    const double size =
        1 + std::ldexp(static_cast<double>(mantissa), -static_cast<int>(mantissaBits));
    const double value = std::ldexp(size, static_cast<int>(random.below(4)) - 3);
    return numbers::bitsOf(*format.number, random.below(2) != 0 ? -value : value);
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
    if (isFloat) return numbers::bitsOf(*format.number, static_cast<double>(value));
    return static_cast<uint64_t>(format.isSigned ? value : std::abs(value));
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
