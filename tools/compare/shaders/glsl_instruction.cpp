// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/glsl_instruction.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

namespace coopvk::compare {
namespace {

// How GLSL writes it: with an operator, a function, or a constructor; or not at all.
enum class Form { kPrefix, kInfix, kRightShift, kFunction, kConstructor, kNone };

struct Row {
    constexpr Row(std::string_view name, spv::Op op, Form as, std::string_view by = {})
        : Row(name, static_cast<uint32_t>(op), as, by) {}
    constexpr Row(std::string_view name, uint32_t instruction, Form as, std::string_view by = {})
        : opcode(name), number(instruction), form(as), word(by) {}
    std::string_view opcode;
    uint32_t number;  // in SPIR-V or in GLSL.std.450
    Form form;
    std::string_view word;
};

constexpr Row kRows[] = {
    {"OpFNegate", spv::Op::OpFNegate, Form::kPrefix, "-"},
    {"OpSNegate", spv::Op::OpSNegate, Form::kPrefix, "-"},
    {"OpNot", spv::Op::OpNot, Form::kPrefix, "~"},
    {"OpFAdd", spv::Op::OpFAdd, Form::kInfix, "+"},
    {"OpIAdd", spv::Op::OpIAdd, Form::kInfix, "+"},
    {"OpFSub", spv::Op::OpFSub, Form::kInfix, "-"},
    {"OpISub", spv::Op::OpISub, Form::kInfix, "-"},
    {"OpFMul", spv::Op::OpFMul, Form::kInfix, "*"},
    {"OpIMul", spv::Op::OpIMul, Form::kInfix, "*"},
    {"OpFDiv", spv::Op::OpFDiv, Form::kInfix, "/"},
    {"OpSDiv", spv::Op::OpSDiv, Form::kInfix, "/"},
    {"OpUDiv", spv::Op::OpUDiv, Form::kInfix, "/"},
    {"OpMatrixTimesScalar", spv::Op::OpMatrixTimesScalar, Form::kInfix, "*"},
    {"OpVectorTimesScalar", spv::Op::OpVectorTimesScalar, Form::kInfix, "*"},
    {"OpBitwiseAnd", spv::Op::OpBitwiseAnd, Form::kInfix, "&"},
    {"OpBitwiseOr", spv::Op::OpBitwiseOr, Form::kInfix, "|"},
    {"OpBitwiseXor", spv::Op::OpBitwiseXor, Form::kInfix, "^"},
    {"OpShiftLeftLogical", spv::Op::OpShiftLeftLogical, Form::kInfix, "<<"},
    {"OpShiftRightLogical", spv::Op::OpShiftRightLogical, Form::kRightShift, ">>"},
    {"OpShiftRightArithmetic", spv::Op::OpShiftRightArithmetic, Form::kRightShift, ">>"},
    {"OpFConvert", spv::Op::OpFConvert, Form::kConstructor},
    {"OpSConvert", spv::Op::OpSConvert, Form::kConstructor},
    {"OpUConvert", spv::Op::OpUConvert, Form::kConstructor},
    {"OpConvertFToS", spv::Op::OpConvertFToS, Form::kConstructor},
    {"OpConvertFToU", spv::Op::OpConvertFToU, Form::kConstructor},
    {"OpConvertSToF", spv::Op::OpConvertSToF, Form::kConstructor},
    {"OpConvertUToF", spv::Op::OpConvertUToF, Form::kConstructor},
    {"OpCooperativeMatrixMulAddNV", spv::Op::OpCooperativeMatrixMulAddNV, Form::kNone},
    {"FMin", GLSLstd450FMin, Form::kFunction, "min"},
    {"SMin", GLSLstd450SMin, Form::kFunction, "min"},
    {"UMin", GLSLstd450UMin, Form::kFunction, "min"},
    {"NMin", GLSLstd450NMin, Form::kNone},
    {"FMax", GLSLstd450FMax, Form::kFunction, "max"},
    {"SMax", GLSLstd450SMax, Form::kFunction, "max"},
    {"UMax", GLSLstd450UMax, Form::kFunction, "max"},
    {"NMax", GLSLstd450NMax, Form::kNone},
    {"FClamp", GLSLstd450FClamp, Form::kFunction, "clamp"},
    {"SClamp", GLSLstd450SClamp, Form::kFunction, "clamp"},
    {"UClamp", GLSLstd450UClamp, Form::kFunction, "clamp"},
    {"NClamp", GLSLstd450NClamp, Form::kNone},
    {"Step", GLSLstd450Step, Form::kFunction, "step"},
    {"Fma", GLSLstd450Fma, Form::kFunction, "fma"},
    {"Exp", GLSLstd450Exp, Form::kFunction, "exp"},
    {"Log", GLSLstd450Log, Form::kFunction, "log"},
    {"Tanh", GLSLstd450Tanh, Form::kFunction, "tanh"},
    {"Atan", GLSLstd450Atan, Form::kFunction, "atan"},
};

const Row& rowOf(const Instruction& instruction) {
    return *std::ranges::find(kRows, instruction.opcode, &Row::opcode);
}

std::vector<Argument> withScalar(const Instruction& instruction, Component component,
                                 const std::vector<Argument>& operands) {
    std::vector<Argument> all = operands;
    if (instruction.scalar != 0)
        all.push_back(
            {glslScalar(component), glslConstant(component, scalarBits(component, instruction))});
    return all;
}

std::string joined(const std::vector<Argument>& arguments, std::string Argument::* part) {
    std::string text;
    for (const Argument& argument : arguments) text += (text.empty() ? "" : ", ") + argument.*part;
    return "(" + text + ")";
}

// "shiftRightLogical"
std::string functionName(std::string_view opcode) {
    std::string name(opcode.starts_with("Op") ? opcode.substr(2) : opcode);
    name[0] = static_cast<char>(name[0] - 'A' + 'a');
    return name;
}

// GLSL shifts in the sign for signed numbers, and zeros for unsigned ones.
bool isRightShiftOf(const Instruction& instruction, Component component) {
    return (instruction.opcode == "OpShiftRightArithmetic") == info(component).isSigned();
}

}  // namespace

std::string glslByNumber(GlslText& text, const Instruction& instruction, Component component,
                         const std::string& resultType, const std::vector<Argument>& operands) {
    const std::vector<Argument> arguments = withScalar(instruction, component, operands);
    const std::string name = functionName(instruction.opcode);
    text.extension("GL_EXT_spirv_intrinsics");
    text.declare(std::string("spirv_instruction(") +
                 (instruction.extended ? "set = \"GLSL.std.450\", " : "") +
                 "id = " + std::to_string(rowOf(instruction).number) + ")  // " +
                 std::string(instruction.opcode) + "\n" + resultType + " " + name +
                 joined(arguments, &Argument::type) + ";");
    return name + joined(arguments, &Argument::name);
}

std::string glslExpression(GlslText& text, const Instruction& instruction, Component component,
                           const std::string& resultType, const std::vector<Argument>& operands) {
    const std::vector<Argument> all = withScalar(instruction, component, operands);
    const Row& row = rowOf(instruction);
    const std::string word(row.word);
    switch (row.form) {
        case Form::kPrefix:
            return word + all[0].name;
        case Form::kRightShift:
            if (!isRightShiftOf(instruction, component)) break;
            [[fallthrough]];
        case Form::kInfix:
            return all[0].name + " " + word + " " + all[1].name;
        case Form::kFunction:
            return word + joined(all, &Argument::name);
        case Form::kConstructor:
            return resultType + joined(all, &Argument::name);
        case Form::kNone:
            break;
    }
    return glslByNumber(text, instruction, component, resultType, operands);
}

}  // namespace coopvk::compare
