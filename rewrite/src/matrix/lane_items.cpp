// SPDX-License-Identifier: Apache-2.0
#include "ir/entry_point.hpp"
#include "lowering/context.hpp"
#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

namespace {

uint64_t lanesOfAll(const Module& module, uint32_t subgroupSize) {
    return uint64_t{subgroupsOf(module, subgroupSize)} * subgroupSize;
}

}  // namespace

uint64_t LaneItems::bytesFor(const Module& module, uint32_t subgroupSize) {
    if (!module.hasCapability(spv::Capability::VulkanMemoryModel)) return 0;
    return lanesOfAll(module, subgroupSize) * kWords * 4;
}

bool LaneItems::hasRoom(const MatrixContext& context) {
    if (context.laneItems) return true;
    const uint64_t bytes = bytesFor(context.module, context.target.subgroupSize);
    return bytes != 0 && sharedMemoryHasRoom(context.module, bytes + workgroupMemoryBytes(context),
                                             context.target.device);
}

LaneItems::LaneItems(MatrixContext& context, MatrixWriter& writer)
    : MatrixCode(context, writer),
      vector_(types_.vectorType(types_.uint32(), kWords)),
      access_(nonPrivateAccess(context.module)) {
    if (context.laneItems) return;
    const uint64_t lanes = lanesOfAll(context.module, context.target.subgroupSize);
    const Id array = types_.arrayType(vector_, static_cast<uint32_t>(lanes));
    context.laneItems = globalVariable(types_, spv::StorageClass::Workgroup, array, "coopvk_lanes");
}

Id LaneItems::pointer(Id lane, uint32_t offset) {
    const Id begin = emit_.times(writer_.subgroup(), context_.target.subgroupSize);
    return emit_.chain(vector_,
                       {*context_.laneItems, emit_.plus(emit_.addU32(begin, lane), offset)});
}

void LaneItems::store(std::span<const Id> words) {
    emit_.store(pointer(writer_.lane(), 0), emit_.construct(vector_, words), access_);
    sharedBarrier(emit_, spv::Scope::Subgroup);
}

std::vector<Id> LaneItems::load(Id first, uint32_t offset) {
    return emit_.parts(emit_.load(vector_, pointer(first, offset), access_));
}

}  // namespace coopvk::rewrite
