// SPDX-License-Identifier: Apache-2.0
//
// Products, lengths, coordinates, conversions of use, transpositions.
#include "execution/opcode_table.hpp"
#include "matrices/cooperation.hpp"
#include "matrices/product.hpp"

namespace coopvk::reference::matrices {
namespace {

using Operands = spv::CooperativeMatrixOperandsMask;

bool has(uint32_t mask, Operands bit) { return (mask & uint32_t(bit)) != 0; }

Step multiply(Subgroup& s, const Instruction& i, uint32_t mask, bool byType) {
    if (const auto step = meet(s, i, *i.type)) return *step;
    const auto operand = [&](uint32_t index, Operands bit) {
        const Type& component = *s.operand(i, index).type->element;
        const bool isSigned = byType ? component.isSigned : has(mask, bit);
        return gather(s, i[index].slot, numberOf(component, isSigned));
    };
    const Type& component = *i.type->element;
    const bool isSigned =
        byType ? component.isSigned : has(mask, Operands::MatrixResultSignedComponentsKHR);
    SumRule rule = sumRule(s, numberOf(component, isSigned));
    rule.seed = seedOf(s, i);
    rule.saturate = has(mask, Operands::SaturatingAccumulationKHR);
    const Matrix result = multiplyAdd(operand(0, Operands::MatrixASignedComponentsKHR),
                                      operand(1, Operands::MatrixBSignedComponentsKHR),
                                      operand(2, Operands::MatrixCSignedComponentsKHR), rule);
    scatter(s, i.result, result);
    return Step::kNext;
}

// SPV_KHR_cooperative_matrix
Step multiplyAddKhr(Subgroup& s, const Instruction& i) {
    return multiply(s, i, i.operands.size() > 3 ? i[3].word : 0, false);
}

// SPV_NV_cooperative_matrix: the types say which integers are signed.
Step multiplyAddNv(Subgroup& s, const Instruction& i) { return multiply(s, i, 0, true); }

// OpCooperativeMatrixLengthKHR: the operand is a type.
Step length(Subgroup& s, const Instruction& i) {
    const uint32_t components = s.program->typeOf.at(i[0].word)->components;
    const Value result = s.result(i);
    forLanes(s, [&](uint32_t lane) { result.at(0, lane) = components; });
    result.defined[0] |= s.mask;
    return Step::kNext;
}

// SPV_EXT_cooperative_matrix_maintenance1, OpCooperativeMatrixGetCoordinateEXT: row and column of a
// component of this invocation.
Step coordinate(Subgroup& s, const Instruction& i) {
    const Type& matrix = *s.operand(i, 0).type;
    const Placement placement = placementOf(s, matrix);
    const Value index = s.operand(i, 1), result = s.result(i);
    forLanes(s, [&](uint32_t lane) {
        const uint64_t component = index.at(0, lane);
        Position p;
        if (component < matrix.components) {
            p = placement.position(invocationOf(s, matrix, lane), uint32_t(component));
        } else if (s.checks(kCheckBounds)) {
            s.report(kCheckBounds, i, lane,
                     "component " + std::to_string(component) + " of a matrix that has " +
                         std::to_string(matrix.components) + " in an invocation");
        }
        result.at(0, lane) = p.row;
        result.at(1, lane) = p.column;
        for (uint32_t c = 0; c < 2; ++c) {
            result.defined[c].assign(lane, p.exists && index.isDefined(0, lane));
        }
    });
    return Step::kNext;
}

// OpCooperativeMatrixConvertNV (ConvertUseEXT): the same components in another use; transposed with
// the decoration CooperativeMatrixTransposeEXT. OpCooperativeMatrixTransposeNV does not say that
// the component types are the same: it converts them. SPV_NV_cooperative_matrix2, "Conversion
// Instructions": component type and use change at once.
Step changeUse(Subgroup& s, const Instruction& i) {
    if (const auto step = meet(s, i, *i.type)) return *step;
    const Matrix matrix = convert(gather(s, i[0].slot), conversionOf(*s.program, i));
    const bool transposes = i.transposes || i.opcode == spv::Op::OpCooperativeMatrixTransposeNV;
    scatter(s, i.result, transposes ? transpose(matrix) : matrix);
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpCooperativeMatrixMulAddKHR, multiplyAddKhr),
    row(spv::Op::OpCooperativeMatrixMulAddNV, multiplyAddNv),
    row(spv::Op::OpCooperativeMatrixLengthKHR, length),
    row(spv::Op::OpCooperativeMatrixLengthNV, length),
    row(spv::Op::OpCooperativeMatrixGetCoordinateEXT, coordinate),
    row(spv::Op::OpCooperativeMatrixConvertNV, changeUse),
    row(spv::Op::OpCooperativeMatrixTransposeNV, changeUse),
};

}  // namespace

}  // namespace coopvk::reference::matrices

namespace coopvk::reference {

Rows matrixRows() { return matrices::kRows; }

Status prepareConversion(const Program& program, Instruction& i) {
    const bool changes = i.type->kind == Kind::kCooperativeMatrix &&
                         (program.slots[i[0].slot].type->use != i.type->use || i.transposes);
    if (changes) i.handler = matrices::changeUse;
    return Done{};
}

}  // namespace coopvk::reference
