// SPDX-License-Identifier: Apache-2.0
//
// Tensor accesses of a descriptor that differs between invocations.
#include <gtest/gtest.h>

#include "edit.hpp"
#include "tensor_module.hpp"

namespace coopvk::rewrite::tensor_descriptors_test {
namespace {

using tensor_module::moduleText;

Target callingTarget() {
    Target target;
    target.subgroupSize = 16;
    target.device.bufferDeviceAddress = true;
    target.device.scalarRegisters = true;  // of the classes that call functions for accesses
    return target;
}

// Functions for accesses that are alike have no decorated indices, so those of a descriptor that
// differs between invocations stay where they are.
TEST(TensorDescriptors, MayDifferBetweenInvocations) {
    std::string text = moduleText(
        {.types = "%few = OpTypeArray %block %c2\n%few_pointer = OpTypePointer StorageBuffer %few\n"
                  "%buffers = OpVariable %few_pointer StorageBuffer",
         .make = "%i = OpIAdd %u32 %c0 %c1\n"
                 "%first = OpAccessChain %pointer %buffers %c0 %c0 %c1\n"
                 "%number = OpLoad %f32 %first\n"
                 "%x = OpConvertFToU %u32 %number\n%y = OpIAdd %u32 %x %c16\n"
                 "%p1 = OpAccessChain %pointer %buffers %i %c0 %x\n"
                 "%p2 = OpAccessChain %pointer %buffers %i %c0 %y\n"
                 "%m1 = OpCooperativeMatrixLoadTensorNV %M %p1 %one %t None None\n"
                 "%m2 = OpCooperativeMatrixLoadTensorNV %M %p2 %one %t None None\n"
                 "OpCooperativeMatrixStoreTensorNV %p1 %m2 %t None None\n"
                 "OpCooperativeMatrixStoreTensorNV %p2 %m1 %t None None\n"});
    const auto insert = [&](std::string_view ahead, std::string_view what) {
        text.insert(text.find(ahead), what);
    };
    insert("OpDecorate %buffer ",
           "OpDecorate %buffers DescriptorSet 0\nOpDecorate %buffers Binding 1\nOpDecorate %i "
           "NonUniform\n");
    insert("OpCapability VulkanMemoryModel", "OpCapability ShaderNonUniform\n");
    insert("\nOpExecutionMode", " %buffers");
    Request request;
    const std::vector<uint32_t> input = test::assemble(text);
    request.words = input;
    const Result<Rewritten> out = rewrite(request, callingTarget());
    ASSERT_TRUE(out) << out.error().message;
    const std::string words = disassemble(out->words);
    const size_t end = words.find(" NonUniform\n"), start = words.rfind('%', end);
    const std::string index = words.substr(start, end - start) + " %uint_0 ";
    size_t chains = 0;
    for (size_t at = 0; (at = words.find(index, at)) != std::string::npos; ++at) ++chains;
    EXPECT_GE(chains, 2 * 16u) << "each of a lane's 16 elements, in two loads; stores are loops\n"
                               << words;
}

std::string rewrittenText(const std::string& text) {
    const std::vector<uint32_t> input = test::assemble(text);
    EXPECT_EQ(validate(input), std::nullopt) << text;
    const Result<Rewritten> out = rewrite({.words = input}, callingTarget());
    EXPECT_TRUE(out) << out.error().message;
    return out ? disassemble(out->words) : "";
}

// Loads that are alike have a function. Other memory operands are no such.
TEST(TensorAccesses, AlikeOnesShareAFunction) {
    struct Pairs {
        const char *first, *second;
        size_t functions;
    };
    for (const Pairs& pairs :
         {Pairs{"None", "None", 1}, Pairs{"None", "Volatile", 2},
          Pairs{"Aligned 16", "Aligned 16", 1}, Pairs{"Aligned 16", "Aligned 4", 2},
          Pairs{"Nontemporal", "Volatile", 2}}) {
        std::string make;
        for (int i = 0; i < 4; ++i)
            make += std::format(
                "%l{0} = OpCooperativeMatrixLoadTensorNV %M %p %one %t {1} None\n"
                "OpCooperativeMatrixStoreKHR %p %l{0} %c0 %c16\n",
                i, i < 2 ? pairs.first : pairs.second);
        std::string text = moduleText({.make = make});
        const std::string_view own = "OpCooperativeMatrixLoadTensorNV %M %p %one %t None None\n";
        text.replace(text.rfind(own), own.size(), "OpCooperativeMatrixLoadKHR %M %p %c0 %c16\n");
        EXPECT_EQ(test::occurrences(rewrittenText(text), "\"coopvk_tensor_load\""), pairs.functions)
            << pairs.first << ", " << pairs.second;
    }
}

}  // namespace
}  // namespace coopvk::rewrite::tensor_descriptors_test
