// SPDX-License-Identifier: Apache-2.0
//
// A table of number formats: how a component lies in memory, in which scalar type shaders compute
// with it, how a word is unpacked and values are rounded, and which feature it needs. A new format
// is a new row.
#pragma once

#include <spirv/unified1/GLSL.std.450.h>

#include "ir/arithmetic_decorations.hpp"
#include "ir/emitter.hpp"
#include "lowering/context.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

struct NumberForm;  // below

// For formats that VkComponentTypeKHR lacks.
constexpr auto kNoComponentType = static_cast<ComponentType>(~0u);

enum class NumberKind { kFloat, kSigned, kUnsigned };

struct Number {
    // Which bits of a float are no numbers.
    enum class Specials : uint8_t {
        kIeee,     // those with the largest exponent: infinity and NaN
        kOnlyNan,  // all bits below the sign set: NaN
        kNone,
    };
    // Of a float. The bits of the mantissa are below those of the exponent, the sign is above. With
    // 8 bits of exponent in 8 bits there is no sign. Without exponent, a number is an integer of
    // two's complement / 2^bias.
    struct FloatFields {
        uint32_t exponentBits;
        uint32_t bias;
        Specials specials;
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
    DeviceFeatures::Feature feature = nullptr;
    // FP Encoding of its type; nullopt: an integer, or a float of IEEE 754.
    std::optional<spv::FPEncoding> encoding = {};
    FloatFields fields = {};
    // How matrices hold components, if in another form than memory does; else null.
    const NumberForm* form = nullptr;

    bool isFloat() const { return kind == NumberKind::kFloat; }
    // Whether it is an 8-bit float that is unpacked to f16.
    bool isSmallFloat() const { return isFloat() && bits == 8 && isArithmetic(); }
    // Whether matrices and vectors have such components; formats of SPV_EXT_ocp_microscaling_types
    // are only moved, and converted to others.
    bool isArithmetic() const { return computedBits != 0; }
    bool isHalf() const { return type == ComponentType::kFloat16; }
    bool hasSign() const { return bits > fields.exponentBits; }  // for floats
    bool hasInfinity() const { return fields.specials == Specials::kIeee; }
    uint32_t mantissaBits() const { return bits - (hasSign() ? 1 : 0) - fields.exponentBits; }
    bool isSigned() const { return kind == NumberKind::kSigned; }  // for integers
    uint32_t bytes() const { return bits / 8; }
    // Of the integers that take its place if the device lacks it.
    uint32_t storedBits() const { return std::max(bits, 8u); }
    bool isSupportedBy(const DeviceFeatures& device) const {
        return feature == nullptr || device.has(feature);
    }
};

// The two low bytes of a u32 as f16: moves exponent and mantissa to the positions in f16, and
// multiplies by a power of two if the bias is smaller than that of f16.
Id smallFloatPair(Emitter& emit, const Number::FloatFields& fields, Id bytes);
// The same for bytes 1 and 3, in fewer instructions. The other bytes do not matter.
Id smallFloatsOfOddBytes(Emitter& emit, const Number::FloatFields& fields, Id word);

// Denormals of an 8-bit float and f16, two at once, without denormals of f16: `base`, whose last
// bit is their unit, plus a denormal has its bits as the lowest ones of the mantissa.
struct DenormalSum {
    DenormalSum(Emitter& emit, const Number::FloatFields& fields);

    uint32_t mantissa, lost;  // bits that the format has, and those that f16 has beside them
    Id pair = 0, base = 0;    // the type of two f16, and a constant of it
    uint32_t baseBits = 0;
    uint32_t rebias = 0;  // what the exponent of a normal number in f16 has more, in place
};
// The same 16 bits in both halves of a u32.
constexpr uint32_t both(uint32_t half) { return half << 16 | half; }

std::span<const Number> allNumbers();
// nullptr if there is no such format.
const Number* findNumber(ComponentType type);
// The shape with factors as the driver's matrices hold them: 8-bit floats as f16.
MatrixShape heldShape(MatrixShape shape);
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

// The values of floats' bits, for constants and for code that handles bits.

// NaN keeps its sign and nothing else.
double valueOf(const Number& number, uint64_t bits);
// The nearest number, rounded to even; NaN stays NaN. Values beyond the largest one become
// infinity, or NaN if the format has none; with `saturates` the largest one.
uint64_t bitsOf(const Number& number, double value, bool saturates);

// For formats of up to 32 bits. All bits below the sign.
uint32_t magnitudeMask(const Number& number);
// What is beyond the largest finite number, whose bits are one less.
uint32_t overflowOf(const Number& number);
// The bits that a conversion of NaN gives beside its sign. SPV_EXT_float8 leaves that sign open:
// E4M3 has the one NaN that RDNA 4 gives, which is negative, since programs compare its bits.
uint32_t convertedNanOf(const Number& number);

// The multiply-adds of products.

// a * b + sum, where all have the type of `sum`: a float, or a vector of floats.
//
// NVIDIA's compiler splits a chain of these into two chains, and adds their sums: an instruction
// more for each four. The decoration prevents this (docs/developers/benchmarks.md, "Chains of
// multiply-adds").
//
// `isExact`: the products are numbers of this type (those of f16 in f32). Else devices may round
// them or not, as they like.
inline Id fusedMultiplyAdd(Emitter& emit, const DevicePlan& device, Id a, Id b, Id sum,
                           bool isExact) {
    if (device.hasSameNumerics && !isExact) {
        const Id type = emit.typeOf(sum);
        return emit.op(OpFAdd, type, {emit.op(OpFMul, type, {a, b}), sum});
    }
    const Id result = emit.glsl(GLSLstd450Fma, emit.typeOf(sum), {a, b, sum});
    if (device.forbidsContraction) forbidContraction(emit.module(), result);
    return result;
}

// Converts components between memory, which is read and written as scalars of any type, and the
// scalars that hold them in matrices. Both have the same bits unless the format has a NumberForm.

struct NumberForm {
    uint32_t heldBits;  // width of the scalars that hold components
    // They implement the functions below.
    std::vector<Slot> (*unpack)(Emitter&, const Number&, std::span<const Slot> memory,
                                Id memoryScalar, Id held);
    std::vector<Slot> (*pack)(Emitter&, const Number&, std::span<const Slot> components, Id held,
                              Id memoryScalar);
    Slot (*pick)(Emitter&, const Number&, Id scalar, Id index, Id held);
    Id (*bits)(Emitter&, const Number&, const Slot& component, Id held);
    // Null: components have no sign to extend.
    Id (*extended)(Emitter&, Id value, bool isSigned) = nullptr;
};

// 4-bit integers: two in a byte of memory, the first in the lower bits (SPV_INTEL_int4, "Memory
// Layout"); held as 8-bit integers.
extern const NumberForm kFourBits;
// 8-bit floats: one in a byte of memory; held as f16, which has all their values.
extern const NumberForm kSmallFloats;

// The width and the type of the scalars that hold components of a type in matrices.
uint32_t heldBits(const TypeTable& types, Id component);
Id heldType(TypeTable& types, Id component);

// The components in memory scalars, and the memory scalars of components.
std::vector<Slot> unpackComponents(Emitter& emit, const Number& number,
                                   std::span<const Slot> memory, Id memoryScalar, Id held);
std::vector<Slot> packComponents(Emitter& emit, const Number& number,
                                 std::span<const Slot> components, Id held, Id memoryScalar);
// Components of one format as those of another that have the same bits in memory.
std::vector<Slot> castComponents(Emitter& emit, const Number& from, const Number& to,
                                 std::span<const Slot> components, Id heldFrom, Id heldTo);
// A word of four bytes.
struct FourBytes {
    Id word;
    bool areSigned;
};
// The sum of four products, by an instruction for that.
Id byteDot(Emitter& emit, Id type, FourBytes a, FourBytes b);
// The component with a dynamic index (u32) in a memory scalar.
Slot pickComponent(Emitter& emit, const Number& number, Id scalar, Id index, Id held);
// The bits of a component in memory, zero extended to a u32. It has 32 bits at most.
Id componentBits(Emitter& emit, const Number& number, const Slot& component, Id held);
// A scalar or vector of held components, read as signed or unsigned integers.
Id withSign(Emitter& emit, const Number& number, Id value, bool isSigned);

// The instructions of SPV_QCOM_cooperative_matrix_conversion on one-dimensional arrays of numbers.

struct NumberArray {
    Id type = 0;
    Id element = 0;  // 0: the type is not such an array
    uint32_t length = 0;
};
NumberArray numberArray(const LoweringContext& context, Id type);

// Whether such an array, or a matrix that becomes one, may have elements of this scalar type: no
// bfloat16 and no 8-bit floats. If not, fails.
bool requireDefaultEncoding(LoweringContext& context, const Instruction& at, Id scalar);

void lowerBitCastArray(LoweringContext& context, Emitter& emit, const Instruction& cast);
void lowerExtractSubArray(LoweringContext& context, Emitter& emit, const Instruction& extract);

}  // namespace coopvk::rewrite
