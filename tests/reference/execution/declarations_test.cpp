// SPDX-License-Identifier: Apache-2.0
//
// What stands before the functions: groups of decorations, constants of constants, lengths that
// specialization gives, and layouts.
#include <gtest/gtest.h>

#include "coopvk_reference/warnings.hpp"
#include "matrix_text.hpp"
#include "shader_text.hpp"

namespace coopvk::reference::test::declarations_test {
namespace {

Execution afterRun(const ShaderText& text) {
    Execution r;
    r.buffers = {{0, {40, 41, 42, 43}}, {1, {0}}, {2, {50, 51, 52, 53}}};
    execute(r, shader(text));
    return r;
}

// A variable and a member get all the decorations of their groups.
TEST(ReferenceDeclarations, GroupsOfDecorations) {
    ShaderText text;
    text.localSize = 1;
    text.annotations =
        "OpDecorate %late Offset 12\n%late = OpDecorationGroup\n"
        "OpDecorate %place Aliased\nOpDecorate %place Binding 2\nOpDecorate %place DescriptorSet "
        "0\n"
        "%place = OpDecorationGroup\nOpDecorate %gblock Block\n"
        "OpMemberDecorate %gblock 0 Offset 0\n"
        "OpGroupMemberDecorate %late %gblock 1\nOpGroupDecorate %place %gin\n";
    text.declarations =
        "%gblock = OpTypeStruct %u32 %u32\n%p_gblock = OpTypePointer StorageBuffer %gblock\n"
        "%gin = OpVariable %p_gblock StorageBuffer\n";
    text.body = "%pw = OpAccessChain %p_word %gin %u_1\n%word = OpLoad %u32 %pw\n" +
                storeWord("%u_0", "%word");
    const Execution r = afterRun(text);
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.buffers.at(1)[0], 53u);
}

TEST(ReferenceDeclarations, CompositesOfComposites) {
    for (const uint32_t number : {0u, 1u, 2u, 3u}) {
        ShaderText text;
        text.localSize = 1;
        text.declarations =
            "%pairs = OpTypeArray %v2u32 %u_2\n%first = OpConstantComposite %v2u32 %u_3 %u_5\n"
            "%second = OpConstantComposite %v2u32 %u_7 %u_11\n"
            "%both = OpConstantComposite %pairs %first %second\n";
        text.body = "%r = OpCompositeExtract %u32 %both " + std::to_string(number / 2) + " " +
                    std::to_string(number % 2) + "\n" + storeWord("%u_0", "%r");
        const Execution r = afterRun(text);
        EXPECT_EQ(r.error, "");
        constexpr uint32_t kExpected[] = {3, 5, 7, 11};
        EXPECT_EQ(r.buffers.at(1)[0], kExpected[number]) << number;
    }
}

// Twice the specialization constant is the length: 14, whose last element is number 13.
TEST(ReferenceDeclarations, LengthsOfSpecialization) {
    for (const uint32_t element : {13u, 14u}) {
        ShaderText text;
        text.localSize = 1;
        text.annotations = "OpDecorate %given SpecId 3\n";
        text.declarations =
            "%given = OpSpecConstant %u32 5\n%twice = OpSpecConstantOp %u32 IMul %given %u_2\n"
            "%array = OpTypeArray %u32 %twice\n%zeros = OpConstantNull %array\n";
        text.body = "%r = OpCompositeExtract %u32 %zeros " + std::to_string(element) + "\n" +
                    storeWord("%u_0", "%r");
        Execution r;
        r.specialization = {{3, 7, 4}};
        r.buffers = {{0, {0}}, {1, {1}}};
        execute(r, shader(text));
        EXPECT_EQ(r.error.empty(), element == 13) << r.error;
    }
}

// A product of 4 x 8 and 8 x 6, where an operation on a specialization constant is the first 8.
// With another constant it is no product.
TEST(ReferenceDeclarations, SizesOfMatricesBySpecialization) {
    struct Row {
        const char* operation;
        uint32_t given, other;
    };
    for (const Row& row : {Row{"IAdd %given %2", 6, 7},
                           {"ISub %given %2", 10, 11},
                           {"IMul %given %2", 4, 5},
                           {"UDiv %given %2", 17, 18},
                           {"UMod %given %15", 23, 24},
                           {"BitwiseOr %given %8", 8, 9},
                           {"BitwiseAnd %given %15", 24, 25},
                           {"ShiftLeftLogical %given %2", 2, 3},
                           {"ShiftRightLogical %given %2", 33, 36}})
        for (const uint32_t given : {row.given, row.other}) {
            std::string module = text(
                "%a = OpCooperativeMatrixLoadKHR %A %p0 %0 %8\n"
                "%b = OpCooperativeMatrixLoadKHR %B %p1 %0 %6\n"
                "%c = OpCooperativeMatrixMulAddKHR %C %a %b %zeros\n"
                "OpCooperativeMatrixStoreKHR %p2 %c %0 %6");
            module.insert(module.find("OpDecorate"), "OpDecorate %given SpecId 3\n");
            const size_t at = module.find("%A = ");
            module.replace(module.find("%8", at), 2, "%made");
            module.insert(at,
                          "%15 = OpConstant %u32 15\n%given = OpSpecConstant %u32 1\n"
                          "%made = OpSpecConstantOp %u32 " +
                              std::string(row.operation) + "\n");
            Execution r;
            r.specialization = {{3, given, 4}};
            r.buffers = {{0, std::vector<uint32_t>(32, bitsOf(1))},
                         {1, std::vector<uint32_t>(48, bitsOf(2))},
                         {2, std::vector<uint32_t>(24)}};
            execute(r, module);
            EXPECT_EQ(r.error.empty(), given == row.given) << row.operation << r.error;
            EXPECT_EQ(floatOf(r.buffers[2][23]), given == row.given ? 16 : 0) << row.operation;
        }
}

// VK_EXT_scalar_block_layout with VK_KHR_workgroup_memory_explicit_layout: a vector at a multiple
// of its component's size, over a multiple of 16 bytes.
TEST(ReferenceDeclarations, ScalarLayoutOfSharedMemory) {
    ShaderText text;
    text.localSize = 1;
    text.capabilities =
        "OpCapability WorkgroupMemoryExplicitLayoutKHR\n"
        "OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"\n";
    text.annotations =
        "OpDecorate %sblock Block\nOpMemberDecorate %sblock 0 Offset 0\n"
        "OpMemberDecorate %sblock 1 Offset 12\n";
    text.declarations =
        "%sblock = OpTypeStruct %u32 %v3u32\n%p_sblock = OpTypePointer Workgroup %sblock\n"
        "%p_sword = OpTypePointer Workgroup %u32\n%shared = OpVariable %p_sblock Workgroup\n";
    text.body =
        "%at = OpAccessChain %p_sword %shared %u_1 %u_2\nOpStore %at %u_9\n"
        "%r = OpLoad %u32 %at\n" +
        storeWord("%u_0", "%r");
    const Execution r = afterRun(text);
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.buffers.at(1)[0], 9u);
}

// A constant has 2^20 components at most.
TEST(ReferenceDeclarations, MostComponents) {
    for (const uint32_t count : {1u << 20, (1u << 20) + 1}) {
        ShaderText text;
        text.declarations = "%count = OpConstant %u32 " + std::to_string(count) +
                            "\n%array = OpTypeArray %u32 %count\n%zeros = OpConstantNull %array\n";
        const std::vector<uint32_t> module = assemble(shader(text));
        ProgramRequest request;
        request.words = module;
        request.subgroupSize = 4;
        EXPECT_EQ(bool(makeProgram(request)), count == 1u << 20) << count;
    }
}

// The device has 2^24 bytes of shared memory, and no more.
TEST(ReferenceDeclarations, MostSharedMemory) {
    for (const uint32_t words : {1u << 22, (1u << 22) + 1}) {
        ShaderText text;
        text.declarations = "%count = OpConstant %u32 " + std::to_string(words) +
                            "\n%array = OpTypeArray %u32 %count\n"
                            "%p_array = OpTypePointer Workgroup %array\n"
                            "%p_sword = OpTypePointer Workgroup %u32\n"
                            "%shared = OpVariable %p_array Workgroup\n";
        text.body = "%at = OpAccessChain %p_sword %shared %i\nOpStore %at %i\n";
        const std::vector<uint32_t> module = assemble(shader(text));
        ProgramRequest request;
        request.words = module;
        request.subgroupSize = 4;
        EXPECT_EQ(bool(makeProgram(request)), words == 1u << 22) << words;
    }
}

// A pair of a word and four words, which is written, then read.
ShaderText pairIn(const std::string& storage, bool laidOut) {
    ShaderText text;
    text.localSize = 1;
    if (laidOut)
        text.annotations =
            "OpDecorate %fours ArrayStride 8\nOpMemberDecorate %pair 0 Offset 4\n"
            "OpMemberDecorate %pair 1 Offset 8\n";
    text.declarations = "%fours = OpTypeArray %u32 %u_4\n%pair = OpTypeStruct %u32 %fours\n" +
                        ("%p_pair = OpTypePointer " + storage + " %pair\n") +
                        ("%p_part = OpTypePointer " + storage + " %u32\n");
    (storage == "Function" ? text.body : text.declarations) +=
        "%held = OpVariable %p_pair " + storage + "\n";
    std::string reads;
    for (int n = 0; n < 5; ++n) {
        const std::string at = std::to_string(n);
        const std::string part = n == 0 ? "%u_0" : "%u_1 %u_" + std::to_string(n - 1);
        text.body += "%at" + at + " = OpAccessChain %p_part %held " + part + "\nOpStore %at" + at +
                     " %u_" + std::to_string(n + 5) + "\n";
        reads += "%is" + at + " = OpLoad %u32 %at" + at + "\n" + storeWord("%u_" + at, "%is" + at);
    }
    text.body += reads;
    return text;
}

// Vulkan forbids layouts of variables that are not in buffers; naga and others say them, and
// drivers pass over that. So does the device, and says so.
TEST(ReferenceDeclarations, LayoutsOfVariablesThatHaveNone) {
    for (const std::string storage : {"Workgroup", "Private", "Function"}) {
        for (const bool laidOut : {true, false}) {
            const std::vector<uint32_t> module = assemble(shader(pairIn(storage, laidOut)));
            ProgramRequest request;
            request.words = module;
            request.subgroupSize = 4;
            std::string warning;
            EXPECT_TRUE(makeProgram(request, warning)) << storage;
            EXPECT_EQ(!warning.empty(), laidOut) << storage << warning;
            Execution r;
            r.buffers[1].resize(5);
            execute(r, module);
            EXPECT_EQ(r.error, "");
            for (uint32_t n = 0; n < 5; ++n) EXPECT_EQ(r.buffers.at(1)[n], n + 5) << storage;
        }
    }
}

// What else is not valid in such a module is refused.
TEST(ReferenceDeclarations, LayoutsOfVariablesInInvalidModules) {
    ShaderText text = pairIn("Workgroup", true);
    text.body += "OpStore %at0 %f_1\n";
    Execution r;
    execute(r, shader(text));
    EXPECT_NE(r.error, "");
}

// Built-in variables of three components, of modules that nobody validated.
TEST(ReferenceDeclarations, BuiltInsOfTooManyComponents) {
    for (const std::string name : {"WorkgroupId", "NumWorkgroups", "WorkgroupSize"}) {
        ShaderText text;
        text.localSize = 1;
        text.annotations = "OpDecorate %given BuiltIn " + name + "\n";
        text.declarations =
            "%p_given = OpTypePointer Input %v4u32\n%given = OpVariable %p_given Input\n";
        text.body = "%all = OpLoad %v4u32 %given\n%last = OpCompositeExtract %u32 %all 3\n" +
                    storeWord("%u_0", "%last");
        Execution r;
        r.validate = false;
        r.buffers[1].resize(1);
        execute(r, shader(text));
        EXPECT_EQ(r.error, "") << name;
        ASSERT_EQ(countReports(r, kCheckUndefined), 1u) << name;
    }
    ShaderText text;
    text.annotations = "OpDecorate %size BuiltIn WorkgroupSize\n";
    text.declarations = "%size = OpConstantComposite %v2u32 %u_4 %u_4\n";
    Execution r;
    r.validate = false;
    execute(r, shader(text));
    EXPECT_NE(r.error.find("three components"), std::string::npos) << r.error;
}

}  // namespace
}  // namespace coopvk::reference::test::declarations_test
