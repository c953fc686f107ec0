// SPDX-License-Identifier: Apache-2.0
//
// Each instruction on integers with each pair of numbers at the ends of a width, at each width.
// What is expected is computed in 128 bits from the words of SPIR-V and GLSL.std.450.
#include <gtest/gtest.h>

#include <optional>
#include <string_view>

#include "shader_text.hpp"

namespace coopvk::reference::test::integers_test {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;
using Bits = uint64_t;
using Result = std::optional<Wide>;  // nothing: undefined, 0 here

Bits mask(uint32_t width) { return width == 64 ? ~Bits{0} : (Bits{1} << width) - 1; }

// The operands: as numbers without and with a sign.
struct Given {
    uint32_t width;
    Wide a, b, sa, sb;
    Wide lowest() const { return -(Wide{1} << (width - 1)); }
    bool bit(uint32_t n) const { return (Bits(a) >> n & 1) != 0; }
};
Wide withSign(Bits bits, uint32_t width) {
    return bits >> (width - 1) != 0 ? Wide(bits) - (Wide{1} << width) : Wide(bits);
}

struct Row {
    const char* code;  // of %a and %b; %T is their type, %pair a structure of two
    Result (*expected)(const Given&);
    int part = -1;  // of the result, if it is a structure
    bool isBool() const { return std::string_view(code).find("%bool") != std::string_view::npos; }
};

// The number of the highest bit that is `value`; -1: none.
Wide highest(const Given& g, bool value) {
    for (uint32_t n = g.width; n-- > 0;)
        if (g.bit(n) == value) return n;
    return -1;
}
Wide lowest(const Given& g) {
    for (uint32_t n = 0; n < g.width; ++n)
        if (g.bit(n)) return n;
    return -1;
}
Wide reversed(const Given& g) {
    Wide result = 0;
    for (uint32_t n = 0; n < g.width; ++n) result = result * 2 + (g.bit(n) ? 1 : 0);
    return result;
}
Wide bitCount(const Given& g) {
    Wide count = 0;
    for (uint32_t n = 0; n < g.width; ++n) count += g.bit(n) ? 1 : 0;
    return count;
}
Result quotient(const Given& g) {
    return g.sb == 0 ? std::nullopt : Result(g.sa / g.sb);  // undefined, too: what wraps
}
// "The sign of a non-0 result comes from Operand 1."
Result remainder(const Given& g) {
    return g.sb == 0 ? std::nullopt : Result(g.sa - g.sa / g.sb * g.sb);
}
// "The sign of a non-0 result comes from Operand 2."
Result modulo(const Given& g) {
    Result rest = remainder(g);
    if (rest && *rest != 0 && (*rest < 0) != (g.sb < 0)) *rest += g.sb;
    return rest;
}
// By as many bits as b says; the result is undefined if these are all bits or more. To the right,
// it rounds down.
Result shifted(const Given& g, bool left, Wide number) {
    if (g.b >= Wide{g.width}) return std::nullopt;
    for (Wide n = 0; n < g.b; ++n) number = left ? number * 2 : (number - (number % 2 + 2) % 2) / 2;
    return number;
}
// `count` bits from `offset` on.
Wide field(const Given& g, uint32_t offset, uint32_t count, bool isSigned) {
    Wide result = 0;
    for (uint32_t n = 0; n < count; ++n)
        if (g.bit(offset + n)) result += Wide{1} << n;
    return isSigned && count > 0 && g.bit(offset + count - 1) ? result - (Wide{1} << count)
                                                              : result;
}
Wide inserted(const Given& g, uint32_t offset, uint32_t count) {
    Wide result = 0;
    for (uint32_t n = 0; n < g.width; ++n) {
        const bool inside = n >= offset && n < offset + count;
        const bool bit = inside ? (Bits(g.b) >> (n - offset) & 1) != 0 : g.bit(n);
        result += bit ? Wide{1} << n : 0;
    }
    return result;
}

const Row kRows[] = {
    {"OpIAdd %T %a %b", [](const Given& g) -> Result { return g.a + g.b; }},
    {"OpISub %T %a %b", [](const Given& g) -> Result { return g.a - g.b; }},
    {"OpIMul %T %a %b",
     [](const Given& g) -> Result { return Wide(UnsignedWide(g.a) * UnsignedWide(g.b)); }},
    {"OpSNegate %T %a", [](const Given& g) -> Result { return -g.sa; }},
    {"OpUDiv %T %a %b", [](const Given& g) { return g.b == 0 ? std::nullopt : Result(g.a / g.b); }},
    {"OpUMod %T %a %b", [](const Given& g) { return g.b == 0 ? std::nullopt : Result(g.a % g.b); }},
    {"OpSDiv %T %a %b", quotient},
    {"OpSRem %T %a %b", remainder},
    {"OpSMod %T %a %b", modulo},
    {"OpIAddCarry %pair %a %b", [](const Given& g) -> Result { return g.a + g.b; }, 0},
    {"OpIAddCarry %pair %a %b", [](const Given& g) -> Result { return (g.a + g.b) >> g.width; }, 1},
    {"OpISubBorrow %pair %a %b", [](const Given& g) -> Result { return g.a - g.b; }, 0},
    {"OpISubBorrow %pair %a %b", [](const Given& g) -> Result { return g.a < g.b; }, 1},
    {"OpUMulExtended %pair %a %b",
     [](const Given& g) -> Result { return Wide(UnsignedWide(g.a) * UnsignedWide(g.b)); }, 0},
    {"OpUMulExtended %pair %a %b",
     [](const Given& g) -> Result {
         return Wide(UnsignedWide(g.a) * UnsignedWide(g.b) >> g.width);
     },
     1},
    {"OpSMulExtended %pair %a %b", [](const Given& g) -> Result { return g.sa * g.sb; }, 0},
    {"OpSMulExtended %pair %a %b",
     [](const Given& g) -> Result { return (g.sa * g.sb) >> g.width; }, 1},
    {"OpNot %T %a", [](const Given& g) -> Result { return -1 - g.sa; }},
    {"OpBitwiseAnd %T %a %b", [](const Given& g) -> Result { return g.a & g.b; }},
    {"OpBitwiseOr %T %a %b", [](const Given& g) -> Result { return g.a | g.b; }},
    {"OpBitwiseXor %T %a %b", [](const Given& g) -> Result { return g.a ^ g.b; }},
    {"OpShiftLeftLogical %T %a %b", [](const Given& g) { return shifted(g, true, g.a); }},
    {"OpShiftRightLogical %T %a %b", [](const Given& g) { return shifted(g, false, g.a); }},
    {"OpShiftRightArithmetic %T %a %b", [](const Given& g) { return shifted(g, false, g.sa); }},
    {"OpBitFieldInsert %T %a %b %u_0 %u_8",
     [](const Given& g) -> Result { return inserted(g, 0, 8); }},
    {"OpBitFieldInsert %T %a %b %u_3 %u_4",
     [](const Given& g) -> Result { return inserted(g, 3, 4); }},
    {"OpBitFieldInsert %T %a %b %u_5 %u_0", [](const Given& g) -> Result { return g.a; }},
    {"OpBitFieldInsert %T %a %b %u_0 %width", [](const Given& g) -> Result { return g.b; }},
    {"OpBitFieldSExtract %T %a %u_0 %u_8",
     [](const Given& g) -> Result { return field(g, 0, 8, true); }},
    {"OpBitFieldSExtract %T %a %u_1 %u_7",
     [](const Given& g) -> Result { return field(g, 1, 7, true); }},
    {"OpBitFieldSExtract %T %a %u_2 %u_1",
     [](const Given& g) -> Result { return field(g, 2, 1, true); }},
    {"OpBitFieldSExtract %T %a %u_2 %u_0", [](const Given&) -> Result { return 0; }},
    {"OpBitFieldSExtract %T %a %u_0 %width", [](const Given& g) -> Result { return g.sa; }},
    {"OpBitFieldUExtract %T %a %u_1 %u_7",
     [](const Given& g) -> Result { return field(g, 1, 7, false); }},
    {"OpBitFieldUExtract %T %a %u_2 %u_1",
     [](const Given& g) -> Result { return field(g, 2, 1, false); }},
    {"OpBitFieldUExtract %T %a %u_2 %u_0", [](const Given&) -> Result { return 0; }},
    {"OpBitFieldUExtract %T %a %u_0 %width", [](const Given& g) -> Result { return g.a; }},
    {"OpBitReverse %T %a", [](const Given& g) -> Result { return reversed(g); }},
    {"OpBitCount %T %a", [](const Given& g) -> Result { return bitCount(g); }},
    {"OpIEqual %bool %a %b", [](const Given& g) -> Result { return g.a == g.b; }},
    {"OpINotEqual %bool %a %b", [](const Given& g) -> Result { return g.a != g.b; }},
    {"OpULessThan %bool %a %b", [](const Given& g) -> Result { return g.a < g.b; }},
    {"OpULessThanEqual %bool %a %b", [](const Given& g) -> Result { return g.a <= g.b; }},
    {"OpUGreaterThan %bool %a %b", [](const Given& g) -> Result { return g.a > g.b; }},
    {"OpUGreaterThanEqual %bool %a %b", [](const Given& g) -> Result { return g.a >= g.b; }},
    {"OpSLessThan %bool %a %b", [](const Given& g) -> Result { return g.sa < g.sb; }},
    {"OpSLessThanEqual %bool %a %b", [](const Given& g) -> Result { return g.sa <= g.sb; }},
    {"OpSGreaterThan %bool %a %b", [](const Given& g) -> Result { return g.sa > g.sb; }},
    {"OpSGreaterThanEqual %bool %a %b", [](const Given& g) -> Result { return g.sa >= g.sb; }},
    {"OpLogicalEqual %bool %ca %cb",
     [](const Given& g) -> Result { return (g.a != 0) == (g.b != 0); }},
    {"OpLogicalNotEqual %bool %ca %cb",
     [](const Given& g) -> Result { return (g.a != 0) != (g.b != 0); }},
    {"OpLogicalAnd %bool %ca %cb", [](const Given& g) -> Result { return g.a != 0 && g.b != 0; }},
    {"OpLogicalOr %bool %ca %cb", [](const Given& g) -> Result { return g.a != 0 || g.b != 0; }},
    {"OpLogicalNot %bool %ca", [](const Given& g) -> Result { return g.a == 0; }},
    {"OpAll %bool %both", [](const Given& g) -> Result { return g.a != 0 && g.b != 0; }},
    {"OpAny %bool %both", [](const Given& g) -> Result { return g.a != 0 || g.b != 0; }},
    {"OpExtInst %T %glsl SAbs %a",
     [](const Given& g) -> Result { return g.sa < 0 ? -g.sa : g.sa; }},
    {"OpExtInst %T %glsl SSign %a",
     [](const Given& g) -> Result { return g.sa < 0   ? -1
                                           : g.sa > 0 ? 1
                                                      : 0; }},
    {"OpExtInst %T %glsl UMin %a %b",
     [](const Given& g) -> Result { return g.b < g.a ? g.b : g.a; }},
    {"OpExtInst %T %glsl UMax %a %b",
     [](const Given& g) -> Result { return g.a < g.b ? g.b : g.a; }},
    {"OpExtInst %T %glsl SMin %a %b",
     [](const Given& g) -> Result { return g.sb < g.sa ? g.sb : g.sa; }},
    {"OpExtInst %T %glsl SMax %a %b",
     [](const Given& g) -> Result { return g.sa < g.sb ? g.sb : g.sa; }},
    {"OpExtInst %T %glsl UClamp %a %three %hundred",
     [](const Given& g) -> Result { return g.a < 3     ? Wide{3}
                                           : g.a > 100 ? Wide{100}
                                                       : g.a; }},
    {"OpExtInst %T %glsl SClamp %a %minus %hundred",
     [](const Given& g) -> Result { return g.sa < -3    ? Wide{-3}
                                           : g.sa > 100 ? Wide{100}
                                                        : g.sa; }},
    {"OpExtInst %T %glsl FindILsb %a", [](const Given& g) -> Result { return lowest(g); }},
    {"OpExtInst %T %glsl FindUMsb %a", [](const Given& g) -> Result { return highest(g, true); }},
    {"OpExtInst %T %glsl FindSMsb %a",
     [](const Given& g) -> Result { return highest(g, g.sa >= 0); }},
};

std::vector<Bits> edges(uint32_t width) {
    const Bits top = Bits{1} << (width - 1), ones = mask(width);
    return {0, 1, 2, 5, 7, top - 1, top, top + 1, ones - 4, ones - 1, ones};
}

// Of each row, 64 bits of the result: from word 2 * (rows * i + row) on.
std::string body(uint32_t width) {
    const std::string type = "%u" + std::to_string(width);
    const auto number = [&](const std::string& name, const std::string& first) {
        std::string code = loadWord(name + "_low", first) + name + "_next = OpIAdd %u32 " + first +
                           " %u_1\n" + loadWord(name + "_high", name + "_next") + name +
                           "_words = OpCompositeConstruct %v2u32 " + name + "_low " + name +
                           "_high\n" + name + "_all = OpBitcast %u64 " + name + "_words\n";
        return code + name + (width == 64 ? " = OpCopyObject " : " = OpUConvert ") + type + " " +
               name + "_all\n";
    };
    std::string code =
        "%first = OpIMul %u32 %i %u_4\n%second = OpIAdd %u32 %first %u_2\n" +
        number("%a", "%first") + number("%b", "%second") + "%ca = OpINotEqual %bool %a %none\n" +
        "%cb = OpINotEqual %bool %b %none\n%both = OpCompositeConstruct %v2bool %ca %cb\n"
        "%to0 = OpIMul %u32 %i %stride\n";
    for (size_t n = 0; n < std::size(kRows); ++n) {
        const std::string id = "%x" + std::to_string(n), to = "%to" + std::to_string(n);
        std::string operation = kRows[n].code;
        for (size_t at = operation.find("%T"); at != operation.npos; at = operation.find("%T"))
            operation.replace(at, 2, type);
        code += id + " = " + operation + "\n";
        std::string result = id;
        if (kRows[n].part >= 0)
            code += (result = id + "p") + " = OpCompositeExtract " + type + " " + id + " " +
                    std::to_string(kRows[n].part) + "\n";
        if (kRows[n].isBool())
            code += (result = id + "s") + " = OpSelect " + type + " " + id + " %single %none\n";
        code += id + "e = " + (width == 64 ? "OpCopyObject" : "OpUConvert") + " %u64 " + result +
                "\n" + id + "w = OpBitcast %v2u32 " + id + "e\n";
        for (const char* part : {"0", "1"}) {
            const std::string word = id + "w" + part, place = to + (*part == '1' ? "h" : "");
            code += word + " = OpCompositeExtract %u32 " + id + "w " + part + "\n";
            if (*part == '1') code += place + " = OpIAdd %u32 " + to + " %u_1\n";
            code += storeWord(place, word);
        }
        code += "%to" + std::to_string(n + 1) + " = OpIAdd %u32 " + to + " %u_2\n";
    }
    return code;
}

class Integers : public testing::TestWithParam<uint32_t> {};

TEST_P(Integers, AreWhatTheWordsSay) {
    const uint32_t width = GetParam();
    const std::string type = "%u" + std::to_string(width);
    const auto constant = [&](const char* name, Bits bits) {
        return std::string(name) + " = OpConstant " + type + " " + std::to_string(bits) + "\n";
    };
    const std::vector<Bits> numbers = edges(width);
    std::vector<Given> given;
    Execution r;
    for (const Bits a : numbers)
        for (const Bits b : numbers) {
            given.push_back({width, Wide(a), Wide(b), withSign(a, width), withSign(b, width)});
            for (const Bits n : {a, b})
                r.buffers[0].insert(r.buffers[0].end(), {uint32_t(n), uint32_t(n >> 32)});
        }
    ShaderText text;
    text.localSize = uint32_t(given.size());
    text.declarations = "%v2bool = OpTypeVector %bool 2\n%pair = OpTypeStruct " + type + " " +
                        type + "\n%stride = OpConstant %u32 " +
                        std::to_string(2 * std::size(kRows)) + "\n%width = OpConstant %u32 " +
                        std::to_string(width) + "\n" + constant("%none", 0) +
                        constant("%single", 1) + constant("%three", 3) + constant("%hundred", 100) +
                        constant("%minus", mask(width) - 2);
    text.body = body(width);
    r.buffers[1].resize(given.size() * std::size(kRows) * 2);
    r.validate = false;  // some instructions are not for each width in Vulkan
    r.lanes = 32;
    r.settings.checks &= ~kCheckDomain;
    execute(r, shader(text));
    ASSERT_EQ(r.error, "");
    for (size_t g = 0; g < given.size(); ++g)
        for (size_t n = 0; n < std::size(kRows); ++n) {
            const Wide expected = kRows[n].expected(given[g]).value_or(0);
            const uint32_t* words = &r.buffers[1][2 * (g * std::size(kRows) + n)];
            EXPECT_EQ(words[0] | Bits{words[1]} << 32, Bits(expected) & mask(width))
                << kRows[n].code << ", part " << kRows[n].part << " of " << Bits(given[g].a) << ", "
                << Bits(given[g].b);
        }
}

INSTANTIATE_TEST_SUITE_P(Reference, Integers, testing::Values(8, 16, 32, 64),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace coopvk::reference::test::integers_test
