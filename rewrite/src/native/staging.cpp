// SPDX-License-Identifier: Apache-2.0
#include "native/staging.hpp"

#include <algorithm>

#include "lowering/built_ins.hpp"
#include "lowering/shared_memory.hpp"

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

Id Staging::variable(Id component, Memory& memory) {
    if (memory.variable != 0) return memory.variable;
    TypeTable& types = context_.types;
    const Id array = types.arrayType(component, memory.elements * subgroups_);
    return memory.variable =
               globalVariable(types, spv::StorageClass::Workgroup, array, "coopvk_staging");
}

Id Staging::at(Emitter& emit, Id component, Id index) {
    Memory& memory = memories_[component];
    const Id array = variable(component, memory);
    const Id start = emit.times(readSubgroup(emit), memory.elements);
    return emit.chain(component, {array, emit.addU32(start, index)});
}

}  // namespace coopvk::rewrite
