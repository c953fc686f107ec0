// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixMulAddKHR: compares every listed shape, shapes that are not listed, all type
// combinations and all operand bits with the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>
#include <iterator>
#include <optional>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/covering.hpp"
#include "harness/glsl.hpp"
#include "harness/listed.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::muladd_test {
namespace {

struct Case {
    uint32_t m, n, k;
    Component a, b, c;
    uint32_t operands;  // as in SPIR-V
    Fill fill;
    std::optional<Component> result = {};  // where it is not c
};

std::string operandsName(uint32_t operands) {
    std::string text;
    for (uint32_t bit = 0; bit < 5; ++bit)
        if (operands >> bit & 1u) text += "ABCRS"[bit];
    return text.empty() ? "none" : text;
}

std::string caseName(const Case& c) {
    std::string text = std::to_string(c.m) + "x" + std::to_string(c.n) + "x" + std::to_string(c.k);
    text.append("_").append(name(c.a)).append("_").append(name(c.b)).append("_").append(name(c.c));
    if (c.result) text.append("_").append(name(*c.result));
    return text + "_" + operandsName(c.operands) +
           (c.fill == Fill::kSmall  ? "_small"
            : c.fill == Fill::kUnit ? "_unit"
                                    : "_bits");
}

Words fromGlsl(const Case& c) {
    const auto size = [](uint32_t value) { return std::to_string(value); };
    Words words = compileGlsl(
        glsl::header() + glsl::buffer(0, "a", glsl::scalar(c.a)) +
        glsl::buffer(1, "b", glsl::scalar(c.b)) + glsl::buffer(2, "c", glsl::scalar(c.c)) +
        glsl::buffer(3, "d", glsl::scalar(c.c)) + "void main() {\n" +
        glsl::matrix(c.a, c.m, c.k, Use::kA) + " A;\n" + glsl::matrix(c.b, c.k, c.n, Use::kB) +
        " B;\n" + glsl::matrix(c.c, c.m, c.n, Use::kAccumulator) + " C, D;\n" +
        glsl::load("A", "a", size(c.k)) + glsl::load("B", "b", size(c.n)) +
        glsl::load("C", "c", size(c.n)) + "D = coopMatMulAdd(A, B, C);\n" +
        glsl::store("D", "d", size(c.n)) + "}\n");
    setOperands(words, c.operands);
    return words;
}

// GLSL knows no 64-bit components and no result type other than C's.
Words fromAssembly(const Case& c) {
    const Component result = c.result.value_or(c.c);
    Assembly a;
    a.buffers = {scalars("a", c.a), scalars("b", c.b), scalars("c", c.c), scalars("d", result)};
    a.declarations = matrixType("A", c.a, c.m, c.k, Use::kA) +
                     matrixType("B", c.b, c.k, c.n, Use::kB) +
                     matrixType("C", c.c, c.m, c.n, Use::kAccumulator);
    if (result != c.c) a.declarations += matrixType("D", result, c.m, c.n, Use::kAccumulator);
    a.body = substitute(R"(
%pa = OpAccessChain %sb_${a} %a %c_0 %c_0
%pb = OpAccessChain %sb_${b} %b %c_0 %c_0
%pc = OpAccessChain %sb_${c} %c %c_0 %c_0
%pd = OpAccessChain %sb_${d} %d %c_0 %c_0
%ma = OpCooperativeMatrixLoadKHR %A %pa %c_0 ${k}
%mb = OpCooperativeMatrixLoadKHR %B %pb %c_0 ${n}
%mc = OpCooperativeMatrixLoadKHR %C %pc %c_0 ${n}
%md = OpCooperativeMatrixMulAddKHR ${D} %ma %mb %mc
OpCooperativeMatrixStoreKHR %pd %md %c_0 ${n}
)",
                        {{"a", std::string(name(c.a))},
                         {"b", std::string(name(c.b))},
                         {"c", std::string(name(c.c))},
                         {"d", std::string(name(result))},
                         {"D", result != c.c ? "%D" : "%C"},
                         {"k", constant(c.k)},
                         {"n", constant(c.n)}});
    Words words = assemble(a);
    setOperands(words, c.operands);
    return words;
}

bool glslCan(const Case& c) {
    for (Component type : {c.a, c.b, c.c})
        if (info(type).bytes == 8) return false;
    return !c.result;
}

void runCase(const Case& c) {
    for (Component type : {c.a, c.b, c.c}) COOPVK_REQUIRE(type);
    COOPVK_REQUIRE((NeededProduct{c.m, c.n, c.k, c.a, c.b, c.c, c.result.value_or(c.c)}));
    Rng rng(caseName(c));
    const Matrix a = randomMatrix(rng, c.a, c.m, c.k, c.fill);
    const Matrix b = randomMatrix(rng, c.b, c.k, c.n, c.fill);
    // A saturating sum needs addends near the type's ends.
    const Matrix addend =
        randomMatrix(rng, c.c, c.m, c.n, c.operands & kSaturating ? Fill::kBits : c.fill);
    const Component result = c.result.value_or(c.c);
    Dispatch dispatch;
    dispatch.buffers = {pack(a), pack(b), pack(addend),
                        rng.bytes(pack(Matrix(result, c.m, c.n)).size())};
    const Words words = glslCan(c) ? fromGlsl(c) : fromAssembly(c);
    const std::vector<Bytes> after = run(words, dispatch);
    const Product expected =
        mulAdd(a, b, addend, result, c.operands, /*exact=*/c.fill == Fill::kSmall);
    EXPECT_EQ(difference(unpack(result, c.m, c.n, after[3]), expected), "");
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(difference(after[i], dispatch.buffers[i]), "");
    // These products, by hand, also judge the reference device. Saturated sums that an unsigned
    // result does not hold are undefined.
    const bool isDefined = !(c.operands & kSaturating) || (c.operands & kResultSigned) ||
                           !(c.operands & (kASigned | kBSigned));
    if (!isDefined) return;
    EXPECT_EQ(difference(unpack(result, c.m, c.n, expectedOf(words, dispatch)[3]), expected), "")
        << "the reference device";
}

// What fills make sense: floats exactly and within bounds; integers with wrap-around.
void addFills(std::vector<Case>& cases, Case c) {
    const bool saturating = c.operands & kSaturating;
    if (info(c.c).isFloat()) {
        for (Fill fill : {Fill::kSmall, Fill::kUnit}) {
            c.fill = fill;
            cases.push_back(c);
        }
        return;
    }
    // The product of a saturating sum must not overflow. Narrow inputs may have any value.
    const bool narrow = info(c.a).bytes < info(c.c).bytes && info(c.a).bytes == 1;
    c.fill = saturating && !narrow ? Fill::kSmall : Fill::kBits;
    cases.push_back(c);
}

Component component(VkComponentTypeKHR type) { return findComponent(type)->type; }

// CPU drivers take seconds to compile large multiply-adds. So only some rows of these run; all run
// with COOPVK_TEST_FULL=1.
bool skipped(const VkCooperativeMatrixPropertiesKHR& shape, size_t row) {
    struct Rule {
        uint32_t products;
        size_t every;  // runs one row of so many
    };
    constexpr Rule kRules[] = {{512, 1}, {1024, 2}, {2048, 5}, {4096, 8}, {8192, 12}};
    const uint32_t products = shape.MSize * shape.NSize * shape.KSize;
    if (runsAll()) return false;
    for (const Rule& rule : kRules)
        if (products <= rule.products) return row % rule.every != 0;
    return true;
}

// There are many rows of formats that most devices lack: the runs with 4, 8 and 16 lanes divide
// them.
bool isOfFormat(const Case& c) {
    constexpr Component kFormats[] = {Component::kBF16, Component::kE4M3, Component::kE5M2};
    return std::ranges::any_of(kFormats,
                               [&](Component f) { return f == c.a || f == c.b || f == c.c; });
}

std::vector<Case> advertised() {
    std::vector<Case> cases, ofFormats;
    size_t row = 0;
    for (const VkCooperativeMatrixPropertiesKHR& shape : Context::get().shapes) {
        if (findComponent(shape.ResultType) == nullptr || shape.CType != shape.ResultType)
            continue;  // checked by Advertised.RowsAreOfKnownKind
        if (skipped(shape, row++)) continue;
        const Component a = component(shape.AType), b = component(shape.BType),
                        c = component(shape.CType);
        const Case one = {
            shape.MSize,
            shape.NSize,
            shape.KSize,
            a,
            b,
            c,
            signOperands(a, b, c, c) | (shape.saturatingAccumulation ? kSaturating : 0u),
            Fill::kUnit};
        addFills(isOfFormat(one) ? ofFormats : cases, one);
    }
    const auto factorsOf = [](const Case& c) {
        return factors(std::format("{} {} {}", name(c.a), name(c.b), name(c.c)),
                       std::format("{}x{}x{}", c.m, c.n, c.k), c.fill);
    };
    std::ranges::copy(covering(ofFormats, factorsOf), std::back_inserter(cases));
    return cases;
}

struct Types {
    Component a, b, c;
};
using enum Component;
constexpr Types kTypes[] = {
    {kF16, kF16, kF16},    {kF16, kF16, kF32},    {kF32, kF32, kF32},    {kF64, kF64, kF64},
    {kS8, kS8, kS32},      {kS8, kU8, kS32},      {kU8, kS8, kS32},      {kU8, kU8, kS32},
    {kS8, kS8, kU32},      {kU8, kU8, kU32},      {kS16, kS16, kS32},    {kU16, kU16, kU32},
    {kS16, kS16, kS16},    {kU16, kU16, kU16},    {kS8, kS8, kS16},      {kU8, kU8, kU16},
    {kS8, kS8, kS8},       {kU8, kU8, kU8},       {kS32, kS32, kS32},    {kU32, kU32, kU32},
    {kS64, kS64, kS64},    {kU64, kU64, kU64},    {kS32, kS32, kS64},    {kU16, kS8, kS32},
    {kF32, kF16, kF32},    {kF16, kF32, kF32},    {kBF16, kBF16, kF32},  {kBF16, kBF16, kBF16},
    {kE4M3, kE4M3, kF32},  {kE5M2, kE5M2, kF32},  {kE4M3, kE5M2, kF32},  {kE5M2, kE4M3, kF32},
    {kE4M3, kE4M3, kF16},  {kE5M2, kE5M2, kF16},  {kE4M3, kE5M2, kF16},  {kE5M2, kE4M3, kF16},
    {kE4M3, kE4M3, kE4M3}, {kE5M2, kE5M2, kE5M2}, {kE4M3, kE5M2, kE5M2}, {kBF16, kF16, kF32},
    {kE4M3, kF16, kF32},   {kE4M3, kBF16, kBF16},
};

std::vector<Case> everyType() {
    std::vector<Case> cases;
    for (const Types& t : kTypes)
        addFills(cases, {8, 8, 8, t.a, t.b, t.c, signOperands(t.a, t.b, t.c, t.c), Fill::kUnit});
    return cases;
}

// A saturating sum of a signed and an unsigned type could be understood in two ways; Vulkan never
// lists one.
bool clear(uint32_t operands) {
    return !(operands & kSaturating) || !(operands & kCSigned) == !(operands & kResultSigned);
}

// The operand bits, not the types, determine signedness.
std::vector<Case> everyOperand() {
    constexpr Types kInteger[] = {
        {kS8, kS8, kS32}, {kU8, kU8, kU32}, {kS16, kS16, kS32}, {kU32, kU32, kU32}};
    std::vector<Case> cases;
    for (const Types& t : kInteger) {
        const bool all = t.a == kU8 || t.a == kS8;
        for (uint32_t operands = 0; operands < 32; ++operands) {
            if (!clear(operands)) continue;
            if (all || operands % 5 == 0) addFills(cases, {8, 8, 4, t.a, t.b, t.c, operands, {}});
        }
    }
    return cases;
}

struct Shape {
    uint32_t m, n, k;
};
constexpr Shape kShapes[] = {
    {1, 1, 1},   {4, 4, 4},    {2, 8, 16},  {8, 2, 16}, {1, 16, 8},  {16, 1, 8},  {8, 4, 2},
    {16, 8, 4},  {8, 16, 32},  {16, 8, 16}, {32, 8, 8}, {8, 32, 8},  {16, 16, 1}, {64, 16, 8},
    {16, 64, 4}, {32, 32, 16}, {2, 2, 64},  {3, 5, 7},  {12, 6, 10}, {8, 16, 16},
};

std::vector<Case> everyShape() {
    constexpr Types kFew[] = {{kF16, kF16, kF32}, {kS8, kU8, kS32}};
    std::vector<Case> cases;
    for (const Shape& s : kShapes)
        for (const Types& t : kFew)
            if (info(t.c).isFloat() || s.m * s.n * s.k <= 4096 || runsAll())
                cases.push_back({s.m, s.n, s.k, t.a, t.b, t.c, signOperands(t.a, t.b, t.c, t.c),
                                 info(t.c).isFloat() ? Fill::kSmall : Fill::kBits});
    for (const Shape& s : {kShapes[0], kShapes[2], kShapes[9], kShapes[17], kShapes[19]})
        cases.push_back({s.m, s.n, s.k, kF16, kF16, kF16, 0, Fill::kSmall});
    return cases;
}

// Odd sizes with any types.
std::vector<Case> random() {
    Rng rng("random shapes");
    std::vector<Case> cases;
    for (int i = 0; i < (runsAll() ? 300 : 12); ++i) {
        const auto size = [&](int64_t limit) { return static_cast<uint32_t>(rng.range(1, limit)); };
        const Types& t = kTypes[rng.next() % std::size(kTypes)];
        const uint32_t m = size(20), n = size(20), k = size(std::min(24u, 2048 / (m * n)));
        cases.push_back({m, n, k, t.a, t.b, t.c, signOperands(t.a, t.b, t.c, t.c),
                         info(t.c).isFloat() ? Fill::kSmall : Fill::kBits});
    }
    return cases;
}

// A, B, C and Result may all differ.
std::vector<Case> mixed() {
    std::vector<Case> cases;
    for (uint32_t operands : {0u, 15u, 7u, 28u, 31u, 9u})
        for (Fill fill : {Fill::kSmall, Fill::kBits}) {
            if (operands & kSaturating && fill == Fill::kBits) continue;
            cases.push_back({8, 8, 4, kS8, kU8, kU32, operands, fill, kS32});
            cases.push_back({4, 8, 8, kU16, kS8, kS32, operands, fill, kU32});
            cases.push_back({8, 4, 8, kU8, kU8, kS16, operands, fill, kS32});
        }
    cases.push_back({8, 8, 8, kF16, kF16, kF16, 0, Fill::kSmall, kF32});
    cases.push_back({8, 8, 8, kF16, kF16, kF32, 0, Fill::kSmall, kF16});
    cases.push_back({8, 8, 8, kE4M3, kE4M3, kF32, 0, Fill::kSmall, kE4M3});
    cases.push_back({8, 8, 8, kE5M2, kE4M3, kE4M3, 0, Fill::kSmall, kF32});
    cases.push_back({8, 8, 8, kBF16, kBF16, kF32, 0, Fill::kSmall, kBF16});
    return cases;
}

std::vector<Case> few(const std::vector<Case>& cases) {
    return covering(cases, [](const Case& c) {
        Factors result = factors(factor(c.m) + "x" + factor(c.n) + "x" + factor(c.k),
                                 factor(c.a) + " " + factor(c.b) + " " + factor(c.c), c.fill);
        for (uint32_t bit = 0; bit < 5; ++bit) result.push_back(factor(c.operands >> bit & 1u));
        return result;
    });
}

class MulAdd : public testing::TestWithParam<Case> {};
class MulAddUnlisted : public testing::TestWithParam<Case> {};

TEST_P(MulAdd, MatchesReference) { runCase(GetParam()); }
TEST_P(MulAddUnlisted, MatchesReference) {
    COOPVK_REQUIRE(Requirement::kNativeShapesOnly);
    runCase(GetParam());
}

void PrintTo(const Case& c, std::ostream* out) { *out << caseName(c); }

const auto kName = [](const auto& param) {
    return std::to_string(param.index) + "_" + caseName(param.param);
};
INSTANTIATE_TEST_SUITE_P(Advertised, MulAdd, testing::ValuesIn(advertised()), kName);
INSTANTIATE_TEST_SUITE_P(Types, MulAddUnlisted, testing::ValuesIn(few(everyType())), kName);
INSTANTIATE_TEST_SUITE_P(Operands, MulAddUnlisted, testing::ValuesIn(few(everyOperand())), kName);
INSTANTIATE_TEST_SUITE_P(Mixed, MulAddUnlisted, testing::ValuesIn(few(mixed())), kName);
INSTANTIATE_TEST_SUITE_P(Random, MulAddUnlisted, testing::ValuesIn(random()), kName);
INSTANTIATE_TEST_SUITE_P(Shapes, MulAddUnlisted, testing::ValuesIn(few(everyShape())), kName);

TEST(Advertised, RowsAreOfKnownKind) {
    const Context& context = Context::get();
    ASSERT_FALSE(context.shapes.empty());
    for (const VkCooperativeMatrixPropertiesKHR& shape : context.shapes) {
        EXPECT_EQ(shape.sType, VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR);
        EXPECT_EQ(shape.scope, VK_SCOPE_SUBGROUP_KHR);
        EXPECT_EQ(shape.CType, shape.ResultType);
        for (VkComponentTypeKHR type : {shape.AType, shape.BType, shape.CType, shape.ResultType}) {
            ASSERT_NE(findComponent(type), nullptr) << type;
            EXPECT_TRUE(context.supports(component(type))) << name(component(type));
        }
        EXPECT_GT(shape.MSize * shape.NSize * shape.KSize, 0u);
        EXPECT_FALSE(shape.saturatingAccumulation && info(component(shape.ResultType)).isFloat());
    }
}

TEST(Advertised, RowsAreUnique) {
    const auto& shapes = Context::get().shapes;
    for (size_t i = 0; i < shapes.size(); ++i)
        for (size_t j = 0; j < i; ++j) {
            const auto key = [](const VkCooperativeMatrixPropertiesKHR& s) {
                return std::array<uint32_t, 8>{s.MSize,
                                               s.NSize,
                                               s.KSize,
                                               uint32_t(s.AType),
                                               uint32_t(s.BType),
                                               uint32_t(s.CType),
                                               uint32_t(s.ResultType),
                                               s.saturatingAccumulation};
            };
            EXPECT_NE(key(shapes[i]), key(shapes[j])) << "rows " << i << " and " << j;
        }
}

}  // namespace
}  // namespace coopvk::test::muladd_test
