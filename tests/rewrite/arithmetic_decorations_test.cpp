// SPDX-License-Identifier: Apache-2.0
//
// Decorations of arithmetic on matrices and vectors apply to the arithmetic on their parts. Access
// chains to their elements promise nothing that the module's own chains did not.
#include "ir/arithmetic_decorations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "vector_module.hpp"

namespace coopvk::rewrite::arithmetic_decorations_test {
namespace {

size_t count(std::string_view text, std::string_view what) {
    size_t found = 0;
    for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
    return found;
}

void replace(std::string& source, std::string_view what, std::string_view with) {
    source.replace(source.find(what), what.size(), with);
}

// The output, disassembled; it is valid SPIR-V. With the driver's own matrices as tiles of 8 by 8,
// or without them.
std::string run(const std::string& source, bool native) {
    const std::vector<uint32_t> words = test::assemble(source);
    Request request;
    request.words = words;
    Target target;
    target.backEnd = native ? BackEnd::kNative : BackEnd::kCore;
    using enum ComponentType;
    target.device.nativeShapes = {{8, 8, 8, kFloat16, kFloat16, kFloat32, kFloat32, false},
                                  {8, 8, 8, kSint32, kSint32, kSint32, kSint32, false}};
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return {};
    EXPECT_EQ(validate(out->words), std::nullopt);
    return disassemble(out->words);
}

// Of the results with a decoration, the opcodes.
std::vector<std::string> decorated(const std::string& text, std::string_view decoration) {
    std::vector<std::string> opcodes;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string opcode, id, what;
        words >> opcode >> id >> what;
        if (opcode != "OpDecorate" || what != decoration) continue;
        const size_t at = text.find(" " + id + " = ");
        const std::string_view definition = std::string_view(text).substr(at + id.size() + 4);
        opcodes.emplace_back(definition.substr(0, definition.find(' ')));
    }
    return opcodes;
}

// A sum of a 16 by 16 product with itself, and its double, both `precise`.
TEST(ArithmeticDecorations, FloatsStayPrecise) {
    std::string source = test::multiplyModule(16, 16, 16);
    replace(source, "OpDecorate",
            "OpDecorate %sum NoContraction\nOpDecorate %twice NoContraction\n"
            "OpDecorate");
    replace(source, "%zero = OpConstantNull", "%two = OpConstant %f32 2\n%zero = OpConstantNull");
    replace(source, "%pc = OpAccessChain",
            "%sum = OpFAdd %C %product %product\n"
            "%twice = OpMatrixTimesScalar %C %sum %two\n"
            "%pc = OpAccessChain");
    replace(source, "%pc %product", "%pc %twice");
    const auto core = decorated(run(source, false), "NoContraction");
    EXPECT_FALSE(core.empty());
    for (const std::string& opcode : core) {
        EXPECT_TRUE(opcode == "OpFAdd" || opcode == "OpFMul") << opcode;
    }
    EXPECT_EQ(std::ranges::count(core, "OpFAdd"), std::ranges::count(core, "OpFMul"));
    const std::vector<std::string> tiles = decorated(run(source, true), "NoContraction");
    EXPECT_EQ(std::ranges::count(tiles, "OpFAdd"), 4);
    EXPECT_EQ(std::ranges::count(tiles, "OpMatrixTimesScalar"), 4);
    EXPECT_EQ(tiles.size(), 8u);
}

// OpCompositeConstruct joins the parts; it must not have the decoration.
TEST(ArithmeticDecorations, IntegersDoNotWrap) {
    std::string source = test::multiplyModule(16, 16, 16);
    replace(source, "OpExtension",
            "OpExtension \"SPV_KHR_no_integer_wrap_decoration\"\n"
            "OpExtension");
    replace(source, "OpDecorate", "OpDecorate %sum NoSignedWrap\nOpDecorate");
    replace(source, "%main = OpFunction",
            "%s32 = OpTypeInt 32 1\n%one = OpConstant %s32 1\n"
            "%S = OpTypeCooperativeMatrixKHR %s32 %c3 %rows %columns %c2\n"
            "%ones = OpConstantComposite %S %one\n%main = OpFunction");
    replace(source, "%pc = OpAccessChain",
            "%integers = OpConvertFToS %S %product\n"
            "%sum = OpIAdd %S %integers %ones\n"
            "%floats2 = OpConvertSToF %C %sum\n"
            "%pc = OpAccessChain");
    replace(source, "%pc %product", "%pc %floats2");
    for (const bool native : {false, true}) {
        const auto opcodes = decorated(run(source, native), "NoSignedWrap");
        EXPECT_FALSE(opcodes.empty());
        for (const std::string& opcode : opcodes) EXPECT_EQ(opcode, "OpIAdd");
    }
}

TEST(ArithmeticDecorations, VectorsOfIntegersDoNotWrap) {
    // Unrolled, and as a function with a loop.
    for (const uint32_t components : {5u, 200u}) {
        std::string source = test::layerModule(components, 3, 0, false);
        replace(source, "OpDecorate", "OpDecorate %twice NoSignedWrap\nOpDecorate");
        replace(source, "%main = OpFunction",
                "%s32 = OpTypeInt 32 1\n%V = OpTypeCooperativeVectorNV %s32 %m\n"
                "%main = OpFunction");
        replace(source, "%r = OpExtInst",
                "%integers = OpConvertFToS %V %sum\n"
                "%twice = OpIAdd %V %integers %integers\n"
                "%floats = OpConvertSToF %out %twice\n"
                "%r = OpExtInst");
        replace(source, "FMax %sum", "FMax %floats");
        const auto opcodes = decorated(run(source, false), "NoSignedWrap");
        EXPECT_EQ(opcodes, std::vector<std::string>(components == 5 ? 5 : 1, "OpIAdd"));
    }
}

// The products of a dot product, and their sums: unrolled, and in a loop.
TEST(ArithmeticDecorations, DotProductsStayPrecise) {
    for (const char* components : {"16", "300"}) {
        const std::string source = test::edited(
            test::layerModule(16, 16, 0, false),
            {{"OpCapability Float16", "OpCapability LongVectorEXT\nOpCapability Float16"},
             {"OpExtension", "OpExtension \"SPV_EXT_long_vector\"\nOpExtension"},
             {"OpDecorate", "OpDecorate %dot NoContraction\nOpDecorate"},
             {"%main = OpFunction", "%float = OpTypeFloat 32\n%many = OpConstant %uint " +
                                        std::string(components) +
                                        "\n%long = OpTypeVectorIdEXT %float %many\n"
                                        "%to_long = OpTypePointer Private %long\n"
                                        "%held = OpVariable %to_long Private\n"
                                        "%to_float = OpTypePointer Private %float\n"
                                        "%kept = OpVariable %to_float Private\n%main = OpFunction"},
             {"%r = OpExtInst",
              "%some = OpLoad %long %held\n%dot = OpDot %float %some %some\n"
              "OpStore %kept %dot\n%r = OpExtInst"}});
        const auto open =
            decorated(run(test::edited(source, {{"OpDecorate %dot NoContraction\n", ""}}), false),
                      "NoContraction");
        const auto opcodes = decorated(run(source, false), "NoContraction");
        for (const char* opcode : {"OpFMul", "OpFAdd"})
            EXPECT_GT(std::ranges::count(opcodes, opcode), std::ranges::count(open, opcode))
                << opcode << " of " << components;
    }
}

// Rows and columns of a matrix may be beyond the inner array that the pointer points into.
TEST(ElementPointers, PromiseNoBounds) {
    std::string source = test::multiplyModule(16, 16, 16);
    replace(source, "%pa = OpAccessChain", "%pa = OpInBoundsAccessChain");
    replace(source, "%pc = OpAccessChain", "%pc = OpInBoundsAccessChain");
    const std::string text = run(source, false);
    EXPECT_LE(count(text, "OpInBoundsAccessChain"), 2u) << "the module's own";
    EXPECT_GT(count(text, "OpAccessChain"), 2u);
}

// SPIR-V, "Function Control": Pure is an assertion of the module, of its own instructions.
// "Decoration", Uniform: "all active invocations in the invocation's Subgroup scope will compute
// the same result value", of which they hold other parts now. Of a scalar it stays true.
TEST(Promises, OfWhatStays) {
    std::string source = test::multiplyModule(16, 16, 16);
    replace(source, "%main = OpFunction %void None", "%main = OpFunction %void Inline|Pure|Const");
    replace(source, "OpDecorate",
            "OpDecorate %product Uniform\nOpDecorateId %a UniformId %c3\n"
            "OpDecorate %x Uniform\nOpDecorate");
    replace(source, "OpReturn", "%x = OpLoad %f32 %pc\nOpStore %pc %x\nOpReturn");
    for (const bool native : {false, true}) {
        const std::string text = run(source, native);
        EXPECT_EQ(decorated(text, "Uniform"), std::vector<std::string>{"OpLoad"}) << text;
        EXPECT_EQ(count(text, "UniformId"), 0u) << text;
        EXPECT_EQ(count(text, "= OpFunction %void Inline %"), 1u) << text;
    }
}

// SPV_KHR_float_controls2: an instruction has the flags of its own decoration, else the default of
// the entry point for its type, which is none where only other types have one.
TEST(ArithmeticDecorations, DefaultsForbidContraction) {
    constexpr uint32_t kAllowed = 0x70000;  // AllowContract, AllowReassoc, AllowTransform
    struct Case {
        const char* type;  // that has a default; nullptr: none has
        uint32_t flags;
        bool isDecorated, forbids;
    };
    const Case cases[] = {{nullptr, 0, false, false},       {"%f32", 0, false, true},
                          {"%f32", kAllowed, false, false}, {"%f16", 0, false, true},
                          {"%f16", 0, true, false},         {"%f32", kAllowed, true, false}};
    for (const Case& one : cases) {
        std::string source = test::multiplyModule(16, 16, 16);
        replace(
            source, "OpExtension",
            "OpCapability FloatControls2\nOpExtension \"SPV_KHR_float_controls2\"\nOpExtension");
        replace(source, "%in = OpVariable",
                "%flags = OpConstant %u32 " + std::to_string(one.flags) + "\n%in = OpVariable");
        std::string before;
        if (one.type != nullptr)
            before =
                "OpExecutionModeId %main FPFastMathDefault " + std::string(one.type) + " %flags\n";
        if (one.isDecorated)
            before +=
                "OpDecorate %product FPFastMathMode AllowContract|AllowReassoc|AllowTransform\n";
        replace(source, "OpDecorate", before + "OpDecorate");
        const std::vector<uint32_t> words = test::assemble(source);
        const Result<Module> module = Module::parse(words);
        ASSERT_TRUE(module);
        size_t products = 0;
        module->visitBlocks([&](const Instruction& i) {
            if (i.opcode != spv::Op::OpCooperativeMatrixMulAddKHR) return;
            ++products;
            EXPECT_EQ(forbidsContraction(*module, i.result), one.forbids) << source;
        });
        EXPECT_EQ(products, 1u);
    }
}

}  // namespace
}  // namespace coopvk::rewrite::arithmetic_decorations_test
