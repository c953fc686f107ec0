// SPDX-License-Identifier: Apache-2.0
#include "matrix/tensor_walk.hpp"

namespace coopvk::rewrite {

TensorWalk::TensorWalk(MatrixWriter& writer, const MatrixType& matrix, uint32_t maxUnrolled,
                       TensorRun run)
    : writer_(writer),
      matrix_(matrix),
      run_(run),
      rows_(matrix.fragment.rows.count() / run.rows()),
      columns_(matrix.fragment.columns.count() / run.columns()),
      rollsRows_(rows_ * columns_ > maxUnrolled),
      rollsColumns_(columns_ > maxUnrolled) {}

void TensorWalk::run(const MakePart& ofRow, const MakePart& ofColumn, const Visit& visit) {
    Emitter& emit = writer_.emit();
    const Fragment& f = matrix_.fragment;
    const uint32_t toNextRow = run_.rows() * f.columns.count();
    std::vector<TensorPart> parts;
    for (uint32_t c = 0; !rollsColumns_ && c < columns_; ++c) {
        parts.push_back(ofColumn(writer_.columnOf(matrix_, c * run_.columns())));
    }
    const Id columnLane = writer_.laneOn(matrix_, Dimension::kColumns);
    const Id rowLane = writer_.laneOn(matrix_, Dimension::kRows);
    const auto line = [&](const TensorPart& row, Id first) {
        for (uint32_t c = 0; c < parts.size(); ++c) {
            visit(row, parts[c], emit.plus(first, c * run_.columns()));
        }
        if (!rollsColumns_) return;
        writer_.repeated(columns_, [&](Id run) {
            const Id column = emit.times(run, run_.columns());
            visit(row, ofColumn(indexOfValue(emit, f.columns, columnLane, column)),
                  emit.addU32(first, column));
        });
    };
    for (uint32_t r = 0; !rollsRows_ && r < rows_; ++r) {
        line(ofRow(writer_.rowOf(matrix_, r * run_.rows())), emit.constant(r * toNextRow));
    }
    if (!rollsRows_) return;
    writer_.repeated(rows_, [&](Id run) {
        const Id row = emit.times(run, run_.rows());
        line(ofRow(indexOfValue(emit, f.rows, rowLane, row)), emit.times(run, toNextRow));
    });
}

}  // namespace coopvk::rewrite
