// SPDX-License-Identifier: Apache-2.0
//
// Formats of numbers: how a component lies in memory, which scalar type shaders compute it in, how
// a word is unpacked to such scalars, how values are rounded to it, and what it needs. One row each
// in a table; a new format is a new row.
#pragma once

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

struct NumberForm;  // number_memory.hpp

// Of formats that Vulkan has no name for.
constexpr auto kNoComponentType = static_cast<ComponentType>(~0u);

enum class NumberKind { kFloat, kSigned, kUnsigned };

struct Number {
    // An 8-bit float, which is unpacked to f16.
    struct SmallFloat {
        uint32_t exponentBits;
        uint32_t bias;
        bool hasInfinity;                         // else the one NaN has all bits set but the sign
        std::optional<spv::FPEncoding> encoding;  // of the type of such values
    };
    // The components of a u32, lowest bits first: scalars, or f16 in vectors of two.
    using Unpack = std::vector<Id> (*)(Emitter& emit, const Number& number, Id word);

    ComponentType type = {};
    std::string_view name;
    NumberKind kind = {};
    uint32_t bits = 0;          // in memory
    uint32_t computedBits = 0;  // of the scalar type that sums and products of it are made in
    Unpack unpack = nullptr;    // null: a word does not hold one
    // That values of it in a shader need; null: none.
    bool DeviceTraits::* feature = nullptr;
    SmallFloat fields = {};
    // Matrices hold components as scalars of so many bits, which are loaded and stored by `form`;
    // 0 and null: as they lie in memory.
    uint32_t heldBits = 0;
    const NumberForm* form = nullptr;

    bool isFloat() const { return kind == NumberKind::kFloat; }
    // Of 8-bit floats, of which a shader has no values of SPIR-V's own.
    bool isSmallFloat() const { return fields.exponentBits != 0; }
    bool isSigned() const { return kind == NumberKind::kSigned; }  // of integers
    uint32_t bytes() const { return bits / 8; }
    bool isOn(const DeviceTraits& device) const { return feature == nullptr || device.*feature; }
};

std::span<const Number> allNumbers();
// nullptr for a value that no format has.
const Number* findNumber(ComponentType type);
// Of integers, or of floats as IEEE 754 has them.
const Number* findNumber(NumberKind kind, uint32_t bits,
                         std::optional<spv::FPEncoding> encoding = {});
// Of the values of a scalar type, or of a vector's components; nullptr for anything else.
const Number* numberOf(const TypeTable& types, Id type);

// The components of a u32 by number.unpack, which is not null.
std::vector<Id> unpackWord(Emitter& emit, const Number& number, Id word);

// A scalar as the integer `to` (of less than 32 bits), sign or zero extended to a 32-bit signed
// one: floats are rounded to nearest even, and all values saturate; NaN becomes the smallest.
// `isSigned`: how an integer value is read.
Id toInteger(Emitter& emit, const Number& to, Id value, bool isSigned);

}  // namespace coopvk::rewrite
