// SPDX-License-Identifier: Apache-2.0
#include "vector_shader.hpp"

namespace coopvk::compare {
namespace {

constexpr size_t kVectorAlignment = 16;

}  // namespace

Block vectorsOf(Component type, uint32_t count, uint32_t invocations) {
    Block block = {type, invocations, count, false, 0, 0};
    const size_t bytes = size_t{count} * info(type).bytes();
    block.stride = (bytes + kVectorAlignment - 1) / kVectorAlignment * kVectorAlignment;
    return block;
}

VectorShader::VectorShader() : text_(kInvocations) {
    text_.capability("CooperativeVectorNV");
    text_.extension("SPV_NV_cooperative_vector");
}

std::string VectorShader::type(Component component, uint32_t count) {
    const std::string scalar = text_.scalar(component), size = text_.constant(count);
    return text_.declare("vec_" + scalar.substr(1) + "_" + std::to_string(count),
                         "OpTypeCooperativeVectorNV " + scalar + " " + size);
}

ModuleText::Array VectorShader::array(Storage storage, uint32_t binding, uint32_t address,
                                      Component component) {
    return storage == Storage::kAddress ? text_.address(address, component)
                                        : text_.buffer(binding, component);
}

std::string VectorShader::offsetOf(const Block& block) {
    const std::string index = text_.invocation(), id = text_.fresh("offset");
    text_.line(id + " = OpIMul " + text_.u32() + " " + index + " " +
               text_.constant(static_cast<uint32_t>(block.stride)));
    return id;
}

std::string VectorShader::load(const ModuleText::Array& array, Component component, uint32_t count,
                               const Block& block) {
    const std::string pointer = text_.arrayPointer(array), offset = offsetOf(block);
    return apply("OpCooperativeVectorLoadNV", type(component, count),
                 pointer + " " + offset + ModuleText::memoryOperands(array));
}

void VectorShader::store(const ModuleText::Array& array, const std::string& vector,
                         const Block& block) {
    const std::string pointer = text_.arrayPointer(array), offset = offsetOf(block);
    text_.line("OpCooperativeVectorStoreNV " + pointer + " " + offset + " " + vector +
               ModuleText::memoryOperands(array));
}

std::string VectorShader::apply(std::string_view opcode, const std::string& resultType,
                                std::string_view operands) {
    const std::string id = text_.fresh("result");
    text_.line(id + " = " + std::string(opcode) + " " + resultType + " " + std::string(operands));
    return id;
}

VectorShader::Branch VectorShader::beginBranch(const std::string& resultType) {
    Branch branch;
    const std::string boolean = text_.declare("bool", "OpTypeBool"), index = text_.invocation();
    if (!resultType.empty()) {
        branch.variable = text_.variable("kept", resultType);
        text_.line("OpStore " + branch.variable + " " +
                   text_.declare("zeros", "OpConstantNull " + resultType));
    }
    const std::string rest = text_.fresh("rest"), inside = text_.fresh("inside"),
                      body = text_.fresh("body");
    branch.merge = text_.fresh("merge");
    text_.line(rest + " = OpUMod " + text_.u32() + " " + index + " " + text_.constant(3));
    text_.line(inside + " = OpINotEqual " + boolean + " " + rest + " " + text_.constant(1));
    text_.line("OpSelectionMerge " + branch.merge + " None");
    text_.line("OpBranchConditional " + inside + " " + body + " " + branch.merge);
    text_.line(body + " = OpLabel");
    return branch;
}

void VectorShader::endBranch(const Branch& branch, const std::string& result) {
    if (!result.empty()) text_.line("OpStore " + branch.variable + " " + result);
    text_.line("OpBranch " + branch.merge);
    text_.line(branch.merge + " = OpLabel");
}

}  // namespace coopvk::compare
