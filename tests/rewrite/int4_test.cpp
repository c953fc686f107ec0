// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "read_all.hpp"

namespace coopvk::rewrite::int4_test {
namespace {

// Adds up 4-bit components from a uniform block, push constants and a storage buffer, and stores
// the sum as a vector of four.
std::string sumModule(std::string_view member) {
    return std::format(R"(
OpCapability Shader
OpCapability Int4TypeINTEL
OpCapability Vector16
OpExtension "SPV_INTEL_int4"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %in %push %out
OpExecutionMode %main LocalSize 32 1 1
OpName %u4 "nibble"
OpName %u4x8 "eight"
OpDecorate %inBlock Block
OpMemberDecorate %inBlock 0 Offset 0
OpMemberDecorate %inBlock 1 Offset 2
OpDecorate %pushBlock Block
OpMemberDecorate %pushBlock 0 Offset 0
OpMemberDecorate %pushBlock 1 Offset 4
OpDecorate %outs ArrayStride 2
OpDecorate %outBlock Block
OpMemberDecorate %outBlock 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u4 = OpTypeInt 4 0
%s4 = OpTypeInt 4 1
%u4x2 = OpTypeVector %u4 2
%u4x3 = OpTypeVector %u4 3
%u4x4 = OpTypeVector %u4 4
%u4x8 = OpTypeVector %u4 8
%u8 = OpTypeInt 8 0
%callee = OpTypeFunction %u4 %u4 %s4
%same = OpTypeFunction %u8 %u8 %u8
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c3 = OpConstant %u32 3
%minus = OpConstant %s4 -8
%outs = OpTypeRuntimeArray %u4x4
%inBlock = OpTypeStruct %u4x2 %u4x4
%pushBlock = OpTypeStruct %u4x8 {}
%outBlock = OpTypeStruct %outs
%inPointer = OpTypePointer Uniform %inBlock
%pushPointer = OpTypePointer PushConstant %pushBlock
%outPointer = OpTypePointer StorageBuffer %outBlock
%in2 = OpTypePointer Uniform %u4x2
%in1 = OpTypePointer Uniform %u4
%push8 = OpTypePointer PushConstant %u4x8
%out4 = OpTypePointer StorageBuffer %u4x4
%in = OpVariable %inPointer Uniform
%push = OpVariable %pushPointer PushConstant
%out = OpVariable %outPointer StorageBuffer
%main = OpFunction %void None %f
%label = OpLabel
%pa = OpAccessChain %in2 %in %c0
%a = OpLoad %u4x2 %pa
%pb = OpAccessChain %in1 %in %c1 %c3
%b = OpLoad %u4 %pb
%pc = OpAccessChain %push8 %push %c0
%c = OpLoad %u4x8 %pc
%d = OpCompositeExtract %u4 %c 5
%e = OpFunctionCall %u4 %function %d %minus
%g = OpCompositeConstruct %u4x4 %a %b %e
%po = OpAccessChain %out4 %out %c0 %c1
OpStore %po %g
OpReturn
OpFunctionEnd
%function = OpFunction %u4 None %callee
%x = OpFunctionParameter %u4
%y = OpFunctionParameter %s4
%body = OpLabel
OpReturnValue %x
OpFunctionEnd
%other = OpFunction %u8 None %same
%z = OpFunctionParameter %u8
%w = OpFunctionParameter %u8
%rest = OpLabel
OpReturnValue %z
OpFunctionEnd
)",
                       member);
}

Result<Rewritten> run(const std::vector<uint32_t>& words, const DeviceTraits& device = {}) {
    Request request;
    request.words = words;
    Target target;
    target.device = device;
    return rewrite(request, target);
}

TEST(Int4, OutputIsValidAndDeterministic) {
    const std::vector<uint32_t> words = test::assemble(sumModule("%u4x4"));
    const Result<Rewritten> out = run(words);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    EXPECT_TRUE(scan(out->words, ExtensionSet::all()).empty());
    const std::string text = disassemble(out->words);
    for (const char* gone : {"Int4", "Vector16", "SPV_INTEL", "nibble", "OpTypeInt 4"}) {
        EXPECT_EQ(text.find(gone), std::string::npos) << gone;
    }
    const Result<Rewritten> again = run(words);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->words, out->words);
}

TEST(Int4, OddVectorsStayOutOfMemory) {
    for (const char* member : {"%u4x3", "%u4"}) {
        const Result<Rewritten> out = run(test::assemble(sumModule(member)));
        ASSERT_FALSE(out);
        EXPECT_EQ(out.error().code, ErrorCode::kInvalidModule);
        EXPECT_NE(out.error().message.find("even Component Count"), std::string::npos);
    }
}

// A module that loads or stores a value of `type` through a pointer whose type does not say what is
// there: an untyped one, or one to a single 4-bit integer somewhere in physical memory.
std::string accessModule(bool untyped, std::string_view type, bool store = false) {
    const std::string pointer = untyped ? "%u = OpTypeUntypedPointerKHR StorageBuffer\n"
                                        : "%u = OpTypePointer PhysicalStorageBuffer %u4\n";
    const std::string chain = untyped ? "%p = OpUntypedAccessChainKHR %u %block %out %c0 %c0\n"
                                      : "%p = OpConvertUToPtr %u %c8\n";
    const std::string access = store ? "%v = OpUndef " + std::string(type) + "\nOpStore %p %v"
                                     : "%v = OpLoad " + std::string(type) + " %p";
    return std::format(R"(
OpCapability Shader
OpCapability {}
OpCapability Int4TypeINTEL
OpExtension "SPV_INTEL_int4"
OpExtension "SPV_KHR_untyped_pointers"
OpMemoryModel {} GLSL450
OpEntryPoint GLCompute %main "main" %out
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %words ArrayStride 4
OpMemberDecorate %bytes 0 Offset 0
OpMemberDecorate %bytes 1 Offset 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u4 = OpTypeInt 4 0
%u4x2 = OpTypeVector %u4 2
%u4x3 = OpTypeVector %u4 3
%u4x4 = OpTypeVector %u4 4
%c0 = OpConstant %u32 0
%c8 = OpConstant %u32 8
%c1 = OpConstant %u32 1
%bytes = OpTypeStruct %u4x2 %u4x4
%words = OpTypeRuntimeArray %u32
%block = OpTypeStruct %words
%outPointer = OpTypePointer StorageBuffer %block
%out = OpVariable %outPointer StorageBuffer
{}%main = OpFunction %void None %f
%label = OpLabel
{}{}{}
OpReturn
OpFunctionEnd
)",
                       untyped ? "UntypedPointersKHR" : "PhysicalStorageBufferAddresses",
                       untyped ? "Logical" : "PhysicalStorageBuffer64", pointer, chain, access,
                       untyped ? "" : " Aligned 1");
}

TEST(Int4, OddValuesStayOutOfMemoryBehindAnyPointer) {
    for (const bool store : {false, true}) {
        for (const auto& [untyped, type] :
             {std::pair(true, "%u4x3"), {true, "%u4"}, {false, "%u4"}}) {
            const Result<Rewritten> out = run(test::assemble(accessModule(untyped, type, store)));
            ASSERT_FALSE(out) << type;
            EXPECT_EQ(out.error().code, ErrorCode::kInvalidModule);
            EXPECT_NE(out.error().message.find("even Component Count"), std::string::npos);
        }
    }
}

TEST(Int4, UntypedPointersDeclareWhatTheyAccess) {
    const std::pair<const char*, const char*> rows[] = {{"%u4x2", "StorageBuffer8BitAccess"},
                                                        {"%u4x4", "StorageBuffer16BitAccess"}};
    for (const auto& [type, capability] : rows) {
        const std::vector<uint32_t> words = test::assemble(accessModule(true, type));
        const Result<Rewritten> out = run(words);
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt);
        EXPECT_NE(disassemble(out->words).find(capability), std::string::npos);
        DeviceTraits device;
        device.storageBuffer8BitAccess = device.storageBuffer16BitAccess = false;
        EXPECT_FALSE(run(words, device)) << type;
    }
}

// An untyped pointer without an alignment, or with accesses that have one.
TEST(Int4, UntypedPointersMayPointAnywhere) {
    const std::string text = accessModule(true, "%u4x4");
    const std::string load = "%v = OpLoad %u4x4 %p", chain = "%block %out %c0 %c0";
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        changed.replace(changed.find(from), from.size(), to);
        const Result<Rewritten> out = run(assembleAndReadAll(changed));
        EXPECT_TRUE(out);
        if (!out) return false;
        EXPECT_EQ(validate(out->words), std::nullopt);
        return disassemble(out->words).find("v2uchar") != std::string::npos;
    };
    EXPECT_FALSE(with(load, load));
    EXPECT_FALSE(with(load, load + " Aligned 2"));
    EXPECT_TRUE(with(load, load + " Aligned 1"));
    EXPECT_FALSE(with(chain, "%block %out %c0 %c8"));
    EXPECT_TRUE(with(chain + "\n", "%bytes %out %c1\n"));
}

// Vectors that do not lie at multiples of their size are made of bytes.
TEST(Int4, VectorsLieAnywhere) {
    const std::string text = sumModule("%u4x4");
    for (const auto& [from, to] :
         {std::pair("%inBlock 1 Offset 2", "%inBlock 1 Offset 1"),
          {"%pushBlock 0 Offset 0\nOpMemberDecorate %pushBlock 1 Offset 4",
           "%pushBlock 0 Offset 1\nOpMemberDecorate %pushBlock 1 Offset 5"},
          {"%outs ArrayStride 2", "%outs ArrayStride 3"}}) {
        std::string changed = text;
        changed = changed.replace(changed.find(from), std::string_view(from).size(), to);
        const std::vector<uint32_t> words = test::assemble(changed);
        const Result<Rewritten> out = run(words);
        ASSERT_TRUE(out) << to << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt) << to;
        DeviceTraits device;
        device.scalarBlockLayout = false;
        const Result<Rewritten> none = run(words, device);
        ASSERT_FALSE(none) << to;
        EXPECT_EQ(none.error().code, ErrorCode::kUnsupported);
        EXPECT_NE(none.error().message.find("need scalarBlockLayout"), std::string::npos);
        EXPECT_TRUE(run(test::assemble(text), device));
    }
}

// Stores the third component of a vector in a buffer.
std::string storeModule(std::string_view type, uint32_t bytes) {
    return std::format(R"(
OpCapability Shader
OpCapability Int4TypeINTEL
OpCapability Vector16
OpExtension "SPV_INTEL_int4"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %out
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %list ArrayStride {}
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u4 = OpTypeInt 4 0
%u4x4 = OpTypeVector %u4 4
%u4x8 = OpTypeVector %u4 8
%u4x16 = OpTypeVector %u4 16
%c0 = OpConstant %u32 0
%c2 = OpConstant %u32 2
%seven = OpConstant %u4 7
%list = OpTypeRuntimeArray {}
%block = OpTypeStruct %list
%outPointer = OpTypePointer StorageBuffer %block
%component = OpTypePointer StorageBuffer %u4
%out = OpVariable %outPointer StorageBuffer
%taker = OpTypeFunction %void %component
%main = OpFunction %void None %f
%label = OpLabel
%p = OpAccessChain %component %out %c0 %c2 %c2
OpStore %p %seven
OpReturn
OpFunctionEnd
%take = OpFunction %void None %taker
%x = OpFunctionParameter %component
%body = OpLabel
OpReturn
OpFunctionEnd
)",
                       bytes, type);
}

// A store of a component changes only its byte. Without 8-bit storage, or with sixteen components,
// it uses atomic instructions on the word, which change no other bits.
TEST(Int4, ComponentStoresLeaveTheRestAlone) {
    struct Row {
        const char* type;
        uint32_t bytes;
        bool storage8;
        bool atomic;
    };
    for (const Row& row : {Row{"%u4x4", 2, true, false},
                           {"%u4x8", 4, true, false},
                           {"%u4x8", 4, false, true},
                           {"%u4x16", 8, true, true}}) {
        DeviceTraits device;
        device.storageBuffer8BitAccess = row.storage8;
        const std::vector<uint32_t> words = test::assemble(storeModule(row.type, row.bytes));
        const Result<Rewritten> out = run(words, device);
        ASSERT_TRUE(out) << row.type << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt) << row.type;
        const std::string text = disassemble(out->words);
        EXPECT_EQ(text.find("OpAtomicAnd") != std::string::npos, row.atomic) << row.type;
        EXPECT_EQ(text.find("OpAtomicOr") != std::string::npos, row.atomic) << row.type;
        EXPECT_EQ(text.find("OpLoad") == std::string::npos, row.atomic) << row.type;
    }
    DeviceTraits device;
    device.storageBuffer8BitAccess = false;
    const Result<Rewritten> out = run(test::assemble(storeModule("%u4x4", 2)), device);
    ASSERT_FALSE(out);
    EXPECT_NE(out.error().message.find("storageBuffer8BitAccess"), std::string::npos);
}

// Words behind pointers without a type are changed as u32.
TEST(Int4, ComponentStoresOfUntypedPointersAreAtomic) {
    for (const auto& [type, bytes] : {std::pair("%u4x8", 4u), std::pair("%u4x16", 8u)}) {
        const std::string text = test::edited(
            storeModule(type, bytes),
            {{"OpExtension",
              "OpCapability UntypedPointersKHR\n"
              "OpExtension \"SPV_KHR_untyped_pointers\"\nOpExtension"},
             {"%taker =", "%anywhere = OpTypeUntypedPointerKHR StorageBuffer\n%taker ="},
             {"%p = OpAccessChain %component %out %c0",
              "%p = OpUntypedAccessChainKHR %anywhere %block %out %c0"}});
        DeviceTraits device;
        device.storageBuffer8BitAccess = false;
        const Result<Rewritten> out = run(test::assemble(text), device);
        ASSERT_TRUE(out) << type << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt) << type;
        const std::string result = disassemble(out->words);
        EXPECT_NE(result.find("OpAtomicAnd %uint"), std::string::npos) << result;
        EXPECT_NE(result.find("OpAtomicOr %uint"), std::string::npos) << result;
    }
}

// A component has no address of its own.
TEST(Int4, ComponentPointersStayWhereTheyAre) {
    std::string text = storeModule("%u4x8", 4);
    const std::string store = "OpStore %p %seven\n";
    for (const std::string& use : {std::string("%called = OpFunctionCall %void %take %p\n"),
                                   std::string("%q = OpSelect %component %yes %p %p\n"),
                                   std::string("OpCopyMemorySized %p %p %c2\n")}) {
        std::string changed = text;
        changed.replace(changed.find(store), store.size(), use);
        if (use.find("%yes") != use.npos) {
            const std::string type = "%taker = ";
            changed.replace(changed.find(type), type.size(),
                            "%bool = OpTypeBool\n%yes = OpConstantTrue %bool\n%taker = ");
        }
        const Result<Rewritten> out = run(test::assemble(changed));
        ASSERT_FALSE(out) << use;
        EXPECT_EQ(out.error().code, ErrorCode::kUnsupported);
        EXPECT_NE(out.error().message.find("the component has no address"), std::string::npos);
    }
}

TEST(Int4, AsksForWhatMemoryNeeds) {
    const std::vector<uint32_t> words = test::assemble(sumModule("%u4x4"));
    const auto lacking = [&](bool DeviceTraits::* feature) {
        DeviceTraits device;
        device.*feature = false;
        const Result<Rewritten> out = run(words, device);
        return out ? std::string() : out.error().message;
    };
    EXPECT_NE(lacking(&DeviceTraits::shaderInt8).find("shaderInt8"), std::string::npos);
    EXPECT_NE(lacking(&DeviceTraits::storagePushConstant16).find("storagePushConstant16"),
              std::string::npos);
    EXPECT_NE(lacking(&DeviceTraits::uniformAndStorageBuffer8BitAccess)
                  .find("uniformAndStorageBuffer8BitAccess"),
              std::string::npos);
    EXPECT_EQ(lacking(&DeviceTraits::storagePushConstant8), "");
}

// Loads and stores a matrix, whose components are `component`.
std::string matrixModule(std::string_view component) {
    return std::format(R"(
OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability Int4CooperativeMatrixINTEL
OpExtension "SPV_INTEL_int4"
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %buffer
OpExecutionMode %main LocalSize 32 1 1
OpName %s4 "nibble"
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%s4 = OpTypeInt 4 1
%s4x2 = OpTypeVector %s4 2
%c0 = OpConstant %u32 0
%c3 = OpConstant %u32 3
%c16 = OpConstant %u32 16
%words = OpTypeRuntimeArray %u32
%block = OpTypeStruct %words
%pointer = OpTypePointer StorageBuffer %block
%word = OpTypePointer StorageBuffer %u32
%buffer = OpVariable %pointer StorageBuffer
%matrix = OpTypeCooperativeMatrixKHR {} %c3 %c16 %c16 %c0
%main = OpFunction %void None %f
%label = OpLabel
%p = OpAccessChain %word %buffer %c0 %c0
%m = OpCooperativeMatrixLoadKHR %matrix %p %c0 %c3
%q = OpAccessChain %word %buffer %c0 %c16
OpCooperativeMatrixStoreKHR %q %m %c0 %c3
OpReturn
OpFunctionEnd
)",
                       component);
}

// The type that describes components in memory is removed after all matrices are lowered.
TEST(Int4, MatricesLeaveNoFormatBehind) {
    const Result<Rewritten> out = run(test::assemble(matrixModule("%s4")));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
    const std::string text = disassemble(out->words);
    for (const char* gone : {"OpTypeInt 4 ", "Int4", "nibble", "SPV_INTEL", "CooperativeMatrix"}) {
        EXPECT_EQ(text.find(gone), std::string::npos) << gone;
    }
    const Result<Rewritten> none = run(test::assemble(matrixModule("%s4x2")));
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().message.find("must be a numeric scalar"), std::string::npos)
        << none.error().message;
}

TEST(Int4, ShapesFollowTheDevice) {
    DeviceTraits device;
    const std::vector<Int4MatrixShape> shapes = int4MatrixShapes(device);
    uint32_t signs = 0;
    for (const Int4MatrixShape& shape : shapes) signs |= 1u << (shape.aSigned + 2 * shape.bSigned);
    EXPECT_EQ(signs, 15u) << "the four mixes of signs";
    device.shaderInt8 = false;
    EXPECT_TRUE(int4MatrixShapes(device).empty());
}

}  // namespace
}  // namespace coopvk::rewrite::int4_test
