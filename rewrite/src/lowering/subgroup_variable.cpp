// SPDX-License-Identifier: Apache-2.0
#include "lowering/subgroup_variable.hpp"

#include "ir/built_ins.hpp"

namespace coopvk::rewrite {

Id subgroupVariable(TypeTable& types) {
    types.module().addCapability(spv::Capability::GroupNonUniform);
    return builtInVariable(types, spv::BuiltIn::SubgroupId, types.uint32(), "coopvk_subgroup");
}

Id readSubgroup(TypeTable& types, Emitter& emit) {
    const Module& module = types.module();
    const Id input = subgroupVariable(types);
    const Id type = module.def(module.def(input).type).word(1);
    return emit.bitcast(types.uint32(), emit.op(spv::Op::OpLoad, type, {input}));
}

}  // namespace coopvk::rewrite
