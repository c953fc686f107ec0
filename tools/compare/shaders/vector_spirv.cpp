// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/vector_spirv.hpp"

#include "compare/shaders/module_text.hpp"

namespace coopvk::compare {
namespace {

class VectorWriter {
 public:
    explicit VectorWriter(const VectorProgram& program);
    std::string write();

 private:
    ModuleText::Array declare(const VectorProgram::Array& array);
    void declareShared(const VectorProgram::Copy&) {}
    void declareShared(const VectorProgram::TurnRound&) {}
    void declareShared(const Instruction&) {}
    void declareShared(const VectorProgram::Product& product);
    void declareShared(const VectorProgram::Accumulation& accumulation);
    // The buffers' contents in shared memory, which replaces the buffers.
    void fillSharedMemory();

    std::string type(Component component, uint32_t count);
    std::string type(const VectorProgram::Operand& operand) {
        return type(operand.array.component, operand.count);
    }
    std::string load(const ModuleText::Array& array, const VectorProgram::Operand& operand);
    void store(const ModuleText::Array& array, const std::string& vector,
               const VectorProgram::Operand& operand);
    std::string offsetOf(const Block& block);
    // "%r = OPCODE %TYPE OPERANDS"
    std::string apply(std::string_view opcode, const std::string& type, std::string_view operands);

    // Only some invocations run the step; the others keep zeros.
    std::string divergingStep();
    // The result, where there is one.
    std::string step() {
        return std::visit([&](const auto& s) { return step(s); }, program_.step);
    }
    std::string step(const VectorProgram::Copy&) { return inputs_[0]; }
    std::string step(const VectorProgram::TurnRound&);
    std::string step(const Instruction& instruction);
    std::string step(const VectorProgram::Product& product);
    std::string step(const VectorProgram::Accumulation& accumulation);
    std::string operandsOf(const VectorProgram::Product& product);
    std::string number(uint64_t value) {
        return " " + text_.constant(static_cast<uint32_t>(value));
    }

    const VectorProgram& program_;
    ModuleText text_;
    std::vector<ModuleText::Array> arrays_;  // of the inputs and of the result
    std::vector<ModuleText::Array> shared_;  // of the step
    std::vector<std::string> inputs_;        // what was loaded
};

VectorWriter::VectorWriter(const VectorProgram& program) : program_(program), text_(kInvocations) {
    text_.capability("CooperativeVectorNV");
    text_.extension("SPV_NV_cooperative_vector");
}

std::string VectorWriter::write() {
    for (const VectorProgram::Operand& input : program_.inputs)
        arrays_.push_back(declare(input.array));
    std::visit([&](const auto& s) { declareShared(s); }, program_.step);
    if (program_.result) arrays_.push_back(declare(program_.result->array));
    const std::vector<ModuleText::Array> buffers = arrays_;
    const bool copies = program_.inputs[0].array.storage == Storage::kWorkgroup;
    if (copies) fillSharedMemory();
    for (size_t i = 0; i < program_.inputs.size(); ++i)
        inputs_.push_back(load(arrays_[i], program_.inputs[i]));
    const std::string result = program_.diverging ? divergingStep() : step();
    if (program_.result) store(arrays_.back(), result, *program_.result);
    if (copies) {
        text_.barrier();
        text_.copy(buffers.back(), arrays_.back(), program_.result->length());
    }
    return text_.text();
}

ModuleText::Array VectorWriter::declare(const VectorProgram::Array& array) {
    return array.storage == Storage::kAddress ? text_.address(array.address, array.component)
                                              : text_.buffer(array.binding, array.component);
}

void VectorWriter::declareShared(const VectorProgram::Product& product) {
    shared_.push_back(declare(product.matrix.array));
    if (product.bias) shared_.push_back(declare(product.bias->array));
}

void VectorWriter::declareShared(const VectorProgram::Accumulation& accumulation) {
    text_.capability("CooperativeVectorTrainingNV");
    shared_.push_back(declare(accumulation.sum.array));
}

void VectorWriter::fillSharedMemory() {
    for (size_t i = 0; i < arrays_.size(); ++i) {
        const VectorProgram::Operand& operand =
            i < program_.inputs.size() ? program_.inputs[i] : *program_.result;
        const ModuleText::Array copy =
            text_.shared("shared" + std::to_string(i), operand.array.component, operand.length());
        text_.copy(copy, arrays_[i], operand.length());
        arrays_[i] = copy;
    }
    text_.barrier();
}

std::string VectorWriter::type(Component component, uint32_t count) {
    const std::string scalar = text_.scalar(component), size = text_.constant(count);
    return text_.declare("vec_" + scalar.substr(1) + "_" + std::to_string(count),
                         "OpTypeCooperativeVectorNV " + scalar + " " + size);
}

std::string VectorWriter::offsetOf(const Block& block) {
    const std::string index = text_.invocation(), id = text_.fresh("offset");
    text_.line(id + " = OpIMul " + text_.u32() + " " + index + number(block.stride));
    return id;
}

std::string VectorWriter::load(const ModuleText::Array& array,
                               const VectorProgram::Operand& operand) {
    const std::string pointer = text_.arrayPointer(array), offset = offsetOf(operand.block);
    return apply("OpCooperativeVectorLoadNV", type(operand),
                 pointer + " " + offset + ModuleText::memoryOperands(array));
}

void VectorWriter::store(const ModuleText::Array& array, const std::string& vector,
                         const VectorProgram::Operand& operand) {
    const std::string pointer = text_.arrayPointer(array), offset = offsetOf(operand.block);
    text_.line("OpCooperativeVectorStoreNV " + pointer + " " + offset + " " + vector +
               ModuleText::memoryOperands(array));
}

std::string VectorWriter::apply(std::string_view opcode, const std::string& resultType,
                                std::string_view operands) {
    const std::string id = text_.fresh("result");
    text_.line(id + " = " + std::string(opcode) + " " + resultType + " " + std::string(operands));
    return id;
}

std::string VectorWriter::divergingStep() {
    const std::string boolean = text_.declare("bool", "OpTypeBool"), index = text_.invocation();
    std::string kept, resultType;
    if (program_.result) {
        resultType = type(*program_.result);
        kept = text_.variable("kept", resultType);
        text_.line("OpStore " + kept + " " +
                   text_.declare("zeros", "OpConstantNull " + resultType));
    }
    const std::string rest = text_.fresh("rest"), inside = text_.fresh("inside"),
                      body = text_.fresh("body"), merge = text_.fresh("merge");
    text_.line(rest + " = OpUMod " + text_.u32() + " " + index + number(kDivergingCycle));
    text_.line(inside + " = OpINotEqual " + boolean + " " + rest + number(kDivergingOut));
    text_.line("OpSelectionMerge " + merge + " None");
    text_.line("OpBranchConditional " + inside + " " + body + " " + merge);
    text_.line(body + " = OpLabel");
    const std::string result = step();
    if (program_.result) text_.line("OpStore " + kept + " " + result);
    text_.line("OpBranch " + merge);
    text_.line(merge + " = OpLabel");
    return program_.result ? apply("OpLoad", resultType, kept) : "";
}

std::string VectorWriter::step(const Instruction& instruction) {
    std::string operands, opcode(instruction.opcode);
    if (instruction.extended) {
        operands = text_.glsl() + " " + opcode + " ";
        opcode = "OpExtInst";
    }
    for (size_t i = 0; i < inputs_.size(); ++i) operands += (i ? " " : "") + inputs_[i];
    if (instruction.scalar != 0) {
        const Component component = program_.inputs[0].array.component;
        operands += " " + text_.constant(component, scalarBits(component, instruction));
    }
    return apply(opcode, type(*program_.result), operands);
}

// Component by component, by dynamic index.
std::string VectorWriter::step(const VectorProgram::TurnRound&) {
    const VectorProgram::Operand& vector = program_.inputs[0];
    const std::string typeId = type(vector), scalar = text_.scalar(vector.array.component);
    const std::string from = text_.variable("from", typeId), to = text_.variable("to", typeId);
    const std::string pointer = text_.pointer("Function", scalar);
    text_.line("OpStore " + from + " " + inputs_[0]);
    text_.loop(text_.constant(0), text_.constant(vector.count), text_.constant(1),
               [&](const std::string& i) {
                   const std::string other =
                       apply("OpISub", text_.u32(), text_.constant(vector.count - 1) + " " + i);
                   const std::string source = apply("OpAccessChain", pointer, from + " " + i);
                   const std::string target = apply("OpAccessChain", pointer, to + " " + other);
                   text_.line("OpStore " + target + " " + apply("OpLoad", scalar, source));
               });
    return apply("OpLoad", typeId, to);
}

std::string VectorWriter::operandsOf(const VectorProgram::Product& p) {
    const std::string boolean = text_.declare("bool", "OpTypeBool");
    std::string operands = inputs_[0] + number(p.interpretation) + " " +
                           text_.arrayPointer(shared_[0]) + number(p.matrix.offset) +
                           number(p.matrix.type);
    if (p.bias)
        operands +=
            " " + text_.arrayPointer(shared_[1]) + number(p.bias->offset) + number(p.bias->type);
    operands += number(p.m) + number(p.k) + number(p.layout) + " " +
                (p.transpose ? text_.declare("true", "OpConstantTrue " + boolean)
                             : text_.declare("false", "OpConstantFalse " + boolean)) +
                number(p.stride);
    const bool inputSigned = info(program_.inputs[0].array.component).isSigned(),
               resultSigned = info(program_.result->array.component).isSigned();
    if (inputSigned) operands += " MatrixBSignedComponentsKHR";
    if (resultSigned)
        operands += std::string(inputSigned ? "|" : " ") + "MatrixResultSignedComponentsKHR";
    return operands;
}

std::string VectorWriter::step(const VectorProgram::Product& product) {
    const std::string resultType = type(*program_.result);
    return apply(
        product.bias ? "OpCooperativeVectorMatrixMulAddNV" : "OpCooperativeVectorMatrixMulNV",
        resultType, operandsOf(product));
}

std::string VectorWriter::step(const VectorProgram::Accumulation& accumulation) {
    const VectorProgram::Shared& sum = accumulation.sum;
    const std::string where = text_.arrayPointer(shared_[0]) + number(sum.offset);
    if (inputs_.size() == 2) {
        text_.line("OpCooperativeVectorOuterProductAccumulateNV " + where + " " + inputs_[0] + " " +
                   inputs_[1] + number(accumulation.layout) + number(sum.type));
    } else {
        text_.line("OpCooperativeVectorReduceSumAccumulateNV " + where + " " + inputs_[0]);
    }
    return {};
}

}  // namespace

std::string vectorSpirv(const VectorProgram& program) { return VectorWriter(program).write(); }

}  // namespace coopvk::compare
