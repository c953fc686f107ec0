// SPDX-License-Identifier: Apache-2.0
//
// Conversions that change the use of a matrix, and so which lane holds which element.
#include "ir/users.hpp"
#include "lowering/packed.hpp"
#include "matrix/driver/driver_matrices.hpp"
#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"
#include "matrix/matrix_uses.hpp"
#include "matrix/slices/segments.hpp"

namespace coopvk::rewrite {

namespace {

bool distributedAlike(const Axis& a, const Axis& b) {
    return a.lanes == b.lanes && (a.lanes == 1 || a.block == b.block);
}

bool needsShuffles(const Axis& from, const Axis& to) {
    return from.lanes > 1 && !distributedAlike(from, to);
}

// How many words lanes get from others, if the axis `first` is exchanged first.
uint64_t shufflesOf(const Fragment& from, const Fragment& to, Dimension first) {
    uint64_t across = from.axis(other(first)).count(), shuffles = 0;
    for (const Dimension d : {first, other(first)}) {
        if (needsShuffles(from.axis(d), to.axis(d))) shuffles += from.axis(d).size * across;
        across = to.axis(d).count();
    }
    return shuffles / from.packWidth;
}

bool isTransposed(const MatrixContext& context, const Instruction& conversion) {
    constexpr auto kTransposed = spv::Decoration::CooperativeMatrixTransposeEXT;
    return context.module.decoration(conversion.result, kTransposed).has_value();
}

// Whether a lane has the same place among the lanes of both.
bool haveLanesAlike(const MatrixContext& context, const Fragment& a, const Fragment& b) {
    const LaneGrid from = context.lanesOf(a), to = context.lanesOf(b);
    return from.grid == to.grid && from.isByColumns == to.isByColumns;
}

// How many words each lane gets from others to have the whole matrix.
uint64_t shufflesForWhole(const Fragment& from) {
    uint64_t shuffles = 0;
    if (from.rows.lanes > 1) shuffles += uint64_t{from.rows.size} * from.columns.count();
    if (from.columns.lanes > 1) shuffles += uint64_t{from.rows.size} * from.columns.size;
    return shuffles / from.packWidth;
}

// Every lane gets the whole matrix, and keeps what it holds of the result.
void moveWhole(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move,
               const Instruction& at) {
    if (usesSubgroupMemory(context, move, shufflesForWhole(move.from.fragment))) {
        return moveThroughMemory(context, writer, move, at.word(0), at.result);
    }
    HeldElements held(move.from, writer.emit(), at.word(0));
    if (held.isDistributed() && !requireShuffles(context, at)) return;
    SubgroupExchange from(context, writer, move.from), to(context, writer, move.to);
    for (const Dimension d : {Dimension::kRows, Dimension::kColumns}) {
        held = from.gatherAxis(held, d);
    }
    HeldElements moved(wholeAxis(move.to.rows), wholeAxis(move.to.columns));
    moved.each([&](uint32_t row, uint32_t column, Slot& slot) {
        slot = move.transposes ? held.at(column, row) : held.at(row, column);
    });
    for (const Dimension d : {Dimension::kRows, Dimension::kColumns}) {
        moved = to.distributeAxis(moved, d, move.to.fragment.axis(d));
    }
    moved.construct(move.to, writer.emit(), at.result);
}

}  // namespace

void convertInSubgroup(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move,
                       const Instruction& conversion) {
    if (changeGrid(context, writer, move, conversion.word(0), conversion.result)) return;
    const Fragment& from = move.from.fragment;
    const Fragment& target = move.to.fragment;
    if (!haveLanesAlike(context, from, target)) return moveWhole(context, writer, move, conversion);
    // An axis that lanes hold whole comes first: they keep only their part of it, so fewer elements
    // are shuffled for the other axis.
    const Dimension first = from.columns.lanes == 1 ? Dimension::kColumns : Dimension::kRows;
    if (usesSubgroupMemory(context, move, shufflesOf(from, target, first))) {
        moveThroughMemory(context, writer, move, conversion.word(0), conversion.result);
        return;
    }
    HeldElements held(move.from, writer.emit(), conversion.word(0));
    if ((needsShuffles(held.rows, target.rows) || needsShuffles(held.columns, target.columns)) &&
        !requireShuffles(context, conversion)) {
        return;
    }
    SubgroupExchange exchange(context, writer, move.to);
    for (const Dimension d : {first, other(first)}) {
        if (distributedAlike(held.axis(d), target.axis(d))) continue;
        held = exchange.gatherAxis(held, d);
        held = exchange.distributeAxis(held, d, target.axis(d));
    }
    held.construct(move.to, writer.emit(), conversion.result);
}

void lowerRoleConversion(MatrixContext& context, MatrixWriter& writer,
                         const Instruction& conversion) {
    if (context.slices.firstColumns.contains(conversion.result))
        return lowerFactorSlice(context, writer, conversion);
    if (convertsDriver(context, conversion)) {
        return lowerDriverConversion(context, writer, conversion);
    }
    const MatrixType* from = context.matrixOfValue(conversion.word(0));
    const MatrixType* to = context.matrix(conversion.type);
    if (from != nullptr && to != nullptr &&
        (from->number != to->number || isTransposed(context, conversion))) {
        // VK_EXT_cooperative_matrix_maintenance1: transposed, or integers of other signedness.
        Instruction cast = conversion;
        cast.opcode = OpBitcast;
        lowerConversion(context, writer, cast);
        return;
    }
    if (from == nullptr || to == nullptr || from->component != to->component ||
        from->rows != to->rows || from->columns != to->columns) {
        return context.invalid(conversion,
                               "conversion between matrices of different components or sizes");
    }
    if (from->fragment.scope != to->fragment.scope) {
        return context.invalid(conversion, "conversion between matrices of different scopes");
    }
    if (from->tiles || to->tiles) return lowerTileConversion(context, writer, conversion);
    if (from->fragment.scope == LaneScope::kWorkgroup) {  // a lane holds the same for every use
        const std::vector<Id> packs = extractPacks(writer.emit(), *from, conversion.word(0));
        constructFromPacks(writer.emit(), *to, packs, conversion.result);
        return;
    }
    convertInSubgroup(context, writer, {*from, *to}, conversion);
}

namespace {

// Whether lanes hold the components of both matrices, as themselves, in the same order.
bool areHeldAlike(const MatrixType& a, const MatrixType& b) {
    const auto isPlain = [](const MatrixType& m) {
        return !m.tiles && !m.isConverted() && !m.isOpen();
    };
    return isPlain(a) && isPlain(b) && a.shape == b.shape && a.fragment.rows == b.fragment.rows &&
           a.fragment.columns == b.fragment.columns && a.fragment.scope == b.fragment.scope &&
           a.fragment.run == b.fragment.run && a.fragment.map == b.fragment.map;
}

}  // namespace

void findStoredConversions(MatrixContext& context) {
    if (context.tensors.layouts.empty()) return;
    const Users users(context.module);
    const auto isStored = [](const Usage& use) {
        return use.user->opcode == OpCooperativeMatrixStoreTensorNV && use.operand == 1;
    };
    context.module.visitBlocks([&](const Instruction& i) {
        if (i.opcode != OpFConvert || !users.all(i.result, isStored)) return;
        const MatrixType* from = context.matrixOfValue(i.word(0));
        const MatrixType* to = context.matrix(i.type);
        if (from == nullptr || to == nullptr || context.module.isDecorated(i.result)) return;
        if (areHeldAlike(*from, *to)) context.storedConversions.emplace(i.result, i.word(0));
    });
}

bool lowerConversion(MatrixContext& context, MatrixWriter& writer, Instruction& conversion) {
    if (context.storedConversions.contains(conversion.result)) return true;
    const MatrixType* from = context.matrixOfValue(conversion.word(0));
    const MatrixType* to = context.matrix(conversion.type);
    const bool transposes = isTransposed(context, conversion);
    if (from == nullptr || to == nullptr || (from->shape == to->shape && !transposes)) {
        return lowerMatrixConversion(context, writer.emit(), conversion);
    }
    if (from->tiles || to->tiles) {
        return context.fail(ErrorCode::kUnsupported, conversion,
                            "a conversion that transposes gives no matrix of use A or B");
    }
    // Converts the components first, then changes the use.
    Id value = conversion.word(0);
    if (from->number != to->number) {
        const Id between = typeWith(context, *from, to->format, *to->number).id;
        value = context.module.takeId();
        const InstructionPtr first =
            makeInstruction(conversion.opcode, between, value, conversion.operands);
        if (to->hasSmallFloats()) {
            ArithmeticDecorations(context.module, conversion.result).addTo(value);
        }
        if (!lowerMatrixConversion(context, writer.emit(), *first)) return false;
    }
    const InstructionPtr second =
        makeInstruction(transposes ? OpCooperativeMatrixTransposeNV : OpCooperativeMatrixConvertNV,
                        to->id, conversion.result, {idOperand(value)});
    transposes ? lowerTransposition(context, writer, *second)
               : lowerRoleConversion(context, writer, *second);
    return true;
}

// OpCooperativeMatrixTransposeNV.
void lowerTransposition(MatrixContext& context, MatrixWriter& writer, const Instruction& at) {
    if (convertsDriver(context, at)) return lowerDriverConversion(context, writer, at);
    const MatrixType* from = context.matrixOfValue(at.word(0));
    const MatrixType* to = context.matrix(at.type);
    if (from == nullptr || to == nullptr || from->component != to->component ||
        from->rows != to->columns || from->columns != to->rows ||
        from->fragment.scope != to->fragment.scope) {
        return context.invalid(at, "transposition exchanges rows and columns, and nothing else");
    }
    if (from->fragment.scope == LaneScope::kSubgroup) {
        return moveWhole(context, writer, {*from, *to, true}, at);
    }
    lowerWorkgroupExchange(context, writer, at,
                           {.name = "coopvk_transpose",
                            .key = {static_cast<uint32_t>(at.opcode), from->id, to->id},
                            .from = *from,
                            .to = *to,
                            .computed = from->fragment,
                            .isTranspose = true,
                            .element = [](Emitter&, HeldElements& operand, uint32_t row,
                                          uint32_t column) { return operand.at(row, column); }});
}

}  // namespace coopvk::rewrite
