// SPDX-License-Identifier: Apache-2.0
//
// Reductions and scans of subgroups: of all values that the result of a lane has, in any order.
#include "intervals/arithmetic.hpp"
#include "intervals/transfer.hpp"

namespace coopvk::reference::intervals {
namespace {

using numbers::Number;
using Members = std::vector<Interval>;

Interval sumOfLanes(const Members& members, Number number) {
    SumBounds sum(number);
    for (const Interval& each : members) sum.add(each);
    return sum.result();
}

// Each step is rounded in any direction. Where those of some order may overflow or become
// denormal, nothing is known.
Interval productOfLanes(const Members& members, Number number) {
    Interval all = Interval::of(1);
    double most = 1, least = 1;
    bool isOne = true;  // product in each order, of powers of 2 and small integers
    for (const Interval& each : members) {
        if (hasSpecial(each) || !each.hasFinite()) return Interval::all();
        all = multiply(all, each);
        const double low = std::abs(each.low), high = std::abs(each.high);
        const bool hasZero = each.low <= 0 && each.high >= 0;
        most *= std::max({low, high, 1.0});
        if (!hasZero) least *= std::min({low, high, 1.0});
        isOne &= each.low == each.high && std::trunc(each.low) == each.low;
    }
    const numbers::Format& f = numbers::format(number);
    if (isOne && most <= std::ldexp(1, f.mantissaBits + 1)) return all;
    if (most > largestOf(number) / 2 || least < std::ldexp(1, 2 - f.bias)) return Interval::all();
    const double unit = std::ldexp(1, -f.mantissaBits);
    const double share = std::expm1(double(members.size()) * std::log1p(unit));
    return widened(all, [=](double end) { return std::abs(end) * share; });
}

// Of a number and NaN either may be the result.
template <Function2 kFunction>
Interval extremeOfLanes(const Members& members, Number) {
    Interval result = members[0];
    for (size_t n = 1; n < members.size(); ++n) {
        Interval next = monotone(result, members[n], kFunction);
        if (result.nan) next.unite(members[n]);
        if (members[n].nan) next.unite(result);
        result = next;
    }
    return result;
}
double lesser(double x, double y) { return std::fmin(x, y); }
double greater(double x, double y) { return std::fmax(x, y); }

template <auto kOf>
void combinesLanes(const Transferred& t) {
    const Value &result = t.result(), &from = t.operand(2);
    const Number number = numberOf(scalarOf(*result.type));
    for (uint32_t c = 0; c < result.components(); ++c)
        t.mask.forEach([&](uint32_t lane) {
            Members members;
            Deviation unknown = 0;
            contributors(t.s, lane).forEach([&](uint32_t other) {
                const Deviation deviation = from.deviationAt(c, other);
                if (isUnknown(deviation)) unknown = deviation;
                members.push_back(intervalOf(deviation, number, from.at(c, other)));
            });
            // One value, or none: the identity.
            if (members.size() == 1) unknown = from.deviationAt(c, contributors(t.s, lane).first());
            if (unknown != 0 || members.size() < 2) return result.setDeviation(c, lane, unknown);
            const Interval set = rounded(kOf(members, number), number);
            result.setDeviation(c, lane, deviationOf(number, result.at(c, lane), set));
        });
}

constexpr TransferRow kCombinations[] = {
    row(combinesLanes<sumOfLanes>, OpGroupNonUniformFAdd),
    row(combinesLanes<productOfLanes>, OpGroupNonUniformFMul),
    row(combinesLanes<extremeOfLanes<lesser>>, OpGroupNonUniformFMin),
    row(combinesLanes<extremeOfLanes<greater>>, OpGroupNonUniformFMax),
};

}  // namespace

std::span<const TransferRow> subgroupTransfers() { return kCombinations; }

}  // namespace coopvk::reference::intervals
