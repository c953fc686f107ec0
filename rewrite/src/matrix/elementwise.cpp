// SPDX-License-Identifier: Apache-2.0
#include "matrix/elementwise.hpp"

#include "ir/arithmetic_decorations.hpp"
#include "ir/opcodes.hpp"
#include "lowering/number_memory.hpp"
#include "matrix/packs.hpp"

namespace coopvk::rewrite {

namespace {

enum class Kind { kNone, kSameType, kConversion, kTimesScalar, kSelect };

Kind kindOf(spv::Op opcode) {
    if (isArithmetic(opcode)) return Kind::kSameType;
    if (isConversion(opcode)) return Kind::kConversion;
    switch (opcode) {
        case spv::Op::OpMatrixTimesScalar:
            return Kind::kTimesScalar;
        case spv::Op::OpSelect:
            return Kind::kSelect;
        default:
            return Kind::kNone;
    }
}

bool sameShape(const MatrixType& a, const MatrixType& b) {
    return a.rows == b.rows && a.columns == b.columns && a.use == b.use;
}

void lowerSameType(MatrixContext& context, Emitter& emit, const Instruction& i,
                   const MatrixType& type) {
    std::vector<std::vector<Id>> operands;
    for (const Operand& operand : i.operands) {
        const MatrixType* matrix = context.matrixOfValue(operand.word);
        if (matrix == nullptr || !sameShape(*matrix, type) ||
            context.types.width(matrix->component) != context.types.width(type.component)) {
            context.fail(ErrorCode::kInvalidModule, i, "operand types differ from Result Type");
            return;
        }
        operands.push_back(extractPacks(emit, *matrix, operand.word));
    }
    const ArithmeticDecorations decorations(context.module, i.result);
    std::vector<Id> packs;
    for (uint32_t p = 0; p < type.fragment.packs(); ++p) {
        Operands pack;
        for (const std::vector<Id>& operand : operands) pack.push_back(idOperand(operand[p]));
        packs.push_back(emit.op(i.opcode, type.pack, std::move(pack)));
        decorations.addTo(packs.back());
    }
    constructFromPacks(emit, type, packs, i.result);
}

// The matrix to convert, its 4-bit components extended as the conversion looks at them.
Id sourceOf(MatrixContext& context, Emitter& emit, const Instruction& i, const MatrixType& from,
            const MatrixType& to) {
    const bool toSigned = i.opcode == spv::Op::OpSConvert || i.opcode == spv::Op::OpConvertSToF;
    if (to.isConverted()) return i.word(0);  // only the low bits count
    return withSign(context, emit, from, i.word(0), toSigned);
}

void lowerConversion(MatrixContext& context, Emitter& emit, const Instruction& i,
                     const MatrixType& to) {
    const MatrixType* from = context.matrixOfValue(i.word(0));
    if (from == nullptr || !sameShape(*from, to)) {
        context.fail(ErrorCode::kInvalidModule, i,
                     "conversion between matrices of different shapes or uses");
        return;
    }
    // Packs may be of different widths: convert the source's, then regroup the components.
    const Fragment& f = from->fragment;
    std::vector<Id> packs = extractPacks(emit, *from, sourceOf(context, emit, i, *from, to));
    const Id type = context.types.vectorType(to.component, f.packWidth);
    // 4-bit components are held in 8 bits.
    const bool sameWidth =
        (from->isConverted() || to.isConverted()) &&
        context.types.width(from->component) == context.types.width(to.component);
    for (Id& pack : packs) {
        pack = sameWidth ? emit.bitcast(type, pack) : emit.op(i.opcode, type, {pack});
        pack = withSign(emit, *to.number, pack, context.types.isSigned(to.component));
    }
    ElementSlots elements(to);
    for (uint32_t row = 0; row < f.rows.count(); ++row) {
        for (uint32_t column = 0; column < f.columns.count(); ++column) {
            elements.at(row, column) = {packs[f.packOf(row, column)], f.componentOf(row, column)};
        }
    }
    elements.construct(emit, i.result);
}

void lowerTimesScalar(MatrixContext& context, Emitter& emit, const Instruction& i,
                      const MatrixType& type) {
    if (context.matrixOfValue(i.word(0)) == nullptr || emit.typeOf(i.word(1)) != type.component) {
        context.fail(ErrorCode::kInvalidModule, i, "Scalar has not the matrix's component type");
        return;
    }
    const Id scalar = emit.splat(type.pack, i.word(1));
    const spv::Op multiply =
        context.types.isFloat(type.component) ? spv::Op::OpFMul : spv::Op::OpIMul;
    std::vector<Id> packs = extractPacks(emit, type, i.word(0));
    const ArithmeticDecorations decorations(context.module, i.result);
    for (Id& pack : packs) {
        pack = emit.op(multiply, type.pack, {pack, scalar});
        decorations.addTo(pack);
    }
    constructFromPacks(emit, type, packs, i.result);
}

// Before SPIR-V 1.4 OpSelect takes scalars and vectors only.
void lowerSelect(MatrixContext& context, Emitter& emit, const Instruction& i,
                 const MatrixType& type) {
    TypeTable& types = context.types;
    const Id conditionType = types.vectorType(types.boolType(), types.components(type.pack));
    const Id condition = emit.splat(conditionType, i.word(0));
    std::vector<Id> packs = extractPacks(emit, type, i.word(1));
    const std::vector<Id> others = extractPacks(emit, type, i.word(2));
    for (size_t p = 0; p < packs.size(); ++p) {
        packs[p] = emit.op(spv::Op::OpSelect, type.pack, {condition, packs[p], others[p]});
    }
    constructFromPacks(emit, type, packs, i.result);
}

}  // namespace

bool lowerElementwise(MatrixContext& context, Emitter& emit, const Instruction& instruction) {
    const MatrixType* type = context.matrix(instruction.type);
    if (type == nullptr) return false;
    switch (kindOf(instruction.opcode)) {
        case Kind::kNone:
            return false;
        case Kind::kSameType:
            lowerSameType(context, emit, instruction, *type);
            return true;
        case Kind::kConversion:
            lowerConversion(context, emit, instruction, *type);
            return true;
        case Kind::kTimesScalar:
            lowerTimesScalar(context, emit, instruction, *type);
            return true;
        case Kind::kSelect:
            if (context.module.version() >= 0x00010400) return false;
            lowerSelect(context, emit, instruction, *type);
            return true;
    }
    return false;
}

}  // namespace coopvk::rewrite
