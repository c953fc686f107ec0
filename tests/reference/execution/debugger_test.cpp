// SPDX-License-Identifier: Apache-2.0
//
// The debugger: where executions stop.
#include <algorithm>
#include <set>

#include "debuggee.hpp"
#include "planted.hpp"

namespace coopvk::reference::test::debugger_test {
namespace {

using Until = Resume::Until;

ShaderText product() {
    return plainText(loadWord("%x", "%i") + "%y = OpIMul %u32 %x %u_3\n" + storeWord("%i", "%y"));
}

Touches bytesOf(uint64_t offset, MemoryKind kind) {
    return [=](const MemoryAccess& access) {
        return access.kind == kind && access.offset <= offset &&
               offset < access.offset + access.size;
    };
}

TEST(ReferenceDebugger, StopsBehindAResult) {
    Debuggee it(product());
    const uint32_t id = it.ids()[spv::Op::OpIMul];
    std::string seen;
    it.run(
        [&](const Stop& stop) {
            const ShownValue value = *valueOf(stop.at, id);
            for (const ShownNumber& number : value.numbers) seen += textOf(number) + " ";
            seen += value.type;
            EXPECT_EQ(stop.rules, std::vector<uint32_t>{7});
            EXPECT_EQ(it.out[1], 0u);  // nothing behind it has executed
            return Resume{};
        },
        {{.number = 7, .words = wordsOfId(*it.program, id)}});
    EXPECT_EQ(seen, "0 3 6 9 u32");
    EXPECT_EQ(it.error, "");
    EXPECT_EQ(it.out[3], 9u);
    EXPECT_FALSE(it.debugger->wasEnded());
}

TEST(ReferenceDebugger, StepsEachInstructionOnce) {
    Debuggee it(product());
    std::vector<uint64_t> numbers;
    std::vector<spv::Op> opcodes;
    it.run(
        [&](const Stop& stop) {
            numbers.push_back(stop.number);
            opcodes.push_back(spv::Op(stop.at.opcode()));
            return Resume{Until::kInstruction};
        },
        {}, {Until::kNumber, 1});
    EXPECT_EQ(numbers.size(), it.debugger->executed());
    for (size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i + 1);
    using enum spv::Op;
    EXPECT_EQ(std::ranges::count(opcodes, OpIMul), 1);
    EXPECT_EQ(std::ranges::count(opcodes, OpStore), 1);
    EXPECT_EQ(opcodes.back(), OpReturn);
}

// To the same place again, as `back` goes there; and to an end before the program's.
TEST(ReferenceDebugger, GoesToANumber) {
    Debuggee it(product());
    const uint32_t id = it.ids()[spv::Op::OpIMul];
    const std::vector<StopRule> rules = {{.number = 1, .words = wordsOfId(*it.program, id)}};
    uint64_t number = 0;
    it.run(
        [&](const Stop& stop) {
            number = stop.number;
            return Resume{Until::kEnd};
        },
        rules);
    EXPECT_TRUE(it.debugger->wasEnded());
    EXPECT_EQ(it.error, "");
    int stops = 0;
    it.run(
        [&](const Stop& stop) {
            ++stops;
            EXPECT_EQ(stop.at.resultId(), id);
            EXPECT_EQ(stop.number, number);
            return Resume{Until::kEnd};
        },
        {}, {Until::kNumber, number});
    EXPECT_EQ(stops, 1);
}

TEST(ReferenceDebugger, StopsBehindAWriteAndRemembersTheLast) {
    Debuggee it(plainText(storeWord("%i", "%u_1") + storeWord("%i", "%u_2") +
                          "%p = OpAccessChain %p_shared %shared %i\nOpStore %p %u_3\n"));
    std::vector<uint64_t> numbers;
    const auto stopped = [&](const Stop& stop) {
        numbers.push_back(stop.number);
        EXPECT_EQ(stop.lane, 2u);
        EXPECT_EQ(spv::Op(stop.at.opcode()), spv::Op::OpStore);
        return Resume{};
    };
    it.run(stopped, {{.number = 1, .writes = bytesOf(9, kBuffer)}}, {}, bytesOf(9, kBuffer));
    ASSERT_EQ(numbers.size(), 2u);
    EXPECT_EQ(it.debugger->lastWrite().number, numbers[1]);
    EXPECT_EQ(it.debugger->lastWrite().lane, 2u);
    numbers.clear();
    it.run(stopped, {{.number = 1, .writes = bytesOf(8, kShared)}});
    EXPECT_EQ(numbers.size(), 1u);
    // Up to the first write, that is the last one.
    it.run([](const Stop&) { return Resume{Until::kEnd}; }, {}, {Until::kNumber, 3},
           bytesOf(9, kBuffer));
    EXPECT_LE(it.debugger->lastWrite().number, 3u);
}

TEST(ReferenceDebugger, StopsBehindAReport) {
    Debuggee it(plainText("%z = OpUDiv %u32 %u_1 %u_0\n" + storeWord("%i", "%z")));
    int stops = 0;
    const auto stopped = [&](const Stop& stop) {
        ++stops;
        EXPECT_EQ(spv::Op(stop.at.opcode()), spv::Op::OpStore);
        EXPECT_TRUE(stop.report && stop.report->check == kCheckUndefined);
        EXPECT_EQ(textOf((*valueOf(stop.at, stop.at.literal(1))).numbers[0]), "?");
        return Resume{};
    };
    it.run(stopped, {{.number = 1, .checks = kCheckUndefined}});
    EXPECT_EQ(stops, 1);
    it.run(stopped, {{.number = 1, .checks = kCheckRaces}});
    EXPECT_EQ(stops, 1);
}

// Steps stay in a subgroup and a workgroup; all of them meet at the barrier.
TEST(ReferenceDebugger, StepsInOneSubgroup) {
    Debuggee it(neighbourText("OpControlBarrier %u_2 %u_2 %semantics\n", 8));
    it.groups = 2;
    std::set<uint32_t> subgroups;
    int barriers = 0;
    it.run(
        [&](const Stop& stop) {
            subgroups.insert(stop.at.subgroup());
            EXPECT_EQ(workgroupAt(stop.at)[0], 0u);
            EXPECT_EQ(subgroupsAt(stop.at), 2u);
            if (spv::Op(stop.at.opcode()) == spv::Op::OpControlBarrier) ++barriers;
            return Resume{Until::kInstruction};
        },
        {}, {Until::kNumber, 1});
    EXPECT_EQ(subgroups, std::set<uint32_t>{0});
    EXPECT_EQ(barriers, 1);
}

ShaderText calling(const std::string& body) {
    ShaderText text = plainText(body);
    text.functions =
        "%double = OpFunction %u32 None %f_double\n%d_in = OpFunctionParameter %u32\n"
        "%d_first = OpLabel\n%d_one = OpIAdd %u32 %d_in %u_0\n"
        "%d_two = OpIMul %u32 %d_one %u_2\nOpReturnValue %d_two\nOpFunctionEnd\n";
    text.declarations += "%f_double = OpTypeFunction %u32 %u32\n";
    return text;
}

// Without lines a call is one, too, and `calls` tells the functions.
TEST(ReferenceDebugger, NextPassesCalls) {
    Debuggee it(calling("%x = OpFunctionCall %u32 %double %i\n" + storeWord("%i", "%x")));
    std::vector<spv::Op> opcodes;
    size_t most = 0;
    it.run(
        [&](const Stop& stop) {
            opcodes.push_back(spv::Op(stop.at.opcode()));
            most = std::max(most, callsAt(stop.at).size());
            return Resume{Until::kLine};
        },
        {}, {Until::kNumber, 1});
    using enum spv::Op;
    EXPECT_EQ(std::ranges::count(opcodes, OpIMul), 0);
    EXPECT_EQ(std::ranges::count(opcodes, OpReturnValue), 1);  // with which the call ends
    EXPECT_EQ(most, 1u);
    EXPECT_EQ(it.out[3], 6u);
}

// The result of a call is there when it has returned.
TEST(ReferenceDebugger, StopsBehindACall) {
    Debuggee it(calling("%x = OpFunctionCall %u32 %double %i\n" + storeWord("%i", "%x")));
    const uint32_t id = it.ids()[spv::Op::OpFunctionCall];
    const std::vector<uint32_t> words = wordsOfId(*it.program, id);
    int stops = 0;
    it.run(
        [&](const Stop& stop) {
            ++stops;
            EXPECT_EQ(stop.word, words.at(0));
            EXPECT_EQ(textOf(valueOf(stop.at, id)->numbers[3]), "6");
            return Resume{};
        },
        {{.number = 1, .words = words}});
    EXPECT_EQ(stops, 1);
}

TEST(ReferenceDebugger, FindsNothingThatIsNotThere) {
    Debuggee it(product());
    EXPECT_TRUE(wordsOfId(*it.program, 100000).empty());
    EXPECT_TRUE(wordsOfLine(*it.program, "a.comp:1").empty());
    EXPECT_EQ(idNamed(*it.program, "nothing"), 0u);
    it.run(
        [&](const Stop& stop) {
            EXPECT_FALSE(valueOf(stop.at, 100000));
            return Resume{Until::kEnd};
        },
        {}, {Until::kNumber, 1});
}

}  // namespace
}  // namespace coopvk::reference::test::debugger_test
