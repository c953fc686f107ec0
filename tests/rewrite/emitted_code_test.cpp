// SPDX-License-Identifier: Apache-2.0
//
// What emitted code of scalars computes, for all small and many other operands. The instructions
// mean what SPIR-V says of them, and Emitter::glsl()'s what GLSL.std.450 says.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "lowering/number.hpp"
#include "lowering/words.hpp"
#include "matrix/product.hpp"
#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite::emitted_code_test {
namespace {

constexpr std::string_view kModule = R"(
OpCapability Shader
OpCapability Int8
OpCapability Int16
OpCapability Int64
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%f = OpTypeFunction %void
%main = OpFunction %void None %f
%label = OpLabel
OpReturn
OpFunctionEnd
)";

class EmittedCode : public testing::Test {
 protected:
    EmittedCode() : parsed_(Module::parse(test::assemble(kModule))), types_(*parsed_) {}

    // A value that is known when the code is evaluated only.
    Id unknown(Id type, uint64_t bits) {
        const Id id = emit_.op(spv::Op::OpUndef, type, Operands());
        given_[id] = bits;
        return id;
    }

    uint64_t cut(uint64_t bits, Id type) const {
        const uint32_t width = widthOf(type);
        return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
    }
    int64_t extended(uint64_t bits, uint32_t width) const {
        return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
    }

    uint64_t value(Id id) const {
        if (const auto found = given_.find(id); found != given_.end())
            return cut(found->second, typeOf(id));
        if (const auto known = parsed_->constantValue(id)) return cut(*known, typeOf(id));
        return cut(computed(parsed_->def(id)), typeOf(id));
    }

 private:
    Id typeOf(Id id) const { return parsed_->def(id).type; }
    uint32_t widthOf(Id type) const {
        return parsed_->def(type).opcode == spv::Op::OpTypeBool ? 1 : types_.width(type);
    }

    uint64_t computed(const Instruction& i) const {
        using enum spv::Op;
        const bool isCall = i.opcode == OpExtInst;
        const size_t first = isCall ? 2 : 0;
        std::vector<uint64_t> u;
        std::vector<int64_t> s;
        for (size_t o = first; o < i.operands.size(); ++o) {
            u.push_back(value(i.word(o)));
            s.push_back(extended(u.back(), widthOf(typeOf(i.word(o)))));
        }
        if (isCall) return ofGlsl(i.word(1), u, s);
        if (const auto known = ofPair(i.opcode, u, s)) return *known;
        switch (i.opcode) {
            case OpIAdd:
                return u[0] + u[1];
            case OpISub:
                return u[0] - u[1];
            case OpIMul:
                return u[0] * u[1];
            case OpUDiv:
                return u[1] == 0 ? failed(i) : u[0] / u[1];
            case OpUMod:
                return u[1] == 0 ? failed(i) : u[0] % u[1];
            case OpBitcast:
            case OpCopyObject:
            case OpUConvert:
                return u[0];
            case OpSConvert:
                return static_cast<uint64_t>(s[0]);
            case OpSelect:
                return u[0] != 0 ? u[1] : u[2];
            case OpBitFieldUExtract:
                return u[0] >> u[1] & ((uint64_t{1} << u[2]) - 1);
            case OpBitFieldSExtract:
                return static_cast<uint64_t>(extended(u[0] >> u[1], static_cast<uint32_t>(u[2])));
            default:
                return failed(i);
        }
    }

    static std::optional<uint64_t> ofPair(spv::Op opcode, const std::vector<uint64_t>& u,
                                          const std::vector<int64_t>& s) {
        using enum spv::Op;
        switch (opcode) {
            case OpBitwiseAnd:
                return u[0] & u[1];
            case OpBitwiseOr:
                return u[0] | u[1];
            case OpBitwiseXor:
                return u[0] ^ u[1];
            case OpShiftLeftLogical:
                return u[0] << u[1];
            case OpShiftRightLogical:
                return u[0] >> u[1];
            case OpIEqual:
                return u[0] == u[1];
            case OpINotEqual:
                return u[0] != u[1];
            case OpULessThan:
                return u[0] < u[1];
            case OpUGreaterThan:
                return u[0] > u[1];
            case OpSLessThan:
                return s[0] < s[1];
            case OpSGreaterThan:
                return s[0] > s[1];
            default:
                return std::nullopt;
        }
    }

    static uint64_t ofGlsl(uint32_t number, const std::vector<uint64_t>& u,
                           const std::vector<int64_t>& s) {
        switch (number) {
            case GLSLstd450UMin:
                return std::min(u[0], u[1]);
            case GLSLstd450UMax:
                return std::max(u[0], u[1]);
            case GLSLstd450SMin:
                return static_cast<uint64_t>(std::min(s[0], s[1]));
            case GLSLstd450SMax:
                return static_cast<uint64_t>(std::max(s[0], s[1]));
            case GLSLstd450UClamp:
                return std::min(std::max(u[0], u[1]), u[2]);
            case GLSLstd450SClamp:
                return static_cast<uint64_t>(std::min(std::max(s[0], s[1]), s[2]));
            default:
                ADD_FAILURE() << "instruction " << number;
                return 0;
        }
    }

    static uint64_t failed(const Instruction& i) {
        ADD_FAILURE() << "instruction " << static_cast<uint32_t>(i.opcode);
        return 0;
    }

 protected:
    // Extremes of a width, and others.
    std::vector<uint64_t> operands(uint32_t width) {
        std::vector<uint64_t> all = {0, 1, 2, ~uint64_t{0}, ~uint64_t{1}};
        for (const uint32_t bit : {width - 1, width - 2}) {
            const uint64_t power = uint64_t{1} << bit;
            all.insert(all.end(), {power - 1, power, power + 1, ~power});
        }
        for (int n = 0; n < 6; ++n) all.push_back(engine_());
        return all;
    }

    Result<Module> parsed_;
    TypeTable types_;
    InstructionList out_;
    Emitter emit_{types_, out_};
    std::map<Id, uint64_t> given_;
    std::mt19937_64 engine_{20261130};
};

__extension__ using Wide = __int128;

// The sum of two integers of a width, or the nearest number that it has.
TEST_F(EmittedCode, SaturatesSums) {
    for (const auto& [computed, width] :
         {std::pair{32u, 8u}, {32u, 16u}, {32u, 32u}, {64u, 32u}, {64u, 64u}}) {
        for (const bool isSigned : {false, true}) {
            const Id type = types_.intType(computed, false);
            for (const uint64_t x : operands(width)) {
                for (const uint64_t y : operands(width)) {
                    const auto number = [&](uint64_t bits) {
                        const int64_t asSigned = extended(bits, width);
                        return isSigned ? Wide{asSigned}
                                        : Wide{bits << (64 - width) >> (64 - width)};
                    };
                    const Wide most = (Wide{1} << (isSigned ? width - 1 : width)) - 1,
                               least = isSigned ? -most - 1 : 0;
                    const Wide expected = std::min(std::max(number(x) + number(y), least), most);
                    const Id a = unknown(type, x),
                             b = unknown(type, static_cast<uint64_t>(number(y)));
                    const Id sum = saturatingAdd(emit_, type, width, isSigned, a, b);
                    const auto low = [&](uint64_t bits) { return bits << (64 - width); };
                    EXPECT_EQ(low(value(sum)), low(static_cast<uint64_t>(expected)))
                        << computed << ' ' << width << (isSigned ? " signed " : " ") << x << ' '
                        << y;
                }
            }
        }
    }
}

// Integers of any width become those of a narrow format.
TEST_F(EmittedCode, NarrowsToTheNearestInteger) {
    using enum NumberKind;
    for (const auto& [kind, bits] :
         {std::pair{kSigned, 4u}, {kUnsigned, 4u}, {kSigned, 8u}, {kUnsigned, 8u}}) {
        const Number& to = *findNumber(kind, bits);
        const int64_t most = (int64_t{1} << (to.isSigned() ? to.bits - 1 : to.bits)) - 1;
        const int64_t least = to.isSigned() ? -most - 1 : 0;
        for (const uint32_t width : {8u, 16u, 32u}) {
            for (const bool isSigned : {false, true}) {
                for (const uint64_t given : operands(width)) {
                    const Id from = unknown(types_.intType(width, false), given);
                    const int64_t number =
                        isSigned ? extended(given, width)
                                 : static_cast<int64_t>(given << (64 - width) >> (64 - width));
                    const Id narrow = toInteger(emit_, to, from, isSigned);
                    EXPECT_TRUE(types_.isSigned(parsed_->def(narrow).type));
                    EXPECT_EQ(extended(value(narrow), 32), std::min(std::max(number, least), most))
                        << to.name << " of " << width << (isSigned ? " signed " : " ") << number;
                }
            }
        }
    }
}

TEST_F(EmittedCode, DividesByOneInPlaceOfZero) {
    const Id u32 = types_.uint32();
    for (const uint32_t a : {0u, 1u, 7u, 64u, ~0u}) {
        for (const uint32_t b : {0u, 1u, 2u, 3u, 7u, 8u, 64u, ~0u}) {
            const uint32_t by = b == 0 ? 1 : b;
            for (const bool isConstant : {false, true}) {
                const Id divisor = isConstant ? emit_.constant(b) : unknown(u32, b);
                const Id number = unknown(u32, a);
                EXPECT_EQ(value(safeDivide(emit_, number, divisor)), a / by) << a << ' ' << b;
                EXPECT_EQ(value(safeRemainder(emit_, number, divisor)), a % by) << a << ' ' << b;
            }
        }
    }
}

// With constants that the emitter simplifies, and without.
TEST_F(EmittedCode, IsArithmeticModulo32Bits) {
    const Id u32 = types_.uint32();
    for (const uint64_t x : operands(32)) {
        for (const uint64_t y : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{6}, uint64_t{64},
                                 uint64_t{0xFFFFFFFF}}) {
            const auto a = static_cast<uint32_t>(x), b = static_cast<uint32_t>(y);
            for (const bool first : {false, true}) {
                for (const bool second : {false, true}) {
                    const Id left = first ? emit_.constant(a) : unknown(u32, a);
                    const Id right = second ? emit_.constant(b) : unknown(u32, b);
                    EXPECT_EQ(value(emit_.addU32(left, right)), a + b);
                    EXPECT_EQ(value(emit_.mulU32(left, right)), a * b);
                }
                const Id number = first ? emit_.constant(a) : unknown(u32, a);
                EXPECT_EQ(value(emit_.plus(number, b)), a + b);
                EXPECT_EQ(value(emit_.times(number, b)), a * b);
                if (b == 0) continue;
                EXPECT_EQ(value(emit_.over(number, b)), a / b);
                EXPECT_EQ(value(emit_.modulo(number, b)), a % b);
            }
        }
    }
}

// Instructions that change nothing, or whose result is known, are not emitted. Divisions by powers
// of two are shifts and masks.
TEST_F(EmittedCode, HasNothingThatIsKnown) {
    const Id u32 = types_.uint32(), x = unknown(u32, 1234);
    const Id zero = emit_.constant(0), one = emit_.constant(1);
    const size_t before = out_.size();
    for (const Id same : {emit_.addU32(x, zero), emit_.addU32(zero, x), emit_.mulU32(x, one),
                          emit_.mulU32(one, x), emit_.divInt(u32, x, one)})
        EXPECT_EQ(same, x);
    for (const Id nothing :
         {emit_.mulU32(x, zero), emit_.mulU32(zero, x), emit_.modInt(u32, x, one)})
        EXPECT_EQ(parsed_->constantValue(nothing), 0u);
    EXPECT_EQ(parsed_->constantValue(emit_.addU32(one, emit_.constant(6))), 7u);
    EXPECT_EQ(out_.size(), before);
    const auto opcodeOf = [&](Id id) { return parsed_->def(id).opcode; };
    EXPECT_EQ(opcodeOf(emit_.over(x, 8)), spv::Op::OpShiftRightLogical);
    EXPECT_EQ(opcodeOf(emit_.modulo(x, 8)), spv::Op::OpBitwiseAnd);
    EXPECT_EQ(opcodeOf(emit_.times(x, 8)), spv::Op::OpIMul);
    EXPECT_EQ(opcodeOf(emit_.over(x, 6)), spv::Op::OpUDiv);
    EXPECT_EQ(opcodeOf(emit_.modulo(x, 6)), spv::Op::OpUMod);
    EXPECT_EQ(opcodeOf(emit_.divInt(u32, one, x)), spv::Op::OpUDiv);
}

// Fields of a word, from the lowest bits on.
TEST_F(EmittedCode, TakesFieldsOfScalars) {
    for (const uint32_t bits : {4u, 8u, 16u}) {
        for (const bool isSigned : {false, true}) {
            for (uint32_t n = 0; n < 32 / bits; ++n) {
                const uint64_t word = engine_();
                const Id field = fieldOf(emit_, unknown(types_.uint32(), word), emit_.constant(n),
                                         bits, isSigned);
                const uint64_t part = word >> (n * bits) & ((1u << bits) - 1);
                const uint64_t expected =
                    isSigned ? static_cast<uint64_t>(extended(part, bits)) : part;
                EXPECT_EQ(value(field), cut(expected, types_.uint32())) << bits << isSigned << n;
            }
        }
    }
}

}  // namespace
}  // namespace coopvk::rewrite::emitted_code_test
