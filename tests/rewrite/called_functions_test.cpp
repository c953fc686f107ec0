// SPDX-License-Identifier: Apache-2.0
//
// Small functions of vectors that are not inlined (DevicePlan::callsSmallFunctions).
#include <gtest/gtest.h>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "ir/module.hpp"
#include "vector_module.hpp"

namespace coopvk::rewrite::called_functions_test {
namespace {

// A product and the addition of a gradient.
std::string computeModule() {
    return test::edited(
        test::layerModule(16, 16, 0, false),
        {{"OpCapability CooperativeVectorNV",
          "OpCapability CooperativeVectorNV\nOpCapability CooperativeVectorTrainingNV"},
         {"%main = OpFunction", "%training = OpConstant %uint 3\n%main = OpFunction"},
         {"OpReturn",
          "OpCooperativeVectorOuterProductAccumulateNV %at %zero %x %sum %training %zero\n"
          "OpReturn"}});
}

std::string raygenModule() {
    return test::edited(computeModule(),
                        {{"OpCapability Shader", "OpCapability Shader\nOpCapability RayTracingKHR"},
                         {"OpExtension", "OpExtension \"SPV_KHR_ray_tracing\"\nOpExtension"},
                         {"OpEntryPoint GLCompute", "OpEntryPoint RayGenerationKHR"},
                         {"OpExecutionMode %main LocalSize 64 1 1\n", ""},
                         {"BuiltIn GlobalInvocationId", "BuiltIn LaunchIdKHR"}});
}

size_t calledFunctions(const std::string& text, Stage stage) {
    const std::vector<uint32_t> words = test::assemble(text);
    EXPECT_EQ(validate(words), std::nullopt);
    Request request;
    request.words = words;
    request.stage = stage;
    Target target;
    target.device.dot4x8Signed = true;  // a GPU with many registers
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return 0;
    EXPECT_EQ(validate(out->words), std::nullopt);
    const Result<Module> module = Module::parse(out->words);
    EXPECT_TRUE(module);
    const auto isCalled = [](const auto& function) {
        return function->definition->word(0) ==
               static_cast<uint32_t>(spv::FunctionControlMask::DontInline);
    };
    return static_cast<size_t>(std::ranges::count_if(module->functions(), isCalled));
}

TEST(CalledFunctions, OfComputeShaders) {
    EXPECT_EQ(calledFunctions(computeModule(), Stage::kCompute), 2u);
}

// A driver drops what such functions add to memory in shaders for ray tracing, tasks and meshes.
TEST(CalledFunctions, AreOfNoOtherStage) {
    EXPECT_EQ(calledFunctions(raygenModule(), Stage::kRaygen), 0u);
}

}  // namespace
}  // namespace coopvk::rewrite::called_functions_test
