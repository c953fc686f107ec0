// SPDX-License-Identifier: Apache-2.0
//
// Tensor accesses of a descriptor that differs between invocations.
#include <gtest/gtest.h>

#include "tensor_module.hpp"

namespace coopvk::rewrite::tensor_descriptors_test {
namespace {

using tensor_module::moduleText;

// Functions for accesses that are alike have no decorated indices, so those of a descriptor that
// differs between invocations stay where they are.
TEST(TensorDescriptors, MayDifferBetweenInvocations) {
    std::string text = moduleText(
        {.types = "%few = OpTypeArray %block %c2\n%few_pointer = OpTypePointer StorageBuffer %few\n"
                  "%buffers = OpVariable %few_pointer StorageBuffer",
         .make = "%i = OpIAdd %u32 %c0 %c1\n"
                 "%x = OpIAdd %u32 %c1 %c1\n%y = OpIAdd %u32 %c2 %c1\n"
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
    Target target;
    target.subgroupSize = 16;
    target.device.bufferDeviceAddress = true;
    target.device.scalarRegisters = true;  // of the classes that call functions for accesses
    const Result<Rewritten> out = rewrite(request, target);
    ASSERT_TRUE(out) << out.error().message;
    const std::string words = disassemble(out->words);
    const size_t end = words.find(" NonUniform\n"), start = words.rfind('%', end);
    const std::string index = words.substr(start, end - start) + " %uint_0 ";
    size_t chains = 0;
    for (size_t at = 0; (at = words.find(index, at)) != std::string::npos; ++at) ++chains;
    EXPECT_GE(chains, 2 * 16u) << "each of a lane's 16 elements, in two loads; stores are loops\n"
                               << words;
}

}  // namespace
}  // namespace coopvk::rewrite::tensor_descriptors_test
