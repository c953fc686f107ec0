// SPDX-License-Identifier: Apache-2.0
#include "matrix/subgroup_variable.hpp"

namespace coopvk::rewrite {

Id subgroupVariable(TypeTable& types) {
    Module& module = types.module();
    for (const InstructionPtr& i : module.section(Section::kAnnotations)) {
        if (i->opcode == spv::Op::OpDecorate &&
            i->word(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
            i->word(2) == static_cast<uint32_t>(spv::BuiltIn::SubgroupId) &&
            module.def(i->word(0)).opcode == spv::Op::OpVariable) {
            return i->word(0);
        }
    }
    const Id variable = module.takeId();
    const Id type = types.pointerType(spv::StorageClass::Input, types.uint32());
    module.append(Section::kGlobals, makeInstruction(spv::Op::OpVariable, type, variable,
                                                     {literal(spv::StorageClass::Input)}));
    module.decorate(variable, spv::Decoration::BuiltIn,
                    {static_cast<uint32_t>(spv::BuiltIn::SubgroupId)});
    module.addName(variable, "coopvk_subgroup");
    module.addCapability(spv::Capability::GroupNonUniform);
    return variable;
}

Id readSubgroup(TypeTable& types, Emitter& emit) {
    const Module& module = types.module();
    const Id input = subgroupVariable(types);
    const Id type = module.def(module.def(input).type).word(1);
    return emit.bitcast(types.uint32(), emit.op(spv::Op::OpLoad, type, {input}));
}

}  // namespace coopvk::rewrite
