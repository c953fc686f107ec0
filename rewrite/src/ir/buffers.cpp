// SPDX-License-Identifier: Apache-2.0
#include "ir/buffers.hpp"

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

Id bufferBlock(TypeTable& types, Id element, spv::Decoration kind,
               std::span<const spv::Decoration> qualifiers) {
    Module& module = types.module();
    const Id array = module.takeId();
    module.append(Section::kGlobals,
                  makeInstruction(spv::Op::OpTypeRuntimeArray, 0, array, {idOperand(element)}));
    module.decorate(array, spv::Decoration::ArrayStride,
                    {types.width(element) / 8 * types.components(element)});
    const Id block = module.takeId();
    module.append(Section::kGlobals,
                  makeInstruction(spv::Op::OpTypeStruct, 0, block, {idOperand(array)}));
    module.decorate(block, kind);
    const auto decorateMember = [&](spv::Decoration decoration, Operands literals) {
        Operands operands = {idOperand(block), literal(0u), literal(decoration)};
        operands.insert(operands.end(), literals.begin(), literals.end());
        module.append(Section::kAnnotations,
                      makeInstruction(spv::Op::OpMemberDecorate, 0, 0, std::move(operands)));
    };
    decorateMember(spv::Decoration::Offset, {literal(0u)});
    for (const spv::Decoration qualifier : qualifiers) decorateMember(qualifier, {});
    return block;
}

Id likeDescriptors(Module& module, Id original, Id block) {
    const Instruction array = module.def(original);
    if (!isArrayType(array.opcode)) return block;
    Operands operands = array.operands;
    operands[0] = idOperand(block);
    const Id type = module.takeId();
    module.append(Section::kGlobals, makeInstruction(array.opcode, 0, type, std::move(operands)));
    return type;
}

void declareAliased(Module& module, Id variable) {
    module.removeDecoration(variable, spv::Decoration::Restrict);
    if (!module.decoration(variable, spv::Decoration::Aliased)) {
        module.decorate(variable, spv::Decoration::Aliased);
    }
}

}  // namespace coopvk::rewrite
