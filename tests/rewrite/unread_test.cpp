// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <format>

#include "coopvk/rewrite.hpp"
#include "tensor/load_order.hpp"
#include "tensor_module.hpp"

namespace coopvk::rewrite::unread_test {
namespace {

// A loop whose phi holds the matrix loaded before, which is only the Object of the next load.
struct Case {
    std::string_view name;
    std::string_view make = "";  // %view
    std::string_view addressing = "TensorView %view";
    std::string_view more = "";  // in the loop
    size_t phis = 1, stores = 0;
};

constexpr std::string_view kClip = "%clipped = OpTensorViewSetClipNV %V %view %c0 %c2 %c0 %c16";

std::string moduleText(const Case& c) {
    return tensor_module::preamble() + std::format(R"(
%M = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c2
%zeros = OpConstantComposite %M %f0
%T = OpTypeTensorLayoutNV %c2 %c1
%V = OpTypeTensorViewNV %c2 %false %c1 %c0
%number_pointer = OpTypePointer Function %u32
%main = OpFunction %void None %void_fn
%entry = OpLabel
%counter = OpVariable %number_pointer Function
%p = OpAccessChain %pointer %buffer %c0 %c0
%t = OpCreateTensorLayoutNV %T
%view = OpCreateTensorViewNV %V
{}
OpBranch %header
%header = OpLabel
%i = OpPhi %u32 %c0 %entry %next %body
%former = OpPhi %M %zeros %entry %m %body
OpLoopMerge %end %body None
OpBranch %body
%body = OpLabel
%m = OpCooperativeMatrixLoadTensorNV %M %p %former %t None {}
OpCooperativeMatrixStoreTensorNV %p %m %t None None
%next = OpIAdd %u32 %i %c1
OpStore %counter %next
{}
%more = OpULessThan %bool %next %c3
OpBranchConditional %more %header %end
%end = OpLabel
OpReturn
OpFunctionEnd
)",
                                                   c.make, c.addressing, c.more);
}

const Case kCases[] = {
    {.name = "Object"},
    {.name = "ObjectWithoutView", .addressing = "None"},
    {.name = "ObjectOfAClip", .make = kClip, .addressing = "TensorView %clipped", .phis = 2},
    {.name = "ReadVariable", .more = "%read = OpLoad %u32 %counter", .stores = 1},
    {.name = "VolatileVariable", .more = "OpStore %counter %next Volatile", .stores = 2},
};

class Unread : public testing::TestWithParam<Case> {};

TEST_P(Unread, IsDropped) {
    const std::vector<uint32_t> words = test::assemble(moduleText(GetParam()));
    ASSERT_EQ(validate(words), std::nullopt);
    Result<Module> module = Module::parse(words);
    ASSERT_TRUE(module);
    TypeTable types(*module);
    dropUnread(types);
    EXPECT_EQ(validate(module->serialise()), std::nullopt);
    size_t phis = 0, stores = 0;
    module->visitBlocks([&](const Instruction& i) {
        phis += i.opcode == spv::Op::OpPhi ? 1 : 0;
        stores += i.opcode == spv::Op::OpStore ? 1 : 0;
    });
    EXPECT_EQ(phis, GetParam().phis);
    EXPECT_EQ(stores, GetParam().stores);
}

INSTANTIATE_TEST_SUITE_P(All, Unread, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace coopvk::rewrite::unread_test
