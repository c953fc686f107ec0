// SPDX-License-Identifier: Apache-2.0
#include "matrix/tiles/tile_memory.hpp"

#include "ir/memory_model.hpp"
#include "lowering/built_ins.hpp"

namespace coopvk::rewrite {

Id TileMemory::place(const RowsInMemory& rows, Id row, Id column) {
    const Id u32 = emit_.types().uint32();
    const Id along = emit_.divInt(u32, column, emit_.constant(rows.perWord));
    const Id down = emit_.mulInt(u32, row, emit_.constant(rows.stride));
    const Id word = emit_.addInt(u32, emit_.addInt(u32, down, along), emit_.constant(rows.first));
    return memory_.pointerToFour(word);
}

Operands TileMemory::access(Operands operands, const RowsInMemory& rows) {
    constexpr auto kRowMajor = static_cast<uint32_t>(spv::CooperativeMatrixLayout::RowMajorKHR);
    operands.push_back(idOperand(emit_.constant(kRowMajor)));
    operands.push_back(idOperand(emit_.constant(rows.stride / 4)));
    const Operands memory = nonPrivateAccess(context_.module);
    operands.insert(operands.end(), memory.begin(), memory.end());
    return operands;
}

Id TileMemory::load(Id type, const RowsInMemory& rows, Id row, Id column) {
    return emit_.op(spv::Op::OpCooperativeMatrixLoadKHR, type,
                    access({idOperand(place(rows, row, column))}, rows));
}

void TileMemory::store(Id tile, const RowsInMemory& rows, Id row, Id column) {
    emit_.opVoid(spv::Op::OpCooperativeMatrixStoreKHR,
                 access({idOperand(place(rows, row, column)), idOperand(tile)}, rows));
}

SubgroupPosition readSubgroupPosition(Emitter& emit, const TileGrid& grid) {
    const Id u32 = emit.types().uint32();
    const Id subgroup = readSubgroup(emit);
    const Id across = emit.constant(grid.subgroupColumns);
    return {emit.divInt(u32, subgroup, across), emit.modInt(u32, subgroup, across)};
}

}  // namespace coopvk::rewrite
