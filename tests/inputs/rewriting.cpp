// SPDX-License-Identifier: Apache-2.0
#include "rewriting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string_view>

namespace coopvk::test {

namespace {

constexpr size_t kHeader = 5;  // words ahead of the instructions

// COOPVK_TEST_WORDS=FILE: each rewriting adds a line to the file, in place of the checks. The files
// of two builds differ where they make other words of an input.
bool notesWords(const rewrite::Result<rewrite::Rewritten>& result) {
    const char* file = std::getenv("COOPVK_TEST_WORDS");
    if (file == nullptr) return false;
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    std::ofstream out(file, std::ios::app);
    out << info->name() << ' ';
    if (!result) {
        out << result.error().message << '\n';
        return true;
    }
    const auto* bytes = reinterpret_cast<const char*>(result->words.data());
    const std::string_view words(bytes, 4 * result->words.size());
    size_t instructions = 0;
    for (size_t at = kHeader; at < result->words.size();
         at += std::max(1u, result->words[at] >> 16)) {
        ++instructions;
    }
    out << words.size() / 4 << ' ' << instructions << ' ' << std::hash<std::string_view>()(words);
    for (const auto& note : result->notes) out << " | " << note;
    out << '\n';
    return true;
}

// Bytes of the module's variables of storage class Workgroup, without padding.
uint64_t sharedBytes(const Words& words) {
    std::map<uint32_t, uint64_t> sizes, constants;
    std::map<uint32_t, uint32_t> pointees;
    uint64_t total = 0;
    for (size_t at = kHeader; at < words.size(); at += std::max(1u, words[at] >> 16)) {
        const std::span<const uint32_t> i = std::span(words).subspan(at, words[at] >> 16);
        switch (static_cast<spv::Op>(i[0] & 0xFFFF)) {
            case spv::Op::OpTypeBool:
                sizes[i[1]] = 4;
                break;
            case spv::Op::OpTypeInt:
            case spv::Op::OpTypeFloat:
                sizes[i[1]] = i[2] / 8;
                break;
            case spv::Op::OpConstant:
                constants[i[2]] = i[3];
                break;
            case spv::Op::OpTypeVector:
                sizes[i[1]] = sizes[i[2]] * i[3];
                break;
            case spv::Op::OpTypeArray:
                sizes[i[1]] = sizes[i[2]] * constants[i[3]];
                break;
            case spv::Op::OpTypeStruct:
                for (const uint32_t member : i.subspan(2)) sizes[i[1]] += sizes[member];
                break;
            case spv::Op::OpTypePointer:
                pointees[i[1]] = i[3];
                break;
            case spv::Op::OpVariable:
                if (static_cast<spv::StorageClass>(i[3]) == spv::StorageClass::Workgroup)
                    total += sizes[pointees[i[1]]];
                break;
            default:
                break;
        }
    }
    return total;
}

struct SubgroupOperations {
    spv::Capability capability;
    spv::Op first, last;
};
constexpr SubgroupOperations kSubgroupOperations[] = {
    {spv::Capability::GroupNonUniformVote, spv::Op::OpGroupNonUniformAll,
     spv::Op::OpGroupNonUniformAllEqual},
    {spv::Capability::GroupNonUniformBallot, spv::Op::OpGroupNonUniformBroadcast,
     spv::Op::OpGroupNonUniformBallotFindMSB},
    {spv::Capability::GroupNonUniformShuffle, spv::Op::OpGroupNonUniformShuffle,
     spv::Op::OpGroupNonUniformShuffleXor},
    {spv::Capability::GroupNonUniformArithmetic, spv::Op::OpGroupNonUniformIAdd,
     spv::Op::OpGroupNonUniformLogicalXor},
};

// Capabilities of operations on subgroups that a module has without such an operation.
std::set<spv::Capability> unusedIn(const Words& words) {
    std::set<spv::Capability> declared, used;
    for (size_t at = kHeader; at < words.size(); at += std::max(1u, words[at] >> 16)) {
        const auto opcode = static_cast<spv::Op>(words[at] & 0xFFFF);
        for (const SubgroupOperations& row : kSubgroupOperations) {
            if (opcode == spv::Op::OpCapability && words[at + 1] == uint32_t(row.capability))
                declared.insert(row.capability);
            if (row.first <= opcode && opcode <= row.last) used.insert(row.capability);
        }
    }
    std::erase_if(declared, [&](spv::Capability each) { return used.contains(each); });
    return declared;
}

}  // namespace

bool isFor(const Input& input, const rewrite::Target& target) {
    return input.lanes.empty() ||
           std::ranges::find(input.lanes, target.subgroupSize) != input.lanes.end();
}

void expectRewriting(const Input& input, const Words& words, const rewrite::Target& target) {
    const auto result = rewrite::rewrite({.words = words}, target);
    if (notesWords(result)) return;
    if (input.isRefused) {
        // What needs no emulation is the driver's to refuse.
        if (rewrite::scan(words, target.emulated).empty()) return;
        ASSERT_FALSE(result) << "must be refused";
        EXPECT_NE(result.error().message.find(input.refused), std::string::npos)
            << result.error().message;
        return;
    }
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(rewrite::scan(result->words, target.emulated).empty()) << "emulated code is left";
    const auto invalid = rewrite::validate(result->words);
    EXPECT_FALSE(invalid) << *invalid;
    const std::set<spv::Capability> before = unusedIn(words);
    for (const spv::Capability each : unusedIn(result->words))
        EXPECT_TRUE(before.contains(each)) << "capability " << uint32_t(each) << " is not used";
    EXPECT_LE(sharedBytes(result->words),
              std::max<uint64_t>(sharedBytes(words), target.device.maxComputeSharedMemorySize));
}

}  // namespace coopvk::test
