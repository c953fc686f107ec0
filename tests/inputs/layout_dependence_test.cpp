// SPDX-License-Identifier: Apache-2.0
//
// Which shaders depend on which lane holds which element of a matrix, and what becomes of them
// where subgroups cannot have the layout.
#include <gtest/gtest.h>

#include <algorithm>

#include "../driver/harness/shader.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::test {

namespace {

using rewrite::ElementLayout;

struct Shader {
    const char* name;
    const char* body;
    bool depends;
};

constexpr Shader kShaders[] = {
    {"Product", "", false},
    {"Scale", "for (int i = 0; i < c.length(); ++i) c[i] *= scale;", false},
    {"Activation",
     "for (int i = 0; i < c.length(); ++i) c[i] = max(c[i], 0.0) / (1.0 + exp(-c[i]));", false},
    {"Narrow", "for (int i = 0; i < c.length(); ++i) h[i] = float16_t(c[i]);", false},
    {"Total",
     "float total = 0.0; for (int i = 0; i < c.length(); ++i) total += c[i];\n"
     "total = subgroupAdd(total); if (subgroupElect()) o[gl_WorkGroupID.x] = total;",
     false},
    {"ByWorkgroup", "for (int i = 0; i < c.length(); ++i) c[i] += bias[gl_WorkGroupID.x];", false},
    {"ByNumber", "for (int i = 0; i < c.length(); ++i) c[i] += bias[i];", true},
    {"OfNumber", "for (int i = 0; i < c.length(); ++i) c[i] = float(i / 2);", true},
    {"ByLane", "for (int i = 0; i < c.length(); ++i) c[i] += bias[gl_SubgroupInvocationID];", true},
    {"OfInvocation", "c[0] = float(gl_LocalInvocationID.x);", true},
    {"OfScan", "c[0] = subgroupInclusiveAdd(1.0);", true},
    {"OfElected", "c[0] = subgroupElect() ? 1.0 : 0.0;", true},
    {"OfTotal", "for (int i = 0; i < c.length(); ++i) c[i] = subgroupAdd(scale);", false},
    {"ThroughFunction", "for (int i = 0; i < c.length(); ++i) c[i] = biased(c[i], i);", true},
    {"ToAnotherUse", "for (int i = 0; i < c.length(); ++i) a[i] = float16_t(c[i]);", true},
    {"FromB", "for (int i = 0; i < c.length(); ++i) c[i] = float(b[i]);", true},
    {"ByLaneToMemory",
     "for (int i = 0; i < c.length(); ++i) o[gl_SubgroupInvocationID * 8 + i] = c[i];", true},
    {"ByNumberToMemory", "for (int i = 0; i < c.length(); ++i) o[i] = c[i];", true},
    {"Length", "o[0] = float(c.length());", true},
};

std::string source(const Shader& shader) {
    constexpr std::string_view kText = R"(#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Halves { float16_t halves[]; };
layout(set = 0, binding = 1) buffer Bias { float bias[]; };
layout(set = 0, binding = 2) buffer Out { float o[]; };
layout(push_constant) uniform Constants { float scale; };
float biased(float x, int at) { return x + bias[at + 1]; }
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> h;
    coopMatLoad(a, halves, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, halves, 256, 16, gl_CooperativeMatrixLayoutRowMajor);
    c = coopMatMulAdd(a, b, coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0));
    ${body}
    coopMatStore(c, o, 256, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(a, halves, 512, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(h, halves, 768, 16, gl_CooperativeMatrixLayoutRowMajor);
}
)";
    return substitute(kText, {{"body", shader.body}});
}

class DependsOnLayout : public testing::TestWithParam<Shader> {};

TEST_P(DependsOnLayout, IsFoundInEveryForm) {
    const Shader& shader = GetParam();
    // SPIRV-Tools' loop peeling, of kLoops, crashes at some of these.
    for (const Variant variant :
         {Variant::kPlain, Variant::kDebugInfo, Variant::kFast, Variant::kSmall}) {
        SCOPED_TRACE(nameOf(variant));
        const Words words = compileGlsl(source(shader), variant);
        rewrite::Target target;
        target.programLayout = ElementLayout::kNvidia;
        const auto result = rewrite::rewrite({.words = words}, target);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(result->wantedSubgroupSize, shader.depends ? 32u : 0u);
        // Without a reason to take it for NVIDIA's, it may have any.
        target.programLayout = ElementLayout::kAuto;
        const auto other = rewrite::rewrite({.words = words}, target);
        ASSERT_TRUE(other) << other.error().message;
        EXPECT_EQ(other->wantedSubgroupSize, 0u);
    }
}

// Where nothing is known of the program, the device's family has a layout for it. Copies between
// matrices of one size mean equal elements on every GPU: they need none.
TEST_P(DependsOnLayout, OfTheFamilyWhereNothingElseIsKnown) {
    const Shader& shader = GetParam();
    const std::string_view name = shader.name;
    const bool copies = name == "ToAnotherUse" || name == "FromB";
    const Words words = compileGlsl(source(shader));
    const auto hasNote = [&](const rewrite::Target& target, ElementLayout layout) {
        const auto result = rewrite::rewrite({.words = words}, target);
        EXPECT_TRUE(result) << result.error().message;
        const std::string note = "depends on the layout of elements: ";
        return result && std::ranges::count(result->notes,
                                            note + std::string(elementLayoutName(layout))) == 1;
    };
    rewrite::Target target;
    target.device.familyLayout = ElementLayout::kRdna4;
    EXPECT_EQ(hasNote(target, ElementLayout::kRdna4), shader.depends && !copies);
    target.programLayout = ElementLayout::kNvidia;
    EXPECT_EQ(hasNote(target, ElementLayout::kNvidia), shader.depends);
}

// The matrices of a device's own driver have its family's layout: shaders keep them.
TEST(ElementLayout, TheFamilysDoesNotReplaceTheDriversMatrices) {
    const Words words = compileGlsl(source(kShaders[6]));
    rewrite::Target target;
    target.device.nativeShapes = {
        {16, 16, 16, rewrite::ComponentType::kFloat16, rewrite::ComponentType::kFloat16,
         rewrite::ComponentType::kFloat32, rewrite::ComponentType::kFloat32, false},
        {16, 16, 16, rewrite::ComponentType::kFloat16, rewrite::ComponentType::kFloat16,
         rewrite::ComponentType::kFloat16, rewrite::ComponentType::kFloat16, false}};
    target.backEnd = rewrite::BackEnd::kNative;
    target.emulated = {rewrite::Extension::kKhrCooperativeMatrix};
    target.device.familyLayout = ElementLayout::kRdna3;
    const auto result = rewrite::rewrite({.words = words}, target);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(std::ranges::count(result->paths, "matrices: native"), 1);
    target.programLayout = ElementLayout::kNvidia;
    EXPECT_FALSE(rewrite::rewrite({.words = words}, target)) << "these lie as the driver wants";
}

INSTANTIATE_TEST_SUITE_P(Shaders, DependsOnLayout, testing::ValuesIn(kShaders),
                         [](const auto& shader) { return std::string(shader.param.name); });

TEST(ElementLayout, ALayoutWithoutAMapForTheSubgroupIsRefused) {
    const Words words = compileGlsl(source(kShaders[1]));
    rewrite::Target target;
    target.subgroupSize = target.device.subgroupSize = 8;
    target.elementLayout = ElementLayout::kNvidia;
    const auto refused = rewrite::rewrite({.words = words}, target);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "the layout of elements 'nvidia' has no map for subgroups of 8 invocations (setting "
              "element_layout)");
    // What names no element does not need one.
    const Words product = compileGlsl(source(kShaders[0]));
    EXPECT_TRUE(rewrite::rewrite({.words = product}, target));
}

// Subgroups of 8 cannot have RDNA 4's: the shader is rewritten all the same, and says what it
// wants.
TEST(ElementLayout, AutoTakesAnyLayoutWhereThereIsNoMap) {
    const Words words = compileGlsl(source(kShaders[8]));
    rewrite::Target target;
    target.subgroupSize = target.device.subgroupSize = 8;
    target.programLayout = ElementLayout::kRdna4;
    const auto result = rewrite::rewrite({.words = words}, target);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->wantedSubgroupSize, 32u);
    EXPECT_EQ(std::ranges::count(result->warnings,
                                 "depends on the layout of elements: rdna4, which subgroups of 8 "
                                 "cannot have"),
              1);
}

// Of two values of a type, the layout is for the one whose elements have numbers.
TEST(ElementLayout, IsForNamedValuesOnly) {
    const auto wordsOf = [](std::string_view more) {
        return compileGlsl(substitute(R"(#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Halves { float16_t halves[]; };
layout(set = 0, binding = 2) buffer Out { float o[]; };
#define A coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
void main() {
    A a, named;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c;
    c = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0);
    coopMatLoad(a, halves, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(named, halves, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, halves, 256, 16, gl_CooperativeMatrixLayoutRowMajor);
    for (int i = 0; i < named.length(); ++i) named[i] += float16_t(i);
    ${more}
    c = coopMatMulAdd(named, b, coopMatMulAdd(a, b, c));
    coopMatStore(c, o, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
)",
                                      {{"more", std::string(more)}}));
    };
    rewrite::Target target;
    target.programLayout = ElementLayout::kNvidia;
    const auto isSeparate = [&](std::string_view more) {
        const auto result = rewrite::rewrite({.words = wordsOf(more)}, target);
        EXPECT_TRUE(result) << result.error().message;
        return result &&
               std::ranges::count(result->notes, "types of A and B outside of the layout: 1") == 1;
    };
    EXPECT_TRUE(isSeparate(""));
    EXPECT_TRUE(isSeparate("if (o[0] > 1.0) a = A(float16_t(0));"));
    EXPECT_FALSE(isSeparate("if (o[0] > 1.0) a = named;"));
    EXPECT_FALSE(isSeparate("a[0] = float16_t(1);"));
}

// A device whose driver has matrices of its own, of which coopvk emulates 8-bit floats alone.
rewrite::Target targetWithDriversMatrices(uint32_t subgroupSize) {
    using enum rewrite::ComponentType;
    rewrite::Target target;
    target.subgroupSize = target.device.subgroupSize = subgroupSize;
    target.device.nativeShapes = {{16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false},
                                  {16, 16, 16, kFloat16, kFloat16, kFloat16, kFloat16, false}};
    target.emulated = {rewrite::Extension::kExtShaderFloat8};
    target.programLayout = ElementLayout::kRdna4;
    target.replacesLayout = true;
    return target;
}

// Nothing in these shaders is emulated but, perhaps, the layout.
TEST_P(DependsOnLayout, ReplacesTheDriversMatricesOnlyThen) {
    const Words words = compileGlsl(source(GetParam()));
    EXPECT_EQ(rewrite::mayDependOnLayout(words), GetParam().depends);
    const auto result = rewrite::rewrite({.words = words}, targetWithDriversMatrices(32));
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->untouched, !GetParam().depends);
    const bool hasMatrices =
        rewrite::disassemble(result->words).find("OpTypeCooperativeMatrixKHR") != std::string::npos;
    EXPECT_EQ(hasMatrices, !GetParam().depends);
    // Other subgroups keep the driver's, and ask for those that can have the layout.
    const auto wide = rewrite::rewrite({.words = words}, targetWithDriversMatrices(64));
    ASSERT_TRUE(wide) << wide.error().message;
    EXPECT_TRUE(wide->untouched);
    EXPECT_EQ(wide->wantedSubgroupSize, GetParam().depends ? 32u : 0u);
}

TEST(ElementLayout, DriversMatricesStayWhereTheyCannotBeReplaced) {
    const Words words = compileGlsl(source(kShaders[8]));
    const auto result =
        rewrite::rewrite({.words = words, .maxSteps = 100}, targetWithDriversMatrices(32));
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(result->untouched);
    EXPECT_EQ(result->words, words);
}

// Matrices of 8-bit floats become the driver's of f16 where core SPIR-V would not give the layout.
TEST(ElementLayout, TheNativeBackEndServesSubgroupsWithoutAMap) {
    const Words words = compileGlsl(R"(#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_float_e4m3 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Bytes { uint8_t bytes[]; };
layout(set = 0, binding = 1) buffer Bias { float bias[]; };
layout(set = 0, binding = 2) buffer Out { float o[]; };
void main() {
    coopmat<floate4m3_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopmat<floate4m3_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c;
    coopMatLoad(a, bytes, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, bytes, 256, 16, gl_CooperativeMatrixLayoutRowMajor);
    c = coopMatMulAdd(a, b, coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0));
    for (int i = 0; i < c.length(); ++i) c[i] += bias[i];
    coopMatStore(c, o, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
)");
    const auto wide = rewrite::rewrite({.words = words}, targetWithDriversMatrices(64));
    ASSERT_TRUE(wide) << wide.error().message;
    EXPECT_EQ(wide->paths, std::vector<std::string_view>{"matrices: native"});
    EXPECT_EQ(wide->wantedSubgroupSize, 32u);
    const auto mapped = rewrite::rewrite({.words = words}, targetWithDriversMatrices(32));
    ASSERT_TRUE(mapped) << mapped.error().message;
    EXPECT_EQ(mapped->paths, std::vector<std::string_view>{"matrices: core"});
    EXPECT_EQ(mapped->wantedSubgroupSize, 32u);
}

}  // namespace

}  // namespace coopvk::test
