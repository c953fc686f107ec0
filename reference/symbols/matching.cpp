// SPDX-License-Identifier: Apache-2.0
//
// Whether two multisets of addends are one: the addends of both sides in pairs.
#include <cmath>

#include "symbols/comparison.hpp"

namespace coopvk::reference::symbols {

bool Comparison::allowsFactors(const Addend& native, const Addend& rewritten) {
    const auto one = [&](const Factor& a, const Factor& b) {
        if ((a.term == 0) != (b.term == 0)) return false;
        if (a.term == 0) return true;
        return (a.number == b.number && allows(a.term, b.term, a.number)) ||
               (a.number != b.number && allowsOtherFormat(a, b));
    };
    // What is multiplied by 1 is an addend.
    const auto areAsExact = [&](const Factor& a, const Factor& b, const Factor& other) {
        return other.term == 0 || isAsExact(a.term, b.term);
    };
    const auto both = [&](const Factor& x, const Factor& y) {
        return areAsExact(native.x, x, y) && areAsExact(native.y, y, x) && one(native.x, x) &&
               one(native.y, y);
    };
    if (native.isNegative != rewritten.isNegative) return false;
    const Mark before = mark();
    if (both(rewritten.x, rewritten.y)) return true;
    undoTo(before);
    if (both(rewritten.y, rewritten.x)) return true;
    undoTo(before);
    return false;
}

// How alike two addends are in the sample: 0 to 2. Comparisons that fail take long, so the most
// alike come first.
uint32_t Comparison::likenessOf(const Addend& native, const Addend& rewritten) const {
    const auto isNear = [&](const Factor& a, const Factor& b) {
        if (a.term == b.term) return true;
        if (a.term == 0 || b.term == 0) return false;
        const double x = numbers::decodeDouble(a.number, terms_[a.term].bits);
        const double y = numbers::decodeDouble(b.number, terms_[b.term].bits);
        return std::abs(x - y) <= (std::abs(x) + std::abs(y)) * 0x1p-6 || (x != x && y != y);
    };
    const auto likeness = [&](const Factor& x, const Factor& y) -> uint32_t {
        if (!isNear(native.x, x) || !isNear(native.y, y)) return 0;
        return native.x.term == x.term || (y.term != 0 && native.y.term == y.term) ? 2 : 1;
    };
    return std::max(likeness(rewritten.x, rewritten.y), likeness(rewritten.y, rewritten.x));
}

// Of addends that are not the same terms.
bool Comparison::matchesRest(Addends& native, Addends& rewritten) {
    if (native.size() != rewritten.size()) return false;
    constexpr size_t kMost = 4096;
    if (native.size() > kMost) return false;
    for (const Addend& addend : native) {
        const auto take = [&](uint32_t likeness) {
            const auto found = std::ranges::find_if(rewritten, [&](const Addend& other) {
                return likenessOf(addend, other) == likeness && allowsFactors(addend, other);
            });
            if (found == rewritten.end()) return false;
            *found = rewritten.back();
            rewritten.pop_back();
            return true;
        };
        if (!take(2) && !take(1) && !take(0)) return false;
    }
    return true;
}

bool Comparison::matches(Addends native, Addends rewritten) {
    if (native.size() != rewritten.size()) return false;
    std::ranges::sort(native);
    std::ranges::sort(rewritten);
    Addends left, right;
    std::ranges::set_difference(native, rewritten, std::back_inserter(left));
    std::ranges::set_difference(rewritten, native, std::back_inserter(right));
    for (const Addend& addend : native)
        for (const Factor& factor : {addend.x, addend.y})
            if (factor.term != 0 && std::ranges::binary_search(rewritten, addend) &&
                !noteSame(factor.term))
                return false;
    return matchesRest(left, right);
}

}  // namespace coopvk::reference::symbols
