// SPDX-License-Identifier: Apache-2.0
//
// Vectors of sixteen 4-bit integers at any byte: cases that no shader of the driver tests has.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::int4_sixteen_test {
namespace {

struct Parts {
    std::string capabilities, types, body;
    std::string stride = "9";
};

// A buffer of vectors of sixteen, each `stride` bytes behind the one before.
std::string sixteenModule(const Parts& parts) {
    return std::format(R"(
OpCapability Shader
OpCapability Int4TypeINTEL
OpCapability Vector16
OpCapability VulkanMemoryModel
OpCapability UntypedPointersKHR
{}OpExtension "SPV_INTEL_int4"
OpExtension "SPV_KHR_untyped_pointers"
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %buffer
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %list ArrayStride {}
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u4 = OpTypeInt 4 0
%u4x16 = OpTypeVector %u4 16
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c16 = OpConstant %u32 16
%list = OpTypeArray %u4x16 %c16
%block = OpTypeStruct %list
%pointer = OpTypePointer StorageBuffer %block
%one = OpTypePointer StorageBuffer %u4x16
%component = OpTypePointer StorageBuffer %u4
%untyped = OpTypeUntypedPointerKHR StorageBuffer
%buffer = OpVariable %pointer StorageBuffer
{}%main = OpFunction %void None %f
%label = OpLabel
{}OpReturn
OpFunctionEnd
)",
                       parts.capabilities, parts.stride, parts.types, parts.body);
}

Result<Rewritten> run(const Parts& parts, const DeviceTraits& device = {}) {
    const std::vector<uint32_t> words = test::assemble(sixteenModule(parts));
    Request request;
    request.words = words;
    Target target;
    target.device = device;
    return rewrite(request, target);
}

// Untyped pointers, copies through memory, constants, nothing else of a layout.
TEST(Int4Sixteen, OutputIsValid) {
    const std::pair<const char*, const char*> rows[] = {
        {"",
         "%p = OpUntypedAccessChainKHR %untyped %block %buffer %c0 %c1\n"
         "%v = OpLoad %u4x16 %p\n%q = OpUntypedAccessChainKHR %untyped %block %buffer %c0 %c2\n"
         "OpStore %q %v\n"},
        {"",
         "%p = OpUntypedAccessChainKHR %untyped %block %buffer %c0 %c1 %c3\n"
         "%e = OpLoad %u4 %p\n%q = OpUntypedAccessChainKHR %untyped %block %buffer %c0 %c2 %c3\n"
         "OpStore %q %e\n"},
        {"",
         "%p = OpUntypedAccessChainKHR %untyped %block %buffer %c0 %c1\n"
         "%q = OpAccessChain %one %buffer %c0 %c2\nOpCopyMemory %q %p\nOpCopyMemory %p %q\n"},
        {"%null = OpConstantNull %u4x16\n%none = OpUndef %list\n",
         "%a = OpCompositeInsert %list %null %none 3\n%b = OpCompositeExtract %u4x16 %a 3\n"
         "%q = OpAccessChain %one %buffer %c0 %c2\nOpStore %q %b\n"},
        {"%null = OpConstantNull %u4x16\n%all = OpConstantComposite %list %null %null %null %null "
         "%null %null %null %null %null %null %null %null %null %null %null %null\n",
         "%b = OpCompositeExtract %u4 %all 3 7\n%q = OpAccessChain %component %buffer %c0 %c2 %c1\n"
         "OpStore %q %b\n"},
        {"%lists = OpTypePointer StorageBuffer %list\n",
         "%p = OpAccessChain %lists %buffer %c0\n%all = OpLoad %list %p\n"
         "%e = OpCompositeExtract %u4x16 %all 3\n%n = OpCompositeInsert %list %e %all 5\n"
         "OpStore %p %n\n"},
        {"",
         "%q = OpAccessChain %one %buffer %c0 %c2\n%v = OpLoad %u4x16 %q\n"
         "%w = OpCompositeConstruct %list %v %v %v %v %v %v %v %v %v %v %v %v %v %v %v %v\n"
         "%s = OpCompositeConstruct %block %w\nOpStore %buffer %s\n"},
    };
    for (const auto& [types, body] : rows) {
        const Result<Rewritten> out = run({"", types, body});
        ASSERT_TRUE(out) << body << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt) << body << disassemble(out->words);
        EXPECT_TRUE(scan(out->words, ExtensionSet::all()).empty());
        EXPECT_NE(disassemble(out->words).find("v4uchar"), std::string::npos) << body;
    }
}

// Components behind a pointer that steps over elements.
TEST(Int4Sixteen, ChainsMayHaveElements) {
    for (const char* stride : {"8", "9"}) {
        Parts parts = {
            "OpCapability VariablePointersStorageBuffer\nOpCapability VariablePointers\n", "",
            "%p = OpUntypedAccessChainKHR %untyped %block %buffer %c0\n"
            "%q = OpUntypedPtrAccessChainKHR %untyped %list %p %c0 %c1 %c3\n"
            "%e = OpLoad %u4 %q\nOpStore %q %e\n",
            stride};
        // spirv-val asks this of pointers without a type, too.
        parts.stride += "\nOpDecorate %untyped ArrayStride 256";
        const Result<Rewritten> out = run(parts);
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
        EXPECT_EQ(disassemble(out->words).find("OpTypeInt 4"), std::string::npos);
    }
}

// At multiples of four bytes a vector is two words, and matrices may be loaded through pointers to
// it.
TEST(Int4Sixteen, MatricesNeedWholeWords) {
    const Parts parts = {
        "OpCapability Int4CooperativeMatrixINTEL\nOpCapability "
        "CooperativeMatrixKHR\n",
        "%matrix = OpTypeCooperativeMatrixKHR %u4 %c3 %c16 %c16 %c0\n",
        "%p = OpAccessChain %one %buffer %c0 %c0\n"
        "%m = OpCooperativeMatrixLoadKHR %matrix %p %c0 %c1\n"
        "OpCooperativeMatrixStoreKHR %p %m %c0 %c1\n"};
    Parts aligned = parts;
    aligned.stride = "8";
    const Result<Rewritten> out = run(aligned);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    const Result<Rewritten> none = run(parts);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(none.error().message.find("multiples of four bytes"), std::string::npos);
}

TEST(Int4Sixteen, LayoutsStayWhereTheyMayBe) {
    const Result<Rewritten> none = run({"", "%own = OpTypePointer Function %list\n", ""});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(none.error().message.find("10684"), std::string::npos);
}

// Values with more vectors than are converted one by one.
TEST(Int4Sixteen, RefusesLargeValues) {
    const Parts parts = {
        "", "%c1025 = OpConstant %u32 1025\n%large = OpTypeArray %u4x16 %c1025\n",
        "%p = OpUntypedAccessChainKHR %untyped %block %buffer %c0\n%v = OpLoad %large %p\n"};
    const Result<Rewritten> none = run(parts);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(none.error().message.find("more than 1024 numbers"), std::string::npos);
}

TEST(Int4Sixteen, NeedsScalarLayoutAndBytes) {
    const Parts parts = {"", "",
                         "%p = OpAccessChain %one %buffer %c0 %c1\n%v = OpLoad %u4x16 %p\n"};
    for (const auto& [feature, name] :
         {std::pair(&DeviceTraits::scalarBlockLayout, "scalarBlockLayout"),
          std::pair(&DeviceTraits::storageBuffer8BitAccess, "storageBuffer8BitAccess")}) {
        DeviceTraits device;
        device.*feature = false;
        const Result<Rewritten> none = run(parts, device);
        ASSERT_FALSE(none);
        EXPECT_NE(none.error().message.find(name), std::string::npos) << none.error().message;
    }
}

}  // namespace
}  // namespace coopvk::rewrite::int4_sixteen_test
