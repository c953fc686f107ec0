// SPDX-License-Identifier: Apache-2.0
//
// Cooperative vectors: the output is valid core SPIR-V, deterministic, and of limited size.
#include <gtest/gtest.h>

#include <format>
#include <map>
#include <set>
#include <spirv/unified1/spirv.hpp11>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "coopvk/vector_matrix.hpp"
#include "edit.hpp"
#include "vector_module.hpp"

namespace coopvk::rewrite::vector_test {
namespace {

using test::layerModule;

Result<Rewritten> rewriteFor(const std::vector<uint32_t>& words, uint32_t lanes, bool tiles) {
    Request request;
    request.words = words;
    Target target;
    target.subgroupSize = lanes;
    target.device.subgroupVote = target.device.subgroupBallot = tiles;
    target.device.subgroupArithmetic = tiles;
    target.device.maxComputeSharedMemorySize = 49152;
    return rewrite(request, target);
}

TEST(Vector, OutputIsValidAndDeterministic) {
    for (const auto& [m, k] :
         {std::pair{1u, 1u}, {64u, 64u}, {13u, 51u}, {128u, 300u}, {1024u, 8u}}) {
        for (const uint32_t layout : {0u, 1u, 2u, 3u}) {
            for (const uint32_t lanes : {4u, 32u, 128u}) {
                const bool transpose = layout == 3;
                const auto words = test::assemble(layerModule(m, k, layout, transpose));
                const Result<Rewritten> out = rewriteFor(words, lanes, lanes != 4);
                ASSERT_TRUE(out) << out.error().message;
                EXPECT_EQ(validate(out->words), std::nullopt) << m << "x" << k << " " << layout;
                EXPECT_TRUE(scan(out->words, ExtensionSet::all()).empty());
                EXPECT_EQ(disassemble(out->words).find("CooperativeVector"), std::string::npos);
                EXPECT_EQ(disassemble(out->words).find("RelaxedPrecision"), std::string::npos);
                EXPECT_NE(disassemble(out->words).find("NoContraction"), std::string::npos);
                const Result<Rewritten> again = rewriteFor(words, lanes, lanes != 4);
                ASSERT_TRUE(again);
                EXPECT_EQ(again->words, out->words);
            }
        }
    }
}

TEST(Vector, SubgroupsShareOnlyWhereTheDeviceCanVote) {
    const auto words = test::assemble(layerModule(64, 64, 0, false));
    for (const bool tiles : {false, true}) {
        const Result<Rewritten> out = rewriteFor(words, 32, tiles);
        ASSERT_TRUE(out) << out.error().message;
        const bool shares = disassemble(out->words).find("coopvk_exchange") != std::string::npos;
        EXPECT_EQ(shares, tiles);
        EXPECT_EQ(out->paths,
                  std::vector<std::string_view>{tiles ? "vectors: tiles" : "vectors: alone"});
    }
}

// A module with a compute shader, with a task shader instead.
std::string asTask(std::string source) {
    const auto replace = [&](std::string_view what, std::string_view with) {
        source.replace(source.find(what), what.size(), with);
    };
    replace("OpEntryPoint GLCompute", "OpEntryPoint TaskEXT");
    replace("OpExtension",
            "OpCapability MeshShadingEXT\nOpExtension \"SPV_EXT_mesh_shader\"\nOpExtension");
    return source;
}

// Some drivers count the invocations of a partly filled subgroup wrongly.
TEST(Vector, SubgroupsShareOnlyWhereTheyAreFilled) {
    const auto textFor = [](std::string_view localSize, uint32_t largest, bool isTask = false) {
        Request request;
        const std::string source = layerModule(64, 64, 0, false, localSize);
        const auto words = test::assemble(isTask ? asTask(source) : source);
        request.words = words;
        request.stage = isTask ? Stage::kTask : Stage::kCompute;
        Target target;
        target.subgroupSize = 32;
        target.device.maxSubgroupSize = largest;
        target.device.subgroupStages = ~0u;
        target.device.subgroupVote = target.device.subgroupBallot = true;
        target.device.maxComputeSharedMemorySize = 49152;
        const Result<Rewritten> out = rewrite(request, target);
        EXPECT_TRUE(out) << out.error().message;
        if (!out) return std::string();
        EXPECT_EQ(validate(out->words), std::nullopt);
        return disassemble(out->words);
    };
    const auto has = [](const std::string& text, std::string_view what) {
        return text.find(what) != std::string::npos;
    };
    const std::string whole = textFor("32 1 1", 32);
    EXPECT_TRUE(has(whole, "coopvk_exchange"));
    EXPECT_FALSE(has(whole, "BuiltIn SubgroupSize"));
    EXPECT_TRUE(has(textFor("37 2 1", 32), "coopvk_exchange"));
    EXPECT_TRUE(has(textFor("64 2 1", 32, true), "coopvk_exchange"));
    EXPECT_FALSE(has(textFor("37 2 1", 32, true), "coopvk_exchange"));
    EXPECT_FALSE(has(textFor("31 1 1", 32), "coopvk_exchange"));
    EXPECT_TRUE(has(textFor("64 1 1", 64), "BuiltIn SubgroupSize"));
}

// Instruction words of the helper functions that multiply or add, by what their names contain.
size_t helperWords(const std::vector<uint32_t>& words, std::string_view part) {
    std::map<uint32_t, std::string> names;
    size_t size = 0;
    bool inside = false;
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
        const auto opcode = static_cast<spv::Op>(words[at] & 0xffff);
        if (opcode == spv::Op::OpName) {
            names[words[at + 1]] = reinterpret_cast<const char*>(&words[at + 2]);
        }
        if (opcode == spv::Op::OpFunction) {
            inside = names[words[at + 2]].find(part) != std::string::npos;
        }
        if (inside) size += words[at] >> 16;
    }
    return size;
}

// Of all functions.
size_t functionWords(const std::vector<uint32_t>& words) { return helperWords(words, ""); }

struct Types {
    const char* input;
    const char* result;
    uint32_t inputType, matrixType, biasType;  // VkComponentTypeKHR
    uint32_t bound;                            // of a product's words; 10 more a component
};
// Bounds are for this test to choose: little above what products take, so that growth is seen.
constexpr Types kTypes[] = {{"half", "half", 0, 0, 0, 20480},
                            {"half", "half", 1000491002, 1000491002, 0, 45056},
                            {"half", "half", 1000491003, 1000491003, 0, 34816},
                            {"float", "float", 1, 1, 1, 14848},
                            {"char", "int", 3, 3, 5, 20480}};

// A product with bias, M components from K, and for floats the outer product of both.
std::string productModule(const Types& types, uint32_t m, uint32_t k, uint32_t layout,
                          bool transpose) {
    return std::format(
        R"(
OpCapability Shader
OpCapability Float16
OpCapability Int8
OpCapability StorageBuffer8BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeVectorNV
OpCapability CooperativeVectorTrainingNV
OpExtension "SPV_NV_cooperative_vector"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %buffer
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%false = OpConstantFalse %bool
%true = OpConstantTrue %bool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%char = OpTypeInt 8 1
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%zero = OpConstant %uint 0
%m = OpConstant %uint {0}
%k = OpConstant %uint {1}
%layout = OpConstant %uint {2}
%stride = OpConstant %uint {4}
%training = OpConstant %uint 3
%inputType = OpConstant %uint {7}
%matrixType = OpConstant %uint {8}
%biasType = OpConstant %uint {9}
%in = OpTypeCooperativeVectorNV %{5} %k
%out = OpTypeCooperativeVectorNV %{6} %m
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%pointer = OpTypePointer StorageBuffer %block
%arrayPointer = OpTypePointer StorageBuffer %array
%buffer = OpVariable %pointer StorageBuffer
%main = OpFunction %void None %function
%entry = OpLabel
%at = OpAccessChain %arrayPointer %buffer %zero
%x = OpCooperativeVectorLoadNV %in %at %zero
%y = OpCooperativeVectorMatrixMulAddNV %out %x %inputType %at %zero %matrixType %at %zero %biasType %m %k %layout %{3} %stride MatrixASignedComponentsKHR|MatrixBSignedComponentsKHR
OpCooperativeVectorStoreNV %at %zero %y
{10}
OpReturn
OpFunctionEnd
)",
        m, k, layout, transpose ? "true" : "false", (std::max(m, k) * 4 + 15) / 16 * 16,
        types.input, types.result, types.inputType, types.matrixType, types.biasType,
        types.biasType <= 1 ? "OpCooperativeVectorOuterProductAccumulateNV %at %zero %y "
                              "%x %training %biasType"
                            : "");
}

std::vector<Target> targets() {
    std::vector<Target> result;
    for (const bool isCpu : {false, true}) {
        for (const bool tiles : {false, true}) {
            Target target;
            target.subgroupSize = isCpu ? 8 : 32;
            target.device.isCpu = isCpu;
            target.device.subgroupVote = target.device.subgroupBallot = tiles;
            target.device.subgroupArithmetic = tiles;
            target.device.maxComputeSharedMemorySize = 49152;
            target.device.shaderIntegerDotProduct = target.device.dot4x8Signed = !isCpu;
            result.push_back(target);
        }
    }
    return result;
}

// docs/developers/benchmarks.md states these bounds.
TEST(Vector, CodeDoesNotGrowWithTheMatrix) {
    constexpr std::pair<uint32_t, uint32_t> kSizes[] = {
        {16, 16},   {64, 64},     {128, 128}, {129, 127}, {256, 64},  {64, 256},
        {256, 256}, {1024, 1024}, {1024, 16}, {16, 1024}, {1000, 999}};
    for (const Types& types : kTypes) {
        size_t largest = 0, turn = 0;
        for (const auto& [m, k] : kSizes) {
            for (const uint32_t layout : {0u, 1u, 2u, 3u}) {
                const auto words = test::assemble(productModule(types, m, k, layout, layout == 3));
                for (const Target& target : targets()) {
                    if (turn++ % 3 == 1 && m != 1000)
                        continue;  // each with sizes and layouts of its own
                    Request request;
                    request.words = words;
                    const Result<Rewritten> out = rewrite(request, target);
                    ASSERT_TRUE(out) << out.error().message;
                    const size_t product = helperWords(out->words, "_muladd_");
                    const size_t training = helperWords(out->words, "_outer_product");
                    EXPECT_LE(product, types.bound + 10 * m)
                        << types.input << " " << layout << " " << m << "x" << k;
                    EXPECT_LE(training, 12288u) << m << "x" << k;
                    EXPECT_EQ(training != 0, types.biasType <= 1);
                    largest = std::max(largest, product);
                }
            }
        }
        EXPECT_GT(largest, types.bound * 3 / 4) << "a bound that says little: " << types.input;
    }
}

// A vector of consecutive elements of an array, each loaded by itself, or each second one. The
// array is in a buffer, or the whole of a shared variable.
std::string assembledModule(uint32_t n, uint32_t step, bool isShared = false) {
    const std::string_view chain = isShared ? "%sharedHalf %held" : "%halfPointer %buffer %zero";
    std::string loads, list;
    for (uint32_t e = 0; e < n; ++e) {
        loads += std::format("%c{0} = OpConstant %uint {1}\n", e, e * step);
    }
    loads +=
        "%main = OpFunction %void None %function\n%entry = OpLabel\n%i = OpLoad %uint %index\n";
    for (uint32_t e = 0; e < n; ++e) {
        loads += std::format(
            "%i{0} = OpLoad %uint %index\n%a{0} = OpIAdd %uint %i{0} %c{0}\n"
            "%p{0} = OpAccessChain {1} %a{0}\n%v{0} = OpLoad %half %p{0}\n",
            e, chain);
        list += std::format(" %v{}", e);
    }
    return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeVectorNV
OpExtension "SPV_NV_cooperative_vector"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %buffer %index %held
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %array ArrayStride 2
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%half = OpTypeFloat 16
%zero = OpConstant %uint 0
%n = OpConstant %uint {0}
%vector = OpTypeCooperativeVectorNV %half %n
%array = OpTypeRuntimeArray %half
%block = OpTypeStruct %array
%pointer = OpTypePointer StorageBuffer %block
%halfPointer = OpTypePointer StorageBuffer %half
%arrayPointer = OpTypePointer StorageBuffer %array
%buffer = OpVariable %pointer StorageBuffer
%indexPointer = OpTypePointer Input %uint
%index = OpVariable %indexPointer Input
%size = OpConstant %uint 16384
%halves = OpTypeArray %half %size
%sharedHalf = OpTypePointer Workgroup %half
%sharedHalves = OpTypePointer Workgroup %halves
%held = OpVariable %sharedHalves Workgroup
{1}
%x = OpCompositeConstruct %vector{2}
%at = OpAccessChain %arrayPointer %buffer %zero
OpCooperativeVectorStoreNV %at %zero %x
OpReturn
OpFunctionEnd
)",
                       n, loads, list);
}

// docs/developers/benchmarks.md states this bound: of all functions, for vectors of more than 128
// packs.
TEST(Vector, AssembledVectorsAreReadInALoop) {
    for (const uint32_t n : {256u, 257u, 300u, 1023u, 1024u, 4096u}) {
        for (const auto& [step, isShared] : {std::pair(1u, false), {1u, true}, {2u, false}}) {
            const Result<Rewritten> out =
                rewriteFor(test::assemble(assembledModule(n, step, isShared)), 32, true);
            ASSERT_TRUE(out) << out.error().message;
            EXPECT_EQ(validate(out->words), std::nullopt) << n;
            const bool inLoop = n > 256 && step == 1;
            EXPECT_EQ(disassemble(out->words).find("coopvk_vector_gather") != std::string::npos,
                      inLoop);
            const size_t words = functionWords(out->words);
            EXPECT_TRUE(inLoop ? words <= 640 : words > 16 * n) << n << ": " << words;
        }
    }
}

// Where one element is another one, is loaded in another way, or may have changed, or the array has
// gaps.
TEST(Vector, OthersAreNotAssembledInALoop) {
    const std::pair<std::string_view, std::string_view> changes[] = {
        {"%i5 = OpLoad %uint %index", "%i5 = OpIMul %uint %i4 %i4"},
        {"%a5 = OpIAdd %uint %i5 %c5", "%a5 = OpIAdd %uint %c5 %c5"},
        {"%a5 = OpIAdd %uint %i5 %c5", "%a5 = OpISub %uint %i5 %c5"},
        {"%a5 = OpIAdd %uint %i5 %c5", "%a5 = OpIAdd %uint %i5 %i5"},
        {"%v7 = OpLoad %half %p7", "%v7 = OpLoad %half %p7 Volatile"},
        {"%v7 = OpLoad %half %p7", "%v7 = OpLoad %half %p7 Aligned 2"},
        {"%v7 = OpLoad %half %p7", "%v7 = OpLoad %half %p7\nOpStore %p6 %v7"},
        {"%v7 = OpLoad %half %p7", "%v7 = OpFAdd %half %v6 %v6"},
        {"%p8 = OpAccessChain", "%p8 = OpInBoundsAccessChain"},
        {"ArrayStride 2", "ArrayStride 4"},
    };
    for (const auto& change : changes) {
        const std::string text = test::edited(assembledModule(300, 1), {change});
        const Result<Rewritten> out = rewriteFor(test::assemble(text), 32, true);
        ASSERT_TRUE(out) << change.second << out.error().message;
        EXPECT_EQ(disassemble(out->words).find("coopvk_vector_gather"), std::string::npos)
            << change.second;
    }
}

// The same for sums of gradients over a subgroup.
TEST(Vector, GradientsAreSummedOnlyInFilledSubgroups) {
    const auto sums = [](std::string_view localSize, bool isTask) {
        std::string source = productModule(kTypes[0], 16, 16, 0, false);
        constexpr std::string_view kSize = "LocalSize 64 1 1";
        source.replace(source.find(kSize), kSize.size(), std::format("LocalSize {}", localSize));
        const auto words = test::assemble(isTask ? asTask(source) : source);
        Request request;
        request.words = words;
        request.stage = isTask ? Stage::kTask : Stage::kCompute;
        Target target = targets()[1];
        target.device.subgroupStages = ~0u;
        const Result<Rewritten> out = rewrite(request, target);
        EXPECT_TRUE(out) << out.error().message;
        if (!out) return false;
        EXPECT_EQ(validate(out->words), std::nullopt);
        return disassemble(out->words).find("OpGroupNonUniformFAdd") != std::string::npos;
    };
    EXPECT_TRUE(sums("64 1 1", false));
    EXPECT_TRUE(sums("37 2 1", false));
    EXPECT_TRUE(sums("64 1 1", true));
    EXPECT_FALSE(sums("37 2 1", true));
}

TEST(Vector, ErrorsNameWhatIsWrong) {
    for (uint32_t layout : {4u, 77u}) {
        const Result<Rewritten> out =
            rewriteFor(test::assemble(layerModule(8, 8, layout, false)), 32, true);
        ASSERT_FALSE(out);
        EXPECT_NE(out.error().message.find("MemoryLayout"), std::string::npos);
    }
    // An index of three integers.
    std::string text = layerModule(8, 8, 0, false);
    text.insert(text.find("%r = "), "%element = OpVectorExtractDynamic %half %y %ids\n");
    const Result<Rewritten> out = rewriteFor(test::assemble(text), 32, true);
    ASSERT_FALSE(out);
    EXPECT_NE(out.error().message.find("not an integer scalar"), std::string::npos);
    // A packed input, and K of 0.
    text = productModule({"uint", "int", 1000491000, 3, 5, 0}, 8, 8, 0, false);
    EXPECT_TRUE(rewriteFor(test::assemble(text), 32, true));
    text.replace(text.find("%m %k %layout"), 5, "%m %zero");
    const Result<Rewritten> none = rewriteFor(test::assemble(text), 32, true);
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().message.find("K components"), std::string::npos);
}

TEST(MatrixPlacement, OptimalLinesAreAligned) {
    for (const auto layout :
         {VectorMatrixLayout::kInferencingOptimal, VectorMatrixLayout::kTrainingOptimal}) {
        const MatrixPlacement p = placeMatrix(layout, 5, 9, 2, 1234, false);
        EXPECT_EQ(p.rowBytes, 32u);
        EXPECT_EQ(p.columnBytes, 2u);
        EXPECT_EQ(p.size, 192u);
    }
    const MatrixPlacement rows = placeMatrix(VectorMatrixLayout::kRowMajor, 5, 9, 2, 40, false);
    EXPECT_EQ(rows.at(4, 8), 176u);
    EXPECT_EQ(rows.size, 178u);
    const MatrixPlacement columns =
        placeMatrix(VectorMatrixLayout::kColumnMajor, 5, 9, 2, 40, false);
    EXPECT_EQ(columns.at(4, 8), 328u);
    EXPECT_EQ(columns.size, 330u);
    EXPECT_EQ(placeMatrix(VectorMatrixLayout::kRowMajor, 0, 9, 2, 40, false).size, 0u);
}

TEST(MatrixPlacement, BlocksHaveSixteenBytesOfEachRow) {
    const auto layout = VectorMatrixLayout::kInferencingOptimal;
    const MatrixPlacement p = placeMatrix(layout, 9, 11, 2, 0, true);
    EXPECT_EQ(p.at(0, 7), 14u);
    EXPECT_EQ(p.at(1, 0), 16u);
    EXPECT_EQ(p.at(7, 0), 112u);
    EXPECT_EQ(p.at(0, 8), 128u);
    EXPECT_EQ(p.at(7, 10), 128u + 112 + 4);
    EXPECT_EQ(p.at(8, 0), 256u);
    EXPECT_EQ(p.size, 512u) << "two blocks of eight rows, each of 32 bytes";
    EXPECT_FALSE(placeMatrix(VectorMatrixLayout::kTrainingOptimal, 9, 11, 2, 0, true).inBlocks);
}

TEST(MatrixPlacement, ElementsOfBlocksDoNotOverlap) {
    for (const uint64_t bytes : {1, 2, 4}) {
        const MatrixPlacement p =
            placeMatrix(VectorMatrixLayout::kInferencingOptimal, 19, 35, bytes, 0, true);
        std::set<uint64_t> places;
        for (uint64_t row = 0; row < 19; ++row) {
            for (uint64_t column = 0; column < 35; ++column) {
                const uint64_t place = p.at(row, column);
                EXPECT_EQ(place % bytes, 0u);
                EXPECT_LE(place + bytes, p.size);
                places.insert(place);
            }
        }
        EXPECT_EQ(places.size(), 19u * 35);
    }
}

}  // namespace
}  // namespace coopvk::rewrite::vector_test
