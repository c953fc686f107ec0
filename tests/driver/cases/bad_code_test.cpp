// SPDX-License-Identifier: Apache-2.0
//
// Code that is no valid SPIR-V: gives an error code, does not affect the rest of the batch, and
// does not crash.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/assembly.hpp"
#include "harness/requirement.hpp"
#include "harness/samples.hpp"

namespace coopvk::test::bad_code_test {
namespace {

// A module that only the rewriter checks: the product's inner sizes contradict each other.
Words contradictory() {
    Assembly a;
    a.buffers = {scalars("a", Component::kF32), scalars("b", Component::kF32),
                 scalars("c", Component::kF32), scalars("d", Component::kF32)};
    a.declarations = matrixType("A", Component::kF32, 8, 8, Use::kA) +
                     matrixType("B", Component::kF32, 4, 8, Use::kB) +
                     matrixType("C", Component::kF32, 8, 8, Use::kAccumulator);
    a.body =
        "%pa = OpAccessChain %sb_f32 %a %c_0 %c_0\n%pb = OpAccessChain %sb_f32 %b %c_0 %c_0\n"
        "%pd = OpAccessChain %sb_f32 %d %c_0 %c_0\n"
        "%ma = OpCooperativeMatrixLoadKHR %A %pa %c_0 %c_8\n"
        "%mb = OpCooperativeMatrixLoadKHR %B %pb %c_0 %c_8\n"
        "%mc = OpCooperativeMatrixLoadKHR %C %pa %c_0 %c_8\n"
        "%md = OpCooperativeMatrixMulAddKHR %C %ma %mb %mc\n"
        "OpCooperativeMatrixStoreKHR %pd %md %c_0 %c_8\n";
    return assemble(a, Checked::kNo);
}

TEST(BadCode, BatchGoesOn) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    Batch batch({scaledSum(0), contradictory(), scaledSum(9), plain()});
    const VkResult result = batch.create();
    EXPECT_LT(result, VK_SUCCESS);
    EXPECT_EQ(batch.pipeline(1), VkPipeline{});
    if (batch.pipeline(0)) batch.expect(0);
    if (batch.pipeline(2)) batch.expect(2);
    if (batch.pipeline(3)) batch.expect(3);
}

TEST(BadCode, EarlyReturn) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    Batch batch({scaledSum(0), contradictory(), scaledSum(9)});
    EXPECT_LT(batch.create(VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT), VK_SUCCESS);
    EXPECT_EQ(batch.pipeline(1), VkPipeline{});
    EXPECT_EQ(batch.pipeline(2), VkPipeline{});
}

// Creates a module and a pipeline; true if one of the two returns an error.
bool refused(const Words& words, bool inlined) {
    Context& context = Context::get();
    const Layout layout(context);
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult result =
        createPipeline(context, layout.pipeline, words, {.inlined = inlined}, &pipeline);
    EXPECT_TRUE(result == VK_SUCCESS || pipeline == VK_NULL_HANDLE);
    vkDestroyPipeline(context.device, pipeline, nullptr);
    return result < VK_SUCCESS;
}

TEST(BadCode, Contradictory) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    EXPECT_TRUE(refused(contradictory(), false));
    EXPECT_TRUE(refused(contradictory(), true));
}

TEST(BadCode, ShaderObject) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    COOPVK_REQUIRE(Requirement::kShaderObject);
    const Layout layout(Context::get());
    const Specialization special(Context::get(), {});
    const Words words = contradictory();
    ShaderObject shader;
    EXPECT_LT(createShaderObject(layout, VK_SHADER_CODE_TYPE_SPIRV_EXT, words.data(),
                                 words.size() * 4, special, shader),
              VK_SUCCESS);
    EXPECT_EQ(shader.handle, VkShaderEXT{});
}

// Cut at any place after the capabilities, so that the rewriter must refuse it.
TEST(BadCode, Truncated) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const Words whole = scaledSum(0);
    for (size_t percent = 20; percent < 100; percent += 8) {
        const Words part(whole.begin(),
                         whole.begin() + static_cast<std::ptrdiff_t>(whole.size() * percent / 100));
        EXPECT_TRUE(refused(part, false)) << percent;
    }
}

TEST(BadCode, WrongIds) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const Words whole = scaledSum(0);
    Rng rng("WrongIds");
    int tried = 0;
    // Every operand of a matrix instruction becomes the id of something else.
    for (size_t i = 5; i < whole.size(); i += whole[i] >> 16) {
        const uint32_t opcode = whole[i] & 0xffff;
        if (opcode < 4456 || opcode > 4458) continue;
        // Behind a store's Stride comes a literal, the memory operands.
        const uint32_t ids = opcode == 4458 ? 5 : 6;
        for (uint32_t operand = 1; operand < std::min(whole[i] >> 16, ids); ++operand) {
            for (uint32_t id : {0u, whole[3] + 5, 0xffffffffu, 4u}) {
                Words words = whole;
                words[i + operand] = id;
                if (opcode == 4456 && operand == 1) continue;  // result id of the type
                EXPECT_TRUE(refused(words, false))
                    << "opcode " << opcode << " operand " << operand << " id " << id;
                ++tried;
            }
        }
    }
    EXPECT_GT(tried, 10);
}

TEST(BadCode, NoEntryPoint) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    Context& context = Context::get();
    const Layout layout(context);
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_LT(
        createPipeline(context, layout.pipeline, scaledSum(0), {.entryPoint = "nobody"}, &pipeline),
        VK_SUCCESS);
}

}  // namespace
}  // namespace coopvk::test::bad_code_test
