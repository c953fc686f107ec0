// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/entry_point.hpp"
#include "ir/opcodes.hpp"
#include "matrix/driver/driver_matrices.hpp"
#include "matrix/instructions.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

namespace {

// The rows of a matrix in shared memory, one after the other.
struct StagedRows {
    Id component = 0;
    uint32_t rows = 0, columns = 0;
    uint32_t stride = 0;  // elements

    uint32_t elements() const { return rows * stride; }
};

// 16 bytes behind each row let rows begin at different banks.
StagedRows rowsOf(const TypeTable& types, Id component, uint32_t rows, uint32_t columns) {
    const uint32_t bytes = std::max(bytesOf(types, component), 1u);
    const bool isPadded = columns * bytes % 16 == 0;
    return {component, rows, columns, columns + (isPadded ? 16 / bytes : 0)};
}

// Barriers follow all accesses.
class DriverStaging : private MatrixCode {
 public:
    DriverStaging(MatrixContext& context, MatrixWriter& writer, const StagedRows& rows)
        : MatrixCode(context, writer), rows_(rows), access_(nonPrivateAccess(context.module)) {}

    void write(Id value) {
        if (const MatrixType* matrix = context_.matrixOfValue(value)) {
            HeldElements from(*matrix, emit_, value);
            writer_.when(writer_.isNoDuplicate(*matrix), [&] { scatter(*matrix, from); });
        } else {
            Operands operands = {idOperand(pointer(emit_.constant(0))), idOperand(value)};
            emit_.opVoid(OpCooperativeMatrixStoreKHR, withLayout(std::move(operands), false));
        }
        barrier();
    }

    void read(const Instruction& at, bool transposes) {
        if (const MatrixType* matrix = context_.matrix(at.type)) {
            gather(*matrix).construct(*matrix, emit_, at.result);
        } else {
            Operands operands = {idOperand(pointer(emit_.constant(0)))};
            emit_.op(OpCooperativeMatrixLoadKHR, at.type,
                     withLayout(std::move(operands), transposes), at.result);
        }
        barrier();
    }

 private:
    Id pointer(Id place) { return context_.staging->at(writer_, rows_.component, place); }
    void barrier() { sharedBarrier(emit_, spv::Scope::Subgroup); }

    Operands withLayout(Operands operands, bool areColumns) {
        using enum spv::CooperativeMatrixLayout;
        const auto layout = static_cast<uint32_t>(areColumns ? ColumnMajorKHR : RowMajorKHR);
        append(operands,
               {idOperand(emit_.constant(layout)), idOperand(emit_.constant(rows_.stride))});
        append(operands, access_);
        return operands;
    }

    // Where the lane's first element lies (u32), and a local one.
    Id start(const MatrixType& m) {
        const Fragment& f = m.fragment;
        const Id down =
            emit_.times(writer_.laneOn(m, Dimension::kRows), f.rows.block * rows_.stride);
        return emit_.addU32(down,
                            emit_.times(writer_.laneOn(m, Dimension::kColumns), f.columns.block));
    }
    Id placeOf(const MatrixType& m, Id start, uint32_t row, uint32_t column) {
        const Fragment& f = m.fragment;
        return emit_.plus(start, f.rows.base(row) * rows_.stride + f.columns.base(column));
    }

    void scatter(const MatrixType& m, HeldElements& from) {
        const Id first = start(m);
        from.each([&](uint32_t row, uint32_t column, const Slot& slot) {
            emit_.store(pointer(placeOf(m, first, row, column)),
                        scalarOf(emit_, rows_.component, slot), access_);
        });
    }

    HeldElements gather(const MatrixType& m) {
        HeldElements to(m);
        const Id first = start(m);
        to.each([&](uint32_t row, uint32_t column, Slot& slot) {
            slot.value =
                emit_.load(rows_.component, pointer(placeOf(m, first, row, column)), access_);
        });
        return to;
    }

    const StagedRows& rows_;
    const Operands access_;
};

// How a matrix lies, before and after its type is lowered; nullopt: its operands are not valid.
std::optional<StagedRows> rowsOf(const MatrixContext& context, Id type) {
    if (const MatrixType* matrix = context.matrix(type)) {
        return rowsOf(context.types, matrix->component, matrix->rows, matrix->columns);
    }
    const Instruction& definition = context.module.def(type);
    const auto d = matrixDimensions(context.module, definition);
    if (!d) return std::nullopt;
    return rowsOf(context.types, definition.word(0), d->rows, d->columns);
}

bool fit(const StagedRows& from, const StagedRows& to, bool transposes) {
    const bool sizes = transposes ? from.rows == to.columns && from.columns == to.rows
                                  : from.rows == to.rows && from.columns == to.columns;
    return sizes && from.component == to.component;
}

}  // namespace

bool convertsDriver(const MatrixContext& context, const Instruction& conversion) {
    return context.driver.contains(conversion.type) ||
           context.driver.contains(context.module.def(conversion.word(0)).type);
}

bool reserveForDriver(MatrixContext& context) {
    context.module.visitBlocks([&](const Instruction& i) {
        if (!isOneOf(i.opcode, {OpCooperativeMatrixConvertNV, OpCooperativeMatrixTransposeNV}) ||
            !convertsDriver(context, i)) {
            return;
        }
        const auto rows = rowsOf(context, context.module.def(i.word(0)).type);
        if (rows) context.staging->reserve(rows->component, rows->elements());
    });
    if (!context.staging->fits()) return false;
    context.staging->declare();
    return true;
}

void lowerDriverConversion(MatrixContext& context, MatrixWriter& writer, const Instruction& at) {
    const bool transposes = at.opcode == OpCooperativeMatrixTransposeNV;
    const auto from = rowsOf(context, context.module.def(at.word(0)).type);
    const auto to = rowsOf(context, at.type);
    if (!from || !to || !fit(*from, *to, transposes)) {
        return context.unsupported(at,
                                   "converts between matrices of different components or sizes");
    }
    DriverStaging staging(context, writer, *from);
    staging.write(at.word(0));
    staging.read(at, transposes);
}

}  // namespace coopvk::rewrite
