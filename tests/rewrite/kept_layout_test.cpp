// SPDX-License-Identifier: Apache-2.0
//
// Target::replacesLayout: matrices of the driver's that cannot be replaced stay, and what else the
// module has is emulated all the same.
#include <gtest/gtest.h>

#include <algorithm>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"

namespace coopvk::rewrite::kept_layout_test {
namespace {

// An element gets the number of its lane; and, if `more`, a constant is replicated.
std::vector<uint32_t> module(bool more) {
    std::string text = test::edited(
        test::multiplyModule(16, 16, 16),
        {{"OpCapability Float16", "OpCapability GroupNonUniform\nOpCapability Float16"},
         {"%in %out", "%in %out %lane"},
         {"OpDecorate %rows SpecId 0", "OpDecorate %lane BuiltIn SubgroupLocalInvocationId"},
         {"%rows = OpSpecConstant", "%rows = OpConstant"},
         {"%halves = OpTypeRuntimeArray",
          "%pair = OpTypeVector %u32 2\n%laneType = OpTypePointer Input %u32\n"
          "%lane = OpVariable %laneType Input\n%halves = OpTypeRuntimeArray"},
         {"%pc = OpAccessChain",
          "%number = OpLoad %u32 %lane\n%element = OpConvertUToF %f32 %number\n"
          "%changed = OpCompositeInsert %C %element %product 0\n%pc = OpAccessChain"},
         {"StoreKHR %pc %product", "StoreKHR %pc %changed"}});
    if (more) {
        text = test::edited(
            text,
            {{"OpCapability Float16", "OpCapability ReplicatedCompositesEXT\nOpCapability Float16"},
             {"OpExtension", "OpExtension \"SPV_EXT_replicated_composites\"\nOpExtension"},
             {"%halves = OpTypeRuntimeArray",
              "%both = OpConstantCompositeReplicateEXT %pair %c2\n%halves = OpTypeRuntimeArray"}});
    }
    return test::assemble(text);
}

Target replacing() {
    using enum ComponentType;
    Target target;
    target.emulated = {Extension::kExtShaderReplicatedComposites};
    target.device.nativeShapes = {{16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false}};
    target.elementLayout = ElementLayout::kNvidia;
    target.replacesLayout = true;
    return target;
}

TEST(KeptLayout, WhatElseThereIsIsEmulated) {
    const auto words = module(true);
    ASSERT_EQ(validate(words), std::nullopt);
    Request request;
    request.words = words;
    // With more and more steps: nothing; all but the matrices; all.
    std::vector<std::string> seen;
    for (uint64_t steps = 1; steps < (uint64_t{1} << 30); steps *= 2) {
        request.maxSteps = steps;
        const Result<Rewritten> out = rewrite(request, replacing());
        std::string now = "refused";
        if (out) {
            EXPECT_EQ(validate(out->words), std::nullopt);
            const std::string text = disassemble(out->words);
            EXPECT_EQ(text.find("Replicate"), text.npos) << steps;
            const bool hasMatrices = text.find("OpTypeCooperativeMatrixKHR") != text.npos;
            now = hasMatrices ? "kept" : "replaced";
        }
        if (seen.empty() || seen.back() != now) seen.push_back(now);
    }
    EXPECT_EQ(seen, (std::vector<std::string>{"refused", "kept", "replaced"}));
}

TEST(KeptLayout, WhereThereIsNothingElseTheModuleStays) {
    const auto words = module(false);
    ASSERT_EQ(validate(words), std::nullopt);
    Request request;
    request.words = words;
    request.maxSteps = 1;
    const Result<Rewritten> kept = rewrite(request, replacing());
    ASSERT_TRUE(kept) << kept.error().message;
    EXPECT_TRUE(kept->untouched);
    EXPECT_EQ(kept->words, words);
    EXPECT_TRUE(std::ranges::any_of(kept->notes, [](const std::string& note) {
        return note.starts_with("the driver's layout of elements stays: takes more than 1 steps");
    }));
    request.maxSteps = kMaxSteps;
    const Result<Rewritten> out = rewrite(request, replacing());
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_FALSE(out->untouched);
    EXPECT_EQ(disassemble(out->words).find("OpTypeCooperativeMatrixKHR"), std::string::npos);
}

}  // namespace
}  // namespace coopvk::rewrite::kept_layout_test
