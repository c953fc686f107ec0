// SPDX-License-Identifier: Apache-2.0
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

bool isSubgroupBarrier(const Module& module, const Instruction& i) {
    return i.opcode == spv::Op::OpControlBarrier &&
           module.constantValue(i.word(0)) == static_cast<uint64_t>(spv::Scope::Subgroup);
}

// OpMemoryBarrier must have an order (VUID-StandaloneSpirv-OpMemoryBarrier-04732).
bool ordersMemory(const Module& module, Id semantics) {
    constexpr auto kOrders = static_cast<uint64_t>(
        spv::MemorySemanticsMask::Acquire | spv::MemorySemanticsMask::Release |
        spv::MemorySemanticsMask::AcquireRelease |
        spv::MemorySemanticsMask::SequentiallyConsistent);
    return (module.constantValue(semantics).value_or(0) & kOrders) != 0;
}

}  // namespace

void removeSubgroupBarriers(Module& module) {
    module.visitBlocks([&](Instruction& i) {
        if (!isSubgroupBarrier(module, i)) return;
        if (ordersMemory(module, i.word(2))) {
            i.opcode = spv::Op::OpMemoryBarrier;
            i.operands.erase(i.operands.begin());
        } else {
            i.opcode = spv::Op::OpNop;
            i.operands.clear();
        }
    });
}

}  // namespace coopvk::rewrite
