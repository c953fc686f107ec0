// SPDX-License-Identifier: Apache-2.0
//
// A table of number formats: how a component lies in memory, in which scalar type shaders compute
// with it, how a word is unpacked and values are rounded, and which feature it needs. A new format
// is a new row.
#pragma once

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

struct NumberForm;  // number_memory.hpp

// For formats that VkComponentTypeKHR lacks.
constexpr auto kNoComponentType = static_cast<ComponentType>(~0u);

enum class NumberKind { kFloat, kSigned, kUnsigned };

struct Number {
    // Of a float. The bits of the mantissa are below those of the exponent, the sign is above.
    struct FloatFields {
        uint32_t exponentBits;
        uint32_t bias;
        bool hasInfinity;  // if not, the NaNs have all bits below the sign set
    };
    // Returns the components in a u32, lowest bits first: scalars, or f16 in vectors of two.
    using Unpack = std::vector<Id> (*)(Emitter& emit, const Number& number, Id word);

    ComponentType type = {};
    std::string_view name;
    NumberKind kind = {};
    uint32_t bits = 0;          // in memory
    uint32_t computedBits = 0;  // width of the scalar type for sums and products
    Unpack unpack = nullptr;    // null: components are wider than a word
    // The feature that values in a shader need; null: none.
    bool DeviceTraits::* feature = nullptr;
    // FP Encoding of its type; nullopt: an integer, or a float of IEEE 754.
    std::optional<spv::FPEncoding> encoding = {};
    FloatFields fields = {};
    // Matrices hold components as scalars of this width, which `form` loads and stores; 0 and null:
    // as in memory.
    uint32_t heldBits = 0;
    const NumberForm* form = nullptr;

    bool isFloat() const { return kind == NumberKind::kFloat; }
    // Whether it is an 8-bit float, which is unpacked to f16.
    bool isSmallFloat() const { return isFloat() && bits == 8; }
    bool isHalf() const { return type == ComponentType::kFloat16; }
    uint32_t mantissaBits() const { return bits - 1 - fields.exponentBits; }
    bool isSigned() const { return kind == NumberKind::kSigned; }  // for integers
    uint32_t bytes() const { return bits / 8; }
    bool isSupportedBy(const DeviceTraits& device) const {
        return feature == nullptr || device.has(feature);
    }
};

// The two low bytes of a u32 as f16: moves exponent and mantissa to the positions in f16, and
// multiplies by a power of two if the bias is smaller than that of f16.
Id smallFloatPair(Emitter& emit, const Number::FloatFields& fields, Id bytes);
// The same for bytes 1 and 3, in fewer instructions. The other bytes do not matter.
Id smallFloatsOfOddBytes(Emitter& emit, const Number::FloatFields& fields, Id word);

std::span<const Number> allNumbers();
// nullptr if there is no such format.
const Number* findNumber(ComponentType type);
// Without an encoding: an integer, or a float of IEEE 754.
const Number* findNumber(NumberKind kind, uint32_t bits,
                         std::optional<spv::FPEncoding> encoding = {});
// The format of a scalar type or of a vector's components; nullptr for other types.
const Number* numberOf(const TypeTable& types, Id type);

// Unpacks a u32 by number.unpack, which must not be null, and declares the capability for it.
std::vector<Id> unpackWord(Emitter& emit, const Number& number, Id word);

// Converts a scalar to the integer format `to`, which has less than 32 bits, as a 32-bit signed
// integer. Floats are rounded to nearest even; values saturate; NaN becomes the smallest value.
// `isSigned`: whether an integer `value` is signed.
Id toInteger(Emitter& emit, const Number& to, Id value, bool isSigned);

}  // namespace coopvk::rewrite
