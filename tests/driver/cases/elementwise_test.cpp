// SPDX-License-Identifier: Apache-2.0
//
// Element-wise instructions on whole matrices: arithmetic, times scalar, conversions between all
// component types, bitcasts. Written in assembly, one instruction a test.
#include <gtest/gtest.h>

#include <cmath>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/covering.hpp"
#include "harness/halves.hpp"
#include "harness/listed.hpp"
#include "harness/precision.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::elementwise_test {
namespace {

constexpr uint32_t kRows = 8, kColumns = 8, kTile = kRows * kColumns;

enum class Operand { kNone, kMatrix, kScalar };

struct Case {
    std::string_view opcode;
    Component from, to;
    Use use;
    Operand second = Operand::kNone;
    uint32_t tiles = 4;
};

std::string caseName(const Case& c) {
    return std::string(c.opcode.substr(2)) + "_" + std::string(name(c.from)) + "_" +
           std::string(name(c.to)) + "_" + "ABC"[static_cast<int>(c.use)];
}

// One workgroup a tile: c = op(a), op(a, b) or op(a, b[0]).
Words shader(const Case& c) {
    Assembly a;
    a.buffers = {scalars("a", c.from), scalars("b", c.from), scalars("c", c.to)};
    a.declarations = matrixType("From", c.from, kRows, kColumns, c.use);
    if (c.to != c.from) a.declarations += matrixType("To", c.to, kRows, kColumns, c.use);
    a.body = substitute(R"(
%pgroup = OpAccessChain %in_u32 %group %c_0
%g = OpLoad %u32 %pgroup
%offset = OpIMul %u32 %g %c_64
%pa = OpAccessChain %sb_${from} %a %c_0 %offset
%pb = OpAccessChain %sb_${from} %b %c_0 %offset
%pscalar = OpAccessChain %sb_${from} %b %c_0 %c_0
%pc = OpAccessChain %sb_${to} %c %c_0 %offset
%x = OpCooperativeMatrixLoadKHR %From %pa %c_0 %c_8
)",
                        {{"from", std::string(name(c.from))}, {"to", std::string(name(c.to))}});
    if (c.second == Operand::kMatrix)
        a.body += "%y = OpCooperativeMatrixLoadKHR %From %pb %c_0 %c_8\n";
    if (c.second == Operand::kScalar)
        a.body += "%y = OpLoad %" + std::string(name(c.from)) + " %pscalar\n";
    a.body += "%z = " + std::string(c.opcode) + (c.to != c.from ? " %To" : " %From") + " %x" +
              (c.second != Operand::kNone ? " %y" : "") +
              "\nOpCooperativeMatrixStoreKHR %pc %z %c_0 %c_8\n";
    return assemble(a);
}

double floatOp(std::string_view opcode, double x, double y) {
    if (opcode == "OpFNegate") return -x;
    if (opcode == "OpFAdd") return x + y;
    if (opcode == "OpFSub") return x - y;
    if (opcode == "OpFDiv") return x / y;
    return x * y;  // OpFMul, OpMatrixTimesScalar
}

Wide integerOp(std::string_view opcode, Wide x, Wide y) {
    if (opcode == "OpSNegate") return -x;
    if (opcode == "OpIAdd") return x + y;
    if (opcode == "OpISub") return x - y;
    if (opcode == "OpSDiv" || opcode == "OpUDiv") return x / y;
    return static_cast<Wide>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
}

// Whether the result is one that Vulkan allows. Adding and multiplying round correctly; divisions
// have the reference device's interval; denormals may count as zero, those of 16 bits where the
// device says so.
bool acceptable(const Case& c, uint64_t x, uint64_t y, uint64_t got) {
    const Component type = c.to;
    if (!info(type).isFloat()) {
        const uint64_t want =
            wrap(static_cast<uint64_t>(integerOp(c.opcode, toInteger(type, x), toInteger(type, y))),
                 info(type).bits());
        return got == want;
    }
    const double a = toDouble(type, x), b = toDouble(type, y);
    const bool mayFlush = type != Component::kF16 || mayFlushHalves();
    if (c.opcode == "OpFDiv" && !divisionIsDefined(type, b)) return true;
    for (int flushInput = 0; flushInput <= mayFlush; ++flushInput) {
        const double left = flushInput ? flush(type, a) : a,
                     right = flushInput ? flush(type, b) : b;
        const double result = floatOp(c.opcode, left, right);
        const uint64_t want = fromDouble(type, result);
        if (same(type, got, want)) return true;
        if (type == Component::kF16 && isTruncatedHalf(got, want, result)) return true;
        if (mayFlush && same(type, got, fromDouble(type, flush(type, result)))) return true;
        if (c.opcode != "OpFDiv" || isNan(type, got) || isNan(type, want)) continue;
        if (permittedQuotient(type, left, right).contains(toDouble(type, got))) return true;
        if (mayFlush && toDouble(type, got) == 0 && flush(type, result) == 0) return true;
    }
    return false;
}

void runArithmetic(const Case& c) {
    COOPVK_REQUIRE(c.from);
    Rng rng(caseName(c));
    const uint32_t count = c.tiles * kTile;
    Matrix a(c.from, 1, count), b(c.from, 1, count);
    const auto fill = [&](Matrix& m, Fill kind, uint32_t first, uint32_t length) {
        const Matrix part = randomMatrix(rng, c.from, 1, length, kind);
        std::copy(part.elements.begin(), part.elements.end(), m.elements.begin() + first);
    };
    // Half of them ordinary numbers, half of them any bits.
    for (Matrix* m : {&a, &b}) {
        fill(*m, Fill::kUnit, 0, count / 2);
        fill(*m, Fill::kBits, count / 2, count - count / 2);
    }
    const bool divides = c.opcode == "OpSDiv" || c.opcode == "OpUDiv";
    for (uint32_t i = 0; i < count && divides; ++i) {
        // Division by zero and the one overflow are undefined; a few small divisors.
        if (i % 3 == 0) b.elements[i] = wrap(static_cast<uint64_t>(rng.range(1, 9)), 64);
        const Wide y = toInteger(c.from, b.elements[i]);
        if (y == 0 || y == -1) b.elements[i] = 3;
    }
    Dispatch dispatch;
    dispatch.buffers = {pack(a), pack(b), rng.bytes(pack(Matrix(c.to, 1, count)).size())};
    dispatch.groups = {c.tiles, 1, 1};
    const Matrix got = unpack(c.to, 1, count, run(shader(c), dispatch)[2]);
    int wrong = 0;
    for (uint32_t i = 0; i < count && wrong < 5; ++i) {
        const uint64_t y = b.elements[c.second == Operand::kScalar ? 0 : i];
        if (acceptable(c, a.elements[i], y, got.elements[i]) || ++wrong > 5) continue;
        ADD_FAILURE() << "element " << i << ": " << c.opcode << std::hex << " 0x" << a.elements[i]
                      << " 0x" << y << " gave 0x" << got.elements[i];
    }
}

// Whether a denormal number of the type may count as zero in a conversion between floats: those
// that are as small as those of binary32 anywhere; halves where the device says so; there also
// E5M2, but for conversions to halves (VK_EXT_shader_float8: "Subnormals are always preserved when
// converting FP8 values to IEEE 754 binary 16. In all other cases, subnormals may be flushed to
// zero").
bool mayFlush(Component type, Component other) {
    if (type == Component::kE5M2) return other != Component::kF16 && mayFlushHalves();
    return type == Component::kF16 ? mayFlushHalves() : floatFormat(type).exponentBits >= 8;
}

// Whether the device may make these bits of a number: it rounds correctly, and flushes denormals
// where it may.
bool acceptableConversion(const Case& c, uint64_t from, uint64_t got) {
    const uint64_t want = c.opcode == "OpBitcast" ? from : convert(c.to, c.from, from);
    if (same(c.to, got, want)) return true;
    if (!info(c.to).isFloat()) return false;
    const bool ofFloats = info(c.from).isFloat();
    const double exact =
        ofFloats ? toDouble(c.from, from) : static_cast<double>(toInteger(c.from, from));
    if (c.to == Component::kF16 && isTruncatedHalf(got, want, exact)) return true;
    if (!ofFloats || toDouble(c.to, got) != 0) return false;
    return (mayFlush(c.from, c.to) && flush(c.from, exact) == 0) ||
           (mayFlush(c.to, c.from) && flush(c.to, toDouble(c.to, want)) == 0);
}

// Whether SPIR-V defines what the conversion gives.
bool defined(Component to, Component from, uint64_t bits) {
    const ComponentInfo& target = info(to);
    if (info(from).isFloat() && !target.isFloat()) {
        const double value = std::trunc(toDouble(from, bits));
        const double high = std::ldexp(1.0, static_cast<int>(target.bits()) - target.isSigned());
        return value >= (target.isSigned() ? -high : 0) && value < high;  // false for NaN
    }
    if (to == Component::kF16 && !info(from).isFloat()) {
        const Wide value = toInteger(from, bits);
        return value <= 65504 && value >= -65504;
    }
    return true;
}

// Random numbers that make rounding and ranges matter.
bool hasFewPatterns(Component type) { return info(type).isFloat() && info(type).bytes <= 2; }

uint64_t conversionInput(Rng& rng, Component from, Component to, uint32_t index) {
    if (hasFewPatterns(from)) return index;
    uint64_t bits = wrap(rng.next(), info(from).bits());
    if (info(from).isFloat()) {
        if (hasFewPatterns(to) && index % 4) {
            // Near halfway between two numbers, also denormal ones; a double has a value that f32
            // can represent, since some drivers convert through f32.
            double number = 0;
            do {
                number = toDouble(to, wrap(rng.next(), info(to).bits()));
            } while (!std::isfinite(number));
            const double next = toDouble(to, fromDouble(to, number) + 1);
            const double middle = std::isfinite(next) ? (number + next) / 2 : number;
            bits = fromDouble(Component::kF32, middle) + static_cast<uint64_t>(rng.range(-1, 1));
            if (from == Component::kF64) bits = fromDouble(from, toDouble(Component::kF32, bits));
        } else if (!info(to).isFloat()) {
            const double range = std::ldexp(1.0, static_cast<int>(info(to).bits()) - 1);
            bits = fromDouble(from, (rng.unit() * 2 - 1) * (index % 2 ? range : 100));
        }
    } else if (to == Component::kF16 && index % 2) {
        bits = wrap(bits, 16);
    }
    return bits;
}

void runConversion(const Case& c) {
    for (Component type : {c.from, c.to}) COOPVK_REQUIRE(type);
    COOPVK_REQUIRE(
        (NeededMatrices{{c.from, kRows, kColumns, c.use}, {c.to, kRows, kColumns, c.use}}));
    Rng rng(caseName(c));
    const uint32_t count = c.tiles * kTile;
    Matrix a(c.from, 1, count);
    for (uint32_t i = 0; i < count; ++i) {
        a.elements[i] = wrap(conversionInput(rng, c.from, c.to, i), info(c.from).bits());
        if (!defined(c.to, c.from, a.elements[i])) a.elements[i] = 0;
    }
    Dispatch dispatch;
    dispatch.buffers = {pack(a), Bytes(16), rng.bytes(pack(Matrix(c.to, 1, count)).size())};
    dispatch.groups = {c.tiles, 1, 1};
    const Matrix got = unpack(c.to, 1, count, run(shader(c), dispatch)[2]);
    int wrong = 0;
    for (uint32_t i = 0; i < count && wrong < 5; ++i) {
        const uint64_t x = a.elements[i];
        if (acceptableConversion(c, x, got.elements[i])) continue;
        ++wrong;
        ADD_FAILURE() << "element " << i << ": " << c.opcode << " " << name(c.from) << std::hex
                      << " 0x" << x << " gave " << name(c.to) << " 0x" << got.elements[i]
                      << ", want 0x" << convert(c.to, c.from, x);
    }
}

std::vector<Case> arithmetic() {
    struct Row {
        std::string_view opcode;
        Operand second;
        bool floats, signedInts, unsignedInts;
    };
    constexpr Row kTable[] = {
        {"OpFNegate", Operand::kNone, true, false, false},
        {"OpFAdd", Operand::kMatrix, true, false, false},
        {"OpFSub", Operand::kMatrix, true, false, false},
        {"OpFMul", Operand::kMatrix, true, false, false},
        {"OpFDiv", Operand::kMatrix, true, false, false},
        {"OpSNegate", Operand::kNone, false, true, true},
        {"OpIAdd", Operand::kMatrix, false, true, true},
        {"OpISub", Operand::kMatrix, false, true, true},
        {"OpIMul", Operand::kMatrix, false, true, true},
        {"OpSDiv", Operand::kMatrix, false, true, false},
        {"OpUDiv", Operand::kMatrix, false, false, true},
        {"OpMatrixTimesScalar", Operand::kScalar, true, true, true},
    };
    std::vector<Case> cases;
    uint32_t turn = 0;
    for (const Row& row : kTable)
        for (const ComponentInfo& type : allComponents()) {
            const bool fits = type.kind == Kind::kFloat    ? row.floats
                              : type.kind == Kind::kSigned ? row.signedInts
                                                           : row.unsignedInts;
            if (!fits || !type.hasArithmetic()) continue;
            // f16 for every use, the rest in turn.
            const uint32_t only = turn++ % 3;
            for (Use use : kAllUses)
                if (type.type == Component::kF16 || only == static_cast<uint32_t>(use))
                    cases.push_back({row.opcode, type.type, type.type, use, row.second});
        }
    return cases;
}

std::string_view conversionOpcode(const ComponentInfo& from, const ComponentInfo& to) {
    if (from.isFloat())
        return to.isFloat() ? "OpFConvert" : to.isSigned() ? "OpConvertFToS" : "OpConvertFToU";
    if (to.isFloat()) return from.isSigned() ? "OpConvertSToF" : "OpConvertUToF";
    if (from.bytes == to.bytes) return "OpBitcast";
    return from.isSigned() ? "OpSConvert" : "OpUConvert";
}

std::vector<Case> conversions() {
    std::vector<Case> cases;
    uint32_t turn = 0;
    for (const ComponentInfo& from : allComponents()) {
        for (const ComponentInfo& to : allComponents()) {
            if (from.type == to.type) continue;
            const std::string_view opcode = conversionOpcode(from, to);
            // OpUConvert's result type is unsigned.
            if (opcode == "OpUConvert" && to.isSigned()) continue;
            const bool all = from.type == Component::kF16 && to.type == Component::kF32;
            const uint32_t only = turn++ % 3;
            for (Use use : kAllUses)
                if (all || only == static_cast<uint32_t>(use))
                    cases.push_back({opcode, from.type, to.type, use, Operand::kNone,
                                     hasFewPatterns(from.type) && from.bytes == 2 ? 1024u : 16u});
        }
    }
    return cases;
}

void PrintTo(const Case& c, std::ostream* out) { *out << caseName(c); }
const auto kName = [](const auto& param) { return caseName(param.param); };

std::vector<Case> few(const std::vector<Case>& cases) {
    return covering(cases, [](const Case& c) { return factors(c.opcode, c.from, c.to, c.use); });
}

class ElementWise : public testing::TestWithParam<Case> {};
class Conversion : public testing::TestWithParam<Case> {};
TEST_P(ElementWise, EveryElement) { runArithmetic(GetParam()); }
TEST_P(Conversion, EveryElement) { runConversion(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, ElementWise, testing::ValuesIn(few(arithmetic())), kName);
INSTANTIATE_TEST_SUITE_P(All, Conversion, testing::ValuesIn(few(conversions())), kName);

}  // namespace
}  // namespace coopvk::test::elementwise_test
