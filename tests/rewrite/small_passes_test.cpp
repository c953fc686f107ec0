// SPDX-License-Identifier: Apache-2.0
//
// Extensions that are one pass each: replicated composites and float atomics.
#include <gtest/gtest.h>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::small_passes_test {
namespace {

constexpr std::string_view kHead = R"(
OpCapability Shader
${capabilities}
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %d
OpExecutionMode %main LocalSize 1 1 1
%name = OpString "name"
OpDecorate %d DescriptorSet 0
OpDecorate %d Binding 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %floats ArrayStride 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%one = OpConstant %f32 1
%floats = OpTypeRuntimeArray %f32
%block = OpTypeStruct %floats
%pblock = OpTypePointer StorageBuffer %block
%pfloat = OpTypePointer StorageBuffer %f32
%d = OpVariable %pblock StorageBuffer
)";

std::string head(std::string_view capabilities) {
    std::string text(kHead);
    constexpr std::string_view kHole = "${capabilities}";
    return text.replace(text.find(kHole), kHole.size(), capabilities);
}

Result<Rewritten> run(const std::vector<uint32_t>& words, uint32_t lanes = 8) {
    Request request;
    request.words = words;
    Target target;
    target.subgroupSize = lanes;
    return rewrite(request, target);
}

std::string atomics(std::string_view body, std::string_view capability = "") {
    return head(capability) +
           "%main = OpFunction %void None %fn\n%entry = OpLabel\n"
           "%p = OpAccessChain %pfloat %d %c0 %c1\n" +
           std::string(body) + "\nOpReturn\nOpFunctionEnd\n";
}

std::string replicatedHead() {
    return head(
        "OpCapability ReplicatedCompositesEXT\nOpExtension \"SPV_EXT_replicated_composites\"");
}

std::vector<uint32_t> withLength(uint32_t length) {
    return test::assemble(replicatedHead() + "%n = OpSpecConstant %u32 " + std::to_string(length) +
                          "\n%array = OpTypeArray %f32 %n\n"
                          "%ones = OpConstantCompositeReplicateEXT %array %one\n"
                          "%main = OpFunction %void None %fn\n%entry = OpLabel\n"
                          "OpReturn\nOpFunctionEnd\n");
}

// spirv-val accepts the module: a pipeline may give the constant another value.
TEST(ReplicatedComposites, ArraysHaveElements) {
    ASSERT_EQ(validate(withLength(0)), std::nullopt);
    EXPECT_TRUE(run(withLength(3)));
    const Result<Rewritten> out = run(withLength(0));
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ErrorCode::kInvalidModule);
    EXPECT_NE(out.error().message.find("Length must be at least 1"), std::string::npos);
}

constexpr std::string_view kAdd =
    "OpCapability AtomicFloat32AddEXT\nOpExtension \"SPV_EXT_shader_atomic_float_add\"";

TEST(FloatAtomics, Scan) {
    constexpr ExtensionSet kEmulated = {Extension::kExtShaderAtomicFloat};
    const auto found = [&](std::string_view body, std::string_view capability = "") {
        return !scan(test::assemble(atomics(body, capability)), kEmulated).empty();
    };
    EXPECT_TRUE(found("%r = OpAtomicFAddEXT %f32 %p %c1 %c0 %one", kAdd));
    EXPECT_TRUE(found("%r = OpAtomicExchange %f32 %p %c1 %c0 %one"));
    EXPECT_TRUE(found("%r = OpAtomicLoad %f32 %p %c1 %c0"));
    EXPECT_TRUE(found("OpAtomicStore %p %c1 %c0 %one"));
    EXPECT_FALSE(found("%r = OpLoad %f32 %p"));
    // A number that looks like the start of an OpAtomicLoad.
    EXPECT_FALSE(found("%r = OpLoad %f32 %p\nOpLine %name 393443 393443"));
    // The scan does not search for them if the device has them.
    EXPECT_TRUE(scan(test::assemble(atomics("OpAtomicStore %p %c1 %c0 %one")), {}).empty());
}

// Bits of VkPhysicalDeviceShaderAtomicFloatFeaturesEXT's members.
ExtensionFeatures ownAtomics(uint32_t bits) {
    ExtensionFeatures own;
    own[Extension::kExtShaderAtomicFloat] = bits;
    return own;
}

// The scan searches only for what the device lacks: here, by storage class.
TEST(FloatAtomics, ScanBesideTheDevicesOwn) {
    constexpr ExtensionSet kEmulated = {Extension::kExtShaderAtomicFloat};
    constexpr uint32_t kBuffer = 1u << 0, kBufferAdd = 1u << 1, kSharedAdd = 1u << 5;
    const std::string add = "%r = OpAtomicFAddEXT %f32 %p %c1 %c0 %one";
    const auto found = [&](std::string_view body, uint32_t own, std::string_view more = kAdd) {
        return !scan(test::assemble(atomics(body, more)), kEmulated, ownAtomics(own)).empty();
    };
    EXPECT_TRUE(found(add, kSharedAdd));
    EXPECT_TRUE(found(add, kBuffer));
    EXPECT_FALSE(found(add, kBufferAdd));
    EXPECT_FALSE(found("%r = OpLoad %f32 %p", kSharedAdd)) << "the capability alone";
    EXPECT_TRUE(found("OpAtomicStore %p %c1 %c0 %one", kBufferAdd));
    EXPECT_FALSE(found("OpAtomicStore %p %c1 %c0 %one", kBuffer));
    EXPECT_TRUE(found("%r = OpAtomicLoad %f32 %p %c1 %c0", kBufferAdd, ""));
    EXPECT_FALSE(found("%r = OpAtomicExchange %f32 %p %c1 %c0 %one", kBuffer, ""));
    for (size_t length = 0; length < 60; ++length) {  // cut off anywhere
        std::vector<uint32_t> words = test::assemble(atomics(add, kAdd));
        words.resize(words.size() - length);
        scan(words, kEmulated, ownAtomics(kSharedAdd));
    }
}

// Atomics of integers are not affected.
TEST(FloatAtomics, ScanSeesIntegersAsSuch) {
    const std::string body =
        "%pu = OpAccessChain %puint %e %c0 %c1\nOpAtomicStore %pu %c1 %c0 %c0\n"
        "%r = OpAtomicLoad %u32 %pu %c1 %c0";
    std::string text = atomics(body);
    const std::string_view at = "%main = OpFunction";
    text.insert(text.find(at),
                "%words = OpTypeRuntimeArray %u32\n%wblock = OpTypeStruct %words\n"
                "%pwords = OpTypePointer StorageBuffer %wblock\n"
                "%puint = OpTypePointer StorageBuffer %u32\n"
                "%e = OpVariable %pwords StorageBuffer\n");
    EXPECT_TRUE(scan(test::assemble(text), {Extension::kExtShaderAtomicFloat}, ownAtomics(1u << 5))
                    .empty());
}

TEST(FloatAtomics, PointersInCircles) {
    const std::string circle =
        atomics("%q = OpCopyObject %pfloat %q\n%r = OpAtomicFAddEXT %f32 %q %c1 %c0 %one", kAdd);
    const Result<Rewritten> out = run(test::assemble(circle));
    ASSERT_FALSE(out);
    EXPECT_NE(out.error().message.find("does not lead to a buffer"), std::string::npos);
}

TEST(FloatAtomics, Lowered) {
    const Result<Rewritten> out = run(test::assemble(atomics(
        "%r = OpAtomicFAddEXT %f32 %p %c1 %c0 %one\n%s = OpAtomicFAddEXT %f32 %p %c1 %c0 %r\n"
        "OpAtomicStore %p %c1 %c0 %s",
        kAdd)));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    EXPECT_TRUE(scan(out->words,
                     {Extension::kExtShaderAtomicFloat, Extension::kExtShaderReplicatedComposites})
                    .empty());  // the atomics of integers that replace it need no emulation
    const std::string text = disassemble(out->words);
    EXPECT_EQ(text.find("AtomicFAdd"), std::string::npos) << text;
    EXPECT_EQ(text.find("atomic_float_add"), std::string::npos) << text;
    EXPECT_EQ(text.find("OpAtomicCompareExchange"), text.rfind("OpAtomicCompareExchange"))
        << "one function serves both\n"
        << text;
}

// Atomics of other memory and of other widths stay, with their capabilities.
TEST(FloatAtomics, OthersKeepWhatTheyDeclare) {
    std::string source = atomics(
        "%r = OpAtomicFAddEXT %f32 %p %c1 %c0 %one\n%s = OpAtomicFAddEXT %f32 %shared %c1 %c0 %r",
        kAdd);
    const auto declare = [&](std::string_view what) {
        source.insert(source.find("%main = OpFunction"), what);
    };
    declare("%pshared = OpTypePointer Workgroup %f32\n%shared = OpVariable %pshared Workgroup\n");
    source.replace(source.find("\"main\" %d"), 9, "\"main\" %d %shared");
    Result<Rewritten> out = run(test::assemble(source));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    EXPECT_NE(disassemble(out->words).find("OpCapability AtomicFloat32AddEXT"), std::string::npos);

    source = atomics(
        "%r = OpAtomicFAddEXT %f32 %p %c1 %c0 %one\n"
        "%s = OpAtomicFAddEXT %f64 %shared %c1 %c0 %two",
        "OpCapability Float64\nOpCapability AtomicFloat64AddEXT\n" + std::string(kAdd));
    declare(
        "%f64 = OpTypeFloat 64\n%two = OpConstant %f64 2\n"
        "%pshared = OpTypePointer Workgroup %f64\n%shared = OpVariable %pshared Workgroup\n");
    source.replace(source.find("\"main\" %d"), 9, "\"main\" %d %shared");
    out = run(test::assemble(source));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    EXPECT_EQ(disassemble(out->words).find("AtomicFloat32AddEXT"), std::string::npos);
}

// Its atomics may return any value: the loop must end anyway.
TEST(FloatAtomics, HelperInvocationsLeaveTheLoop) {
    std::string source = atomics("%r = OpAtomicFAddEXT %f32 %p %c1 %c0 %one", kAdd);
    EXPECT_EQ(disassemble(run(test::assemble(source))->words).find("HelperInvocation"),
              std::string::npos);
    source.replace(source.find("GLCompute"), 9, "Fragment");
    source.replace(source.find("LocalSize 1 1 1"), 15, "OriginUpperLeft");
    const std::vector<uint32_t> words = test::assemble(source);
    Request request;
    request.words = words;
    request.stage = Stage::kFragment;
    Target target;
    target.subgroupSize = 8;
    const Result<Rewritten> out = rewrite(request, target);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    const std::string text = disassemble(out->words);
    EXPECT_NE(text.find("BuiltIn HelperInvocation"), std::string::npos) << text;
    const size_t loop = text.find("OpAtomicCompareExchange");
    const size_t load = text.find("Volatile", loop), either = text.find("OpLogicalOr", loop);
    EXPECT_LT(load, either) << text;
    EXPECT_LT(either, text.find("OpLoopMerge", loop)) << text;
}

// The subgroup size means nothing to these passes.
TEST(FloatAtomics, AnySubgroupSize) {
    const auto words = test::assemble(atomics("OpAtomicStore %p %c1 %c0 %one"));
    for (uint32_t lanes : {1u, 2u, 64u}) EXPECT_TRUE(run(words, lanes)) << lanes;
}

TEST(FloatAtomics, PointerOfUnknownOrigin) {
    const std::string text =
        head(kAdd) +
        "%fp = OpTypeFunction %void %pfloat\n%main = OpFunction %void None %fn\n%entry = OpLabel\n"
        "%p = OpAccessChain %pfloat %d %c0 %c1\n%call = OpFunctionCall %void %add %p\n"
        "OpReturn\nOpFunctionEnd\n"
        "%add = OpFunction %void None %fp\n%param = OpFunctionParameter %pfloat\n"
        "%inside = OpLabel\n%r = OpAtomicFAddEXT %f32 %param %c1 %c0 %one\nOpReturn\n"
        "OpFunctionEnd\n";
    const Result<Rewritten> out = run(test::assemble(text));
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(out.error().message.find("float atomic"), std::string::npos);
}

// A variable that aliases the module's own has the same descriptor, however the module declares it.
TEST(DecorationGroups, SayTheSame) {
    std::string source = atomics("%r = OpAtomicFAddEXT %f32 %p %c1 %c0 %one", kAdd);
    const auto replace = [&](std::string_view what, std::string_view with) {
        source.replace(source.find(what), what.size(), with);
    };
    replace("OpDecorate %d DescriptorSet 0\nOpDecorate %d Binding 0",
            "OpName %place \"place\"\nOpDecorate %place DescriptorSet 2\n"
            "OpDecorate %place Binding 5\n%place = OpDecorationGroup\n"
            "OpGroupDecorate %place %d\nOpGroupDecorate %place %d");
    replace("OpMemberDecorate %block 0 Offset 0",
            "OpDecorate %start Offset 0\nOpDecorate %start Coherent\n"
            "%start = OpDecorationGroup\nOpGroupMemberDecorate %start %block 0");
    const Result<Rewritten> out = run(test::assemble(source));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    const std::string text = disassemble(out->words);
    EXPECT_NE(text.find("OpDecorate %coopvk_view DescriptorSet 2"), std::string::npos) << text;
    EXPECT_NE(text.find("OpDecorate %coopvk_view Binding 5"), std::string::npos) << text;
    EXPECT_NE(text.find(" 0 Coherent"), std::string::npos) << text;
    for (const std::string_view gone : {"OpDecorationGroup", "OpGroup", "%place", "%start"}) {
        EXPECT_EQ(text.find(gone), std::string::npos) << gone << "\n" << text;
    }
}

// Groups of n decorations and n targets would be n * n instructions.
TEST(DecorationGroups, TooLarge) {
    std::string source = atomics("", "");
    std::string decorations, targets;
    for (int i = 0; i < 1200; ++i) decorations += "OpDecorate %many Restrict\n";
    for (int i = 0; i < 1200; ++i) targets += " %d";
    source.insert(
        source.find("OpDecorate %d"),
        decorations + "%many = OpDecorationGroup\nOpGroupDecorate %many" + targets + "\n");
    const Result<Rewritten> out = run(test::assemble(source));
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(out.error().message.find("decoration groups"), std::string::npos);
}

TEST(ReplicatedComposites, Lowered) {
    const std::string text =
        replicatedHead() +
        "%c300 = OpConstant %u32 300\n%array = OpTypeArray %f32 %c300\n"
        "%k = OpConstantCompositeReplicateEXT %array %one\n"
        "%main = OpFunction %void None %fn\n%entry = OpLabel\n"
        "%v = OpCompositeExtract %f32 %k 299\n"
        "%w = OpCompositeConstructReplicateEXT %array %v\n%x = OpCompositeExtract %f32 %w 5\n"
        "%p = OpAccessChain %pfloat %d %c0 %c1\nOpStore %p %x\nOpReturn\nOpFunctionEnd\n";
    const Result<Rewritten> out = run(test::assemble(text));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    EXPECT_TRUE(scan(out->words, ExtensionSet::all()).empty());
    EXPECT_EQ(disassemble(out->words).find("eplicate"), std::string::npos);
}

// A word count has 16 bits, and OpConstantComposite has three words ahead of the constituents.
TEST(ReplicatedComposites, TooLong) {
    for (const uint32_t length : {65532u, 65533u, 70000u}) {
        const Result<Rewritten> out = run(withLength(length));
        EXPECT_EQ(bool(out), length == 65532) << length;
        EXPECT_TRUE(out || out.error().code == ErrorCode::kUnsupported);
    }
}

}  // namespace
}  // namespace coopvk::rewrite::small_passes_test
