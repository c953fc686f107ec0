// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <format>

#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "lowering/context.hpp"
#include "tensor/load_order.hpp"
#include "tensor_module.hpp"

namespace coopvk::rewrite::load_versions_test {
namespace {

// A loop whose body loads A and B, multiplies them and stores the sum.
struct Case {
    std::string_view name;
    bool isDuplicated;
    std::string_view decode = "DecodeFunc %decode";  // of A
    std::string_view body = R"(
%product = OpCooperativeMatrixMulAddKHR %C %a %b %before
OpStore %sum %product)";
    std::string_view behind = "";  // in the block behind the loop
    size_t phis = 0;               // that join the versions
};

std::string moduleText(const Case& c) {
    const std::string code = std::format(R"(
%physical = OpTypePointer PhysicalStorageBuffer %f32
%coordinates = OpTypeArray %u32 %c2
%decode_type = OpTypeFunction %f32 %physical %coordinates %coordinates
%A = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c0
%B = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c1
%C = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c2
%zeros_a = OpConstantComposite %A %f0
%zeros_b = OpConstantComposite %B %f0
%zeros = OpConstantComposite %C %f0
%T = OpTypeTensorLayoutNV %c2 %c1
%sum_pointer = OpTypePointer Function %C
%a_pointer = OpTypePointer Function %A
%address = OpTypeUntypedPointerKHR PhysicalStorageBuffer
%address_pointer = OpTypePointer Function %address
%buffer_pointer = OpTypePointer Function %pointer
%three_sums = OpTypeArray %C %c3
%sums_pointer = OpTypePointer Function %three_sums
%main = OpFunction %void None %void_fn
%entry = OpLabel
%sum = OpVariable %sum_pointer Function
%sums = OpVariable %sums_pointer Function
%held = OpVariable %a_pointer Function
%place = OpVariable %address_pointer Function
%variable = OpVariable %buffer_pointer Function
%p = OpAccessChain %pointer %buffer %c0 %c0
%t = OpCreateTensorLayoutNV %T
%next_address = OpUndef %address
OpStore %sum %zeros
OpBranch %header
%header = OpLabel
%k = OpPhi %u32 %c0 %entry %next %body
OpLoopMerge %end %body DontUnroll
OpBranch %body
%body = OpLabel
%before = OpLoad %C %sum
%a = OpCooperativeMatrixLoadTensorNV %A %p %zeros_a %t None {}
%b = OpCooperativeMatrixLoadTensorNV %B %p %zeros_b %t None None
{}
%next = OpIAdd %u32 %k %c1
%more = OpULessThan %bool %next %c3
OpBranchConditional %more %header %end
%end = OpLabel
{}
OpReturn
OpFunctionEnd
%decode = OpFunction %f32 None %decode_type
%from = OpFunctionParameter %physical
%in_tensor = OpFunctionParameter %coordinates
%in_block = OpFunctionParameter %coordinates
%decode_label = OpLabel
%decoded = OpLoad %f32 %from Aligned 4
OpReturnValue %decoded
OpFunctionEnd
)",
                                         c.decode, c.body, c.behind);
    return test::edited(tensor_module::preamble() + code,
                        {{"OpCapability Int64",
                          "OpCapability Int64\nOpCapability VariablePointers\n"
                          "OpCapability UntypedPointersKHR"},
                         {"OpExtension", "OpExtension \"SPV_KHR_untyped_pointers\"\nOpExtension"}});
}

constexpr std::string_view kThroughVariable = R"(
OpStore %held %a
%copy = OpLoad %A %held
%product = OpCooperativeMatrixMulAddKHR %C %copy %b %before
OpStore %sum %product)";
constexpr std::string_view kLaterUse = R"(
%product = OpCooperativeMatrixMulAddKHR %C %a %b %before
%twice = OpFAdd %C %product %product
OpStore %sum %twice)";
constexpr std::string_view kPointerUsedLater = R"(
%one = OpCooperativeMatrixMulAddKHR %C %a %b %before
%index = OpIAdd %u32 %k %c1
%pointer_to_sum = OpAccessChain %sum_pointer %sums %index
%old = OpLoad %C %pointer_to_sum
%product = OpCooperativeMatrixMulAddKHR %C %a %b %old
OpStore %pointer_to_sum %product
%again = OpLoad %C %pointer_to_sum
OpStore %sum %again)";
// Behind the versions, the variables have other pointers.
constexpr std::string_view kUntypedLoaded = R"(
%one = OpCooperativeMatrixMulAddKHR %C %a %b %before
%old = OpLoad %address %place
OpStore %place %next_address
%product = OpCooperativeMatrixMulAddKHR %C %a %b %one
OpStore %sum %product
%read = OpLoad %f32 %old Aligned 4
OpStore %p %read)";
constexpr std::string_view kPointerLoaded = R"(
%one = OpCooperativeMatrixMulAddKHR %C %a %b %before
%old = OpLoad %pointer %variable
OpStore %variable %p
%product = OpCooperativeMatrixMulAddKHR %C %a %b %one
OpStore %sum %product
OpStore %old %f1)";
constexpr std::string_view kTwice = R"(
%one = OpCooperativeMatrixMulAddKHR %C %a %b %before
%product = OpCooperativeMatrixMulAddKHR %C %a %b %one
OpStore %sum %product)";
constexpr std::string_view kStored = R"(
OpCooperativeMatrixStoreTensorNV %p %a %t None None
OpCooperativeMatrixStoreTensorNV %p %b %t None None)";
constexpr std::string_view kOtherProduct = R"(
%product = OpCooperativeMatrixMulAddKHR %C %zeros_a %zeros_b %before
OpStore %sum %product)";
constexpr std::string_view kStoreProduct =
    "OpCooperativeMatrixStoreTensorNV %p %product %t None None";

const Case kCases[] = {
    {.name = "Product", .isDuplicated = true},
    {.name = "ThroughVariable", .isDuplicated = true, .body = kThroughVariable},
    {.name = "TwoProducts", .isDuplicated = true, .body = kTwice},
    {.name = "UsedInTheBlock", .isDuplicated = true, .body = kLaterUse, .phis = 1},
    // Pointers into logical memory cannot be joined: they are computed once more, from an index
    // that is joined.
    {.name = "PointerUsedLater", .isDuplicated = true, .body = kPointerUsedLater, .phis = 1},
    {.name = "UntypedLoaded", .isDuplicated = true, .body = kUntypedLoaded, .phis = 1},
    {.name = "PointerLoaded", .isDuplicated = false, .body = kPointerLoaded},
    {.name = "UsedInAnotherBlock", .isDuplicated = true, .behind = kStoreProduct, .phis = 1},
    {.name = "NotDecoded", .isDuplicated = true, .decode = "None"},
    {.name = "NoProduct", .isDuplicated = false, .body = kStored},
    {.name = "ProductOfOthers", .isDuplicated = false, .body = kOtherProduct},
};

class LoadVersionsTest : public testing::TestWithParam<Case> {};

size_t countOf(const Module& module, spv::Op opcode) {
    size_t count = 0;
    module.visitBlocks([&](const Instruction& i) { count += i.opcode == opcode ? 1 : 0; });
    return count;
}

TEST_P(LoadVersionsTest, HaveLoadsAndProducts) {
    const std::vector<uint32_t> words = test::assemble(moduleText(GetParam()));
    ASSERT_EQ(validate(words), std::nullopt);
    Result<Module> parsed = Module::parse(words);
    ASSERT_TRUE(parsed) << parsed.error().message;
    Module& module = *parsed;
    TypeTable types(module);
    constexpr auto kLoad = spv::Op::OpCooperativeMatrixLoadTensorNV;
    constexpr auto kProduct = spv::Op::OpCooperativeMatrixMulAddKHR;
    const size_t products = countOf(module, kProduct);
    std::set<Id> followed = gatherTensorLoads(module);
    ASSERT_EQ(followed.size(), 1u);
    const PlannedTarget target{Target()};
    LoweringContext context(types, target);
    const LoadVersions versions = duplicateLoads(context.types, followed);
    const size_t copies = GetParam().isDuplicated ? 2 : 1;
    EXPECT_EQ(countOf(module, kLoad), 2 * copies);
    EXPECT_EQ(countOf(module, kProduct), products * copies);
    EXPECT_EQ(countOf(module, spv::Op::OpPhi), 1 + GetParam().phis);
    EXPECT_EQ(followed.size(), copies);
    EXPECT_EQ(validate(module.serialise()), std::nullopt);
    if (!GetParam().isDuplicated) {
        EXPECT_TRUE(versions.loads.empty() && versions.fastest.empty() && versions.others.empty());
        return;
    }
    ASSERT_EQ(versions.loads.size(), 1u);
    const auto& [condition, loads] = *versions.loads.begin();
    EXPECT_EQ(module.def(condition).opcode, spv::Op::OpUndef);
    ASSERT_EQ(loads.size(), 2u);
    EXPECT_TRUE(followed.contains(loads[0]->result));
    EXPECT_EQ(versions.fastest, (std::set<Id>{loads[0]->result, loads[1]->result}));
    EXPECT_EQ(versions.others.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Tensor, LoadVersionsTest, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace coopvk::rewrite::load_versions_test
