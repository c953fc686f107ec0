// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/matrix_glsl.hpp"

#include <spirv/unified1/spirv.hpp11>

#include "compare/shaders/glsl_instruction.hpp"
#include "compare/shaders/glsl_text.hpp"
#include "compare/shaders/matrix2_glsl.hpp"

namespace coopvk::compare {
namespace {

constexpr std::string_view kInputs[] = {"a", "b", "c"};

// "fcoopmatNV<16, gl_ScopeSubgroup, 8, 8>"
std::string nvType(const MatrixType& type) {
    const ComponentInfo& component = info(type.component);
    const char kind = component.isFloat() ? 'f' : component.isSigned() ? 'i' : 'u';
    return kind + ("coopmatNV<" + std::to_string(component.bits)) + ", gl_ScopeSubgroup, " +
           std::to_string(type.rows) + ", " + std::to_string(type.columns) + ">";
}

std::string number(spv::Op op) { return std::to_string(static_cast<uint32_t>(op)); }

bool isWide(const MatrixProgram::Operand& operand) {
    return info(operand.type.component).bits == 64;
}

class Writer {
 public:
    explicit Writer(const MatrixProgram& program);
    std::string write();

 private:
    bool isKhr() const { return program_.dialect != Dialect::kNv; }
    std::string type(const MatrixType& type) { return isKhr() ? khrType(type) : nvType(type); }
    std::string khrType(const MatrixType& type);
    std::string component(Component type);
    ComponentName named(Component type) { return {type, component(type)}; }
    // Declares the arrays of an operand.
    void declare(const MatrixProgram::Operand& operand);
    void fillSharedMemory();
    // "coopMatLoad(a, buffer0.data, 0, 8, gl_CooperativeMatrixLayoutRowMajor);"
    std::string access(std::string_view function, const std::string& matrix,
                       const MatrixProgram::Operand& operand, const std::string& array) const;
    // An expression of the result; empty where calls_ give it.
    std::string step(const MatrixProgram::Copy&) { return inputs_[0].name; }
    std::string step(const MatrixProgram::MultiplyAdd& multiplyAdd);
    std::string step(const MatrixProgram::DoubleEach&);
    std::string step(const Instruction& instruction);
    std::string step(const Reduce& reduce);
    std::string step(const PerElement&);
    std::string step(const TensorLoad& load);
    std::string step(const TensorStore& store);
    // GLSL's operators do not support coopmat with 64-bit components.
    bool byNumber() const {
        return isKhr() && (isWide(program_.inputs[0]) || isWide(program_.result));
    }
    std::string multiplyAddOperands(bool saturating) const;

    const MatrixProgram& program_;
    GlslText text_;
    std::vector<const MatrixProgram::Operand*> operands_;  // inputs and then the result
    std::vector<std::string> memories_, arrays_;           // theirs; the same, or in shared memory
    std::vector<Argument> inputs_;
    std::vector<std::string> calls_;  // on `result`
};

Writer::Writer(const MatrixProgram& program) : program_(program), text_(program.workgroupSize) {
    text_.extension(isKhr() ? "GL_KHR_cooperative_matrix" : "GL_NV_cooperative_matrix");
    if (!isKhr()) text_.extension("GL_NV_integer_cooperative_matrix");
    if (program_.dialect == Dialect::kNv2) text_.extension("GL_NV_cooperative_matrix2");
}

std::string Writer::write() {
    for (const MatrixProgram::Operand& input : program_.inputs) declare(input);
    declare(program_.result);
    fillSharedMemory();
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
        inputs_.push_back({type(operands_[i]->type), std::string(kInputs[i])});
        text_.line(inputs_[i].type + " " + inputs_[i].name + ";");
        text_.line(access("Load", inputs_[i].name, *operands_[i], arrays_[i]));
    }
    const std::string result = std::visit([&](const auto& s) { return step(s); }, program_.step);
    if (std::holds_alternative<TensorStore>(program_.step)) return text_.text();
    text_.line(type(program_.result.type) + " result" + (result.empty() ? "" : " = ") + result +
               ";");
    for (const std::string& call : calls_) text_.line(call);
    text_.line(access("Store", "result", program_.result, arrays_.back()));
    if (program_.storage == Storage::kWorkgroup) {
        text_.line("barrier();");
        text_.copy(memories_.back(), arrays_.back(), program_.result.length());
    }
    return text_.text();
}

void Writer::declare(const MatrixProgram::Operand& operand) {
    const auto index = static_cast<uint32_t>(operands_.size());
    operands_.push_back(&operand);
    const Element& element = operand.element;
    // Compilers that know the extension require it; older ones do not need it.
    if (isWide(operand)) text_.extension("GL_EXT_shader_64bit_indexing", "enable");
    memories_.push_back(program_.storage == Storage::kAddress ? text_.address(index, element)
                                                              : text_.buffer(index, element));
    arrays_.push_back(program_.storage == Storage::kWorkgroup
                          ? text_.shared(index, element, operand.length())
                          : memories_.back());
}

void Writer::fillSharedMemory() {
    if (program_.storage != Storage::kWorkgroup) return;
    for (size_t i = 0; i < operands_.size(); ++i)
        text_.copy(arrays_[i], memories_[i], operands_[i]->length());
    text_.line("barrier();");
}

std::string Writer::access(std::string_view function, const std::string& matrix,
                           const MatrixProgram::Operand& operand, const std::string& array) const {
    constexpr std::string_view kKhrLayouts[] = {"gl_CooperativeMatrixLayoutRowMajor",
                                                "gl_CooperativeMatrixLayoutColumnMajor"};
    constexpr std::string_view kNvLayouts[] = {"false", "true"};  // column-major
    const std::string_view layout = (isKhr() ? kKhrLayouts : kNvLayouts)[operand.block.columnMajor];
    return "coopMat" + std::string(function) + (isKhr() ? "" : "NV") + "(" + matrix + ", " + array +
           ", " + std::to_string(operand.first()) + "u, " + std::to_string(operand.stride()) +
           "u, " + std::string(layout) + ");";
}

// coopmat and arrays take scalar types; but coopmat does not take 64-bit ones by their names.
std::string Writer::component(Component type) {
    const ComponentInfo& c = info(type);
    if (!hasArithmetic(type)) {
        const bool isBfloat16 = type == VK_COMPONENT_TYPE_BFLOAT16_KHR;
        text_.extension(isBfloat16 ? "GL_EXT_bfloat16" : "GL_EXT_float_" + std::string(c.name));
        return isBfloat16 ? "bfloat16_t" : "float" + std::string(c.name) + "_t";
    }
    if (c.bits != 64) return glslScalar(type);
    const auto define = [&](int capability, const std::string& number, const std::string& sign) {
        text_.extension("GL_EXT_spirv_intrinsics");
        text_.declare("#define " + std::string(c.name) + " spirv_type(capabilities = [" +
                      std::to_string(capability) + "], id = " + number + ", 64" + sign + ")");
    };
    if (c.isFloat()) {
        define(static_cast<int>(spv::Capability::Float64), number(spv::Op::OpTypeFloat), "");
    } else {
        define(static_cast<int>(spv::Capability::Int64), number(spv::Op::OpTypeInt),
               c.isSigned() ? ", 1" : ", 0");
    }
    return std::string(c.name);
}

// "coopmat<float16_t, gl_ScopeSubgroup, 8, 8, gl_MatrixUseA>"
std::string Writer::khrType(const MatrixType& type) {
    constexpr std::string_view kUses[] = {"gl_MatrixUseA", "gl_MatrixUseB",
                                          "gl_MatrixUseAccumulator"};
    constexpr std::string_view kScopes[] = {"gl_ScopeSubgroup", "gl_ScopeWorkgroup"};
    return "coopmat<" + component(type.component) + ", " +
           std::string(kScopes[static_cast<size_t>(program_.scope)]) + ", " +
           std::to_string(type.rows) + ", " + std::to_string(type.columns) + ", " +
           std::string(kUses[static_cast<size_t>(type.use)]) + ">";
}

// Operands that the compiler cannot derive from the types.
std::string Writer::multiplyAddOperands(bool saturating) const {
    constexpr std::string_view kSaturating = "gl_MatrixOperandsSaturatingAccumulation";
    uint32_t operands = 0;
    for (size_t i = 0; i < operands_.size(); ++i)
        if (isWide(*operands_[i]) && info(operands_[i]->type.component).isSigned())
            operands |= 1u << i;
    std::string text;
    if (saturating) text += ", " + std::string(kSaturating);
    if (operands) text += (saturating ? " | " : ", ") + std::to_string(operands);
    return text;
}

std::string Writer::step(const MatrixProgram::MultiplyAdd& multiplyAdd) {
    if (isKhr()) return "coopMatMulAdd(a, b, c" + multiplyAddOperands(multiplyAdd.saturating) + ")";
    const auto kind = [&](size_t i) { return info(operands_[i]->type.component).kind; };
    if (kind(0) == kind(1) && kind(0) == kind(2)) return "coopMatMulAddNV(a, b, c)";
    return step(Instruction{"OpCooperativeMatrixMulAddNV"});
}

std::string Writer::step(const MatrixProgram::DoubleEach&) {
    const Component c = program_.inputs[0].type.component;
    const std::string type = isKhr() ? component(c) : glslScalar(c);
    const Argument element = {type, hasArithmetic(c) ? "a[i]" : "float(a[i])"};
    const Instruction add = {info(c).isFloat() ? "OpFAdd" : "OpIAdd"};
    const auto write = byNumber() ? glslByNumber : glslExpression;
    const std::string sum = write(text_, add, c, type, {element, element});
    text_.open("for (uint i = 0; i < a.length(); ++i)");
    text_.line("a[i] = " + (hasArithmetic(c) ? sum : type + "(" + sum + ")") + ";");
    text_.close();
    return "a";
}

std::string Writer::step(const Reduce& reduce) {
    calls_.push_back(reduceCall(text_, reduce, named(program_.inputs[0].type.component)));
    return {};
}

std::string Writer::step(const PerElement&) {
    calls_.push_back(perElementCall(text_, named(program_.inputs[0].type.component)));
    return {};
}

std::string Writer::step(const TensorLoad& load) {
    const auto index = static_cast<uint32_t>(operands_.size());
    const Component c = program_.result.type.component;
    const Element element = load.decodes ? VK_COMPONENT_TYPE_UINT32_KHR : c;
    const std::string array = program_.storage == Storage::kAddress ? text_.address(index, element)
                                                                    : text_.buffer(index, element);
    const std::string access = tensorArguments(text_, load.access);
    const std::string decode = load.decodes ? decodeFunction(text_, load.access, named(c)) : "";
    calls_.push_back("coopMatLoadTensorNV(result, " + array + ", " + std::to_string(load.first) +
                     "u" + access + decode + ");");
    return "a";
}

std::string Writer::step(const TensorStore& store) {
    const std::string access = tensorArguments(text_, store.access);
    text_.line("coopMatStoreTensorNV(a, " + arrays_.back() + ", " +
               std::to_string(program_.result.first()) + "u" + access + ");");
    return {};
}

std::string Writer::step(const Instruction& instruction) {
    if (instruction.opcode == "OpCooperativeMatrixTransposeNV") {
        calls_.push_back("coopMatTransposeNV(result, a);");
        return {};
    }
    if (instruction.saturates) {
        calls_.push_back("saturatedConvertEXT(result, a);");
        return {};
    }
    if (instruction.opcode == "OpCooperativeMatrixConvertNV")
        return type(program_.result.type) + "(a)";
    const auto write = byNumber() ? glslByNumber : glslExpression;
    return write(text_, instruction, program_.inputs[0].type.component, type(program_.result.type),
                 inputs_);
}

}  // namespace

std::string matrixGlsl(const MatrixProgram& program) { return Writer(program).write(); }

std::string matrixGlslLacks(const MatrixProgram& program) {
    // The compiler turns fcoopmatNV<64> into a type of 32 bits, and refuses icoopmatNV<64>.
    const bool wide = isWide(program.inputs[0]) || isWide(program.result);
    return program.dialect == Dialect::kNv && wide
               ? "OpTypeCooperativeMatrixNV of 64-bit components"
               : "";
}

}  // namespace coopvk::compare
