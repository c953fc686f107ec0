// SPDX-License-Identifier: Apache-2.0
//
// Conversions of matrices that only tensor stores use: the stores convert.
#include <gtest/gtest.h>

#include "edit.hpp"
#include "tensor_module.hpp"

namespace coopvk::rewrite::stored_conversions_test {
namespace {

constexpr std::string_view kCode = R"(
%f16 = OpTypeFloat 16
%h1 = OpConstant %f16 1
%H = OpTypeCooperativeMatrixKHR %f16 %c3 %c16 %c16 %c2
%M = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c2
%ones = OpConstantComposite %H %h1
%T = OpTypeTensorLayoutNV %c2 %c1
%main = OpFunction %void None %void_fn
%entry = OpLabel
%t = OpCreateTensorLayoutNV %T
%p = OpAccessChain %pointer %buffer %c0 %c0
%sum = OpFAdd %H %ones %ones
%converted = OpFConvert %M %sum
%unused = OpFConvert %M %sum
OpCooperativeMatrixStoreTensorNV %p %converted %t None None
OpReturn
OpFunctionEnd
)";

// The names of what is no longer there would be names of undefined ids.
TEST(StoredConversions, MayHaveNames) {
    const std::string text = test::edited(
        tensor_module::preamble() + std::string(kCode),
        {{"OpCapability Shader", "OpCapability Shader\nOpCapability Float16"},
         {"OpDecorate", "OpName %converted \"converted\"\nOpName %unused \"unused\"\nOpDecorate"}});
    const std::vector<uint32_t> words = test::assemble(text);
    ASSERT_EQ(validate(words), std::nullopt);
    Request request;
    request.words = words;
    const Result<Rewritten> out = rewrite(request, Target{});
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
}

}  // namespace
}  // namespace coopvk::rewrite::stored_conversions_test
