// SPDX-License-Identifier: Apache-2.0
//
// Products, lengths, coordinates, conversions of use, transpositions, instructions that call
// functions for elements, and arrays of elements.
#include "matrices/cooperation.hpp"
#include "matrices/layouts.hpp"

namespace coopvk::reference::matrices {
namespace {

using Operands = spv::CooperativeMatrixOperandsMask;

// Factors are rounded, also where a sum might take them before.
Matrix roundedFactor(Subgroup& s, Matrix matrix) {
    if (s.intervals == nullptr) return matrix;
    for (Element& e : matrix.elements)
        if (isNumber(e.deviation))
            e.deviation =
                deviationOf(matrix.number, e.bits, intervalOf(e.deviation, matrix.number, e.bits));
    return matrix;
}

// OpCooperativeMatrixMulAddKHR: the operands say which integers are signed.
// SPV_NV_cooperative_matrix: the types do.
std::optional<Matrix> multiplyMatrices(Subgroup& s) {
    const uint32_t mask = s.operands() > 3 ? s.word(3) : 0;
    const auto number = [&](const Type& matrix, Operands bit) {
        const bool byType = s.at->opcode == OpCooperativeMatrixMulAddNV;
        return numberOf(*matrix.element,
                        byType ? matrix.element->isSigned : (mask & uint32_t(bit)) != 0);
    };
    const auto operand = [&](uint32_t index, Operands bit) {
        return gather(s, s.slot(index), number(*s.operand(index).type, bit));
    };
    SumRule rule = sumRule(s, number(s.type(), Operands::MatrixResultSignedComponentsKHR));
    rule.saturate = (mask & uint32_t(Operands::SaturatingAccumulationKHR)) != 0;
    return multiplyAddOn(s, roundedFactor(s, operand(0, Operands::MatrixASignedComponentsKHR)),
                         roundedFactor(s, operand(1, Operands::MatrixBSignedComponentsKHR)),
                         operand(2, Operands::MatrixCSignedComponentsKHR), rule);
}

// OpCooperativeMatrixLengthKHR: the operand is a type.
void length(Subgroup& s) {
    const uint32_t components = s.program->type(s.word(0))->components;
    setLanes(s, [&](uint32_t) { return components; });
}

// SPV_EXT_cooperative_matrix_maintenance1, OpCooperativeMatrixGetCoordinateEXT: row and column of a
// component of this invocation.
void coordinate(Subgroup& s, Out result, In of, In index) {
    const Type& matrix = *of.type;
    const Holder holder(s, matrix);
    forLanes(s, [&](uint32_t lane) {
        const auto [component, known, deviation] = index.get(0, lane);
        const bool inside = component < matrix.components;
        const ElementPosition p =
            inside ? holder.position(uint32_t(component), lane) : ElementPosition{};
        if (!inside)
            s.report(kCheckBounds, lane,
                     std::format("component {} of a matrix that has {} in an invocation", component,
                                 matrix.components));
        result.set(0, lane, {p.row, p.exists && known});
        result.set(1, lane, {p.column, p.exists && known});
    });
}

// OpCooperativeMatrixConvertNV (ConvertUseEXT): the same components in another use; transposed with
// the decoration CooperativeMatrixTransposeEXT. OpCooperativeMatrixTransposeNV does not say that
// the component types are the same: it converts them. SPV_NV_cooperative_matrix2, "Conversion
// Instructions": component type and use change at once.
std::optional<Matrix> changeUse(Subgroup& s) {
    Matrix matrix = convert(gather(s, s.slot(0)), conversionOf(*s.program, *s.at), s.shadow);
    return s.at->transposes || s.at->opcode == OpCooperativeMatrixTransposeNV ? transpose(matrix)
                                                                              : matrix;
}

// SPV_NV_cooperative_matrix2, OpCooperativeMatrixPerElementOpNV: "The calls are considered
// unordered". The arguments: row, column, element, and further operands, of matrices their
// elements.
Step perElement(Subgroup& s, Out result) {
    reach(s);
    const Function* function = s.program->function(s.word(1));
    if (function == nullptr || function->parameters.size() < 3) return Step::kStop;
    const Holder holder(s, s.type());
    const OwnValue rows(parameterType(s, *function, 0), s.lanes);
    const OwnValue columns(parameterType(s, *function, 1), s.lanes);
    for (uint32_t c = 0; c < s.type().components; ++c) {
        LaneMask mask;
        forLanes(s, [&](uint32_t lane) {
            const ElementPosition p = holder.position(c, lane);
            mask.assign(lane, p.exists);
            rows.set(0, lane, {p.row});
            columns.set(0, lane, {p.column});
        });
        std::vector<Value> arguments{rows, columns};
        for (uint32_t operand = 0; operand < s.operands(); ++operand) {
            if (operand == 1) continue;  // the function
            const Value& value = s.operand(operand);
            const bool matrix = value.type->kind == Kind::kCooperativeMatrix;
            arguments.push_back(matrix ? value.part(*value.type->element, c) : value);
        }
        if (mask.any() && !callForElements(s, *function, arguments, mask)) return Step::kStop;
        const Value returned = s.values[function->result];
        forLanes(s, [&](uint32_t lane) {
            result.set(c, lane, mask.test(lane) ? returned.get(0, lane) : Element{});
        });
    }
    return Step::kNext;
}

// SPV_QCOM_cooperative_matrix_conversion: matrices from and to arrays of invocations, and arrays of
// other components.

// The elements of an array as those of another type.
std::vector<Element> regrouped(const Subgroup& s, std::span<const Element> elements,
                               const Type& from, const Type& to) {
    return regroup(elements, from.element->width, to.element->width, s.shadow);
}

void subArray(Subgroup& s, Out result, In from, In index) {
    forLanes(s, [&](uint32_t lane) {
        const auto first = uint64_t(signExtend(index.at(0, lane), index.type->width));
        const std::vector<Element> elements = elementsAt(from, lane);
        const bool inside = isAmong(first, result.components(), elements.size());
        if (!inside)
            s.report(kCheckBounds, lane,
                     std::format("a part of an array begins at {} and is outside of it", first));
        setElements(result, lane, std::span(elements).subspan(inside ? first : elements.size()));
    });
}

// Invocation i has row i of A and of accumulators, column i of B: row i of its transpose.
Matrix lines(const Matrix& matrix, const Type& type) {
    return type.use == 1 ? transpose(matrix) : matrix;
}

std::optional<Matrix> fromArrays(Subgroup& s) {
    const Value& array = s.operand(0);
    const Type& type = s.type();
    Matrix matrix = lines({numberOf(*type.element), type.rows, type.columns}, type);
    forLanes(s, [&](uint32_t lane) {
        if (lane >= matrix.rows) return;
        auto line = regrouped(s, elementsAt(array, lane), *array.type, type);
        line.resize(matrix.columns, Element{0, false});
        std::copy(line.begin(), line.end(), matrix.row(lane).begin());
    });
    return lines(matrix, type);
}

void toArrays(Subgroup& s, Out result, In from) {
    reach(s);
    Matrix matrix = lines(gather(s, s.slot(0)), *from.type);
    forLanes(s, [&](uint32_t lane) {
        const auto line = lane < matrix.rows ? matrix.row(lane) : std::span<Element>();
        setElements(result, lane, regrouped(s, line, *from.type, s.type()));
    });
}

constexpr OpcodeRow kMatrixRows[] = {
    row<whole<multiplyMatrices>>(OpCooperativeMatrixMulAddKHR),
    row<whole<multiplyMatrices>>(OpCooperativeMatrixMulAddNV),
    row<length>(OpCooperativeMatrixLengthKHR, Defined::kAlways),
    row<length>(OpCooperativeMatrixLengthNV, Defined::kAlways),
    row<coordinate>(OpCooperativeMatrixGetCoordinateEXT),
    row<whole<changeUse>>(OpCooperativeMatrixConvertNV),
    row<whole<changeUse>>(OpCooperativeMatrixTransposeNV),
    row<whole<reduceMatrix>>(OpCooperativeMatrixReduceNV),
    row<perElement>(OpCooperativeMatrixPerElementOpNV),
    row<subArray>(OpExtractSubArrayQCOM),
    row<whole<fromArrays>>(OpCompositeConstructCoopMatQCOM),
    row<toArrays>(OpCompositeExtractCoopMatQCOM),
};

}  // namespace
}  // namespace coopvk::reference::matrices

namespace coopvk::reference {

Rows matrixRows() { return matrices::kMatrixRows; }

// GPUs' maps of A and B depend on the width of components: elements change lanes.
Status prepareConversion(Program& program, Instruction& i) {
    if (i.type->kind != Kind::kCooperativeMatrix) return Done{};
    const Type& from = *program.slotAt(i, 0).type;
    const bool isMap = program.placement > Choice::kExact;
    const bool moves = isMap && from.element->width != i.type->element->width;
    if (from.use != i.type->use || i.transposes || moves)
        i.handler = Executed<matrices::whole<matrices::changeUse>>::handle;
    return Done{};
}

}  // namespace coopvk::reference
