// SPDX-License-Identifier: Apache-2.0
//
// Matrices of scope Subgroup stay the driver's beside instructions that the driver's lack.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>
#include <set>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "ir/module.hpp"

namespace coopvk::rewrite::driver_matrices_test {
namespace {

// test::multiplyModule with the text in place of its store, and a function for reductions.
std::string moduleText(std::string_view text, std::string_view globals = "") {
    constexpr std::string_view kStore = "OpCooperativeMatrixStoreKHR %pc %product %c0 %columns\n";
    constexpr std::string_view kMain = "%main = OpFunction";
    const std::string combine = std::format(R"({}
%combine_fn = OpTypeFunction %f32 %f32 %f32
%combine = OpFunction %f32 None %combine_fn
%x = OpFunctionParameter %f32
%y = OpFunctionParameter %f32
%begin = OpLabel
%total = OpFAdd %f32 %x %y
OpReturnValue %total
OpFunctionEnd
{})",
                                            globals, kMain);
    return test::edited(test::multiplyModule(32, 16, 16),
                        {{"OpExtension",
                          "OpCapability CooperativeMatrixReductionsNV\n"
                          "OpCapability CooperativeMatrixConversionsNV\n"
                          "OpExtension \"SPV_NV_cooperative_matrix2\"\nOpExtension"},
                         {"LocalSize 32", "LocalSize 128"},
                         {kMain, combine},
                         {kStore, text}});
}

constexpr auto kHalf = ComponentType::kFloat16, kSingle = ComponentType::kFloat32;
constexpr MatrixShape kSingles = {16, 16, 16, kHalf, kHalf, kSingle, kSingle, false};
constexpr MatrixShape kHalves = {16, 16, 16, kHalf, kHalf, kHalf, kHalf, false};

Result<Rewritten> rewritten(const std::string& module, std::vector<MatrixShape> shapes) {
    const std::vector<uint32_t> words = test::assemble(module);
    Request request;
    request.words = words;
    Target target;
    target.subgroupSize = 32;
    target.device.nativeShapes = std::move(shapes);
    target.emulated = {Extension::kNvCooperativeMatrix2};
    target.backEnd = BackEnd::kAuto;
    Result<Rewritten> out = rewrite(request, target);
    if (out) {
        EXPECT_EQ(validate(out->words), std::nullopt);
    }
    return out;
}

bool hasNote(const Rewritten& out, std::string_view text) {
    return std::ranges::any_of(
        out.notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

// The rewritten module has the driver's products, and the note names so many conversions.
void expectNative(std::string_view text, uint32_t conversions,
                  std::vector<MatrixShape> shapes = {kSingles, kHalves},
                  std::string_view globals = "") {
    const Result<Rewritten> out = rewritten(moduleText(text, globals), std::move(shapes));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(out->paths.front(), "matrices: native, in tiles");
    const std::string note =
        std::format("conversions around what the driver's matrices lack: {}", conversions);
    EXPECT_TRUE(hasNote(*out, note)) << testing::PrintToString(out->notes);
    size_t products = 0;
    Module::parse(out->words)->visitBlocks([&](const Instruction& i) {
        if (i.opcode == spv::Op::OpCooperativeMatrixMulAddKHR) ++products;
    });
    EXPECT_GE(products, 2u);  // of 16 rows
}

void expectCore(const std::string& module, std::string_view reason) {
    const Result<Rewritten> out = rewritten(module, {kSingles, kHalves});
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(out->paths.front(), "matrices: core");
    EXPECT_TRUE(hasNote(*out, reason)) << testing::PrintToString(out->notes);
}

constexpr std::string_view kReduction =
    "%r = OpCooperativeMatrixReduceNV %C %product Row %combine\n"
    "OpCooperativeMatrixStoreKHR %pc %r %c0 %columns\n";

TEST(DriverMatrices, ReductionsAreOfDistributedElements) { expectNative(kReduction, 2); }

// The second one takes what the first one gave.
TEST(DriverMatrices, ReductionsInARowNeedNoConversionBetween) {
    expectNative(
        "%r = OpCooperativeMatrixReduceNV %C %product Row %combine\n"
        "%s = OpCooperativeMatrixReduceNV %C %r Column %combine\n"
        "OpCooperativeMatrixStoreKHR %pc %s %c0 %columns\n",
        3);
}

// Each function reads the number of its subgroup once, each block computes equal values once, and
// reductions shuffle by constants.
TEST(DriverMatrices, NothingIsComputedTwice) {
    const Result<Rewritten> out =
        rewritten(moduleText("%r = OpCooperativeMatrixReduceNV %C %product Row %combine\n"
                             "%s = OpCooperativeMatrixReduceNV %C %r Column %combine\n"
                             "%sum = OpFAdd %C %s %product\n"
                             "%t = OpCooperativeMatrixReduceNV %C %sum Row %combine\n"
                             "OpCooperativeMatrixStoreKHR %pc %t %c0 %columns\n"),
                  {kSingles, kHalves});
    ASSERT_TRUE(out) << out.error().message;
    const Result<Module> module = Module::parse(out->words);
    std::set<Id> numbers;
    for (const InstructionPtr& i : module->section(Section::kAnnotations)) {
        constexpr auto kSubgroupId = static_cast<uint32_t>(spv::BuiltIn::SubgroupId);
        if (i->opcode == spv::Op::OpDecorate && i->operands.size() == 3 &&
            i->word(2) == kSubgroupId)
            numbers.insert(i->word(0));
    }
    size_t shuffles = 0;
    for (const auto& function : module->functions()) {
        size_t reads = 0;
        for (const auto& block : function->blocks) {
            std::set<std::vector<uint32_t>> computed;
            for (const InstructionPtr& i : block->body) {
                if (i->opcode == spv::Op::OpLoad && numbers.contains(i->word(0))) ++reads;
                EXPECT_NE(i->opcode, spv::Op::OpGroupNonUniformShuffle);
                if (i->opcode == spv::Op::OpGroupNonUniformShuffleXor) {
                    ++shuffles;
                    EXPECT_TRUE(module->constantValue(i->word(2)));
                }
                if (i->opcode != spv::Op::OpIAdd && i->opcode != spv::Op::OpIMul &&
                    i->opcode != spv::Op::OpUDiv)
                    continue;
                std::vector<uint32_t> key = {static_cast<uint32_t>(i->opcode), i->type};
                for (const Operand& operand : i->operands) key.push_back(operand.word);
                EXPECT_TRUE(computed.insert(key).second) << i->result;
            }
        }
        EXPECT_LE(reads, 1u);
    }
    EXPECT_FALSE(numbers.empty());
    EXPECT_GE(shuffles, 3u);
}

// Components first, by the driver's own conversion; else both in one conversion of elements.
TEST(DriverMatrices, SumsBecomeFactors) {
    constexpr std::string_view kText =
        "%h = OpFConvert %A %product\n"
        "%second = OpCooperativeMatrixMulAddKHR %C %h %b %product\n"
        "OpCooperativeMatrixStoreKHR %pc %second %c0 %columns\n";
    expectNative(kText, 1);
    expectNative(kText, 2, {kSingles});
}

TEST(DriverMatrices, CoreCodeHasAReason) {
    const std::string reduced = moduleText(kReduction);
    expectCore(test::edited(reduced, {{"%product = OpCooperativeMatrixMulAddKHR %C %a %b %zero",
                                       "%product = OpCopyObject %C %zero"}}),
               "no products");
    expectCore(test::edited(reduced, {{"%zero = ",
                                       "%D = OpTypeCooperativeMatrixKHR %f32 %c3 %rows %c1 %c2\n"
                                       "%zero = "}}),
               "no shape of the driver divides all matrices");
    // 28 KiB of 32.
    expectCore(
        test::edited(moduleText(kReduction,
                                "%many = OpConstant %u32 7168\n%taken = OpTypeArray %f32 %many\n"
                                "%taken_pointer = OpTypePointer Workgroup %taken\n"
                                "%shared = OpVariable %taken_pointer Workgroup"),
                     {{"%in %out\n", "%in %out %shared\n"}}),
        "more shared memory than the shader leaves");
}

}  // namespace
}  // namespace coopvk::rewrite::driver_matrices_test
