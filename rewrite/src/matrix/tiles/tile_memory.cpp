// SPDX-License-Identifier: Apache-2.0
#include "matrix/tiles/tile_memory.hpp"

#include "ir/entry_point.hpp"
#include "lowering/workgroup.hpp"

namespace coopvk::rewrite {

Operands TileMemory::access(Operands operands, const LinesInMemory& lines) {
    using enum spv::CooperativeMatrixLayout;
    const auto layout = static_cast<uint32_t>(lines.areColumns ? ColumnMajorKHR : RowMajorKHR);
    operands.push_back(idOperand(emit_.constant(layout)));
    operands.push_back(idOperand(emit_.constant(lines.stride / 4)));
    append(operands, nonPrivateAccess(context_.module));
    return operands;
}

Id TileMemory::load(Id type, const LinesInMemory& lines, Id row, Id column) {
    return emit_.op(OpCooperativeMatrixLoadKHR, type,
                    access({idOperand(pointer(lines, row, column))}, lines));
}

void TileMemory::store(Id tile, const LinesInMemory& lines, Id row, Id column) {
    emit_.opVoid(OpCooperativeMatrixStoreKHR,
                 access({idOperand(pointer(lines, row, column)), idOperand(tile)}, lines));
}

SubgroupPosition readSubgroupPosition(Emitter& emit, const TileGrid& grid) {
    const Id subgroup = readSubgroup(emit);
    return {emit.over(subgroup, grid.subgroupColumns), emit.modulo(subgroup, grid.subgroupColumns)};
}

}  // namespace coopvk::rewrite
