// SPDX-License-Identifier: Apache-2.0
//
// Shared memory of 8-bit floats: which variables hold f16 in their place, with the driver's f16
// matrices and in core SPIR-V, and which matrices go through memory of coopvk's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>
#include <optional>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::shared_halves_test {
namespace {

// A shader with a shared array of 64 words, of which it writes one and loads a matrix of 16 x 16
// bytes.
struct Shader {
    std::string_view item = "%u32";  // an element of the array
    std::string_view value = "%c1";  // what is written
    std::string_view stride = "%c4";
    std::string_view globals = "";
    std::string_view code = "";  // after the load
    std::string_view decoration = "";
    std::string_view interface = "%tile %out";

    std::string text() const {
        return std::format(R"(
OpCapability Shader
OpCapability Int8
OpCapability Float16
OpCapability Float8EXT
OpCapability Float8CooperativeMatrixEXT
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_EXT_float8"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" {6}
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %floats ArrayStride 4
OpDecorate %outBlock Block
OpMemberDecorate %outBlock 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
{5}
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%e4m3 = OpTypeFloat 8 Float8E4M3EXT
%e5m2 = OpTypeFloat 8 Float8E5M2EXT
%uvec4 = OpTypeVector %u32 4
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c4 = OpConstant %u32 4
%n = OpConstant %u32 16
%length = OpConstant %u32 64
%vector = OpConstantComposite %uvec4 %c1 %c1 %c1 %c1
%byte = OpConstant %e4m3 0x1p-1
%array = OpTypeArray {0} %length
%arrayPointer = OpTypePointer Workgroup %array
%itemPointer = OpTypePointer Workgroup {0}
%tile = OpVariable %arrayPointer Workgroup
%floats = OpTypeRuntimeArray %f32
%outBlock = OpTypeStruct %floats
%outPointer = OpTypePointer StorageBuffer %outBlock
%floatPointer = OpTypePointer StorageBuffer %f32
%out = OpVariable %outPointer StorageBuffer
%A = OpTypeCooperativeMatrixKHR %e4m3 %c3 %n %n %c0
%B = OpTypeCooperativeMatrixKHR %e4m3 %c3 %n %n %c1
%E = OpTypeCooperativeMatrixKHR %e5m2 %c3 %n %n %c0
%F = OpTypeCooperativeMatrixKHR %f32 %c3 %n %n %c2
%zero = OpConstantNull %F
%ones = OpConstantComposite %B %byte
{3}
%main = OpFunction %void None %f
%label = OpLabel
%p = OpAccessChain %itemPointer %tile %c3
OpStore %p {1}
OpControlBarrier %c2 %c2 %c0
%q = OpAccessChain %itemPointer %tile %c0
%a = OpCooperativeMatrixLoadKHR %A %q %c0 {2} NonPrivatePointer
%r = OpCooperativeMatrixMulAddKHR %F %a %ones %zero
%o = OpAccessChain %floatPointer %out %c0 %c0
OpCooperativeMatrixStoreKHR %o %r %c0 %n
{4}
OpReturn
OpFunctionEnd
)",
                           item, value, stride, globals, code, decoration, interface);
    }
};

constexpr uint32_t kSharedMemory = 32768;

// The result's text; empty if it is not one with the driver's matrices.
std::string rewritten(const Shader& shader, uint32_t sharedMemory = kSharedMemory) {
    using enum ComponentType;
    const std::vector<uint32_t> words = test::assemble(shader.text());
    EXPECT_EQ(validate(words), std::nullopt) << shader.text();
    Request request;
    request.words = words;
    Target target;
    target.device.nativeShapes = {{16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false}};
    target.device.maxComputeSharedMemorySize = sharedMemory;
    target.emulated = {Extension::kExtShaderFloat8};
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return "";
    EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
    const std::string text = disassemble(out->words);
    EXPECT_EQ(text.find("Float8"), text.npos);
    return text.find("OpTypeCooperativeMatrixKHR") != text.npos ? text : "";
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
// Whether matrices go through memory of coopvk's own.
bool isStaged(const std::string& text) { return has(text, "coopvk_staging"); }

struct Item {
    std::string_view name, item, value, stride, array;
};
constexpr Item kItems[] = {
    {"Float", "%e4m3", "%byte", "%n", "OpTypeArray %half %uint_64"},
    {"Word", "%u32", "%c1", "%c4", "OpTypeArray %v2uint %uint_64"},
    {"Vector", "%uvec4", "%vector", "%c1", "OpTypeArray %v4uint %uint_128"},
};

class SharedHalvesItems : public testing::TestWithParam<Item> {};

TEST_P(SharedHalvesItems, BecomeTwiceAsLarge) {
    const Item& item = GetParam();
    const std::string text =
        rewritten({.item = item.item, .value = item.value, .stride = item.stride});
    EXPECT_TRUE(has(text, item.array)) << text;
    EXPECT_FALSE(isStaged(text)) << text;
}

INSTANTIATE_TEST_SUITE_P(All, SharedHalvesItems, testing::ValuesIn(kItems),
                         [](const auto& test) { return std::string(test.param.name); });

struct Refusal {
    std::string_view name, code, decoration = "";
};
constexpr Refusal kRefusals[] = {
    {"Read", "%w = OpLoad %u32 %p\n"},
    {"OtherFormat", "%e = OpCooperativeMatrixLoadKHR %E %q %c0 %c4\n"},
    {"OtherNumbers", "%e = OpCooperativeMatrixLoadKHR %F %q %c0 %n\n"},
    {"MatrixStore", "OpCooperativeMatrixStoreKHR %q %r %c0 %n\n"},
    {"Copy", "%s = OpCopyObject %itemPointer %p\n"},
    {"Atomic", "%s = OpAtomicIAdd %u32 %p %c2 %c0 %c1\n"},
    {"Aliased", "", "OpDecorate %tile Aliased\n"},
};

class SharedHalvesRefused : public testing::TestWithParam<Refusal> {};

TEST_P(SharedHalvesRefused, KeepTheirBytes) {
    const Refusal& refusal = GetParam();
    const std::string text = rewritten({.code = refusal.code, .decoration = refusal.decoration});
    EXPECT_TRUE(has(text, "OpTypeArray %uint %uint_64")) << text;
    EXPECT_TRUE(isStaged(text)) << text;
}

INSTANTIATE_TEST_SUITE_P(All, SharedHalvesRefused, testing::ValuesIn(kRefusals),
                         [](const auto& test) { return std::string(test.param.name); });

// The array has 256 bytes, and f16 need as many more. A copy of the matrix would need 768: 16 rows
// of 48 bytes.
TEST(SharedHalves, TakeNoMoreThanThereIs) {
    EXPECT_FALSE(isStaged(rewritten({}, 512)));
    EXPECT_EQ(rewritten({}, 511), "");
    const Shader read{.code = "%w = OpLoad %u32 %p\n"};
    EXPECT_TRUE(isStaged(rewritten(read, 1024)));
    EXPECT_EQ(rewritten(read, 1023), "");
}

// The second array has 2,048 bytes. If there is no room for twice as many, its matrix is copied.
TEST(SharedHalves, AsManyAsFit) {
    const Shader two{.globals =
                         "%length2 = OpConstant %u32 512\n"
                         "%array2 = OpTypeArray %u32 %length2\n"
                         "%arrayPointer2 = OpTypePointer Workgroup %array2\n"
                         "%tile2 = OpVariable %arrayPointer2 Workgroup\n",
                     .code =
                         "%q2 = OpAccessChain %itemPointer %tile2 %c0\n"
                         "%a2 = OpCooperativeMatrixLoadKHR %A %q2 %c0 %c4\n",
                     .interface = "%tile %tile2 %out"};
    const std::string both = rewritten(two, 2 * (256 + 2048));
    EXPECT_TRUE(has(both, "OpTypeArray %v2uint %uint_512")) << both;
    EXPECT_FALSE(isStaged(both)) << both;
    const std::string one = rewritten(two, 2 * 256 + 2048 + 768);
    EXPECT_TRUE(has(one, "OpTypeArray %v2uint %uint_64")) << one;
    EXPECT_TRUE(has(one, "OpTypeArray %uint %uint_512")) << one;
    EXPECT_TRUE(isStaged(one)) << one;
}

// In core SPIR-V.
std::optional<Rewritten> inCore(const Shader& shader, uint32_t sharedMemory = kSharedMemory) {
    const std::vector<uint32_t> words = test::assemble(shader.text());
    EXPECT_EQ(validate(words), std::nullopt) << shader.text();
    Request request;
    request.words = words;
    Target target;
    target.device.maxComputeSharedMemorySize = sharedMemory;
    target.emulated = {Extension::kExtShaderFloat8, Extension::kKhrCooperativeMatrix};
    target.backEnd = BackEnd::kCore;
    Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return std::nullopt;
    EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
    return *std::move(out);
}

std::string coreText(const Shader& shader) {
    const std::optional<Rewritten> out = inCore(shader);
    return out ? disassemble(out->words) : "";
}

// The note that the array has f16, or none.
bool coreHasHalves(const Shader& shader, uint32_t sharedMemory = kSharedMemory) {
    const std::optional<Rewritten> out = inCore(shader, sharedMemory);
    return out && std::ranges::find(out->notes, "8-bit floats in shared memory are f16") !=
                      out->notes.end();
}

// Values of the same type that the shader makes, or that are stored, keep their format.
TEST(SharedHalvesOfCore, AreBesideOtherValues) {
    EXPECT_TRUE(coreHasHalves({}));
    EXPECT_TRUE(coreHasHalves({.code = "%c = OpCompositeConstruct %A %byte\n"
                                       "%s = OpCooperativeMatrixMulAddKHR %F %c %ones %r\n"
                                       "OpCooperativeMatrixStoreKHR %o %s %c0 %n\n"}));
    EXPECT_FALSE(coreHasHalves({.code = "OpCooperativeMatrixStoreKHR %o %a %c0 %n\n"}));
    // In an array of matrices.
    const Shader array{.globals =
                           "%As = OpTypeArray %A %c2\n"
                           "%AsPointer = OpTypePointer Private %As\n"
                           "%APointer = OpTypePointer Private %A\n"
                           "%as = OpVariable %AsPointer Private\n",
                       .code =
                           "%at = OpAccessChain %APointer %as %c1\n"
                           "OpStore %at %a\n"
                           "%again = OpLoad %A %at\n"
                           "%s = OpCooperativeMatrixMulAddKHR %F %again %ones %r\n"
                           "OpCooperativeMatrixStoreKHR %o %s %c0 %n\n",
                       .interface = "%tile %out %as"};
    EXPECT_TRUE(coreHasHalves(array));
}

// Items of 8 bytes in place of 16: a slice of such a B in columns has four rows at least, not
// eight.
TEST(SharedHalvesOfCore, OfAWideBAreSmallItems) {
    const auto arrayFor = [](std::string_view columns) {
        const std::string globals = std::format(
            "%wide = OpConstant %u32 {}\n"
            "%W = OpTypeCooperativeMatrixKHR %e4m3 %c3 %n %wide %c1\n"
            "%G = OpTypeCooperativeMatrixKHR %f32 %c3 %n %wide %c2\n"
            "%zeros = OpConstantNull %G\n",
            columns);
        const Shader shader{.item = "%uvec4",
                            .value = "%vector",
                            .stride = "%c1",
                            .globals = globals,
                            .code =
                                "%w = OpCooperativeMatrixLoadKHR %W %q %c1 %c1\n"
                                "%s = OpCooperativeMatrixMulAddKHR %G %a %w %zeros\n"
                                "OpCooperativeMatrixStoreKHR %o %s %c0 %n\n"};
        return coreText(shader);
    };
    EXPECT_TRUE(has(arrayFor("128"), "OpTypeArray %v2uint %uint_256"));
    EXPECT_TRUE(has(arrayFor("64"), "OpTypeArray %v4uint %uint_128"));
}

TEST(SharedHalvesOfCore, NeedOneUseAndRoom) {
    for (const Refusal& refusal : kRefusals) {
        const Shader shader{.code = refusal.code, .decoration = refusal.decoration};
        EXPECT_FALSE(coreHasHalves(shader)) << refusal.name;
    }
    EXPECT_TRUE(coreHasHalves({}, 512));
    EXPECT_FALSE(coreHasHalves({}, 511));
}

}  // namespace
}  // namespace coopvk::rewrite::shared_halves_test
