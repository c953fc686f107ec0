// SPDX-License-Identifier: Apache-2.0
//
// SPV_QCOM_cooperative_matrix_conversion: matrices from and to arrays of invocations, and arrays of
// other components.
#include "execution/opcode_table.hpp"
#include "matrices/cooperation.hpp"
#include "matrices/vector_product.hpp"

namespace coopvk::reference::matrices {
namespace {

// The components of the result from these elements; what they lack is undefined.
void setComponents(const Value& result, uint32_t lane, std::span<const Element> elements) {
    for (uint32_t c = 0; c < result.components(); ++c) {
        const Element element = c < elements.size() ? elements[c] : Element{0, false};
        result.at(c, lane) = element.bits;
        result.defined[c].assign(lane, element.defined);
    }
}

// OpBitCastArrayQCOM
Step bitCast(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), result = s.result(i);
    forLanes(s, [&](uint32_t lane) {
        setComponents(
            result, lane,
            regroup(componentsAt(from, lane), from.type->element->width, i.type->element->width));
    });
    return Step::kNext;
}

// OpExtractSubArrayQCOM
Step subArray(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), index = s.operand(i, 1), result = s.result(i);
    forLanes(s, [&](uint32_t lane) {
        const auto first = uint64_t(signExtend(index.at(0, lane), index.type->width));
        std::vector<Element> elements = componentsAt(from, lane);
        if (first > elements.size() || elements.size() - first < result.components()) {
            s.report(
                kCheckBounds, i, lane,
                "a part of an array begins at " + std::to_string(first) + " and is outside of it");
            elements.clear();
        } else {
            elements.erase(elements.begin(), elements.begin() + std::ptrdiff_t(first));
        }
        setComponents(result, lane, elements);
    });
    return Step::kNext;
}

// Invocation i has row i of A and of accumulators, column i of B.
bool hasColumns(const Type& matrix) { return matrix.use == 1; }

// OpCompositeConstructCoopMatQCOM
Step construct(Subgroup& s, const Instruction& i) {
    checkActive(s, i);
    const Value array = s.operand(i, 0);
    Matrix matrix(numberOf(*i.type->element), i.type->rows, i.type->columns);
    const bool columns = hasColumns(*i.type);
    forLanes(s, [&](uint32_t lane) {
        if (lane >= (columns ? matrix.columns() : matrix.rows())) return;
        const auto line =
            regroup(componentsAt(array, lane), array.type->element->width, i.type->element->width);
        const uint32_t length = columns ? matrix.rows() : matrix.columns();
        for (uint32_t k = 0; k < length; ++k) {
            Element& element = columns ? matrix.at(k, lane) : matrix.at(lane, k);
            element = k < line.size() ? line[k] : Element{0, false};
        }
    });
    scatter(s, i.result, matrix);
    return Step::kNext;
}

// OpCompositeExtractCoopMatQCOM
Step extract(Subgroup& s, const Instruction& i) {
    checkActive(s, i);
    const Type& type = *s.operand(i, 0).type;
    const Matrix matrix = gather(s, i[0].slot);
    const Value result = s.result(i);
    const bool columns = hasColumns(type);
    forLanes(s, [&](uint32_t lane) {
        std::vector<Element> line;
        const uint32_t length = columns ? type.rows : type.columns;
        const bool hasLine = lane < (columns ? type.columns : type.rows);
        for (uint32_t k = 0; hasLine && k < length; ++k) {
            line.push_back(columns ? matrix.at(k, lane) : matrix.at(lane, k));
        }
        setComponents(result, lane, regroup(line, type.element->width, i.type->element->width));
    });
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpBitCastArrayQCOM, bitCast),
    row(spv::Op::OpExtractSubArrayQCOM, subArray),
    row(spv::Op::OpCompositeConstructCoopMatQCOM, construct),
    row(spv::Op::OpCompositeExtractCoopMatQCOM, extract),
};

}  // namespace

}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::arrayRows() { return matrices::kRows; }
