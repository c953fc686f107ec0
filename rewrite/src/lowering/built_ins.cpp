// SPDX-License-Identifier: Apache-2.0
#include "lowering/built_ins.hpp"

#include <algorithm>

namespace coopvk::rewrite {

namespace {

// The interface follows the name, whose words are not ids.
bool isInInterface(const Instruction& entry, Id variable) {
    return std::ranges::any_of(std::span(entry.operands).subspan(2), [&](const Operand& operand) {
        return operand.isId && operand.word == variable;
    });
}

bool isOfSubgroups(spv::BuiltIn builtIn) {
    return builtIn == spv::BuiltIn::SubgroupLocalInvocationId ||
           builtIn == spv::BuiltIn::SubgroupId || builtIn == spv::BuiltIn::SubgroupSize;
}

}  // namespace

Id builtInVariable(TypeTable& types, spv::BuiltIn builtIn, Id type, std::string_view name) {
    Module& module = types.module();
    Instruction& entry = *module.section(Section::kEntryPoints).front();
    const auto number = static_cast<uint32_t>(builtIn);
    for (const InstructionPtr& i : module.section(Section::kAnnotations)) {
        if (decorates(*i, spv::Decoration::BuiltIn) && i->word(2) == number &&
            module.def(i->word(0)).opcode == spv::Op::OpVariable &&
            isInInterface(entry, i->word(0))) {
            return i->word(0);
        }
    }
    const Id variable = globalVariable(types, spv::StorageClass::Input, type, name);
    module.decorate(variable, spv::Decoration::BuiltIn, {number});
    // Integer inputs of fragment shaders must be Flat.
    const bool isFragment = entry.word(0) == static_cast<uint32_t>(spv::ExecutionModel::Fragment);
    if (isFragment && types.isInteger(type)) module.decorate(variable, spv::Decoration::Flat);
    if (isOfSubgroups(builtIn)) module.addCapability(spv::Capability::GroupNonUniform);
    entry.operands.push_back(idOperand(variable));
    return variable;
}

Id readBuiltIn(Emitter& emit, spv::BuiltIn builtIn, Id type, std::string_view name,
               bool isVolatile) {
    const Id variable = builtInVariable(emit.types(), builtIn, type, name);
    Operands memory;
    if (isVolatile) memory.push_back(literal(spv::MemoryAccessMask::Volatile));
    return emit.bitcast(type, emit.load(emit.module().pointee(variable), variable, memory));
}

Id readLane(Emitter& emit) {
    return readBuiltIn(emit, spv::BuiltIn::SubgroupLocalInvocationId, emit.types().uint32(),
                       "coopvk_lane");
}

Id readSubgroup(Emitter& emit) {
    return readBuiltIn(emit, spv::BuiltIn::SubgroupId, emit.types().uint32(), "coopvk_subgroup");
}

Id readInvocation(Emitter& emit) {
    return readBuiltIn(emit, spv::BuiltIn::LocalInvocationIndex, emit.types().uint32(),
                       "coopvk_invocation");
}

}  // namespace coopvk::rewrite
