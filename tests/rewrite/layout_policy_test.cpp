// SPDX-License-Identifier: Apache-2.0
//
// How lanes hold the matrices of a module, and in which slices products are computed: what
// matrix/layout_policy.cpp, matrix/slices and plan/classes.cpp say, for products of all kinds.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"

namespace coopvk::rewrite::layout_policy_test {
namespace {

// Products of matrices, each factor loaded once for each letter: 'r' by rows, 'c' by columns; and
// stores of the sum: 'h' by rows as f16.
struct Products {
    std::string_view factor = "f16", sum = "f32";
    std::string_view a = "r", b = "r", stores = "r";
    uint32_t rows = 16, columns = 16, depth = 16;
    bool sharesA = false, sharesB = false;  // loaded from shared memory of the shader
    std::string_view item = factor;         // of which that is an array
    bool namesElements = false;             // of the sum
    bool sharesOneB = false;                // only the first one is in shared memory
    uint32_t otherDepth = 0;                // of one more product; 0: there is none
};

constexpr std::string_view kHead = R"(
OpCapability Shader
OpCapability Float16
OpCapability Int8
OpCapability StorageBuffer16BitAccess
OpCapability StorageBuffer8BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %in %out %outHalves %shared
OpExecutionMode %main LocalSize 128 1 1
OpDecorate %inBlock Block
OpDecorate %outBlock Block
OpDecorate %halfBlock Block
OpMemberDecorate %inBlock 0 Offset 0
OpMemberDecorate %outBlock 0 Offset 0
OpMemberDecorate %halfBlock 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
OpDecorate %outHalves DescriptorSet 0
OpDecorate %outHalves Binding 2
)";

constexpr std::string_view kTypes = R"(
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u8 = OpTypeInt 8 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%words2 = OpTypeVector %u32 2
%words4 = OpTypeVector %u32 4
%size = OpConstant %u32 512
%order = OpConstant %u32 264
)";

uint32_t bytesOf(std::string_view type) {
    return static_cast<uint32_t>(std::stoul(std::string(type.substr(1)))) / 8;
}

std::string typesOf(const Products& p) {
    return std::format(R"(
%m = OpConstant %u32 {}
%n = OpConstant %u32 {}
%k = OpConstant %u32 {}
%stride = OpConstant %u32 64
%factors = OpTypeRuntimeArray %{}
%sums = OpTypeRuntimeArray %{}
%halves = OpTypeRuntimeArray %f16
%inBlock = OpTypeStruct %factors
%outBlock = OpTypeStruct %sums
%halfBlock = OpTypeStruct %halves
%array = OpTypeArray %{} %size
)",
                       p.rows, p.columns, p.depth, p.factor, p.sum, p.item);
}

std::string otherTypes(const Products& p) {
    return std::format(
        "%ok = OpConstant %u32 {0}\n"
        "%OA = OpTypeCooperativeMatrixKHR %{1} %c3 %m %ok %c0\n"
        "%OB = OpTypeCooperativeMatrixKHR %{1} %c3 %ok %n %c1\n",
        p.otherDepth, p.factor);
}

std::string variablesOf(const Products& p) {
    return std::format(R"(
%inPointer = OpTypePointer StorageBuffer %inBlock
%outPointer = OpTypePointer StorageBuffer %outBlock
%halfPointer = OpTypePointer StorageBuffer %halfBlock
%arrayPointer = OpTypePointer Workgroup %array
%inFactor = OpTypePointer StorageBuffer %{}
%outSum = OpTypePointer StorageBuffer %{}
%outHalf = OpTypePointer StorageBuffer %f16
%sharedFactor = OpTypePointer Workgroup %{}
%in = OpVariable %inPointer StorageBuffer
%out = OpVariable %outPointer StorageBuffer
%outHalves = OpVariable %halfPointer StorageBuffer
%shared = OpVariable %arrayPointer Workgroup
%A = OpTypeCooperativeMatrixKHR %{} %c3 %m %k %c0
%B = OpTypeCooperativeMatrixKHR %{} %c3 %k %n %c1
%C = OpTypeCooperativeMatrixKHR %{} %c3 %m %n %c2
%H = OpTypeCooperativeMatrixKHR %f16 %c3 %m %n %c2
{}%zero = OpConstantNull %C
%heldPointer = OpTypePointer Function %C
%main = OpFunction %void None %f
%label = OpLabel
%held = OpVariable %heldPointer Function %zero
%pin = OpAccessChain %inFactor %in %c0 %c0
%pshared = OpAccessChain %sharedFactor %shared %c0
%pout = OpAccessChain %outSum %out %c0 %c0
%ph = OpAccessChain %outHalf %outHalves %c0 %c0
OpControlBarrier %c2 %c2 %order
)",
                       p.factor, p.sum, p.item, p.factor, p.factor, p.sum,
                       p.otherDepth == 0 ? "" : otherTypes(p));
}

std::string codeOf(const Products& p) {
    std::string code;
    const auto load = [&](std::string_view type, size_t number, char layout, bool isShared) {
        code += std::format("%v{}{} = OpCooperativeMatrixLoadKHR %{} %{} %c{} %stride\n", type,
                            number, type, isShared ? "pshared" : "pin", layout == 'c' ? 1 : 0);
    };
    for (size_t i = 0; i < p.a.size(); ++i) load("A", i, p.a[i], p.sharesA);
    for (size_t i = 0; i < p.b.size(); ++i)
        load("B", i, p.b[i], p.sharesB && !(p.sharesOneB && i > 0));
    const size_t count = std::max(p.a.size(), p.b.size());
    for (size_t i = 0; i < count; ++i) {
        code += std::format(
            "%before{} = OpLoad %C %held\n"
            "%s{} = OpCooperativeMatrixMulAddKHR %C %vA{} %vB{} %before{}\nOpStore %held %s{}\n",
            i, i, i % p.a.size(), i % p.b.size(), i, i);
    }
    if (p.otherDepth != 0) {
        load("OA", 0, 'r', p.sharesA);
        load("OB", 0, 'r', p.sharesB);
        code +=
            "%beforeOther = OpLoad %C %held\n"
            "%other = OpCooperativeMatrixMulAddKHR %C %vOA0 %vOB0 %beforeOther\n"
            "OpStore %held %other\n";
    }
    code += std::format("%{} = OpLoad %C %held\n", p.namesElements ? "whole" : "sum");
    if (p.namesElements) {
        code += std::format(
            "%element = OpCompositeExtract %{} %whole 0\n"
            "%sum = OpCompositeInsert %C %element %whole 1\n",
            p.sum);
    }
    for (const char layout : p.stores) {
        if (layout == 'h') {
            code += "%half = OpFConvert %H %sum\n";
            code += "OpCooperativeMatrixStoreKHR %ph %half %c0 %stride\n";
        } else {
            code += std::format("OpCooperativeMatrixStoreKHR %pout %sum %c{} %stride\n",
                                layout == 'c' ? 1 : 0);
        }
    }
    return code + "OpReturn\nOpFunctionEnd\n";
}

std::string moduleOf(const Products& p) {
    std::string strides;
    for (const auto& [array, type] :
         {std::pair<std::string_view, std::string_view>{"factors", p.factor},
          {"sums", p.sum},
          {"halves", "f16"}}) {
        strides += std::format("OpDecorate %{} ArrayStride {}\n", array, bytesOf(type));
    }
    return std::string(kHead) + strides + std::string(kTypes) + typesOf(p) + variablesOf(p) +
           codeOf(p);
}

Result<Rewritten> rewritten(const Products& p, const Target& target) {
    const std::vector<uint32_t> words = test::assemble(moduleOf(p));
    return rewrite({.words = words}, target);
}

// The part of a note that begins so; of none: "none".
std::string noteOf(const Rewritten& out, std::string_view beginning) {
    for (const std::string& note : out.notes) {
        const size_t at = note.find(beginning);
        if (at != std::string::npos) return note.substr(at + beginning.size());
    }
    return "none";
}

Target on(const DeviceTraits& device, uint32_t lanes = 32) {
    Target target;
    target.device = device;
    target.subgroupSize = lanes;
    return target;
}

// A device of each class.
const DeviceTraits kAny = {};
const DeviceTraits kCpu = {.isCpu = true};
const DeviceTraits kScalar = {.scalarRegisters = true};
const DeviceTraits kWide = {.maxSubgroupSize = 128};
const DeviceTraits kManyRegisters = {.dot4x8Signed = true};
const DeviceTraits kMixed = {.shaderMixedFloatDotProductFloat16AccFloat32 = true};
const DeviceTraits kScalarMixed = {.shaderMixedFloatDotProductFloat16AccFloat32 = true,
                                   .scalarRegisters = true};
const DeviceTraits kPaired = {.dot4x8Mixed = true,
                              .shaderMixedFloatDotProductFloat16AccFloat32 = true,
                              .scalarRegisters = true};

Target in(ElementLayout layout, const DeviceTraits& device = kAny, uint32_t lanes = 32) {
    Target target = on(device, lanes);
    target.elementLayout = layout;
    return target;
}

struct PolicyRow {
    const char* name;
    Products products;
    Target target;
    const char* grid;
    uint32_t rowBlocks, columnBlocks;
    bool pairsAlongK;
};

constexpr const char* kWideGrid = "4x8";
constexpr const char* kTallGrid = "8x4";

class LayoutPolicies : public testing::TestWithParam<PolicyRow> {};

TEST_P(LayoutPolicies, FollowLoadsAndStores) {
    const PolicyRow& row = GetParam();
    const Result<Rewritten> out = rewritten(row.products, row.target);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(noteOf(*out, "lane grid "), std::format("{}, row blocks {}, column blocks {}",
                                                      row.grid, row.rowBlocks, row.columnBlocks));
    Target same = row.target;
    same.tuning.halfPairsAlongK = row.pairsAlongK;
    if (!row.products.namesElements)
        same.tuning.gridRows = static_cast<uint32_t>(std::stoul(row.grid));
    const Result<Rewritten> again = rewritten(row.products, same);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->words, out->words);
}

const Target kAnyGpu = on(kAny);

const PolicyRow kPolicyRows[] = {
    // Neighbouring lanes read neighbouring lines of A: blocks of a row, if these are rows.
    {"Rows", {}, kAnyGpu, kWideGrid, 1, 0, false},
    {"ColumnsOfA", {.a = "c"}, kAnyGpu, kWideGrid, 0, 0, false},
    {"MostlyRowsOfA", {.a = "rrc", .stores = "c"}, kAnyGpu, kWideGrid, 1, 0, false},
    {"MostlyColumnsOfA", {.a = "rcc"}, kAnyGpu, kWideGrid, 0, 0, false},
    // Where A is loaded both ways, the accumulators' order decides.
    {"BothOfAStoresRows", {.a = "rc"}, kAnyGpu, kWideGrid, 1, 0, false},
    {"BothOfAStoresBoth", {.a = "rc", .stores = "rc"}, kAnyGpu, kWideGrid, 0, 0, false},
    {"BothOfAStoresColumns", {.a = "rc", .stores = "c"}, kAnyGpu, kWideGrid, 0, 0, false},
    // From columns of B, a lane reads pairs along K, and stores words of rows.
    {"ColumnsOfB", {.b = "c"}, kAnyGpu, kWideGrid, 1, 1, true},
    {"StoresHalves", {.b = "c", .stores = "h"}, kAnyGpu, kWideGrid, 1, 2, true},
    {"StoresHalvesAndSingles", {.b = "c", .stores = "hr"}, kAnyGpu, kWideGrid, 1, 2, true},
    {"StoresBothWays", {.b = "c", .stores = "hc"}, kAnyGpu, kWideGrid, 1, 1, true},
    {"StoresColumns", {.b = "c", .stores = "c"}, kAnyGpu, kWideGrid, 1, 1, true},
    {"MostlyColumnsOfB", {.b = "rcc"}, kAnyGpu, kWideGrid, 1, 1, true},
    {"BothOfB", {.b = "rc"}, kAnyGpu, kWideGrid, 1, 0, false},
    // With f16 in pairs along N, A takes fewer registers than B: a tall grid.
    {"HalfSums", {.sum = "f16"}, kAnyGpu, kTallGrid, 1, 0, false},
    {"HalfSumsOfColumns", {.sum = "f16", .b = "c"}, kAnyGpu, kWideGrid, 1, 2, true},
    {"Singles", {.factor = "f32"}, kAnyGpu, kWideGrid, 1, 0, false},
    {"HalfSumsOnMany", {.sum = "f16"}, on(kManyRegisters), kWideGrid, 1, 0, false},
    {"HalfSumsOf24OnMany",
     {.sum = "f16", .columns = 24},
     on(kManyRegisters),
     kTallGrid,
     1,
     0,
     false},
    {"SinglesOfHalvesOnMany", {}, on(kManyRegisters), kTallGrid, 1, 0, false},
    {"SinglesOnMany", {.factor = "f32"}, on(kManyRegisters), kWideGrid, 1, 0, false},
    {"ColumnsOnMany", {.b = "c"}, on(kManyRegisters), kWideGrid, 1, 1, true},
    // Words of rows of bytes, except where scalar registers have no dot products in pairs.
    {"Bytes", {.factor = "u8", .sum = "u32"}, kAnyGpu, kTallGrid, 1, 0, false},
    {"BytesInColumns", {.factor = "u8", .sum = "u32", .b = "c"}, kAnyGpu, kWideGrid, 1, 1, true},
    {"BytesBothWays", {.factor = "u8", .sum = "u32", .b = "rc"}, kAnyGpu, kWideGrid, 1, 0, false},
    {"BytesOnScalar", {.factor = "u8", .sum = "u32"}, on(kScalar), kWideGrid, 1, 0, false},
    {"BytesOnPaired", {.factor = "u8", .sum = "u32"}, on(kPaired), kTallGrid, 1, 0, false},
    // Mixed dot products read pairs along K: of rows of B, a column in each lane, up to 16.
    {"Mixed", {}, on(kMixed), "2x16", 1, 0, true},
    {"MixedOf8Columns", {.columns = 8}, on(kMixed), "4x8", 1, 0, true},
    {"MixedOf32Columns", {.columns = 32}, on(kMixed), "2x16", 1, 0, true},
    {"MixedOf8Lanes", {}, on(kMixed, 8), "1x8", 1, 0, true},
    {"MixedOfColumns", {.b = "c"}, on(kMixed), kWideGrid, 1, 1, true},
    {"MixedOfBoth", {.b = "rc"}, on(kMixed), kWideGrid, 1, 0, true},
    {"MixedOfMostlyRows", {.b = "rrc"}, on(kMixed), kWideGrid, 1, 0, true},
    {"MixedIntoHalf", {.sum = "f16"}, on(kMixed), kTallGrid, 1, 0, false},
    {"MixedOfSingles", {.factor = "f32"}, on(kMixed), kWideGrid, 1, 0, false},
    // Two of them at once, from columns in buffers, want more columns in a lane.
    {"Paired", {.b = "c"}, on(kPaired), kTallGrid, 1, 1, true},
    {"PairedIntoHalf", {.sum = "f16"}, on(kPaired), "2x16", 1, 0, true},
    {"PairedOfRows", {}, on(kPaired), "2x16", 1, 0, true},
    {"PairedSharesA", {.b = "c", .sharesA = true}, on(kPaired), kWideGrid, 1, 1, true},
    {"PairedSharesB", {.b = "c", .sharesB = true}, on(kPaired), kWideGrid, 1, 1, true},
    {"PairedSingles", {.factor = "f32", .b = "c"}, on(kPaired), kWideGrid, 1, 1, true},
    {"NotPaired", {.b = "c"}, on(kScalarMixed), kWideGrid, 1, 1, true},
    // In a layout of elements, its lanes; a lane with one column has pairs of f16 along K where
    // arithmetic with pairs is faster.
    {"Nvidia", {.namesElements = true}, in(ElementLayout::kNvidia), "8x4", 1, 2, false},
    {"NvidiaColumnsOfB",
     {.b = "c", .namesElements = true},
     in(ElementLayout::kNvidia),
     "8x4",
     1,
     2,
     true},
    {"Rdna3", {.namesElements = true}, in(ElementLayout::kRdna3), "2x16", 1, 1, false},
    {"Rdna3Of64",
     {.namesElements = true},
     in(ElementLayout::kRdna3, kAny, 64),
     "4x16",
     1,
     1,
     false},
    {"Rdna4", {.namesElements = true}, in(ElementLayout::kRdna4), "2x16", 8, 1, false},
    {"Rdna4HalfSums",
     {.sum = "f16", .namesElements = true},
     in(ElementLayout::kRdna4),
     "2x16",
     8,
     1,
     false},
    {"Rdna4HalfSumsOnScalar",
     {.sum = "f16", .namesElements = true},
     in(ElementLayout::kRdna4, kScalar),
     "2x16",
     8,
     1,
     true},
    {"Rdna4HalfSumsOnMany",
     {.sum = "f16", .namesElements = true},
     in(ElementLayout::kRdna4, kManyRegisters),
     "2x16",
     8,
     1,
     true},
    {"Rdna4OfTwoColumns",
     {.sum = "f16", .columns = 32, .namesElements = true},
     in(ElementLayout::kRdna4, kScalar),
     "2x16",
     8,
     1,
     false},
    {"Rdna4OfSingles",
     {.namesElements = true},
     in(ElementLayout::kRdna4, kScalar),
     "2x16",
     8,
     1,
     false},
    // On CPUs, all lanes are in one column, as many as a matrix has rows.
    {"Cpu8", {}, on(kCpu, 8), "8x1", 1, 0, false},
    {"Cpu32", {.columns = 8, .depth = 32}, on(kCpu), "16x2", 1, 0, false},
    {"CpuOf24Rows", {.rows = 24}, on(kCpu), "8x4", 1, 0, false},
    {"CpuOfWideA", {.rows = 64, .columns = 8, .depth = 8}, on(kCpu), "32x1", 1, 0, false},
};

INSTANTIATE_TEST_SUITE_P(All, LayoutPolicies, testing::ValuesIn(kPolicyRows),
                         [](const auto& param) { return std::string(param.param.name); });

struct SliceRow {
    const char* name;
    Products products;
    Target target;
    const char* slices;
    bool areRolled = false;  // the driver shall not unroll their loop
};

class SlicesOfProducts : public testing::TestWithParam<SliceRow> {};

TEST_P(SlicesOfProducts, AreOfTheClass) {
    const SliceRow& row = GetParam();
    const Result<Rewritten> out = rewritten(row.products, row.target);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(noteOf(*out, "products in slices of "), row.slices);
    const std::string text = disassemble(out->words);
    const bool areOfBoth =
        std::string_view(row.slices).find_first_not_of("0123456789") == std::string_view::npos;
    if (!areOfBoth) return;
    EXPECT_NE(test::occurrences(text, "OpLoopMerge"), 0u);
    EXPECT_EQ(test::occurrences(text, " DontUnroll") != 0, row.areRolled);
}

// Both factors from shared memory of the shader.
Products shared(Products p) {
    p.sharesA = p.sharesB = true;
    return p;
}

const Products kHalves = shared({}), kSingles = shared({.factor = "f32", .depth = 32});
const Products kIntoHalf = shared({.sum = "f16", .depth = 32});
const Products kColumns = shared({.b = "c", .depth = 32});
const Products kBytes = shared({.factor = "u8", .sum = "u32", .depth = 32});
Products sharedAndNamed(Products p) {
    p.namesElements = true;
    return shared(p);
}
const Target kRdna4 = in(ElementLayout::kRdna4);

Target sameNumerics() {
    Target target = on(kAny);
    target.numerics = Numerics::kSame;
    return target;
}
const Target kSame = sameNumerics();

const SliceRow kSliceRows[] = {
    {"OnCpu", kHalves, on(kCpu, 8), "2", true},
    {"OnCpuOfFewLanes", kHalves, on(kCpu, 4), "4 rows of B"},
    {"OnCpuOfSingles", kSingles, on(kCpu, 8), "4 rows of B"},
    {"OnCpuIntoHalf", kIntoHalf, on(kCpu, 8), "4 rows of B"},
    {"OnWide", kHalves, on(kWide, 64), "4", true},
    {"OnWideBy128", kHalves, on(kWide, 128), "2", true},
    {"OnWideBytes", kBytes, on(kWide, 64), "16", true},
    {"OnWideBytesBy128", kBytes, on(kWide, 128), "8", true},
    {"OnWideIntoHalf", kIntoHalf, on(kWide, 128), "4", true},
    {"OnWideIntoFewHalves", shared({.sum = "f16", .rows = 8, .columns = 8}), on(kWide, 128), "2",
     true},
    {"OnWideClosedPairs", shared({.sum = "f16", .b = "c"}), on(kWide, 64), "none"},
    {"OnScalar", kHalves, on(kScalar), "4"},
    {"OnScalarIntoHalf", kIntoHalf, on(kScalar), "8"},
    {"OnScalarMixedBy64", kHalves, on(kScalarMixed, 64), "8"},
    {"OnScalarMixedBy32", kHalves, on(kScalarMixed), "4"},
    {"OnScalarBytes", kBytes, on(kScalar), "none"},
    {"OnManyBytes", kBytes, on(kManyRegisters), "none"},
    {"OnManySums", shared({.factor = "f32", .rows = 64, .columns = 64}), on(kManyRegisters), "4",
     true},
    {"OnMany64Sums", shared({.factor = "f32", .rows = 64, .columns = 32}), on(kManyRegisters),
     "4 rows of B"},
    {"OnManyPairsOf16", shared({.b = "c"}), on(kManyRegisters), "none"},
    {"OnManyPairsOf32", kColumns, on(kManyRegisters), "16", true},
    {"OnManyIntoHalf", kIntoHalf, on(kManyRegisters), "8"},
    {"OnManySingles", kSingles, on(kManyRegisters), "16", true},
    {"OnManySinglesOf16", shared({.factor = "f32"}), on(kManyRegisters), "none"},
    {"OnOthers", kHalves, on(kAny), "4"},
    {"OnOthersClosedPairs", shared({.sum = "f16", .b = "c"}), on(kAny), "none"},
    {"OnWideIntoAHalfOfEachLane", shared({.sum = "f16", .columns = 8}), on(kWide, 128), "4", true},
    // A product that rounds once is whole.
    {"SameIntoHalfOfBoth", kIntoHalf, kSame, "none"},
    {"SameOfBoth", kHalves, kSame, "4"},
    // All products have the same slices.
    {"OfOneDepth", shared({.otherDepth = 16}), on(kAny), "4"},
    {"OfTwoDepths", shared({.otherDepth = 32}), on(kAny), "none"},
    // In a layout in which a lane has one column, slices are deeper, to be whole items.
    {"OfColumns", sharedAndNamed({.item = "words4"}), kRdna4, "8"},
    {"OfEight", sharedAndNamed({.depth = 8, .item = "words4"}), kRdna4, "none"},
    {"OfTwelve", sharedAndNamed({.depth = 12, .item = "words4"}), kRdna4, "none"},
    {"OfTwentyFour", sharedAndNamed({.depth = 24, .item = "words4"}), kRdna4, "8"},
    {"OfTwoColumns", sharedAndNamed({.columns = 32, .item = "words4"}), kRdna4, "none"},
    {"OnScalarOfColumns", sharedAndNamed({.item = "words4"}), in(ElementLayout::kRdna4, kScalar),
     "none"},
    {"OnManyOfColumns", sharedAndNamed({.item = "words4"}),
     in(ElementLayout::kRdna4, kManyRegisters), "8"},
    {"OnManyOfPairs", sharedAndNamed({.item = "words2"}), in(ElementLayout::kRdna4, kManyRegisters),
     "4", true},
    // A slice is a part of K.
    {"OfFourColumns", shared({.depth = 4}), on(kAny), "none"},
    {"OfEightColumns", shared({.depth = 8}), on(kAny), "4"},
    {"OfEighteenColumns", shared({.depth = 18}), on(kAny), "none"},
    // Both factors are in shared memory.
    {"OnlyB", {.sharesB = true}, on(kAny), "none"},
    {"OnlyA", {.sharesA = true}, on(kAny), "none"},
};

Products rowsOf(uint32_t depth, Products p = {}) {
    p.sharesB = true;
    p.depth = depth;
    return p;
}

// 64 of them, and as many columns.
Products namedRows(uint32_t columns, Products p = {}) {
    p.columns = columns;
    p.namesElements = true;
    return rowsOf(64, p);
}

Target tuned(Target target, const MatrixTuning& tuning) {
    target.tuning = tuning;
    return target;
}

const Target kDeeper = tuned(kAnyGpu, {.sliceDepth = 8});
const Target kFlatter = tuned(kAnyGpu, {.sliceDepth = 2});
const Target kWhole = tuned(kAnyGpu, {.sliceDepth = 0});
const Target kKept = tuned(on(kCpu, 8), {.gridRows = 8});
const Target kTurns = in(ElementLayout::kNvidia);  // 8 x 4 lanes hold two neighbouring columns each
const Target kFlatTurns = tuned(kTurns, {.sliceDepth = 2});

// B in slices where its product takes A from other lanes, which have it as an accumulator's: if a
// lane would have more than 96 registers of factors (2 of A and 1 of B for each row of B, with 16 x
// 16 sums in a grid of 4 x 8 lanes). A slice is at least four rows, and the columns of A that a
// lane has, several times, or a power of two of them.
const SliceRow kRowsOfB[] = {
    {"Of32Rows", rowsOf(32), kAnyGpu, "none"},
    {"Of48Rows", rowsOf(48), kAnyGpu, "6 rows of B"},
    {"Of64Rows", rowsOf(64), kAnyGpu, "4 rows of B"},
    {"Of40Rows", rowsOf(40), kAnyGpu, "5 rows of B"},
    {"Of36Rows", rowsOf(36), kAnyGpu, "9 rows of B"},
    {"Of35Rows", rowsOf(35), kAnyGpu, "none"},
    {"Of24Rows", rowsOf(24, {.rows = 32}), kAnyGpu, "6 rows of B"},
    {"Of24RowsAnd32Columns", rowsOf(24, {.columns = 32}), kAnyGpu, "none"},
    {"Of32RowsAnd32Columns", rowsOf(32, {.columns = 32}), kAnyGpu, "4 rows of B"},
    {"Of16Rows", rowsOf(16, {.rows = 64}), kAnyGpu, "4 rows of B"},
    {"Of8Rows", rowsOf(8, {.rows = 128}), kAnyGpu, "4 rows of B"},
    {"Of4Rows", rowsOf(4, {.rows = 256}), kAnyGpu, "none"},
    {"JustAbove", rowsOf(98, {.rows = 4, .columns = 8}), kAnyGpu, "49 rows of B"},
    {"OfTwoB", rowsOf(64, {.b = "rr"}), kAnyGpu, "4 rows of B"},
    {"OfTwoBInTwoPlaces", rowsOf(64, {.b = "rr", .sharesOneB = true}), kAnyGpu, "none"},
    {"KeepsLengths", rowsOf(64, {.columns = 2, .namesElements = true}), on(kCpu, 8), "none"},
    {"HasNoLengths", rowsOf(64, {.columns = 2}), on(kCpu, 8), "4 rows of B"},
    {"HasEqualLengths", rowsOf(64, {.namesElements = true}), on(kCpu, 8), "4 rows of B"},
    {"Deeper", rowsOf(64), kDeeper, "8 rows of B"},
    {"Flatter", rowsOf(64), kFlatter, "2 rows of B"},
    {"Whole", rowsOf(64), kWhole, "none"},
    {"WithoutShuffles", rowsOf(64), on({.subgroupShuffle = false}), "none"},
    {"OfBuffers", {.depth = 64}, kAnyGpu, "none"},
    {"OfSingles", rowsOf(32, {.factor = "f32"}), kAnyGpu, "4 rows of B"},
    {"OfFewSingles", rowsOf(16, {.factor = "f32"}), kAnyGpu, "none"},
    {"OfBytes", rowsOf(256, {.factor = "u8", .sum = "u32"}), kAnyGpu, "none"},
    {"Same", rowsOf(64), kSame, "4 rows of B"},
    {"SameIntoHalf", rowsOf(64, {.sum = "f16"}), kSame, "none"},
    {"IntoHalf", rowsOf(64, {.sum = "f16"}), kAnyGpu, "4 rows of B"},
    {"OnCpuRowsOfB", rowsOf(64), on(kCpu, 8), "4 rows of B"},
    {"OnCpuKept", rowsOf(64), kKept, "none"},
    // A turn of the lanes is a slice of at most 64 registers of B, or a part of it that has
    // whole neighbours; four rows at least.
    {"OfTurns", namedRows(64), kTurns, "8 rows of B"},
    {"OfHalfTurns", namedRows(80), kTurns, "4 rows of B"},
    {"OfHalfTurnsAtMost", namedRows(128), kTurns, "4 rows of B"},
    {"OfFourRows", namedRows(144), kTurns, "4 rows of B"},
    {"OfTwoRows", namedRows(144), kFlatTurns, "2 rows of B"},
    {"OfNeighbours", namedRows(288), kFlatTurns, "2 rows of B"},
    {"OfHalfTurnsFlatter", namedRows(80), kFlatTurns, "4 rows of B"},
    {"OfTurnsOfWords", namedRows(80, {.b = "c", .item = "words4"}), kTurns, "8 rows of B"},
    {"OfTurnsOfTwo", namedRows(144, {.b = "c", .item = "words2"}), kTurns, "4 rows of B"},
    // From columns of B, a slice is whole items of the shader's array.
    {"OfWords", rowsOf(64, {.b = "c", .item = "words4"}), kAnyGpu, "8 rows of B"},
    {"OfWordsFlatter", rowsOf(64, {.b = "c", .item = "words4"}), kFlatter, "8 rows of B"},
    {"OfPairsOfWords", rowsOf(64, {.b = "c", .item = "words2"}), kAnyGpu, "4 rows of B"},
    {"OfRowsOfWords", rowsOf(64, {.item = "words4"}), kAnyGpu, "4 rows of B"},
    {"Of48OfWords", rowsOf(48, {.b = "c", .item = "words4"}), kAnyGpu, "none"},
    // So are those of both factors, along the lines that are sliced.
    {"BothInRows", shared({.item = "words4"}), kAnyGpu, "none"},
    {"BothAcross", shared({.a = "c", .item = "words4"}), kAnyGpu, "4"},
    {"BothInColumns", shared({.a = "c", .b = "c", .item = "words4"}), kAnyGpu, "none"},
    {"BothInRowsOfTwo", shared({.item = "words2"}), kAnyGpu, "4"},
    {"BothDeep", shared({.sum = "f16", .depth = 32, .item = "words4"}), on(kScalar), "8"},
};

INSTANTIATE_TEST_SUITE_P(Rows, SlicesOfProducts, testing::ValuesIn(kRowsOfB),
                         [](const auto& param) { return std::string(param.param.name); });

// Slices of A are adjacent columns, and fewer of each lane in a grid of few rows.
TEST(SlicesOfRows, HaveAWideGrid) {
    const auto gridOf = [](const Products& p, const Target& target) {
        const Result<Rewritten> out = rewritten(p, target);
        return out ? noteOf(*out, "lane grid ") : out.error().message;
    };
    const Products sliced = {.depth = 64, .sharesB = true};
    EXPECT_EQ(gridOf(sliced, on(kCpu, 8)), "2x4, row blocks 1, column blocks 0");
    EXPECT_EQ(gridOf({.depth = 64}, on(kCpu, 8)), "8x1, row blocks 1, column blocks 0");
    EXPECT_EQ(gridOf({.b = "c", .depth = 64, .sharesB = true}, on(kAny)),
              "4x8, row blocks 1, column blocks 0");
    EXPECT_EQ(gridOf({.b = "c", .depth = 64}, on(kAny)), "4x8, row blocks 1, column blocks 1");
    EXPECT_EQ(gridOf({.sum = "f16", .depth = 64, .sharesB = true}, on(kAny)),
              "4x8, row blocks 1, column blocks 0");
    EXPECT_EQ(gridOf(sliced, on(kMixed)), "2x16, row blocks 1, column blocks 0");
}

INSTANTIATE_TEST_SUITE_P(All, SlicesOfProducts, testing::ValuesIn(kSliceRows),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace coopvk::rewrite::layout_policy_test
