// SPDX-License-Identifier: Apache-2.0
//
// Shared memory of f16 matrices: which shaders have f32 in their place.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::shared_singles_test {
namespace {

// A shader with a shared array of 128 elements, of which it writes one and loads A and B.
struct Shader {
    std::string_view item = "%pair";
    std::string_view value = "%halves2";
    std::string_view sum = "%f32";
    std::string_view code = "";  // after the product
    std::string_view decoration = "";
    std::string_view fromA = "%q %c0 %c8";

    std::string text() const {
        return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %tile %in %out
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %floats ArrayStride 4
OpDecorate %outBlock Block
OpMemberDecorate %outBlock 0 Offset 0
OpDecorate %halves ArrayStride 2
OpDecorate %inBlock Block
OpMemberDecorate %inBlock 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 1
{2}
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%pair = OpTypeVector %f16 2
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c8 = OpConstant %u32 8
%n = OpConstant %u32 16
%length = OpConstant %u32 128
%half = OpConstant %f16 0x1p-1
%halves2 = OpConstantComposite %pair %half %half
%quad = OpTypeVector %f16 4
%halves4 = OpConstantComposite %quad %half %half %half %half
%words = OpTypeVector %u32 2
%words2 = OpConstantComposite %words %c1 %c2
%array = OpTypeArray {4} %length
%arrayPointer = OpTypePointer Workgroup %array
%itemPointer = OpTypePointer Workgroup {4}
%tile = OpVariable %arrayPointer Workgroup
%floats = OpTypeRuntimeArray %f32
%outBlock = OpTypeStruct %floats
%outPointer = OpTypePointer StorageBuffer %outBlock
%floatPointer = OpTypePointer StorageBuffer %f32
%out = OpVariable %outPointer StorageBuffer
%halves = OpTypeRuntimeArray %f16
%inBlock = OpTypeStruct %halves
%inPointer = OpTypePointer StorageBuffer %inBlock
%halfPointer = OpTypePointer StorageBuffer %f16
%in = OpVariable %inPointer StorageBuffer
%A = OpTypeCooperativeMatrixKHR %f16 %c3 %n %n %c0
%B = OpTypeCooperativeMatrixKHR %f16 %c3 %n %n %c1
%F = OpTypeCooperativeMatrixKHR {0} %c3 %n %n %c2
%zero = OpConstantNull %F
%main = OpFunction %void None %f
%label = OpLabel
%buffer = OpAccessChain %halfPointer %in %c0 %c0
%p = OpAccessChain %itemPointer %tile %c3
OpStore %p {5} Aligned 4
OpControlBarrier %c2 %c2 %c0
%q = OpAccessChain %itemPointer %tile %c0
%a = OpCooperativeMatrixLoadKHR %A {3} NonPrivatePointer
%b = OpCooperativeMatrixLoadKHR %B %q %c1 %c8 NonPrivatePointer
%r = OpCooperativeMatrixMulAddKHR %F %a %b %zero
%o = OpAccessChain %floatPointer %out %c0 %c0
OpCooperativeMatrixStoreKHR %o %r %c0 %n
{1}
OpReturn
OpFunctionEnd
)",
                           sum, code, decoration, fromA, item, value);
    }
};

// Many registers, and instructions for products of bytes.
Target gpu() {
    Target target;
    target.device.dot4x8Signed = true;
    target.device.maxComputeSharedMemorySize = 32768;
    return target;
}

// Whether the result's array has elements of type `held`.
bool hasSingles(const Shader& shader, const Target& target = gpu(),
                std::string_view held = "v2float") {
    const std::vector<uint32_t> words = test::assemble(shader.text());
    EXPECT_EQ(validate(words), std::nullopt) << shader.text();
    Request request;
    request.words = words;
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return false;
    EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
    const std::string text = disassemble(out->words);
    const bool isNoted =
        std::ranges::count(out->notes, "f16 matrices in shared memory are f32") == 1;
    EXPECT_EQ(isNoted, held.find("float") != held.npos) << held;
    return text.find(std::format("OpVariable %_ptr_Workgroup__arr_{}_uint_128 Workgroup", held)) !=
           text.npos;
}

TEST(SharedSingles, TakeThePlaceOfHalves) {
    EXPECT_TRUE(hasSingles({}));
    EXPECT_TRUE(hasSingles({.item = "%f16", .value = "%half"}, gpu(), "float"));
    EXPECT_TRUE(hasSingles({.item = "%quad", .value = "%halves4"}, gpu(), "v4float"));
    EXPECT_TRUE(hasSingles({.item = "%u32", .value = "%c1"}));
    EXPECT_TRUE(hasSingles({.item = "%words", .value = "%words2"}, gpu(), "v4float"));
}

struct Refusal {
    std::string_view name;
    Shader shader;
};
constexpr Refusal kRefusals[] = {
    {"SumsOfHalves", {.sum = "%f16"}},
    {"Read", {.code = "%w = OpLoad %pair %p\n"}},
    {"MatrixFromElsewhere", {.fromA = "%buffer %c0 %n"}},
    {"MatrixFromBoth", {.code = "%e = OpCooperativeMatrixLoadKHR %A %buffer %c0 %n\n"}},
    {"OtherUseOfMatrix", {.code = "%e = OpFAdd %A %a %a\n"}},
    {"Element", {.code = "%e = OpCompositeExtract %f16 %a 0\n"}},
    {"Accumulator", {.code = "%e = OpCooperativeMatrixLoadKHR %F %q %c0 %c8\n"}},
    {"Copy", {.code = "%s = OpCopyObject %itemPointer %p\n"}},
    {"Aliased", {.decoration = "OpDecorate %tile Aliased\n"}},
};

class SharedSinglesRefused : public testing::TestWithParam<Refusal> {};

TEST_P(SharedSinglesRefused, KeepHalves) {
    EXPECT_TRUE(hasSingles(GetParam().shader, gpu(), "v2half"));
}

INSTANTIATE_TEST_SUITE_P(All, SharedSinglesRefused, testing::ValuesIn(kRefusals),
                         [](const auto& test) { return std::string(test.param.name); });

// On devices that are faster so, and where they are asked for.
TEST(SharedSingles, OnSomeDevices) {
    Target target = gpu();
    target.device.isCpu = true;
    EXPECT_TRUE(hasSingles({}, target, "v2half"));
    target.tuning.sharedSingles = true;
    EXPECT_TRUE(hasSingles({}, target));
    target = gpu();
    target.tuning.sharedSingles = false;
    EXPECT_TRUE(hasSingles({}, target, "v2half"));
    target = gpu();
    target.device.scalarRegisters = true;
    EXPECT_TRUE(hasSingles({}, target, "v2half"));
    target = gpu();
    target.device.shaderMixedFloatDotProductFloat16AccFloat32 = true;
    EXPECT_TRUE(hasSingles({}, target, "v2half"));
}

// The array has 512 bytes, and f32 need as many more.
TEST(SharedSingles, TakeNoMoreThanThereIs) {
    Target target = gpu();
    target.device.maxComputeSharedMemorySize = 1024;
    EXPECT_TRUE(hasSingles({}, target));
    target.device.maxComputeSharedMemorySize = 1023;
    EXPECT_TRUE(hasSingles({}, target, "v2half"));
}

}  // namespace
}  // namespace coopvk::rewrite::shared_singles_test
