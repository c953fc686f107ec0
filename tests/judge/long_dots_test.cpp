// SPDX-License-Identifier: Apache-2.0
//
// Integer dot products of long vectors (SPV_KHR_integer_dot_product): which operands are signed,
// and saturation. Of the device's own long vectors, and rewritten.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>
#include <limits>
#include <tuple>

#include "coopvk/rewrite.hpp"
#include "execution/shader_text.hpp"

namespace coopvk::judge::long_dots_test {
namespace {

using reference::test::Execution;
using reference::test::ShaderText;

constexpr uint32_t kCount = 20, kInvocations = 4;
constexpr uint32_t kAddends[] = {5, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF0};

struct Dot {
    const char* opcode;
    bool firstIsSigned, secondIsSigned;
};
constexpr Dot kDots[] = {{"SDot", true, true}, {"UDot", false, false}, {"SUDot", true, false}};
constexpr uint32_t kWords = std::size(kDots) * (1 + std::size(kAddends));

// Component k of both vectors of an invocation that reads `own`.
uint8_t x(uint32_t own, uint32_t k) { return static_cast<uint8_t>(own * (37 * k + 11)); }
uint8_t y(uint32_t own, uint32_t k) { return static_cast<uint8_t>(own * (91 * k + 6)); }
uint32_t ownOf(uint32_t invocation) { return 77 * invocation + 3; }

std::vector<uint32_t> expected() {
    std::vector<uint32_t> all;
    for (uint32_t i = 0; i < kInvocations; ++i) {
        for (const Dot& dot : kDots) {
            int64_t sum = 0;
            for (uint32_t k = 0; k < kCount; ++k) {
                const auto number = [](uint8_t byte, bool isSigned) {
                    return isSigned ? int64_t{static_cast<int8_t>(byte)} : int64_t{byte};
                };
                sum += number(x(ownOf(i), k), dot.firstIsSigned) *
                       number(y(ownOf(i), k), dot.secondIsSigned);
            }
            all.push_back(static_cast<uint32_t>(sum));
            for (const uint32_t addend : kAddends) {
                using S32 = std::numeric_limits<int32_t>;
                const bool isSigned = dot.firstIsSigned;
                const int64_t total =
                    sum + (isSigned ? int64_t{static_cast<int32_t>(addend)} : int64_t{addend});
                const int64_t least = isSigned ? S32::min() : 0;
                const int64_t most = isSigned ? S32::max() : std::numeric_limits<uint32_t>::max();
                all.push_back(static_cast<uint32_t>(std::min(std::max(total, least), most)));
            }
        }
    }
    return all;
}

std::string moduleText() {
    ShaderText text;
    text.localSize = kInvocations;
    text.capabilities =
        "OpCapability LongVectorEXT\nOpCapability DotProduct\nOpCapability DotProductInputAll\n"
        "OpExtension \"SPV_EXT_long_vector\"\nOpExtension \"SPV_KHR_integer_dot_product\"\n";
    text.declarations = std::format(
        "%count = OpConstant %u32 {}\n%v = OpTypeVectorIdEXT %u8 %count\n"
        "%stride = OpConstant %u32 {}\n",
        kCount, kWords);
    for (uint32_t w = 0; w < kWords; ++w)
        text.declarations += std::format("%w_{} = OpConstant %u32 {}\n", w, w);
    for (const uint32_t addend : kAddends)
        text.declarations += std::format("%a_{} = OpConstant %u32 {}\n", addend, addend);
    text.body = reference::test::loadWord("%own", "%i") + "%base = OpIMul %u32 %i %stride\n";
    for (const auto& [name, factor, more] : {std::tuple{'x', 37, 11}, {'y', 91, 6}}) {
        std::string parts;
        for (uint32_t k = 0; k < kCount; ++k) {
            const uint32_t by = static_cast<uint32_t>(factor) * k + static_cast<uint32_t>(more);
            text.declarations += std::format("%{}m_{} = OpConstant %u32 {}\n", name, k, by);
            text.body += std::format("%{0}w_{1} = OpIMul %u32 %own %{0}m_{1}\n", name, k);
            text.body += std::format("%{0}_{1} = OpUConvert %u8 %{0}w_{1}\n", name, k);
            parts += std::format(" %{}_{}", name, k);
        }
        text.body += std::format("%{} = OpCompositeConstruct %v{}\n", name, parts);
    }
    uint32_t words = 0;
    const auto store = [&](const std::string& operation) {
        text.body += std::format("%r_{} = {}\n%at_{} = OpIAdd %u32 %base %w_{}\n", words, operation,
                                 words, words);
        text.body +=
            reference::test::storeWord(std::format("%at_{}", words), std::format("%r_{}", words));
        ++words;
    };
    for (const Dot& dot : kDots) {
        store(std::format("Op{} %u32 %x %y", dot.opcode));
        for (const uint32_t addend : kAddends)
            store(std::format("Op{}AccSat %u32 %x %y %a_{}", dot.opcode, addend));
    }
    return shader(text);
}

std::vector<uint32_t> resultsOf(const std::vector<uint32_t>& module) {
    Execution execution;
    for (uint32_t i = 0; i < kInvocations; ++i) execution.buffers[0].push_back(ownOf(i));
    execution.buffers[1].resize(size_t{kInvocations} * kWords);
    execute(execution, module);
    EXPECT_EQ(execution.error, "");
    return execution.buffers.at(1);
}

TEST(LongDots, AreSignedAndSaturateAsTheyShould) {
    const std::vector<uint32_t> module = reference::test::assemble(moduleText());
    EXPECT_EQ(resultsOf(module), expected());
    const auto rewritten = rewrite::rewrite({.words = module}, rewrite::Target{});
    ASSERT_TRUE(rewritten) << rewritten.error().message;
    EXPECT_TRUE(rewrite::scan(rewritten->words, rewrite::ExtensionSet::all()).empty());
    EXPECT_EQ(resultsOf(rewritten->words), expected());
}

}  // namespace
}  // namespace coopvk::judge::long_dots_test
