// SPDX-License-Identifier: Apache-2.0
#include "symbols/diagrams.hpp"

namespace coopvk::reference::symbols {

Diagrams::Diagrams() {
    constexpr uint32_t kLast = ~uint32_t{0};
    nodes_ = {{kLast, kFalse, kFalse}, {kLast, kTrue, kTrue}};
}

Bit Diagrams::node(uint32_t variable, Bit low, Bit high) {
    if (low == high) return low;
    const auto [found, isNew] = unique_.try_emplace({variable, low, high}, Bit(nodes_.size()));
    if (isNew) nodes_.push_back({variable, low, high});
    return found->second;
}

Bit Diagrams::choose(Bit condition, Bit then, Bit other) {
    if (condition == kTrue) return then;
    if (condition == kFalse || then == other) return other;
    if (then == kTrue && other == kFalse) return condition;
    if (isTooLarge()) return kFalse;  // callers ask
    if (const auto known = chosen_.find({condition, then, other}); known != chosen_.end())
        return known->second;
    const uint32_t first =
        std::min({nodes_[condition].variable, nodes_[then].variable, nodes_[other].variable});
    const auto at = [&](Bit of, bool isHigh) {
        const Node& n = nodes_[of];
        return n.variable != first ? of : isHigh ? n.high : n.low;
    };
    const Bit low = choose(at(condition, false), at(then, false), at(other, false));
    const Bit high = choose(at(condition, true), at(then, true), at(other, true));
    const Bit result = node(first, low, high);
    chosen_.emplace(Key{condition, then, other}, result);
    return result;
}

Bits Diagrams::constant(uint64_t value, size_t width) {
    Bits bits(width);
    for (size_t n = 0; n < width && n < 64; ++n) bits[n] = value >> n & 1 ? kTrue : kFalse;
    return bits;
}

Bits Diagrams::choose(Bit condition, const Bits& then, const Bits& other) {
    Bits bits(then.size());
    for (size_t n = 0; n < bits.size(); ++n) bits[n] = choose(condition, then[n], other[n]);
    return bits;
}

Bits Diagrams::negate(const Bits& a) {
    Bits bits(a.size());
    for (size_t n = 0; n < bits.size(); ++n) bits[n] = negate(a[n]);
    return bits;
}

Bits Diagrams::add(const Bits& a, const Bits& b, Bit carry) {
    Bits sum(a.size());
    for (size_t n = 0; n < a.size(); ++n) {
        const Bit one = differ(a[n], b[n]);
        sum[n] = differ(one, carry);
        carry = choose(one, carry, a[n]);
    }
    return sum;
}

Bits Diagrams::multiply(const Bits& a, const Bits& b) {
    Bits sum(a.size(), kFalse);
    for (size_t n = 0; n < b.size(); ++n) {
        if (b[n] == kFalse) continue;
        Bits shifted(a.size(), kFalse);
        for (size_t m = n; m < a.size(); ++m) shifted[m] = both(a[m - n], b[n]);
        sum = add(sum, shifted);
    }
    return sum;
}

Bit Diagrams::any(const Bits& a) {
    Bit result = kFalse;
    for (const Bit bit : a) result = either(result, bit);
    return result;
}

Bit Diagrams::equal(const Bits& a, const Bits& b) {
    Bit result = kTrue;
    for (size_t n = 0; n < a.size(); ++n) result = both(result, negate(differ(a[n], b[n])));
    return result;
}

Bit Diagrams::less(const Bits& a, const Bits& b) {
    Bit result = kFalse;
    for (size_t n = 0; n < a.size(); ++n) result = choose(differ(a[n], b[n]), b[n], result);
    return result;
}

Bit Diagrams::lessSigned(Bits a, Bits b) {
    std::swap(a.back(), b.back());
    return less(a, b);
}

Bits Diagrams::shiftLeft(const Bits& a, const Bits& by) {
    Bits result = a;
    for (size_t bit = 0; bit < by.size(); ++bit) {
        const size_t step = bit < 8 ? size_t{1} << bit : a.size();
        Bits moved(a.size(), kFalse);
        for (size_t n = step; n < a.size(); ++n) moved[n] = result[n - step];
        result = choose(by[bit], moved, result);
    }
    return result;
}

Bits Diagrams::shiftRight(const Bits& a, const Bits& by, Bit fill) {
    Bits result = a;
    for (size_t bit = 0; bit < by.size(); ++bit) {
        const size_t step = bit < 8 ? size_t{1} << bit : a.size();
        Bits moved(a.size(), fill);
        for (size_t n = 0; n + step < a.size(); ++n) moved[n] = result[n + step];
        result = choose(by[bit], moved, result);
    }
    return result;
}

}  // namespace coopvk::reference::symbols
