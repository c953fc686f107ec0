// SPDX-License-Identifier: Apache-2.0
#include "matrix/role_conversion.hpp"

#include "matrix/exchange.hpp"

namespace coopvk::rewrite {

namespace {

bool dealtAlike(const Axis& a, const Axis& b) {
    return a.lanes == b.lanes && (a.lanes == 1 || a.block == b.block);
}

bool needsShuffles(const Axis& from, const Axis& to) {
    return from.lanes > 1 && !dealtAlike(from, to);
}

}  // namespace

void lowerRoleConversion(MatrixContext& context, MatrixWriter& writer,
                         const Instruction& conversion) {
    const MatrixType* from = context.matrixOfValue(conversion.word(0));
    const MatrixType* to = context.matrix(conversion.type);
    if (from == nullptr || to == nullptr || from->component != to->component ||
        from->rows != to->rows || from->columns != to->columns) {
        context.fail(ErrorCode::kInvalidModule, conversion,
                     "conversion between matrices of different components or sizes");
        return;
    }
    const Fragment& target = to->fragment;
    HeldElements held = holdValue(*from, writer.emit(), conversion.word(0));
    if ((needsShuffles(held.rows, target.rows) || needsShuffles(held.columns, target.columns)) &&
        !context.target.device.subgroupShuffle) {
        context.fail(ErrorCode::kUnsupported, conversion,
                     "a matrix in several roles needs subgroup shuffles");
        return;
    }
    Exchange exchange(context, writer, to->component);
    // Lanes that hold an axis whole pick their part of it before anything travels: that is less to
    // send.
    const auto fit = [&](Dimension d, const Axis& axis) {
        if (dealtAlike(held.axis(d), axis)) return;
        if (held.axis(d).lanes > 1) held = exchange.gatherAxis(held, d);
        if (axis.lanes > 1) held = exchange.dealAxis(held, d, axis);
    };
    const bool columnsFirst = held.columns.lanes == 1;
    if (columnsFirst) fit(Dimension::kColumns, target.columns);
    fit(Dimension::kRows, target.rows);
    if (!columnsFirst) fit(Dimension::kColumns, target.columns);
    constructHeld(*to, writer.emit(), held, conversion.result);
}

}  // namespace coopvk::rewrite
