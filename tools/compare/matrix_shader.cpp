// SPDX-License-Identifier: Apache-2.0
#include "matrix_shader.hpp"

namespace coopvk::compare {
namespace {

struct DialectRow {
    std::string_view capability, extension, suffix;
};
constexpr DialectRow kDialects[] = {
    {"CooperativeMatrixKHR", "SPV_KHR_cooperative_matrix", "KHR"},
    {"CooperativeMatrixNV", "SPV_NV_cooperative_matrix", "NV"},
};

constexpr uint32_t kSubgroup = 3;  // Scope

const DialectRow& rowOf(Dialect dialect) { return kDialects[static_cast<size_t>(dialect)]; }

std::string opcode(Dialect dialect, std::string_view name) {
    return "Op" + std::string(name) + std::string(rowOf(dialect).suffix);
}

// Operands of OpCooperativeMatrixMulAddKHR.
std::string signs(const MatrixRow& row) {
    std::string text;
    const auto add = [&](bool set, std::string_view name) {
        if (set) text += (text.empty() ? " " : "|") + std::string(name);
    };
    add(info(row.a).isSigned(), "MatrixASignedComponentsKHR");
    add(info(row.b).isSigned(), "MatrixBSignedComponentsKHR");
    add(info(row.c).isSigned(), "MatrixCSignedComponentsKHR");
    add(info(row.result).isSigned(), "MatrixResultSignedComponentsKHR");
    add(row.saturating, "SaturatingAccumulationKHR");
    return text;
}

uint32_t elementCount(const MatrixShader::Operand& operand) {
    return static_cast<uint32_t>(operand.block.end() / operand.memory.bytes);
}

}  // namespace

std::string_view nameOf(Use use) { return use == Use::kA ? "A" : use == Use::kB ? "B" : "C"; }

std::string nameOf(const MatrixType& type) {
    return std::string(nameOf(type.use)) + " " + std::to_string(type.rows) + "x" +
           std::to_string(type.columns) + " " + std::string(nameOf(type.component));
}

MatrixShader::MatrixShader(Dialect dialect, Storage storage, uint32_t subgroupSize)
    : dialect_(dialect), storage_(storage), text_(subgroupSize) {
    text_.capability(rowOf(dialect).capability);
    text_.extension(rowOf(dialect).extension);
}

MatrixShader::Operand MatrixShader::operand(const Block& block, const Element& element) {
    const uint32_t index = operandCount();
    Operand o;
    o.block = block;
    o.memory = storage_ == Storage::kAddress ? text_.address(index, element)
                                             : text_.buffer(index, element);
    o.used = o.memory;
    if (storage_ == Storage::kWorkgroup)
        o.used = text_.shared("shared" + std::to_string(index), element, elementCount(o));
    operands_.push_back(o);
    return o;
}

void MatrixShader::begin() {
    if (storage_ != Storage::kWorkgroup) return;
    for (const Operand& o : operands_) text_.copy(o.used, o.memory, elementCount(o));
    text_.barrier();
}

std::string MatrixShader::type(const MatrixType& t) {
    const std::string size = std::to_string(t.rows) + "x" + std::to_string(t.columns);
    const std::string component = text_.scalar(t.component);
    std::string text = opcode(dialect_, "TypeCooperativeMatrix") + " " + component + " " +
                       text_.constant(kSubgroup) + " " + text_.constant(t.rows) + " " +
                       text_.constant(t.columns);
    std::string name = "mat_" + component.substr(1) + "_" + size;
    if (dialect_ == Dialect::kKhr) {
        text += " " + text_.constant(static_cast<uint32_t>(t.use));
        name += "_" + std::string(nameOf(t.use));
    }
    return text_.declare(name, text);
}

std::string MatrixShader::layoutOperands(const Operand& operand) {
    const Block& block = operand.block;
    const std::string stride =
        text_.constant(static_cast<uint32_t>(block.stride / operand.memory.bytes));
    if (dialect_ == Dialect::kKhr) return text_.constant(block.columnMajor ? 1 : 0) + " " + stride;
    const std::string boolean = text_.declare("bool", "OpTypeBool");
    return stride + " " +
           (block.columnMajor ? text_.declare("true", "OpConstantTrue " + boolean)
                              : text_.declare("false", "OpConstantFalse " + boolean));
}

std::string MatrixShader::place(const Operand& operand) {
    const size_t first = operand.block.offset / operand.memory.bytes;
    return text_.elementPointer(operand.used, text_.constant(static_cast<uint32_t>(first)));
}

std::string MatrixShader::load(const Operand& from, const MatrixType& matrixType) {
    const std::string where = place(from), layout = layoutOperands(from);
    const std::string resultType = type(matrixType), id = text_.fresh("matrix");
    text_.line(id + " = " + opcode(dialect_, "CooperativeMatrixLoad") + " " + resultType + " " +
               where + " " + layout + ModuleText::memoryOperands(from.used));
    return id;
}

std::string MatrixShader::store(const Operand& to, const std::string& matrix) {
    const std::string where = place(to), layout = layoutOperands(to);
    text_.line(opcode(dialect_, "CooperativeMatrixStore") + " " + where + " " + matrix + " " +
               layout + ModuleText::memoryOperands(to.used));
    if (storage_ == Storage::kWorkgroup) {
        text_.barrier();
        text_.copy(to.memory, to.used, elementCount(to));
    }
    return text_.text();
}

std::string MatrixShader::multiplyAdd(const MatrixRow& row, const std::string& a,
                                      const std::string& b, const std::string& c) {
    const std::string resultType = type({row.result, row.m, row.n, Use::kAccumulator});
    const std::string id = text_.fresh("product");
    text_.line(id + " = " + opcode(dialect_, "CooperativeMatrixMulAdd") + " " + resultType + " " +
               a + " " + b + " " + c + (dialect_ == Dialect::kKhr ? signs(row) : ""));
    return id;
}

std::string MatrixShader::apply(std::string_view op, const MatrixType& matrixType,
                                std::string_view operands) {
    const std::string resultType = type(matrixType), id = text_.fresh("result");
    text_.line(id + " = " + std::string(op) + " " + resultType + " " + std::string(operands));
    return id;
}

std::string MatrixShader::eachElement(std::string_view op, const MatrixType& matrixType,
                                      const std::string& matrix) {
    const std::string typeId = type(matrixType), element = text_.scalar(matrixType.component);
    const std::string variable = text_.variable("elements", typeId);
    const std::string pointer = text_.pointer("Function", element);
    const std::string length = text_.fresh("length");
    text_.line("OpStore " + variable + " " + matrix);
    text_.line(length + " = " + opcode(dialect_, "CooperativeMatrixLength") + " " + text_.u32() +
               " " + typeId);
    text_.loop(text_.constant(0), length, text_.constant(1), [&](const std::string& i) {
        const std::string at = text_.fresh("at"), old = text_.fresh("old"),
                          changed = text_.fresh("changed");
        text_.line(at + " = OpAccessChain " + pointer + " " + variable + " " + i);
        text_.line(old + " = OpLoad " + element + " " + at);
        text_.line(changed + " = " + std::string(op) + " " + element + " " + old + " " + old);
        text_.line("OpStore " + at + " " + changed);
    });
    const std::string id = text_.fresh("result");
    text_.line(id + " = OpLoad " + typeId + " " + variable);
    return id;
}

}  // namespace coopvk::compare
