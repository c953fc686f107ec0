// SPDX-License-Identifier: Apache-2.0
//
// Cooperative matrices with 4-bit components: conversions, elements, constants.
#include <gtest/gtest.h>

#include <functional>

#include "harness/component.hpp"
#include "harness/int4_matrix.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::int4_matrix_values_test {
namespace {

using namespace int4;

// Every element v of an A matrix becomes a 32-bit integer by `body`, from %m to %r of type %W.
void expectElements(const std::string& declarations, const std::string& body, bool isSigned,
                    const std::function<int32_t(const Nibbles&, uint32_t, uint32_t)>& expected,
                    const std::vector<SpecConstant>& specialization = {},
                    const std::string& decorations = {}) {
    constexpr uint32_t kRows = 16, kColumns = 32;
    Rng rng("Int4Elements");
    Nibbles matrix = randomNibbles(rng, kRows, kColumns, isSigned);
    const NibbleMemory from = memoryOf("u32", false, kRows, kColumns);
    Assembly module = withNibbles({{"a", "u32"}, {"d", "s32"}});
    module.decorations = decorations;
    module.declarations = matrixOf("M", nibbleType(isSigned), kRows, kColumns, 0) +
                          matrixOf("W", "%s32", kRows, kColumns, 0) + declarations;
    // Variables come first in a function.
    const size_t variable = body.starts_with("%var") ? body.find('\n') + 1 : 0;
    module.body = body.substr(0, variable) + load("m", "%M", "a", from) + body.substr(variable) +
                  store("r", "d", {"s32", false, kColumns});
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(bytesOf(from, kRows, kColumns)),
                        rng.bytes(size_t{kRows} * kColumns * 4)};
    scatter(matrix, from, dispatch.buffers[0]);
    std::vector<int32_t> want;
    for (uint32_t r = 0; r < kRows; ++r)
        for (uint32_t c = 0; c < kColumns; ++c) want.push_back(expected(matrix, r, c));
    const auto after =
        run(assemble(module, Checked::kNo), dispatch, {.specialization = specialization});
    EXPECT_EQ(difference(after[1], wordBytes(want)), "") << body;
}

// %T: the matrix type between.
std::string otherMatrix(const ComponentInfo& wide) {
    return matrixOf("T", std::string(wide.spirv), 16, 32, 0);
}

int32_t value(const Nibbles& m, uint32_t r, uint32_t c) { return m.value(r, c, true); }
int32_t unsignedValue(const Nibbles& m, uint32_t r, uint32_t c) { return m.value(r, c, false); }

class Int4MatrixConversions : public testing::TestWithParam<Component> {};

// To matrices of another type, and from there to 32 bits.
TEST_P(Int4MatrixConversions, Widening) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const ComponentInfo& wide = info(GetParam());
    COOPVK_REQUIRE(GetParam());
    const std::string types = otherMatrix(wide) + matrixOf("U32", "%u32", 16, 32, 0);
    for (const bool sign : {false, true}) {
        if (wide.isFloat()) {
            expectElements(types, "%h = OpConvertSToF %T %m\n%r = OpConvertFToS %W %h\n", sign,
                           value);
            expectElements(types, "%h = OpConvertUToF %T %m\n%r = OpConvertFToS %W %h\n", sign,
                           unsignedValue);
        } else if (wide.isSigned()) {
            expectElements(types, "%h = OpSConvert %T %m\n%r = OpSConvert %W %h\n", sign, value);
        } else {
            expectElements(types,
                           "%h = OpUConvert %T %m\n%u = OpUConvert %U32 %h\n"
                           "%r = OpBitcast %W %u\n",
                           sign, unsignedValue);
        }
    }
}

// From there into four bits: the low ones of integers, floats rounded towards zero.
TEST_P(Int4MatrixConversions, Narrowing) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const ComponentInfo& wide = info(GetParam());
    COOPVK_REQUIRE(GetParam());
    const std::string type(wide.spirv);
    const std::string types = otherMatrix(wide) + matrixOf("U", "%u4", 16, 32, 0) +
                              "%n = OpConstant " + type + (wide.isFloat() ? " 0.5\n" : " 5\n");
    if (wide.isFloat()) {
        expectElements(types,
                       "%h = OpConvertSToF %T %m\n%t = OpMatrixTimesScalar %T %h %n\n"
                       "%s = OpConvertFToS %M %t\n%r = OpSConvert %W %s\n",
                       true,
                       [](const Nibbles& m, uint32_t r, uint32_t c) { return value(m, r, c) / 2; });
        expectElements(types,
                       "%h = OpConvertUToF %T %m\n%t = OpMatrixTimesScalar %T %h %n\n"
                       "%s = OpConvertFToU %U %t\n%b = OpBitcast %M %s\n%r = OpSConvert %W %b\n",
                       true, [](const Nibbles& m, uint32_t r, uint32_t c) {
                           return unsignedValue(m, r, c) / 2;
                       });
        return;
    }
    const std::string widen = wide.isSigned() ? "OpSConvert" : "OpUConvert";
    expectElements(types,
                   "%h = " + widen +
                       " %T %m\n%five = OpCompositeConstruct %T %n\n"
                       "%t = OpIAdd %T %h %five\n%s = " +
                       widen + (wide.isSigned() ? " %M" : " %U") + " %t\n" +
                       (wide.isSigned() ? "" : "%b = OpBitcast %M %s\n") + "%r = OpSConvert %W " +
                       (wide.isSigned() ? "%s" : "%b") + "\n",
                   true, [](const Nibbles& m, uint32_t r, uint32_t c) {
                       const int32_t sum = value(m, r, c) + 5;
                       return sum > 7 ? sum - 16 : sum;
                   });
}

INSTANTIATE_TEST_SUITE_P(All, Int4MatrixConversions,
                         testing::Values(Component::kS8, Component::kU8, Component::kS16,
                                         Component::kU16, Component::kS64, Component::kU64,
                                         Component::kF16, Component::kF32, Component::kF64),
                         [](const testing::TestParamInfo<Component>& type) {
                             return std::string(name(type.param));
                         });

// 32 bits and other signs.
TEST(Int4Converted, Integers) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const std::string more = matrixOf("U", "%u4", 16, 32, 0) + matrixOf("U32", "%u32", 16, 32, 0);
    for (const bool sign : {false, true}) {
        expectElements(matrixOf("U32", "%u32", 16, 32, 0), "%r = OpSConvert %W %m\n", sign, value);
        expectElements(matrixOf("U32", "%u32", 16, 32, 0),
                       "%q = OpUConvert %U32 %m\n%r = OpBitcast %W %q\n", sign, unsignedValue);
    }
    const std::string narrow =
        "%w = OpSConvert %W %m\n%five = OpCompositeConstruct %W %n5\n%t = OpIAdd %W %w %five\n";
    const std::string five = more + "%n5 = OpConstant %s32 5\n";
    expectElements(five, narrow + "%s = OpSConvert %M %t\n%r = OpSConvert %W %s\n", true,
                   [](const Nibbles& m, uint32_t r, uint32_t c) {
                       const int32_t sum = value(m, r, c) + 5;
                       return sum > 7 ? sum - 16 : sum;
                   });
    expectElements(
        five,
        narrow +
            "%tu = OpBitcast %U32 %t\n%s = OpUConvert %U %tu\n"
            "%su = OpUConvert %U32 %s\n%r = OpBitcast %W %su\n",
        true, [](const Nibbles& m, uint32_t r, uint32_t c) { return (value(m, r, c) + 5) & 15; });
    expectElements(more, "%s = OpBitcast %U %m\n%b = OpUConvert %U32 %s\n%r = OpBitcast %W %b\n",
                   true, unsignedValue);
}

TEST(Int4Parts, Elements) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const auto same = [](const Nibbles& m, uint32_t r, uint32_t c) { return m.value(r, c, true); };
    // All elements through a variable, one by one.
    expectElements(
        "%fn_M = OpTypePointer Function %M\n%fn_s4 = OpTypePointer Function %s4\n"
        "%n3 = OpConstant %s4 -3\n",
        "%var = OpVariable %fn_M Function\nOpStore %var %m\n"
        "%length = OpCooperativeMatrixLengthKHR %u32 %M\n"
        "OpBranch %head\n%head = OpLabel\n%i = OpPhi %u32 %c_0 %main_entry %next %more\n"
        "%go = OpULessThan %bool %i %length\nOpLoopMerge %done %more None\n"
        "OpBranchConditional %go %inside %done\n%inside = OpLabel\n"
        "%p = OpAccessChain %fn_s4 %var %i\n%e = OpLoad %s4 %p\n"
        "%w = OpSConvert %u32 %e\n%odd = OpBitwiseAnd %u32 %w %c_1\n"
        "%is_odd = OpINotEqual %bool %odd %c_0\n%chosen = OpSelect %s4 %is_odd %n3 %e\n"
        "OpStore %p %chosen\nOpBranch %more\n%more = OpLabel\n"
        "%next = OpIAdd %u32 %i %c_1\nOpBranch %head\n%done = OpLabel\n"
        "%m2 = OpLoad %M %var\n%r = OpSConvert %W %m2\n",
        true, [](const Nibbles& m, uint32_t r, uint32_t c) {
            const int32_t v = m.value(r, c, true);
            return v % 2 != 0 ? -3 : v;
        });
    expectElements("",
                   "%e = OpCompositeExtract %s4 %m 0\n%m2 = OpCompositeInsert %M %e %m 0\n"
                   "%r = OpSConvert %W %m2\n",
                   true, same);
    expectElements("%n3 = OpConstant %s4 -3\n%all = OpConstantComposite %M %n3\n",
                   "%r = OpSConvert %W %all\n", true,
                   [](const Nibbles&, uint32_t, uint32_t) { return -3; });
    expectElements(
        "%n3 = OpSpecConstant %s4 -3\n%all = OpSpecConstantComposite %M %n3\n",
        "%r = OpSConvert %W %all\n", true, [](const Nibbles&, uint32_t, uint32_t) { return -6; },
        {{9, 10, 1}}, "OpDecorate %n3 SpecId 9\n");
    expectElements("",
                   "%lb = OpINotEqual %bool %c_1 %c_0\n%z = OpUndef %M\n"
                   "%m2 = OpSelect %M %lb %m %z\n%m3 = OpCopyObject %M %m2\n"
                   "%r = OpSConvert %W %m3\n",
                   true, same);
}

}  // namespace
}  // namespace coopvk::test::int4_matrix_values_test
