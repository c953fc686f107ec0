// SPDX-License-Identifier: Apache-2.0
//
// Code that SPV_INTEL_int4 forbids: the layer refuses it, and the log names the rule.
#include <gtest/gtest.h>

#include "harness/int4_case.hpp"
#include "harness/layer_log.hpp"

namespace coopvk::test::int4_bad_code_test {
namespace {

struct Bad {
    const char* name;
    const char* rule;
    const char* declarations;
    const char* body = "%r = OpIAdd %u32 %x %c_0\n";
    const char* decorations = "";
    std::vector<std::string> interfaces = {};
    std::vector<std::string> capabilities = {};
};

constexpr const char* kEven = "vectors with an even Component Count (SPV_INTEL_int4)";
constexpr const char* kInstructions = "not one of the instructions that may take 4-bit integers";
constexpr const char* kComponent =
    "a pointer to a component of a vector of 4-bit integers is used for more than";
constexpr const char* kBinding =
    "OpDecorate %b Block\nOpMemberDecorate %b 0 Offset 0\nOpDecorate %v DescriptorSet 0\n"
    "OpDecorate %v Binding 1\n";
constexpr const char* kPush = "OpDecorate %b Block\nOpMemberDecorate %b 0 Offset 0\n";

const std::vector<Bad>& badModules() {
    static const std::vector<Bad> list = {
        // Memory.
        {"OddVectorInStorageBuffer",
         kEven,
         "%b = OpTypeStruct %s4x3\n%p = OpTypePointer StorageBuffer %b\n"
         "%v = OpVariable %p StorageBuffer\n",
         "%r = OpIAdd %u32 %x %c_0\n",
         kBinding,
         {"%v"}},
        {"ScalarInStorageBuffer",
         kEven,
         "%b = OpTypeStruct %u4\n%p = OpTypePointer StorageBuffer %b\n"
         "%v = OpVariable %p StorageBuffer\n",
         "%r = OpIAdd %u32 %x %c_0\n",
         kBinding,
         {"%v"}},
        {"OddVectorInUniform",
         kEven,
         "%b = OpTypeStruct %s4x3\n%p = OpTypePointer Uniform %b\n%v = OpVariable %p Uniform\n",
         "%r = OpIAdd %u32 %x %c_0\n",
         kBinding,
         {"%v"}},
        {"OddVectorInPushConstants",
         kEven,
         "%b = OpTypeStruct %s4x3\n%p = OpTypePointer PushConstant %b\n"
         "%v = OpVariable %p PushConstant\n",
         "%r = OpIAdd %u32 %x %c_0\n",
         kPush,
         {"%v"}},
        {"OddVectorBehindAddress",
         kEven,
         "%b = OpTypeStruct %s4x3\n%p = OpTypePointer PhysicalStorageBuffer %b\n",
         "%r = OpIAdd %u32 %x %c_0\n",
         kPush,
         {},
         {"PhysicalStorageBufferAddresses"}},
        {"ScalarsInWorkgroup",
         kEven,
         "%arr = OpTypeArray %u4 %c_8\n%p = OpTypePointer Workgroup %arr\n"
         "%v = OpVariable %p Workgroup\n",
         "%r = OpIAdd %u32 %x %c_0\n",
         "",
         {"%v"}},
        {"ComponentPointerToFunction",
         kComponent,
         "%arr = OpTypeArray %u4x8 %c_8\n%p = OpTypePointer Workgroup %arr\n"
         "%v = OpVariable %p Workgroup\n%one = OpTypePointer Workgroup %u4\n",
         "%at = OpAccessChain %one %v %l %c_3\n%k = OpINotEqual %bool %x %c_0\n"
         "%at2 = OpSelect %one %k %at %at\n%e = OpLoad %u4 %at2\n%r = OpUConvert %u32 %e\n",
         "",
         {"%v"},
         {"VariablePointers"}},
        // Types.
        {"FiveComponents", "a vector has 2, 3, 4, 8 or 16 components",
         "%five = OpTypeVector %u4 5\n"},
        {"WideVectors", "vectors of more than four components are for 4-bit integers only",
         "%wide = OpTypeVector %u32 8\n"},
        {"MatricesUndeclared", "need the capability Int4CooperativeMatrixINTEL",
         "%m = OpTypeCooperativeMatrixKHR %u4 %c_3 %c_8 %c_8 %c_0\n"},
        {"Accumulators",
         "4-bit components are for A and B only",
         "%ma = OpTypeCooperativeMatrixKHR %u4 %c_3 %c_8 %c_8 %c_0\n"
         "%mb = OpTypeCooperativeMatrixKHR %u4 %c_3 %c_8 %c_8 %c_1\n"
         "%mc = OpTypeCooperativeMatrixKHR %u4 %c_3 %c_8 %c_8 %c_2\n%na = OpConstantNull %ma\n"
         "%nb = OpConstantNull %mb\n%nc = OpConstantNull %mc\n",
         "%n = OpCooperativeMatrixMulAddKHR %mc %na %nb %nc\n%r = OpIAdd %u32 %x %c_0\n",
         "",
         {},
         {"Int4CooperativeMatrixINTEL"}},
        // Instructions.
        {"Addition", kInstructions, "",
         "%a = OpUConvert %u4 %x\n%b = OpIAdd %u4 %a %a\n%r = OpUConvert %u32 %b\n"},
        {"Complement", kInstructions, "",
         "%a = OpBitcast %u4x8 %x\n%b = OpNot %u4x8 %a\n%r = OpBitcast %u32 %b\n"},
        {"Comparison", kInstructions, "",
         "%a = OpUConvert %u4 %x\n%q = OpIEqual %bool %a %u13\n"
         "%r = OpSelect %u32 %q %c_1 %c_0\n"},
        {"BitcastOfOtherSize", "a bitcast keeps the number of bits", "",
         "%a = OpBitcast %u4x4 %x\n%b = OpBitcast %u16 %a\n%r = OpUConvert %u32 %b\n"},
        {"ConversionOfOtherCount", "a conversion keeps the number of components", "",
         "%a = OpBitcast %u4x8 %x\n%b = OpUConvert %u32x4 %a\n"
         "%r = OpCompositeExtract %u32 %b 0\n"},
    };
    return list;
}

class Int4BadCode : public testing::TestWithParam<size_t> {};

TEST_P(Int4BadCode, Refused) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const Bad& bad = badModules()[GetParam()];
    Context& context = Context::get();
    const Layout layout(context);
    const Int4Case c{bad.name,         bad.declarations, bad.body,      "",
                     bad.capabilities, bad.decorations,  bad.interfaces};
    LayerLog::take();
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult result = createPipeline(context, layout.pipeline,
                                           assemble(assemblyOf(c), Checked::kNo), {}, &pipeline);
    EXPECT_EQ(result, VK_ERROR_UNKNOWN);
    EXPECT_EQ(pipeline, VkPipeline{});
    const std::string log = LayerLog::take();
    EXPECT_NE(log.find("]: cannot rewrite compute shader"), std::string::npos) << log;
    EXPECT_NE(log.find(bad.rule), std::string::npos) << log;
    vkDestroyPipeline(context.device, pipeline, nullptr);
}

INSTANTIATE_TEST_SUITE_P(All, Int4BadCode, testing::Range(size_t{0}, badModules().size()),
                         [](const testing::TestParamInfo<size_t>& at) {
                             return std::string(badModules()[at.param].name);
                         });

}  // namespace
}  // namespace coopvk::test::int4_bad_code_test
