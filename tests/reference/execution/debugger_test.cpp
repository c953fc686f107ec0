// SPDX-License-Identifier: Apache-2.0
//
// The debugger: where executions stop, and what it shows there.
#include "coopvk_reference/debugger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <spirv/unified1/spirv.hpp11>

#include "coopvk_reference/buffers.hpp"
#include "matrix_text.hpp"
#include "planted.hpp"

namespace coopvk::reference::test::debugger_test {
namespace {

using Until = Resume::Until;

// A program of 4 lanes with its memory.
struct Debuggee {
    explicit Debuggee(const ShaderText& text) : Debuggee(shader(text)) {}
    explicit Debuggee(const std::string& text, Choice placement = Choice::kPlain) {
        settings.subgroupSize = 4;
        settings.placement = placement;
        const std::vector<uint32_t> words = assemble(text);
        auto made = makeProgram({.words = words, .subgroupSize = 4, .placement = placement});
        EXPECT_TRUE(made) << (made ? "" : made.error().message);
        if (made) program = *made;
    }
    // Executes from the start: calls `stopped` where it is held.
    void run(Debugger::Stopped stopped, std::vector<StopRule> rules = {}, Resume first = {},
             Touches watched = {}) {
        out.assign(32, 0);
        BufferList buffers;
        buffers.add(0, 0, 0, {reinterpret_cast<std::byte*>(in.data()), in.size() * 4});
        buffers.add(0, 1, 0, {reinterpret_cast<std::byte*>(out.data()), out.size() * 4});
        debugger.emplace(std::move(stopped));
        debugger->rules = std::move(rules);
        debugger->watched = std::move(watched);
        const auto status =
            debugger->run(*program, {.groups = {groups, 1, 1}}, buffers, settings, first);
        error = status ? "" : status.error().message;
    }
    // Each instruction that gives an id, by its opcode; the last one counts.
    std::map<spv::Op, uint32_t> ids() {
        std::map<spv::Op, uint32_t> found;
        run(
            [&](const Stop& stop) {
                found[spv::Op(stop.at.opcode())] = stop.at.resultId();
                return Resume{Until::kInstruction};
            },
            {}, {Until::kNumber, 1});
        return found;
    }

    std::shared_ptr<const Program> program;
    Settings settings;
    uint32_t groups = 1;
    std::vector<uint32_t> in = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, out;
    std::optional<Debugger> debugger;
    std::string error;
};

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

// A variable of each lane shows what it holds; a pointer that leads elsewhere in each lane does
// not.
TEST(ReferenceDebugger, ShowsVariables) {
    ShaderText text = plainText(
        "%v = OpVariable %p_pair Function\nOpStore %v %pair\n"
        "%p = OpAccessChain %p_function_u32 %v %u_1\n"
        "%odd = OpBitwiseAnd %u32 %i %u_1\n%q = OpAccessChain %p_function_u32 %v %odd\n"
        "%x = OpLoad %u32 %q\n" +
        storeWord("%i", "%x"));
    text.declarations +=
        "%pairs = OpTypeArray %u32 %u_2\n%p_pair = OpTypePointer Function %pairs\n"
        "%pair = OpConstantComposite %pairs %u_3 %u_5\n";
    Debuggee it(text);
    std::vector<uint32_t> chains;
    uint32_t variable = 0;
    it.run(
        [&](const Stop& stop) {
            const auto opcode = spv::Op(stop.at.opcode());
            if (opcode == spv::Op::OpVariable) variable = stop.at.resultId();
            if (opcode == spv::Op::OpAccessChain) chains.push_back(stop.at.resultId());
            if (opcode != spv::Op::OpLoad || chains.size() < 2) return Resume{Until::kInstruction};
            const auto texts = [&](uint32_t id) {
                const ShownValue value = *valueOf(stop.at, id);
                std::string said = value.type + ":";
                for (const ShownNumber& number : value.numbers) said += " " + textOf(number);
                return said;
            };
            EXPECT_EQ(texts(variable), "variable: array of 2 u32: 3 3 3 3 5 5 5 5");
            EXPECT_EQ(texts(chains.at(0)), "variable: u32: 5 5 5 5");
            EXPECT_TRUE(texts(chains.at(1)).starts_with("pointer: byte "));
            return Resume{Until::kEnd};
        },
        {}, {Until::kNumber, 1});
    EXPECT_EQ(chains.size(), 2u);
}

// A matrix is shown as one, wherever its elements are; also one of a workgroup, from one subgroup.
TEST(ReferenceDebugger, ShowsAMatrix) {
    for (const Choice placement : {Choice::kPlain, Choice::kShuffled, Choice::kAdversarial})
        for (const char* scope : {"3", "2"}) {
            Debuggee it(text("%a = OpCooperativeMatrixLoadKHR %A %p0 %0 %8\n"
                             "OpCooperativeMatrixStoreKHR %p1 %a %0 %8\n",
                             scope, *scope == '2' ? 8 : 4),
                        placement);
            for (uint32_t i = 0; i < 32; ++i) it.in.push_back(0);
            for (uint32_t i = 0; i < 32; ++i) it.in[i] = bitsOf(static_cast<float>(i));
            const uint32_t id = it.ids()[spv::Op::OpCooperativeMatrixLoadKHR];
            int stops = 0;
            it.run(
                [&](const Stop& stop) {
                    ++stops;
                    const ShownValue value = *valueOf(stop.at, id);
                    EXPECT_EQ(value.type, "4 x 8 matrix of f32 (A)");
                    EXPECT_EQ(value.ofWorkgroup, *scope == '2');
                    for (uint32_t i = 0; i < 32; ++i) {
                        EXPECT_TRUE(value.elements[i].isHeld);
                        if (value.elements[i].invocation / 4 == stop.at.subgroup())
                            EXPECT_EQ(textOf(value.elements[i]), std::to_string(i));
                        else
                            EXPECT_TRUE(value.ofWorkgroup);
                    }
                    return Resume{};
                },
                {{.number = 1, .words = wordsOfId(*it.program, id)}});
            EXPECT_EQ(stops, *scope == '2' ? 2 : 1);
        }
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
