// SPDX-License-Identifier: Apache-2.0
//
// The code for cooperative vectors, depending on what a device reports.
#include <gtest/gtest.h>

#include <format>
#include <iterator>
#include <regex>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "vector_module.hpp"

namespace coopvk::rewrite::vector_traits_test {
namespace {

Target targetOf(uint32_t lanes, bool scalarRegisters) {
    Target target;
    target.subgroupSize = lanes;
    target.device.subgroupVote = target.device.subgroupBallot = true;
    target.device.scalarRegisters = scalarRegisters;
    target.device.maxComputeSharedMemorySize = 49152;
    return target;
}

struct Output {
    std::vector<std::string_view> paths;
    std::string text;
};

Output outputFor(const std::string& source, const Target& target) {
    const auto words = test::assemble(source);
    Request request;
    request.words = words;
    const Result<Rewritten> out = rewrite(request, target);
    if (!out) {
        ADD_FAILURE() << out.error().message;
        return {};
    }
    EXPECT_EQ(validate(out->words), std::nullopt);
    return {out->paths, disassemble(out->words)};
}

bool has(const Output& out, std::string_view what) {
    return out.text.find(what) != std::string::npos;
}

// The element at a place that the matrix layout and the offset determine.
std::string atOffset(std::string source) {
    const std::string_view constant = "%x %zero %at %zero %zero";
    source.replace(source.find(constant), constant.size(), "%x %zero %at %where %zero");
    return source;
}

TEST(VectorTraits, ScalarRegistersShareWeightsWithoutTiles) {
    const std::string source = test::layerModule(64, 64, 0, false);
    const Output tiles = outputFor(source, targetOf(32, false));
    EXPECT_EQ(tiles.paths, std::vector<std::string_view>{"vectors: tiles"});
    EXPECT_TRUE(has(tiles, "coopvk_exchange"));
    const Output alone = outputFor(source, targetOf(32, true));
    EXPECT_EQ(alone.paths, std::vector<std::string_view>{"vectors: alone"});
    EXPECT_FALSE(has(alone, "coopvk_exchange"));
    EXPECT_FALSE(has(alone, "BroadcastFirst")) << "constant places are the same for all anyway";
}

// As for matrices (Products.MultiplyAddsKeepTheirOrderOnGpusWithManyRegisters).
TEST(VectorTraits, MultiplyAddsKeepTheirOrderOnGpusWithManyRegisters) {
    const std::string source = test::layerModule(64, 64, 0, false);
    const auto count = [&](const Target& target) {
        const std::string text = outputFor(source, target).text;
        const std::regex decoration("NoContraction");
        return std::distance(std::sregex_iterator(text.begin(), text.end(), decoration), {});
    };
    Target target = targetOf(32, false);
    const auto ofSource = count(target);
    target.device.maxSubgroupSize = 32;
    target.device.dot4x8Unsigned = true;
    EXPECT_GT(count(target), ofSource);
}

// Weights at an offset that the shader computes: it asks whether all lanes have the same one.
TEST(VectorTraits, ScalarRegistersLearnThatWeightsAreShared) {
    const std::string source = atOffset(test::layerModule(64, 64, 0, false));
    const Output out = outputFor(source, targetOf(32, true));
    EXPECT_TRUE(has(out, "OpGroupNonUniformAllEqual"));
    EXPECT_TRUE(has(out, "OpGroupNonUniformBroadcastFirst"));
    Target silent = targetOf(32, true);
    silent.device.subgroupVote = false;
    EXPECT_FALSE(has(outputFor(source, silent), "OpGroupNonUniform"));
}

// A device with matrices of f16, whose vectors alone are emulated.
Target withMatrices(BackEnd backEnd) {
    using enum ComponentType;
    Target target = targetOf(32, false);
    target.emulated = {Extension::kNvCooperativeVector};
    target.backEnd = backEnd;
    target.device.nativeShapes = {{16, 8, 16, kFloat16, kFloat16, kFloat32, kFloat32, false},
                                  {16, 16, 16, kFloat16, kFloat16, kFloat16, kFloat16, false},
                                  {16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false},
                                  {64, 64, 16, kFloat16, kFloat16, kFloat32, kFloat32, false}};
    return target;
}

const std::vector<std::string_view> kByDriver = {"vectors: the driver's matrices"};
const std::vector<std::string_view> kTiles = {"vectors: tiles"};

// The largest shape whose matrices have a divisor of the subgroup's lanes as rows and columns, and
// of these the one with the more exact sums.
TEST(VectorTraits, DriverMatricesMultiplyWeightsThatAllShare) {
    const std::string source = test::layerModule(64, 64, 0, false);
    const Output out = outputFor(source, withMatrices(BackEnd::kAuto));
    EXPECT_EQ(out.paths, kByDriver);
    EXPECT_TRUE(has(out, "OpTypeCooperativeMatrixKHR %half %uint_3 %uint_16 %uint_16 %uint_0"));
    EXPECT_TRUE(has(out, "OpTypeCooperativeMatrixKHR %float %uint_3 %uint_16 %uint_16 %uint_2"));
    EXPECT_FALSE(has(out, "OpTypeCooperativeMatrixKHR %half %uint_3 %uint_64"));
}

TEST(VectorTraits, DriverMatricesAreNotUsedWhereTheyMustNotOrDoNotPay) {
    const std::string source = test::layerModule(64, 64, 0, false);
    EXPECT_EQ(outputFor(source, withMatrices(BackEnd::kCore)).paths, kTiles);
    Target emulates = withMatrices(BackEnd::kAuto);
    emulates.emulated.insert(Extension::kKhrCooperativeMatrix);
    EXPECT_EQ(outputFor(source, emulates).paths, kTiles);
    Target cpu = withMatrices(BackEnd::kAuto);
    cpu.device.isCpu = true;
    EXPECT_EQ(outputFor(source, cpu).paths, kTiles);
    cpu.backEnd = BackEnd::kNative;
    EXPECT_EQ(outputFor(source, cpu).paths, kByDriver);
    // Less than half of 16 rows or columns.
    Target large = withMatrices(BackEnd::kAuto);
    large.device.nativeShapes.erase(large.device.nativeShapes.begin());
    EXPECT_EQ(outputFor(test::layerModule(7, 64, 0, false), large).paths, kTiles);
    EXPECT_EQ(outputFor(test::layerModule(8, 64, 0, false), large).paths, kByDriver);
    EXPECT_NE(outputFor(test::layerModule(64, 7, 0, false), large).paths, kByDriver);
    EXPECT_EQ(outputFor(test::layerModule(64, 8, 0, false), large).paths, kByDriver);
}

// A device whose driver has matrices with the rows of a block.
Target withBlocks() {
    using enum ComponentType;
    Target target = withMatrices(BackEnd::kAuto);
    target.device.nativeShapes.push_back({16, 8, 8, kFloat16, kFloat16, kFloat16, kFloat16, false});
    target.device.nativeShapes.push_back({16, 8, 8, kFloat16, kFloat16, kFloat32, kFloat32, false});
    target.device.blockedWeights = prefersBlockedWeights(target);
    return target;
}

TEST(VectorTraits, BlocksAreWantedWhereMatricesOfTheDriverHoldThem) {
    EXPECT_TRUE(withBlocks().device.blockedWeights);
    EXPECT_FALSE(prefersBlockedWeights(withMatrices(BackEnd::kAuto)));
    Target target = withBlocks();
    target.backEnd = BackEnd::kCore;
    EXPECT_FALSE(prefersBlockedWeights(target));
    target = withBlocks();
    target.emulated = {Extension::kKhrCooperativeMatrix};
    EXPECT_FALSE(prefersBlockedWeights(target)) << "the driver's own vectors have its own layouts";
}

// The driver loads blocks from the buffer. Sums of few products are f16 if the results are.
TEST(VectorTraits, DriverMatricesLoadBlocksOfWeights) {
    constexpr uint32_t kRows = 0, kInferencing = 2;
    constexpr std::string_view kBlock =
        "OpTypeCooperativeMatrixKHR %half %uint_3 %uint_8 %uint_8 %uint_1";
    constexpr std::string_view kHalfSums =
        "OpTypeCooperativeMatrixKHR %half %uint_3 %uint_16 %uint_8 %uint_2";
    constexpr std::string_view kSums =
        "OpTypeCooperativeMatrixKHR %float %uint_3 %uint_16 %uint_8 %uint_2";
    const std::string source = test::layerModule(64, 64, kInferencing, false);
    const Output few = outputFor(test::withoutBias(source), withBlocks());
    EXPECT_EQ(few.paths, kByDriver);
    EXPECT_TRUE(has(few, kBlock) && has(few, kHalfSums));
    EXPECT_FALSE(has(few, kSums));
    // The sum of a product and its bias is rounded once.
    const Output biased = outputFor(source, withBlocks());
    EXPECT_TRUE(has(biased, kBlock) && has(biased, kSums));
    EXPECT_FALSE(has(biased, kHalfSums));
    const Output many = outputFor(test::layerModule(64, 72, kInferencing, false), withBlocks());
    EXPECT_TRUE(has(many, kBlock) && has(many, kSums));
    const Output rows = outputFor(test::layerModule(64, 64, kRows, false), withBlocks());
    EXPECT_FALSE(has(rows, kBlock));
    Target inRows = withBlocks();
    inRows.device.blockedWeights = false;
    EXPECT_FALSE(has(outputFor(test::layerModule(64, 64, kInferencing, false), inRows), kBlock));
}

// The 32 pairs that loops shift start as zeros.
TEST(VectorTraits, ShiftedResultsAreNeverUndefined) {
    const std::string source = test::layerModule(64, 64, 0, false);
    for (const Target& target : {withMatrices(BackEnd::kAuto), targetOf(32, true)}) {
        const std::string text = outputFor(source, target).text;
        std::smatch zero;
        ASSERT_TRUE(std::regex_search(text, zero, std::regex("(%\\w+) = OpConstantNull %v2half")));
        const std::regex start("(OpStore %\\w+|OpPhi %(uint|v2half)) (%uint_0|" + zero[1].str() +
                               ")\\b");
        const auto starts = std::sregex_iterator(text.begin(), text.end(), start);
        EXPECT_GE(std::distance(starts, std::sregex_iterator()), 32);
    }
}

// Each group of lanes that share weights is computed in turn; only lanes without the rest of their
// subgroup compute alone.
TEST(VectorTraits, DriverMatricesMultiplyWeightsOfGroupsOfLanes) {
    const std::string source = atOffset(test::layerModule(64, 64, 0, false));
    const Output out = outputFor(source, withMatrices(BackEnd::kAuto));
    EXPECT_EQ(out.paths, kByDriver);
    EXPECT_TRUE(has(out, "OpGroupNonUniformBallotFindLSB"));
    EXPECT_TRUE(has(out, "OpGroupNonUniformShuffle"));
    Target silent = withMatrices(BackEnd::kAuto);
    silent.device.subgroupShuffle = false;
    EXPECT_EQ(outputFor(source, silent).paths, kTiles);
}

std::string replaced(std::string source, std::string_view what, std::string_view by) {
    return source.replace(source.find(what), what.size(), by);
}

// A buffer that an index of a type chooses, which `convert` makes of a u32.
std::string descriptorsBy(std::string_view type, std::string_view convert) {
    std::string source = test::layerModule(64, 64, 0, false);
    source = replaced(source, "OpCapability Shader",
                      "OpCapability Shader\nOpCapability Int16\n"
                      "OpCapability StorageBufferArrayDynamicIndexing");
    source = replaced(source, "%pointer = OpTypePointer StorageBuffer %block",
                      std::format("%index = {}\n%four = OpConstant %uint 4\n"
                                  "%blocks = OpTypeArray %block %four\n"
                                  "%pointer = OpTypePointer StorageBuffer %blocks",
                                  type));
    return replaced(source, "%at = OpAccessChain %arrayPointer %buffer %zero",
                    std::format("%which = {} %index %i\n"
                                "%at = OpAccessChain %arrayPointer %buffer %which %zero",
                                convert));
}

// Subgroup operations on narrow integers need shaderSubgroupExtendedTypes.
TEST(VectorTraits, NarrowIndicesAreWidened) {
    const std::string source = descriptorsBy("OpTypeInt 16 0", "OpUConvert");
    for (const bool scalarRegisters : {false, true}) {
        const Output out = outputFor(source, targetOf(32, scalarRegisters));
        EXPECT_TRUE(has(out, "OpGroupNonUniformAllEqual"));
        EXPECT_FALSE(has(out, "OpFunctionParameter %ushort"));
    }
}

// SPIR-V takes indices of either signedness.
TEST(VectorTraits, DescriptorsMayBeChosenBySignedIndices) {
    const std::string source = descriptorsBy("OpTypeInt 32 1", "OpBitcast");
    for (const bool scalarRegisters : {false, true}) {
        const Output out = outputFor(source, targetOf(32, scalarRegisters));
        EXPECT_TRUE(has(out, "OpGroupNonUniformAllEqual"));
        EXPECT_EQ(has(out, "OpGroupNonUniformBroadcastFirst"), scalarRegisters);
    }
}

// Compilers write replicated composites by themselves, and programs do not enable the extension for
// them.
TEST(VectorTraits, ReplicationOfVectorsAloneNeedsNoExtension) {
    std::string source = test::layerModule(64, 64, 0, false);
    source = replaced(source, "OpExtension", "OpCapability ReplicatedCompositesEXT\nOpExtension");
    source = replaced(source, "%glsl =", "OpExtension \"SPV_EXT_replicated_composites\"\n%glsl =");
    source = replaced(source, "%none = OpConstantNull %out",
                      "%one = OpConstant %half 0x1p+0\n"
                      "%none = OpConstantCompositeReplicateEXT %out %one");
    Target target = targetOf(32, false);
    target.emulated = {Extension::kNvCooperativeVector};
    EXPECT_FALSE(has(outputFor(source, target), "eplicate"));
    source = replaced(source, "%m = OpConstant",
                      "%zeros = OpConstantCompositeReplicateEXT %uint3 %zero\n%m = OpConstant");
    EXPECT_TRUE(has(outputFor(source, target), "OpExtension \"SPV_EXT_replicated_composites\""));
}

// Shared memory that a function gets as a pointer, which lanes cannot compare.
TEST(VectorTraits, BiasMayBeBehindAPointer) {
    const auto line = [](std::string_view id, std::string_view x, std::string_view at,
                         std::string_view bias) {
        return std::format(
            "%{} = OpCooperativeVectorMatrixMulAddNV %out %{} %zero %{} %zero %zero %{} %zero "
            "%zero %m %k %layout %false %stride",
            id, x, at, bias);
    };
    std::string source = test::layerModule(64, 64, 0, false);
    source = replaced(source, "\"main\" %buffer", "\"main\" %shared %buffer");
    source = replaced(source, "%main = OpFunction",
                      "%biases = OpTypeArray %half %m\n"
                      "%biasPointer = OpTypePointer Workgroup %biases\n"
                      "%shared = OpVariable %biasPointer Workgroup\n"
                      "%layerType = OpTypeFunction %out %in %biasPointer\n"
                      "%main = OpFunction");
    source =
        replaced(source, line("y", "x", "at", "at"), "%y = OpFunctionCall %out %layer %x %shared");
    source +=
        "%layer = OpFunction %out None %layerType\n%input = OpFunctionParameter %in\n"
        "%bias = OpFunctionParameter %biasPointer\n%body = OpLabel\n"
        "%matrix = OpAccessChain %arrayPointer %buffer %zero\n" +
        line("product", "input", "matrix", "bias") + "\nOpReturnValue %product\nOpFunctionEnd\n";
    for (const bool scalarRegisters : {false, true}) {
        const Output out = outputFor(source, targetOf(32, scalarRegisters));
        EXPECT_EQ(out.paths, std::vector<std::string_view>{"vectors: alone"});
    }
}

}  // namespace
}  // namespace coopvk::rewrite::vector_traits_test
