// SPDX-License-Identifier: Apache-2.0
//
// One table of opcodes: who executes an instruction. Each family of instructions has a function
// that returns its rows. SPIRV-Tools knows the operands' shapes. Then handlers for the table that
// compute each component of the result from the same component of each operand, by an operation on
// numbers.
#pragma once

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "execution/frame.hpp"

namespace coopvk::reference {

// In which lanes and components a result is defined.
enum class Defined : uint8_t {
    kHandler,        // the handler says so
    kComponentwise,  // component i: where component i of all operands with a value is; an operand
                     // of one component counts for all
    kAll,            // where all components of all operands are
    kAlways,
};

// Optional: chooses another handler, or prepares data, once operands and types are resolved.
using Prepare = Status (*)(Program&, Instruction&);

struct OpcodeRow {
    uint32_t opcode = 0;  // of the core; of an extended set: its number behind that of the set
    Handler handler = nullptr;
    Defined defined = Defined::kHandler;
    Prepare prepare = nullptr;
};
using Rows = std::span<const OpcodeRow>;

// Opcodes of the core have 16 bits.
inline constexpr uint32_t kGlslSet = 1u << 16, kPrintfSet = 2u << 16;

constexpr OpcodeRow row(spv::Op opcode, Handler handler, Defined defined = Defined::kHandler,
                        Prepare prepare = nullptr) {
    return {uint32_t(opcode), handler, defined, prepare};
}
constexpr OpcodeRow row(GLSLstd450 number, Handler handler, Defined defined = Defined::kHandler,
                        Prepare prepare = nullptr) {
    return {kGlslSet + uint32_t(number), handler, defined, prepare};
}
// A row whose result is defined by component.
template <typename Opcode>
constexpr OpcodeRow each(Opcode opcode, Handler handler, Prepare prepare = nullptr) {
    return row(opcode, handler, Defined::kComponentwise, prepare);
}

// Null: not executed by this device.
const OpcodeRow* findRow(spv::Op opcode);
// Of an extended instruction set, by its name.
const OpcodeRow* findRow(std::string_view set, uint32_t number);

// The families, each in a file of its own.
Rows controlRows();     // branches, calls, returns, barriers, and hints that do nothing
Rows compositeRows();   // composites, vectors, copies, selection
Rows integerRows();     // arithmetic, bits and comparisons of integers, booleans
Rows floatRows();       // arithmetic and comparisons of floating-point numbers
Rows conversionRows();  // between numbers, of bits, and numbers packed in words
Rows linearRows();      // vectors and matrices of linear algebra
Rows subgroupRows();    // subgroups: arithmetic, votes, ballots, shuffles
Rows printRows();       // NonSemantic.DebugPrintf

// In memory/.
Rows chainRows();   // access chains and what else computes pointers
Rows accessRows();  // loads, stores and copies, lengths of arrays
Rows atomicRows();

// Cooperative matrices and vectors, in matrices/.
Rows matrixRows();        // products, reductions, conversions of use, calls, arrays
Rows matrixMemoryRows();  // loads and stores
Rows tensorRows();        // tensor layouts and views
Rows vectorRows();        // cooperative vectors, training
Rows blockRows();         // 2D block I/O
// For OpFConvert, OpConvertFToS and so on: a cooperative matrix whose use changes, or that is
// transposed, is converted as a whole.
Status prepareConversion(Program& program, Instruction& instruction);

// Calls f(component, lane, bits of operands...) for each component of the result and each active
// lane. Operands of one component count for all.
template <size_t kCount, typename F>
inline void forComponents(Subgroup& s, const Instruction& i, F&& f) {
    std::array<Value, kCount> from;
    for (uint32_t n = 0; n < kCount; ++n) from[n] = s.operand(i, n);
    for (uint32_t c = 0; c < i.type->components; ++c) {
        std::array<const uint64_t*, kCount> at;
        for (uint32_t n = 0; n < kCount; ++n)
            at[n] = from[n].component(from[n].components() > 1 ? c : 0);
        [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
            forLanes(s, [&](uint32_t lane) { f(c, lane, at[kIndex][lane]...); });
        }(std::make_index_sequence<kCount>());
    }
}

// Stores op(bits of operands...).
template <size_t kCount, typename Op>
inline Step mapComponents(Subgroup& s, const Instruction& i, Op&& op) {
    const Value result = s.result(i);
    forComponents<kCount>(s, i, [&](uint32_t c, uint32_t lane, auto... bits) {
        result.at(c, lane) = uint64_t(op(bits...));
    });
    return Step::kNext;
}

// How many operands of type T an operation has, behind those of the types First.
template <typename Op, typename T, typename... First>
constexpr size_t arityOf() {
    if constexpr (std::is_invocable_v<Op, First..., T>)
        return 1;
    else
        return 1 + arityOf<Op, T, First..., T>();
}

// Integers: op(width of the first operand, bits...). The result keeps the bits of its width.
template <size_t kCount, typename Op>
inline Step mapIntegers(Subgroup& s, const Instruction& i, Op&& op) {
    const uint32_t width = scalarOf(*s.operand(i, 0).type).width;
    const uint64_t mask = lowBits(scalarOf(*i.type).width);
    return mapComponents<kCount>(s, i,
                                 [&](auto... bits) { return uint64_t(op(width, bits...)) & mask; });
}
// Handlers by an operation on integers: of (uint32_t width, uint64_t bits...), of numbers extended
// by zeros, of numbers extended by their signs.
template <auto kOp>
Step onBits(Subgroup& s, const Instruction& i) {
    return mapIntegers<arityOf<decltype(kOp), uint64_t, uint32_t>()>(s, i, kOp);
}
template <auto kOp>
Step onUnsigned(Subgroup& s, const Instruction& i) {
    return mapIntegers<arityOf<decltype(kOp), uint64_t>()>(
        s, i, [](uint32_t, auto... bits) { return kOp(bits...); });
}
template <auto kOp>
Step onSigned(Subgroup& s, const Instruction& i) {
    return mapIntegers<arityOf<decltype(kOp), int64_t>()>(
        s, i, [](uint32_t width, auto... bits) { return kOp(signExtend(bits, width)...); });
}

// Notes the components whose result the specification leaves undefined: outside(width, bits...)
// says why, null if it is defined. Then the handler executes.
template <auto kOutside, Handler kHandler>
Step checked(Subgroup& s, const Instruction& i) {
    if (s.checks(kCheckDomain)) {
        const uint32_t width = scalarOf(*s.operand(i, 0).type).width;
        forComponents<arityOf<decltype(kOutside), uint64_t, uint32_t>()>(
            s, i, [&](uint32_t c, uint32_t lane, auto... bits) {
                if (const char* what = kOutside(width, bits...)) s.noteOutside(i, c, lane, what);
            });
    }
    return kHandler(s, i);
}

// How the device computes with a floating-point type: in float or double, without a second rounding
// that could differ (f16 and bf16 in float: 24 bits are at least twice their bits plus 2).
template <typename Float, typename Bits, typename Computed = Float>
struct Native {
    using Compute = Computed;
    static Compute from(uint64_t bits) { return Compute(std::bit_cast<Float>(Bits(bits))); }
    static uint64_t to(Compute value) { return std::bit_cast<Bits>(Float(value)); }
};
using Half = Native<_Float16, uint16_t, float>;
using Single = Native<float, uint32_t>;
using Double = Native<double, uint64_t>;

// The format of a scalar type, of integers with this signedness instead of their type's.
inline numbers::Number numberOf(const Type& scalar, bool isSigned) {
    using numbers::Number;
    if (scalar.kind == Kind::kFloat) return scalar.number;
    if (scalar.kind == Kind::kBool) return Number::u8;
    return numbers::integerOf(scalar.width, isSigned).value_or(Number::u32);
}
inline numbers::Number numberOf(const Type& scalar) { return numberOf(scalar, scalar.isSigned); }

// Any format, rounding and flushing: exact, and slower.
class General {
 public:
    using Compute = double;
    General(const Program& program, const Type& scalar)
        : number_(numberOf(scalar)), controls_(program.controls(scalar.width)) {}
    double from(uint64_t bits) const { return numbers::decodeDouble(number_, flushed(bits)); }
    uint64_t to(double value) const {
        return flushed(numbers::encodeDouble(number_, value, controls_.rounding));
    }

 private:
    uint64_t flushed(uint64_t bits) const {
        if (!controls_.flushDenorms) return bits;
        const numbers::Format& format = numbers::format(number_);
        const uint64_t exponent = lowBits(format.exponentBits) << format.mantissaBits;
        return (bits & exponent) != 0 ? bits : bits & (uint64_t{1} << (format.bits - 1));
    }

    numbers::Number number_;
    const FloatControls& controls_;
};

// Calls f with Single, Half, Double or General, as the scalar type and the program's modes need.
template <typename F>
inline auto withFormat(const Program& program, const Type& scalar, F&& f) {
    const FloatControls& controls = program.controls(scalar.width);
    const bool plain = scalar.kind == Kind::kFloat && scalar.number <= numbers::Number::f64 &&
                       !controls.flushDenorms;
    if (plain && scalar.width == 32) return f(Single{});
    if (plain && scalar.width == 64) return f(Double{});
    if (plain && controls.rounding == numbers::Rounding::nearestEven) return f(Half{});
    return f(General(program, scalar));
}

// The same for floating-point numbers: results of the operands' type; the same, computed in double
// and rounded; results that are bits of another type.
template <auto kOp>
Step onFloats(Subgroup& s, const Instruction& i) {
    return withFormat(*s.program, scalarOf(*i.type), [&](auto format) {
        using Compute = typename decltype(format)::Compute;
        return mapComponents<arityOf<decltype(kOp), double>()>(
            s, i, [&](auto... bits) { return format.to(Compute(kOp(format.from(bits)...))); });
    });
}
template <auto kOp>
Step onDoubles(Subgroup& s, const Instruction& i) {
    if constexpr (arityOf<decltype(kOp), double>() == 1)
        return onFloats<[](auto a) { return kOp(double(a)); }>(s, i);
    else
        return onFloats<[](auto a, auto b) { return kOp(double(a), double(b)); }>(s, i);
}
template <auto kOp>
Step fromFloats(Subgroup& s, const Instruction& i) {
    return withFormat(*s.program, scalarOf(*s.operand(i, 0).type), [&](auto format) {
        return mapComponents<arityOf<decltype(kOp), double>()>(
            s, i, [&](auto... bits) { return kOp(format.from(bits)...); });
    });
}

// Operations on two numbers, and of two scalars of a type, as bits: for subgroups and atomics.
namespace operations {

using Combine = uint64_t (*)(const Program&, const Type& scalar, uint64_t, uint64_t);

template <auto kOp>
uint64_t combineBits(const Program&, const Type& type, uint64_t a, uint64_t b) {
    return uint64_t(kOp(a, b)) & lowBits(type.width);
}
template <auto kOp>
uint64_t combineSigned(const Program&, const Type& type, uint64_t a, uint64_t b) {
    return uint64_t(kOp(signExtend(a, type.width), signExtend(b, type.width))) &
           lowBits(type.width);
}
template <auto kOp>
uint64_t combineFloats(const Program& program, const Type& type, uint64_t a, uint64_t b) {
    return withFormat(program, type, [&](auto format) {
        using Compute = typename decltype(format)::Compute;
        return format.to(Compute(kOp(format.from(a), format.from(b))));
    });
}

inline constexpr auto add = [](auto a, auto b) { return a + b; };
inline constexpr auto subtract = [](auto a, auto b) { return a - b; };
inline constexpr auto multiply = [](auto a, auto b) { return a * b; };
inline constexpr auto least = [](auto a, auto b) { return std::min(a, b); };
inline constexpr auto most = [](auto a, auto b) { return std::max(a, b); };
// Of a number and NaN the number.
inline constexpr auto leastFloat = [](auto a, auto b) { return std::fmin(a, b); };
inline constexpr auto mostFloat = [](auto a, auto b) { return std::fmax(a, b); };
inline constexpr auto bitAnd = [](auto a, auto b) { return a & b; };
inline constexpr auto bitOr = [](auto a, auto b) { return a | b; };
inline constexpr auto bitXor = [](auto a, auto b) { return a ^ b; };
inline constexpr auto equal = [](auto a, auto b) { return a == b; };
inline constexpr auto notEqual = [](auto a, auto b) { return a != b; };
inline constexpr auto less = [](auto a, auto b) { return a < b; };
inline constexpr auto lessEqual = [](auto a, auto b) { return a <= b; };
inline constexpr auto greater = [](auto a, auto b) { return a > b; };
inline constexpr auto greaterEqual = [](auto a, auto b) { return a >= b; };
inline constexpr auto first = [](auto a, auto) { return a; };
inline constexpr auto second = [](auto, auto b) { return b; };

}  // namespace operations

// What an instruction converts from and to, and how.
numbers::Conversion conversionOf(const Program& program, const Instruction& instruction);

}  // namespace coopvk::reference
