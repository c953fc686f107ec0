// SPDX-License-Identifier: Apache-2.0
#include "matrix/transposition.hpp"

#include "matrix/exchange.hpp"
#include "matrix/workgroup_exchange.hpp"

namespace coopvk::rewrite {

namespace {

// Every lane gets all of the matrix, and keeps what it holds of the transposed one.
void transposeInSubgroup(MatrixContext& context, MatrixWriter& writer, const MatrixType& from,
                         const MatrixType& to, const Instruction& at) {
    HeldElements held(from, writer.emit(), at.word(0));
    if ((held.rows.lanes > 1 || held.columns.lanes > 1) && !context.target.device.subgroupShuffle) {
        context.fail(ErrorCode::kUnsupported, at, "transposition needs subgroup shuffles");
        return;
    }
    Exchange exchange(context, writer, to.component);
    for (const Dimension d : {Dimension::kRows, Dimension::kColumns}) {
        if (held.axis(d).lanes > 1) held = exchange.gatherAxis(held, d);
    }
    HeldElements transposed(wholeAxis(to.rows), wholeAxis(to.columns));
    transposed.each(
        [&](uint32_t row, uint32_t column, Slot& slot) { slot = held.at(column, row); });
    if (to.fragment.rows.lanes > 1) {
        transposed = exchange.dealAxis(transposed, Dimension::kRows, to.fragment.rows);
    }
    if (to.fragment.columns.lanes > 1) {
        transposed = exchange.dealAxis(transposed, Dimension::kColumns, to.fragment.columns);
    }
    transposed.construct(to, writer.emit(), at.result);
}

// A function from the matrix to the transposed one. 0 with an error.
Id transposeInWorkgroup(MatrixContext& context, const MatrixType& from, const MatrixType& to,
                        const Instruction& at) {
    const Id parameters[] = {from.id};
    FunctionBuilder function(context.types, context.newFunctions, "coopvk_transpose", to.id,
                             parameters);
    Emitter& emit = function.emit();
    GridPosition position = context.position(emit.out(), LaneScope::kWorkgroup);
    const Fragment& f = from.fragment;
    const HeldElements elements(from, emit, function.parameter(0));
    const std::vector<Id> places = elementNumbers(emit, position, f, from.columns, false);
    std::vector<NumberedWord> written;
    for (uint32_t i = 0; i < places.size(); ++i) {
        written.push_back({places[i], wordOf(emit, from, elements.slots[i])});
    }
    const std::vector<Id> read = elementNumbers(emit, position, to.fragment, from.columns, true);
    const Id writes = position.isNoDuplicate(emit, f.rows.lanes, f.columns.lanes);
    const std::vector<Id> words =
        exchangeWords(context, function, at, from.rows * from.columns, writes, written, read);
    if (words.empty()) return 0;
    HeldElements result(to);
    for (uint32_t i = 0; i < words.size(); ++i) {
        result.slots[i] = {componentOf(emit, to, words[i]), 0};
    }
    return function.finish(result.construct(to, emit));
}

}  // namespace

void lowerTransposition(MatrixContext& context, MatrixWriter& writer, const Instruction& at) {
    const MatrixType* from = context.matrixOfValue(at.word(0));
    const MatrixType* to = context.matrix(at.type);
    if (from == nullptr || to == nullptr || from->component != to->component ||
        from->rows != to->columns || from->columns != to->rows ||
        from->fragment.scope != to->fragment.scope) {
        context.fail(ErrorCode::kInvalidModule, at,
                     "transposition exchanges rows and columns, and nothing else");
        return;
    }
    if (from->fragment.scope == LaneScope::kSubgroup) {
        transposeInSubgroup(context, writer, *from, *to, at);
        return;
    }
    const std::vector<uint32_t> key = {static_cast<uint32_t>(at.opcode), from->id, to->id};
    const Id function =
        context.helper(key, [&] { return transposeInWorkgroup(context, *from, *to, at); });
    if (function == 0) return;
    writer.emit().call(at.type, function, std::array{at.word(0)}, at.result);
}

}  // namespace coopvk::rewrite
