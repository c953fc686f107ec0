// SPDX-License-Identifier: Apache-2.0
//
// What the rewriter does grows no faster than a module, whatever is long or nested in it, and no
// depth of it uses up the stack.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <format>
#include <functional>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "growth_modules.hpp"

namespace coopvk::rewrite::growth_test {
namespace {

Target targetFor(BackEnd backEnd = BackEnd::kAuto) {
    Target target;
    using enum ComponentType;
    if (backEnd == BackEnd::kNative) {
        target.device.nativeShapes = {{16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false}};
    }
    target.backEnd = backEnd;
    return target;
}

void expectRewritten(const Words& words, const Target& target, uint64_t maxSteps = kMaxSteps) {
    Request request;
    request.words = words;
    request.maxSteps = maxSteps;
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
}

// ---------------------------------------------------------------------------------------------
// Depth

TEST(Growth, ChainsOfLengthConstantsNeedNoStack) {
    constexpr int kLinks = 25'000;
    std::string chain = "%n0 = OpSpecConstantOp %u32 CooperativeMatrixLengthKHR %C\n";
    for (int i = 1; i <= kLinks; ++i) {
        chain += std::format("%n{} = OpSpecConstantOp %u32 IAdd %n{} %c1\n", i, i - 1);
    }
    std::string text = test::multiplyModule(16, 16, 16);
    replace(text, "%main = OpFunction", chain + "%main = OpFunction");
    const size_t body = text.find('\n', text.find("OpLabel")) + 1;
    text.insert(body, std::format("%used = OpIAdd %u32 %n{} %c1\n", kLinks));
    expectRewritten(test::assemble(text), targetFor(BackEnd::kNative));
}

// 2^30 paths lead from the outermost structure to the innermost one.
TEST(Growth, EachNestedTypeIsLookedAtOnce) {
    std::string types = "%s0 = OpTypeStruct %f32 %uint\n";
    for (int i = 1; i <= 30; ++i)
        types += std::format("%s{0} = OpTypeStruct %s{1} %s{1}\n", i, i - 1);
    expectRewritten(test::assemble(longVectors(types, "", "")), targetFor(), 1'000'000);
}

// ---------------------------------------------------------------------------------------------
// Length

struct Growing {
    const char* name;
    size_t size;  // takes some milliseconds
    std::function<Words(size_t)> make;
    std::function<void(const Words&)> run;
};

void PrintTo(const Growing& growing, std::ostream* out) { *out << growing.name; }

void toCore(const Words& words) { expectRewritten(words, targetFor()); }
void toNative(const Words& words) { expectRewritten(words, targetFor(BackEnd::kNative)); }

const Growing kGrowing[] = {
    {"MatrixTypes", 1500, manyMatrixTypes, toCore},
    {"MatrixTypesOfTheDriver", 1500, manyMatrixTypes, toNative},
    {"ScannedMatrixTypes", 5000, manyMatrixTypes,
     [](const Words& words) { scan(words, ExtensionSet::all()); }},
    {"Breaks", 3000, manyBreaks, toCore},
    {"NestedLoops", 1000, [](size_t count) { return nestedLoops(count); }, toCore},
    {"WritersOfACounter", 1000,
     [](size_t count) { return nestedLoops(count, "OpStore %counter %c1"); }, toCore},
    {"NestedContinues", 1000, nestedContinues, toCore},
    {"LoopsOfTheDriver", 1000, [](size_t count) { return nestedLoops(count); }, toNative},
    {"ContinuesOfTheDriver", 1000, nestedContinues, toNative},
    {"ElementsOfTheDriver", 1000, manyElements, toNative},
    {"ChainsOfTheDriver", 1000, manyChains, toNative},
    {"UndefinedOfTheDriver", 1000, manyUndefined, toNative},
    {"LengthsOfTheDriver", 1000, manyLengths, toNative},
    {"Decoders", 3000, manyDecoders, toCore},
    {"Functions", 2000, manyFunctionsWithLoops, toCore},
    {"Cases", 4000, manyCases, toCore},
    {"LongVectors", 2000, manyLongVectors, toCore},
    {"Loads", 1500, manyLoads, toCore},
};

class GrowthOf : public testing::TestWithParam<Growing> {};

// The least processor time of some runs, or the first that is short enough.
double secondsOf(const Growing& growing, const Words& words, double enough) {
    double least = 1e9;
    for (int run = 0; run < 3 && least >= enough; ++run) {
        const std::clock_t start = std::clock();
        growing.run(words);
        least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return least;
}

// A quadratic part would take 36 times as long.
TEST_P(GrowthOf, SixTimesAsMuchTakesAboutSixTimesAsLong) {
    constexpr double kTimes = 6, kMost = 20, kShortest = 1e-3;
    const Growing& growing = GetParam();
    const double once = secondsOf(growing, growing.make(growing.size), 0);
    const double most = kMost * std::max(once, kShortest);
    const double more =
        secondsOf(growing, growing.make(static_cast<size_t>(kTimes) * growing.size), most);
    EXPECT_LT(more, most);
    RecordProperty("milliseconds", static_cast<int>(1000 * more));
    std::cout << growing.name << ": " << 1000 * once << " ms, " << 1000 * more << " ms\n";
}

INSTANTIATE_TEST_SUITE_P(All, GrowthOf, testing::ValuesIn(kGrowing),
                         [](const auto& growing) { return growing.param.name; });

}  // namespace
}  // namespace coopvk::rewrite::growth_test
