// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices that add to the sums of others before them.
#include "matrices/cooperation.hpp"

namespace coopvk::reference::matrices {
namespace {

bool areSame(std::span<const Element> a, std::span<const Element> b) {
    return std::ranges::equal(a, b, [](const Element& x, const Element& y) {
        return x.bits == y.bits && x.deviation == y.deviation;
    });
}

}  // namespace

Matrix multiplyAddOn(Subgroup& s, const Matrix& a, const Matrix& b, const Matrix& c, SumRule rule) {
    if (s.intervals == nullptr || !s.at->rearranges || rule.result != Number::f16)
        return multiplyAdd(a, b, c, rule);
    OpenSums last;
    for (const auto& [word, open] : s.openSums)
        if (areSame(open.result, c.elements)) last = open;
    if (!last.sums.empty()) rule.before = &last.sums;
    std::vector<SumBounds> sums(c.elements.size(), SumBounds(rule.result));
    rule.after = &sums;
    Matrix result = multiplyAdd(a, b, c, rule);
    s.openSums[s.at->word] = {result.elements, std::move(sums)};
    return result;
}

}  // namespace coopvk::reference::matrices
