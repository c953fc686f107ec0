// SPDX-License-Identifier: Apache-2.0
//
// Number formats of shaders, also bfloat16 and 8-bit floats. Their mathematics is the reference
// device's (tests/reference/numbers_test.cpp). Values are represented by their bits in a uint64_t.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "component.hpp"
#include "matrix.hpp"
#include "numbers/exact.hpp"
#include "requirement.hpp"

namespace coopvk::test {

struct Format {
    std::string_view name;    // "bf16", "e4m3", "s8"
    std::string_view scalar;  // GLSL: "bfloat16_t"
    std::string_view vector;  // GLSL, without the number of components: "bf16vec"
    uint32_t bytes;
    Kind kind;
    reference::numbers::Number number;
    std::optional<Requirement> requirement = {};

    bool isFloat() const { return kind == Kind::kFloat; }
    uint32_t bits() const { return bytes * 8; }
    std::string vectorOf(uint32_t components) const;  // the scalar if it is 1
};

std::span<const Format> allFormats();
const Format& format(std::string_view name);

// Floats only.
double valueOf(const Format& format, uint64_t bits);
bool isNan(const Format& format, uint64_t bits);
// The number of the format that is nearest to a value; of two equally near ones, the one with an
// even last bit. Beyond the largest one: infinity, NaN if there is no infinity, or with `saturates`
// the largest number.
uint64_t nearest(const Format& format, double value, bool saturates = false);

// The result of SPIR-V's conversion instruction; nullopt if the result is undefined. Conversions to
// and from bfloat16 go through f32 (SPV_KHR_bfloat16).
std::optional<uint64_t> converted(const Format& to, const Format& from, uint64_t bits,
                                  bool saturates = false);

// Whether devices may flush it to zero: the intermediate f32 between bfloat16 and f64 is denormal,
// or the number is a denormal half and the device flushes these.
bool mayBeFlushed(const Format& to, const Format& from, uint64_t bits);

// Values of `from` that show how conversions to `to` round: all bits of formats of up to 16 bits;
// else each number of `to`, the values halfway between two of them, the neighbours of all these,
// infinities, NaN, denormals, and random bits.
std::vector<uint64_t> inputs(const Format& from, const Format& to);

Bytes packed(const Format& format, std::span<const uint64_t> values);
std::vector<uint64_t> unpacked(const Format& format, const Bytes& bytes);

}  // namespace coopvk::test
