// SPDX-License-Identifier: Apache-2.0
//
// Products, lengths, coordinates, conversions of use, transpositions, instructions that call
// functions for elements, and arrays of elements.
#include <format>

#include "matrices/cooperation.hpp"
#include "matrices/layouts.hpp"

namespace coopvk::reference::matrices {
namespace {

using Operands = spv::CooperativeMatrixOperandsMask;

// OpCooperativeMatrixMulAddKHR: the operands say which integers are signed.
// SPV_NV_cooperative_matrix: the types do.
std::optional<Matrix> multiplyMatrices(Subgroup& s, const Instruction& i) {
    const uint32_t mask = i.operands.size() > 3 ? i[3].word : 0;
    const auto number = [&](const Type& matrix, Operands bit) {
        const bool byType = i.opcode == OpCooperativeMatrixMulAddNV;
        return numberOf(*matrix.element,
                        byType ? matrix.element->isSigned : (mask & uint32_t(bit)) != 0);
    };
    const auto operand = [&](uint32_t index, Operands bit) {
        return gather(s, i[index].slot, number(*s.operand(i, index).type, bit));
    };
    SumRule rule = sumRule(s, i, number(*i.type, Operands::MatrixResultSignedComponentsKHR));
    rule.saturate = (mask & uint32_t(Operands::SaturatingAccumulationKHR)) != 0;
    return multiplyAdd(operand(0, Operands::MatrixASignedComponentsKHR),
                       operand(1, Operands::MatrixBSignedComponentsKHR),
                       operand(2, Operands::MatrixCSignedComponentsKHR), rule);
}

// OpCooperativeMatrixLengthKHR: the operand is a type.
Step length(Subgroup& s, const Instruction& i) {
    const uint32_t components = s.program->type(i[0].word)->components;
    return setLanes(s, i, [&](uint32_t) { return components; });
}

// SPV_EXT_cooperative_matrix_maintenance1, OpCooperativeMatrixGetCoordinateEXT: row and column of a
// component of this invocation.
Step coordinate(Subgroup& s, const Instruction& i) {
    const Type& matrix = *s.operand(i, 0).type;
    const Holder holder(s, matrix);
    const Value index = s.operand(i, 1), result = s.result(i);
    forLanes(s, [&](uint32_t lane) {
        const auto [component, known] = index.get(0, lane);
        const bool inside = component < matrix.components;
        const Position p = inside ? holder.position(uint32_t(component), lane) : Position{};
        if (!inside)
            s.report(kCheckBounds, i, lane,
                     std::format("component {} of a matrix that has {} in an invocation", component,
                                 matrix.components));
        result.set(0, lane, {p.row, p.exists && known});
        result.set(1, lane, {p.column, p.exists && known});
    });
    return Step::kNext;
}

// OpCooperativeMatrixConvertNV (ConvertUseEXT): the same components in another use; transposed with
// the decoration CooperativeMatrixTransposeEXT. OpCooperativeMatrixTransposeNV does not say that
// the component types are the same: it converts them. SPV_NV_cooperative_matrix2, "Conversion
// Instructions": component type and use change at once.
std::optional<Matrix> changeUse(Subgroup& s, const Instruction& i) {
    Matrix matrix = convert(gather(s, i[0].slot), conversionOf(*s.program, i));
    return i.transposes || i.opcode == OpCooperativeMatrixTransposeNV ? transpose(matrix) : matrix;
}

// SPV_NV_cooperative_matrix2, OpCooperativeMatrixReduceNV: each call of CombineFunc combines as
// many pairs as lanes are active.
std::optional<Matrix> reduceMatrix(Subgroup& s, const Instruction& i) {
    const Function* function = s.program->function(i[2].word);
    if (function == nullptr) return std::nullopt;
    const OwnValue one(*i.type->element, s.lanes), other(*i.type->element, s.lanes);
    const Value arguments[] = {one, other};
    bool going = true;
    const auto combine = [&](std::span<Element> left, std::span<const Element> right) {
        for (size_t next = 0; next < left.size() && going;) {
            const size_t first = next;
            LaneMask mask;
            s.mask.forEach([&](uint32_t lane) {
                if (next == left.size()) return;
                mask.set(lane);
                arguments[0].set(0, lane, left[next]);
                arguments[1].set(0, lane, right[next++]);
            });
            going = callFunction(s, *function, arguments, mask);
            next = first;
            mask.forEach(
                [&](uint32_t lane) { left[next++] = s.value(function->result).get(0, lane); });
        }
    };
    const SumRule rule = sumRule(s, i, Number::f32);
    Matrix result = reduce(gather(s, i[0].slot), i[1].word, i.type->rows, i.type->columns,
                           {rule.order != Choice::kPlain, rule.seed}, combine);
    if (!going) return std::nullopt;
    return result;
}

// SPV_NV_cooperative_matrix2, OpCooperativeMatrixPerElementOpNV: "The calls are considered
// unordered". The arguments: row, column, element, and further operands, of matrices their
// elements.
Step perElement(Subgroup& s, const Instruction& i) {
    checkActive(s, i);
    const Function* function = s.program->function(i[1].word);
    if (function == nullptr || function->parameters.size() < 3) return Step::kStop;
    const Holder holder(s, *i.type);
    const Value result = s.result(i);
    const OwnValue rows(parameterType(s, *function, 0), s.lanes);
    const OwnValue columns(parameterType(s, *function, 1), s.lanes);
    for (uint32_t c = 0; c < i.type->components; ++c) {
        LaneMask mask;
        forLanes(s, [&](uint32_t lane) {
            const Position p = holder.position(c, lane);
            mask.assign(lane, p.exists);
            rows.set(0, lane, {p.row});
            columns.set(0, lane, {p.column});
        });
        std::vector<Value> arguments{rows, columns};
        for (uint32_t operand = 0; operand < i.operands.size(); ++operand) {
            if (operand == 1) continue;  // the function
            const Value value = s.operand(i, operand);
            const bool matrix = value.type->kind == Kind::kCooperativeMatrix;
            arguments.push_back(matrix ? value.part(*value.type->element, c) : value);
        }
        if (mask.any() && !callFunction(s, *function, arguments, mask)) return Step::kStop;
        const Value returned = s.value(function->result);
        forLanes(s, [&](uint32_t lane) {
            result.set(c, lane, mask.test(lane) ? returned.get(0, lane) : Element{});
        });
    }
    return Step::kNext;
}

// SPV_QCOM_cooperative_matrix_conversion: matrices from and to arrays of invocations, and arrays of
// other components.

// The elements of an array as those of another type.
std::vector<Element> regrouped(std::span<const Element> elements, const Type& from,
                               const Type& to) {
    return regroup(elements, from.element->width, to.element->width);
}

Step subArray(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), index = s.operand(i, 1), result = s.result(i);
    forLanes(s, [&](uint32_t lane) {
        const auto first = uint64_t(signExtend(index.at(0, lane), index.type->width));
        const std::vector<Element> elements = elementsAt(from, lane);
        const bool inside =
            first <= elements.size() && elements.size() - first >= result.components();
        if (!inside)
            s.report(kCheckBounds, i, lane,
                     std::format("a part of an array begins at {} and is outside of it", first));
        setElements(result, lane, std::span(elements).subspan(inside ? first : elements.size()));
    });
    return Step::kNext;
}

// Invocation i has row i of A and of accumulators, column i of B: row i of its transpose.
Matrix lines(const Matrix& matrix, const Type& type) {
    return type.use == 1 ? transpose(matrix) : matrix;
}

std::optional<Matrix> fromArrays(Subgroup& s, const Instruction& i) {
    const Value array = s.operand(i, 0);
    Matrix matrix = lines({numberOf(*i.type->element), i.type->rows, i.type->columns}, *i.type);
    forLanes(s, [&](uint32_t lane) {
        if (lane >= matrix.rows) return;
        auto line = regrouped(elementsAt(array, lane), *array.type, *i.type);
        line.resize(matrix.columns, Element{0, false});
        std::copy(line.begin(), line.end(), matrix.row(lane).begin());
    });
    return lines(matrix, *i.type);
}

Step toArrays(Subgroup& s, const Instruction& i) {
    checkActive(s, i);
    const Type& type = *s.operand(i, 0).type;
    Matrix matrix = lines(gather(s, i[0].slot), type);
    forLanes(s, [&](uint32_t lane) {
        const auto line = lane < matrix.rows ? matrix.row(lane) : std::span<Element>();
        setElements(s.result(i), lane, regrouped(line, type, *i.type));
    });
    return Step::kNext;
}

constexpr OpcodeRow kMatrixRows[] = {
    row(OpCooperativeMatrixMulAddKHR, whole<multiplyMatrices>),
    row(OpCooperativeMatrixMulAddNV, whole<multiplyMatrices>),
    row(OpCooperativeMatrixLengthKHR, length, Defined::kAlways),
    row(OpCooperativeMatrixLengthNV, length, Defined::kAlways),
    row(OpCooperativeMatrixGetCoordinateEXT, coordinate),
    row(OpCooperativeMatrixConvertNV, whole<changeUse>),
    row(OpCooperativeMatrixTransposeNV, whole<changeUse>),
    row(OpCooperativeMatrixReduceNV, whole<reduceMatrix>),
    row(OpCooperativeMatrixPerElementOpNV, perElement),
    row(OpExtractSubArrayQCOM, subArray),
    row(OpCompositeConstructCoopMatQCOM, whole<fromArrays>),
    row(OpCompositeExtractCoopMatQCOM, toArrays),
};

}  // namespace
}  // namespace coopvk::reference::matrices

namespace coopvk::reference {

Rows matrixRows() { return matrices::kMatrixRows; }

Status prepareConversion(Program& program, Instruction& i) {
    const bool changes = i.type->kind == Kind::kCooperativeMatrix &&
                         (program.slots[i[0].slot].type->use != i.type->use || i.transposes);
    if (changes) i.handler = matrices::whole<matrices::changeUse>;
    return Done{};
}

}  // namespace coopvk::reference
