// SPDX-License-Identifier: Apache-2.0
#include "matrix/matrix_writer.hpp"

namespace coopvk::rewrite {

namespace {

enum PrologueKey { kGridRow = 1, kGridColumn, kRowLane, kColumnLane };

}  // namespace

Id MatrixWriter::gridRow() {
    const Id lane = this->lane();
    return once({kGridRow, 0}, [&](Emitter& e) {
        return e.divInt(e.types().uint32(), lane, e.types().constantU32(grid_.columns));
    });
}

Id MatrixWriter::gridColumn() {
    const Id lane = this->lane();
    return once({kGridColumn, 0}, [&](Emitter& e) {
        return e.modInt(e.types().uint32(), lane, e.types().constantU32(grid_.columns));
    });
}

Id MatrixWriter::axisLane(Id gridLane, uint32_t lanes, uint32_t gridLanes) {
    if (lanes == gridLanes) return gridLane;
    const int key = gridLane == gridRow() ? kRowLane : kColumnLane;
    return once({key, lanes}, [&](Emitter& e) {
        return e.modInt(e.types().uint32(), gridLane, e.types().constantU32(lanes));
    });
}

Id MatrixWriter::isNoDuplicate(uint32_t rowLanes, uint32_t columnLanes) {
    TypeTable& t = emit().types();
    Id condition = 0;
    const auto require = [&](Id gridLane, uint32_t lanes, uint32_t gridLanes) {
        if (lanes == gridLanes) return;
        const Id below =
            emit().op(spv::Op::OpULessThan, t.boolType(), {gridLane, t.constantU32(lanes)});
        condition = condition == 0
                        ? below
                        : emit().op(spv::Op::OpLogicalAnd, t.boolType(), {condition, below});
    };
    require(gridRow(), rowLanes, grid_.rows);
    require(gridColumn(), columnLanes, grid_.columns);
    return condition;
}

}  // namespace coopvk::rewrite
