// SPDX-License-Identifier: Apache-2.0
//
// The native back-end: what stays a matrix, in which tiles, and which modules it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::native_test {
namespace {

using enum ComponentType;

MatrixShape halves(uint32_t m, uint32_t n, uint32_t k) {
    return {m, n, k, kFloat16, kFloat16, kFloat32, kFloat32, false};
}

Result<Rewritten> run(const std::vector<uint32_t>& words, std::vector<MatrixShape> shapes,
                      BackEnd backEnd) {
    Request request;
    request.words = words;
    Target target;
    target.device.nativeShapes = std::move(shapes);
    target.backEnd = backEnd;
    return rewrite(request, target);
}

size_t count(const std::string& text, std::string_view what) {
    size_t found = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
        ++found;
    }
    return found;
}

bool notes(const Rewritten& out, std::string_view what) {
    return std::ranges::any_of(
        out.notes, [&](const std::string& note) { return note.find(what) != std::string::npos; });
}

TEST(Native, KeepsShapesOfTheDriver) {
    const auto words = test::assemble(test::multiplyModule(16, 16, 16));
    const auto out = run(words, {halves(16, 16, 16)}, BackEnd::kNative);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    EXPECT_EQ(count(disassemble(out->words), "OpCooperativeMatrixMulAddKHR"), 1u);
    EXPECT_TRUE(notes(*out, "native back-end"));
    EXPECT_EQ(out->paths, std::vector<std::string_view>{"matrices: native"});
}

TEST(Native, TilesOtherShapes) {
    const auto words = test::assemble(test::multiplyModule(16, 16, 32));
    const auto small = run(words, {halves(8, 8, 8)}, BackEnd::kNative);
    ASSERT_TRUE(small) << small.error().message;
    EXPECT_EQ(validate(small->words), std::nullopt);
    EXPECT_EQ(small->paths, std::vector<std::string_view>{"matrices: native, in tiles"});
    const std::string text = disassemble(small->words);
    EXPECT_EQ(count(text, "OpCooperativeMatrixMulAddKHR"), 2u * 2 * 4);
    EXPECT_EQ(count(text, "OpCooperativeMatrixLoadKHR"), 2u * 4 + 4 * 2);
    EXPECT_EQ(count(text, "OpCooperativeMatrixStoreKHR"), 2u * 2);
    const auto large = run(words, {halves(8, 8, 8), halves(16, 8, 16)}, BackEnd::kNative);
    ASSERT_TRUE(large) << large.error().message;
    EXPECT_TRUE(notes(*large, "16x8x16"));
    EXPECT_EQ(count(disassemble(large->words), "OpCooperativeMatrixMulAddKHR"), 2u * 2);
}

TEST(Native, GivesUpWhereNothingFits) {
    const auto words = test::assemble(test::multiplyModule(12, 16, 16));
    const auto forced = run(words, {halves(8, 8, 8)}, BackEnd::kNative);
    ASSERT_FALSE(forced);
    EXPECT_EQ(forced.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(forced.error().message.find("divides"), std::string::npos);
    const MatrixShape bytes = {16, 16, 16, kSint8, kSint8, kSint32, kSint32, false};
    EXPECT_FALSE(run(words, {bytes}, BackEnd::kNative));
    EXPECT_FALSE(run(words, {}, BackEnd::kNative));
    const auto free = run(words, {}, BackEnd::kAuto);
    ASSERT_TRUE(free) << free.error().message;
    EXPECT_TRUE(notes(*free, "no native back-end: the driver has no matrices"));
    const auto core = run(words, {halves(8, 8, 8)}, BackEnd::kCore);
    ASSERT_TRUE(core) << core.error().message;
    EXPECT_TRUE(notes(*core, "no native back-end: the back_end setting is core"));
    EXPECT_EQ(core->paths, std::vector<std::string_view>{"matrices: core"});
}

TEST(Native, RefusesProductsOfOtherSizes) {
    const auto swapped = [](std::string_view from, std::string_view to) {
        std::string text = test::multiplyModule(16, 16, 32);
        text.replace(text.find(from), from.size(), to);
        return run(test::assemble(text), {halves(8, 8, 8)}, BackEnd::kNative);
    };
    const auto size = swapped("%f16 %c3 %depth %columns %c1", "%f16 %c3 %columns %columns %c1");
    ASSERT_FALSE(size);
    EXPECT_NE(size.error().message.find("sizes or uses"), std::string::npos);
    const auto operand = swapped("%C %a %b %zero", "%C %a %a %zero");
    ASSERT_FALSE(operand);
    EXPECT_NE(operand.error().message.find("sizes or uses"), std::string::npos);
}

// No driver has matrices of 4-bit components, so the core back-end handles modules with them, also
// if native is requested. Its errors are reported.
TEST(Native, NeverTriesFourBitMatrices) {
    const auto replaced = [](std::string text, std::string_view from, std::string_view to) {
        const size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return at == std::string::npos ? text : text.replace(at, from.size(), to);
    };
    std::string text = test::multiplyModule(16, 16, 16);
    const std::string declared = "OpCapability Int4CooperativeMatrixINTEL\n";
    text = replaced(text, "OpCapability Float16",
                    "OpCapability Int4TypeINTEL\n" + declared + "OpCapability Float16");
    text = replaced(text, "OpExtension", "OpExtension \"SPV_INTEL_int4\"\nOpExtension");
    text = replaced(text, "%zero =",
                    "%s4 = OpTypeInt 4 1\n"
                    "%nibbles = OpTypeCooperativeMatrixKHR %s4 %c3 %rows %depth %c0\n%zero =");
    for (const BackEnd backEnd : {BackEnd::kNative, BackEnd::kAuto, BackEnd::kCore}) {
        const auto out = run(test::assemble(text), {halves(16, 16, 16)}, backEnd);
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(out->paths, std::vector<std::string_view>{"matrices: core"});
        EXPECT_TRUE(
            notes(*out, backEnd == BackEnd::kCore ? "setting is core" : "4-bit components"));
        const auto none =
            run(test::assemble(replaced(text, declared, "")), {halves(16, 16, 16)}, backEnd);
        ASSERT_FALSE(none);
        EXPECT_EQ(none.error().code, ErrorCode::kInvalidModule);
        EXPECT_NE(none.error().message.find("Int4CooperativeMatrixINTEL"), std::string::npos);
    }
}

// Emulated KHR matrices become core SPIR-V, unless native is requested.
TEST(Native, AutoEmulatesWhatIsToBeEmulated) {
    const auto words = test::assemble(test::multiplyModule(16, 16, 16));
    const auto out = run(words, {halves(16, 16, 16)}, BackEnd::kAuto);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_TRUE(notes(*out, "core back-end"));
    EXPECT_TRUE(notes(*out, "no native back-end: the driver's matrices are emulated, too"));
    EXPECT_EQ(disassemble(out->words).find("CooperativeMatrix"), std::string::npos);
}

// A module in which the product of two 16x16 matrices of VK_NV_cooperative_matrix is a factor of
// the next one, so that it changes its role.
struct RoleModule {
    std::string capabilities, extensions, memoryModel = "Vulkan", decorations, declarations;
    std::string sum = "%x";         // what is added to the first product
    std::string access;             // Memory Operands of a load
    std::string shared;             // the shader's own shared memory, to which it writes
    std::string next = "%z %y %z";  // operands of the second product
};

std::string textOf(const RoleModule& m) {
    const bool vulkan = m.memoryModel == "Vulkan";
    return std::format(
        R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability CooperativeMatrixNV
{}{}
OpExtension "SPV_NV_cooperative_matrix"
{}
OpMemoryModel Logical {}
OpEntryPoint GLCompute %main "main" %buffer {}
OpExecutionMode %main LocalSize 32 2 1
OpDecorate %halves ArrayStride 2
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
{}
%void = OpTypeVoid
%f = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%c0 = OpConstant %u32 0
%c3 = OpConstant %u32 3
%c16 = OpConstant %u32 16
%one = OpConstant %f16 0x1p+0
%false = OpConstantFalse %bool
%halves = OpTypeRuntimeArray %f16
%block = OpTypeStruct %halves
%blockPointer = OpTypePointer StorageBuffer %block
%pointer = OpTypePointer StorageBuffer %f16
%buffer = OpVariable %blockPointer StorageBuffer
%T = OpTypeCooperativeMatrixNV %f16 %c3 %c16 %c16
{}
%main = OpFunction %void None %f
%label = OpLabel
%p = OpAccessChain %pointer %buffer %c0 %c0
%x = OpCooperativeMatrixLoadNV %T %p %c16 %false {}
%y = OpCooperativeMatrixLoadNV %T %p %c16 %false
%z = OpCooperativeMatrixMulAddNV %T %x %y {}
%r = OpCooperativeMatrixMulAddNV %T {}
OpCooperativeMatrixStoreNV %p %r %c16 %false
OpReturn
OpFunctionEnd
)",
        vulkan ? "OpCapability VulkanMemoryModel\n" : "", m.capabilities, m.extensions,
        m.memoryModel, m.shared, m.decorations, m.declarations, m.access, m.sum, m.next);
}

Result<Rewritten> runRoles(const RoleModule& m, BackEnd backEnd, uint32_t sharedMemory = 16384) {
    const std::vector<uint32_t> words = test::assemble(textOf(m));
    EXPECT_EQ(validate(words), std::nullopt);
    Request request;
    request.words = words;
    Target target;
    target.emulated.erase(Extension::kKhrCooperativeMatrix);
    target.device.maxComputeSharedMemorySize = sharedMemory;
    target.device.nativeShapes = {{8, 8, 8, kFloat16, kFloat16, kFloat16, kFloat16, false}};
    target.backEnd = backEnd;
    Result<Rewritten> out = rewrite(request, target);
    if (out) {
        EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
    }
    return out;
}

// Conversions of role use 512 bytes for each subgroup.
TEST(Native, SharesSharedMemoryWithTheShader) {
    RoleModule m;
    m.shared = "%shared";
    m.declarations =
        "%size = OpConstant %u32 1024\n%words = OpTypeArray %u32 %size\n"
        "%wordsPointer = OpTypePointer Workgroup %words\n"
        "%shared = OpVariable %wordsPointer Workgroup\n";
    const uint32_t staging = 64 / Target().subgroupSize * 16 * 16 * 2;
    EXPECT_TRUE(runRoles(m, BackEnd::kNative, 4096 + staging));
    const auto forced = runRoles(m, BackEnd::kNative, 4096 + staging - 4);
    ASSERT_FALSE(forced);
    EXPECT_EQ(forced.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(forced.error().message.find("shared memory"), std::string::npos);
    const auto free = runRoles(m, BackEnd::kAuto, 4096 + staging - 4);
    ASSERT_TRUE(free) << free.error().message;
    EXPECT_TRUE(notes(*free, "core back-end"));
    // No change of roles, no need for memory.
    m.declarations += "%zero = OpConstantNull %T\n";
    m.sum = "%zero";
    m.next = "%x %y %z";
    EXPECT_TRUE(runRoles(m, BackEnd::kNative, 4096));
}

// All blocks with explicit layout begin at the same place.
TEST(Native, AddsNothingToExplicitSharedBlocks) {
    RoleModule m;
    m.capabilities = "OpCapability WorkgroupMemoryExplicitLayoutKHR\n";
    m.extensions = "OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"\n";
    m.shared = "%shared";
    m.decorations = "OpDecorate %inShared Block\nOpMemberDecorate %inShared 0 Offset 0\n";
    m.declarations =
        "%inShared = OpTypeStruct %u32\n%inSharedPointer = OpTypePointer Workgroup %inShared\n"
        "%shared = OpVariable %inSharedPointer Workgroup\n";
    EXPECT_FALSE(runRoles(m, BackEnd::kNative));
    const auto free = runRoles(m, BackEnd::kAuto);
    ASSERT_TRUE(free) << free.error().message;
    EXPECT_TRUE(notes(*free, "core back-end"));
}

// As many words as 2 to the power of the depth.
TEST(Native, MeasuresNestedStructuresOnce) {
    RoleModule m;
    m.shared = "%shared";
    m.declarations = "%s0 = OpTypeStruct %u32 %u32\n";
    for (int i = 1; i < 60; ++i) {
        m.declarations += std::format("%s{} = OpTypeStruct %s{} %s{}\n", i, i - 1, i - 1);
    }
    m.declarations +=
        "%sharedPointer = OpTypePointer Workgroup %s59\n"
        "%shared = OpVariable %sharedPointer Workgroup\n";
    // spirv-val would visit each of them.
    const auto out =
        run(test::assemble(textOf(m)), {{8, 8, 8, kFloat16, kFloat16, kFloat16, kFloat16, false}},
            BackEnd::kNative);
    ASSERT_FALSE(out);
    EXPECT_NE(out.error().message.find("shared memory"), std::string::npos);
}

// As glslang writes length() of VK_NV_cooperative_matrix: an addition to the length. And as an
// operand of an extended instruction, the first of the function.
TEST(Native, ComputesWithLengths) {
    RoleModule m;
    m.extensions = "%glsl = OpExtInstImport \"GLSL.std.450\"\n";
    m.declarations =
        "%i32 = OpTypeInt 32 1\n%zero = OpConstant %i32 0\n"
        "%length = OpSpecConstantOp %u32 CooperativeMatrixLengthNV %T\n"
        "%number = OpSpecConstantOp %i32 IAdd %length %zero\n"
        "%isLong = OpSpecConstantOp %bool SGreaterThan %number %zero\n";
    m.next =
        "%z %y %z\n%least = OpExtInst %i32 %glsl SMin %number %zero\n"
        "%chosen = OpSelect %i32 %isLong %least %number\n"
        "%half = OpConvertSToF %f16 %chosen\nOpStore %p %half\n";
    const auto out = runRoles(m, BackEnd::kNative);
    ASSERT_TRUE(out) << out.error().message;
    const std::string text = disassemble(out->words);
    const size_t length = text.find("OpCooperativeMatrixLengthKHR", text.find("= OpFunction "));
    const size_t sum = text.find("OpIAdd", length), compare = text.find("OpSGreaterThan", length);
    const size_t least = text.find("SMin", sum);
    ASSERT_NE(least, std::string::npos) << text;
    EXPECT_LT(sum, compare);
    const size_t line = text.rfind('\n', sum) + 1;
    const std::string definition = text.substr(line, sum - line);
    const size_t id = definition.find('%');
    const std::string name = definition.substr(id, definition.find(' ', id) - id);
    EXPECT_EQ(text.substr(least + 5, name.size()), name) << text;
}

// A shape of no rows divides nothing.
TEST(Native, IgnoresEmptyShapes) {
    RoleModule m;
    std::string text = textOf(m);
    for (const char* product :
         {"OpCooperativeMatrixMulAddNV %T %x %y %x", "OpCooperativeMatrixMulAddNV %T %z %y %z"}) {
        const size_t at = text.find(product);
        ASSERT_NE(at, std::string::npos) << text;
        text.replace(at, std::string_view(product).size(), "OpFAdd %T %x %y");
    }
    const MatrixShape tile = {8, 8, 8, kFloat16, kFloat16, kFloat16, kFloat16, false};
    MatrixShape empty = tile;
    empty.m = 0;
    EXPECT_FALSE(run(test::assemble(text), {empty}, BackEnd::kNative));
    EXPECT_TRUE(run(test::assemble(text), {empty, tile}, BackEnd::kNative));
}

// A module may query the length of an object that is no matrix.
TEST(Native, RefusesLengthsOfOtherTypes) {
    RoleModule m;
    m.declarations = "%length = OpSpecConstantOp %u32 CooperativeMatrixLengthKHR %u32\n";
    m.next = "%z %y %z\n%twice = OpIAdd %u32 %length %length\n";
    const auto out =
        run(test::assemble(textOf(m)), {{8, 8, 8, kFloat16, kFloat16, kFloat16, kFloat16, false}},
            BackEnd::kNative);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ErrorCode::kInvalidModule);
    EXPECT_NE(out.error().message.find("Type is not a cooperative matrix"), std::string::npos);
}

// KHR matrices must have the Vulkan memory model, NV ones need not.
TEST(Native, LeavesOtherMemoryModelsToTheCore) {
    RoleModule m;
    EXPECT_TRUE(runRoles(m, BackEnd::kNative));
    m.memoryModel = "GLSL450";
    const auto forced = runRoles(m, BackEnd::kNative);
    ASSERT_FALSE(forced);
    EXPECT_EQ(forced.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(forced.error().message.find("memory model"), std::string::npos);
    const auto free = runRoles(m, BackEnd::kAuto);
    ASSERT_TRUE(free) << free.error().message;
    EXPECT_TRUE(notes(*free, "core back-end"));
}

TEST(Native, TilesReplicatedConstants) {
    RoleModule m;
    m.capabilities = "OpCapability ReplicatedCompositesEXT\n";
    m.extensions = "OpExtension \"SPV_EXT_replicated_composites\"\n";
    m.declarations = "%ones = OpConstantCompositeReplicateEXT %T %one\n";
    m.sum = "%ones";
    const auto out = runRoles(m, BackEnd::kNative);
    ASSERT_TRUE(out) << out.error().message;
}

// Tiles of 8 halves start at multiples of 16 bytes only.
TEST(Native, TilesPromiseNoMoreAlignmentThanTheyHave) {
    RoleModule m;
    m.access = "Aligned 32";
    const auto out = runRoles(m, BackEnd::kNative);
    ASSERT_TRUE(out) << out.error().message;
    const std::string text = disassemble(out->words);
    EXPECT_EQ(text.find("Aligned 32"), std::string::npos);
    EXPECT_EQ(count(text, "Aligned 16"), 4u);
}

Result<Rewritten> runAdding(const std::vector<uint32_t>& words, ExtensionSet notEmulated = {}) {
    Request request;
    request.words = words;
    Target target;
    target.device = {.nativeShapes = {halves(8, 8, 8)}, .onlyNativeShapes = true};
    target.emulated = ExtensionSet::all();
    target.emulated.erase(Extension::kKhrCooperativeMatrix);
    for (const ExtensionInfo& row : extensionTable()) {
        if (notEmulated.contains(row.extension)) target.emulated.erase(row.extension);
    }
    target.addsShapes = true;
    return rewrite(request, target);
}

constexpr ExtensionSet kOfWholeMatrices = {Extension::kNvCooperativeMatrix2,
                                           Extension::kExtCooperativeMatrixMaintenance1};

TEST(NativeAdded, ListsWhatTilesMakeUpAndTheDriverLacks) {
    DeviceTraits device = {.onlyNativeShapes = true};
    EXPECT_TRUE(addedMatrixShapes(device).empty()) << "the driver has no matrices";
    device.nativeShapes = {halves(8, 8, 8)};
    const std::vector<MatrixShape> added = addedMatrixShapes(device);
    EXPECT_NE(std::ranges::find(added, halves(16, 16, 16)), added.end());
    EXPECT_NE(std::ranges::find(added, halves(8, 16, 16)), added.end());
    EXPECT_EQ(std::ranges::find(added, halves(8, 8, 8)), added.end());
    for (const MatrixShape& shape : added) EXPECT_TRUE(isMadeOf(shape, halves(8, 8, 8)));
}

TEST(NativeAdded, LeavesOwnShapes) {
    const auto own = test::assemble(test::multiplyModule(8, 8, 8));
    const auto out = runAdding(own);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_TRUE(out->untouched);
    EXPECT_EQ(out->words, own);
    EXPECT_TRUE(out->used.empty());
}

TEST(NativeAdded, TilesAddedShapes) {
    const auto out = runAdding(test::assemble(test::multiplyModule(16, 16, 16)));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_FALSE(out->untouched);
    EXPECT_TRUE(out->used.empty()) << "tiles rest on nothing that is emulated";
    EXPECT_EQ(out->paths, std::vector<std::string_view>{"matrices: native, in tiles"});
    EXPECT_EQ(validate(out->words), std::nullopt);
}

// Shapes that neither coopvk nor the driver lists go to the driver unchanged.
TEST(NativeAdded, LeavesShapesThatNobodyLists) {
    const auto odd = test::assemble(test::multiplyModule(24, 24, 24));
    auto out = runAdding(odd, kOfWholeMatrices);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_TRUE(out->untouched);
    // With flexible dimensions they are coopvk's: in tiles, or lowered whole.
    out = runAdding(odd);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(out->paths, std::vector<std::string_view>{"matrices: native, in tiles"});
    EXPECT_TRUE(out->used.empty());
    out = runAdding(test::assemble(test::multiplyModule(12, 12, 12)));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(out->paths, std::vector<std::string_view>{"matrices: core"});
    EXPECT_EQ(out->used, ExtensionSet{Extension::kNvCooperativeMatrix2});
    EXPECT_EQ(validate(out->words), std::nullopt);
}

TEST(NativeAdded, InstructionsOfWholeMatrices) {
    std::string text = test::multiplyModule(16, 16, 16);
    text.replace(text.find("OpExtension"), 0, "OpCapability CooperativeMatrixReductionsNV\n");
    text.replace(text.find("OpMemoryModel"), 0, "OpExtension \"SPV_NV_cooperative_matrix2\"\n");
    const std::vector<uint32_t> words = test::assemble(text);
    for (const auto& out : {runAdding(words, kOfWholeMatrices), runAdding(words)}) {
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(out->paths, std::vector<std::string_view>{"matrices: native, in tiles"});
        EXPECT_EQ(disassemble(out->words).find("cooperative_matrix2"), std::string::npos);
        EXPECT_EQ(validate(out->words), std::nullopt);
    }
}

TEST(NativeAdded, SpecializationMayDecide) {
    DeviceTraits device;
    device.nativeShapes = {halves(8, 8, 8)};
    std::string text = test::multiplyModule(8, 8, 8);
    EXPECT_TRUE(mayUseAddedShapes(test::assemble(text), device));
    text.erase(text.find("OpDecorate %rows SpecId 0"), 26);
    text.replace(text.find("OpSpecConstant"), 14, "OpConstant");
    EXPECT_FALSE(mayUseAddedShapes(test::assemble(text), device));
    EXPECT_FALSE(mayUseAddedShapes({}, device));
}

}  // namespace
}  // namespace coopvk::rewrite::native_test
