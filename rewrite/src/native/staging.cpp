// SPDX-License-Identifier: Apache-2.0
#include "native/staging.hpp"

#include <algorithm>

#include "ir/shared_memory.hpp"
#include "lowering/subgroup_variable.hpp"

namespace coopvk::rewrite {

void Staging::reserve(Id component, uint32_t elements) {
    Memory& memory = memories_[component];
    memory.elements = std::max(memory.elements, elements);
}

bool Staging::fits() const {
    if (memories_.empty()) return true;
    uint64_t bytes = 0;
    for (const auto& [component, memory] : memories_) {
        bytes += uint64_t{memory.elements} * subgroups_ * context_.types.width(component) / 8;
    }
    return sharedMemoryHasRoom(context_.module, bytes, context_.target.device);
}

Id Staging::subgroupVariable() {
    if (subgroupId_ == 0) subgroupId_ = rewrite::subgroupVariable(context_.types);
    return subgroupId_;
}

Id Staging::variable(Id component, Memory& memory) {
    if (memory.variable != 0) return memory.variable;
    TypeTable& types = context_.types;
    const Id array = types.arrayType(component, memory.elements * subgroups_);
    const Id type = types.pointerType(spv::StorageClass::Workgroup, array);
    memory.variable = context_.module.takeId();
    context_.module.append(Section::kGlobals,
                           makeInstruction(spv::Op::OpVariable, type, memory.variable,
                                           {literal(spv::StorageClass::Workgroup)}));
    context_.module.addName(memory.variable, "coopvk_staging");
    return memory.variable;
}

Id Staging::at(FunctionWriter& writer, Id component, Id index) {
    TypeTable& types = context_.types;
    Emitter& emit = writer.emit();
    Memory& memory = memories_[component];
    const Id array = variable(component, memory);
    const Id input = subgroupVariable();
    const Id inputType = context_.module.def(context_.module.def(input).type).word(1);
    const Id subgroup = emit.bitcast(types.uint32(), emit.op(spv::Op::OpLoad, inputType, {input}));
    const Id start = emit.mulInt(types.uint32(), subgroup, types.constantU32(memory.elements));
    const Id place = emit.addInt(types.uint32(), start, index);
    const Id pointer = types.pointerType(spv::StorageClass::Workgroup, component);
    return emit.op(spv::Op::OpAccessChain, pointer, {array, place});
}

void Staging::barrier(FunctionWriter& writer) {
    TypeTable& types = context_.types;
    using Mask = spv::MemorySemanticsMask;
    const uint32_t semantics =
        static_cast<uint32_t>(Mask::AcquireRelease) | static_cast<uint32_t>(Mask::WorkgroupMemory) |
        static_cast<uint32_t>(Mask::MakeAvailable) | static_cast<uint32_t>(Mask::MakeVisible);
    const Id scope = types.constantU32(static_cast<uint32_t>(spv::Scope::Subgroup));
    writer.emit().opVoid(spv::Op::OpControlBarrier, {idOperand(scope), idOperand(scope),
                                                     idOperand(types.constantU32(semantics))});
}

void Staging::finish() {
    if (context_.module.version() < 0x00010400) return;  // only inputs and outputs are listed
    for (const auto& [component, memory] : memories_) {
        if (memory.variable == 0) continue;
        for (const InstructionPtr& entry : context_.module.section(Section::kEntryPoints)) {
            entry->operands.push_back(idOperand(memory.variable));
        }
    }
}

}  // namespace coopvk::rewrite
