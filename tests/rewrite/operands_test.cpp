// SPDX-License-Identifier: Apache-2.0
//
// Operands of instructions: the same as in a vector, with few and with many.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <span>
#include <vector>

#include "ir/instruction.hpp"
#include "ir/memory_operands.hpp"

namespace coopvk::rewrite::operands_test {
namespace {

std::vector<Operand> counted(uint32_t count) {
    std::vector<Operand> operands;
    for (uint32_t i = 0; i < count; ++i) operands.push_back({10 + i, i % 2 == 0});
    return operands;
}

void expectSame(const Operands& operands, const std::vector<Operand>& expected) {
    EXPECT_TRUE(std::ranges::equal(operands, expected));
    EXPECT_EQ(operands, Operands(expected.begin(), expected.end()));
}

class OperandsOf : public testing::TestWithParam<uint32_t> {
 protected:
    std::vector<Operand> expected_ = counted(GetParam());
    Operands operands_{expected_.begin(), expected_.end()};
};

TEST_P(OperandsOf, GrowAndShrink) {
    for (uint32_t i = 0; i < 9; ++i) {
        operands_.push_back(literal(i));
        expected_.push_back(literal(i));
        expectSame(operands_, expected_);
    }
    operands_.resize(12);
    expected_.resize(12);
    expectSame(operands_, expected_);
    operands_.erase(operands_.begin() + 2);
    expected_.erase(expected_.begin() + 2);
    operands_.erase(operands_.begin() + 3, operands_.end() - 1);
    expected_.erase(expected_.begin() + 3, expected_.end() - 1);
    expectSame(operands_, expected_);
    operands_.assign(6, idOperand(7));
    expectSame(operands_, std::vector(6, idOperand(7)));
}

TEST_P(OperandsOf, InsertAnywhere) {
    const std::vector<Operand> more = {idOperand(1), literal(2u), idOperand(3)};
    for (uint32_t at = 0; at <= GetParam(); ++at) {
        Operands operands = operands_;
        std::vector<Operand> expected = expected_;
        operands.insert(operands.begin() + at, more.begin(), more.end());
        expected.insert(expected.begin() + at, more.begin(), more.end());
        operands.insert(operands.begin() + at, idOperand(9));
        expected.insert(expected.begin() + at, idOperand(9));
        expectSame(operands, expected);
    }
}

TEST_P(OperandsOf, MoveAndCopy) {
    const Operands copy = operands_;
    Operands moved = std::move(operands_);
    expectSame(moved, expected_);
    expectSame(copy, expected_);
    operands_ = copy;
    operands_.push_back(literal(5u));
    moved = std::move(operands_);
    expected_.push_back(literal(5u));
    expectSame(moved, expected_);
}

using enum spv::MemoryAccessMask;

// Accesses share a function if their operands are the same: each bit, parameter and scope counts.
TEST(MemoryOperandsOf, AccessesHaveKeys) {
    constexpr auto kWords = [](auto... bits) { return (static_cast<uint32_t>(bits) | ... | 0u); };
    constexpr uint32_t kScope = 7, kOther = 8, kList = 9, kLists = 10;
    const std::vector<Operands> sets = {
        {},
        {literal(kWords(Volatile))},
        {literal(kWords(Nontemporal))},
        {literal(kWords(NonPrivatePointer))},
        {literal(kWords(Aligned)), literal(4)},
        {literal(kWords(Aligned)), literal(16)},
        {literal(kWords(MakePointerAvailable, NonPrivatePointer)), idOperand(kScope)},
        {literal(kWords(MakePointerAvailable, NonPrivatePointer)), idOperand(kOther)},
        {literal(kWords(MakePointerVisible, NonPrivatePointer)), idOperand(kScope)},
        {literal(kWords(MakePointerVisible, NonPrivatePointer)), idOperand(kOther)},
        {literal(kWords(AliasScopeINTELMask)), idOperand(kList)},
        {literal(kWords(AliasScopeINTELMask)), idOperand(kLists)}};
    std::set<std::vector<uint32_t>> keys;
    for (const Operands& set : sets) {
        std::vector<uint32_t> key, again;
        MemoryOperands(std::span<const Operand>(set)).appendKey(key);
        MemoryOperands(std::span<const Operand>(set)).appendKey(again);
        EXPECT_EQ(key, again);
        keys.insert(key);
    }
    EXPECT_EQ(keys.size(), sets.size());
}

struct MemoryOperand {
    spv::MemoryAccessMask bit;
    bool hasParameter;
};
// SPIR-V, "Memory Operands": parameters follow in the order of their bits.
constexpr MemoryOperand kMemoryOperands[] = {
    {Volatile, false},           {Aligned, true},
    {Nontemporal, false},        {MakePointerAvailable, true},
    {MakePointerVisible, true},  {NonPrivatePointer, false},
    {AliasScopeINTELMask, true}, {NoAliasINTELMask, true}};

uint32_t parameterOf(spv::MemoryAccessMask bit) {
    return bit == Aligned ? 8 : 100 + static_cast<uint32_t>(std::countr_zero(uint32_t(bit)));
}

// What a part of an access has: of `bytes` bytes, which only loads or only stores.
Operands expectedOf(uint32_t mask, uint32_t bytes, bool isLoad) {
    const uint32_t available = uint32_t(MakePointerAvailable),
                   visible = uint32_t(MakePointerVisible);
    const uint32_t scopes = mask & (available | visible), kept = isLoad ? visible : available;
    const auto scope = static_cast<spv::MemoryAccessMask>((scopes & kept) != 0 ? kept : scopes);
    mask = (mask & ~scopes) | (scopes != 0 ? kept : 0);
    if (mask == 0) return {};
    Operands operands = {literal(mask)};
    for (const MemoryOperand& each : kMemoryOperands) {
        if (!each.hasParameter || (mask & uint32_t(each.bit)) == 0) continue;
        if (each.bit == Aligned)
            operands.push_back(literal(std::min(8u, bytes)));
        else
            operands.push_back(
                idOperand(parameterOf(uint32_t(each.bit) == kept ? scope : each.bit)));
    }
    return operands;
}

TEST(MemoryOperandsOf, PartsOfAccesses) {
    for (uint32_t set = 0; set < 1u << std::size(kMemoryOperands); ++set) {
        Operands operands = {literal(0u)};
        for (size_t n = 0; n < std::size(kMemoryOperands); ++n) {
            const auto& [bit, hasParameter] = kMemoryOperands[n];
            if ((set >> n & 1) == 0) continue;
            operands[0].word |= uint32_t(bit);
            if (hasParameter) operands.push_back({parameterOf(bit), bit != Aligned});
        }
        const uint32_t mask = operands[0].word;
        const size_t count = operands.size();
        operands.push_back(literal(uint32_t(Volatile)));  // of something else
        EXPECT_EQ(memoryOperandCount(operands), count);
        EXPECT_EQ(isVolatile(operands), (mask & uint32_t(Volatile)) != 0);
        const MemoryOperands read{std::span<const Operand>(operands)};
        EXPECT_EQ(read.alignment(), (mask & uint32_t(Aligned)) != 0 ? 8u : 0u);
        for (const uint32_t bytes : {1, 4, 8, 16}) {
            EXPECT_EQ(read.forLoad(bytes), expectedOf(mask, bytes, true)) << mask;
            EXPECT_EQ(read.forStore(bytes), expectedOf(mask, bytes, false)) << mask;
        }
        EXPECT_EQ(read.withAlignment(0).forLoad(16),
                  expectedOf(mask & ~uint32_t(Aligned), 16, true));
    }
}

INSTANTIATE_TEST_SUITE_P(Counts, OperandsOf, testing::Values(0, 1, 3, 4, 5, 8, 9));

}  // namespace
}  // namespace coopvk::rewrite::operands_test
