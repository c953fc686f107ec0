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

namespace coopvk::rewrite::growth_test {
namespace {

using Words = std::vector<uint32_t>;

void replace(std::string& text, std::string_view from, std::string_view to) {
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
}

// A shader with a long vector, with more declarations and code.
std::string longVectors(std::string_view types, std::string_view variables, std::string_view code) {
    return std::format(R"(OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability LongVectorEXT
OpExtension "SPV_EXT_long_vector"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %in
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %in BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c20 = OpConstant %uint 20
%one = OpConstant %f32 1
%long = OpTypeVectorIdEXT %f32 %c20
%pLong = OpTypePointer Function %long
%pUint = OpTypePointer Input %uint
%in = OpVariable %pUint Input
%none = OpConstantNull %long
{}
%main = OpFunction %void None %function
%entry = OpLabel
%v = OpVariable %pLong Function
{}
%i = OpLoad %uint %in
%n = OpConvertUToF %f32 %i
%x = OpCompositeInsert %long %n %none 0
OpStore %v %x
{}
OpReturn
OpFunctionEnd
)",
                       types, variables, code);
}

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
    constexpr int kLinks = 200'000;
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

// The scopes of matrices are as many constants.
Words manyMatrixTypes(size_t count) {
    std::string types;
    for (size_t i = 0; i < count; ++i) {
        types += std::format(
            "%scope{0} = OpConstant %u32 3\n"
            "%T{0} = OpTypeCooperativeMatrixKHR %f16 %scope{0} %rows %depth %c0\n",
            i);
    }
    std::string text = test::multiplyModule(32, 32, 32);
    replace(text, "%main = OpFunction", types + "%main = OpFunction");
    return test::assemble(text);
}

// Each block of a loop may leave it.
Words manyBreaks(size_t count) {
    std::string code = R"(OpBranch %header
%header = OpLabel
OpLoopMerge %merge %continue None
OpBranch %b0
)";
    for (size_t i = 0; i < count; ++i) {
        const std::string next = i + 1 < count ? std::format("%b{}", i + 1) : "%continue";
        code += std::format(
            "%b{0} = OpLabel\n%t{0} = OpULessThan %bool %rows %c{1}\n"
            "OpBranchConditional %t{0} {2} %merge\n",
            i, i % 4, next);
    }
    code += "%continue = OpLabel\nOpBranch %header\n%merge = OpLabel\n";
    std::string text = test::multiplyModule(16, 16, 16);
    replace(text, "%main = OpFunction", "%bool = OpTypeBool\n%main = OpFunction");
    replace(text, "OpReturn", code + "OpReturn");
    return test::assemble(text);
}

Words manyCases(size_t count) {
    std::string code = "OpSelectionMerge %merge None\nOpSwitch %i %merge", blocks;
    for (size_t i = 0; i < count; ++i) {
        code += std::format(" {0} %b{0}", i);
        blocks +=
            std::format("%b{0} = OpLabel\n%t{0} = OpIAdd %uint %i %c20\nOpBranch %merge\n", i);
    }
    return test::assemble(longVectors("", "", code + "\n" + blocks + "%merge = OpLabel"));
}

// All of them are needed until the end.
Words manyLongVectors(size_t count) {
    std::string code, sums;
    for (size_t i = 0; i < count; ++i) {
        code += std::format("%y{0} = OpCompositeInsert %long %one {1} {2}\n", i,
                            i == 0 ? "%x" : std::format("%y{}", i - 1), i % 20);
    }
    for (size_t i = 0; i < count; ++i) {
        sums += std::format("%e{0} = OpCompositeExtract %f32 %y{0} 3\n", i);
    }
    return test::assemble(longVectors("", "", code + sums));
}

// All of them are read where they are.
Words manyLoads(size_t count) {
    std::string code, sums;
    for (size_t i = 0; i < count; ++i) code += std::format("%y{} = OpLoad %long %v\n", i);
    for (size_t i = 0; i < count; ++i) {
        sums += std::format("%e{0} = OpCompositeExtract %f32 %y{0} 3\n", i);
    }
    return test::assemble(longVectors("", "", code + sums));
}

void toCore(const Words& words) { expectRewritten(words, targetFor()); }
void toNative(const Words& words) { expectRewritten(words, targetFor(BackEnd::kNative)); }

const Growing kGrowing[] = {
    {"MatrixTypes", 1500, manyMatrixTypes, toCore},
    {"MatrixTypesOfTheDriver", 1500, manyMatrixTypes, toNative},
    {"ScannedMatrixTypes", 5000, manyMatrixTypes,
     [](const Words& words) { scan(words, ExtensionSet::all()); }},
    {"Breaks", 3000, manyBreaks, toCore},
    {"Cases", 4000, manyCases, toCore},
    {"LongVectors", 2000, manyLongVectors, toCore},
    {"Loads", 1500, manyLoads, toCore},
};

class GrowthOf : public testing::TestWithParam<Growing> {};

// The least processor time of some runs.
double secondsOf(const Growing& growing, const Words& words) {
    double least = 1e9;
    for (int run = 0; run < 3; ++run) {
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
    const double once = secondsOf(growing, growing.make(growing.size));
    const double more =
        secondsOf(growing, growing.make(static_cast<size_t>(kTimes) * growing.size));
    EXPECT_LT(more, kMost * std::max(once, kShortest));
    RecordProperty("milliseconds", static_cast<int>(1000 * more));
    std::cout << growing.name << ": " << 1000 * once << " ms, " << 1000 * more << " ms\n";
}

INSTANTIATE_TEST_SUITE_P(All, GrowthOf, testing::ValuesIn(kGrowing),
                         [](const auto& growing) { return growing.param.name; });

}  // namespace
}  // namespace coopvk::rewrite::growth_test
