// SPDX-License-Identifier: Apache-2.0
//
// Programs that makeProgram() refuses: valid ones that no memory suffices for, before it allocates,
// and what the device does not have.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace coopvk::reference::test::refused_test
