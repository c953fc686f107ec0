// SPDX-License-Identifier: Apache-2.0
//
// SPV_QCOM_cooperative_matrix_conversion: matrices from and to arrays of invocations, and arrays of
// other components.
#include "matrices/cooperation.hpp"
#include "matrices/vectors.hpp"

namespace coopvk::reference::matrices {
namespace {

using enum spv::Op;

// The elements of an array as those of another type.
std::vector<Element> regrouped(std::span<const Element> elements, const Type& from,
                               const Type& to) {
    return regroup(elements, from.element->width, to.element->width);
}

Step bitCast(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), result = s.result(i);
    forLanes(s, [&](uint32_t lane) {
        setElements(result, lane, regrouped(elementsAt(from, lane), *from.type, *i.type));
    });
    return Step::kNext;
}

Step subArray(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), index = s.operand(i, 1), result = s.result(i);
    forLanes(s, [&](uint32_t lane) {
        const auto first = uint64_t(signExtend(index.at(0, lane), index.type->width));
        const std::vector<Element> elements = elementsAt(from, lane);
        const bool inside =
            first <= elements.size() && elements.size() - first >= result.components();
        if (!inside) {
            s.report(
                kCheckBounds, i, lane,
                "a part of an array begins at " + std::to_string(first) + " and is outside of it");
        }
        setElements(result, lane, std::span(elements).subspan(inside ? first : elements.size()));
    });
    return Step::kNext;
}

// Invocation i has row i of A and of accumulators, column i of B: row i of its transpose.
Matrix lines(const Matrix& matrix, const Type& type) {
    return type.use == 1 ? transpose(matrix) : matrix;
}

std::optional<Matrix> construct(Subgroup& s, const Instruction& i) {
    const Value array = s.operand(i, 0);
    Matrix matrix = lines({numberOf(*i.type->element), i.type->rows, i.type->columns}, *i.type);
    forLanes(s, [&](uint32_t lane) {
        if (lane >= matrix.rows()) return;
        auto line = regrouped(elementsAt(array, lane), *array.type, *i.type);
        line.resize(matrix.columns(), Element{0, false});
        std::copy(line.begin(), line.end(), matrix.row(lane).begin());
    });
    return lines(matrix, *i.type);
}

Step extract(Subgroup& s, const Instruction& i) {
    checkActive(s, i);
    const Type& type = *s.operand(i, 0).type;
    const Matrix matrix = lines(gather(s, i[0].slot), type);
    forLanes(s, [&](uint32_t lane) {
        const auto line = lane < matrix.rows() ? matrix.row(lane) : std::span<const Element>();
        setElements(s.result(i), lane, regrouped(line, type, *i.type));
    });
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {
    row(OpBitCastArrayQCOM, bitCast),
    row(OpExtractSubArrayQCOM, subArray),
    row(OpCompositeConstructCoopMatQCOM, whole<construct>),
    row(OpCompositeExtractCoopMatQCOM, extract),
};

}  // namespace
}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::arrayRows() { return matrices::kRows; }
