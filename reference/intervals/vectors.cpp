// SPDX-License-Identifier: Apache-2.0
//
// GLSL.std.450 on whole vectors: formulas with dot products, which are sums in any order.
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
    for (const Interval& each : o[0]) result.push_back(within(1, multiply(each, by), n));
    return result;
}
Vector reflected(const std::vector<Vector>& o, Number n) {
    const Interval by = multiply(Interval::of(2), dotOf(o[1], o[0], n));
    Vector result;
    for (size_t c = 0; c < o[0].size(); ++c)
        result.push_back(within(1, subtract(o[0][c], within(2, multiply(by, o[1][c]), n)), n));
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
        std::vector<Vector> operands(t.at.operands.size());
        for (uint32_t n = 0; n < operands.size(); ++n) {
            const Value& from = t.operand(n);
            for (uint32_t c = 0; c < from.components(); ++c) {
                const Deviation deviation = from.deviationAt(c, lane);
                if (isUnknown(deviation)) unknown = deviation;
                operands[n].push_back(intervalOf(deviation, number, from.at(c, lane)));
            }
        }
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
};

}  // namespace

std::span<const TransferRow> vectorTransfers() { return kVectorRows; }

}  // namespace coopvk::reference::intervals
