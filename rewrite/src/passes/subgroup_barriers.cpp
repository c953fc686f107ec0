// SPDX-License-Identifier: Apache-2.0
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

bool isSubgroupBarrier(const Module& module, const Instruction& i) {
    return i.opcode == spv::Op::OpControlBarrier &&
           module.constantValue(i.word(0)) == static_cast<uint64_t>(spv::Scope::Subgroup);
}

// OpMemoryBarrier must have an order (VUID-StandaloneSpirv-OpMemoryBarrier-04732).
bool ordersMemory(uint64_t semantics) {
    constexpr auto kOrders = static_cast<uint64_t>(
        spv::MemorySemanticsMask::Acquire | spv::MemorySemanticsMask::Release |
        spv::MemorySemanticsMask::AcquireRelease |
        spv::MemorySemanticsMask::SequentiallyConsistent);
    return (semantics & kOrders) != 0;
}

}  // namespace

void removeSubgroupBarriers(Module& module) {
    module.visitBlocks([&](Instruction& i) {
        const std::optional<uint64_t> semantics = module.constantValue(i.word(2));
        if (!isSubgroupBarrier(module, i) || !semantics) return;
        if (ordersMemory(*semantics)) {
            i.opcode = spv::Op::OpMemoryBarrier;
            i.operands.erase(i.operands.begin());
        } else {
            i.opcode = spv::Op::OpNop;
            i.operands.clear();
        }
    });
}

}  // namespace coopvk::rewrite
