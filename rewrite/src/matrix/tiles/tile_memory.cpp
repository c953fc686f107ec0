// SPDX-License-Identifier: Apache-2.0
#include "matrix/tiles/tile_memory.hpp"

#include "ir/memory_model.hpp"
#include "lowering/built_ins.hpp"

namespace coopvk::rewrite {

Operands TileMemory::access(Operands operands, const RowsInMemory& rows) {
    constexpr auto kRowMajor = static_cast<uint32_t>(spv::CooperativeMatrixLayout::RowMajorKHR);
    operands.push_back(idOperand(emit_.constant(kRowMajor)));
    operands.push_back(idOperand(emit_.constant(rows.stride / 4)));
    append(operands, nonPrivateAccess(context_.module));
    return operands;
}

Id TileMemory::load(Id type, const RowsInMemory& rows, Id row, Id column) {
    return emit_.op(spv::Op::OpCooperativeMatrixLoadKHR, type,
                    access({idOperand(pointer(rows, row, column))}, rows));
}

void TileMemory::store(Id tile, const RowsInMemory& rows, Id row, Id column) {
    emit_.opVoid(spv::Op::OpCooperativeMatrixStoreKHR,
                 access({idOperand(pointer(rows, row, column)), idOperand(tile)}, rows));
}

SubgroupPosition readSubgroupPosition(Emitter& emit, const TileGrid& grid) {
    const Id subgroup = readSubgroup(emit);
    return {emit.over(subgroup, grid.subgroupColumns), emit.modulo(subgroup, grid.subgroupColumns)};
}

}  // namespace coopvk::rewrite
