// SPDX-License-Identifier: Apache-2.0
//
// Planted faults: each is found by the check meant for it, and by no other; the sound program
// beside it gives no report. Others: pairs, and folders/bounds_* and folders/undefined_*.
#include <gtest/gtest.h>

#include "coopvk_reference/write_trace.hpp"
#include "planted.hpp"

namespace coopvk::reference::test::reports_test {
namespace {

TEST(ReferenceReports, UndefinedComponents) {
    const std::string variable = "%v = OpVariable %p_function_u32 Function\n";
    const std::string load = "%x = OpLoad %u32 %v\n";
    const auto component = [&](const std::string& number) {
        return plainText(variable + load +
                             "%w = OpCompositeConstruct %v2u32 %i %x\n"
                             "%y = OpIAdd %v2u32 %w %w\n%z = OpCompositeExtract %u32 %y " +
                             number + "\n" + storeWord("%u_0", "%z"),
                         1);
    };
    expectNone(executed(component("0")));
    expectOnly(executed(component("1")), kCheckUndefined);
}

// A pack of a defined and an undefined half: of what is cast back, the defined one is defined. The
// bytes stay what they are in copies, and where they are replaced.
TEST(ReferenceReports, PacksWithPadding) {
    const std::string kThrough[] = {
        "%word = OpCopyObject %u32 %joined\n",
        "OpStore %w %joined\n%word = OpLoad %u32 %w\n",
        "%p = OpCompositeConstruct %v2u32 %i %joined\n%q = OpVectorShuffle %v2u32 %p %p 1 0\n"
        "%word = OpVectorExtractDynamic %u32 %q %i\n",
        "%p = OpCompositeConstruct %v2u32 %i %joined\n%long = OpBitcast %u64 %p\n"
        "%q = OpBitcast %v2u32 %long\n%word = OpCompositeExtract %u32 %q 1\n",
        "%word = OpFunctionCall %u32 %same %joined\n",
        "OpBranch %next\n%next = OpLabel\n%word = OpPhi %u32 %joined %start\n",
    };
    const auto text = [](const std::string& through, const std::string& half) {
        ShaderText made = plainText(
            "%v = OpVariable %p_function_u32 Function\n%w = OpVariable %p_function_u32 Function\n"
            "%x = OpLoad %u32 %v\n%h = OpUConvert %u16 %x\n%d = OpUConvert %u16 %i\n"
            "%pack = OpCompositeConstruct %v2u16 %d %h\n%joined = OpBitcast %u32 %pack\n" +
                through + "%back = OpBitcast %v2u16 %word\n%half = OpCompositeExtract %u16 %back " +
                half + "\n%r = OpUConvert %u32 %half\n" + storeWord("%u_0", "%r"),
            1);
        made.declarations += "%of_word = OpTypeFunction %u32 %u32\n";
        made.functions =
            "%same = OpFunction %u32 None %of_word\n%of = OpFunctionParameter %u32\n"
            "%same_start = OpLabel\nOpReturnValue %of\nOpFunctionEnd\n";
        return made;
    };
    for (const std::string& through : kThrough) {
        SCOPED_TRACE(through);
        expectNone(executed(text(through, "0")));
        expectOnly(executed(text(through, "1")), kCheckUndefined);
    }
    const std::string replaced =
        "OpStore %w %joined\nOpStore %w %i\n%p = OpCompositeConstruct %v2u32 %i %joined\n"
        "%q = OpVectorInsertDynamic %v2u32 %p %i %u_1\n%word = OpLoad %u32 %w\n";
    expectNone(executed(text(replaced, "1")));
}

TEST(ReferenceReports, UnwrittenMemory) {
    const Execution r =
        executed(plainText("%p = OpAccessChain %p_shared %shared %i\n%x = OpLoad %u32 %p\n"));
    expectOnly(r, kCheckUnwritten);
    Execution buffer;
    buffer.lanes = 4;
    buffer.buffers[0].resize(4);
    buffer.buffers[1].resize(4);
    buffer.written[0] = std::vector<uint8_t>(16, 1);
    buffer.written[0][5] = 0;  // a byte of the second word
    const auto text = [](const std::string& index) {
        return shader(plainText(loadWord("%x", index), 1));
    };
    execute(buffer, text("%u_0"));
    expectNone(buffer);
    execute(buffer, text("%u_1"));
    expectOnly(buffer, kCheckUnwritten);
}

TEST(ReferenceReports, DivergentBarrier) {
    const auto text = [](uint32_t reach, uint32_t size) {
        return plainText(
            "%c = OpULessThan %bool %i %u_" + std::to_string(reach) +
                "\nOpSelectionMerge %m None\nOpBranchConditional %c %t %m\n%t = OpLabel\n"
                "OpControlBarrier %u_2 %u_2 %semantics\nOpBranch %m\n%m = OpLabel\n",
            size);
    };
    expectNone(executed(text(4, 4)));
    expectOnly(executed(text(2, 4)), kCheckDivergence);  // some lanes
    expectNone(executed(text(8, 8)));
    expectOnly(executed(text(4, 8)), kCheckDivergence);  // one subgroup of two
}

TEST(ReferenceReports, OutsideOfTheDomain) {
    // Operand 32 shifts too far, 0 divides: only if the result is used.
    for (const char* op :
         {"OpShiftLeftLogical %u32 %i %n", "OpUDiv %u32 %i %z", "OpUMod %u32 %i %z"}) {
        const std::string body =
            "%n = OpIMul %u32 %u_16 %u_2\n%z = OpISub %u32 %i %i\n%x = " + std::string(op) + "\n";
        expectNone(executed(plainText(body, 1)));
        const Execution r = executed(plainText(body + storeWord("%u_0", "%x"), 1));
        expectOnly(r, kCheckUndefined);
    }
}

TEST(ReferenceReports, Uniformity) {
    const auto text = [](const std::string& lane) {
        return plainText("%x = OpGroupNonUniformBroadcast %u32 %subgroup %i " + lane + "\n");
    };
    Execution r;
    r.lanes = 4;
    r.buffers[0].resize(4);
    r.buffers[1].resize(4);
    execute(r, shader(text("%i")));
    EXPECT_EQ(r.error, "");
    expectOnly(r, kCheckUniformity);
    expectNone(executed(text("%u_1")));
}

// An operand that must be uniform is defined, whatever the values behind it are.
TEST(ReferenceReports, UndefinedBesideUniform) {
    const auto text = [](const std::string& lane) {
        return plainText(
            "%v = OpVariable %p_function_u32 Function\n%k = OpIAdd %u32 %u_1 %u_0\n"
            "%beside = OpLoad %u32 %v\n%x = OpGroupNonUniformBroadcast %u32 %subgroup %i " +
            lane + "\n");
    };
    expectNone(executed(text("%k")));
    expectFound(executed(text("%beside")), kCheckUndefined);
}

// All components of what an undefined lane gives are undefined.
TEST(ReferenceReports, UndefinedLanes) {
    const auto text = [](const std::string& lane, const std::string& component) {
        return plainText(
            "%v = OpVariable %p_function_u32 Function\n%nothing = OpLoad %u32 %v\n"
            "%two = OpCompositeConstruct %v2u32 %i %i\n"
            "%x = OpGroupNonUniformShuffle %v2u32 %subgroup %two " +
            lane + "\n%y = OpCompositeExtract %u32 %x " + component + "\n" + storeWord("%i", "%y"));
    };
    for (const std::string component : {"0", "1"}) {
        expectNone(executed(text("%u_1", component)));
        expectOnly(executed(text("%nothing", component)), kCheckUndefined);
    }
}

// SPV_KHR_expect_assume
TEST(ReferenceReports, Assumptions) {
    const auto text = [](const std::string& assumed) {
        ShaderText made = plainText(
            "%holds = OpULessThan %bool %i %u_4\n%fails = OpULessThan %bool %i %u_3\n"
            "%holds_too = OpULessThan %bool %i %u_5\nOpAssumeTrueKHR " +
            assumed + "\n");
        made.capabilities = "OpCapability ExpectAssumeKHR\nOpExtension \"SPV_KHR_expect_assume\"\n";
        return made;
    };
    expectNone(executed(text("%holds")));
    const Execution fails = executed(text("%fails"));
    expectOnly(fails, kCheckProgram);
    EXPECT_EQ(fails.reports.at(0).lane, 3u);
}

TEST(ReferenceReports, NamePlaces) {
    Report report;
    report.instruction = "OpStore";
    report.word = 6;
    report.workgroup = {1, 2, 3};
    report.subgroup = 4;
    report.lane = 5;
    EXPECT_EQ(describePlace(report), "OpStore (word 6), workgroup 1,2,3, subgroup 4, lane 5");
    report.check = kCheckBounds;
    report.message = "too far";
    EXPECT_EQ(describe(report), "bounds: too far; " + describePlace(report));
}

// The instruction, with its operands in the lane.
TEST(ReferenceReports, NameOperands) {
    const Execution r =
        executed(plainText("%x = OpGroupNonUniformBroadcast %u32 %subgroup %u_9 %i\n"));
    expectOnly(r, kCheckUniformity);
    const Report& report = r.reports.at(0);
    const std::string& text = report.instruction;
    EXPECT_EQ(text.find("OpGroupNonUniformBroadcast %"), 0u) << text;
    const size_t scope = text.find(" with %"), value = text.find(" = 9, %");
    EXPECT_NE(scope, text.npos) << text;
    EXPECT_NE(value, text.npos) << text;
    EXPECT_TRUE(text.ends_with(" = " + std::to_string(report.lane))) << text;
}

// Of a structure the first component: a member's, or that of a member's member.
TEST(ReferenceReports, NameStructures) {
    struct Row {
        const char *first, *value, *text;
    };
    for (const Row& row : {Row{"%f32", "%f_1", " = 1.000000, ..."},
                           {"%s32", "%minus", " = -3, ..."},
                           {"%u32", "%u_9", " = 9, ..."},
                           {"%u32", "%nothing", " = undefined"},
                           {"%inner", "%within", " = 1.000000, ..."}}) {
        ShaderText text = plainText(std::string("%both = OpCompositeConstruct %own ") + row.value +
                                        " %nothing\nOpStore %kept %both\n",
                                    1);
        text.declarations +=
            "%nothing = OpUndef %u32\n%minus = OpConstant %s32 -3\n%inner = OpTypeStruct %f32 "
            "%u32\n"
            "%within = OpConstantComposite %inner %f_1 %u_2\n%own = OpTypeStruct " +
            std::string(row.first) +
            " %u32\n%p_own = OpTypePointer Workgroup %own\n%kept = OpVariable %p_own Workgroup\n";
        const Execution r = executed(text);
        expectOnly(r, kCheckUndefined);
        const std::string& found = r.reports.at(0).instruction;
        EXPECT_TRUE(found.ends_with(row.text)) << found;
    }
}

// Of the words that four invocations write, word 2 is traced; then an atomic operation on each.
TEST(ReferenceReports, WritesToWatchedMemory) {
    const std::string atomic =
        "%p = OpAccessChain %p_word %out %u_0 %i\n"
        "%old = OpAtomicIAdd %u32 %p %u_1 %relaxed %u_1\n";
    for (const std::string& write : {storeWord("%i", "%i"), atomic}) {
        Execution r;
        r.buffers = {{0, {0}}, {1, std::vector<uint32_t>(4)}};
        WriteTrace trace(std::as_bytes(std::span(&r.buffers[1][2], 1)));
        r.observers = {&trace};
        execute(r, shader(plainText(write)));
        EXPECT_EQ(r.error, "");
        expectNone(r);
        ASSERT_EQ(trace.writes().size(), 1u);
        EXPECT_EQ(trace.writes()[0].lane, 2u);
    }
}

// A check that is off reports nothing.
TEST(ReferenceReports, ChecksOff) {
    Execution r;
    r.lanes = 4;
    r.settings.checks = 0;
    r.buffers[0].resize(1);
    r.buffers[1].resize(4);
    execute(r, shader(neighbourText("", 4)));
    expectNone(r);
    execute(r, shader(plainText(loadWord("%x", "%u_16"), 1)));
    expectNone(r);
}

// The block with the instruction ends, and no other one begins.
TEST(ReferenceReports, MayStopTheExecution) {
    for (const bool stops : {false, true}) {
        ShaderText text;
        text.body = loadWord("%x", "%u_16") + "OpBranch %next\n%next = OpLabel\n" +
                    storeWord("%i", "%u_7") + "OpBranch %last\n%last = OpLabel\n";
        Execution run;
        run.stopsAtReports = stops;
        run.buffers = {{0, {1, 2, 3, 4}}, {1, {1, 2, 3, 4}}};
        execute(run, shader(text));
        EXPECT_EQ(countReports(run, kCheckBounds), 1u);
        EXPECT_EQ(run.error, stops ? "a report stopped the execution" : "");
        EXPECT_EQ(run.buffers[1], stops ? (std::vector<uint32_t>{1, 2, 3, 4})
                                        : (std::vector<uint32_t>{7, 7, 7, 7}));
    }
}

}  // namespace
}  // namespace coopvk::reference::test::reports_test
