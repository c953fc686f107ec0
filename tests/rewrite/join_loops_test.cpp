// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <format>
#include <regex>

#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "ir/blocks.hpp"
#include "matrix/product_loops.hpp"
#include "tensor_module.hpp"

namespace coopvk::rewrite::join_loops_test {
namespace {

// Two loops, of which the outer one counts, and one behind both. Both bodies load A, multiply, and
// add to k.
struct Case {
    std::string_view name;
    bool isJoined = true;
    std::string_view begin = "%c0";                   // of the inner counter
    std::string_view most = "%c3";                    // of it
    std::string_view inner = "%k1";                   // of the inner loop
    std::string_view later = "%k2";                   // of the outer loop's next iteration
    std::string_view ahead = "";                      // of the first product
    std::string_view enter = "OpBranch %h1b";         // the way to the inner loop
    std::string_view factor = "%a";                   // of the first product
    std::string_view place = "%k2";                   // of the first A
    std::string_view counted = "OpIAdd %u32 %i %c1";  // the outer counter's next value
    std::string_view outer = "OpULessThan %bool %i %n";
    std::string_view between = "";   // the loops
    std::string_view first = "%k1";  // of the second loop
    std::string_view rest = "OpULessThan %bool %k3 %c16";
    std::string_view behind = "%k3";  // what is stored at last
    std::string_view decorations = "";
};

std::string moduleText(const Case& c) {
    return tensor_module::preamble("%buffer %numbers", std::format(R"(
OpDecorate %numbers DescriptorSet 0
OpDecorate %numbers Binding 1
OpDecorate %Numbers Block
OpMemberDecorate %Numbers 0 Offset 0
{})",
                                                                   c.decorations)) +
           std::format(R"(
%A = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c0
%B = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c1
%C = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c2
%b = OpConstantComposite %B %f1
%other = OpConstantComposite %A %f1
%zeros = OpConstantComposite %C %f0
%Numbers = OpTypeStruct %u32
%numbers_pointer = OpTypePointer StorageBuffer %Numbers
%number_pointer = OpTypePointer StorageBuffer %u32
%numbers = OpVariable %numbers_pointer StorageBuffer
%main = OpFunction %void None %void_fn
%entry = OpLabel
%number = OpAccessChain %number_pointer %numbers %c0
%n = OpLoad %u32 %number
OpBranch %h1
%h1 = OpLabel
%k1 = OpPhi %u32 %c0 %entry {} %l1
%s1 = OpPhi %C %zeros %entry %s2 %l1
%i = OpPhi %u32 %c0 %entry %next_i %l1
%t1 = {}
OpLoopMerge %m1 %l1 None
OpBranchConditional %t1 %b1 %m1
%b1 = OpLabel
%unused = OpIAdd %u32 %k1 %n
%stops = OpULessThan %bool %n %i
{}
%h1b = OpLabel
OpBranch %h2
%h2 = OpLabel
%k2 = OpPhi %u32 {} %h1b %next_k %l2
%s2 = OpPhi %C %s1 %h1b %sum %l2
%j = OpPhi %u32 {} %h1b %next_j %l2
%t2 = OpULessThan %bool %j {}
OpLoopMerge %m2 %l2 Unroll
OpBranchConditional %t2 %l2 %m2
%l2 = OpLabel
{}
%p = OpAccessChain %pointer %buffer %c0 {}
%a = OpCooperativeMatrixLoadKHR %A %p %c0 %c16
%sum = OpCooperativeMatrixMulAddKHR %C {} %b %s2
%next_k = OpIAdd %u32 %k2 %c2
%next_j = OpIAdd %u32 %j %c1
OpBranch %h2
%m2 = OpLabel
OpBranch %l1
%l1 = OpLabel
%next_i = {}
OpBranch %h1
%m1 = OpLabel
%compared = OpULessThan %bool %k1 %c16
OpSelectionMerge %skipped None
OpBranchConditional %compared %empty %skipped
%empty = OpLabel
OpBranch %skipped
%skipped = OpLabel
{}
OpBranch %h3
%h3 = OpLabel
%k3 = OpPhi %u32 {} %skipped %next_k3 %l3
%s3 = OpPhi %C %s1 %skipped %sum3 %l3
%t3 = {}
OpLoopMerge %m3 %l3 None
OpBranchConditional %t3 %l3 %m3
%l3 = OpLabel
%p3 = OpAccessChain %pointer %buffer %c0 %k3
%a3 = OpCooperativeMatrixLoadKHR %A %p3 %c0 %c16
%sum3 = OpCooperativeMatrixMulAddKHR %C %a3 %b %s3
%next_k3 = OpIAdd %u32 %k3 %c2
OpBranch %h3
%m3 = OpLabel
OpStore %number {}
%to = OpAccessChain %pointer %buffer %c0 %c0
OpCooperativeMatrixStoreKHR %to %s3 %c0 %c16
OpReturn
OpFunctionEnd
)",
                       c.later, c.outer, c.enter, c.inner, c.begin, c.most, c.ahead, c.place,
                       c.factor, c.counted, c.between, c.first, c.rest, c.behind);
}

const Case kCases[] = {
    {.name = "Nest"},
    {.name = "AsOftenAsTheShaderSays", .most = "%n"},
    {.name = "NeverInTheInnerLoop", .begin = "%c3"},
    {.name = "ToAPlace", .outer = "OpULessThan %bool %k1 %n"},
    {.name = "UntilACounterFits", .counted = "OpISub %u32 %n %i"},
    {.name = "Unused", .ahead = "%more_of_it = OpIAdd %u32 %j %i"},
    {.name = "CounterInTheBody", .isJoined = false, .place = "%j"},
    {.name = "OuterCounterInTheBody", .isJoined = false, .place = "%i"},
    {.name = "OtherFactor", .isJoined = false, .factor = "%other"},
    {.name = "StoreInTheBody", .isJoined = false, .ahead = "OpStore %number %k2"},
    {.name = "StoreBetween", .isJoined = false, .between = "OpStore %number %k1"},
    {.name = "LoadBetween", .isJoined = false, .between = "%read = OpLoad %u32 %number"},
    {.name = "InnerLoopStartsElsewhere", .isJoined = false, .inner = "%i"},
    {.name = "OuterLoopGoesOnElsewhere", .isJoined = false, .later = "%next_i"},
    {.name = "OuterLoopGoesBack", .isJoined = false, .later = "%k1"},
    {.name = "TwoInnerLoops",
     .isJoined = false,
     .enter = "OpBranch %x0\n%x0 = OpLabel\n%x = OpPhi %u32 %c0 %b1 %next_x %x1\n"
              "%tx = OpULessThan %bool %x %c3\nOpLoopMerge %mx %x1 None\n"
              "OpBranchConditional %tx %x1 %mx\n%x1 = OpLabel\n%next_x = OpIAdd %u32 %x %c1\n"
              "OpBranch %x0\n%mx = OpLabel\nOpBranch %h1b"},
    {.name = "ReturnsFromTheOuterLoop",
     .isJoined = false,
     .enter = "OpSelectionMerge %h1b None\nOpBranchConditional %stops %h1c %h1b\n"
              "%h1c = OpLabel\nOpReturn"},
    {.name = "DoesNotWrapSigned",
     .isJoined = false,
     .decorations = "OpDecorate %next_i NoSignedWrap"},
    {.name = "ConditionDoesNotWrap",
     .isJoined = false,
     .outer = "OpULessThan %bool %i %n\n%next_of_i = OpIAdd %u32 %i %c1",
     .decorations = "OpDecorate %next_of_i NoUnsignedWrap"},
    {.name = "StartsElsewhere", .isJoined = false, .first = "%c1"},
    {.name = "UsedBehind", .isJoined = false, .behind = "%i"},
    {.name = "PlaceUsedBehind", .isJoined = false, .behind = "%k1"},
    // The counter that follows from the place when the outer loop's iteration began.
    {.name = "CountsByThePlace", .isJoined = false, .counted = "OpIAdd %u32 %i %k1"},
    // By zero, as soon as the other loop's iterations ask for the condition, too.
    {.name = "Divides", .isJoined = false, .counted = "OpUDiv %u32 %n %i"},
    {.name = "LeavesTheOuterLoop",
     .isJoined = false,
     .enter = "OpBranchConditional %stops %m1 %h1b"},
    {.name = "SelectionAheadOfTheInnerLoop",
     .enter = "OpSelectionMerge %h1b None\nOpBranchConditional %stops %h1c %h1b\n"
              "%h1c = OpLabel\nOpBranch %h1b"},
    {.name = "SelectionThatLeavesTheOuterLoop",
     .isJoined = false,
     .enter = "OpSelectionMerge %h1b None\nOpBranchConditional %stops %h1c %h1b\n"
              "%h1c = OpLabel\nOpBranch %m1"},
    // Its result is undefined where the second loop's iterations compute it, too.
    {.name = "DoesNotWrap", .isJoined = false, .decorations = "OpDecorate %next_i NoUnsignedWrap"},
    {.name = "DecoratedState", .isJoined = false, .decorations = "OpDecorate %s3 RelaxedPrecision"},
    {.name = "Decorated", .isJoined = false, .decorations = "OpDecorate %sum NoContraction"},
};

class JoinLoops : public testing::TestWithParam<Case> {};

size_t countOf(const Module& module, spv::Op opcode) {
    size_t count = 0;
    module.visitBlocks([&](const Instruction& i) { count += i.opcode == opcode ? 1 : 0; });
    return count;
}

// The operands of a phi have no order: those of the way into the loop first, or last.
TEST_P(JoinLoops, WithTheSameBody) {
    for (const char* order : {"$&", "$1 $3 $2"}) {
        const std::string first = moduleText(GetParam());
        const std::string text = std::regex_replace(
            first, std::regex("(OpPhi %\\w+) (%\\w+ %\\w+) (%\\w+ %\\w+)"), order);
        ASSERT_EQ(text == first, order == std::string_view("$&"));
        const std::vector<uint32_t> words = test::assemble(text);
        ASSERT_EQ(validate(words), std::nullopt);
        Result<Module> module = Module::parse(words);
        ASSERT_TRUE(module);
        TypeTable types(*module);
        EXPECT_EQ(joinEqualLoops(types, true), GetParam().isJoined ? 1u : 0u);
        EXPECT_EQ(validate(module->serialise()), std::nullopt);
        if (!GetParam().isJoined) {
            EXPECT_EQ(module->serialise(), words);
            continue;
        }
        EXPECT_EQ(countOf(*module, spv::Op::OpLoopMerge), 1u);
        EXPECT_EQ(countOf(*module, spv::Op::OpCooperativeMatrixMulAddKHR), 1u);
        EXPECT_EQ(joinEqualLoops(types, true), 0u);
    }
}

INSTANTIATE_TEST_SUITE_P(All, JoinLoops, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

// A is decoded.
std::string decodingModuleText() {
    return test::edited(
        moduleText({.name = "",
                    .decorations = "OpDecorate %quant Block\n"
                                   "OpMemberDecorate %quant 0 Offset 0"}),
        {{"%main = OpFunction", R"(%pair = OpTypeArray %u32 %c2
%quant = OpTypeStruct %f32
%quant_pointer = OpTypePointer PhysicalStorageBuffer %quant
%quant_f32 = OpTypePointer PhysicalStorageBuffer %f32
%decode_fn = OpTypeFunction %f32 %quant_pointer %pair %pair
%T = OpTypeTensorLayoutNV %c2 %c1
%main = OpFunction)"},
         {"%number = OpAccessChain", R"(%t0 = OpCreateTensorLayoutNV %T
%t = OpTensorLayoutSetDimensionNV %T %t0 %c16 %c16
%number = OpAccessChain)"},
         {"%a = OpCooperativeMatrixLoadKHR %A %p %c0 %c16",
          "%a = OpCooperativeMatrixLoadTensorNV %A %p %other %t None DecodeFunc %decode"},
         {"%a3 = OpCooperativeMatrixLoadKHR %A %p3 %c0 %c16",
          "%a3 = OpCooperativeMatrixLoadTensorNV %A %p3 %other %t None DecodeFunc %decode"},
         {"OpReturn\nOpFunctionEnd\n", R"(OpReturn
OpFunctionEnd
%decode = OpFunction %f32 None %decode_fn
%coded = OpFunctionParameter %quant_pointer
%at = OpFunctionParameter %pair
%in = OpFunctionParameter %pair
%start = OpLabel
%in_coded = OpAccessChain %quant_f32 %coded %c0
%decoded = OpLoad %f32 %in_coded Aligned 4
OpReturnValue %decoded
OpFunctionEnd
)"}});
}

// The plan decides, and who measures.
TEST(JoinedLoops, AreForSomeDevices) {
    const std::vector<uint32_t> words = test::assemble(moduleText({.name = ""}));
    const std::vector<uint32_t> decoding = test::assemble(decodingModuleText());
    ASSERT_EQ(validate(decoding), std::nullopt);
    Target target;
    target.device.bufferDeviceAddress = true;
    const auto isJoined = [&](const std::vector<uint32_t>& in) {
        Request request;
        request.words = in;
        const Result<Rewritten> out = rewrite(request, target);
        EXPECT_TRUE(out);
        return out && std::ranges::find(out->notes, "equal loops joined: 1") != out->notes.end();
    };
    EXPECT_TRUE(isJoined(words));
    EXPECT_TRUE(isJoined(decoding));
    target.device.dot4x8Signed = true;
    EXPECT_TRUE(isJoined(words));
    EXPECT_FALSE(isJoined(decoding));
    target.tuning.joinLoops = true;
    EXPECT_TRUE(isJoined(decoding));
    target.tuning.joinLoops = false;
    EXPECT_FALSE(isJoined(words));
}

}  // namespace
}  // namespace coopvk::rewrite::join_loops_test
