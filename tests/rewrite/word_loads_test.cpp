// SPDX-License-Identifier: Apache-2.0
//
// Loads of matrices straight from buffers of narrower elements: in words where the index and the
// stride are known to be multiples of 16 bytes, by a test in the shader, or by element.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "word_loads_shader.hpp"

namespace coopvk::rewrite::word_loads_test {
namespace {

size_t count(const std::string& text, std::string_view what) {
    size_t found = 0;
    for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size()) ++found;
    return found;
}

// How A is loaded.
enum class Way { kInWords, kTested, kByElement };

std::string rewritten(const std::string& source, const DeviceTraits& device) {
    const std::vector<uint32_t> words = test::assemble(source);
    EXPECT_EQ(validate(words).value_or(""), "");
    Target target{.device = device};
    target.subgroupSize = 32;
    const Result<Rewritten> out = rewrite({.words = words}, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return {};
    EXPECT_EQ(validate(out->words).value_or(""), "");
    return disassemble(out->words);
}

std::string rewritten(const Shader& shader, const DeviceTraits& device) {
    return rewritten(shader.text(), device);
}

Way wayOf(const std::string& text) {
    const size_t inWords = count(text, "OpLoad %v4uint"), elements = count(text, "OpLoad %half ");
    const size_t tests = count(text, "OpSelectionMerge");
    // A lane of 32 has four lines of A, 32 bytes each.
    EXPECT_TRUE(inWords == 0 || inWords == 8) << text;
    EXPECT_TRUE(elements == 0 || elements == 64) << text;
    EXPECT_EQ(tests, inWords != 0 && elements != 0 ? 1 : 0) << text;
    return inWords == 0 ? Way::kByElement : elements == 0 ? Way::kInWords : Way::kTested;
}

// AMD's: tests addresses of f16.
DeviceTraits testingDevice() {
    DeviceTraits device;
    device.scalarRegisters = true;
    return device;
}

Way wayOf(const Shader& shader) { return wayOf(rewritten(shader, testingDevice())); }

constexpr std::string_view kRow = "%i = OpIMul %u32 %x %c1024\n";

TEST(WordLoads, KnownMultiples) {
    for (const std::string_view code :
         {kRow, std::string_view("%i = OpShiftLeftLogical %u32 %x %c3\n"),
          std::string_view("%r = OpIMul %u32 %x %n\n%i = OpIMul %u32 %r %c16\n"),
          std::string_view("%r = OpIMul %u32 %x %c4\n%s = OpIMul %u32 %r %c6\n"
                           "%i = OpISub %u32 %s %c16\n"),
          std::string_view("%r = OpNot %u32 %c12\n%m = OpBitwiseAnd %u32 %n %c16\n"
                           "%i = OpBitwiseOr %u32 %m %c8\n"),
          std::string_view("%v = OpIMul %u32x3 %groups %splat\n"
                           "%i = OpCompositeExtract %u32 %v 1\n"),
          std::string_view("%r = OpIMul %u32 %x %c1024\n%i = OpCopyObject %u32 %r\n")}) {
        EXPECT_EQ(wayOf(Shader{.code = code}), Way::kInWords) << code;
    }
}

TEST(WordLoads, OtherIndicesAreTested) {
    for (const std::string_view code :
         {std::string_view("%i = OpIMul %u32 %x %c4\n"),
          std::string_view("%i = OpCopyObject %u32 %n\n"),
          std::string_view("%r = OpIMul %u32 %x %c1024\n%i = OpIAdd %u32 %r %n\n"),
          std::string_view("%r = OpIMul %u32 %x %c1024\n%i = OpUDiv %u32 %r %c1024\n")}) {
        EXPECT_EQ(wayOf(Shader{.code = code}), Way::kTested) << code;
    }
}

TEST(WordLoads, StridesAndOffsetsCountToo) {
    EXPECT_EQ(wayOf(Shader{.code = kRow, .stride = "%n"}), Way::kTested);
    EXPECT_EQ(wayOf(Shader{.code = kRow, .stride = "%c8"}), Way::kInWords);
    EXPECT_EQ(wayOf(Shader{.code = kRow, .stride = "%c12"}), Way::kByElement);
    EXPECT_EQ(wayOf(Shader{.code = kRow, .stride = "%back"}), Way::kInWords);
    EXPECT_EQ(wayOf(Shader{.code = kRow, .offset = "32"}), Way::kInWords);
    EXPECT_EQ(wayOf(Shader{.code = kRow, .offset = "8"}), Way::kTested);
}

// What a loop counts is a multiple of its step.
TEST(WordLoads, VariablesHoldMultiplesOfAllThatIsStored) {
    const auto shader = [](std::string_view step, std::string_view use) {
        return std::format(
            "OpStore %k %c0\nOpBranch %header\n%header = OpLabel\n"
            "%before = OpLoad %u32 %k\n%isBelow = OpULessThan %bool %before %n\n"
            "OpLoopMerge %after %next None\nOpBranchConditional %isBelow %next %after\n"
            "%next = OpLabel\n%now = OpLoad %u32 %k\n%then = OpIAdd %u32 %now {}\n"
            "OpStore %k %then\n{}OpBranch %header\n%after = OpLabel\n%i = OpLoad %u32 %k\n",
            step, use);
    };
    constexpr std::string_view kHead = "%k = OpVariable %local Function\n";
    constexpr std::string_view kFunctions =
        "%taker = OpFunction %void None %takes\n%taken = OpFunctionParameter %local\n"
        "%takes0 = OpLabel\nOpStore %taken %c1\nOpReturn\nOpFunctionEnd\n";
    const std::string by16 = shader("%c16", ""), by6 = shader("%c6", "");
    const std::string escapes = shader("%c16", "%called = OpFunctionCall %void %taker %k\n");
    EXPECT_EQ(wayOf(Shader{.code = by16, .head = kHead}), Way::kInWords);
    EXPECT_EQ(wayOf(Shader{.code = by6, .head = kHead}), Way::kTested);
    EXPECT_EQ(wayOf(Shader{.code = escapes, .head = kHead, .functions = kFunctions}), Way::kTested);
}

TEST(WordLoads, PhisAreMultiplesOfAllThatTheyJoin) {
    const auto shader = [](std::string_view step) {
        return std::format(
            "OpBranch %header\n%header = OpLabel\n%i = OpPhi %u32 %c0 %entry %then %next\n"
            "%isBelow = OpULessThan %bool %i %n\nOpLoopMerge %after %next None\n"
            "OpBranchConditional %isBelow %next %after\n%next = OpLabel\n"
            "%then = OpIAdd %u32 %i {}\nOpBranch %header\n%after = OpLabel\n",
            step);
    };
    EXPECT_EQ(wayOf(Shader{.code = shader("%c16")}), Way::kInWords);
    EXPECT_EQ(wayOf(Shader{.code = shader("%c4")}), Way::kTested);
    EXPECT_EQ(wayOf(Shader{.code = shader("%n")}), Way::kTested);
}

// By columns, an invocation's neighbours are as many as its adjacent rows: 2 to 8 halves, in a word
// or more.
TEST(WordLoads, ShortRunsAreWords) {
    for (const uint32_t rows : {1u, 2u, 4u}) {
        Target target{.device = testingDevice()};
        target.tuning.rowBlock = rows;
        const std::vector<uint32_t> words =
            test::assemble(Shader{.code = kRow, .layout = "%c1"}.text());
        const Result<Rewritten> out = rewrite({.words = words}, target);
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(validate(out->words).value_or(""), "");
        const std::string text = disassemble(out->words);
        EXPECT_EQ(count(text, "OpLoad %half ") == 0, rows > 1) << rows << text;
    }
}

// Classes of devices choose what is in words, and what is tested.
TEST(WordLoads, Classes) {
    DeviceTraits cpu, gpu, wide, manyRegisters;
    cpu.isCpu = true;
    manyRegisters.dot4x8Signed = true;
    wide.maxSubgroupSize = 128;
    const Shader known = {.code = kRow}, unknown = {.code = kRow, .stride = "%n"};
    EXPECT_EQ(wayOf(rewritten(known, gpu)), Way::kInWords);
    EXPECT_EQ(wayOf(rewritten(unknown, gpu)), Way::kByElement);
    EXPECT_EQ(count(rewritten(known, manyRegisters), "OpLoad %half "), 0u);
    EXPECT_EQ(count(rewritten(unknown, manyRegisters), "OpSelectionMerge"), 1u);
    EXPECT_EQ(count(rewritten(unknown, gpu), "coopvk_view"), 0u);
    EXPECT_EQ(count(rewritten(known, cpu), "OpLoad %v4uint"), 0u);
    EXPECT_EQ(count(rewritten(known, wide), "OpLoad %v4uint"), 0u);
}

// In columns, a lane has one component of each.
TEST(WordLoads, FewComponentsAreNotTested) {
    const std::string text =
        rewritten({.code = kRow, .stride = "%n", .layout = "%c1"}, testingDevice());
    EXPECT_EQ(count(text, "OpSelectionMerge"), 0u);
    EXPECT_EQ(count(text, "coopvk_view"), 0u);
}

// The same by an address, whose alignment glslang takes from the block, not from the index.
std::string byAddress(const Shader& shader) {
    std::string text = shader.text();
    const auto change = [&](std::string_view from, std::string_view to) {
        text.replace(text.find(from), from.size(), to);
    };
    change("OpCapability Float16",
           "OpCapability Float16\nOpCapability PhysicalStorageBufferAddresses");
    change("Logical", "PhysicalStorageBuffer64");
    change("OpMemberDecorate %pushBlock 0 Offset 0",
           "OpMemberDecorate %pushBlock 0 Offset 0\nOpMemberDecorate %pushBlock 1 Offset 8");
    change("%pushBlock = OpTypeStruct %u32",
           "%address = OpTypePointer PhysicalStorageBuffer %inBlock\n"
           "%halfAddress = OpTypePointer PhysicalStorageBuffer %f16\n"
           "%pushBlock = OpTypeStruct %u32 %address");
    change("%numberPointer =",
           "%addressPointer = OpTypePointer PushConstant %address\n%numberPointer =");
    change("%p = OpAccessChain %halfPointer %in",
           "%pb = OpAccessChain %addressPointer %push %c1\n%behind = OpLoad %address %pb\n"
           "%p = OpAccessChain %halfAddress %behind");
    change(std::format("%p {} {}\n", shader.layout, shader.stride),
           std::format("%p {} {} Aligned 16\n", shader.layout, shader.stride));
    return text;
}

TEST(WordLoads, AnAlignmentIsThatOfTheBlock) {
    const DeviceTraits device = testingDevice();
    const auto way = [&](std::string_view code) {
        return wayOf(rewritten(byAddress({.code = code}), device));
    };
    EXPECT_EQ(way(kRow), Way::kInWords);
    EXPECT_EQ(way("%i = OpCopyObject %u32 %c3\n"), Way::kTested);
    EXPECT_EQ(way("%i = OpCopyObject %u32 %n\n"), Way::kTested);
    DeviceTraits other;
    EXPECT_EQ(wayOf(rewritten(byAddress({.code = kRow}), other)), Way::kInWords);
    EXPECT_EQ(wayOf(rewritten(byAddress({.code = "%i = OpCopyObject %u32 %c3\n"}), other)),
              Way::kByElement);
}

// A buffer may end inside of 16 bytes, and code may load what is ahead of its end.
TEST(WordLoads, TheEndOfABufferIsTestedWhereCodeMayReadBeyondIt) {
    DeviceTraits device = testingDevice();
    device.robustBufferAccess = true;
    const std::string text = rewritten({.code = kRow}, device);
    EXPECT_EQ(wayOf(text), Way::kTested);
    EXPECT_EQ(count(text, "OpArrayLength"), 1u);
    EXPECT_EQ(count(text, "OpULessThan "), 1u) << "the index may lead ahead of the buffer";
    device.scalarRegisters = false;
    EXPECT_EQ(wayOf(rewritten({.code = kRow}, device)), Way::kByElement);
}

TEST(WordLoads, TheViewIsNonWritable) {
    const std::string text = rewritten({.code = kRow}, testingDevice());
    const size_t block = text.find("\"coopvk_buffer\"");
    ASSERT_NE(block, text.npos);
    const size_t name = text.rfind('%', block);
    EXPECT_EQ(count(text, std::format("OpMemberDecorate {} 0 NonWritable",
                                      text.substr(name, text.find(' ', name) - name))),
              1u);
}

}  // namespace
}  // namespace coopvk::rewrite::word_loads_test
