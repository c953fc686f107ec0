// SPDX-License-Identifier: Apache-2.0
#include "matrix/driver/driver_matrices.hpp"

#include <algorithm>

#include "ir/arithmetic_decorations.hpp"
#include "ir/opcodes.hpp"
#include "lowering/number.hpp"
#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"
#include "matrix/matrix_uses.hpp"
#include "optimise/dead_code.hpp"
#include "tensor/load_order.hpp"

namespace coopvk::rewrite {

namespace {

// Instructions that depend on which invocation holds which element.
bool needsDistributed(spv::Op opcode) {
    return isRemainder(opcode) ||
           isOneOf(opcode, {OpCooperativeMatrixReduceNV, OpCooperativeMatrixPerElementOpNV,
                            OpCooperativeMatrixLoadTensorNV, OpCooperativeMatrixStoreTensorNV});
}

// Types, values and operands that are matrices of the module.
std::vector<Id> matrixTypesOf(const Module& module, const Instruction& i) {
    std::vector<Id> found;
    const auto add = [&](Id type) {
        if (module.def(type).opcode == OpTypeCooperativeMatrixKHR) found.push_back(type);
    };
    add(i.type);
    for (const Operand& o : i.operands) {
        if (o.isId) add(module.def(o.word).type);
    }
    return found;
}

class DriverConverter {
 public:
    DriverConverter(TypeTable& types, const PlannedTarget& target)
        : types_(types), module_(types.module()), target_(target) {}

    Result<DriverMatrices> run() {
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            if (i->opcode == OpTypeCooperativeMatrixKHR) result_.types.insert(i->result);
        }
        dropUnreadObjects(types_);
        for (const auto& function : module_.functions()) {
            for (const auto& block : function->blocks) {
                InstructionList body;
                known_.clear();
                for (InstructionPtr& i : block->body) add(body, std::move(i));
                block->body = std::move(body);
            }
        }
        if (error_) return *error_;
        removeDeadCode(module_, [&](const Instruction& i) {
            return i.opcode == OpCooperativeMatrixConvertNV && result_.types.contains(i.type);
        });
        return std::move(result_);
    }

 private:
    bool isMatrix(Id type) const { return result_.types.contains(type); }

    void add(InstructionList& body, InstructionPtr i) {
        Emitter emit(types_, body);
        const std::vector<Id> matrices = matrixTypesOf(module_, *i);
        if (matrices.empty()) return emit.add(std::move(i));
        if (module_.decoration(i->result, spv::Decoration::CooperativeMatrixTransposeEXT) ||
            i->opcode == OpCooperativeMatrixGetCoordinateEXT) {
            fail(*i, "depends on the elements of the driver's matrices");
        }
        if (needsDistributed(i->opcode)) return convertAround(emit, std::move(i));
        changesUse(*i) ? changeUse(emit, std::move(i)) : emit.add(std::move(i));
    }

    void fail(const Instruction& at, std::string_view what) {
        if (!error_) error_ = errorAt(ErrorCode::kUnsupported, at, what);
    }

    // The type of which elements are distributed, in place of one of the driver's.
    Id distributed(Id type) {
        Id& found = distributed_[type];
        if (found != 0) return found;
        found = types_.newType(OpTypeCooperativeMatrixKHR, module_.def(type).operands);
        result_.distributed.insert(found);
        return found;
    }

    Id convert(Emitter& emit, Id type, Id value, std::optional<Id> result = {}) {
        ++result_.conversions;
        return emit.op(OpCooperativeMatrixConvertNV, type, {value}, result);
    }

    Id distributedValue(Emitter& emit, Id value) {
        Id& known = known_[value];
        if (known != 0) return known;
        const Instruction& made = module_.def(value);
        const Id type = distributed(made.type);
        if (made.opcode == OpConstantNull) return known = types_.constantNull(type);
        if (made.opcode == OpUndef) return known = emit.op(OpUndef, type, Operands());
        if (made.opcode == OpConstantComposite && made.operands.size() == 1) {
            return known = emit.op(OpCompositeConstruct, type, {made.word(0)});
        }
        return known = convert(emit, type, value);
    }

    void convertAround(Emitter& emit, InstructionPtr i) {
        for (Operand& operand : i->operands) {
            if (!operand.isId || !isMatrix(module_.def(operand.word).type)) continue;
            operand.word = distributedValue(emit, operand.word);
        }
        if (!isMatrix(i->type)) return emit.add(std::move(i));
        const ArithmeticDecorations decorations(module_, i->result);
        const Id value = emit.op(i->opcode, distributed(i->type), std::move(i->operands));
        decorations.addTo(value);
        decorations.removeFrom(i->result);
        convert(emit, i->type, value, i->result);
        known_[i->result] = value;
    }

    bool changesUse(const Instruction& i) const {
        if (!isConversion(i.opcode) || !isMatrix(i.type)) return false;
        const Id from = module_.def(i.word(0)).type;
        return isMatrix(from) && useOf(from) != useOf(i.type);
    }
    std::optional<uint64_t> useOf(Id type) const {
        return module_.constantValue(module_.def(type).word(4));
    }

    // Converts the driver's components first, if it has such matrices.
    void changeUse(Emitter& emit, InstructionPtr i) {
        const Id from = module_.def(i->word(0)).type;
        const Id component = module_.def(i->type).word(0);
        if (!hasSums(component)) return convertAround(emit, std::move(i));
        Operands operands = module_.def(from).operands;
        operands[0] = idOperand(component);
        const Id between = types_.matrixType(std::move(operands));
        result_.types.insert(between);
        const ArithmeticDecorations decorations(module_, i->result);
        const Id value = emit.op(i->opcode, between, {i->word(0)});
        decorations.addTo(value);
        decorations.removeFrom(i->result);
        convert(emit, i->type, value, i->result);
    }

    // Whether the driver has accumulators of a component type.
    bool hasSums(Id component) const {
        const Number* number = numberOf(types_, component);
        return number != nullptr &&
               std::ranges::any_of(target_.device.nativeShapes, [&](const MatrixShape& shape) {
                   return shape.c == number->type || shape.result == number->type;
               });
    }

    TypeTable& types_;
    Module& module_;
    const PlannedTarget& target_;
    DriverMatrices result_;
    std::map<Id, Id> distributed_;  // types
    std::map<Id, Id> known_;        // distributed values of the block, by those of the driver
    std::optional<Error> error_;
};

}  // namespace

Result<DriverMatrices> convertAroundDriver(TypeTable& types, const PlannedTarget& target) {
    return DriverConverter(types, target).run();
}

bool distributesSmallFloats(const TypeTable& types) {
    const Module& module = types.module();
    bool found = false;
    module.visitBlocks([&](const Instruction& i) {
        if (found || !needsDistributed(i.opcode)) return;
        found = std::ranges::any_of(matrixTypesOf(module, i), [&](Id type) {
            const Number* number = numberOf(types, module.def(type).word(0));
            return number != nullptr && number->isSmallFloat();
        });
    });
    return found;
}

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
        : MatrixCode(context, writer),
          rows_(rows),
          area_(context.staging->access(writer, rows.component)) {}

    void write(Id value) {
        if (const MatrixType* matrix = context_.matrixOfValue(value)) {
            HeldElements from(*matrix, emit_, value);
            elements().store(*matrix, from, Dimension::kColumns);
        } else {
            lines(false).store(emit_, area_.pointer(emit_.constant(0)), value);
        }
        area_.barrier();
    }

    void read(const Instruction& at, bool transposes) {
        if (const MatrixType* matrix = context_.matrix(at.type)) {
            HeldElements to(*matrix);
            elements().load(*matrix, to, Dimension::kColumns);
            to.construct(*matrix, emit_, at.result);
        } else {
            lines(transposes).load(emit_, at.type, area_.pointer(emit_.constant(0)), at.result);
        }
        area_.barrier();
    }

 private:
    DriverLines lines(bool areColumns) {
        return DriverLines::shared(emit_, rows_.stride, areColumns);
    }

    MatrixInArea elements() { return {context_, writer_, area_, emit_.constant(0), rows_.stride}; }

    const StagedRows& rows_;
    AreaAccess area_;
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
