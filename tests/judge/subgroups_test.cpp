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
    ShaderText text;
    text.localSize = invocations;
    for (uint32_t w = 0; w < std::max(words, 33u); ++w)
        text.declarations += std::format("%w_{} = OpConstant %u32 {}\n", w, w);
    text.declarations += std::format("%stride = OpConstant %u32 {}\n", words);
    text.body = reference::test::loadWord("%own", "%i") + body.text;
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

TEST(EmulatedSubgroups, ComputeWhatWideOnesDo) {
    rewrite::Target target;
    target.subgroupSize = 32;
    target.device.driverSubgroupSize = 8;
    target.device.shaderFloat64 = target.device.shaderInt64 = true;
    target.device.maxComputeSharedMemorySize = 32768;
    for (const Type& type : kTypes) {
        SCOPED_TRACE(type.id);
        constexpr uint32_t kInvocations = 64;
        uint32_t words = 0;
        const auto module = reference::test::assemble(moduleOf(type, kInvocations, words));
        const auto rewritten = rewrite::rewrite({.words = module}, target);
        ASSERT_TRUE(rewritten) << rewritten.error().message;
        ASSERT_TRUE(rewritten->emulatesSubgroups);
        EXPECT_EQ(resultsOf(rewritten->words, 8, kInvocations, words),
                  resultsOf(module, 32, kInvocations, words));
    }
}

}  // namespace
}  // namespace coopvk::judge::subgroups_test
