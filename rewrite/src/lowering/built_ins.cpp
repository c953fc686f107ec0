// SPDX-License-Identifier: Apache-2.0
#include "lowering/built_ins.hpp"

namespace coopvk::rewrite {

namespace {

bool isOfSubgroups(spv::BuiltIn builtIn) {
    return builtIn == spv::BuiltIn::SubgroupLocalInvocationId ||
           builtIn == spv::BuiltIn::SubgroupId || builtIn == spv::BuiltIn::SubgroupSize;
}

}  // namespace

Id builtInVariable(TypeTable& types, spv::BuiltIn builtIn, Id type, std::string_view name) {
    Module& module = types.module();
    Instruction& entry = *module.section(Section::kEntryPoints).front();
    const auto number = static_cast<uint32_t>(builtIn);
    // The interface follows the name, whose words are not ids.
    for (const Operand& o : operandsBehind(entry, 2)) {
        if (o.isId && module.def(o.word).opcode == spv::Op::OpVariable &&
            module.decoration(o.word, spv::Decoration::BuiltIn) == number) {
            return o.word;
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
