// SPDX-License-Identifier: Apache-2.0
//
// What proofs know of integers whatever data are: bounds, low bits of sums and differences, atomic
// operations in any order, stores of one invocation; and of 8-bit floats in parts. Those that are
// no proofs are attempts at false claims.
#include <gtest/gtest.h>

#include <bit>

#include "../driver/harness/shader.hpp"
#include "coopvk_reference/execute.hpp"
#include "execution/opcode_table.hpp"
#include "symbol_pairs.hpp"
#include "symbols/bounds.hpp"
#include "symbols/trial.hpp"

namespace coopvk::reference::bounds_proof_test {
namespace {

using numbers::Number;
using symbols::TermId;
using symbols_test::Pair;

#define BODY(WHAT) "void main() { const uint at = gl_LocalInvocationIndex; " WHAT "; }"
#define STORE(TO, WHAT) "atomicStore(integers[" TO "], words[" WHAT "], gl_ScopeDevice, 0, 0);"
#define BYTES                                                                                \
    BODY(                                                                                    \
        "integers[at] = words[at]; if (at == 0) integers[0] = words[0] & 255 | (words[1] & " \
        "255) << 8 | (words[2] & 255) << 16 | words[3] << 24")
#define OWN_BYTES(CLEARED, SET)                                               \
    BODY(                                                                     \
        "integers[at] = words[at]; "                                          \
        "memoryBarrierBuffer(); barrier(); atomicAnd(integers[0], ~(" CLEARED \
        "u << at * 8)); "                                                     \
        "atomicOr(integers[0], (words[at] & " SET ") << at * 8)")
#define BYTE_OF(NAN)                                                                 \
    "uint narrow(float x) { const uint w = floatBitsToUint(x), m = w & 0x7FFFFFFF; " \
    "const uint s = min(141 - (m >> 23), 25), n = m & 0x7FFFFF | 0x800000; "         \
    "const uint tiny = (n + ((1 << (s - 1)) - 1) + (n >> s & 1)) >> s; "             \
    "const uint big = ((m + 0x7FFFF + (m >> 20 & 1)) >> 20) - 960; "                 \
    "const uint r = min(m < 0x3C800000 ? tiny : big, 0x7F); "                        \
    "return (m > 0x7F800000 ? " NAN " : r) | w >> 24 & 0x80; } "
// In a half float on the way.
#define HELD(SCALE, NAN)                                                            \
    "float held(uint n) { const uint m = (n & 0x7F) << 7, w = m | (m + 0x80 & " NAN \
    "); precise float16_t f = uint16BitsToFloat16(uint16_t(w)) * float16_t(" SCALE  \
    "); const uint h = uint(float16BitsToUint16(f)) | (n & 0x80) << 8; return "     \
    "float(uint16BitsToFloat16(uint16_t("                                           \
    "h))); } "
#define ROUNDED BODY("results[at] = float(floate4m3_t(floats[at] * 1.1))")
#define BY_HALVES BODY("results[at] = held(narrow(floats[at] * 1.1))")
#define TWO_SIGNS                                                                    \
    BODY(                                                                            \
        "const float x = floats[at] * 1.1; const uint n = narrow(x); results[at] = " \
        "(n >> 7 & 1) != floatBitsToUint(x) >> 31 ? 1.0 : held(n)")

constexpr Pair kPairs[] = {
    {"a rest", "u = 1;", "u = uint(i % 5 < 5);", true, Number::u32},
    {"a rest at the bound", "u = 1;", "u = uint(i % 5 < 4);", false, Number::u32},
    {"a rest and one", "u = 0;", "u = uint(i % 5 + 1 > 5);", true, Number::u32},
    {"a sum that wraps", "u = 1;", "u = uint(i + 1 >= 1);", false, Number::u32},
    {"a product", "u = 1;", "u = uint((i & 7) * 9 <= 63);", true, Number::u32},
    {"a product at the bound", "u = 1;", "u = uint((i & 7) * 9 < 63);", false, Number::u32},
    {"numbers with a sign", "u = 1;", "u = uint(int(i & 0x7FFFFFFF) >= 0);", true, Number::u32},
    {"negative numbers", "u = 1;", "u = uint(int(i) >= 0);", false, Number::u32},
    {"no borrow", "u = ((j << 16) - 0x7C000000) >> 16;",
     "u = ((j << 16 | 0x8000 | i & 0x7FFF) - 0x7C007C00) >> 16;", true, Number::u32},
    {"a borrow", "u = ((j << 16) - 0x7C000000) >> 16;",
     "u = ((j << 16 | i & 0x7FFF) - 0x7C007C00) >> 16;", false, Number::u32},
    {"a borrow of more", "u = ((j << 16) - 0x7C000000) >> 16;",
     "u = ((j << 16 | 0x8000 | i & 0x7FFF) - 0x7C00FC00) >> 16;", false, Number::u32},

    {"sums in memory", BODY("integers[at] = words[at] + words[at + 4] * 2"),
     BODY("atomicAdd(integers[at], words[at + 4]); atomicAdd(integers[at], words[at]);"
          "atomicAdd(integers[at], words[at + 4])"),
     true, Number::u32},
    {"one less", BODY("integers[at] = words[at] + words[at + 4] * 2"),
     BODY("atomicAdd(integers[at], words[at + 4]); atomicAdd(integers[at], words[at])"), false,
     Number::u32},
    {"the largest of all lanes",
     BODY("if (at == 0) integers[0] = max(max(max(max(0u, words[3]), words[1]), words[0]), "
          "words[2])"),
     BODY("atomicMax(integers[0], words[at])"), true, Number::u32},
    {"the largest of other lanes",
     BODY("if (at == 0) integers[0] = max(max(max(max(0u, words[3]), words[1]), words[1]), "
          "words[2])"),
     BODY("atomicMax(integers[0], words[at])"), false, Number::u32},
    {"the smallest", BODY("if (at == 0) integers[0] = max(0u, words[0])"),
     BODY("if (at == 0) atomicMin(integers[0], words[0])"), false, Number::u32},
    {"bits of all lanes",
     BODY("if (at == 0) integers[0] = words[2] | words[0] | words[1] | words[3]"),
     BODY("atomicOr(integers[0], words[at])"), true, Number::u32},
    {"two kinds of operations",
     BODY("if (at == 0) integers[0] = (words[0] | words[1]) + words[2] + words[3]"),
     BODY("if (at < 2) atomicOr(integers[0], words[at]); else atomicAdd(integers[0], words[at])"),
     false, Number::u32},
    {"what was before", BODY("integers[at] = at == 0 ? 0 : 1"),
     BODY("integers[at] = atomicOr(integers[0], 0) != 0 ? 1 : 0"), false, Number::u32},
    {"an exchange", BODY("integers[at] = words[at]"),
     BODY("atomicExchange(integers[at], words[at])"), false, Number::u32},
    {"atomic stores", BODY("integers[at] = words[at]"),
     BODY(STORE("at", "at + 4") STORE("at", "at")), true, Number::u32},
    {"atomic stores in another order", BODY("integers[at] = words[at]"),
     BODY(STORE("at", "at") STORE("at", "at + 4")), false, Number::u32},
    // The reference device executes that of the last lane last; no text says so.
    {"atomic stores of two lanes", BODY("if (at == 0) integers[0] = words[3]"),
     BODY("if (at >= 2) " STORE("0", "at")), false, Number::u32},
    {"an atomic store and a sum", BODY("integers[at] = words[at] + 1"),
     BODY(STORE("at", "at") "atomicAdd(integers[at], 1)"), true, Number::u32},
    {"a sum and an atomic store", BODY("integers[at] = words[at] + 1"),
     BODY("atomicAdd(integers[at], 1);" STORE("at", "at")), false, Number::u32},
    {"a sum to another lane's store", BODY("integers[at] = words[at] + (at == 0 ? 1 : 0)"),
     BODY(STORE("at", "at") "if (at == 1) atomicAdd(integers[0], 1)"), false, Number::u32},
    {"bytes of lanes", BYTES, OWN_BYTES("255", "255"), true, Number::u32},
    {"bytes of which two lanes clear a bit", BYTES, OWN_BYTES("511", "255"), false, Number::u32},
    {"bytes of which two lanes set a bit", BYTES, OWN_BYTES("255", "511"), false, Number::u32},
    {"bytes that are not cleared", BYTES, OWN_BYTES("127", "255"), false, Number::u32},

    {"an 8-bit float in a half", ROUNDED, BYTE_OF("0x7F") HELD("256.0", "0x4000") BY_HALVES, true},
    {"with another NaN", ROUNDED, BYTE_OF("0xFF") HELD("256.0", "0x4000") BY_HALVES, true},
    {"with a number for NaN", ROUNDED, BYTE_OF("0xFF") HELD("256.0", "0") BY_HALVES, false},
    {"at another scale", ROUNDED, BYTE_OF("0xFF") HELD("128.0", "0x4000") BY_HALVES, false},
    {"with two signs of NaN", ROUNDED, BYTE_OF("0xFF") HELD("256.0", "0x4000") TWO_SIGNS, false},
};

class BoundsProofs : public testing::TestWithParam<Pair> {};

TEST_P(BoundsProofs, AreProvedOrNot) {
    const std::string why = symbols_test::whyNot(GetParam());
    EXPECT_EQ(why.empty(), GetParam().isProved) << GetParam().name << ": " << why;
}

INSTANTIATE_TEST_SUITE_P(All, BoundsProofs, testing::ValuesIn(kPairs),
                         [](const auto& of) { return symbols_test::wordOf(of.param.name); });

// An operation on two bytes, of which some bits are known.
struct Operation {
    uint32_t opcode;
    uint8_t known, knownOther, bits, bitsOther;
};
constexpr Operation kOperations[] = {
    {numberIn(OpIAdd), 0x88, 0x80, 0x00, 0x00},
    {numberIn(OpIAdd), 0xF0, 0xE0, 0x30, 0x20},
    {numberIn(OpISub), 0x08, 0x08, 0x08, 0x00},
    {numberIn(OpISub), 0x18, 0x1C, 0x18, 0x0C},
    {numberIn(OpISub), 0x20, 0x20, 0x20, 0x20},
    {numberIn(OpIMul), 0xF8, 0xFF, 0x00, 0x11},
    {numberIn(OpIMul), 0x0C, 0xFF, 0x00, 0x05},
    {numberIn(OpUMod), 0x00, 0xFC, 0x00, 0x08},
    {numberIn(OpUDiv), 0x81, 0xFC, 0x80, 0x04},
    {numberIn(OpBitwiseAnd), 0x80, 0x0F, 0x00, 0x05},
    {numberIn(GLSLstd450UMin), 0xC0, 0x30, 0x40, 0x10},
    {numberIn(GLSLstd450UMax), 0xC0, 0x30, 0x40, 0x10},
};

std::shared_ptr<const Program> anyProgram() {
    const auto words =
        coopvk::test::compileGlsl("#version 460\nlayout(local_size_x = 1) in;\nvoid main() {}");
    return *makeProgram({.words = words, .subgroupSize = 4});
}

// A byte with some bits known: a term, and whether a byte is such a one.
TermId partlyKnown(symbols::Terms& terms, TermId byte, uint8_t known, uint8_t bits) {
    symbols::Pieces pieces;
    for (uint32_t n = 0; n < 8; ++n)
        terms.addPieces((known >> n & 1) != 0 ? terms.constant(bits, 8) : byte, n, 1, pieces);
    return terms.joined(pieces);
}

// Calls f(value of a term) for all values of two bytes.
template <typename F>
void forAllValues(const symbols::Terms& terms, std::span<const TermId> ids,
                  std::span<const TermId> bytes, F&& f) {
    symbols::Order order;
    for (const TermId id : bytes) ASSERT_TRUE(symbols::addTo(terms, id, order));
    for (const TermId id : ids) ASSERT_TRUE(symbols::addTo(terms, id, order));
    symbols::Trial trial(terms, order, order, bytes);
    std::vector<uint64_t> values(ids.size());
    for (uint32_t first = 0; first < 1u << 16; first += symbols::kAtOnce) {
        trial.run(first);
        for (uint32_t lane = 0; lane < symbols::kAtOnce; ++lane) {
            for (size_t n = 0; n < ids.size(); ++n) values[n] = trial.of(ids[n]).bits[lane];
            f(values);
        }
    }
}

TEST(BoundsProofs, HoldForAllBytes) {
    const auto program = anyProgram();
    static const Type byte{.kind = Kind::kInt, .width = 8, .components = 1};
    for (const Operation& of : kOperations) {
        symbols::Terms terms;
        const std::byte sample[] = {std::byte(0), std::byte(0)};
        const TermId first = terms.bytes(sample, 2);
        const TermId bytes[] = {first, first + 1};
        const TermId a = partlyKnown(terms, first, of.known, of.bits);
        const TermId b = partlyKnown(terms, first + 1, of.knownOther, of.bitsOther);
        const TermId whole = symbols::operated(terms, *program, of.opcode, byte, byte, {a, b}, 0);
        const symbols::Bounds bounds = symbols::boundsOf(terms, whole);
        std::vector<TermId> ids = {whole};
        symbols::Narrowing narrowing(terms);
        for (uint32_t bit = 1; bit < 8; ++bit)
            ids.push_back(narrowing.of(terms.part(whole, bit, 8 - bit)));
        uint64_t most = 0;
        forAllValues(terms, ids, bytes, [&](const std::vector<uint64_t>& values) {
            most = std::max(most, values[0]);
            ASSERT_TRUE(bounds.least <= values[0] && values[0] <= bounds.most) << of.opcode;
            for (uint32_t bit = 1; bit < 8; ++bit)
                ASSERT_EQ(values[bit], values[0] >> bit) << of.opcode << ", bit " << bit;
        });
        // No bit more than it can have.
        EXPECT_LT(bounds.most, std::bit_ceil(most + 1)) << of.opcode;
    }
}

// Two numbers in a word, and a mask for each, whose bits are turned: the first byte has nothing of
// the second number, and the second byte nothing of the first.
TEST(BoundsProofs, MasksOfTwoNumbersComeApart) {
    const auto program = anyProgram();
    static const Type word{.kind = Kind::kInt, .width = 16, .components = 1};
    symbols::Terms terms;
    const std::byte sample[] = {std::byte(0), std::byte(0)};
    const TermId first = terms.bytes(sample, 2);
    const TermId bytes[] = {first, first + 1};
    const auto joined = [&](uint8_t count) {
        symbols::Pieces pieces;
        for (const TermId byte : bytes) {
            terms.addPieces(byte, 0, count, pieces);
            if (count < 8) terms.addPieces(terms.constant(0, 8), 0, 8 - count, pieces);
        }
        return terms.joined(pieces);
    };
    const auto computed = [&](uint32_t opcode, TermId a, TermId b, uint64_t value) {
        return symbols::operated(terms, *program, opcode, word, word, {a, b}, value);
    };
    const TermId mask = computed(numberIn(OpIMul), joined(1), terms.constant(0xFF, 16), 0);
    const TermId turned = terms.joined({{mask, 0, 16, false, true}});
    const TermId whole = computed(numberIn(OpBitwiseAnd), joined(8), turned, 0);
    symbols::Narrowing narrowing(terms);
    std::vector<TermId> ids;
    for (const uint32_t n : {0u, 1u}) {
        ids.push_back(narrowing.of(terms.part(whole, n * 8, 8)));
        symbols::Order order;
        ASSERT_TRUE(symbols::addTo(terms, ids[n], order));
        EXPECT_FALSE(order.numbers.contains(bytes[1 - n])) << n;
    }
    ids.insert(ids.end(), std::begin(bytes), std::end(bytes));
    forAllValues(terms, ids, bytes, [&](const std::vector<uint64_t>& values) {
        for (const uint32_t n : {0u, 1u})
            ASSERT_EQ(values[n], (values[2 + n] & 1) != 0 ? 0 : values[2 + n]);
    });
}

}  // namespace
}  // namespace coopvk::reference::bounds_proof_test
