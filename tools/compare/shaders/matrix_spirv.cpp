// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/matrix_spirv.hpp"

#include "compare/shaders/matrix2_spirv.hpp"
#include "compare/shaders/module_text.hpp"
#include "compare/shaders/tensor_spirv.hpp"

namespace coopvk::compare {
namespace {

struct DialectRow {
    std::string_view capability, extension, suffix;
};
constexpr DialectRow kDialects[] = {
    {"CooperativeMatrixKHR", "SPV_KHR_cooperative_matrix", "KHR"},
    {"CooperativeMatrixNV", "SPV_NV_cooperative_matrix", "NV"},
    {"CooperativeMatrixKHR", "SPV_KHR_cooperative_matrix", "KHR"},
};

constexpr uint32_t kScopes[] = {3, 2};  // Scope, by MatrixScope

class MatrixWriter {
 public:
    explicit MatrixWriter(const MatrixProgram& program);
    std::string write();

 private:
    // An operand's array, and the one that matrices go through: the same, or one in shared memory.
    struct Place {
        const MatrixProgram::Operand& operand;
        ModuleText::Array memory, used;
    };
    Place declare(const MatrixProgram::Operand& operand);
    void fillSharedMemory();
    std::string load(const Place& from);
    void store(const Place& to, const std::string& matrix);
    std::string pointer(const Place& place);
    std::string layout(const Place& place);
    std::string type(const MatrixType& type);
    std::string opcode(std::string_view name) const;

    std::string step(const MatrixProgram::Copy&);
    std::string step(const MatrixProgram::MultiplyAdd& multiplyAdd);
    std::string step(const MatrixProgram::DoubleEach&);
    std::string step(const Instruction& instruction);
    std::string step(const Reduce& reduce);
    std::string step(const PerElement&);
    std::string step(const TensorLoad& load);
    std::string step(const TensorStore& store);
    // An instruction that gives a matrix like the program's result.
    std::string result(const std::string& opcode, const std::string& operands);
    std::string signs(bool saturating) const;

    const MatrixProgram& program_;
    ModuleText text_;
    std::vector<Place> places_;        // of the inputs and then of the result
    std::vector<std::string> inputs_;  // what was loaded
};

MatrixWriter::MatrixWriter(const MatrixProgram& program)
    : program_(program), text_(program.workgroupSize) {
    const DialectRow& dialect = kDialects[static_cast<size_t>(program.dialect)];
    text_.capability(dialect.capability);
    text_.extension(dialect.extension);
}

std::string MatrixWriter::write() {
    for (const MatrixProgram::Operand& input : program_.inputs) places_.push_back(declare(input));
    places_.push_back(declare(program_.result));
    fillSharedMemory();
    for (size_t i = 0; i < program_.inputs.size(); ++i) inputs_.push_back(load(places_[i]));
    store(places_.back(), std::visit([&](const auto& s) { return step(s); }, program_.step));
    return text_.text();
}

MatrixWriter::Place MatrixWriter::declare(const MatrixProgram::Operand& operand) {
    const auto index = static_cast<uint32_t>(places_.size());
    const ModuleText::Array memory = program_.storage == Storage::kAddress
                                         ? text_.address(index, operand.element)
                                         : text_.buffer(index, operand.element);
    if (program_.storage != Storage::kWorkgroup) return {operand, memory, memory};
    return {operand, memory,
            text_.shared("shared" + std::to_string(index), operand.element, operand.length())};
}

void MatrixWriter::fillSharedMemory() {
    if (program_.storage != Storage::kWorkgroup) return;
    for (const Place& place : places_) text_.copy(place.used, place.memory, place.operand.length());
    text_.barrier();
}

std::string MatrixWriter::opcode(std::string_view name) const {
    return "Op" + std::string(name) +
           std::string(kDialects[static_cast<size_t>(program_.dialect)].suffix);
}

std::string MatrixWriter::type(const MatrixType& t) {
    const std::string size = std::to_string(t.rows) + "x" + std::to_string(t.columns);
    const std::string component = text_.component(t.component);
    std::string text = opcode("TypeCooperativeMatrix") + " " + component + " " +
                       text_.constant(kScopes[static_cast<size_t>(program_.scope)]) + " " +
                       text_.constant(t.rows) + " " + text_.constant(t.columns);
    std::string name = "mat_" + component.substr(1) + "_" + size;
    if (program_.dialect != Dialect::kNv) {
        text += " " + text_.constant(static_cast<uint32_t>(t.use));
        name += "_" + std::string(nameOf(t.use));
    }
    return text_.declare(name, text);
}

std::string MatrixWriter::layout(const Place& place) {
    const bool columnMajor = place.operand.block.columnMajor;
    const std::string stride = text_.constant(place.operand.stride());
    if (program_.dialect != Dialect::kNv) return text_.constant(columnMajor ? 1 : 0) + " " + stride;
    const std::string boolean = text_.declare("bool", "OpTypeBool");
    return stride + " " +
           (columnMajor ? text_.declare("true", "OpConstantTrue " + boolean)
                        : text_.declare("false", "OpConstantFalse " + boolean));
}

std::string MatrixWriter::pointer(const Place& place) {
    return text_.elementPointer(place.used, text_.constant(place.operand.first()));
}

std::string MatrixWriter::load(const Place& from) {
    const std::string where = pointer(from), operands = layout(from);
    const std::string resultType = type(from.operand.type), id = text_.fresh("matrix");
    text_.line(id + " = " + opcode("CooperativeMatrixLoad") + " " + resultType + " " + where + " " +
               operands + ModuleText::memoryOperands(from.used));
    return id;
}

void MatrixWriter::store(const Place& to, const std::string& matrix) {
    if (matrix.empty()) return;
    const std::string where = pointer(to), operands = layout(to);
    text_.line(opcode("CooperativeMatrixStore") + " " + where + " " + matrix + " " + operands +
               ModuleText::memoryOperands(to.used));
    if (program_.storage != Storage::kWorkgroup) return;
    text_.barrier();
    text_.copy(to.memory, to.used, to.operand.length());
}

std::string MatrixWriter::step(const MatrixProgram::Copy&) { return inputs_[0]; }

// Operands of OpCooperativeMatrixMulAddKHR.
std::string MatrixWriter::signs(bool saturating) const {
    std::string text;
    const auto add = [&](bool set, std::string_view name) {
        if (set) text += (text.empty() ? " " : "|") + std::string(name);
    };
    const auto isSigned = [](const MatrixProgram::Operand& operand) {
        return info(operand.type.component).isSigned();
    };
    add(isSigned(program_.inputs[0]), "MatrixASignedComponentsKHR");
    add(isSigned(program_.inputs[1]), "MatrixBSignedComponentsKHR");
    add(isSigned(program_.inputs[2]), "MatrixCSignedComponentsKHR");
    add(isSigned(program_.result), "MatrixResultSignedComponentsKHR");
    add(saturating, "SaturatingAccumulationKHR");
    return text;
}

std::string MatrixWriter::step(const MatrixProgram::MultiplyAdd& multiplyAdd) {
    const std::string resultType = type(program_.result.type), id = text_.fresh("product");
    text_.line(id + " = " + opcode("CooperativeMatrixMulAdd") + " " + resultType + " " +
               inputs_[0] + " " + inputs_[1] + " " + inputs_[2] +
               (program_.dialect != Dialect::kNv ? signs(multiplyAdd.saturating) : ""));
    return id;
}

std::string MatrixWriter::step(const Instruction& instruction) {
    std::string operands;
    for (const std::string& input : inputs_) operands += " " + input;
    if (instruction.scalar != 0) {
        const Component component = program_.inputs[0].type.component;
        operands += " " + text_.constant(component, scalarBits(component, instruction));
    }
    const bool changesUse = program_.inputs[0].type.use != program_.result.type.use;
    addNv2Capability(text_, instruction.opcode, changesUse);
    const std::string id = result(std::string(instruction.opcode), operands);
    if (instruction.saturates)
        text_.decorate("OpDecorate " + id + " SaturatedToLargestFloat8NormalConversionEXT");
    return id;
}

std::string MatrixWriter::step(const Reduce& reduce) {
    return result(
        "OpCooperativeMatrixReduceNV",
        " " + inputs_[0] + reduceOperands(text_, reduce, program_.inputs[0].type.component));
}

std::string MatrixWriter::step(const PerElement&) {
    return result("OpCooperativeMatrixPerElementOpNV",
                  " " + inputs_[0] + perElementOperands(text_, program_.inputs[0].type.component));
}

std::string MatrixWriter::step(const TensorLoad& load) {
    const auto index = static_cast<uint32_t>(places_.size());
    const Component component = program_.result.type.component;
    const Element element = load.decodes ? VK_COMPONENT_TYPE_UINT32_KHR : component;
    const ModuleText::Array array = program_.storage == Storage::kAddress
                                        ? text_.address(index, element)
                                        : text_.buffer(index, element);
    const std::string from = text_.elementPointer(array, text_.constant(load.first));
    return result("OpCooperativeMatrixLoadTensorNV",
                  " " + from + " " + inputs_[0] + tensorOperands(text_, load, component, array));
}

std::string MatrixWriter::step(const TensorStore& store) {
    const std::string to = pointer(places_.back());
    text_.line("OpCooperativeMatrixStoreTensorNV " + to + " " + inputs_[0] +
               tensorOperands(text_, store, places_.back().used));
    return {};
}

std::string MatrixWriter::result(const std::string& opcode, const std::string& operands) {
    const std::string resultType = type(program_.result.type), id = text_.fresh("result");
    text_.line(id + " = " + opcode + " " + resultType + operands);
    return id;
}

std::string MatrixWriter::step(const MatrixProgram::DoubleEach&) {
    const MatrixType& matrix = program_.inputs[0].type;
    const std::string typeId = type(matrix), element = text_.component(matrix.component);
    const std::string add = info(matrix.component).isFloat() ? "OpFAdd" : "OpIAdd";
    const std::string wide = text_.scalar(arithmeticOf(matrix.component));
    const auto converted = [&](const std::string& to, const std::string& value) {
        if (hasArithmetic(matrix.component)) return value;
        const std::string id = text_.fresh("converted");
        text_.line(id + " = OpFConvert " + to + " " + value);
        return id;
    };
    const std::string variable = text_.variable("elements", typeId);
    const std::string pointerType = text_.pointer("Function", element);
    const std::string length = text_.fresh("length");
    text_.line("OpStore " + variable + " " + inputs_[0]);
    text_.line(length + " = " + opcode("CooperativeMatrixLength") + " " + text_.u32() + " " +
               typeId);
    text_.loop(text_.constant(0), length, text_.constant(1), [&](const std::string& i) {
        const std::string at = text_.fresh("at"), old = text_.fresh("old"),
                          changed = text_.fresh("changed");
        text_.line(at + " = OpAccessChain " + pointerType + " " + variable + " " + i);
        text_.line(old + " = OpLoad " + element + " " + at);
        const std::string number = converted(wide, old);
        text_.line(changed + " = " + add + " " + wide + " " + number + " " + number);
        text_.line("OpStore " + at + " " + converted(element, changed));
    });
    const std::string id = text_.fresh("result");
    text_.line(id + " = OpLoad " + typeId + " " + variable);
    return id;
}

}  // namespace

std::string matrixSpirv(const MatrixProgram& program) { return MatrixWriter(program).write(); }

}  // namespace coopvk::compare
