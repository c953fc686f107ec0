// SPDX-License-Identifier: Apache-2.0
#include "vector/built_in.hpp"

#include "ir/built_ins.hpp"

namespace coopvk::rewrite {

namespace {

Id variableFor(VectorContext& context, spv::BuiltIn builtIn, Id type, std::string_view name) {
    const auto number = static_cast<uint32_t>(builtIn);
    const auto [entry, isNew] = context.variables.try_emplace({0xB1, number}, 0);
    if (!isNew) return entry->second;
    return entry->second = builtInVariable(context.types, builtIn, type, name);
}

}  // namespace

Id readBuiltIn(VectorContext& context, Emitter& emit, spv::BuiltIn builtIn, Id type,
               std::string_view name, bool isVolatile) {
    const Id variable = variableFor(context, builtIn, type, name);
    const Id pointer = context.module.def(variable).type;
    const Id own = context.module.def(pointer).word(1);
    Operands operands = {idOperand(variable)};
    if (isVolatile) operands.push_back(literal(spv::MemoryAccessMask::Volatile));
    return emit.bitcast(type, emit.op(spv::Op::OpLoad, own, std::move(operands)));
}

}  // namespace coopvk::rewrite
