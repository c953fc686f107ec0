// SPDX-License-Identifier: Apache-2.0
//
// The list of passes: each establishes the facts that it promises, and a pass that does not is
// found.
#include "api/passes.hpp"

#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "edit.hpp"
#include "vector_module.hpp"

namespace coopvk::rewrite::passes_test {
namespace {

Target targetWithTiles() {
    Target target;
    using enum ComponentType;
    target.device.nativeShapes = {{8, 8, 8, kFloat16, kFloat16, kFloat32, kFloat32, false}};
    return target;
}

TEST(Passes, EachGivesWhatItSays) {
    for (const std::string& text :
         {test::multiplyModule(16, 16, 16), test::multiplyModule(8, 24, 40),
          test::layerModule(64, 64, 0, false), test::layerModule(200, 7, 3, true)}) {
        const std::vector<uint32_t> words = test::assemble(text);
        ASSERT_EQ(validate(words), std::nullopt);
        Request request;
        request.words = words;
        const PlannedTarget target(targetWithTiles());
        for (const BackEnd backEnd : {BackEnd::kCore, BackEnd::kNative}) {
            const Result<Rewritten> out = rewriteFor(request, target, backEnd, true);
            ASSERT_TRUE(out) << out.error().message;
            EXPECT_EQ(validate(out->words), std::nullopt);
            EXPECT_EQ(out->words, rewriteFor(request, target, backEnd, false)->words);
        }
    }
}

using Broken = std::optional<Error>;

// Removes an instruction, but leaves a use of it.
Broken takeDefinition(Rewriting& r) {
    InstructionList& globals = r.module.section(Section::kGlobals);
    std::erase_if(globals, [](const auto& i) { return i->opcode == spv::Op::OpTypeVoid; });
    return std::nullopt;
}

Broken defineTwice(Rewriting& r) {
    InstructionList& globals = r.module.section(Section::kGlobals);
    globals.push_back(std::make_unique<Instruction>(*globals.front()));
    return std::nullopt;
}

Broken leaveBlockOpen(Rewriting& r) {
    r.module.functions().front()->blocks.front()->body.pop_back();
    return std::nullopt;
}

Broken loseInstruction(Rewriting& r) {
    r.module.functions().front()->blocks.front()->body.front() = nullptr;
    return std::nullopt;
}

Broken doNothing(Rewriting& r) {
    r.lowersMatrices = true;
    return std::nullopt;
}

Broken bringEntryPoint(Rewriting& r) {
    const Instruction entry = *r.module.section(Section::kEntryPoints).front();
    r.module.append(Section::kEntryPoints, std::make_unique<Instruction>(entry));
    return std::nullopt;
}

TEST(Passes, BrokenOnesAreCaught) {
    const std::vector<uint32_t> words = test::assemble(test::multiplyModule(16, 16, 16));
    Request request;
    request.words = words;
    const Pass whole = {"whole", {}, {Fact::kOneEntryPoint}, [](Rewriting&) { return Broken(); }};
    const std::pair<Pass, std::string_view> cases[] = {
        {{"take", {}, {}, takeDefinition}, "which nothing defines"},
        {{"twice", {}, {}, defineTwice}, "is defined twice"},
        {{"open", {}, {}, leaveBlockOpen}, "has no terminator"},
        {{"lose", {}, {}, loseInstruction}, "an instruction is missing"},
        {{"lazy", {}, {Fact::kNoMatrices}, doNothing}, "no emulated matrices"},
        {{"entry", {}, {}, bringEntryPoint}, "one entry point"},
        {{"early", {Fact::kNoVectors}, {}, doNothing}, "needs more"},
    };
    const PlannedTarget target{Target()};
    for (const auto& [pass, what] : cases) {
        for (const bool checked : {false, true}) {
            Result<Module> module = Module::parse(words);
            ASSERT_TRUE(module);
            Rewriting rewriting(request, target, std::move(*module), BackEnd::kCore);
            rewriting.out.used = scan(words, ExtensionSet::all());
            const Pass passes[] = {whole, pass};
            const std::optional<Error> error = runPasses(passes, rewriting, checked);
            ASSERT_EQ(error.has_value(), checked) << pass.name;
            if (!checked) continue;
            EXPECT_NE(error->message.find(pass.name), std::string::npos) << error->message;
            EXPECT_NE(error->message.find(what), std::string::npos) << error->message;
        }
    }
}

// spirv-val visits each member of each member: a type of two of the one before has twice as many.
// To validate depth d, it goes 2^(d+1) - 1 paths; the limit is 10,000, which lies between those of
// 12 (8,191) and of 13 (16,383).
TEST(Passes, TypesWithManyMembersAreNotValidated) {
    const auto isQuick = [](uint32_t depth) {
        std::string text =
            "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
            "%t0 = OpTypeFloat 32\n";
        for (uint32_t d = 1; d <= depth; ++d)
            text += std::format("%t{0} = OpTypeStruct %t{1} %t{1}\n", d, d - 1);
        const Result<Module> module = Module::parse(test::assemble(text));
        EXPECT_TRUE(module);
        return module && isQuickToValidate(*module);
    };
    EXPECT_TRUE(isQuick(1));
    EXPECT_TRUE(isQuick(12));
    EXPECT_FALSE(isQuick(13));
    EXPECT_FALSE(isQuick(60));
}

// Components of matrices may stay 4-bit integers until matrices are lowered; values, pointers to
// and composites of them may not.
TEST(Passes, FourBitIntegersThatAreLeftAreCaught) {
    struct Left {
        std::string_view globals;
        bool inMatrices, anywhere;  // whether the module keeps to the facts
    };
    const Left kLeft[] = {
        {"", true, true},
        {"%s5 = OpTypeInt 8 1\n", true, true},
        {"%s4 = OpTypeInt 4 1\n", true, false},
        {"%u4 = OpTypeInt 4 0\n", true, false},
        {"%s4 = OpTypeInt 4 1\n%M = OpTypeCooperativeMatrixKHR %s4 %c3 %rows %depth %c0\n", true,
         false},
        {"%s4 = OpTypeInt 4 1\n%vector = OpTypeVector %s4 4\n", false, false},
        {"%u4 = OpTypeInt 4 0\n%one = OpConstant %u4 1\n", false, false},
        {"%s4 = OpTypeInt 4 1\n%held = OpTypePointer Function %s4\n", false, false},
    };
    for (const Left& left : kLeft) {
        const std::vector<uint32_t> words = test::assemble(
            test::edited(test::multiplyModule(16, 16, 16),
                         {{"%zero = Op", std::string(left.globals) + "%zero = Op"}}));
        Request request;
        request.words = words;
        const PlannedTarget target{Target()};
        for (const bool anywhere : {false, true}) {
            Result<Module> module = Module::parse(words);
            ASSERT_TRUE(module);
            Rewriting rewriting(request, target, std::move(*module), BackEnd::kCore);
            rewriting.out.used = {Extension::kIntelInt4};
            const Fact fact = anywhere ? Fact::kNoInt4 : Fact::kInt4InMatrices;
            const Pass passes[] = {
                {"whole", {}, {Fact::kOneEntryPoint, fact}, [](Rewriting&) { return Broken(); }}};
            const bool holds = !runPasses(passes, rewriting, true).has_value();
            EXPECT_EQ(holds, anywhere ? left.anywhere : left.inMatrices)
                << left.globals << anywhere;
        }
    }
}

}  // namespace
}  // namespace coopvk::rewrite::passes_test
