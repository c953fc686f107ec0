// SPDX-License-Identifier: Apache-2.0
#include "vector/built_in.hpp"

namespace coopvk::rewrite {

namespace {

Id variableFor(VectorContext& context, spv::BuiltIn builtIn, Id type, std::string_view name) {
    const auto number = static_cast<uint32_t>(builtIn);
    const auto [entry, isNew] = context.variables.try_emplace({0xB1, number}, 0);
    if (!isNew) return entry->second;
    Module& module = context.module;
    for (const InstructionPtr& i : module.section(Section::kAnnotations)) {
        if (i->opcode == spv::Op::OpDecorate && i->word(2) == number &&
            i->word(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
            module.def(i->word(0)).opcode == spv::Op::OpVariable) {
            return entry->second = i->word(0);
        }
    }
    const Id variable = module.takeId();
    module.append(Section::kGlobals,
                  makeInstruction(spv::Op::OpVariable,
                                  context.types.pointerType(spv::StorageClass::Input, type),
                                  variable, {literal(spv::StorageClass::Input)}));
    module.decorate(variable, spv::Decoration::BuiltIn, {number});
    // Fragment shaders interpolate no integers.
    if (context.stage == Stage::kFragment && context.types.isInteger(type)) {
        module.decorate(variable, spv::Decoration::Flat);
    }
    module.addName(variable, name);
    return entry->second = variable;
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
