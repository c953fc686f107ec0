// SPDX-License-Identifier: Apache-2.0
//
// What SPV_INTEL_int4 forbids.
#include <gtest/gtest.h>

#include "harness/int4_case.hpp"
#include "harness/layer_log.hpp"

namespace coopvk::test {
namespace {

// Refused with a line in the log that names the rule.
void expectRefused(const char* declarations, const char* body, const std::string& rule,
                   const char* decorations = "", std::vector<std::string> interfaces = {}) {
    Context& context = Context::get();
    const Layout layout(context);
    const Int4Case c{"Refused", declarations, body,        [](uint32_t x) { return x; },
                     "",        {},           decorations, std::move(interfaces)};
    LayerLog::take();
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult result = createPipeline(context, layout.pipeline,
                                           assemble(assemblyOf(c), Checked::kNo), {}, &pipeline);
    EXPECT_EQ(result, VK_ERROR_UNKNOWN) << rule;
    EXPECT_EQ(pipeline, VkPipeline{});
    const std::string log = LayerLog::take();
    EXPECT_NE(log.find(rule), std::string::npos) << log;
    vkDestroyPipeline(context.device, pipeline, nullptr);
}

TEST(Int4BadCode, Refused) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const std::string even = "vectors with an even Component Count";
    const char* binding =
        "OpDecorate %b Block\nOpMemberDecorate %b 0 Offset 0\nOpDecorate %v DescriptorSet 0\n"
        "OpDecorate %v Binding 1\n";
    expectRefused(
        "%b = OpTypeStruct %s4x3\n%p = OpTypePointer StorageBuffer %b\n"
        "%v = OpVariable %p StorageBuffer\n",
        "%r = OpIAdd %u32 %x %c_0\n", even, binding, {"%v"});
    expectRefused(
        "%b = OpTypeStruct %u4\n%p = OpTypePointer StorageBuffer %b\n"
        "%v = OpVariable %p StorageBuffer\n",
        "%r = OpIAdd %u32 %x %c_0\n", even, binding, {"%v"});
    expectRefused(
        "%arr = OpTypeArray %u4 %c_8\n%p = OpTypePointer Workgroup %arr\n"
        "%v = OpVariable %p Workgroup\n",
        "%r = OpIAdd %u32 %x %c_0\n", even, "", {"%v"});
    expectRefused(
        "%b = OpTypeStruct %u4x2 %u4x16\n%p = OpTypePointer StorageBuffer %b\n"
        "%v = OpVariable %p StorageBuffer\n",
        "%r = OpIAdd %u32 %x %c_0\n", "must lie at multiples of four bytes",
        "OpDecorate %b Block\nOpMemberDecorate %b 0 Offset 0\nOpMemberDecorate %b 1 Offset 2\n"
        "OpDecorate %v DescriptorSet 0\nOpDecorate %v Binding 1\n",
        {"%v"});
    const std::string instructions = "not one of the instructions that may take 4-bit integers";
    expectRefused("", "%a = OpUConvert %u4 %x\n%b = OpIAdd %u4 %a %a\n%r = OpUConvert %u32 %b\n",
                  instructions);
    expectRefused("", "%a = OpBitcast %u4x8 %x\n%b = OpNot %u4x8 %a\n%r = OpBitcast %u32 %b\n",
                  instructions);
    expectRefused("",
                  "%a = OpUConvert %u4 %x\n%q = OpIEqual %bool %a %u13\n"
                  "%r = OpSelect %u32 %q %c_1 %c_0\n",
                  instructions);
    expectRefused("%wide = OpTypeVector %u32 8\n", "%r = OpIAdd %u32 %x %c_0\n",
                  "vectors of more than four components are for 4-bit integers only");
    expectRefused("", "%a = OpBitcast %u4x4 %x\n%b = OpBitcast %u16 %a\n%r = OpUConvert %u32 %b\n",
                  "a bitcast keeps the number of bits");
}

}  // namespace
}  // namespace coopvk::test
