// SPDX-License-Identifier: Apache-2.0
//
// Operands of instructions: the same as in a vector, with few and with many.
#include <gtest/gtest.h>

#include <set>
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

// Accesses share a function if their operands are the same: each bit, parameter and scope counts.
TEST(MemoryOperandsOf, AccessesHaveKeys) {
    using enum spv::MemoryAccessMask;
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

INSTANTIATE_TEST_SUITE_P(Counts, OperandsOf, testing::Values(0, 1, 3, 4, 5, 8, 9));

}  // namespace
}  // namespace coopvk::rewrite::operands_test
