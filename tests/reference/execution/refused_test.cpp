// SPDX-License-Identifier: Apache-2.0
//
// Valid programs that no memory suffices for: makeProgram() refuses them, before it allocates.
#include <gtest/gtest.h>

#include "shader_text.hpp"

namespace coopvk::reference::test {
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

}  // namespace
}  // namespace coopvk::reference::test
