// SPDX-License-Identifier: Apache-2.0
//
// Pairs of programs (pairs/README.md): the right one gives no report with any schedule, the faulty
// one gives some of its check.
#include "pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "../driver/harness/shader.hpp"
#include "coopvk_reference/buffers.hpp"

namespace coopvk::reference::test::pairs_test {
namespace {

// Memory as preamble.glsl says.
class Memory {
 public:
    Memory() {
        for (uint32_t word = 0; word < kWords; ++word) words_[0][word] = word;
        for (const uint32_t binding : {0u, 2u, 4u, 5u, 6u, 7u}) add(binding, binding);
        add(8, 2);
        outputs_.assign(kWords * 4, 0);
        Range outputs = rangeOf(1);
        outputs.written = outputs_.data();
        buffers.add(0, 1, 0, outputs);
        const uint64_t address = kAddress;
        std::memcpy(words_[3], &address, sizeof(address));
        add(3, 3);
        Range pointed = rangeOf(8);
        pointed.address = kAddress;
        buffers.add(1, 0, 0, pointed);
        for (uint32_t element = 0; element < 4; ++element) {
            Range range = rangeOf(9);
            range.data += element * 16;
            range.size = 16;
            buffers.add(0, 9, element, range);
        }
    }

    BufferList buffers;

 private:
    static constexpr uint32_t kWords = 64;
    static constexpr uint64_t kAddress = uint64_t{1} << 44;
    Range rangeOf(uint32_t number) {
        const uint64_t size = number == 0 ? kWords * 2 : number == 3 ? 8 : kWords * 4;
        return {reinterpret_cast<std::byte*>(words_[number]), size};
    }
    void add(uint32_t binding, uint32_t number) { buffers.add(0, binding, 0, rangeOf(number)); }

    alignas(16) uint32_t words_[10][kWords] = {};
    std::vector<uint8_t> outputs_;
};

using coopvk::test::Words;

// It may be one that spirv-val refuses, too.
Words compiled(const std::string& source) {
    return coopvk::test::compileGlsl(source, coopvk::test::Checked::kNo);
}

std::vector<Report> reportsOf(std::span<const uint32_t> words, uint32_t groups, Choice schedule,
                              Reconvergence reconvergence = Reconvergence::kMaximal) {
    ProgramRequest request;
    request.words = words;
    request.subgroupSize = 4;
    const auto program = makeProgram(request);
    if (!program) {
        ADD_FAILURE() << program.error().message;
        return {};
    }
    Memory memory;
    ReportList list;
    Settings settings;
    settings.schedule = schedule;
    settings.reconvergence = reconvergence;
    settings.threads = 1;
    settings.steps = 10000;
    Dispatch dispatch;
    dispatch.groups = {groups, 1, 1};
    const Status status = execute(**program, dispatch, memory.buffers, settings, list);
    EXPECT_TRUE(status) << status.error().message;
    return std::move(list.reports);
}

// What else a fault may lead to: a read in a race may come before the write.
bool follows(std::string_view check, std::string_view fault) {
    return check == fault || (fault != "program" && (check == "unwritten" || check == "undefined"));
}

class Pairs : public testing::TestWithParam<std::string> {};

TEST_P(Pairs, RightOnesGiveNoReport) {
    for (const Pair& pair : readPairs(GetParam())) {
        const Words words = compiled(pair.right);
        for (const Choice schedule : {Choice::kPlain, Choice::kShuffled, Choice::kAdversarial})
            for (const Report& report : reportsOf(words, pair.groups, schedule))
                ADD_FAILURE() << pair.name << ": " << describe(report);
        for (const auto reconvergence : {Reconvergence::kMinimal, Reconvergence::kRandom})
            for (const Report& report :
                 reportsOf(words, pair.groups, Choice::kPlain, reconvergence))
                ADD_FAILURE() << pair.name << ", lanes apart: " << describe(report);
    }
}

TEST_P(Pairs, FaultyOnesGiveReports) {
    for (const Pair& pair : readPairs(GetParam())) {
        const Words words = compiled(pair.faulty);
        const auto with = pair.isApart ? Reconvergence::kMinimal : Reconvergence::kMaximal;
        const auto reports = reportsOf(words, pair.groups, Choice::kPlain, with);
        if (pair.isApart) {
            EXPECT_TRUE(reportsOf(words, pair.groups, Choice::kPlain).empty()) << pair.name;
        }
        const auto isOf = [&](const Report& report) {
            return std::string_view(checkName(report.check)) == pair.check;
        };
        EXPECT_TRUE(std::ranges::any_of(reports, isOf)) << pair.name;
        for (const Report& report : reports)
            EXPECT_TRUE(follows(checkName(report.check), pair.check))
                << pair.name << ": " << describe(report);
    }
}

INSTANTIATE_TEST_SUITE_P(Reference, Pairs, testing::ValuesIn(pairTables()),
                         [](const auto& table) { return table.param; });

TEST(PairTables, AreThere) { EXPECT_GE(pairTables().size(), 8u); }

}  // namespace
}  // namespace coopvk::reference::test::pairs_test
