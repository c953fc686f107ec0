// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <format>

#include "coopvk/rewrite.hpp"
#include "tensor/load_order.hpp"
#include "tensor_module.hpp"

namespace coopvk::rewrite::load_groups_test {
namespace {

// Two loads, %100 and %200, the code between them (%between), and a use of both after them.
struct Case {
    std::string_view name;
    std::string_view between;
    bool isTogether;
    std::string_view object = "%one";  // of the second load
    std::string_view decode = "None";  // of the first load: Tensor Addressing Operands
};

std::string moduleText(const Case& c) {
    const std::string code = std::format(R"(
%private_pointer = OpTypePointer Private %u32
%private = OpVariable %private_pointer Private
%M = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c2
%one = OpConstantComposite %M %f1
%T = OpTypeTensorLayoutNV %c2 %c1
%matrix_pointer = OpTypePointer Function %M
%element_pointer = OpTypePointer Function %f32
%count_pointer = OpTypePointer Function %u32
%physical = OpTypePointer PhysicalStorageBuffer %f32
%coordinates = OpTypeArray %u32 %c2
%decode_type = OpTypeFunction %f32 %physical %coordinates %coordinates
%main = OpFunction %void None %void_fn
%label = OpLabel
%x = OpVariable %matrix_pointer Function
%y = OpVariable %matrix_pointer Function
%n = OpVariable %count_pointer Function
%p = OpAccessChain %pointer %buffer %c0 %c0
%t = OpCreateTensorLayoutNV %T
%x3 = OpAccessChain %element_pointer %x %c3
%same = OpCopyObject %matrix_pointer %x
%y3 = OpAccessChain %element_pointer %y %c3
%100 = OpCooperativeMatrixLoadTensorNV %M %p %one %t None {}
{}
%200 = OpCooperativeMatrixLoadTensorNV %M %p {} %t None None
%sum = OpFAdd %M %100 %200
OpCooperativeMatrixStoreTensorNV %p %sum %t None None
OpReturn
OpFunctionEnd
%pure = OpFunction %f32 None %decode_type
%p1 = OpFunctionParameter %physical
%p2 = OpFunctionParameter %coordinates
%p3 = OpFunctionParameter %coordinates
%pl = OpLabel
OpReturnValue %f1
OpFunctionEnd
%counting = OpFunction %f32 None %decode_type
%q1 = OpFunctionParameter %physical
%q2 = OpFunctionParameter %coordinates
%q3 = OpFunctionParameter %coordinates
%ql = OpLabel
OpStore %private %c1
OpReturnValue %f1
OpFunctionEnd
)",
                                         c.decode, c.between, c.object);
    return tensor_module::preamble("%buffer %private") + code;
}

const Case kCases[] = {
    {"Nothing", "", true},
    {"Arithmetic", "%k = OpIAdd %u32 %c1 %c2", true},
    {"LayoutOfTheNext", "%s = OpTensorLayoutSliceNV %T %t %c0 %c16 %c0 %c16", true},
    {"CountIsStoredAndLoaded", "OpStore %n %c1\n%k = OpLoad %u32 %n", true},
    {"PrivateIsRead", "%k = OpLoad %u32 %private", true},
    {"PrivateIsReadWhereNoFunctionWritesIt", "%k = OpLoad %u32 %private", true, "%one",
     "DecodeFunc %pure"},
    {"PrivateIsReadWhereAFunctionWritesIt", "%k = OpLoad %u32 %private", false, "%one",
     "DecodeFunc %counting"},
    {"LoadedIsStored", "OpStore %x %100", true},
    {"OtherVariableIsReadBehindTheStore", "OpStore %x %100\n%k = OpLoad %M %y", true},
    {"StoredIsRead", "OpStore %x %100\n%k = OpLoad %M %x", false},
    {"ElementOfStoredIsRead", "OpStore %x %100\n%k = OpLoad %f32 %x3", false},
    {"CopyOfStoredPointerIsRead", "OpStore %x %100\n%k = OpLoad %M %same", false},
    {"ElementOfOtherVariableIsRead", "OpStore %x %100\n%k = OpLoad %f32 %y3", true},
    {"StoredIsObject", "OpStore %x %100\n%k = OpLoad %M %x", false, "%k"},
    {"LoadedIsObject", "", false, "%100"},
    {"StoredTwice", "OpStore %x %100\nOpStore %x %one", false},
    {"Used", "%k = OpFNegate %M %100", false},
    {"PrivateIsWritten", "OpStore %private %c1", false},
    {"BufferIsRead", "%k = OpLoad %f32 %p", false},
    {"BufferIsWritten", "OpStore %p %f1", false},
    {"Barrier", "OpControlBarrier %c2 %c2 %c0", false},
    {"NextBlock", "OpBranch %next\n%next = OpLabel", false},
};

class LoadGroups : public testing::TestWithParam<Case> {};

std::vector<Id> resultsOf(const Module& module, spv::Op opcode) {
    std::vector<Id> results;
    module.visitBlocks([&](const Instruction& i) {
        if (i.opcode == opcode) results.push_back(i.result);
    });
    return results;
}

TEST_P(LoadGroups, AreWhereNothingStandsBetween) {
    const std::vector<uint32_t> words = test::assemble(moduleText(GetParam()));
    Result<Module> parsed = Module::parse(words);
    ASSERT_TRUE(parsed) << parsed.error().message;
    Module& module = *parsed;
    const std::vector<Id> loads = resultsOf(module, spv::Op::OpCooperativeMatrixLoadTensorNV);
    ASSERT_EQ(loads.size(), 2u);
    const std::set<Id> followed = gatherTensorLoads(module);
    EXPECT_EQ(resultsOf(module, spv::Op::OpCooperativeMatrixLoadTensorNV), loads);
    EXPECT_EQ(followed, GetParam().isTogether ? std::set<Id>{loads[0]} : std::set<Id>{});
    bool isNext = false, wasNext = false;
    module.visitBlocks([&](const Instruction& i) {
        wasNext |= isNext && i.result == loads[1];
        isNext = i.result == loads[0];
    });
    if (GetParam().isTogether) {
        EXPECT_TRUE(wasNext);
    }
    EXPECT_EQ(validate(module.serialise()), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Tensor, LoadGroups, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace coopvk::rewrite::load_groups_test
