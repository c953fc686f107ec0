// SPDX-License-Identifier: Apache-2.0
//
// One table of opcodes: who executes an instruction. Each family of instructions has a function
// that returns its rows. SPIRV-Tools knows the operands' shapes. Then handlers for the table that
// compute each component of the result from the same component of each operand, by an operation on
// numbers.
#pragma once

#include <spirv/unified1/GLSL.std.450.h>

#include "execution/float_formats.hpp"
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
// Of all instructions that scriptOf() knows.
inline constexpr uint32_t kScripted = 3u << 16;

constexpr uint32_t numberIn(uint32_t number) { return number; }
constexpr uint32_t numberIn(spv::Op opcode) { return uint32_t(opcode); }
constexpr uint32_t numberIn(GLSLstd450 opcode) { return kGlslSet + uint32_t(opcode); }

// The value of the result; of an operand; an operand that a function does not need.
struct Out : Value {};
using In = const Value&;
struct Unused {};

// The handler of a function that takes the subgroup, an Out if it has a result, and as many
// operands as it needs. If it returns nothing, the next instruction follows.
template <auto kFunction>
struct Executed;
template <typename R, typename... Values, R (*kFunction)(Subgroup&, Values...)>
struct Executed<kFunction> {
    static Step handle(Subgroup& s) {
        [[maybe_unused]] uint32_t next = 0;
        [[maybe_unused]] const auto get = [&]<typename V>(std::type_identity<V>) -> V {
            if constexpr (std::is_same_v<V, Out>) return {s.result()};
            if constexpr (std::is_same_v<V, In>) return s.operand(next++);
            if constexpr (std::is_same_v<V, Unused>) return ++next, V{};
        };
        // Braces: from the first to the last.
        const std::tuple<Subgroup&, Values...> arguments{s, get(std::type_identity<Values>())...};
        if constexpr (!std::is_void_v<R>) return std::apply(kFunction, arguments);
        std::apply(kFunction, arguments);
        return Step::kNext;
    }
};

template <auto kFunction>
constexpr OpcodeRow row(auto opcode, Defined defined = Defined::kHandler,
                        Prepare prepare = nullptr) {
    return {numberIn(opcode), Executed<kFunction>::handle, defined, prepare};
}
// A row whose result is defined by component.
template <auto kFunction>
constexpr OpcodeRow each(auto opcode, Prepare prepare = nullptr) {
    return row<kFunction>(opcode, Defined::kComponentwise, prepare);
}

// Null: not executed by this device.
const OpcodeRow* findRow(spv::Op opcode);
// Of an instruction that lists script (stages/); null: they do not.
const OpcodeRow* scriptedRow(spv::Op opcode);
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
Rows stageRows();       // of vertices and fragments, in stages/

// In memory/.
Rows chainRows();   // access chains and what else computes pointers
Rows accessRows();  // loads, stores and copies, lengths of arrays
Rows atomicRows();
Rows imageRows();  // images and samplers, in images/
// OpLoad of an image or a sampler.
void loadDescriptor(Subgroup& s, Out result, In pointer);

// Cooperative matrices and vectors, in matrices/.
Rows matrixRows();        // products, reductions, conversions of use, calls, arrays
Rows matrixMemoryRows();  // loads and stores
Rows tensorRows();        // tensor layouts and views
Rows vectorRows();        // cooperative vectors, training
Rows blockRows();         // 2D block I/O
// For OpFConvert, OpConvertFToS and so on: a cooperative matrix whose use changes, or that is
// transposed, is converted as a whole.
Status prepareConversion(Program& program, Instruction& instruction);

// The lanes whose values a reduction or scan of the subgroup combines for a lane.
LaneMask contributors(const Subgroup& s, uint32_t lane);

// Calls f(component, lane, bits of operands...) for each component of the result and each active
// lane. Operands of one component count for all.
template <size_t kCount, typename F>
inline void forComponents(Subgroup& s, F&& f) {
    std::array<const Value*, kCount> from;
    for (uint32_t n = 0; n < kCount; ++n) from[n] = &s.operand(n);
    for (uint32_t c = 0; c < s.type().components; ++c) {
        std::array<const uint64_t*, kCount> at;
        for (uint32_t n = 0; n < kCount; ++n)
            at[n] = from[n]->component(from[n]->components() > 1 ? c : 0);
        [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
            forLanes(s, [&](uint32_t lane) { f(c, lane, at[kIndex][lane]...); });
        }(std::make_index_sequence<kCount>());
    }
}

// Stores op(bits of operands...).
template <size_t kCount, typename Op>
inline void mapComponents(Subgroup& s, Op&& op) {
    const Value& result = s.result();
    forComponents<kCount>(s, [&](uint32_t c, uint32_t lane, auto... bits) {
        result.at(c, lane) = uint64_t(op(bits...));
    });
}

// How many operands of type T an operation has, behind those of the types First.
template <typename Op, typename T, typename... First>
constexpr size_t arityOf() {
    if constexpr (std::is_invocable_v<Op, First..., T>)
        return 1;
    else
        return 1 + arityOf<Op, T, First..., T>();
}

// Notes the components whose result the specification leaves undefined: outside(width, bits...)
// says why, null if it is defined. Then the function executes.
template <auto kOutside, auto kFunction>
void checked(Subgroup& s) {
    const uint32_t width = scalarOf(*s.operand(0).type).width;
    if (s.checks(kCheckDomain))
        forComponents<arityOf<decltype(kOutside), uint64_t, uint32_t>()>(
            s, [&](uint32_t c, uint32_t lane, auto... bits) {
                if (const char* what = kOutside(width, bits...)) s.noteOutside(c, lane, what);
            });
    kFunction(s);
}

// Integers of a width, extended to 64 bits by zeros or by their signs. Results may have another
// one.
struct Unsigned {
    using Compute = uint64_t;
    uint32_t width, resultWidth;
    uint64_t from(uint64_t bits) const { return bits; }
    uint64_t to(auto value) const { return uint64_t(value) & lowBits(resultWidth); }
};
struct Signed : Unsigned {
    using Compute = int64_t;
    int64_t from(uint64_t bits) const { return signExtend(bits, width); }
};

// Calls f with a format for operands and results of these scalar types: kSort, or for double one of
// floating-point numbers.
template <typename Sort, typename F>
inline auto withSort(const Program& program, const Type& operand, const Type& result, F&& f) {
    if constexpr (std::is_same_v<Sort, Double>)
        return withFormat(program, operand, f);
    else
        return f(Sort{operand.width, result.width});
}

// A function on doubles, which is called. One loop serves all functions of a type, so that the
// compiler makes few.
template <typename Format, typename Result, typename... Numbers>
[[gnu::noinline]] void mapInDouble(Subgroup& s, Format format, Result (*function)(Numbers...)) {
    mapComponents<sizeof...(Numbers)>(s, [&](auto... bits) -> uint64_t {
        const Result number = function(double(format.from(bits))...);
        if constexpr (std::is_same_v<Result, bool>)
            return number;
        else
            return format.to(number);
    });
}
template <auto kOp, size_t kCount>
struct OnDoubles;
template <auto kOp>
struct OnDoubles<kOp, 1> {
    static auto call(double a) { return kOp(a); }
};
template <auto kOp>
struct OnDoubles<kOp, 2> {
    static auto call(double a, double b) { return kOp(a, b); }
};
template <auto kOp>
struct OnDoubles<kOp, 3> {
    static auto call(double a, double b, double c) { return kOp(a, b, c); }
};

// Functions for rows by an operation on numbers. Results that are bool are 0 or 1.
template <typename Sort, auto kOp>
void map(Subgroup& s) {
    const Type &operand = scalarOf(*s.operand(0).type), &result = scalarOf(s.type());
    withSort<Sort>(*s.program, operand, result, [&](auto format) {
        using Compute = typename decltype(format)::Compute;
        // Depends on the format: Clang instantiates what does not, also where it is discarded.
        constexpr size_t kCount = arityOf<decltype(kOp), Compute>();
        if constexpr (std::is_same_v<Compute, double>) {
            mapInDouble(s, format, OnDoubles<kOp, kCount>::call);  // rarely
        } else {
            mapComponents<kCount>(s, [&](auto... bits) {
                const auto number = kOp(format.from(bits)...);
                if constexpr (std::is_same_v<decltype(number), const bool>)
                    return uint64_t{number};
                else
                    return format.to(number);
            });
        }
    });
}
template <auto kOp>
constexpr auto onUnsigned = map<Unsigned, kOp>;
template <auto kOp>
constexpr auto onSigned = map<Signed, kOp>;
template <auto kOp>
constexpr auto onFloats = map<Double, kOp>;

// Operations on two numbers, and of two scalars of a type, as bits: for subgroups and atomics.
namespace operations {

template <typename Sort, auto kOp>
uint64_t combine(const Program& program, const Type& type, uint64_t a, uint64_t b) {
    return withSort<Sort>(program, type, type, [&](auto format) {
        return format.to(kOp(format.from(a), format.from(b)));
    });
}
template <auto kOp>
constexpr auto combineBits = combine<Unsigned, kOp>;
template <auto kOp>
constexpr auto combineSigned = combine<Signed, kOp>;
template <auto kOp>
constexpr auto combineFloats = combine<Double, kOp>;

inline constexpr auto add = [](auto a, auto b) { return a + b; };
inline constexpr auto subtract = [](auto a, auto b) { return a - b; };
inline constexpr auto multiply = [](auto a, auto b) { return a * b; };
inline constexpr auto least = [](auto a, auto b) { return std::min(a, b); };
inline constexpr auto most = [](auto a, auto b) { return std::max(a, b); };
// Of a number and NaN the number, also if it is a signaling NaN, for which std::fmin() gives NaN.
// GLSL.std.450 compares by <, for which zeros are equal. The conformance suite wants -0 below 0.
inline constexpr auto leastFloat = [](auto a, auto b) {
    return b < a || a != a || (a == b && std::signbit(b)) ? b : a;
};
inline constexpr auto mostFloat = [](auto a, auto b) {
    return a < b || a != a || (a == b && std::signbit(a)) ? b : a;
};
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
