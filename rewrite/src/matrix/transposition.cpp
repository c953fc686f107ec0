// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixTransposeNV.
#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"
#include "matrix/subgroup_memory.hpp"
#include "matrix/workgroup_exchange.hpp"

namespace coopvk::rewrite {

namespace {

// Words that each lane gets to have the whole matrix.
uint64_t shufflesOf(const Fragment& from) {
    uint64_t shuffles = 0;
    if (from.rows.lanes > 1) shuffles += uint64_t{from.rows.size} * from.columns.count();
    if (from.columns.lanes > 1) shuffles += uint64_t{from.rows.size} * from.columns.size;
    return shuffles / from.packWidth;
}

// Every lane gets the whole matrix, and keeps what it holds of the transposed one.
void transposeInSubgroup(MatrixContext& context, MatrixWriter& writer, const MatrixType& from,
                         const MatrixType& to, const Instruction& at) {
    if (const SubgroupMove move = {from, to, true};
        usesSubgroupMemory(context, move, shufflesOf(from.fragment))) {
        return moveThroughMemory(context, writer, move, at.word(0), at.result);
    }
    HeldElements held(from, writer.emit(), at.word(0));
    if (held.isDistributed() && !requireShuffles(context, at)) return;
    Exchange exchange(context, writer, to.component);
    for (const Dimension d : {Dimension::kRows, Dimension::kColumns}) {
        held = exchange.gatherAxis(held, d);
    }
    HeldElements transposed(wholeAxis(to.rows), wholeAxis(to.columns));
    transposed.each(
        [&](uint32_t row, uint32_t column, Slot& slot) { slot = held.at(column, row); });
    for (const Dimension d : {Dimension::kRows, Dimension::kColumns}) {
        transposed = exchange.distributeAxis(transposed, d, to.fragment.axis(d));
    }
    transposed.construct(to, writer.emit(), at.result);
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
    lowerWorkgroupExchange(context, writer, at,
                           {"coopvk_transpose",
                            {static_cast<uint32_t>(at.opcode), from->id, to->id},
                            *from,
                            *to,
                            from->fragment,
                            true,
                            [](Emitter&, HeldElements& operand, uint32_t row, uint32_t column) {
                                return operand.at(row, column);
                            }});
}

}  // namespace coopvk::rewrite
