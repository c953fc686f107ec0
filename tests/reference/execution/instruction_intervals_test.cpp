// SPDX-License-Identifier: Apache-2.0
//
// Intervals of results hold what the formulas of Vulkan's "Precision of Individual Operations"
// give, step by step in binary32, for all numbers of the operands' intervals; and they are not
// wide.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "coopvk_reference/intervals.hpp"
#include "shader_text.hpp"

namespace coopvk::reference::test::instruction_intervals_test {
namespace {

using Floats = std::vector<float>;

// Operands are members of intervals: from each number to the next one but `more`.
struct Operands {
    Floats low;
    uint32_t more = 0;

    float high(size_t n) const {
        float value = low[n];
        for (uint32_t i = 0; i < more; ++i) value = std::nextafterf(value, INFINITY);
        return value;
    }
};

// Of the first `count` words that a body writes. It has the operands as %x0, %x1, ...
std::vector<Interval> intervalsOf(const std::string& body, const Operands& operands, size_t count,
                                  const std::string& declarations = "", bool contracts = false,
                                  Functions functions = Functions::kAsHere) {
    Intervals intervals(functions);
    Execution r;
    r.lanes = 4;
    r.settings.intervals = &intervals;
    r.settings.contracts = contracts;
    ShaderText text;
    text.localSize = 4;
    text.declarations =
        declarations +
        "%p_private_f32 = OpTypePointer Private %f32\n%local = OpVariable %p_private_f32 Private\n";
    for (size_t n = 0; n < operands.low.size(); ++n) {
        const std::string number = std::to_string(n);
        text.body += loadWord("%w" + number, "%u_" + number);
        text.body += "%x" + number + " = OpBitcast %f32 %w" + number + "\n";
        const uint32_t bits = bitsOf(operands.low[n]);
        Interval set = Interval::of(operands.low[n]);
        set.add(operands.high(n));
        r.buffers[0].push_back(bits);
        const Deviation deviation = deviationOf(numbers::Number::f32, bits, set);
        for (uint32_t byte = 0; byte < 4; ++byte)
            r.deviations[0].push_back(deviation == 0 || byte == 0 ? deviation : kContinues);
    }
    text.body += body;
    r.buffers[1].resize(count);
    r.deviations[1].resize(count * 4);
    execute(r, shader(text));
    EXPECT_EQ(r.error, "") << body;
    std::vector<Interval> result;
    for (size_t n = 0; n < count; ++n) {
        const Deviation deviation = r.deviations[1][n * 4];
        EXPECT_FALSE(isUnknown(deviation)) << body << intervals.reason(deviation);
        result.push_back(intervalOf(deviation, numbers::Number::f32, r.buffers[1][n]));
    }
    return result;
}

std::string stores(const std::string& value, uint32_t components) {
    std::string text;
    for (uint32_t c = 0; c < components; ++c) {
        const std::string n = std::to_string(c);
        if (components > 1)
            text += "%c" + n + " = OpCompositeExtract %f32 " + value + " " + n + "\n";
        text += "%b" + n + " = OpBitcast %u32 " + (components > 1 ? "%c" + n : value) + "\n" +
                storeWord("%u_" + n, "%b" + n);
    }
    return text;
}

// Executes a body whose result is %r, and compares with what the formula gives.
struct Formula {
    const char* name;
    std::string body;
    uint32_t operands, components;
    Floats (*of)(const Floats&);
    float least, most;  // operands
    double width;       // at most, as a part of the largest result or of 1
};

float dot(const float* a, const float* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
const std::string kVectors =
    "%v0 = OpCompositeConstruct %v3f32 %x0 %x1 %x2\n"
    "%v1 = OpCompositeConstruct %v3f32 %x3 %x4 %x5\n"
    "%v2 = OpCompositeConstruct %v3f32 %x6 %x7 %x8\n";
const std::string kMatrix = kVectors + "%m = OpCompositeConstruct %mat3 %v0 %v1 %v2\n";
Floats crossOf(const Floats& x) {
    return {x[1] * x[5] - x[4] * x[2], x[2] * x[3] - x[5] * x[0], x[0] * x[4] - x[3] * x[1]};
}
float determinantOf(const Floats& x) {
    return x[0] * (x[4] * x[8] - x[5] * x[7]) - x[3] * (x[1] * x[8] - x[2] * x[7]) +
           x[6] * (x[1] * x[5] - x[2] * x[4]);
}
Floats inverseOf(const Floats& x) {
    const float by = determinantOf(x);
    return {(x[4] * x[8] - x[5] * x[7]) / by, -(x[1] * x[8] - x[2] * x[7]) / by,
            (x[1] * x[5] - x[2] * x[4]) / by};
}
Floats refractionOf(const Floats& x) {
    const float eta = x[6], along = dot(&x[3], &x[0]);
    const float k = 1 - eta * eta * (1 - along * along);
    Floats result(3);
    for (size_t c = 0; c < 3 && k >= 0; ++c)
        result[c] = eta * x[c] - (eta * along + std::sqrt(k)) * x[3 + c];
    return result;
}
std::string glsl(const std::string& type, const std::string& operation) {
    return "%r = OpExtInst " + type + " %glsl " + operation + "\n";
}

const Formula kFormulas[] = {
    {"Refract", kVectors + glsl("%v3f32", "Refract %v0 %v1 %x6"), 9, 3, refractionOf, 0.1f, 0.5f,
     1e-4},
    {"FaceForward", kVectors + glsl("%v3f32", "FaceForward %v0 %v1 %v2"), 9, 3,
     [](const Floats& x) {
         return dot(&x[6], &x[3]) < 0 ? Floats{x[0], x[1], x[2]} : Floats{-x[0], -x[1], -x[2]};
     },
     0.5f, 2, 1e-5},
    {"Cross", kVectors + glsl("%v3f32", "Cross %v0 %v1"), 9, 3, crossOf, -2, 2, 1e-4},
    {"Determinant", kMatrix + glsl("%f32", "Determinant %m"), 9, 1,
     [](const Floats& x) { return Floats{determinantOf(x)}; }, -2, 2, 1e-3},
    {"MatrixInverse",
     kMatrix + glsl("%mat3", "MatrixInverse %m") + "%first = OpCompositeExtract %v3f32 %r 0\n", 9,
     3, inverseOf, -2, 2, 0.1},
    {"Ldexp", glsl("%f32", "Ldexp %x0 %u_3"), 1, 1,
     [](const Floats& x) { return Floats{x[0] * 8}; }, -2, 2, 1e-5},
    {"Modf", glsl("%pair", "ModfStruct %x0"), 1, 2,
     [](const Floats& x) { return Floats{x[0] - std::trunc(x[0]), std::trunc(x[0])}; }, -8, 8,
     1e-4},
    {"Frexp", glsl("%split", "FrexpStruct %x0") + "%first = OpCompositeExtract %f32 %r 0\n", 1, 1,
     [](const Floats& x) {
         int exponent = 0;
         return Floats{std::frexp(x[0], &exponent)};
     },
     1.1f, 1.9f, 1e-5},
    {"FMix", glsl("%f32", "FMix %x0 %x1 %x2"), 3, 1,
     [](const Floats& x) { return Floats{x[0] * (1 - x[2]) + x[1] * x[2]}; }, -2, 2, 1e-4},
    {"SmoothStep", glsl("%f32", "SmoothStep %f_0 %f_1 %x0"), 1, 1,
     [](const Floats& x) { return Floats{x[0] * x[0] * (3 - 2 * x[0])}; }, 0.1f, 0.9f, 1e-4},
    // The square of a number next to 1, less 1: its rounding counts.
    {"Acosh", glsl("%f32", "Acosh %x0"), 1, 1,
     [](const Floats& x) {
         const float square = x[0] * x[0];
         return Floats{std::log(x[0] + std::sqrt(square - 1))};
     },
     1.0001f, 1.001f, 1e-2},
};

class FormulaIntervals : public testing::TestWithParam<Formula> {};

TEST_P(FormulaIntervals, HoldEachStep) {
    const Formula& formula = GetParam();
    std::mt19937 random(17);
    std::uniform_real_distribution<float> any(formula.least, formula.most);
    const bool hasFirst = formula.body.find("%first") != std::string::npos;
    const std::string body = formula.body + stores(hasFirst ? "%first" : "%r", formula.components);
    for (int i = 0; i < 20; ++i) {
        Operands operands{.more = 3};
        for (uint32_t n = 0; n < formula.operands; ++n) operands.low.push_back(any(random));
        const auto sets =
            intervalsOf(body, operands, formula.components,
                        "%mat3 = OpTypeMatrix %v3f32 3\n%pair = OpTypeStruct %f32 %f32\n"
                        "%split = OpTypeStruct %f32 %s32\n");
        double largest = 1;
        for (int sample = 0; sample < 50; ++sample) {
            Floats members;
            for (uint32_t n = 0; n < formula.operands; ++n)
                members.push_back(random() % 2 == 0 ? operands.low[n] : operands.high(n));
            const Floats results = formula.of(members);
            for (size_t c = 0; c < results.size(); ++c) {
                largest = std::max(largest, double(std::abs(results[c])));
                ASSERT_TRUE(sets[c].contains(results[c]))
                    << results[c] << " is not in [" << sets[c].low << ", " << sets[c].high << "]";
            }
        }
        for (const Interval& set : sets) EXPECT_LT(set.high - set.low, largest * formula.width);
    }
}

INSTANTIATE_TEST_SUITE_P(All, FormulaIntervals, testing::ValuesIn(kFormulas),
                         [](const auto& each) { return std::string(each.param.name); });

// What goes through a pointer is an interval, too.
TEST(InstructionIntervals, WholePartsThroughPointers) {
    const auto sets = intervalsOf(glsl("%f32", "Modf %x0 %local") +
                                      "%second = OpLoad %f32 %local\n"
                                      "%both = OpCompositeConstruct %v2f32 %r %second\n" +
                                      stores("%both", 2),
                                  {{std::nextafterf(3, 0)}, 2}, 2);
    EXPECT_TRUE(sets[1].contains(2) && sets[1].contains(3) && !sets[1].contains(4));
    EXPECT_TRUE(sets[0].contains(0) && sets[0].contains(0.9999998f) && !sets[0].contains(-0.5f));
}

bool isPoint(const Interval& interval, double value) {
    return interval.low == value && interval.high == value;
}

// Of numbers that are no intervals: this device computes one; another may be off by 2.5 or by
// 3 + 2 units in the last place. What each device rounds correctly is one number.
TEST(InstructionIntervals, OtherDevicesComputeOtherNumbers) {
    const Operands numbers{{1, 3}};
    const auto of = [&](const std::string& body, Functions functions) {
        return intervalsOf(body + stores("%r", 1), numbers, 1, "", false, functions)[0];
    };
    struct Row {
        std::string body;
        float result;
        int inside, outside;  // in units in the last place
    };
    const Row rows[] = {{"%r = OpFDiv %f32 %x0 %x1\n", 1.0f / 3, 2, 5},
                        {glsl("%f32", "Exp %x0"), std::exp(1.0f), 5, 8},
                        {"%r = OpFMul %f32 %x1 %x1\n", 9, 0, 1}};
    for (const Row& row : rows) {
        const double unit = std::ldexp(1, std::ilogb(row.result) - 23);
        EXPECT_TRUE(isPoint(of(row.body, Functions::kAsHere), row.result)) << row.body;
        const Interval set = of(row.body, Functions::kAsAnywhere);
        for (const int sign : {-1, 1}) {
            EXPECT_TRUE(set.contains(row.result + sign * row.inside * unit)) << row.body;
            EXPECT_FALSE(set.contains(row.result + sign * row.outside * unit)) << row.body;
        }
    }
}

// A product that a sum may take before it is rounded: (1 + 2^-12)^2 - 1, in another block, behind a
// function, or with the sign of the product or of the number. The product itself is one number.
const std::string kProduct = "%p = OpFMul %f32 %x0 %x0\n";
const Operands kNear = {{0x1.001p0f, 1}};
constexpr double kApart = 0x1p-11, kOnce = 0x1p-11 + 0x1p-24;

TEST(InstructionIntervals, ProductsAreNotRoundedInSums) {
    const std::string inBlock = kProduct + "%r = OpFSub %f32 %p %x1\n";
    const std::string behindBranch = kProduct +
                                     "OpSelectionMerge %merge None\n"
                                     "OpBranchConditional %true %then %merge\n%then = OpLabel\n"
                                     "OpBranch %merge\n%merge = OpLabel\n"
                                     "%r = OpFSub %f32 %p %x1\n";
    const std::string inMemory =
        kProduct + "OpStore %local %p\n%l = OpLoad %f32 %local\n%r = OpFSub %f32 %l %x1\n";
    const std::string negated =
        kProduct + "%n = OpFNegate %f32 %p\n%s = OpFAdd %f32 %n %x1\n%r = OpFNegate %f32 %s\n";
    const std::string scaled =
        "%v = OpCompositeConstruct %v2f32 %x0 %x1\n%vp = OpVectorTimesScalar %v2f32 %v %x0\n"
        "%p = OpCompositeExtract %f32 %vp 0\n%r = OpFSub %f32 %p %x1\n";
    for (const std::string& body : {inBlock, behindBranch, inMemory, negated, scaled}) {
        const Interval set = intervalsOf(body + stores("%r", 1), kNear, 1, "", true)[0];
        EXPECT_TRUE(set.contains(kApart) && set.contains(kOnce)) << body;
        EXPECT_LT(set.high - set.low, 0x1p-21) << body;
        const Interval apart = intervalsOf(body + stores("%r", 1), kNear, 1)[0];
        EXPECT_TRUE(isPoint(apart, kApart)) << body;
    }
}

TEST(InstructionIntervals, ProductsAreRoundedElsewhere) {
    const double rounded = 0x1.002p0;
    for (const char* use : {"%r = OpFMul %f32 %p %x1\n", "%r = OpCopyObject %f32 %p\n",
                            "%r = OpExtInst %f32 %glsl FMax %p %x1\n",
                            "%q = OpBitcast %u32 %p\n%q1 = OpIAdd %u32 %q %u_0\n"
                            "%r = OpBitcast %f32 %q1\n"}) {
        const auto sets = intervalsOf(kProduct + use + stores("%r", 1), kNear, 1, "", true);
        EXPECT_TRUE(isPoint(sets[0], rounded)) << use;
    }
}

// A product beyond the range, which a contraction keeps: -x + 2 x of the largest number x.
TEST(InstructionIntervals, ProductsBeyondTheRangeInSums) {
    const float most = 0x1.fffffep127f;
    const Operands operands = {{-most, 2}};
    const std::string product = "%p = OpFMul %f32 %x0 %x1\n";
    const std::string difference = product + "%r = OpFSub %f32 %x0 %p\n" + stores("%r", 1);
    const Interval open = intervalsOf(difference, operands, 1, "", true)[0];
    EXPECT_TRUE(open.contains(most) && open.contains(INFINITY));
    EXPECT_FALSE(open.contains(-most) || open.nan);
    EXPECT_FALSE(intervalsOf(difference, operands, 1)[0].hasFinite());
    const auto itself = intervalsOf(product + stores("%p", 1), operands, 1, "", true);
    EXPECT_FALSE(itself[0].hasFinite());
    EXPECT_TRUE(itself[0].contains(-INFINITY) && !itself[0].contains(INFINITY));
}

}  // namespace
}  // namespace coopvk::reference::test::instruction_intervals_test
