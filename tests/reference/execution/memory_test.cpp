// SPDX-License-Identifier: Apache-2.0
//
// Layouts, pointers, copies, atomics.
#include <gtest/gtest.h>

#include "shader_text.hpp"

namespace coopvk::reference::test::memory_test {
namespace {

Execution executed(const ShaderText& text, std::vector<uint32_t> in, size_t outWords) {
    Execution r;
    r.lanes = 4;
    r.buffers[0] = std::move(in);
    r.buffers[1].resize(outWords);
    execute(r, shader(text));
    EXPECT_EQ(r.error, "");
    for (const Report& report : r.reports) ADD_FAILURE() << describe(report);
    return r;
}

std::vector<uint32_t> counted(uint32_t count) {
    std::vector<uint32_t> words(count);
    for (uint32_t i = 0; i < count; ++i) words[i] = bitsOf(static_cast<float>(i));
    return words;
}

// A matrix of 3 columns and 2 rows, stride of 16 bytes: element (row, column) is word 4 * column +
// row if columns follow each other, else 4 * row + column.
TEST(ReferenceMemory, MatricesByRowsAndColumns) {
    for (const bool rows : {false, true}) {
        ShaderText text;
        text.localSize = 1;
        text.annotations =
            "OpDecorate %mblock Block\nOpMemberDecorate %mblock 0 Offset 16\n"
            "OpMemberDecorate %mblock 0 MatrixStride 16\nOpMemberDecorate %mblock 0 " +
            std::string(rows ? "RowMajor" : "ColMajor") +
            "\nOpDecorate %min DescriptorSet 0\nOpDecorate %min Binding 0\n";
        text.declarations =
            "%mat = OpTypeMatrix %v2f32 3\n%mblock = OpTypeStruct %mat\n"
            "%p_mblock = OpTypePointer StorageBuffer %mblock\n"
            "%p_mat = OpTypePointer StorageBuffer %mat\n"
            "%p_col = OpTypePointer StorageBuffer %v2f32\n"
            "%p_el = OpTypePointer StorageBuffer %f32\n"
            "%min = OpVariable %p_mblock StorageBuffer\n";
        // Element (1, 2): of the whole matrix, of a loaded column, and alone.
        text.body =
            "%pm = OpAccessChain %p_mat %min %u_0\n%m = OpLoad %mat %pm\n"
            "%e1 = OpCompositeExtract %f32 %m 2 1\n%r1 = OpBitcast %u32 %e1\n"
            "%i2 = OpIAdd %u32 %i %u_2\n"
            "%pc = OpAccessChain %p_col %min %u_0 %i2\n%c = OpLoad %v2f32 %pc\n"
            "%e2 = OpCompositeExtract %f32 %c 1\n%r2 = OpBitcast %u32 %e2\n"
            "%pe = OpAccessChain %p_el %min %u_0 %i2 %u_1\n%e3 = OpLoad %f32 %pe\n"
            "%r3 = OpBitcast %u32 %e3\n" +
            storeWord("%u_0", "%r1") + storeWord("%u_1", "%r2") + storeWord("%u_2", "%r3");
        const Execution r = executed(text, counted(20), 3);
        const float expected = 4 + static_cast<float>(rows ? 4 * 1 + 2 : 4 * 2 + 1);
        for (const uint32_t word : r.buffers.at(1)) EXPECT_EQ(floatOf(word), expected);
    }
}

// SPV_NV_raw_access_chains: stride * index + offset bytes behind the base, in its buffer.
TEST(ReferenceMemory, RawAccessChains) {
    ShaderText text;
    text.capabilities =
        "OpCapability RawAccessChainsNV\nOpExtension \"SPV_NV_raw_access_chains\"\n";
    text.body =
        "%raw = OpRawAccessChainNV %p_word %out %u_8 %i %u_4\nOpStore %raw %i\n"
        "%from = OpRawAccessChainNV %p_word %in %u_4 %i %u_8\n%word = OpLoad %u32 %from\n"
        "%even = OpRawAccessChainNV %p_word %out %u_8 %i %u_0\nOpStore %even %word\n";
    Execution r;
    r.lanes = 4;
    r.validate = false;  // the extension is not among those of the environment
    r.buffers[0] = {10, 11, 12, 13, 14, 15};
    r.buffers[1].resize(8);
    execute(r, shader(text));
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.buffers.at(1), (std::vector<uint32_t>{12, 0, 13, 1, 14, 2, 15, 3}));
}

// The stride is another group's, whose number is higher, too.
TEST(ReferenceMemory, DecorationsOfGroups) {
    ShaderText text;
    text.localSize = 1;
    text.annotations =
        "OpDecorate %layout Block\n%layout = OpDecorationGroup\n"
        "OpMemberDecorate %gblock 0 Offset 8\n"
        "OpDecorate %stride ArrayStride 8\n%stride = OpDecorationGroup\n"
        "OpDecorate %wide ArrayStride 20\n%wide = OpDecorationGroup\n"
        "OpGroupDecorate %layout %gblock\nOpGroupDecorate %stride %beside %by8\n"
        "OpGroupDecorate %wide %by20\n"
        "OpDecorate %gin DescriptorSet 0\nOpDecorate %gin Binding 0\n";
    text.declarations =
        "%beside = OpTypeArray %u32 %u_3\n%by8 = OpTypeArray %u32 %u_2\n%by20 = OpTypeArray %by8 "
        "%u_2\n"
        "%gblock = OpTypeStruct %by20\n%p_gblock = OpTypePointer StorageBuffer %gblock\n"
        "%gin = OpVariable %p_gblock StorageBuffer\n";
    text.body = "%pw = OpAccessChain %p_word %gin %u_0 %u_1 %u_1\n%word = OpLoad %u32 %pw\n" +
                storeWord("%u_0", "%word");
    const Execution r = executed(text, counted(12), 1);
    EXPECT_EQ(floatOf(r.buffers.at(1)[0]), (8 + 20 + 8) / 4);
}

// Indices that differ between lanes, in a variable of arrays of structures.
TEST(ReferenceMemory, VariablesWithDynamicIndices) {
    ShaderText text;
    text.localSize = 4;
    text.declarations =
        "%s = OpTypeStruct %u32 %v2u32\n%a = OpTypeArray %s %u_4\n"
        "%p_a = OpTypePointer Function %a\n";
    text.body =
        "%v = OpVariable %p_a Function\n"
        "%p1 = OpAccessChain %p_function_u32 %v %i %u_1 %u_1\nOpStore %p1 %i\n"
        "%three = OpISub %u32 %u_3 %i\n"
        "%p2 = OpAccessChain %p_function_u32 %v %three %u_0\n%t = OpIAdd %u32 %i %u_10\n"
        "OpStore %p2 %t\n"
        "%x = OpLoad %u32 %p1\n%y = OpLoad %u32 %p2\n%m = OpIMul %u32 %x %u_16\n"
        "%r = OpIAdd %u32 %m %y\n" +
        storeWord("%i", "%r");
    const Execution r = executed(text, {0}, 4);
    for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(r.buffers.at(1)[i], i * 16 + i + 10);
}

TEST(ReferenceMemory, LengthsAndCopies) {
    ShaderText text;
    text.localSize = 1;
    text.body =
        "%n = OpArrayLength %u32 %in 0\n"
        "%from = OpAccessChain %p_word %in %u_0 %u_2\n%to = OpAccessChain %p_word %out %u_0 "
        "%u_1\n"
        "OpCopyMemory %to %from\n" +
        storeWord("%u_0", "%n");
    const Execution r = executed(text, {5, 6, 7}, 2);
    EXPECT_EQ(r.buffers.at(1)[0], 3u);
    EXPECT_EQ(r.buffers.at(1)[1], 7u);
}

// Buffer 0 is at address 2^32: a pointer of an integer, and the next element of it.
TEST(ReferenceMemory, Addresses) {
    ShaderText text;
    text.localSize = 2;
    text.capabilities =
        "OpCapability PhysicalStorageBufferAddresses\nOpCapability UntypedPointersKHR\n"
        "OpExtension \"SPV_KHR_physical_storage_buffer\"\n"
        "OpExtension \"SPV_KHR_untyped_pointers\"\n";
    text.memoryModel = "PhysicalStorageBuffer64 GLSL450";
    text.annotations = "OpDecorate %p_far ArrayStride 4\nOpDecorate %p_any ArrayStride 4\n";
    text.declarations =
        "%p_far = OpTypePointer PhysicalStorageBuffer %u32\n"
        "%p_any = OpTypeUntypedPointerKHR PhysicalStorageBuffer\n"
        "%address = OpConstant %u64 0x100000000\n";
    for (const std::string chain : {"OpPtrAccessChain %p_far", "OpInBoundsPtrAccessChain %p_far",
                                    "OpUntypedPtrAccessChainKHR %p_any %u32",
                                    "OpUntypedInBoundsPtrAccessChainKHR %p_any %u32"}) {
        text.body = "%p = OpConvertUToPtr %p_far %address\n%q = " + chain +
                    " %p %i\n%x = OpLoad %u32 %q Aligned 4\n" + storeWord("%i", "%x");
        Execution r;
        r.validate = chain.find("InBounds") == chain.npos;  // these need the capability Addresses
        r.buffers = {{0, {41, 42}}, {1, {0, 0}}};
        execute(r, shader(text));
        EXPECT_EQ(r.error, "");
        EXPECT_TRUE(r.reports.empty());
        EXPECT_EQ(r.buffers.at(1), (std::vector<uint32_t>{41, 42})) << chain;
    }
}

struct AtomicRow {
    const char* op;
    uint32_t before, operand, after;
};

TEST(ReferenceMemory, Atomics) {
    constexpr uint32_t kMinus = 0xFFFFFFFF;
    for (const AtomicRow& row : {AtomicRow{"OpAtomicIAdd", 5, 3, 8},
                                 {"OpAtomicISub", 5, 3, 2},
                                 {"OpAtomicSMin", 5, kMinus, kMinus},
                                 {"OpAtomicUMin", 5, kMinus, 5},
                                 {"OpAtomicSMax", 5, kMinus, 5},
                                 {"OpAtomicUMax", 5, kMinus, kMinus},
                                 {"OpAtomicAnd", 6, 3, 2},
                                 {"OpAtomicOr", 6, 3, 7},
                                 {"OpAtomicXor", 6, 3, 5},
                                 {"OpAtomicExchange", 6, 3, 3}}) {
        ShaderText text;
        text.localSize = 1;
        text.body = loadWord("%x", "%u_0") +
                    "%p = OpAccessChain %p_word %out %u_0 %u_0\n%r = " + row.op +
                    " %u32 %p %u_1 %u_0 %x\n" + storeWord("%u_1", "%r");
        Execution r;
        r.lanes = 4;
        r.buffers[0] = {row.operand};
        r.buffers[1] = {row.before, 0};
        execute(r, shader(text));
        EXPECT_EQ(r.error, "");
        EXPECT_EQ(r.buffers[1][0], row.after) << row.op;
        EXPECT_EQ(r.buffers[1][1], row.before) << row.op;
    }
}

// Only the lane that finds the expected value exchanges.
TEST(ReferenceMemory, CompareExchange) {
    ShaderText text;
    text.localSize = 4;
    text.body =
        "%p = OpAccessChain %p_word %out %u_0 %u_4\n%i1 = OpIAdd %u32 %i %u_1\n"
        "%r = OpAtomicCompareExchange %u32 %p %u_1 %u_0 %u_0 %i1 %u_0\n" +
        storeWord("%i", "%r");
    const Execution r = executed(text, {0}, 5);
    const uint32_t winner = r.buffers.at(1)[4];
    EXPECT_GE(winner, 1u);
    for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(r.buffers.at(1)[i], i + 1 == winner ? 0u : winner);
}

// A specialization constant, and what is computed of it.
TEST(ReferenceMemory, Specialization) {
    ShaderText text;
    text.localSize = 1;
    text.annotations = "OpDecorate %sc SpecId 3\n";
    text.declarations =
        "%sc = OpSpecConstant %u32 5\n%so = OpSpecConstantOp %u32 IMul %sc %u_4\n"
        "%sa = OpTypeArray %u32 %so\n%p_sa = OpTypePointer Function %sa\n";
    text.body = storeWord("%u_0", "%so");
    Execution r;
    r.lanes = 4;
    r.buffers[0] = {0};
    r.buffers[1] = {0};
    execute(r, shader(text));
    EXPECT_EQ(r.buffers[1][0], 20u);
    r.specialization = {{3, 7, 4}};
    execute(r, shader(text));
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.buffers[1][0], 28u);
}

// A variable of a pointer that nothing wrote: its bits lead nowhere, in each schedule.
TEST(ReferenceMemory, PointersThatNothingWrote) {
    for (const Choice schedule : {Choice::kPlain, Choice::kShuffled, Choice::kAdversarial}) {
        ShaderText text;
        text.capabilities = "OpCapability VariablePointersStorageBuffer\n";
        text.declarations =
            "%p_any = OpTypePointer StorageBuffer %u32\n%p_var = OpTypePointer Private %p_any\n"
            "%var = OpVariable %p_var Private\n";
        text.body = "%at = OpLoad %p_any %var\n%x = OpLoad %u32 %at\n" + storeWord("%i", "%x");
        Execution run;
        run.validate = false;
        run.settings.schedule = schedule;
        run.buffers = {{0, {1}}, {1, {2, 2, 2, 2}}};
        execute(run, shader(text));
        EXPECT_EQ(run.error, "");
        EXPECT_EQ(run.buffers[1], std::vector<uint32_t>(4));
        EXPECT_GE(countReports(run, kCheckUndefined), 1u);
    }
}

}  // namespace
}  // namespace coopvk::reference::test::memory_test
