// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <format>

#include "coopvk/rewrite.hpp"
#include "matrix/product_loops.hpp"
#include "tensor_module.hpp"

namespace coopvk::rewrite::common_tails_test {
namespace {

// A selection whose branches load A, and both multiply.
struct Case {
    std::string_view name;
    size_t products = 1;  // that are left
    size_t phis = 0;
    std::string_view first = "%a";  // factors
    std::string_view second = "%a2";
    std::string_view last = "";   // in the first branch, behind its product
    std::string_view last2 = "";  // in the second branch
    std::string_view kept = "%kept";
    std::string_view result = "%product %yes %product2 %no";
    std::string_view decorations = "";
    std::string_view unreachable = "";
};

std::string moduleText(const Case& c) {
    return tensor_module::preamble("%buffer", c.decorations) +
           std::format(R"(
%A = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c0
%B = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c1
%C = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c2
%b = OpConstantComposite %B %f1
%other = OpConstantComposite %A %f1
%zeros = OpConstantComposite %C %f0
%kept_pointer = OpTypePointer Function %C
%Pair = OpTypeStruct %f32 %f32
%pair_pointer = OpTypePointer Function %Pair
%f32_pointer = OpTypePointer Function %f32
%number_fn = OpTypeFunction %f32
%zero = OpFunction %f32 None %number_fn
%in_zero = OpLabel
OpReturnValue %f0
OpFunctionEnd
%one = OpFunction %f32 None %number_fn
%in_one = OpLabel
OpReturnValue %f1
OpFunctionEnd
%main = OpFunction %void None %void_fn
%entry = OpLabel
%kept = OpVariable %kept_pointer Function %zeros
%kept2 = OpVariable %kept_pointer Function %zeros
%pair = OpVariable %pair_pointer Function
%p = OpAccessChain %pointer %buffer %c0 %c0
%read = OpLoad %f32 %p
%condition = OpFOrdLessThan %bool %read %f1
OpSelectionMerge %behind None
OpBranchConditional %condition %yes %no
%yes = OpLabel
%a = OpCooperativeMatrixLoadKHR %A %p %c0 %c16
%old = OpLoad %C %kept
%product = OpCooperativeMatrixMulAddKHR %C {} %b %old
OpStore %kept %product
{}
OpBranch %behind
%no = OpLabel
%a2 = OpCooperativeMatrixLoadKHR %A %p %c1 %c16
%old2 = OpLoad %C {}
%product2 = OpCooperativeMatrixMulAddKHR %C {} %b %old2
OpStore {} %product2
{}
OpBranch %behind
%behind = OpLabel
%result = OpPhi %C {}
OpCooperativeMatrixStoreKHR %p %result %c0 %c16
OpReturn
{}
OpFunctionEnd
)",
                       c.first, c.last, c.kept, c.second, c.kept, c.last2, c.result, c.unreachable);
}

const Case kCases[] = {
    {.name = "OtherLoads", .phis = 1},
    {.name = "SameFactor", .phis = 0, .first = "%other", .second = "%other"},
    {.name = "ResultOfOneBranch", .products = 2, .phis = 1, .result = "%product %yes %zeros %no"},
    // Pointers into logical memory are not joined.
    {.name = "OtherVariables", .products = 2, .phis = 1, .kept = "%kept2"},
    {.name = "More", .products = 2, .phis = 1, .last2 = "OpStore %p %f1"},
    {.name = "OtherNumbers", .phis = 2, .last = "OpStore %p %f1", .last2 = "OpStore %p %f0"},
    {.name = "StoresOfResults",
     .phis = 1,
     .last = "OpCooperativeMatrixStoreKHR %p %product %c0 %c16",
     .last2 = "OpCooperativeMatrixStoreKHR %p %product2 %c0 %c16"},
    {.name = "UsedWhereNothingLeads",
     .phis = 1,
     .unreachable = "%never = OpLabel\nOpStore %kept %product2\nOpReturn"},
    // What must be a constant, or a function.
    {.name = "OtherLayouts",
     .products = 2,
     .phis = 1,
     .last = "OpCooperativeMatrixStoreKHR %p %product %c0 %c16",
     .last2 = "OpCooperativeMatrixStoreKHR %p %product2 %c1 %c16"},
    {.name = "OtherMembers",
     .products = 2,
     .phis = 1,
     .last = "%in = OpAccessChain %f32_pointer %pair %c0",
     .last2 = "%in2 = OpAccessChain %f32_pointer %pair %c1"},
    {.name = "OtherFunctions",
     .products = 2,
     .phis = 1,
     .last = "%got = OpFunctionCall %f32 %zero",
     .last2 = "%got2 = OpFunctionCall %f32 %one"},
    {.name = "Decorated",
     .products = 2,
     .phis = 1,
     .decorations = "OpDecorate %product NoContraction"},
};

class CommonTails : public testing::TestWithParam<Case> {};

TEST_P(CommonTails, GoBehindBothBranches) {
    const std::vector<uint32_t> words = test::assemble(moduleText(GetParam()));
    ASSERT_EQ(validate(words), std::nullopt);
    Result<Module> module = Module::parse(words);
    ASSERT_TRUE(module);
    TypeTable types(*module);
    EXPECT_EQ(joinCommonTails(types), GetParam().products == 1 ? 1u : 0u);
    EXPECT_EQ(validate(module->serialise()), std::nullopt);
    size_t products = 0, phis = 0;
    module->visitBlocks([&](const Instruction& i) {
        products += i.opcode == spv::Op::OpCooperativeMatrixMulAddKHR ? 1 : 0;
        phis += i.opcode == spv::Op::OpPhi ? 1 : 0;
    });
    EXPECT_EQ(products, GetParam().products);
    EXPECT_EQ(phis, GetParam().phis);
    EXPECT_EQ(module->serialise() == words, GetParam().products != 1);
}

INSTANTIATE_TEST_SUITE_P(All, CommonTails, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace coopvk::rewrite::common_tails_test
