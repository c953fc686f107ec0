// SPDX-License-Identifier: Apache-2.0
//
// In a layout of elements, products in loops have a grid of lanes of their own; accumulators are
// converted where the loops begin and end. Executed natively and rewritten on the reference device.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>
#include <optional>
#include <ostream>

#include "../driver/harness/shader.hpp"
#include "checking.hpp"

namespace coopvk::test {

namespace {

using check::Verdict;
using rewrite::ElementLayout;

struct GridCase {
    std::string_view name, code;
    bool hasGrid;
    std::string_view order = "RowMajor";  // of B
    std::string_view deviceClass = "GPU";
    std::string_view sum = "float";
    std::optional<bool> hasGridOfNvidia = {};  // where that is not `hasGrid`

    bool hasGridOf(ElementLayout layout) const {
        return layout == ElementLayout::kNvidia ? hasGridOfNvidia.value_or(hasGrid) : hasGrid;
    }
};

void PrintTo(const GridCase& c, std::ostream* out) { *out << c.name; }

constexpr std::string_view kProducts = R"(
    for (uint k = 0; k < depth; k += 16) {
        coopMatLoad(x, a, k, 64, gl_CooperativeMatrixLayoutRowMajor);
        for (uint i = 0; i < 2; ++i) {
            coopMatLoad(y, b, ${place}, 64, gl_CooperativeMatrixLayout${order});
            s[i] = coopMatMulAdd(x, y, s[i]);
            ${inLoop}
        }
    })";

constexpr GridCase kGridCases[] = {
    {"NamesBehind", "${zeros} ${products} ${names}", true},
    {"NamesAhead", "${zeros} ${names} ${products}", true},
    {"NamesBetween", "${zeros} ${products} ${names} ${products} s[1] = s[0] + s[1];", true},
    {"NamesInALoopAround",
     "${zeros} for (uint n = 0; n < turns; ++n) { ${products} ${names} } s[0] += s[1];", true},
    {"ZerosInALoopAround", "for (uint n = 0; n < turns; ++n) { ${zeros} ${products} ${names} }",
     true},
    {"LoopInABranch", "${zeros} if (turns > 1) { ${products} } ${names}", true},
    {"OneOfTwo", "${zeros} ${products} for (uint e = 0; e < s[0].length(); ++e) s[0][e] += e;",
     true},
    {"LoadedSums",
     "for (uint i = 0; i < 2; ++i) coopMatLoad(s[i], d, i * 16, 32, "
     "gl_CooperativeMatrixLayoutRowMajor); ${products} ${names}",
     true},
    // Nothing to gain, or not without conversions in the loop.
    {"NamesInside", "${zeros} ${products:named}", false},
    {"NamedFactors",
     "${zeros} ${products} x[0] = float16_t(2); s[0] = coopMatMulAdd(x, y, s[0]); "
     "${names}",
     false},
    {"NoLoop", "${zeros} s[0] = coopMatMulAdd(x, y, s[0]); ${names}", false},
    {"LinesOfHalves", "${zeros} ${products} ${names}", false, "ColumnMajor"},
    {"LinesOfConvertedHalves", "${zeros} ${products} ${names}", true, "ColumnMajor",
     "GPU with many registers"},
    // A lane holds 8 rows of A and a column of B with RDNA 4's grid; 2 and 4 with NVIDIA's, or 4
    // and 2 with the fastest one.
    {"LinesOfHalvesIntoHalves", "${zeros} ${products} ${names}", true, "ColumnMajor",
     "GPU with many registers", "float16_t", false},
    {"LinesOfHalvesIntoHalvesElsewhere", "${zeros} ${products} ${names}", false, "ColumnMajor",
     "GPU", "float16_t"},
    {"LinesOfHalvesByScalarRegisters", "${zeros} ${products} ${names}", true, "ColumnMajor",
     "GPU with scalar registers", "float", false},
    {"RowsOfHalvesIntoHalves", "${zeros} ${products} ${names}", true, "RowMajor",
     "GPU with many registers", "float16_t"},
};

std::string sourceOf(const GridCase& c) {
    constexpr std::string_view kText = R"(#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { float16_t a[4096]; };
layout(binding = 1) readonly buffer B { float16_t b[8192]; };
layout(binding = 2) buffer C { ${sum} c[512]; };
layout(binding = 3) readonly buffer D { ${sum} d[512]; };
layout(push_constant) uniform P { uint depth, turns; };
void main() {
    coopmat<${sum}, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> s[2];
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> x;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> y;
    coopMatLoad(x, a, 0, 64, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(y, b, 0, 64, gl_CooperativeMatrixLayout${order});
    ${code}
    for (uint i = 0; i < 2; ++i) coopMatStore(s[i], c, i * 16, 32, gl_CooperativeMatrixLayoutRowMajor);
}
)";
    const auto products = [&](std::string_view inLoop) {
        const bool isRows = c.order == "RowMajor";
        return substitute(kProducts, {{"place", isRows ? "k * 64 + i * 16" : "k + i * 1024"},
                                      {"order", std::string(c.order)},
                                      {"inLoop", std::string(inLoop)}});
    };
    const std::string code = substitute(
        c.code,
        {{"zeros", substitute("for (uint i = 0; i < 2; ++i) s[i] = coopmat<${sum}, "
                              "gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0);",
                              {{"sum", std::string(c.sum)}})},
         {"products", products("")},
         {"products:named", products("s[i][0] += 1;")},
         {"names", substitute("for (uint i = 0; i < 2; ++i) for (uint e = 0; e < s[i].length(); "
                              "++e) s[i][e] += ${sum}(e + 100 * gl_SubgroupInvocationID);",
                              {{"sum", std::string(c.sum)}})}});
    std::string text = substitute(
        kText, {{"order", std::string(c.order)}, {"sum", std::string(c.sum)}, {"code", code}});
    const std::string_view kFirst = "#extension GL_EXT_shader_16bit_storage : require\n";
    return text.insert(text.find(kFirst), "#extension GL_KHR_shader_subgroup_basic : require\n");
}

class OwnGrid : public testing::TestWithParam<GridCase> {};

bool hasOwnGrid(const Words& words, const rewrite::Target& target) {
    const auto result = rewrite::rewrite({.words = words}, target);
    EXPECT_TRUE(result) << result.error().message;
    return result && std::ranges::count(result->notes, "products have a grid of their own") != 0;
}

TEST_P(OwnGrid, WritesTheSame) {
    check::Options options;
    options.lanes = {32};
    options.backEnds = {rewrite::BackEnd::kCore};
    options.threads = 1;
    const uint32_t push[] = {64, 2};
    const auto bytes = std::as_bytes(std::span(push));
    options.memory.pushConstants.assign(bytes.begin(), bytes.end());
    const auto gpu = std::ranges::find(check::deviceClasses(), GetParam().deviceClass,
                                       &check::DeviceClass::name);
    ASSERT_NE(gpu, check::deviceClasses().end());
    for (const Variant variant : {Variant::kPlain, Variant::kFast}) {
        const Words words = compileGlsl(sourceOf(GetParam()), variant);
        for (const ElementLayout layout : {ElementLayout::kNvidia, ElementLayout::kRdna4}) {
            SCOPED_TRACE(std::format("{}, {}", nameOf(variant), elementLayoutName(layout)));
            check::Subject subject{.words = words, .specialization = {}};
            subject.target.elementLayout = layout;
            subject.target.subgroupSize = 32;
            subject.target.device = check::referenceTraits(*gpu);
            EXPECT_EQ(hasOwnGrid(words, subject.target), GetParam().hasGridOf(layout));
            for (const check::Outcome& outcome : check::check(subject, options))
                EXPECT_EQ(outcome.verdict, Verdict::kAgrees) << describe(outcome);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, OwnGrid, testing::ValuesIn(kGridCases),
                         [](const auto& c) { return std::string(c.param.name); });

// Neighbours that a lane has in the layout lie in a lane of the products, too, so that they are
// converted together; but not rows that lanes read from shared memory at the same time.
TEST(OwnGridBlocks, AreThoseOfTheLayoutUnlessShared) {
    const std::string_view kBuffer =
        "layout(binding = 0) readonly buffer A { float16_t a[4096]; };";
    const std::string source = sourceOf({"", "${zeros} ${products} ${names}", true});
    ASSERT_NE(source.find(kBuffer), std::string::npos);
    std::string shared = source;
    shared.replace(source.find(kBuffer), kBuffer.size(), "shared float16_t a[4096];");
    for (const auto& [text, blocks] :
         {std::pair(source, "row blocks 8,"), std::pair(shared, "row blocks 1,")}) {
        rewrite::Target target;
        target.elementLayout = ElementLayout::kRdna4;
        target.device = check::referenceTraits();
        const Words words = compileGlsl(text, Variant::kPlain);
        const auto result = rewrite::rewrite({.words = words}, target);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_TRUE(std::ranges::any_of(result->notes, [&](const std::string& note) {
            return note.find(blocks) != std::string::npos;
        })) << blocks;
    }
}

}  // namespace

}  // namespace coopvk::test
