// SPDX-License-Identifier: Apache-2.0
#include "matrix/role_conversion.hpp"

#include "lowering/packed_elementwise.hpp"
#include "matrix/elements.hpp"
#include "matrix/exchange.hpp"
#include "matrix/matrix_types.hpp"
#include "matrix/tiles/tile_exchange.hpp"
#include "matrix/transposition.hpp"

namespace coopvk::rewrite {

namespace {

bool dealtAlike(const Axis& a, const Axis& b) {
    return a.lanes == b.lanes && (a.lanes == 1 || a.block == b.block);
}

bool needsShuffles(const Axis& from, const Axis& to) {
    return from.lanes > 1 && !dealtAlike(from, to);
}

// A type like `from` with components as `to` has them.
Id typeBetween(MatrixContext& context, const MatrixType& from, const MatrixType& to) {
    for (const auto& [id, known] : context.matrices) {
        if (known.use == from.use && known.component == to.component && known.rows == from.rows &&
            known.columns == from.columns && known.fragment.scope == from.fragment.scope &&
            !known.isConverted() && !known.words) {
            return id;
        }
    }
    TypeTable& types = context.types;
    MatrixType made = from;
    made.component = to.component;
    made.number = to.number;
    made.fragment =
        makeFragment(context.policy, {from.rows, from.columns, from.use, from.fragment.scope},
                     types.width(made.component));
    made.words = false;
    made.sums = Sums::kClosed;
    describePacks(made, types);
    // A type for itself: arrays of other matrices may be equal.
    made.id = context.module.takeId();
    const Id packs = types.constantU32(made.fragment.packs());
    context.module.append(Section::kGlobals,
                          makeInstruction(spv::Op::OpTypeArray, 0, made.id,
                                          {idOperand(made.pack), idOperand(packs)}));
    context.matrices.emplace(made.id, made);
    return made.id;
}

bool isTransposed(const MatrixContext& context, const Instruction& conversion) {
    constexpr auto kTransposed = spv::Decoration::CooperativeMatrixTransposeEXT;
    return context.module.decoration(conversion.result, kTransposed).has_value();
}

}  // namespace

void lowerRoleConversion(MatrixContext& context, MatrixWriter& writer,
                         const Instruction& conversion) {
    const MatrixType* from = context.matrixOfValue(conversion.word(0));
    const MatrixType* to = context.matrix(conversion.type);
    if (from != nullptr && to != nullptr &&
        (from->component != to->component || isTransposed(context, conversion))) {
        // VK_EXT_cooperative_matrix_maintenance1: transposed, or integers of other signedness.
        Instruction cast = conversion;
        cast.opcode = spv::Op::OpBitcast;
        lowerConversion(context, writer, cast);
        return;
    }
    if (from == nullptr || to == nullptr || from->component != to->component ||
        from->rows != to->rows || from->columns != to->columns) {
        context.fail(ErrorCode::kInvalidModule, conversion,
                     "conversion between matrices of different components or sizes");
        return;
    }
    if (from->fragment.scope != to->fragment.scope) {
        context.fail(ErrorCode::kInvalidModule, conversion,
                     "conversion between matrices of different scopes");
        return;
    }
    if (from->tiles || to->tiles) return lowerTileConversion(context, writer, conversion);
    if (from->fragment.scope == LaneScope::kWorkgroup) {  // lanes hold the same whatever the use
        const std::vector<Id> packs = extractPacks(writer.emit(), *from, conversion.word(0));
        constructFromPacks(writer.emit(), *to, packs, conversion.result);
        return;
    }
    const Fragment& target = to->fragment;
    HeldElements held(*from, writer.emit(), conversion.word(0));
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
    held.construct(*to, writer.emit(), conversion.result);
}

bool lowerConversion(MatrixContext& context, MatrixWriter& writer, Instruction& conversion) {
    const MatrixType* from = context.matrixOfValue(conversion.word(0));
    const MatrixType* to = context.matrix(conversion.type);
    const bool transposes = isTransposed(context, conversion);
    if (from == nullptr || to == nullptr || from->isConverted() || to->isConverted() ||
        (from->shape == to->shape && !transposes)) {
        return lowerMatrixConversion(context, writer.emit(), conversion);
    }
    // First the components, then who holds them.
    Id value = conversion.word(0);
    if (from->component != to->component) {
        const Id between = typeBetween(context, *from, *to);
        value = context.module.takeId();
        const InstructionPtr first =
            makeInstruction(conversion.opcode, between, value, conversion.operands);
        if (!lowerElementWise(context, writer.emit(), *first)) return false;
    }
    const InstructionPtr second =
        makeInstruction(transposes ? spv::Op::OpCooperativeMatrixTransposeNV
                                   : spv::Op::OpCooperativeMatrixConvertNV,
                        to->id, conversion.result, {idOperand(value)});
    transposes ? lowerTransposition(context, writer, *second)
               : lowerRoleConversion(context, writer, *second);
    return true;
}

}  // namespace coopvk::rewrite
