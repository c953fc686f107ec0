// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/vector_glsl.hpp"

#include "compare/shaders/glsl_instruction.hpp"
#include "compare/shaders/glsl_text.hpp"

namespace coopvk::compare {
namespace {

constexpr std::string_view kInputs[] = {"a", "b", "c"};
constexpr std::string_view kLayouts[] = {"gl_CooperativeVectorMatrixLayoutRowMajorNV",
                                         "gl_CooperativeVectorMatrixLayoutColumnMajorNV",
                                         "gl_CooperativeVectorMatrixLayoutInferencingOptimalNV",
                                         "gl_CooperativeVectorMatrixLayoutTrainingOptimalNV"};

std::string number(size_t value) { return ", " + std::to_string(value); }

// "coopvecNV<float16_t, 21>"
std::string typeOf(const VectorProgram::Operand& operand) {
    return "coopvecNV<" + glslScalar(operand.array.component) + number(operand.count) + ">";
}

// "ARRAY, OFFSET, TYPE," of numbers in an array.
std::string placeOf(const std::string& array, const VectorProgram::Shared& shared) {
    return array + number(shared.offset) + ", " + std::string(glslComponentType(shared.type)) + ",";
}

class Writer {
 public:
    explicit Writer(const VectorProgram& program);
    std::string write();

 private:
    std::string declare(const VectorProgram::Array& array);
    // The buffers' contents in shared memory, which replaces the buffers.
    void fillSharedMemory();
    const VectorProgram::Operand& operand(size_t i) const {
        return i < program_.inputs.size() ? program_.inputs[i] : *program_.result;
    }
    void access(std::string_view function, size_t operandIndex, const std::string& vector);
    void divergingStep();
    void step() {
        std::visit([&](const auto& s) { write(s); }, program_.step);
    }
    // Each gives `result` its value.
    void write(const VectorProgram::Copy&) { text_.line("result = a;"); }
    void write(const VectorProgram::TurnRound&);
    void write(const Instruction& instruction);
    void write(const VectorProgram::Product& product);
    void write(const VectorProgram::Accumulation& accumulation);

    const VectorProgram& program_;
    GlslText text_;
    std::vector<std::string> arrays_;  // of the inputs and of the result
    std::vector<Argument> inputs_;
};

Writer::Writer(const VectorProgram& program) : program_(program), text_(kInvocations) {
    text_.extension("GL_NV_cooperative_vector");
}

std::string Writer::declare(const VectorProgram::Array& array) {
    return array.storage == Storage::kAddress ? text_.address(array.address, array.component)
                                              : text_.buffer(array.binding, array.component);
}

std::string Writer::write() {
    for (const VectorProgram::Operand& input : program_.inputs)
        arrays_.push_back(declare(input.array));
    if (program_.result) arrays_.push_back(declare(program_.result->array));
    const std::vector<std::string> buffers = arrays_;
    const bool copies = program_.inputs[0].array.storage == Storage::kWorkgroup;
    if (copies) fillSharedMemory();
    text_.line("const uint invocation = gl_GlobalInvocationID.x;");
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
        inputs_.push_back({typeOf(program_.inputs[i]), std::string(kInputs[i])});
        text_.line(inputs_[i].type + " " + inputs_[i].name + ";");
        access("Load", i, inputs_[i].name);
    }
    if (program_.result) text_.line(typeOf(*program_.result) + " result;");
    if (program_.diverging) {
        divergingStep();
    } else {
        step();
    }
    if (program_.result) access("Store", program_.inputs.size(), "result");
    if (copies) {
        text_.line("barrier();");
        text_.copy(buffers.back(), arrays_.back(), program_.result->length());
    }
    return text_.text();
}

void Writer::fillSharedMemory() {
    for (size_t i = 0; i < arrays_.size(); ++i) {
        const std::string copy =
            text_.shared(static_cast<uint32_t>(i), operand(i).array.component, operand(i).length());
        text_.copy(copy, arrays_[i], operand(i).length());
        arrays_[i] = copy;
    }
    text_.line("barrier();");
}

void Writer::access(std::string_view function, size_t operandIndex, const std::string& vector) {
    text_.line("coopVec" + std::string(function) + "NV(" + vector + ", " + arrays_[operandIndex] +
               ", invocation * " + std::to_string(operand(operandIndex).block.stride) + ");");
}

// Only some invocations run it; the others keep zeros.
void Writer::divergingStep() {
    if (program_.result) {
        // In a loop: a constant vector would need one more extension.
        text_.open("for (uint i = 0; i < " + std::to_string(program_.result->count) + "; ++i)");
        text_.line("result[i] = " + glslConstant(program_.result->array.component, 0) + ";");
        text_.close();
    }
    text_.open("if (invocation % " + std::to_string(kDivergingCycle) +
               " != " + std::to_string(kDivergingOut) + ")");
    step();
    text_.close();
}

void Writer::write(const VectorProgram::TurnRound&) {
    const uint32_t count = program_.inputs[0].count;
    text_.open("for (uint i = 0; i < " + std::to_string(count) + "; ++i)");
    text_.line("result[" + std::to_string(count - 1) + " - i] = a[i];");
    text_.close();
}

void Writer::write(const Instruction& instruction) {
    text_.line("result = " +
               glslExpression(text_, instruction, program_.inputs[0].array.component,
                              typeOf(*program_.result), inputs_) +
               ";");
}

void Writer::write(const VectorProgram::Product& p) {
    text_.line(std::string(p.bias ? "coopVecMatMulAddNV" : "coopVecMatMulNV") + "(");
    text_.line("    result, a, " + std::string(glslComponentType(p.interpretation)) + ",");
    text_.line("    " + placeOf(declare(p.matrix.array), p.matrix));
    if (p.bias) text_.line("    " + placeOf(declare(p.bias->array), *p.bias));
    text_.line("    " + std::to_string(p.m) + number(p.k) + ", " + std::string(kLayouts[p.layout]) +
               (p.transpose ? ", true" : ", false") + number(p.stride) + ");");
}

void Writer::write(const VectorProgram::Accumulation& accumulation) {
    const VectorProgram::Shared& sum = accumulation.sum;
    const std::string where = ", " + declare(sum.array) + number(sum.offset);
    if (inputs_.size() == 2) {
        text_.line("coopVecOuterProductAccumulateNV(a, b" + where + ", 0, " +
                   std::string(kLayouts[accumulation.layout]) + ", " +
                   std::string(glslComponentType(sum.type)) + ");");
    } else {
        text_.line("coopVecReduceSumAccumulateNV(a" + where + ");");
    }
}

}  // namespace

std::string vectorGlsl(const VectorProgram& program) { return Writer(program).write(); }

}  // namespace coopvk::compare
