// SPDX-License-Identifier: Apache-2.0
//
// Vectors and matrices of linear algebra (SPIR-V, 3.52.13). A matrix has columns.
#include <cmath>

#include "execution/families.hpp"
#include "execution/map.hpp"

namespace coopvk::reference {

namespace {

// Each component of the result is a sum of products: terms(component, n) names those of the
// operands. Rounded to the format once, at the end: no less exact than the formulas of Vulkan's
// "Precision of Individual Operations", and for bfloat16 what SPV_KHR_bfloat16 says of binary32.
struct Term {
    uint32_t a = 0, b = 0;
};
template <typename Terms>
Step sums(Subgroup& s, const Instruction& i, uint32_t count, Terms terms) {
    const Value a = s.operand(i, 0), b = s.operand(i, 1), result = s.result(i);
    return withFormat(*s.program, scalarOf(*i.type), [&](auto format) {
        using Compute = typename decltype(format)::Compute;
        for (uint32_t c = 0; c < result.components(); ++c) {
            forLanes(s, [&](uint32_t lane) {
                Compute sum = 0;
                for (uint32_t n = 0; n < count; ++n) {
                    const Term term = terms(c, n);
                    const auto product = static_cast<Compute>(format.from(a.at(term.a, lane)) *
                                                              format.from(b.at(term.b, lane)));
                    sum = n == 0 ? product : static_cast<Compute>(sum + product);
                }
                result.at(c, lane) = format.to(sum);
            });
        }
        return Step::kNext;
    });
}

Step dot(Subgroup& s, const Instruction& i) {
    return sums(s, i, s.operand(i, 0).components(),
                [](uint32_t, uint32_t n) { return Term{n, n}; });
}
Step outerProduct(Subgroup& s, const Instruction& i) {
    const uint32_t rows = i.type->element->count;
    return sums(s, i, 1, [rows](uint32_t c, uint32_t) { return Term{c % rows, c / rows}; });
}
Step matrixTimesVector(Subgroup& s, const Instruction& i) {
    const uint32_t rows = i.type->count;
    return sums(s, i, s.operand(i, 1).components(),
                [rows](uint32_t c, uint32_t n) { return Term{n * rows + c, n}; });
}
Step vectorTimesMatrix(Subgroup& s, const Instruction& i) {
    const uint32_t rows = s.operand(i, 0).components();
    return sums(s, i, rows, [rows](uint32_t c, uint32_t n) { return Term{n, c * rows + n}; });
}
Step matrixTimesMatrix(Subgroup& s, const Instruction& i) {
    const uint32_t rows = i.type->element->count, depth = s.operand(i, 0).type->count;
    return sums(s, i, depth, [rows, depth](uint32_t c, uint32_t n) {
        return Term{n * rows + c % rows, c / rows * depth + n};
    });
}

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpDot, dot, Defined::kAll),
    row(spv::Op::OpOuterProduct, outerProduct, Defined::kAll),
    row(spv::Op::OpMatrixTimesVector, matrixTimesVector, Defined::kAll),
    row(spv::Op::OpVectorTimesMatrix, vectorTimesMatrix, Defined::kAll),
    row(spv::Op::OpMatrixTimesMatrix, matrixTimesMatrix, Defined::kAll),
};

}  // namespace

Rows linearRows() { return kRows; }

}  // namespace coopvk::reference
