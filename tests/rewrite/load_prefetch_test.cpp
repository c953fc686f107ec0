// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <format>
#include <regex>

#include "coopvk/rewrite.hpp"
#include "ir/blocks.hpp"
#include "tensor/load_order.hpp"
#include "tensor_module.hpp"

namespace coopvk::rewrite::load_prefetch_test {
namespace {

// A loop that loads A and B, multiplies them and keeps the sum in a phi.
struct Case {
    std::string_view name;
    bool isMoved;
    std::string_view addressing = "None";  // of A: Tensor Addressing Operands
    std::string_view behind = "";          // the product, in the body
    std::string_view ahead = "";           // of the loads, in the body
    std::string_view at = "%k";            // column of A and row of B at which the slices begin
    std::string_view factor = "%a";        // of the product
    bool hasStep = false;                  // the continue target is a block of its own
    bool endsIfTrue = false;               // the condition ends the loop
    bool isValid = true;
    std::string_view header = "";      // code of it, with the loop's limit
    std::string_view limit = "%c256";  // of %k
    std::string_view stepBy = "%c16";  // from one %k to the next
    std::string_view access = "None";  // of A: Memory Operands
};

std::string moduleText(const Case& c) {
    const std::string step = std::format(R"(
%next_k = OpIAdd %u32 %k {}
OpStore %counter %next_k
OpBranch %header)",
                                         c.stepBy);
    const std::string code = std::format(
        R"(
%c256 = OpConstant %u32 256
%c264 = OpConstant %u32 264
%u32_pointer = OpTypePointer Function %u32
%physical = OpTypePointer PhysicalStorageBuffer %f32
%coordinates = OpTypeArray %u32 %c2
%decode_type = OpTypeFunction %f32 %physical %coordinates %coordinates
%A = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c0
%B = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c1
%C = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c2
%a0 = OpConstantNull %A
%b0 = OpConstantNull %B
%zeros = OpConstantComposite %C %f0
%layout = OpTypeTensorLayoutNV %c2 %c1
%plain = OpTypeTensorViewNV %c2 %false %c0 %c1
%permuted = OpTypeTensorViewNV %c2 %false %c1 %c0
%main = OpFunction %void None %void_fn
%entry = OpLabel
%counter = OpVariable %u32_pointer Function
%fixed = OpVariable %u32_pointer Function %c16
%t = OpCreateTensorLayoutNV %layout
%view = OpCreateTensorViewNV %plain
%transposed = OpCreateTensorViewNV %permuted
%clipped = OpTensorViewSetClipNV %plain %view %c0 %c2 %c0 %c16
%p = OpAccessChain %pointer %buffer %c0 %c0
%same = OpCopyObject %u32_pointer %counter
OpBranch %header
%header = OpLabel
%k = OpPhi %u32 %c0 %entry %next_k %{0}
%former_a = OpPhi %A %a0 %entry %a %{0}
%sum = OpPhi %C %zeros %entry %product %{0}
{10}
%goes_on = {1} %bool %k {11}
OpLoopMerge %merge %{0} None
OpBranchConditional %goes_on %{2} %{3}
%body = OpLabel
{4}
%la = OpTensorLayoutSliceNV %layout %t %c0 %c16 {5} %c16
%a = OpCooperativeMatrixLoadTensorNV %A %p %former_a %la {12} {6}
%lb = OpTensorLayoutSliceNV %layout %t {5} %c16 %c0 %c16
%b = OpCooperativeMatrixLoadTensorNV %B %p %b0 %lb None None
%product = OpCooperativeMatrixMulAddKHR %C {7} %b %sum
{8}
{9}
%merge = OpLabel
OpCooperativeMatrixStoreTensorNV %p %sum %t None None
OpReturn
OpFunctionEnd
%decode = OpFunction %f32 None %decode_type
%address = OpFunctionParameter %physical
%in_tensor = OpFunctionParameter %coordinates
%in_block = OpFunctionParameter %coordinates
%decode_label = OpLabel
%decoded = OpLoad %f32 %address Aligned 4
OpReturnValue %decoded
OpFunctionEnd
)",
        c.hasStep ? "step" : "body", c.endsIfTrue ? "OpUGreaterThanEqual" : "OpULessThan",
        c.endsIfTrue ? "merge" : "body", c.endsIfTrue ? "body" : "merge", c.ahead, c.at,
        c.addressing, c.factor, c.behind,
        c.hasStep ? "OpBranch %step\n%step = OpLabel" + step : step, c.header, c.limit, c.access);
    return tensor_module::preamble() + code;
}

// Many additions, each of which needs the one before.
const std::string& longChain() {
    static const std::string text = [] {
        std::string all = "%n0 = OpIAdd %u32 %k %c1\n";
        for (int i = 1; i <= 12500; ++i)
            all += std::format("%n{} = OpIAdd %u32 %n{} %c1\n", i, i - 1);
        return all;
    }();
    return text;
}

const Case kCases[] = {
    {.name = "Loop", .isMoved = true},
    {.name = "LongChain", .isMoved = true, .ahead = longChain(), .at = "%n12500"},
    {.name = "Circle",
     .isMoved = false,
     .ahead = "%one = OpIAdd %u32 %two %c1\n%two = OpIAdd %u32 %one %c1",
     .at = "%two",
     .isValid = false},
    {.name = "CircleOfPointers",
     .isMoved = false,
     .ahead = "%self = OpAccessChain %u32_pointer %self\n%read = OpLoad %u32 %self",
     .at = "%read",
     .isValid = false},
    {.name = "Step", .isMoved = true, .hasStep = true},
    {.name = "EndsIfTrue", .isMoved = true, .endsIfTrue = true},
    {.name = "Permuted", .isMoved = true, .addressing = "TensorView %transposed"},
    {.name = "Computed", .isMoved = true, .ahead = "%twice = OpIMul %u32 %k %c2", .at = "%twice"},
    {.name = "Clipped", .isMoved = false, .addressing = "TensorView %clipped"},
    {.name = "Decoded", .isMoved = false, .addressing = "DecodeFunc %decode"},
    {.name = "Variable", .isMoved = false, .ahead = "%read = OpLoad %u32 %counter", .at = "%read"},
    {.name = "VariableThatStays",
     .isMoved = true,
     .ahead = "%read = OpLoad %u32 %fixed",
     .at = "%read"},
    {.name = "Volatile", .isMoved = false, .access = "Volatile"},
    {.name = "LimitInVariable",
     .isMoved = false,
     .header = "%read = OpLoad %u32 %counter",
     .limit = "%read"},
    {.name = "LimitInVariableThatStays",
     .isMoved = true,
     .header = "%read = OpLoad %u32 %fixed",
     .limit = "%read"},
    {.name = "StepInVariable",
     .isMoved = false,
     .ahead = "%read = OpLoad %u32 %counter",
     .stepBy = "%read"},
    {.name = "StepInVariableThatStays",
     .isMoved = true,
     .ahead = "%read = OpLoad %u32 %fixed",
     .stepBy = "%read"},
    {.name = "VariableByACopyOfItsPointer",
     .isMoved = false,
     .ahead = "%read = OpLoad %u32 %same",
     .at = "%read"},
    {.name = "StoresTensor",
     .isMoved = false,
     .behind = "OpCooperativeMatrixStoreTensorNV %p %product %t None None"},
    {.name = "StoresToBuffer", .isMoved = false, .behind = "OpStore %p %f0"},
    {.name = "Barrier", .isMoved = false, .ahead = "OpControlBarrier %c2 %c2 %c264"},
    {.name = "TwoProducts",
     .isMoved = false,
     .behind = "%other = OpCooperativeMatrixMulAddKHR %C %a %b %product"},
    {.name = "LoadBehindTheProduct",
     .isMoved = false,
     .behind = "%late = OpCooperativeMatrixLoadTensorNV %A %p %former_a %t None None"},
    {.name = "OtherFactor", .isMoved = false, .factor = "%a0"},
};

size_t countOf(const Module& module, spv::Op opcode) {
    size_t count = 0;
    module.visitBlocks([&](const Instruction& i) { count += i.opcode == opcode ? 1 : 0; });
    return count;
}

// The numbers and permutations of the views, as lowerTensorTypes() gives them.
TensorTypes tensorTypes(const Module& module) {
    TensorTypes types;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode != spv::Op::OpTypeTensorViewNV) continue;
        const bool isPlain = module.constantValue(i->word(2)) == 0u;
        types.views[i->result] = {.id = i->result, .dimensions = 2, .mayClip = isPlain};
    }
    return types;
}

class LoadPrefetch : public testing::TestWithParam<Case> {};

TEST_P(LoadPrefetch, MovesLoadsToTheIterationBefore) {
    const Case& c = GetParam();
    const std::vector<uint32_t> words = test::assemble(moduleText(c));
    ASSERT_TRUE(!c.isValid || !validate(words));
    Result<Module> parsed = Module::parse(words);
    ASSERT_TRUE(parsed) << parsed.error().message;
    Module& module = *parsed;
    TypeTable types(module);
    const std::set<Id> opened = prefetchTensorLoads(types, tensorTypes(module));
    EXPECT_TRUE(!c.isValid || !validate(module.serialise()));
    if (!c.isMoved) {
        EXPECT_TRUE(opened.empty());
        EXPECT_EQ(module.serialise(), words);
        return;
    }
    ASSERT_EQ(opened.size(), 1u);
    EXPECT_EQ(module.def(*opened.begin()).opcode, spv::Op::OpCooperativeMatrixMulAddKHR);
    // Ahead of the loop, and for the next iteration.
    EXPECT_EQ(countOf(module, spv::Op::OpCooperativeMatrixLoadTensorNV), 4u);
    EXPECT_EQ(countOf(module, spv::Op::OpCooperativeMatrixMulAddKHR), 1u);
    size_t ends = 0;
    bool isAhead = true;  // of the loop
    for (const auto& block : module.functions().front()->blocks) {
        isAhead &= !isLoopHeader(*block);
        bool loads = false, hasEnd = false;
        for (const InstructionPtr& i : block->body) {
            loads |= i->opcode == spv::Op::OpCooperativeMatrixLoadTensorNV;
            EXPECT_FALSE(loads && i->opcode == spv::Op::OpCooperativeMatrixMulAddKHR);
            if (!endsProduct(module, *i)) continue;
            EXPECT_TRUE(opened.contains(i->word(0)));
            hasEnd = true;
            ++ends;
        }
        EXPECT_TRUE(!loads || hasEnd || isAhead);
    }
    EXPECT_EQ(ends, 2u);
}

// The phis of a loop may name the block that branches back first.
TEST(LoadPrefetches, ValuesOfTheNextIterationComeFromTheBlockThatBranchesBack) {
    const auto withoutPhis = [](const std::string& text) {
        Result<Module> module = Module::parse(test::assemble(text));
        TypeTable types(*module);
        EXPECT_EQ(prefetchTensorLoads(types, tensorTypes(*module)).size(), 1u);
        EXPECT_EQ(validate(module->serialise()), std::nullopt);
        return std::regex_replace(disassemble(module->serialise()), std::regex(".*OpPhi.*\n"), "");
    };
    for (const bool hasStep : {false, true}) {
        const std::string text = moduleText({.name = "", .isMoved = true, .hasStep = hasStep});
        const std::regex phi(R"((OpPhi %\w+) (%\w+ %entry) (%\w+ %\w+))");
        EXPECT_EQ(withoutPhis(std::regex_replace(text, phi, "$1 $3 $2")), withoutPhis(text));
    }
}

// The second loop begins in the first one's merge block, and reads its counter.
TEST(LoadPrefetches, MoveLoadsOfSeveralLoops) {
    for (const bool hasStep : {false, true}) {
        std::string text = moduleText({.name = "", .isMoved = true, .hasStep = hasStep});
        const size_t begin = text.find("%header = OpLabel"), end = text.find("%merge = OpLabel");
        const std::regex ids(
            "%(header|body|step|k|next_k|former_a|sum|goes_on|la|a|lb|b|product|merge)\\b");
        std::string second = text.substr(begin, end - begin);
        second = std::regex_replace(second, ids, "%$012");
        second = std::regex_replace(second, std::regex("%entry"), "%merge");
        second = std::regex_replace(second, std::regex("%c0 %merge"), "%k %merge");
        text.insert(end, "%merge = OpLabel\nOpBranch %header2\n" + second);
        text.replace(text.rfind("%merge = OpLabel"), 6, "%merge2");
        const std::vector<uint32_t> words = test::assemble(text);
        ASSERT_EQ(validate(words), std::nullopt) << text;
        Result<Module> module = Module::parse(words);
        ASSERT_TRUE(module);
        TypeTable types(*module);
        EXPECT_EQ(prefetchTensorLoads(types, tensorTypes(*module)).size(), 2u);
        EXPECT_EQ(validate(module->serialise()), std::nullopt);
        EXPECT_EQ(countOf(*module, spv::Op::OpCooperativeMatrixLoadTensorNV), 8u);
    }
}

// A part of the product's name says that loads come between its two halves.
TEST(LoadPrefetches, AreMovedInTilesOfTheDriversMatrices) {
    using enum ComponentType;
    std::string text = moduleText({.name = "", .isMoved = true});
    text = std::regex_replace(text, std::regex("KHR %f32 %c3"), "KHR %f32 %c2");  // Workgroup
    const std::vector<uint32_t> words = test::assemble(text);
    ASSERT_EQ(validate(words), std::nullopt);
    for (const bool hasShape : {true, false}) {
        Request request;
        request.words = words;
        Target target;
        target.emulated = {Extension::kNvCooperativeMatrix2};
        target.device.nativeShapes = {{16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false}};
        if (hasShape) {
            target.device.nativeShapes.push_back(
                {16, 16, 16, kFloat32, kFloat32, kFloat32, kFloat32, false});
        }
        const Result<Rewritten> out = rewrite(request, target);
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt);
        const std::string_view bytes(reinterpret_cast<const char*>(out->words.data()),
                                     out->words.size() * sizeof(uint32_t));
        EXPECT_EQ(bytes.find("_opened") != std::string_view::npos, hasShape);
    }
}

INSTANTIATE_TEST_SUITE_P(Tensor, LoadPrefetch, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace coopvk::rewrite::load_prefetch_test
