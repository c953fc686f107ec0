// SPDX-License-Identifier: Apache-2.0
//
// Programs that makeProgram() refuses: valid ones that no memory suffices for, before it allocates,
// and what the device does not have.
#include <gtest/gtest.h>

#include <format>
#include <tuple>

#include "shader_text.hpp"

namespace coopvk::reference::test::refused_test {
namespace {

// 2^30 words.
constexpr char kHuge[] = "%many = OpConstant %u32 1073741824\n%huge = OpTypeArray %u32 %many\n";

void expectRefused(const std::string& declarations, const std::string& body) {
    ShaderText text;
    text.declarations = kHuge + declarations;
    text.body = body;
    Execution run;
    execute(run, shader(text));
    EXPECT_NE(run.error.find("this device does not execute it"), std::string::npos) << run.error;
}

TEST(ReferenceRefused, HugeConstants) {
    expectRefused("%null = OpConstantNull %huge\n", "");
    expectRefused("%undef = OpUndef %huge\n", "");
}

TEST(ReferenceRefused, HugeValues) {
    const std::string types =
        "%p = OpTypePointer Workgroup %huge\n%shared = OpVariable %p Workgroup\n";
    expectRefused(types, "%value = OpLoad %huge %shared\n");
    expectRefused("", "%value = OpUndef %huge\n");
}

TEST(ReferenceRefused, HugeVariables) {
    const std::string pointer = "%to_huge = OpTypePointer ";
    const std::string use = "%to_word = OpTypePointer ";
    for (const std::string storage : {"Workgroup", "Private"}) {
        expectRefused(pointer + storage + " %huge\n" + use + storage + " %u32\n" +
                          "%big = OpVariable %to_huge " + storage + "\n",
                      "%at = OpAccessChain %to_word %big %u_0\nOpStore %at %u_1\n");
    }
    expectRefused(pointer + "Function %huge\n", "%big = OpVariable %to_huge Function\n");
}

// Empty: it is none.
std::string refusal(const std::vector<uint32_t>& words, const ProgramRequest& like = {}) {
    ProgramRequest request = like;
    request.words = words;
    request.validate = false;
    const auto program = makeProgram(request);
    return program ? "" : program.error().message;
}

// By the built-in, which constants give: each factor, and the product, which does not wrap.
TEST(ReferenceRefused, SizesOfWorkgroups) {
    for (const auto& [x, y, z, fits] : std::vector<std::tuple<uint32_t, uint32_t, uint32_t, bool>>{
             {65536, 1, 1, true},
             {256, 1, 256, true},
             {65537, 1, 1, false},
             {1, 65537, 1, false},
             {1, 1, 65537, false},
             {256, 257, 1, false},
             {0, 1, 1, false},
             {1, 1, 0, false},
             {65537, 0, 1, false},
             {1u << 31, 1u << 31, 4, false},
             {1u << 31, 2, 1u << 31, false}}) {
        ShaderText text;
        text.annotations = "OpDecorate %size BuiltIn WorkgroupSize\n";
        for (const auto& [id, number] : {std::pair{"%x", x}, {"%y", y}, {"%z", z}})
            text.declarations += std::format("{} = OpConstant %u32 {}\n", id, number);
        text.declarations += "%size = OpConstantComposite %v3u32 %x %y %z\n";
        ProgramRequest request;
        request.subgroupSize = 128;
        EXPECT_EQ(refusal(assemble(shader(text)), request),
                  fits ? "" : "the workgroup's size is 0 or too large")
            << x << ", " << y << ", " << z;
    }
}

// What the request names, and what is no module.
TEST(ReferenceRefused, RequestsWithoutMeaning) {
    std::vector<uint32_t> words = assemble(shader({}));
    ProgramRequest request;
    EXPECT_EQ(refusal(words, request), "");
    request.entryPoint = "other";
    EXPECT_EQ(refusal(words, request), "the module has no compute entry point other");
    request = {};
    for (const uint32_t size : {0, 1, 2, 3, 5, 12, 127, 129, 256}) {
        request.subgroupSize = size;
        EXPECT_EQ(refusal(words, request), std::format("no subgroup size: {}", size));
    }
    EXPECT_EQ(refusal({}), "no SPIR-V of this machine's byte order");
    words[0] = 0x03022307;
    EXPECT_EQ(refusal(words), "no SPIR-V of this machine's byte order");
}

// Members that overlap, as the validator finds.
TEST(ReferenceRefused, LayoutsThatOverlap) {
    for (const char* offset : {"4", "3", "0"}) {
        ShaderText text;
        text.annotations =
            "OpDecorate %both Block\nOpMemberDecorate %both 0 Offset 0\n"
            "OpMemberDecorate %both 1 Offset " +
            std::string(offset) +
            "\nOpDecorate %third DescriptorSet 0\nOpDecorate %third Binding 2\n";
        text.declarations =
            "%both = OpTypeStruct %u32 %u32\n%p_both = OpTypePointer StorageBuffer %both\n"
            "%third = OpVariable %p_both StorageBuffer\n";
        Execution run;
        execute(run, shader(text));
        EXPECT_EQ(run.error.empty(), *offset == '4') << run.error;
    }
}

// Modules that were not validated: a storage class that the device does not have.
TEST(ReferenceRefused, StorageClasses) {
    for (const std::string storage : {"CrossWorkgroup", "Generic", "Image"}) {
        ShaderText text;
        text.declarations = "%to = OpTypePointer " + storage +
                            " %u32\n%variable = OpVariable %to " + storage + "\n";
        text.body =
            "%x = OpLoad %u32 %variable\nOpStore %variable %x\n"
            "%address = OpUConvert %u64 %i\n%p = OpConvertUToPtr %to %address\n"
            "%y = OpLoad %u32 %p\n";
        Execution run;
        run.validate = false;
        execute(run, shader(text));
        EXPECT_NE(run.error.find("storage class"), std::string::npos) << storage << run.error;
    }
}

// Of what the validator would refuse.
TEST(ReferenceRefused, CompositesOfNothing) {
    const std::string empty = "%none = OpTypeStruct\n%nothing = OpConstantComposite %none\n";
    for (const auto& [constant, isValid] : {
             std::pair<std::string, bool>{"%both = OpTypeStruct %none %u32\n"
                                          "%c = OpConstantComposite %both %nothing %u_1\n",
                                          true},
             {"%c = OpConstantComposite %v3u32\n", false},
             {"%c = OpConstantComposite %v3u32 %nothing\n", false},
         }) {
        ShaderText text;
        text.declarations = empty + constant;
        EXPECT_EQ(refusal(assemble(shader(text))).empty(), isValid) << constant;
    }
}

// A member behind the last one, and a default of a type that is not there.
TEST(ReferenceRefused, WhatIsNotThere) {
    for (const char* member : {"%u_0", "%u_1", "%u_2"}) {
        ShaderText text;
        text.body = "%p = OpAccessChain %p_word %in " + std::string(member) + " %i\n";
        EXPECT_EQ(refusal(assemble(shader(text))).empty(), member[3] == '0') << member;
    }
    ShaderText text;
    text.capabilities = "OpCapability FloatControls2\nOpExtension \"SPV_KHR_float_controls2\"\n";
    std::string all = shader(text);
    const std::string before = "OpDecorate %index";
    all.insert(all.find(before), "OpExecutionModeId %main FPFastMathDefault %nothing %u_0\n");
    (void)refusal(assemble(all));  // it may have no meaning
}

}  // namespace
}  // namespace coopvk::reference::test::refused_test
