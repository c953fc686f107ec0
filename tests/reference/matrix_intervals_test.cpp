// SPDX-License-Identifier: Apache-2.0
//
// Programs with matrices carry intervals: products and reductions may add in any order, and what is
// exact in each order has no freedom.
#include <gtest/gtest.h>

#include "coopvk_reference/intervals.hpp"
#include "matrix_text.hpp"
#include "program_runner.hpp"

namespace coopvk::reference::test::matrix_intervals_test {
namespace {

constexpr uint32_t kRows = 4, kColumns = 6;

// The same matrices of f16, and one of integers.
const std::string kOthers = R"(
%f16 = OpTypeFloat 16
%AH = OpTypeCooperativeMatrixKHR %f16 %scope %4 %8 %0
%BH = OpTypeCooperativeMatrixKHR %f16 %scope %8 %6 %1
%CH = OpTypeCooperativeMatrixKHR %f16 %scope %4 %6 %2
%of_halves = OpTypeFunction %f16 %f16 %f16
%CI = OpTypeCooperativeMatrixKHR %u32 %scope %4 %6 %2
%of_words = OpTypeFunction %u32 %u32 %u32
%3 = OpConstant %u32 3
%quarter = OpTypeCooperativeMatrixKHR %f32 %scope %2 %3 %2
)";

// The intervals of the floats of C, by rows, after a body that stores it to %p2.
std::vector<Interval> intervalsOf(const std::string& body, const std::string& functions,
                                  const std::vector<float>& first, const std::vector<float>& second,
                                  const std::string& annotations = "") {
    Intervals intervals;
    Execution r;
    r.settings.intervals = &intervals;
    for (const float value : first) r.buffers[0].push_back(bitsOf(value));
    for (const float value : second) r.buffers[1].push_back(bitsOf(value));
    r.buffers[2].resize(size_t{kRows} * kColumns);
    for (const auto& [binding, words] : r.buffers) r.deviations[binding].resize(words.size() * 4);
    std::string module = text(body, "3", r.lanes, functions);
    module.insert(module.find("%array = "), kOthers + "%bool = OpTypeBool\n");
    module.insert(module.find("OpDecorate"), annotations);
    module.insert(module.find("OpCapability"), "OpCapability Float16\n");
    execute(r, module);
    EXPECT_EQ(r.error, "");
    for (const Report& report : r.reports) ADD_FAILURE() << describe(report);
    std::vector<Interval> result;
    for (size_t i = 0; i < r.buffers[2].size(); ++i)
        result.push_back(intervalOf(r.deviations[2][i * 4], numbers::Number::f32, r.buffers[2][i]));
    return result;
}

bool isPoint(const Interval& interval, double value) {
    return interval.low == value && interval.high == value;
}

// A large number and its negative: sums in other orders lose the small ones between them.
constexpr float kLarge = 0x1p27f;

TEST(MatrixIntervals, ProductsAddInAnyOrder) {
    std::vector<float> a(32, 1), b(48, 1);
    for (size_t k = 0; k < 8; ++k) a[8 + k] = k == 0 ? kLarge : k == 1 ? -kLarge : 1;
    for (size_t k = 0; k < 8; ++k) a[16 + k] = 0x1p120f;
    for (size_t k = 0; k < 8; ++k) b[k * 6 + 5] = 0x1p7f;
    const auto c = intervalsOf(
        "%a = OpCooperativeMatrixLoadKHR %A %p0 %0 %8\n%b = OpCooperativeMatrixLoadKHR %B %p1 %0 "
        "%6\n%c = OpCooperativeMatrixMulAddKHR %C %a %b %zeros\n"
        "OpCooperativeMatrixStoreKHR %p2 %c %0 %6",
        "", a, b);
    EXPECT_TRUE(isPoint(c[0], 8));
    EXPECT_TRUE(c[6].contains(6) && c[6].contains(0) && !c[6].contains(kLarge));
    EXPECT_TRUE(isPoint(c[12], 8 * 0x1p120));
    // 2^127 fits, twice that does not.
    EXPECT_TRUE(c[17].contains(INFINITY) && !c[17].contains(0) && !c[17].contains(NAN));
}

// -40000 and 30016 are added twice. Each sum is small, but that of the first ones is not, where
// nothing forbids to rearrange the second product.
TEST(MatrixIntervals, HalvesOfProductsMayBeOneSum) {
    std::vector<float> a(32), b(48, 1);
    a[0] = -40000;
    a[1] = 30016;
    const std::string body =
        "%a = OpCooperativeMatrixLoadKHR %A %p0 %0 %8\n%b = OpCooperativeMatrixLoadKHR %B %p1 %0 "
        "%6\n%ah = OpFConvert %AH %a\n%bh = OpFConvert %BH %b\n%zh = OpFConvert %CH %zeros\n"
        "%c1 = OpCooperativeMatrixMulAddKHR %CH %ah %bh %zh\n"
        "%c2 = OpCooperativeMatrixMulAddKHR %CH %ah %bh %c1\n%c = OpFConvert %C %c2\n"
        "OpCooperativeMatrixStoreKHR %p2 %c %0 %6";
    const Interval open = intervalsOf(body, "", a, b)[0];
    EXPECT_TRUE(open.contains(-INFINITY) && open.contains(-19968) && !open.contains(INFINITY));
    const Interval fixed = intervalsOf(body, "", a, b, "OpDecorate %c2 NoContraction\n")[0];
    EXPECT_TRUE(fixed.contains(-19968) && !fixed.contains(-INFINITY));
}

// The same by one instruction, which adds to two matrices in turn, twice to each.
TEST(MatrixIntervals, OneProductMayAddToSeveralSums) {
    std::vector<float> a(32), b(48, 1);
    a[0] = -40000;
    a[1] = 30016;
    const Interval sum = intervalsOf(
        "%a = OpCooperativeMatrixLoadKHR %A %p0 %0 %8\n%b = OpCooperativeMatrixLoadKHR %B %p1 %0 "
        "%6\n%o = OpCooperativeMatrixLoadKHR %C %p0 %0 %6\n%ah = OpFConvert %AH %a\n"
        "%bh = OpFConvert %BH %b\n%zh = OpFConvert %CH %zeros\n%oh = OpFConvert %CH %o\n"
        "OpBranch %before\n%before = OpLabel\nOpBranch %head\n%head = OpLabel\n"
        "%i = OpPhi %u32 %0 %before %next %body\n%x = OpPhi %CH %zh %before %y %body\n"
        "%y = OpPhi %CH %oh %before %more %body\n%ends = OpIEqual %bool %i %8\n"
        "OpLoopMerge %after %body None\nOpBranchConditional %ends %after %body\n"
        "%body = OpLabel\n%more = OpCooperativeMatrixMulAddKHR %CH %ah %bh %x\n"
        "%next = OpIAdd %u32 %i %2\nOpBranch %head\n%after = OpLabel\n"
        "%c = OpFConvert %C %x\nOpCooperativeMatrixStoreKHR %p2 %c %0 %6",
        "", a, b)[0];
    EXPECT_TRUE(sum.contains(-INFINITY) && sum.contains(-19968) && !sum.contains(INFINITY));
}

TEST(MatrixIntervals, ReductionsAddInAnyOrder) {
    std::vector<float> values(24, 1);
    values[6] = kLarge;
    values[7] = -kLarge;
    const auto c = intervalsOf(
        "%m = OpCooperativeMatrixLoadKHR %C %p0 %0 %6\n"
        "%r = OpCooperativeMatrixReduceNV %C %m Row %sum\n"
        "OpCooperativeMatrixStoreKHR %p2 %r %0 %6",
        "%sum = OpFunction %f32 None %binary\n%x = OpFunctionParameter %f32\n"
        "%y = OpFunctionParameter %f32\n%begin = OpLabel\n%s = OpFAdd %f32 %x %y\n"
        "OpReturnValue %s\nOpFunctionEnd\n",
        values, {0});
    for (uint32_t column = 0; column < kColumns; ++column) {
        EXPECT_TRUE(isPoint(c[column], 6));
        const Interval& other = c[kColumns + column];
        EXPECT_TRUE(other.contains(4) && other.contains(0) && !other.contains(kLarge));
    }
}

// By columns, of all, and of each two by two: what is added to a large number has freedom, and no
// other. The function that adds is another one's.
TEST(MatrixIntervals, ReductionsOfEachMode) {
    std::vector<float> values(24, 1);
    values[6] = kLarge;
    values[7] = -kLarge;
    const auto reduced = [&](const std::string& type, const std::string& mode) {
        return intervalsOf(
            "%m = OpCooperativeMatrixLoadKHR %C %p0 %0 %6\n"
            "%r = OpCooperativeMatrixReduceNV " +
                type + " %m " + mode + " %sum\nOpCooperativeMatrixStoreKHR %p2 %r %0 %6",
            "%sum = OpFunction %f32 None %binary\n%x = OpFunctionParameter %f32\n"
            "%y = OpFunctionParameter %f32\n%begin = OpLabel\n"
            "%s = OpFunctionCall %f32 %adds %x %y\nOpReturnValue %s\n"
            "OpFunctionEnd\n%adds = OpFunction %f32 None %binary\n"
            "%u = OpFunctionParameter %f32\n%v = OpFunctionParameter %f32\n"
            "%begins = OpLabel\n%t = OpFAdd %f32 %u %v\nOpReturnValue %t\n"
            "OpFunctionEnd\n",
            values, {0});
    };
    const auto columns = reduced("%C", "Column"), all = reduced("%C", "Row|Column"),
               quarters = reduced("%quarter", "2x2");
    for (uint32_t row = 0; row < kRows; ++row)
        for (uint32_t column = 0; column < kColumns; ++column) {
            const size_t at = row * kColumns + column;
            const float sum = column == 0 ? kLarge : column == 1 ? -kLarge : 4;
            EXPECT_TRUE(columns[at].contains(sum) && !columns[at].contains(0)) << at;
            EXPECT_EQ(isPoint(columns[at], 4), column > 1) << at;
            EXPECT_TRUE(all[at].contains(22) && all[at].contains(0) && !all[at].contains(kLarge));
            if (row >= 2 || column >= 3) continue;
            EXPECT_EQ(isPoint(quarters[at], 4), at != 0) << at;
        }
    EXPECT_TRUE(quarters[0].contains(2) && quarters[0].contains(0) &&
                !quarters[0].contains(kLarge));
}

// The function adds two halves as f32, and rounds: still an addition.
TEST(MatrixIntervals, ReductionsAddHalvesAsSingles) {
    std::vector<float> values(24, 1);
    values[6] = 0x1p14f;
    values[7] = -0x1p14f;
    const auto c = intervalsOf(
        "%m = OpCooperativeMatrixLoadKHR %C %p0 %0 %6\n%h = OpFConvert %CH %m\n"
        "%r = OpCooperativeMatrixReduceNV %CH %h Row %sum\n%s = OpFConvert %C %r\n"
        "OpCooperativeMatrixStoreKHR %p2 %s %0 %6",
        "%sum = OpFunction %f16 None %of_halves\n%x = OpFunctionParameter %f16\n"
        "%y = OpFunctionParameter %f16\n%begin = OpLabel\n%xs = OpFConvert %f32 %x\n"
        "%ys = OpFConvert %f32 %y\n%zs = OpFAdd %f32 %xs %ys\n%z = OpFConvert %f16 %zs\n"
        "OpReturnValue %z\nOpFunctionEnd\n",
        values, {0});
    EXPECT_TRUE(isPoint(c[0], 6));
    EXPECT_TRUE(c[6].contains(4) && c[6].contains(0) && !c[6].contains(0x1p14) && !c[6].nan);
}

// Sums of integers wrap, and are the same in each order; differences are not.
TEST(MatrixIntervals, ReductionsOfIntegers) {
    for (const std::string operation : {"OpIAdd", "OpISub"}) {
        std::vector<float> values(24, 3);
        values[7] = 5;
        const auto c = intervalsOf(
            "%m = OpCooperativeMatrixLoadKHR %C %p0 %0 %6\n%n = OpConvertFToS %CI %m\n"
            "%r = OpCooperativeMatrixReduceNV %CI %n Row %combined\n%s = OpConvertSToF %C %r\n"
            "OpCooperativeMatrixStoreKHR %p2 %s %0 %6",
            "%combined = OpFunction %u32 None %of_words\n%x = OpFunctionParameter %u32\n"
            "%y = OpFunctionParameter %u32\n%begin = OpLabel\n%z = " +
                operation + " %u32 %x %y\nOpReturnValue %z\nOpFunctionEnd\n",
            values, {0});
        EXPECT_EQ(isPoint(c[6], 20), operation == "OpIAdd");
        if (operation == "OpISub") {
            EXPECT_TRUE(c[6].contains(-10) && c[6].contains(10));
        }
    }
}

// A function that only chooses rounds nothing, however it is written.
TEST(MatrixIntervals, ReductionsThatChooseHaveNoFreedom) {
    std::vector<float> values(24, 1);
    values[7] = kLarge;
    const auto reduced = [&](const std::string& returned) {
        return intervalsOf(
            "%m = OpCooperativeMatrixLoadKHR %C %p0 %0 %6\n"
            "%r = OpCooperativeMatrixReduceNV %C %m Row %combined\n"
            "OpCooperativeMatrixStoreKHR %p2 %r %0 %6",
            "%combined = OpFunction %f32 None %binary\n%x = OpFunctionParameter %f32\n"
            "%y = OpFunctionParameter %f32\n%begin = OpLabel\n"
            "%is_larger = OpFOrdGreaterThan %bool %x %y\n"
            "%larger = OpSelect %f32 %is_larger %x %y\n%s = OpFAdd %f32 %larger %y\n"
            "%smaller = OpSelect %f32 %is_larger %y %x\n"
            "OpReturnValue " +
                returned + "\nOpFunctionEnd\n",
            values, {0});
    };
    const auto largest = reduced("%larger"), sums = reduced("%s"), smallest = reduced("%smaller");
    values[12] = values[13] = INFINITY;
    const auto ofInfinities = reduced("%larger");
    EXPECT_TRUE(isPoint(ofInfinities[0], 1));
    values[12] = NAN;
    const auto ofNan = reduced("%larger");
    EXPECT_TRUE(ofNan[2 * kColumns].nan);
    EXPECT_TRUE(isPoint(largest[0], 1));
    EXPECT_TRUE(isPoint(largest[kColumns], kLarge));
    EXPECT_TRUE(isPoint(smallest[kColumns], 1));
    EXPECT_FALSE(isPoint(sums[0], 1));
    EXPECT_TRUE(sums[0].nan);  // nothing is known
}

}  // namespace
}  // namespace coopvk::reference::test::matrix_intervals_test
