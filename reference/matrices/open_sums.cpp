// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices that add to the sums of others before them.
#include <algorithm>

#include "matrices/cooperation.hpp"

namespace coopvk::reference::matrices {
namespace {

// Accumulators of a subgroup, to which one instruction may add in turn.
constexpr size_t kMostSums = 128;

bool areSame(std::span<const Element> a, std::span<const Element> b) {
    return std::ranges::equal(a, b, [](const Element& x, const Element& y) {
        return x.bits == y.bits && x.deviation == y.deviation;
    });
}

}  // namespace

Matrix multiplyAddOn(Subgroup& s, const Matrix& a, const Matrix& b, const Matrix& c, SumRule rule) {
    if (s.intervals == nullptr || !s.at->rearranges || rule.result != Number::f16)
        return multiplyAdd(a, b, c, rule);
    const auto last = std::find_if(s.openSums.rbegin(), s.openSums.rend(), [&](const auto& open) {
        return areSame(open.result, c.elements);
    });
    if (last != s.openSums.rend()) rule.before = &last->sums;
    std::vector<SumBounds> sums(c.elements.size(), SumBounds(rule.result));
    rule.after = &sums;
    Matrix result = multiplyAdd(a, b, c, rule);
    s.openSums.push_back({result.elements, std::move(sums)});
    if (s.openSums.size() > kMostSums) s.openSums.pop_front();
    return result;
}

}  // namespace coopvk::reference::matrices
