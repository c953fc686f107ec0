// SPDX-License-Identifier: Apache-2.0
#include "matrix/tensor_walk.hpp"

namespace coopvk::rewrite {

TensorWalk::TensorWalk(MatrixWriter& writer, const MatrixType& matrix, uint32_t mostUnrolled)
    : writer_(writer),
      matrix_(matrix),
      rows_(matrix.fragment.rows.count()),
      columns_(matrix.fragment.columns.count()),
      rollsRows_(rows_ * columns_ > mostUnrolled),
      rollsColumns_(columns_ > mostUnrolled) {}

// As indexOn, of a local index that is no constant.
Id TensorWalk::indexOf(const Axis& axis, Id lane, Id local) {
    Emitter& emit = writer_.emit();
    const Id u32 = emit.types().uint32();
    const Id block = emit.constant(axis.block);
    const Id turn =
        emit.mulInt(u32, emit.divInt(u32, local, block), emit.constant(axis.lanes * axis.block));
    const Id base = emit.addInt(u32, turn, emit.modInt(u32, local, block));
    if (axis.lanes == 1) return base;
    return emit.addInt(u32, emit.mulInt(u32, lane, block), base);
}

void TensorWalk::run(const MakePart& ofRow, const MakePart& ofColumn, const Visit& visit) {
    Emitter& emit = writer_.emit();
    const Id u32 = emit.types().uint32();
    const Fragment& f = matrix_.fragment;
    std::vector<TensorPart> parts;
    for (uint32_t c = 0; !rollsColumns_ && c < columns_; ++c) {
        parts.push_back(ofColumn(writer_.columnOf(matrix_, c)));
    }
    const Id columnLane = writer_.columnLane(matrix_), rowLane = writer_.rowLane(matrix_);
    const auto line = [&](const TensorPart& row, Id first) {
        for (uint32_t c = 0; c < parts.size(); ++c) {
            visit(row, parts[c], emit.addInt(u32, first, emit.constant(c)));
        }
        if (!rollsColumns_) return;
        writer_.repeated(columns_, [&](Id column) {
            visit(row, ofColumn(indexOf(f.columns, columnLane, column)),
                  emit.addInt(u32, first, column));
        });
    };
    for (uint32_t r = 0; !rollsRows_ && r < rows_; ++r) {
        line(ofRow(writer_.rowOf(matrix_, r)), emit.constant(r * columns_));
    }
    if (!rollsRows_) return;
    writer_.repeated(rows_, [&](Id row) {
        line(ofRow(indexOf(f.rows, rowLane, row)), emit.mulInt(u32, row, emit.constant(columns_)));
    });
}

}  // namespace coopvk::rewrite
