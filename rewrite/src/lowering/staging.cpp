// SPDX-License-Identifier: Apache-2.0
#include "lowering/staging.hpp"

#include <algorithm>

#include "ir/entry_point.hpp"

namespace coopvk::rewrite {

void Staging::reserve(Id element, uint32_t elements) {
    Memory& memory = memories_[element];
    memory.elements = std::max(memory.elements, elements);
}

bool Staging::fits(uint64_t more) const {
    if (memories_.empty() && more == 0) return true;
    uint64_t bytes = more;
    for (const auto& [element, memory] : memories_) {
        bytes += uint64_t{memory.elements} * subgroups_ * bytesOf(context_.types, element);
    }
    return sharedMemoryHasRoom(context_.module, bytes, context_.target.device);
}

Id Staging::variable(Id element, Memory& memory) {
    if (memory.variable != 0) return memory.variable;
    TypeTable& types = context_.types;
    const Id array = types.arrayType(element, memory.elements * subgroups_);
    return memory.variable =
               globalVariable(types, spv::StorageClass::Workgroup, array, "coopvk_staging");
}

Id Staging::at(FunctionWriter& writer, Id element, Id index) {
    Emitter& emit = writer.emit();
    Memory& memory = memories_[element];
    const Id array = variable(element, memory);
    const Id start = emit.times(writer.subgroup(), memory.elements);
    return emit.chain(element, {array, emit.addU32(start, index)});
}

Id Staging::at(Emitter& emit, Id element, Id index) {
    return emit.chain(element, {variable(element, memories_[element]), index});
}

void Staging::declare() {
    for (auto& [element, memory] : memories_) variable(element, memory);
}

}  // namespace coopvk::rewrite
