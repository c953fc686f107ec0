// SPDX-License-Identifier: Apache-2.0
#include "unify/transpositions.hpp"

#include "lowering/opcode_table.hpp"

namespace coopvk::rewrite {

namespace {

using TranspositionLowering = FunctionLowering<LoweringContext>;

class Conversion {
 public:
    Conversion(LoweringContext& context, Emitter& emit) : types_(context.types), emit_(emit) {}

    // `matrix` with components of `component`.
    Id convert(Id matrix, Id component) {
        matrix_ = emit_.typeOf(matrix);
        const Id from = componentOf(matrix_);
        if (types_.isFloat(from) && types_.isFloat(component)) {
            return op(spv::Op::OpFConvert, component, matrix);
        }
        if (types_.isFloat(from)) {
            return op(types_.isSigned(component) ? spv::Op::OpConvertFToS : spv::Op::OpConvertFToU,
                      component, matrix);
        }
        if (types_.isFloat(component)) {
            return op(types_.isSigned(from) ? spv::Op::OpConvertSToF : spv::Op::OpConvertUToF,
                      component, matrix);
        }
        return convertInteger(matrix, from, component);
    }

    Id componentOf(Id matrix) const { return types_.module().def(matrix).word(0); }

 private:
    // The sign of the operand decides how it is extended; OpUConvert has unsigned results.
    Id convertInteger(Id matrix, Id from, Id to) {
        const uint32_t width = types_.width(to);
        if (types_.width(from) == width) return op(spv::Op::OpBitcast, to, matrix);
        if (types_.isSigned(from)) return op(spv::Op::OpSConvert, to, matrix);
        const Id result = types_.intType(width, false);
        const Id converted = op(spv::Op::OpUConvert, result, matrix);
        return result == to ? converted : op(spv::Op::OpBitcast, to, converted);
    }

    Id op(spv::Op opcode, Id component, Id operand) {
        Operands type = types_.module().def(matrix_).operands;
        type[0] = idOperand(component);
        return emit_.op(opcode, types_.matrixType(std::move(type)), {operand});
    }

    TypeTable& types_;
    Emitter& emit_;
    Id matrix_ = 0;  // the operand's type
};

bool splitTransposition(LoweringContext& context, Emitter& emit, Instruction& transposition) {
    const auto isMatrix = [&](Id type) {
        return context.module.def(type).opcode == spv::Op::OpTypeCooperativeMatrixKHR;
    };
    const Id operand = transposition.word(0);
    if (!isMatrix(transposition.type) || !isMatrix(emit.typeOf(operand))) return false;
    Conversion conversion(context, emit);
    const Id wanted = conversion.componentOf(transposition.type);
    if (conversion.componentOf(emit.typeOf(operand)) == wanted) return false;
    transposition.operands[0] = idOperand(conversion.convert(operand, wanted));
    return false;
}

}  // namespace

std::optional<Error> splitTranspositions(LoweringContext& context) {
    if (!context.module.hasCapability(spv::Capability::CooperativeMatrixConversionsNV)) {
        return std::nullopt;
    }
    OpcodeTable<TranspositionLowering> table;
    table.add<splitTransposition>({spv::Op::OpCooperativeMatrixTransposeNV});
    for (const auto& function : context.module.functions()) {
        TranspositionLowering lowering(context, *function);
        table.lower(lowering, *function);
        if (context.error) return context.error;
    }
    return context.error;
}

}  // namespace coopvk::rewrite
