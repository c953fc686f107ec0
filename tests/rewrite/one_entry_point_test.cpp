// SPDX-License-Identifier: Apache-2.0
//
// Modules with several entry points: the requested one stays, with everything that it uses.
#include <gtest/gtest.h>

#include <algorithm>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"

namespace coopvk::rewrite::one_entry_point_test {
namespace {

// Two entry points with the same name, and a third one. Each reads vectors through its own
// function, and all use a common one. Only the compute stage has shared memory.
constexpr std::string_view kModule = R"(
OpCapability Shader
OpCapability CooperativeVectorNV
OpExtension "SPV_NV_cooperative_vector"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %compute "main" %buffer %words
OpEntryPoint Fragment %fragment "main" %buffer %colour
OpEntryPoint GLCompute %other "other" %buffer
OpExecutionMode %compute LocalSize 8 2 1
OpExecutionMode %fragment OriginUpperLeft
OpExecutionMode %other LocalSize 4 1 1
OpName %ofCompute "ofCompute"
OpName %ofFragment "ofFragment"
OpName %shared "shared"
OpName %inFragment "inFragment"
OpDecorate %inFragment RelaxedPrecision
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %floats ArrayStride 4
OpDecorate %colour Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c5 = OpConstant %u32 5
%vector = OpTypeCooperativeVectorNV %f32 %c5
%of = OpTypeFunction %vector
%floats = OpTypeRuntimeArray %f32
%block = OpTypeStruct %floats
%pblock = OpTypePointer StorageBuffer %block
%pfloats = OpTypePointer StorageBuffer %floats
%buffer = OpVariable %pblock StorageBuffer
%array = OpTypeArray %u32 %c5
%pwords = OpTypePointer Workgroup %array
%words = OpVariable %pwords Workgroup
%pword = OpTypePointer Workgroup %u32
%pcolour = OpTypePointer Output %f32
%pfloat = OpTypePointer StorageBuffer %f32
%colour = OpVariable %pcolour Output
%compute = OpFunction %void None %fn
%l0 = OpLabel
%r0 = OpFunctionCall %vector %ofCompute
OpReturn
OpFunctionEnd
%fragment = OpFunction %void None %fn
%l1 = OpLabel
%r1 = OpFunctionCall %vector %ofFragment
%x1 = OpCompositeExtract %f32 %r1 4
OpStore %colour %x1
OpReturn
OpFunctionEnd
%other = OpFunction %void None %fn
%l2 = OpLabel
%r2 = OpFunctionCall %vector %shared
%x2 = OpCompositeExtract %f32 %r2 4
%q2 = OpAccessChain %pfloat %buffer %c0 %c0
OpStore %q2 %x2
OpReturn
OpFunctionEnd
%ofCompute = OpFunction %vector None %of
%l3 = OpLabel
%p3 = OpAccessChain %pword %words %c0
OpStore %p3 %c5
%v3 = OpFunctionCall %vector %shared
OpReturnValue %v3
OpFunctionEnd
%ofFragment = OpFunction %vector None %of
%l4 = OpLabel
%v4 = OpFunctionCall %vector %shared
%inFragment = OpFAdd %vector %v4 %v4
OpReturnValue %inFragment
OpFunctionEnd
%shared = OpFunction %vector None %of
%l5 = OpLabel
%p5 = OpAccessChain %pfloats %buffer %c0
%v5 = OpCooperativeVectorLoadNV %vector %p5 %c0
OpReturnValue %v5
OpFunctionEnd
)";

Result<Rewritten> run(const std::vector<uint32_t>& words, std::string_view name, Stage stage) {
    Request request;
    request.words = words;
    request.entryPoint = name;
    request.stage = stage;
    Target target;
    target.subgroupSize = 8;
    return rewrite(request, target);
}

size_t count(std::string_view text, std::string_view what) {
    size_t found = 0;
    for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
    return found;
}

struct Case {
    std::string_view name;
    Stage stage;
    std::array<uint32_t, 3> localSize;
    std::vector<std::string_view> kept;
    std::vector<std::string_view> gone;
};

TEST(OneEntryPoint, OfNameAndStage) {
    const std::vector<uint32_t> words = test::assemble(kModule);
    const Case cases[] = {
        {"main",
         Stage::kCompute,
         {8, 2, 1},
         {"GLCompute", "\"main\"", "ofCompute"},
         {"Fragment", "inFragment", "\"other\""}},
        {"main",
         Stage::kFragment,
         {0, 0, 0},
         {"Fragment", "OriginUpperLeft", "inFragment"},
         {"GLCompute", "LocalSize", "ofCompute"}},
        {"other",
         Stage::kCompute,
         {4, 1, 1},
         {"GLCompute", "\"other\""},
         {"Fragment", "ofCompute", "\"main\""}},
        {"", Stage::kFragment, {0, 0, 0}, {"Fragment"}, {"GLCompute"}},
    };
    for (const Case& c : cases) {
        const Result<Rewritten> out = run(words, c.name, c.stage);
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt);
        EXPECT_EQ(out->localSize, c.localSize);
        const std::string text = disassemble(out->words);
        EXPECT_EQ(count(text, "OpEntryPoint"), 1u) << text;
        EXPECT_EQ(count(text, "OpName %shared"), 1u) << text;
        for (std::string_view word : c.kept) EXPECT_NE(count(text, word), 0u) << word;
        for (std::string_view word : c.gone) EXPECT_EQ(count(text, word), 0u) << word;
    }
}

// A function whose result nothing reads goes with its call.
TEST(OneEntryPoint, FunctionsWithoutEffect) {
    const std::string module = test::edited(std::string(kModule), {{"OpStore %q2 %x2\n", ""}});
    const Result<Rewritten> out = run(test::assemble(module), "other", Stage::kCompute);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    EXPECT_EQ(count(disassemble(out->words), "OpName %shared"), 0u);
}

TEST(OneEntryPoint, RefusedWhereStageAndNameContradict) {
    const std::vector<uint32_t> words = test::assemble(kModule);
    for (const auto& [name, stage] : {std::pair{"other", Stage::kFragment},
                                      {"main", Stage::kVertex},
                                      {"", Stage::kMiss},
                                      {"mai", Stage::kCompute}}) {
        const Result<Rewritten> out = run(words, name, stage);
        ASSERT_FALSE(out);
        EXPECT_EQ(out.error().code, ErrorCode::kInvalidArgument);
        EXPECT_NE(out.error().message.find("no entry point '" + std::string(name) + "' of stage"),
                  std::string::npos);
    }
}

// Instructions without semantics go with what they name, also where an optimisation removes that.
TEST(OneEntryPoint, NotesOfOthersGo) {
    const std::string text =
        test::edited(
            std::string(kModule),
            {{"OpExtension", "OpExtension \"SPV_KHR_non_semantic_info\"\nOpExtension"},
             {"OpMemoryModel", "%set = OpExtInstImport \"NonSemantic.Test\"\nOpMemoryModel"},
             {"OpStore %q2 %x2\n", ""}}) +
        "%note = OpExtInst %void %set 1 %other\n%gone = OpExtInst %void %set 2 %fragment\n"
        "%behind = OpExtInst %void %set 3 %gone\n%unread = OpExtInst %void %set 4 %shared\n";
    const std::vector<uint32_t> words = test::assemble(text);
    EXPECT_EQ(validate(words), std::nullopt);
    const Result<Rewritten> out = run(words, "other", Stage::kCompute);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
    EXPECT_EQ(count(disassemble(out->words), " OpExtInst "), 1u) << disassemble(out->words);
}

}  // namespace
}  // namespace coopvk::rewrite::one_entry_point_test
