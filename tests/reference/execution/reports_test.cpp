// SPDX-License-Identifier: Apache-2.0
//
// Planted faults: each is found by the check meant for it, and by no other; the sound program
// beside it gives no report.
#include <gtest/gtest.h>

#include "shader_text.hpp"

namespace coopvk::reference::test {
namespace {

const char* const kShared =
    "%array = OpTypeArray %u32 %u_16\n%p_array = OpTypePointer Workgroup %array\n"
    "%p_shared = OpTypePointer Workgroup %u32\n%shared = OpVariable %p_array Workgroup\n"
    "%subgroup = OpConstant %u32 3\n%semantics = OpConstant %u32 264\n%none = OpConstant %u32 0\n"
    "%buffers = OpConstant %u32 72\n%made = OpConstant %u32 24840\n%relaxed = OpConstant %u32 0\n";

Execution executed(const ShaderText& text, uint32_t groups = 1) {
    Execution r;
    r.lanes = 4;
    r.groups = {groups, 1, 1};
    r.buffers[0] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    r.buffers[1].resize(16);
    execute(r, shader(text));
    EXPECT_EQ(r.error, "");
    return r;
}

void expectOnly(const Execution& r, Check check) {
    EXPECT_GT(countReports(r, check), 0u) << checkName(check);
    for (const Report& report : r.reports) EXPECT_EQ(report.check, check) << describe(report);
}
void expectFound(const Execution& r, Check check) { EXPECT_GT(countReports(r, check), 0u); }
void expectNone(const Execution& r) {
    for (const Report& report : r.reports) ADD_FAILURE() << describe(report);
}

ShaderText plainText(const std::string& body, uint32_t localSize = 4) {
    ShaderText text;
    text.localSize = localSize;
    text.declarations = kShared;
    text.body = body;
    return text;
}

// Each invocation writes its word of shared memory, and reads the next one's.
std::string neighbours(const std::string& between) {
    return "%w = OpAccessChain %p_shared %shared %i\nOpStore %w %i\n" + between +
           "%i1 = OpIAdd %u32 %i %u_1\n%n = OpBitwiseAnd %u32 %i1 %mask\n"
           "%q = OpAccessChain %p_shared %shared %n\n%r = OpLoad %u32 %q\n" +
           storeWord("%i", "%r");
}
ShaderText neighbourText(const std::string& between, uint32_t localSize) {
    ShaderText text = plainText(neighbours(between), localSize);
    text.declarations += "%mask = OpConstant %u32 " + std::to_string(localSize - 1) + "\n";
    return text;
}

TEST(ReferenceReports, MissingBarrier) {
    const std::string workgroup = "OpControlBarrier %u_2 %u_2 %semantics\n";
    for (const uint32_t size : {4u, 8u}) {  // one subgroup, and two
        expectNone(executed(neighbourText(workgroup, size)));
        // With two, what a subgroup reads may not be written yet: that is reported, too.
        const Execution missing = executed(neighbourText("", size));
        size == 4 ? expectOnly(missing, kCheckRaces) : expectFound(missing, kCheckRaces);
    }
    // Of the subgroup: enough only where there is one.
    const std::string subgroup = "OpControlBarrier %subgroup %subgroup %semantics\n";
    expectNone(executed(neighbourText(subgroup, 4)));
    expectFound(executed(neighbourText(subgroup, 8)), kCheckRaces);
    // For other memory, or no memory.
    expectOnly(executed(neighbourText("OpControlBarrier %u_2 %u_2 %buffers\n", 4)), kCheckRaces);
    expectOnly(executed(neighbourText("OpControlBarrier %u_2 %u_2 %none\n", 4)), kCheckRaces);
    // A memory barrier before a barrier releases.
    expectNone(executed(
        neighbourText("OpMemoryBarrier %u_2 %semantics\nOpControlBarrier %u_2 %u_2 %none\n", 4)));
    // It orders nothing alone.
    expectOnly(executed(neighbourText("OpMemoryBarrier %u_2 %semantics\n", 4)), kCheckRaces);
}

// With the Vulkan memory model accesses are private unless they say otherwise.
TEST(ReferenceReports, DroppedNonPrivate) {
    const auto text = [](const std::string& write, const std::string& read,
                         const std::string& semantics) {
        ShaderText made = neighbourText("OpControlBarrier %u_2 %u_2 " + semantics + "\n", 4);
        made.capabilities = "OpCapability VulkanMemoryModel\n";
        made.memoryModel = "Logical Vulkan";
        made.body.replace(made.body.find("OpStore %w %i\n"), 14, "OpStore %w %i " + write + "\n");
        made.body.replace(made.body.find("OpLoad %u32 %q\n"), 15, "OpLoad %u32 %q " + read + "\n");
        return made;
    };
    const std::string shared = "NonPrivatePointer";
    expectNone(executed(text(shared, shared, "%made")));
    expectNone(executed(text(shared + "|MakePointerAvailable %u_2",
                             shared + "|MakePointerVisible %u_2", "%semantics")));
    expectOnly(executed(text("None", shared, "%made")), kCheckRaces);
    expectOnly(executed(text(shared, "None", "%made")), kCheckRaces);
    expectOnly(executed(text(shared, shared, "%semantics")), kCheckRaces);  // not available
}

// All workgroups write their number to one word of a buffer; atomically, it is no race.
TEST(ReferenceReports, RacesOfWorkgroups) {
    ShaderText text = plainText(
        "%v = OpLoad %v3u32 %group\n%g = OpCompositeExtract %u32 %v 0\n" + storeWord("%u_3", "%g"),
        1);
    text.declarations += "%p_v3 = OpTypePointer Input %v3u32\n%group = OpVariable %p_v3 Input\n";
    text.annotations = "OpDecorate %group BuiltIn WorkgroupId\n";
    expectOnly(executed(text, 4), kCheckRaces);
    // The same value: no harm.
    expectNone(executed(plainText(storeWord("%u_3", "%u_7"), 1), 4));
    const std::string atomic =
        "%p = OpAccessChain %p_word %out %u_0 %u_3\n%r = OpAtomicIAdd %u32 %p %u_1 %relaxed %u_2\n";
    const Execution added = executed(plainText(atomic, 4), 4);
    expectNone(added);
    EXPECT_EQ(added.buffers.at(1)[3], 32u);
}

// A message with a flag: released by an atomic store and acquired by an atomic load. The second
// subgroup waits for the first.
TEST(ReferenceReports, ReleaseAndAcquire) {
    const auto text = [](const std::string& release, const std::string& acquire) {
        ShaderText made = plainText(
            "%z = OpAccessChain %p_shared %shared %u_1\nOpSelectionMerge %zm None\n"
            "%is0 = OpIEqual %bool %i %u_0\nOpBranchConditional %is0 %zt %zm\n"
            "%zt = OpLabel\nOpAtomicStore %z %u_2 %relaxed %u_0\nOpBranch %zm\n%zm = OpLabel\n"
            "OpControlBarrier %u_2 %u_2 %semantics\n"
            "%d = OpAccessChain %p_shared %shared %u_0\n"
            "OpSelectionMerge %m None\nOpSwitch %i %m 0 %first 4 %second\n"
            "%first = OpLabel\nOpStore %d %u_9\nOpAtomicStore %z %u_2 " +
                release +
                " %u_1\nOpBranch %m\n"
                "%second = OpLabel\nOpBranch %h\n%h = OpLabel\nOpLoopMerge %got %k None\nOpBranch "
                "%b\n"
                "%b = OpLabel\n%f = OpAtomicLoad %u32 %z %u_2 " +
                acquire +
                "\n"
                "%c = OpIEqual %bool %f %u_1\nOpBranchConditional %c %got %k\n%k = "
                "OpLabel\nOpBranch %h\n"
                "%got = OpLabel\n%r = OpLoad %u32 %d\n" +
                storeWord("%u_0", "%r") + "OpBranch %m\n%m = OpLabel\n",
            8);
        const std::string merge = "OpSelectionMerge %zm None\n";
        const std::string compare = "%is0 = OpIEqual %bool %i %u_0\n";
        made.body.erase(made.body.find(merge), merge.size());
        made.body.insert(made.body.find(compare) + compare.size(), merge);
        made.declarations += "%release = OpConstant %u32 260\n%acquire = OpConstant %u32 258\n";
        return made;
    };
    const Execution sound = executed(text("%release", "%acquire"));
    expectNone(sound);
    EXPECT_EQ(sound.buffers.at(1)[0], 9u);
    expectOnly(executed(text("%relaxed", "%acquire")), kCheckRaces);
    expectOnly(executed(text("%release", "%relaxed")), kCheckRaces);
}

TEST(ReferenceReports, OutOfBounds) {
    // Of the descriptor: reads give 0, writes do nothing.
    const Execution read =
        executed(plainText(loadWord("%x", "%u_16") + storeWord("%u_0", "%x"), 1));
    expectOnly(read, kCheckBounds);
    EXPECT_EQ(read.buffers.at(1)[0], 0u);
    expectNone(executed(plainText(loadWord("%x", "%u_15") + storeWord("%u_0", "%x"), 1)));
    expectOnly(executed(plainText(storeWord("%u_16", "%i"), 1)), kCheckBounds);
    // Of an array in a variable.
    const auto variable = [](const std::string& index) {
        ShaderText text = plainText(
            "%v = OpVariable %p_local Function %zeros\n"
            "%at = OpIAdd %u32 %i " +
                index +
                "\n"
                "%p = OpAccessChain %p_function_u32 %v %at\n%x = OpLoad %u32 %p\n" +
                storeWord("%u_0", "%x"),
            1);
        text.declarations +=
            "%a4 = OpTypeArray %u32 %u_4\n%p_local = OpTypePointer Function %a4\n"
            "%zeros = OpConstantNull %a4\n";
        return text;
    };
    expectNone(executed(variable("%u_3")));
    expectOnly(executed(variable("%u_4")), kCheckBounds);
    // Of an array in shared memory, where more memory follows.
    const auto shared = [](const std::string& index) {
        ShaderText text =
            plainText("%at = OpIAdd %u32 %i " + index +
                          "\n"
                          "%p = OpAccessChain %p_shared %shared %at\nOpStore %p %u_0\n",
                      1);
        text.declarations += "%more = OpVariable %p_array Workgroup\n";
        return text;
    };
    expectNone(executed(shared("%u_15")));
    expectOnly(executed(shared("%u_16")), kCheckBounds);
    // Of a vector.
    const auto vector = [](const std::string& index) {
        return plainText("%v = OpCompositeConstruct %v2u32 %i %i\n%at = OpIAdd %u32 %i " + index +
                             "\n%x = OpVectorExtractDynamic %u32 %v %at\n" +
                             storeWord("%u_0", "%i"),
                         1);
    };
    expectNone(executed(vector("%u_1")));
    expectOnly(executed(vector("%u_2")), kCheckBounds);
}

TEST(ReferenceReports, UndefinedValues) {
    const std::string variable = "%v = OpVariable %p_function_u32 Function\n";
    const std::string load = "%x = OpLoad %u32 %v\n";
    expectOnly(executed(plainText(variable + load + storeWord("%u_0", "%x"), 1)), kCheckUndefined);
    expectNone(
        executed(plainText(variable + "OpStore %v %i\n" + load + storeWord("%u_0", "%x"), 1)));
    // Not used: no report. Chosen by a select: one.
    const std::string select = variable + load + "%c = OpIEqual %bool %i %u_0\n";
    expectNone(executed(
        plainText(select + "%r = OpSelect %u32 %c %u_5 %x\n" + storeWord("%u_0", "%r"), 1)));
    expectOnly(executed(plainText(
                   select + "%r = OpSelect %u32 %c %x %u_5\n" + storeWord("%u_0", "%r"), 1)),
               kCheckUndefined);
    // In a branch, and in an address.
    expectOnly(executed(plainText(variable + load +
                                      "%c = OpIEqual %bool %x %u_0\n"
                                      "OpSelectionMerge %m None\nOpBranchConditional %c %t %m\n"
                                      "%t = OpLabel\nOpBranch %m\n%m = OpLabel\n",
                                  1)),
               kCheckUndefined);
    expectOnly(executed(plainText(variable + load + storeWord("%x", "%i"), 1)), kCheckUndefined);
    // One component of a vector.
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

TEST(ReferenceReports, Prints) {
    ShaderText text = plainText(
        "%f = OpConvertUToF %f32 %i\n%v = OpCompositeConstruct %v2f32 %f %f_1\n"
        "%p = OpExtInst %void %printf 1 %format %i %v\n",
        2);
    text.capabilities =
        "OpExtension \"SPV_KHR_non_semantic_info\"\n"
        "%printf = OpExtInstImport \"NonSemantic.DebugPrintf\"\n";
    std::string module = shader(text);
    const std::string before = "OpDecorate %index BuiltIn";
    module.insert(module.find(before), "%format = OpString \"100%% %04u: %v2.1f\"\n");
    Execution r;
    r.lanes = 4;
    r.buffers[0].resize(1);
    r.buffers[1].resize(1);
    execute(r, module);
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.prints, (std::vector<std::string>{"100% 0000: 0.0, 1.0", "100% 0001: 1.0, 1.0"}));
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

}  // namespace
}  // namespace coopvk::reference::test
