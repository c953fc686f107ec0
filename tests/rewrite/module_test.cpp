// SPDX-License-Identifier: Apache-2.0
#include "ir/module.hpp"

#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "ir/types.hpp"

namespace coopvk::rewrite::module_test {
namespace {

TEST(Module, RoundTripsBitForBit) {
    const std::vector<uint32_t> words = test::assemble(test::multiplyModule(16, 8, 16));
    const Result<Module> module = Module::parse(words);
    ASSERT_TRUE(module);
    EXPECT_EQ(module->serialise(), words);
}

TEST(Module, RefusesWhatIsNoModule) {
    EXPECT_FALSE(Module::parse({}));
    const std::vector<uint32_t> words = test::assemble(test::multiplyModule(16, 8, 16));
    // From the middle on, the text contains the entry point but not the end of its function.
    for (size_t length = words.size() / 2; length < words.size(); ++length) {
        EXPECT_FALSE(Module::parse(std::span(words).first(length))) << length << " words";
    }
}

TEST(Module, RefusesUndefinedIds) {
    const std::vector<uint32_t> words = test::assemble(
        "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n"
        "%t = OpTypeVector %missing 2\n");
    EXPECT_FALSE(Module::parse(words));
}

// Found by fuzzing: they were passed on to the output, also emulated capabilities.
TEST(Module, RefusesAnythingButLinesBetweenFunctions) {
    const std::vector<uint32_t> words = test::assemble(test::multiplyModule(16, 8, 16));
    const auto with = [&](std::vector<uint32_t> more) {
        more.insert(more.begin(), words.begin(), words.end());
        return more;
    };
    constexpr uint32_t kCapability = 2u << 16 | static_cast<uint32_t>(spv::Op::OpCapability);
    constexpr uint32_t kNoLine = 1u << 16 | static_cast<uint32_t>(spv::Op::OpNoLine);
    EXPECT_TRUE(Module::parse(with({kNoLine})));
    EXPECT_FALSE(Module::parse(
        with({kCapability, static_cast<uint32_t>(spv::Capability::CooperativeMatrixKHR)})));
}

// The same in functions; a constant there could contain itself through a phi.
TEST(Module, RefusesDeclarationsInBlocks) {
    const std::vector<uint32_t> words = test::assemble(test::multiplyModule(16, 8, 16));
    const uint32_t next = words[3];
    const auto head = [](spv::Op opcode, uint32_t count) {
        return count << 16 | static_cast<uint32_t>(opcode);
    };
    const std::vector<uint32_t> declarations[] = {
        {head(spv::Op::OpCapability, 2),
         static_cast<uint32_t>(spv::Capability::CooperativeMatrixKHR)},
        {head(spv::Op::OpTypeInt, 4), next, 64, 0},
        {head(spv::Op::OpConstantTrue, 3), 1, next},
        {head(spv::Op::OpConstantNull, 3), 1, next},
        {head(spv::Op::OpConstantComposite, 4), 1, next, next},
    };
    const char* const names[] = {"Capability", "TypeInt", "ConstantTrue", "ConstantNull",
                                 "ConstantComposite"};
    const char* const* name = names;
    for (const std::vector<uint32_t>& declaration : declarations) {
        std::vector<uint32_t> bad = words;
        bad[3] = next + 1;
        for (size_t i = 5; i < bad.size(); i += bad[i] >> 16) {
            if ((bad[i] & 0xFFFF) != static_cast<uint32_t>(spv::Op::OpReturn)) continue;
            bad.insert(bad.begin() + static_cast<std::ptrdiff_t>(i), declaration.begin(),
                       declaration.end());
            break;
        }
        const Result<Module> module = Module::parse(bad);
        ASSERT_FALSE(module);
        EXPECT_EQ(module.error().message, std::format("instruction {} is inside a block", *name++));
    }
}

// Found by fuzzing: sizes of them wrapped around.
TEST(Module, RefusesNumbersOfOtherWidths) {
    const std::vector<uint32_t> words = test::assemble(test::multiplyModule(16, 8, 16));
    for (const spv::Op opcode : {spv::Op::OpTypeInt, spv::Op::OpTypeFloat}) {
        for (const uint32_t width : {0u, 1u, 24u, 128u, 33554464u}) {
            std::vector<uint32_t> bad = words;
            for (size_t i = 5; i < bad.size(); i += bad[i] >> 16) {
                if ((bad[i] & 0xFFFF) == static_cast<uint32_t>(opcode)) bad[i + 2] = width;
            }
            const Result<Module> module = Module::parse(bad);
            ASSERT_FALSE(module) << width;
            EXPECT_NE(module.error().message.find(" bits"), std::string::npos);
        }
    }
}

// Found by fuzzing: the rewriter did not end for types that contain themselves.
TEST(Module, RefusesTypesOfThemselves) {
    const std::string head =
        "OpCapability Shader\nOpCapability PhysicalStorageBufferAddresses\n"
        "OpMemoryModel PhysicalStorageBuffer64 GLSL450\n";
    const auto parses = [&](const std::string& types) {
        return static_cast<bool>(Module::parse(test::assemble(head + types)));
    };
    EXPECT_FALSE(parses("%s = OpTypeStruct %s\n"));
    EXPECT_FALSE(parses("%s = OpTypeStruct %t\n%t = OpTypeStruct %s\n"));
    EXPECT_FALSE(
        parses("OpTypeForwardPointer %t PhysicalStorageBuffer\n"
               "%s = OpTypeStruct %t\n%t = OpTypeStruct %s\n"));
    EXPECT_TRUE(
        parses("OpTypeForwardPointer %p PhysicalStorageBuffer\n"
               "%s = OpTypeStruct %p\n%p = OpTypePointer PhysicalStorageBuffer %s\n"));
}

// Passes follow types recursively, so a deeper nesting could exhaust the stack.
TEST(Module, RefusesDeeplyNestedTypes) {
    const auto nested = [](int depth) {
        std::string text =
            "OpCapability Shader\n"
            "OpCapability Int4TypeINTEL\n"
            "OpExtension \"SPV_INTEL_int4\"\n"
            "OpMemoryModel Logical GLSL450\n"
            "OpEntryPoint GLCompute %main \"main\"\n"
            "OpExecutionMode %main LocalSize 32 1 1\n"
            "%void = OpTypeVoid\n"
            "%fn = OpTypeFunction %void\n"
            "%i4 = OpTypeInt 4 0\n"
            "%t0 = OpTypeVector %i4 2\n";
        for (int i = 0; i < depth; ++i) {
            text += std::format("%t{} = OpTypeStruct %t{}\n", i + 1, i);
        }
        return test::assemble(text + std::format("%pointer = OpTypePointer Workgroup %t{}\n"
                                                 "%variable = OpVariable %pointer Workgroup\n"
                                                 "%main = OpFunction %void None %fn\n"
                                                 "%label = OpLabel\n"
                                                 "OpReturn\n"
                                                 "OpFunctionEnd\n",
                                                 depth));
    };
    const std::vector<uint32_t> valid = nested(255), deep = nested(200000);
    Request request;
    request.words = valid;
    const Result<Rewritten> ok = rewrite(request, Target{});
    EXPECT_TRUE(ok) << ok.error().message;
    request.words = deep;
    const Result<Rewritten> out = rewrite(request, Target{});
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ErrorCode::kInvalidModule);
    EXPECT_NE(out.error().message.find("nests deeper"), std::string::npos);
}

TEST(Module, RefusesIdsBeyondTheBound) {
    std::vector<uint32_t> words = test::assemble(test::multiplyModule(16, 8, 16));
    for (const uint32_t id : {words[3], words[3] + 5, 0xFFFFFFFFu}) {
        std::vector<uint32_t> bad = words;
        for (size_t i = 5; i < bad.size(); i += bad[i] >> 16) {
            if ((bad[i] & 0xFFFF) == static_cast<uint32_t>(spv::Op::OpTypeFloat)) bad[i + 1] = id;
        }
        EXPECT_FALSE(Module::parse(bad)) << id;
    }
}

// Values by IEEE 754: halfway cases go to even, and so on.
TEST(Types, RoundsToHalf) {
    EXPECT_EQ(float16Bits(0.0), 0x0000);
    EXPECT_EQ(float16Bits(-0.0), 0x8000);
    EXPECT_EQ(float16Bits(1.0), 0x3C00);
    EXPECT_EQ(float16Bits(65504.0), 0x7BFF);
    EXPECT_EQ(float16Bits(65519.9), 0x7BFF);
    EXPECT_EQ(float16Bits(65520.0), 0x7C00);
    EXPECT_EQ(float16Bits(1.0 + 1.0 / 2048), 0x3C00);
    EXPECT_EQ(float16Bits(1.0 + 3.0 / 2048), 0x3C02);
    EXPECT_EQ(float16Bits(0x1p-24), 0x0001);
    EXPECT_EQ(float16Bits(0x1p-14), 0x0400);
    EXPECT_EQ(float16Bits(0x1p-25), 0x0000);
}

}  // namespace
}  // namespace coopvk::rewrite::module_test
