// SPDX-License-Identifier: Apache-2.0
#include "growth_modules.hpp"

#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "tensor_module.hpp"

namespace coopvk::rewrite::growth_test {

void replace(std::string& text, std::string_view from, std::string_view to) {
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
}

std::string longVectors(std::string_view types, std::string_view variables, std::string_view code) {
    return std::format(R"(OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability LongVectorEXT
OpExtension "SPV_EXT_long_vector"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %in
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %in BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c20 = OpConstant %uint 20
%one = OpConstant %f32 1
%long = OpTypeVectorIdEXT %f32 %c20
%pLong = OpTypePointer Function %long
%pUint = OpTypePointer Input %uint
%in = OpVariable %pUint Input
%none = OpConstantNull %long
{}
%main = OpFunction %void None %function
%entry = OpLabel
%v = OpVariable %pLong Function
{}
%i = OpLoad %uint %in
%n = OpConvertUToF %f32 %i
%x = OpCompositeInsert %long %n %none 0
OpStore %v %x
{}
OpReturn
OpFunctionEnd
)",
                       types, variables, code);
}

Words manyMatrixTypes(size_t count) {
    std::string types;
    for (size_t i = 0; i < count; ++i) {
        types += std::format(
            "%scope{0} = OpConstant %u32 3\n"
            "%T{0} = OpTypeCooperativeMatrixKHR %f16 %scope{0} %rows %depth %c0\n",
            i);
    }
    std::string text = test::multiplyModule(32, 32, 32);
    replace(text, "%main = OpFunction", types + "%main = OpFunction");
    return test::assemble(text);
}

Words manyBreaks(size_t count) {
    std::string code = R"(OpBranch %header
%header = OpLabel
OpLoopMerge %merge %continue None
OpBranch %b0
)";
    for (size_t i = 0; i < count; ++i) {
        const std::string next = i + 1 < count ? std::format("%b{}", i + 1) : "%continue";
        code += std::format(
            "%b{0} = OpLabel\n%t{0} = OpULessThan %bool %rows %c{1}\n"
            "OpBranchConditional %t{0} {2} %merge\n",
            i, i % 4, next);
    }
    code += "%continue = OpLabel\nOpBranch %header\n%merge = OpLabel\n";
    std::string text = test::multiplyModule(16, 16, 16);
    replace(text, "%main = OpFunction", "%bool = OpTypeBool\n%main = OpFunction");
    replace(text, "OpReturn", code + "OpReturn");
    return test::assemble(text);
}

Words nestedLoops(size_t count, std::string_view inContinue) {
    std::string text = test::multiplyModule(64, 64, 16);
    const size_t at = text.find("%product ="), end = text.find("OpReturn");
    const std::string product = text.substr(at, end - at);
    std::string code, back;
    for (size_t i = 0; i < count; ++i) {
        code += std::format(
            "OpBranch %h{0}\n%h{0} = OpLabel\nOpLoopMerge %m{0} %k{0} None\n"
            "OpBranchConditional %true %n{0} %m{0}\n%n{0} = OpLabel\n",
            i);
        back =
            std::format("OpBranch %k{0}\n%k{0} = OpLabel\n{1}\nOpBranch %h{0}\n%m{0} = OpLabel\n",
                        i, inContinue) +
            back;
    }
    const std::string_view read = inContinue.empty() ? "" : "%count = OpLoad %u32 %counter\n";
    text.replace(at, end - at, code + std::string(read) + product + back);
    replace(text, "%label = OpLabel\n",
            "%label = OpLabel\n%counter = OpVariable %pointer Function\n");
    replace(text, "%main = OpFunction",
            "%bool = OpTypeBool\n%true = OpConstantTrue %bool\n"
            "%pointer = OpTypePointer Function %u32\n%main = OpFunction");
    return test::assemble(text);
}

Words nestedContinues(size_t count) {
    std::string text = test::multiplyModule(64, 64, 16);
    const size_t at = text.find("%product ="), end = text.find("OpReturn");
    const std::string product = text.substr(at, end - at);
    std::string code, back;
    for (size_t i = 0; i < count; ++i) {
        code += std::format(
            "OpBranch %h{0}\n%h{0} = OpLabel\nOpLoopMerge %m{0} %k{0} None\n"
            "OpBranchConditional %true %k{0} %m{0}\n%k{0} = OpLabel\nOpStore %counter %c1\n",
            i);
        back = std::format("OpBranch %h{0}\n%m{0} = OpLabel\n", i) + back;
    }
    text.replace(at, end - at, code + "%count = OpLoad %u32 %counter\n" + product + back);
    replace(text, "%label = OpLabel\n",
            "%label = OpLabel\n%counter = OpVariable %pointer Function\n");
    replace(text, "%main = OpFunction",
            "%bool = OpTypeBool\n%true = OpConstantTrue %bool\n"
            "%pointer = OpTypePointer Function %u32\n%main = OpFunction");
    return test::assemble(text);
}

Words manyDecoders(size_t count) {
    std::string calls, functions;
    for (size_t i = 0; i < count; ++i) {
        calls += std::format("%r{0} = OpFunctionCall %f32 %g{0}\n", i);
        functions += std::format(
            "%g{0} = OpFunction %f32 None %small_fn\n%l{0} = OpLabel\nOpReturnValue %f1\n"
            "OpFunctionEnd\n",
            i);
    }
    return test::assemble(tensor_module::moduleText(
        {.types = "%small_fn = OpTypeFunction %f32",
         .addressing = "DecodeFunc %f",
         .functions =
             "%f = OpFunction %f32 None %decode_fn\n%fp = OpFunctionParameter %quant_pointer\n"
             "%fc = OpFunctionParameter %pair\n%fb = OpFunctionParameter %pair\n"
             "%fl = OpLabel\n" +
             calls + "OpReturnValue %r0\nOpFunctionEnd\n" + functions}));
}

Words manyFunctionsWithLoops(size_t count) {
    std::string functions;
    for (size_t i = 0; i < count; ++i) {
        functions += std::format(
            "%fn_{0} = OpFunction %void None %f\n%fn_l{0} = OpLabel\nOpBranch %fn_h{0}\n"
            "%fn_h{0} = OpLabel\nOpLoopMerge %fn_m{0} %fn_k{0} None\n"
            "OpBranchConditional %true %fn_k{0} %fn_m{0}\n%fn_k{0} = OpLabel\n"
            "%fn_p{0} = OpIAdd %u32 %c1 %c2\nOpBranch %fn_h{0}\n%fn_m{0} = OpLabel\nOpReturn\n"
            "OpFunctionEnd\n",
            i);
    }
    std::string text = test::multiplyModule(16, 16, 16) + functions;
    replace(text, "%main = OpFunction",
            "%bool = OpTypeBool\n%true = OpConstantTrue %bool\n%main = OpFunction");
    return test::assemble(text);
}

Words manyCases(size_t count) {
    std::string code = "OpSelectionMerge %merge None\nOpSwitch %i %merge", blocks;
    for (size_t i = 0; i < count; ++i) {
        code += std::format(" {0} %b{0}", i);
        blocks +=
            std::format("%b{0} = OpLabel\n%t{0} = OpIAdd %uint %i %c20\nOpBranch %merge\n", i);
    }
    return test::assemble(longVectors("", "", code + "\n" + blocks + "%merge = OpLabel"));
}

Words manyElements(size_t count) {
    std::string code;
    for (size_t i = 0; i < count; ++i) {
        const std::string last = i == 0 ? "%product" : std::format("%i{}", i - 1);
        code += std::format(
            "%e{0} = OpCompositeExtract %f32 {1} {2}\n"
            "%i{0} = OpCompositeInsert %C %e{0} {1} {3}\n",
            i, last, i % 8, (i + 1) % 8);
    }
    std::string text = test::multiplyModule(64, 64, 16);
    replace(text, "OpReturn", code + "OpReturn");
    return test::assemble(text);
}

Words manyChains(size_t count) {
    std::string code;
    for (size_t i = 0; i < count; ++i) {
        code += std::format(
            "%p{0} = OpAccessChain %p_f32 %matrices %c{1} %c{2}\n"
            "%e{0} = OpLoad %f32 %p{0}\nOpStore %p{0} %e{0}\n",
            i, i % 2, i % 4);
    }
    std::string text = test::multiplyModule(64, 64, 16);
    replace(text, "%label = OpLabel\n",
            "%label = OpLabel\n%matrices = OpVariable %p_two Function\n");
    replace(text, "%main = OpFunction",
            "%two = OpTypeArray %C %c2\n%p_two = OpTypePointer Function %two\n"
            "%p_f32 = OpTypePointer Function %f32\n%main = OpFunction");
    replace(text, "OpReturn", code + "OpReturn");
    return test::assemble(text);
}

Words manyUndefined(size_t count) {
    std::string members, code;
    for (size_t i = 0; i < count; ++i) {
        members += " %u32";
        code += std::format("%undefined{0} = OpUndef %large\nOpCopyMemory %to %from\n", i);
    }
    std::string text = test::multiplyModule(16, 16, 16);
    replace(text, "%label = OpLabel\n",
            "%label = OpLabel\n%from = OpVariable %p_large Function\n"
            "%to = OpVariable %p_large Function\n");
    replace(text, "%main = OpFunction",
            "%large = OpTypeStruct" + members +
                " %C %C\n%p_large = OpTypePointer Function %large\n%main = OpFunction");
    replace(text, "OpReturn", code + "OpReturn");
    return test::assemble(text);
}

Words manyLengths(size_t count) {
    std::string constants = "%length = OpSpecConstantOp %u32 CooperativeMatrixLengthKHR %C\n",
                functions;
    for (size_t i = 0; i < count; ++i) {
        constants += std::format("%n{0} = OpSpecConstantOp %u32 IAdd %length %c1\n", i);
        functions += std::format(
            "%fn_{0} = OpFunction %void None %f\n%fn_l{0} = OpLabel\n"
            "%fn_v{0} = OpIAdd %u32 %n{0} %length\nOpReturn\nOpFunctionEnd\n",
            i);
    }
    std::string text = test::multiplyModule(16, 16, 16) + functions;
    replace(text, "%main = OpFunction", constants + "%main = OpFunction");
    return test::assemble(text);
}

Words manyLongVectors(size_t count) {
    std::string code, sums;
    for (size_t i = 0; i < count; ++i) {
        code += std::format("%y{0} = OpCompositeInsert %long %one {1} {2}\n", i,
                            i == 0 ? "%x" : std::format("%y{}", i - 1), i % 20);
    }
    for (size_t i = 0; i < count; ++i) {
        sums += std::format("%e{0} = OpCompositeExtract %f32 %y{0} 3\n", i);
    }
    return test::assemble(longVectors("", "", code + sums));
}

Words manyLoads(size_t count) {
    std::string code, sums;
    for (size_t i = 0; i < count; ++i) code += std::format("%y{} = OpLoad %long %v\n", i);
    for (size_t i = 0; i < count; ++i) {
        sums += std::format("%e{0} = OpCompositeExtract %f32 %y{0} 3\n", i);
    }
    return test::assemble(longVectors("", "", code + sums));
}

}  // namespace coopvk::rewrite::growth_test
