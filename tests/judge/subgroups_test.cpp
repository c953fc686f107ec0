// SPDX-License-Identifier: Apache-2.0
//
// Emulated subgroups: what each operation gives with each type, and scans of all kinds, is what
// subgroups of 32 lanes give natively.
#include <gtest/gtest.h>

#include <format>

#include "coopvk/rewrite.hpp"
#include "execution/shader_text.hpp"

namespace coopvk::judge::subgroups_test {
namespace {

using reference::test::Execution;
using reference::test::ShaderText;

// Values of the type from words, and words from values.
struct Type {
    const char *id, *from, *to;  // {} is the operand
    const char* operations;      // names behind OpGroupNonUniform
};
constexpr const char* kOfUnsigned = "IAdd IMul UMin UMax SMin SMax BitwiseAnd BitwiseOr BitwiseXor";
constexpr const char* kOfSigned = "IAdd IMul SMin SMax BitwiseAnd BitwiseOr BitwiseXor";
constexpr const char* kOfFloats = "FAdd FMul FMin FMax";
const Type kTypes[] = {
    {"u8", "OpUConvert %u8 {}", "OpUConvert %u32 {}", kOfUnsigned},
    {"s16", "OpSConvert %s16 {}", "OpSConvert %u32 {}", kOfSigned},
    {"u32", "OpCopyObject %u32 {}", "OpCopyObject %u32 {}", kOfUnsigned},
    {"s32", "OpBitcast %s32 {}", "OpBitcast %u32 {}", kOfSigned},
    {"u64", "OpUConvert %u64 {}", "OpUConvert %u32 {}", kOfUnsigned},
    {"f16", "OpConvertUToF %f16 {}", "OpBitcast %u16 {}", kOfFloats},
    {"f32", "OpConvertUToF %f32 {}", "OpBitcast %u32 {}", kOfFloats},
    {"f64", "OpConvertUToF %f64 {}", "OpBitcast %u64 {}", kOfFloats},
    {"bool", "OpINotEqual %bool {} %u_1", "OpSelect %u32 {} %u_1 %u_0",
     "LogicalAnd LogicalOr LogicalXor"},
};

// Operations whose results are defined in all lanes. Each lane has another %value.
struct Operation {
    const char *text, *type;
};
const Operation kOperations[] = {
    {"OpGroupNonUniformElect %bool %u_3", "bool"},
    {"OpGroupNonUniformAll %bool %u_3 %odd", "bool"},
    {"OpGroupNonUniformAny %bool %u_3 %odd", "bool"},
    {"OpGroupNonUniformAllEqual %bool %u_3 %own", "bool"},
    {"OpGroupNonUniformAllEqual %bool %u_3 %group", "bool"},
    {"OpGroupNonUniformAllEqual %bool %u_3 %single", "bool"},
    {"OpGroupNonUniformAllEqual %bool %u_3 %pair", "bool"},
    {"OpGroupNonUniformAllEqual %bool %u_3 %singles", "bool"},
    {"OpGroupNonUniformQuadAllKHR %bool %odd", "bool"},
    {"OpGroupNonUniformQuadAnyKHR %bool %odd", "bool"},
    {"OpSubgroupAllKHR %bool %odd", "bool"},
    {"OpSubgroupAnyKHR %bool %odd", "bool"},
    {"OpSubgroupAllEqualKHR %bool %odd", "bool"},
    {"OpGroupNonUniformBroadcast %u32 %u_3 %value %u_7", "u32"},
    {"OpGroupNonUniformBroadcastFirst %u32 %u_3 %value", "u32"},
    {"OpSubgroupReadInvocationKHR %u32 %value %u_9", "u32"},
    {"OpSubgroupFirstInvocationKHR %u32 %value", "u32"},
    {"OpGroupNonUniformShuffle %u32 %u_3 %value %other", "u32"},
    {"OpGroupNonUniformShuffleXor %u32 %u_3 %value %u_5", "u32"},
    {"OpGroupNonUniformQuadBroadcast %u32 %u_3 %value %u_2", "u32"},
    {"OpGroupNonUniformQuadSwap %u32 %u_3 %value %u_0", "u32"},
    {"OpGroupNonUniformQuadSwap %u32 %u_3 %value %u_1", "u32"},
    {"OpGroupNonUniformQuadSwap %u32 %u_3 %value %u_2", "u32"},
    {"OpGroupNonUniformRotateKHR %u32 %u_3 %value %u_5", "u32"},
    {"OpGroupNonUniformRotateKHR %u32 %u_3 %value %u_5 %u_8", "u32"},
    {"OpGroupNonUniformInverseBallot %bool %u_3 %ballot", "bool"},
    {"OpGroupNonUniformBallotBitExtract %bool %u_3 %ballot %other", "bool"},
    {"OpGroupNonUniformBallotBitCount %u32 %u_3 Reduce %ballot", "u32"},
    {"OpGroupNonUniformBallotBitCount %u32 %u_3 InclusiveScan %ballot", "u32"},
    {"OpGroupNonUniformBallotBitCount %u32 %u_3 ExclusiveScan %ballot", "u32"},
    {"OpGroupNonUniformBallotFindLSB %u32 %u_3 %ballot", "u32"},
    {"OpGroupNonUniformBallotFindMSB %u32 %u_3 %ballot", "u32"},
    {"OpCompositeExtract %u32 %ballot 0", "u32"},
    {"OpCompositeExtract %u32 %ballot_khr 0", "u32"},
    {"OpLoad %u32 %SubgroupSize", "u32"},
    {"OpLoad %u32 %SubgroupLocalInvocationId", "u32"},
    {"OpLoad %u32 %SubgroupId", "u32"},
    {"OpLoad %u32 %NumSubgroups", "u32"},
    {"OpCompositeExtract %u32 %equal 0", "u32"},
    {"OpCompositeExtract %u32 %from 0", "u32"},
    {"OpCompositeExtract %u32 %behind 0", "u32"},
    {"OpCompositeExtract %u32 %upto 0", "u32"},
    {"OpCompositeExtract %u32 %before 0", "u32"},
    {"OpCompositeExtract %u32 %before 1", "u32"},
};
constexpr const char* kBuiltIns[] = {"SubgroupSize",   "SubgroupLocalInvocationId",
                                     "SubgroupId",     "NumSubgroups",
                                     "SubgroupEqMask", "SubgroupGeMask",
                                     "SubgroupGtMask", "SubgroupLeMask",
                                     "SubgroupLtMask"};

// Lines that append each result to %out: the word `number` of the invocation.
struct Body {
    std::string text;
    uint32_t values = 0;
    uint32_t words = 0;

    std::string line(const std::string& operation) {
        const std::string id = std::format("%v{}", values++);
        text += id + " = " + operation + "\n";
        return id;
    }
    void store(const std::string& word) {
        const std::string base = line(std::format("OpIMul %u32 %i %stride"));
        const std::string at = line(std::format("OpIAdd %u32 {} %w_{}", base, words++));
        text += reference::test::storeWord(at, word);
    }
};

std::string filled(std::string text, const std::string& operand) {
    return text.replace(text.find("{}"), 2, operand);
}

// The low word, and where there is one the high one.
void storeResult(Body& body, const Type& type, const std::string& result) {
    const std::string id = type.id, bits = body.line(filled(type.to, result));
    if (id == "f16") return body.store(body.line("OpUConvert %u32 " + bits));
    if (id != "f64") return body.store(bits);
    body.store(body.line("OpUConvert %u32 " + bits));
    const std::string high = body.line("OpShiftRightLogical %u64 " + bits + " %w_32");
    body.store(body.line("OpUConvert %u32 " + high));
}

ShaderText textOf(const Body& body, uint32_t invocations) {
    ShaderText text;
    text.localSize = invocations;
    for (uint32_t w = 0; w < std::max(body.words, 33u); ++w)
        text.declarations += std::format("%w_{} = OpConstant %u32 {}\n", w, w);
    text.declarations += std::format("%stride = OpConstant %u32 {}\n", body.words);
    text.body = reference::test::loadWord("%own", "%i") + body.text;
    return text;
}

std::string moduleOf(const Type& type, uint32_t invocations, uint32_t& words) {
    Body body;
    const std::string word = body.line("OpCopyObject %u32 %own");
    const std::string value = body.line(filled(type.from, word));
    std::string operations = type.operations;
    for (size_t at = 0; at < operations.size();) {
        const size_t end = std::min(operations.find(' ', at), operations.size());
        const std::string name = operations.substr(at, end - at);
        at = end + 1;
        for (const char* scan : {"Reduce", "InclusiveScan", "ExclusiveScan", "ClusteredReduce"}) {
            const bool isClustered = std::string(scan) == "ClusteredReduce";
            for (const char* cluster : {"%u_1", "%u_4", "%u_16"}) {
                const std::string operands = isClustered ? value + " " + cluster : value;
                storeResult(body, type,
                            body.line(std::format("OpGroupNonUniform{} %{} %u_3 {} {}", name,
                                                  type.id, scan, operands)));
                if (!isClustered) break;
            }
        }
    }
    words = body.words;
    return shader(textOf(body, invocations));
}

// Lanes whose other is not in the subgroup store 0: the result is undefined there.
void storeShifted(Body& body, const char* direction, const char* isDefined) {
    const std::string moved =
        body.line(std::format("OpGroupNonUniformShuffle{} %u32 %u_3 %value %u_3", direction));
    body.store(body.line(std::format("OpSelect %u32 {} {} %u_0", isDefined, moved)));
}

std::string moduleOfOperations(uint32_t invocations, uint32_t& words) {
    Body body;
    body.text = R"(
%lane = OpUMod %u32 %i %w_32
%group = OpUDiv %u32 %i %w_32
%sevenfold = OpIMul %u32 %i %u_7
%other = OpUMod %u32 %sevenfold %w_32
%value = OpIAdd %u32 %sevenfold %own
%single = OpConvertUToF %f32 %group
%pair = OpCompositeConstruct %v2u32 %group %lane
%singles = OpCompositeConstruct %v2f32 %single %single
%equal = OpLoad %v4u32 %SubgroupEqMask
%from = OpLoad %v4u32 %SubgroupGeMask
%behind = OpLoad %v4u32 %SubgroupGtMask
%upto = OpLoad %v4u32 %SubgroupLeMask
%before = OpLoad %v4u32 %SubgroupLtMask
%low = OpBitwiseAnd %u32 %own %u_1
%odd = OpINotEqual %bool %low %u_0
%above = OpUGreaterThanEqual %bool %lane %u_3
%below = OpULessThan %bool %lane %w_29
%ballot = OpGroupNonUniformBallot %v4u32 %u_3 %odd
%ballot_khr = OpSubgroupBallotKHR %v4u32 %odd
)";
    for (const Operation& operation : kOperations) {
        const std::string result = body.line(operation.text);
        const bool isBool = std::string(operation.type) == "bool";
        body.store(isBool ? body.line("OpSelect %u32 " + result + " %u_1 %u_0") : result);
    }
    storeShifted(body, "Up", "%above");
    storeShifted(body, "Down", "%below");
    words = body.words;
    ShaderText text = textOf(body, invocations);
    text.declarations += "%p_mask = OpTypePointer Input %v4u32\n";
    for (const std::string name : kBuiltIns) {
        const char* type = name.ends_with("Mask") ? "%p_mask" : "%p_input";
        text.annotations += std::format("OpDecorate %{0} BuiltIn {0}\n", name);
        text.declarations += std::format("%{} = OpVariable {} Input\n", name, type);
    }
    text.capabilities =
        "OpCapability QuadControlKHR\n"
        "OpCapability GroupNonUniformShuffleRelative\nOpCapability GroupNonUniformQuad\n"
        "OpCapability GroupNonUniformRotateKHR\nOpCapability SubgroupBallotKHR\n"
        "OpCapability SubgroupVoteKHR\nOpExtension \"SPV_KHR_subgroup_rotate\"\n"
        "OpExtension \"SPV_KHR_quad_control\"\nOpExtension \"SPV_KHR_shader_ballot\"\nOpExtension "
        "\"SPV_KHR_subgroup_vote\"\n";
    return shader(text);
}

std::vector<uint32_t> resultsOf(const std::vector<uint32_t>& module, uint32_t lanes,
                                uint32_t invocations, uint32_t words) {
    Execution execution;
    execution.lanes = lanes;
    for (uint32_t i = 0; i < invocations; ++i)  // sums and products are exact in f16
        execution.buffers[0].push_back(1 + (i * 5 % 11 == 3) + (i == 40));
    execution.buffers[1].resize(size_t{invocations} * words);
    execute(execution, module);
    EXPECT_EQ(execution.error, "");
    for (const reference::Report& report : execution.reports) ADD_FAILURE() << describe(report);
    return execution.buffers.at(1);
}

constexpr uint32_t kInvocations = 64;

void expectSame(const std::string& text, uint32_t words, uint32_t invocations = kInvocations) {
    rewrite::Target target;
    target.subgroupSize = 32;
    target.device.driverSubgroupSize = 8;
    target.device.shaderFloat64 = target.device.shaderInt64 = true;
    target.device.maxComputeSharedMemorySize = 32768;
    const auto module = reference::test::assemble(text);
    const auto rewritten = rewrite::rewrite({.words = module}, target);
    ASSERT_TRUE(rewritten) << rewritten.error().message;
    ASSERT_TRUE(rewritten->emulatesSubgroups);
    EXPECT_EQ(resultsOf(rewritten->words, 8, invocations, words),
              resultsOf(module, 32, invocations, words));
}

TEST(EmulatedSubgroups, ComputeWhatWideOnesDo) {
    for (const Type& type : kTypes) {
        SCOPED_TRACE(type.id);
        uint32_t words = 0;
        const std::string text = moduleOf(type, kInvocations, words);
        expectSame(text, words);
    }
}

// The last subgroup has 8 lanes.
TEST(EmulatedSubgroups, ComputeWhatPartsOfWideOnesDo) {
    constexpr uint32_t kFewer = 40;
    uint32_t words = 0;
    const std::string text = moduleOf(kTypes[2], kFewer, words);
    expectSame(text, words, kFewer);
}

TEST(EmulatedSubgroups, ExchangeWhatWideOnesDo) {
    uint32_t words = 0;
    const std::string text = moduleOfOperations(kInvocations, words);
    expectSame(text, words);
}

}  // namespace
}  // namespace coopvk::judge::subgroups_test
