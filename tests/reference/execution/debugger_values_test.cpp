// SPDX-License-Identifier: Apache-2.0
//
// The debugger: what it shows where an execution is held.
#include "debuggee.hpp"
#include "matrix_text.hpp"
#include "planted.hpp"

namespace coopvk::reference::test::debugger_values_test {
namespace {

using Until = Resume::Until;

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

// Each component of a composite has its own type, in each element of an array.
TEST(ReferenceDebugger, ShowsStructures) {
    ShaderText text = plainText("%v = OpCopyObject %rows %row\n" + storeWord("%i", "%u_1"));
    text.declarations +=
        "%parts = OpTypeStruct %s32 %f32 %bool\n%rows = OpTypeArray %parts %u_2\n"
        "%minus = OpConstant %s32 -2\n%half = OpConstant %f32 0.5\n"
        "%some = OpConstantComposite %parts %minus %half %true\n"
        "%others = OpConstantComposite %parts %minus %f_1 %false\n"
        "%row = OpConstantComposite %rows %some %others\n";
    Debuggee it(text);
    uint32_t copied = 0;
    std::string said;
    it.run(
        [&](const Stop& stop) {
            const auto opcode = spv::Op(stop.at.opcode());
            if (opcode == spv::Op::OpCopyObject) copied = stop.at.resultId();
            if (opcode != spv::Op::OpStore) return Resume{Until::kInstruction};
            const ShownValue value = *valueOf(stop.at, copied);
            said = value.type + ":";
            for (size_t n = 0; n < value.numbers.size(); n += 4)
                said += " " + textOf(value.numbers[n]);
            return Resume{Until::kEnd};
        },
        {}, {Until::kNumber, 1});
    EXPECT_EQ(said, "array of 2 structure with 3 members: -2 0.5 true -2 1 false");
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

}  // namespace
}  // namespace coopvk::reference::test::debugger_values_test
