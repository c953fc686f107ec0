// SPDX-License-Identifier: Apache-2.0
//
// Pointers as values: comparisons, differences, lengths of what they point to, and undefined ones.
#include <gtest/gtest.h>

#include "shader_text.hpp"

namespace coopvk::reference::test::pointers_test {
namespace {

Execution executed(const ShaderText& text, std::vector<uint32_t> in, size_t outWords) {
    Execution r;
    r.validate = false;  // pointers beside those of the environment
    r.buffers = {{0, std::move(in)}, {1, std::vector<uint32_t>(outWords)}};
    execute(r, shader(text));
    EXPECT_EQ(r.error, "");
    return r;
}

// The word of the invocation, and word 2: of the same buffer, then of two.
TEST(ReferencePointers, Compare) {
    for (const std::string other : {"%in", "%out"}) {
        ShaderText text;
        text.capabilities = "OpCapability VariablePointers\n";
        text.body = "%p = OpAccessChain %p_word %in %u_0 %i\n%q = OpAccessChain %p_word " + other +
                    " %u_0 %u_2\n%is = OpPtrEqual %bool %p %q\n"
                    "%is_not = OpPtrNotEqual %bool %p %q\n%one = OpSelect %u32 %is %u_1 %u_0\n"
                    "%two = OpSelect %u32 %is_not %u_2 %u_0\n%r = OpIAdd %u32 %one %two\n" +
                    storeWord("%i", "%r");
        const Execution r = executed(text, {0, 0, 0, 0}, 4);
        for (uint32_t i = 0; i < 4; ++i)
            EXPECT_EQ(r.buffers.at(1)[i], other == "%in" && i == 2 ? 1u : 2u) << other << i;
    }
}

// Of an array behind two words, in a buffer of nine, whatever the variable was declared with.
TEST(ReferencePointers, LengthsOfUntypedOnes) {
    ShaderText text;
    text.localSize = 1;
    text.capabilities =
        "OpCapability UntypedPointersKHR\nOpExtension \"SPV_KHR_untyped_pointers\"\n";
    text.annotations =
        "OpDecorate %pairs ArrayStride 8\nOpDecorate %late Block\n"
        "OpMemberDecorate %late 0 Offset 0\nOpMemberDecorate %late 1 Offset 8\n"
        "OpDecorate %untyped DescriptorSet 0\nOpDecorate %untyped Binding 0\n";
    text.declarations =
        "%pairs = OpTypeRuntimeArray %v2u32\n%late = OpTypeStruct %u32 %pairs\n"
        "%to_any = OpTypeUntypedPointerKHR StorageBuffer\n"
        "%untyped = OpUntypedVariableKHR %to_any StorageBuffer %block\n";
    text.body = "%n = OpUntypedArrayLengthKHR %u32 %late %untyped 1\n" + storeWord("%u_0", "%n");
    const Execution r = executed(text, std::vector<uint32_t>(9), 1);
    EXPECT_EQ(r.buffers.at(1)[0], 3u);
    EXPECT_TRUE(r.reports.empty());
}

// A chain with indices that are defined, from a pointer that nothing wrote.
TEST(ReferencePointers, ChainsFromUndefinedOnes) {
    ShaderText text;
    text.capabilities = "OpCapability VariablePointersStorageBuffer\n";
    text.declarations =
        "%p_var = OpTypePointer Private %p_block\n%var = OpVariable %p_var Private\n";
    text.body =
        "%nowhere = OpLoad %p_block %var\n%at = OpAccessChain %p_word %nowhere %u_0 %i\n"
        "%x = OpLoad %u32 %at\n";
    const Execution r = executed(text, {0}, 1);
    EXPECT_GE(countReports(r, kCheckUndefined), 1u);
}

}  // namespace
}  // namespace coopvk::reference::test::pointers_test
