// SPDX-License-Identifier: Apache-2.0
//
// GLSL.std.450 on whole vectors and matrices: formulas with dot products, which are sums in any
// order.
#include "intervals/elements.hpp"
#include "intervals/transfer.hpp"

namespace coopvk::reference::intervals {
namespace {

using numbers::Number;
using Vector = std::vector<Interval>;

Interval dotOf(const Vector& a, const Vector& b, Number number) {
    SumBounds sum(number);
    for (size_t c = 0; c < a.size(); ++c) sum.addProduct(a[c], b[c]);
    return sum.result();
}

Vector lengthOf(const std::vector<Vector>& o, Number n) {
    return {squareRoot(dotOf(o[0], o[0], n), n)};
}
Vector distanceOf(const std::vector<Vector>& o, Number n) {
    Vector between;
    for (size_t c = 0; c < o[0].size(); ++c)
        between.push_back(rounded(subtract(o[0][c], o[1][c]), n));
    return lengthOf({between}, n);
}
Vector normalized(const std::vector<Vector>& o, Number n) {
    const Interval by = inverseSqrt(dotOf(o[0], o[0], n), n);
    Vector result;
    for (const Interval& each : o[0]) result.push_back(product(each, by, n));
    return result;
}
Vector reflected(const std::vector<Vector>& o, Number n) {
    const Interval by = product(Interval::of(2), dotOf(o[1], o[0], n), n);
    Vector result;
    for (size_t c = 0; c < o[0].size(); ++c)
        result.push_back(within(1, subtract(o[0][c], product(by, o[1][c], n)), n));
    return result;
}
Vector crossed(const std::vector<Vector>& o, Number n) {
    Vector result;
    for (size_t c = 0; c < 3; ++c) {
        const size_t y = (c + 1) % 3, z = (c + 2) % 3;
        result.push_back(subtract(product(o[0][y], o[1][z], n), product(o[1][y], o[0][z], n)));
    }
    return result;
}
// Operands: N, I, Nref.
Vector facingForward(const std::vector<Vector>& o, Number n) {
    const Interval along = dotOf(o[2], o[1], n);
    const bool mayBeNegative = along.low < 0 || along.negativeInfinity;
    const bool mayBeOther = along.high >= 0 || along.positiveInfinity || along.nan;
    Vector result;
    for (const Interval& each : o[0]) {
        Interval set = mayBeNegative ? each : negate(each);
        if (mayBeNegative && mayBeOther) set.unite(negate(each));
        result.push_back(set);
    }
    return result;
}
// Operands: I, N, eta. k: 1 - eta * eta * (1 - dot(N, I) * dot(N, I)).
Vector refracted(const std::vector<Vector>& o, Number n) {
    const Interval one = Interval::of(1), eta = o[2][0], along = dotOf(o[1], o[0], n);
    const Interval rest = difference(one, product(along, along, n), n);
    Interval k = difference(one, product(product(eta, eta, n), rest, n), n);
    const bool mayBeNegative = k.low < 0 || k.negativeInfinity;
    const bool isNegative = k.high < 0 && !k.positiveInfinity && !k.nan;
    k.low = std::max(k.low, 0.0);
    const Interval by = sum(product(eta, along, n), squareRoot(k, n), n);
    Vector result;
    for (size_t c = 0; c < o[0].size(); ++c) {
        Interval set = subtract(product(eta, o[0][c], n), product(by, o[1][c], n));
        if (isNegative) set = Interval::of(0);
        if (mayBeNegative) set.add(0);
        result.push_back(set);
    }
    return result;
}

size_t sideOf(const Vector& matrix) {
    return size_t(std::lround(std::sqrt(double(matrix.size()))));
}
// The matrix without column c and row r.
Vector withoutCross(const Vector& matrix, size_t c, size_t r) {
    const size_t side = sideOf(matrix);
    Vector rest;
    for (size_t k = 0; k < matrix.size(); ++k)
        if (k / side != c && k % side != r) rest.push_back(matrix[k]);
    return rest;
}
// The terms of a determinant: a product for each permutation.
Vector termsOf(const Vector& matrix, Number n) {
    if (matrix.empty()) return {Interval::of(1)};
    Vector terms;
    for (size_t r = 0; r < sideOf(matrix); ++r)
        for (const Interval& rest : termsOf(withoutCross(matrix, 0, r), n)) {
            const Interval term = product(matrix[r], rest, n);
            terms.push_back(r % 2 == 0 ? term : negate(term));
        }
    return terms;
}
// Sums that a factor multiplies round each term once more at each step.
Interval determinantOf(const Vector& matrix, Number n) {
    SumBounds sum(n);
    const auto steps = double(2 * sideOf(matrix));
    for (const Interval& term : termsOf(matrix, n))
        sum.add(matrix.size() < 4 ? term : within(steps, term, n));
    return sum.result();
}
Vector determined(const std::vector<Vector>& o, Number n) { return {determinantOf(o[0], n)}; }
Vector inverted(const std::vector<Vector>& o, Number n) {
    const size_t side = sideOf(o[0]);
    const Interval whole = determinantOf(o[0], n);
    Vector result;
    for (size_t k = 0; k < o[0].size(); ++k) {
        const Interval part = determinantOf(withoutCross(o[0], k % side, k / side), n);
        const bool isNegative = (k / side + k % side) % 2 != 0;
        result.push_back(quotient(isNegative ? negate(part) : part, whole, n));
    }
    return result;
}

// The handler computes in double: what it gives is one of the results, and each step may be
// rounded.
template <auto kOf>
void whole(const Transferred& t) {
    const Value& result = t.result();
    const Number number = numberOf(scalarOf(*result.type));
    t.mask.forEach([&](uint32_t lane) {
        Deviation unknown = 0;
        bool isFixed =
            !addsInAnyOrder(t.s, t.at) && t.s.intervals->functions() == Functions::kAsHere;
        std::vector<Vector> operands(t.at.operands.size());
        for (uint32_t n = 0; n < operands.size(); ++n) {
            const Value& from = t.operand(n);
            for (uint32_t c = 0; c < from.components(); ++c) {
                const Deviation deviation = from.deviationAt(c, lane);
                if (isUnknown(deviation)) unknown = deviation;
                isFixed &= deviation == 0;
                operands[n].push_back(
                    intervalOf(deviation, numberOf(scalarOf(*from.type)), from.at(c, lane)));
            }
        }
        if (isFixed) return;
        const Vector sets = kOf(operands, number);
        for (uint32_t c = 0; c < result.components(); ++c)
            result.setDeviation(c, lane,
                                unknown != 0
                                    ? unknown
                                    : deviationOf(number, result.at(c, lane),
                                                  rounded(within(1, sets[c], number), number)));
    });
}

constexpr TransferRow kVectorRows[] = {
    {numberIn(GLSLstd450Length), whole<lengthOf>},
    {numberIn(GLSLstd450Distance), whole<distanceOf>},
    {numberIn(GLSLstd450Normalize), whole<normalized>},
    {numberIn(GLSLstd450Reflect), whole<reflected>},
    {numberIn(GLSLstd450Refract), whole<refracted>},
    {numberIn(GLSLstd450FaceForward), whole<facingForward>},
    {numberIn(GLSLstd450Cross), whole<crossed>},
    {numberIn(GLSLstd450Determinant), whole<determined>},
    {numberIn(GLSLstd450MatrixInverse), whole<inverted>},
};

}  // namespace

std::span<const TransferRow> vectorTransfers() { return kVectorRows; }

}  // namespace coopvk::reference::intervals
