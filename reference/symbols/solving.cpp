// SPDX-License-Identifier: Apache-2.0
#include "symbols/solving.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "execution/opcode_table.hpp"

namespace coopvk::reference::symbols {
namespace {

using numbers::Number;

constexpr size_t kMostHeld = 1024;
// Of the steps that are left: one of several ways leaves some for the others.
constexpr uint32_t mostOf(uint32_t steps) { return steps - steps / 16; }
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Two numbers and what an instruction makes of both: what one of them may be, if another one and
// the result are known.
std::vector<uint64_t> integersFor(uint64_t value, uint64_t other) {
    uint64_t inverse = other;  // modulo 2^64, of odd numbers
    for (int n = 0; n < 5; ++n) inverse *= 2 - other * inverse;
    return {value,
            value - other,
            other - value,
            value + other,
            value ^ other,
            value * inverse,
            ~value,
            0 - value,
            other,
            other + 1,
            other - 1,
            other ^ 1,
            ~other,
            0,
            1,
            ~uint64_t{0},
            other != 0 ? value / other : 0,
            value * other};
}

std::vector<double> floatsFor(double value, double other, Number number) {
    // The next numbers of the format.
    const uint64_t bits = numbers::encodeDouble(number, other);
    const double up = numbers::decodeDouble(number, bits + 1);
    const double down = numbers::decodeDouble(number, bits - 1);
    return {value,
            value - other,
            other - value,
            value + other,
            value / other,
            other / value,
            value * other,
            -value,
            other,
            -other,
            up,
            down,
            0.0,
            -0.0,
            1.0,
            -1.0,
            kInfinite,
            kNan,
            value * value,
            std::sqrt(value)};
}

}  // namespace

// Whether a term can have a value, as far as the term itself shows it.
bool Solver::isPossible(TermId term, uint64_t value) const {
    if (terms_[term].kind == TermKind::kConstant) return terms_[term].bits == value;
    if (terms_[term].kind != TermKind::kConverted) return true;
    const Conversion& c = terms_.conversionOf(term);
    const uint64_t from = numbers::encodeDouble(c.from, numbers::decodeDouble(c.to, value));
    const TermId operand = terms_.operand(term, 0);
    return numbers::Conversion(c.from, c.to, c.rule)(from).bits == value &&
           isPossible(operand, from & allOf(operand));
}

bool Solver::want(TermId term, uint64_t mask, uint64_t value, Wanted& to) const {
    if (terms_[term].kind == TermKind::kConstant) return ((terms_[term].bits ^ value) & mask) == 0;
    if (terms_[term].kind == TermKind::kJoined) return wantPieces(term, mask, value, to);
    if (mask == allOf(term) && !isPossible(term, value)) return false;
    auto& [known, bits] = to[term];
    if (((bits ^ value) & known & mask) != 0) return false;
    known |= mask;
    bits = (bits & ~mask) | (value & mask);
    return true;
}

bool Solver::wantPieces(TermId term, uint64_t mask, uint64_t value, Wanted& to) const {
    uint32_t at = 0;
    for (const Piece& p : terms_.pieces(term)) {
        uint64_t of = mask >> at & numbers::lowBits(p.count);
        uint64_t bits = (p.isNegated ? ~value : value) >> at & of;
        at += p.count;
        if (of == 0) continue;
        const bool isSame = bits == 0 || bits == of;
        if (p.isConstant()) {
            if (!isSame || (bits != 0) != (p.first != 0)) return false;
            continue;
        }
        if (p.isFill && !isSame) return false;
        if (p.isFill) bits = bits != 0, of = 1;
        if (!want(p.term, of << p.first, bits << p.first, to)) return false;
    }
    return true;
}

// What it is made of stays as it is in the sample.
bool Solver::hold(TermId term, uint64_t mask, Wanted& to, size_t& steps) const {
    if (++steps > kMostHeld) return true;
    const TermKind kind = terms_[term].kind;
    if (kind == TermKind::kByte) return want(term, mask, terms_[term].bits, to);
    if (kind == TermKind::kJoined) {
        uint32_t at = 0;
        for (const Piece& p : terms_.pieces(term)) {
            const uint64_t of = mask >> at & numbers::lowBits(p.count);
            at += p.count;
            if (p.isConstant() || of == 0) continue;
            if (!hold(p.term, (p.isFill ? 1 : of) << p.first, to, steps)) return false;
        }
        return true;
    }
    return std::ranges::all_of(terms_.operands(term), [&](TermId operand) {
        return hold(operand, allOf(operand), to, steps);
    });
}

bool Solver::solve(Wanted& wanted, uint32_t steps) {
    if (wanted.empty()) return true;
    const auto [term, bits] = *wanted.rbegin();
    if (terms_[term].kind == TermKind::kByte) return true;
    const uint32_t last = steps_ + steps;
    if (++steps_ >= last) return false;
    wanted.erase(term);
    const auto [mask, value] = bits;
    if (((terms_[term].bits ^ value) & mask) == 0) {
        Wanted held = wanted;
        size_t count = 0;
        if (hold(term, mask, held, count) && solve(held, mostOf(last - steps_))) {
            wanted = std::move(held);
            return true;
        }
    }
    return steps_ < last && solveAnew(term, mask, value, wanted, last - steps_);
}

bool Solver::solveAnew(TermId term, uint64_t mask, uint64_t value, Wanted& rest, uint32_t steps) {
    const uint32_t last = steps_ + steps;
    const auto whole = [&](uint64_t bits) {
        std::vector<Wanted> ways = waysTo(term, bits, rest);
        for (Wanted& way : ways) {
            if (steps_ >= last) return false;
            const uint32_t left = last - steps_;
            if (!solve(way, &way == &ways.back() ? left : mostOf(left))) continue;
            rest = std::move(way);
            return true;
        }
        return false;
    };
    const uint64_t others = terms_[term].bits & allOf(term) & ~mask;
    return whole(others | value) || (others != 0 && whole(value));
}

// What may be wanted of operands in place of a value.
std::vector<Solver::Wanted> Solver::waysTo(TermId term, uint64_t value, const Wanted& rest) {
    std::vector<Wanted> ways;
    const auto add = [&](auto&& f) {
        Wanted way = rest;
        if (f(way)) ways.push_back(std::move(way));
    };
    const auto operand = [&](uint32_t n) { return terms_.operand(term, n); };
    if (terms_[term].kind == TermKind::kConverted) {
        const Conversion& c = terms_.conversionOf(term);
        const uint64_t from = numbers::encodeDouble(c.from, numbers::decodeDouble(c.to, value));
        if (isPossible(term, value)) add([&](Wanted& to) { return want(operand(0), from, to); });
    }
    if (terms_[term].kind == TermKind::kChosen) {
        const bool isThen = terms_[operand(0)].bits != 0;
        for (const bool then : {isThen, !isThen})
            add([&](Wanted& to) {
                return want(operand(0), then, to) && want(operand(then ? 1 : 2), value, to);
            });
    }
    if (terms_[term].kind == TermKind::kProduct) {
        const double number = numbers::decodeDouble(terms_.sumOf(term).result, value);
        add([&](Wanted& to) { return wantAddend(term, number, to); });
        add([&](Wanted& to) { return wantProducts(term, number, to); });
    }
    if (terms_[term].kind == TermKind::kApplied)
        for (const Operands& operands : operandsFor(term, value))
            add([&](Wanted& to) {
                for (uint32_t n = 0; n < operands.size(); ++n)
                    if (!want(operand(n), operands[n], to)) return false;
                return true;
            });
    return ways;
}

// Of a sum: all products are zeros.
bool Solver::wantAddend(TermId term, double value, Wanted& to) const {
    const Sum sum = terms_.sumOf(term);
    const uint32_t count = terms_[term].count;
    const uint64_t last = numbers::encodeDouble(sum.c, value);
    if (numbers::decodeDouble(sum.c, last) != value) return false;
    for (uint32_t k = 0; k + 1 < count; k += 2) {
        const bool isConstant = terms_.constantOf(terms_.operand(term, k)).has_value();
        if (!want(terms_.operand(term, isConstant ? k + 1 : k), 0, to)) return false;
    }
    return want(terms_.operand(term, count - 1), last, to);
}

// Of a sum: each product has as many of the highest bits as its second factor can hold.
bool Solver::wantProducts(TermId term, double value, Wanted& to) const {
    const Sum sum = terms_.sumOf(term);
    const TermId addend = terms_.operand(term, terms_[term].count - 1);
    const auto known = terms_.constantOf(addend);
    if (!known && !want(addend, 0, to)) return false;
    if (known) value -= numbers::decodeDouble(sum.c, *known);
    const bool isFloat = numbers::format(sum.a).floating();
    for (uint32_t k = 0; k + 1 < terms_[term].count; k += 2) {
        double scale = 1, factor = value;
        if (isFloat) {
            int exponent = 0;
            std::frexp(value, &exponent);
            scale = std::ldexp(1.0, value == 0 ? 0 : std::clamp(exponent, -12, 12));
            factor = value / scale;
            const int bits = numbers::format(sum.b).mantissaBits + 1;
            int of = 0;
            const double part = std::frexp(factor, &of);
            factor = std::ldexp(std::trunc(std::ldexp(part, bits)), of - bits);
        } else {
            const double most = std::ldexp(1.0, numbers::format(sum.a).bits - 1) - 1;
            factor = std::clamp(value, -most, most);
            scale = factor == 0 ? 0 : std::clamp(std::trunc(value / factor), -most, most);
        }
        const uint64_t a = numbers::encodeDouble(sum.a, scale);
        const uint64_t b = numbers::encodeDouble(sum.b, factor);
        if (!want(terms_.operand(term, k), a, to) || !want(terms_.operand(term, k + 1), b, to))
            return false;
        value -= numbers::decodeDouble(sum.a, a) * numbers::decodeDouble(sum.b, b);
    }
    return value == 0;
}

// `others`: values of all operands, of which `free` changes.
void Solver::addCandidates(TermId term, uint32_t free, const Operands& others, uint64_t value,
                           std::vector<Operands>& to) const {
    const Function& f = terms_.functionOf(term);
    const uint64_t all = allOf(terms_.operand(term, free));
    const auto add = [&](uint64_t bits) {
        Operands operands = others;
        operands[free] = bits & all;
        to.push_back(std::move(operands));
    };
    const Type& type = *f.types[free];
    const bool isFloat = type.kind == Kind::kFloat;
    for (uint32_t n = 0; n < others.size(); ++n) {
        if (n == free && others.size() > 1) continue;
        if (!isFloat) {
            for (const uint64_t bits : integersFor(value, others[n])) add(bits);
            continue;
        }
        const bool isOther = f.types[n]->kind == Kind::kFloat;
        const double other = isOther ? numbers::decodeDouble(f.types[n]->number, others[n]) : 0;
        const bool isResult = f.type().kind == Kind::kFloat;
        const double result = isResult ? numbers::decodeDouble(f.type().number, value) : 0;
        for (const double number : floatsFor(result, other, type.number))
            add(numbers::encodeDouble(type.number, number));
    }
}

// Operands with which the instruction gives the value: all but one are as in the sample, or zeros,
// or ones.
std::vector<Solver::Operands> Solver::operandsFor(TermId term, uint64_t value) {
    const Function& f = terms_.functionOf(term);
    const uint32_t count = terms_[term].count;
    std::vector<Operands> tried, right;
    // What is memory itself changes first. Sums of floats with numbers of the sample are rounded.
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_partition(order, [&](uint32_t n) {
        return terms_[terms_.operand(term, n)].kind == TermKind::kJoined;
    });
    using Kinds = std::array<uint32_t, 4>;
    const Kinds kinds = f.type().kind == Kind::kFloat ? Kinds{1, 2, 0, 3} : Kinds{0, 1, 2, 3};
    for (const uint32_t kind : kinds)
        for (const uint32_t free : order) {
            Operands others(count);
            for (uint32_t n = 0; n < count; ++n) {
                const TermId operand = terms_.operand(term, n);
                const bool isFloat = f.types[n]->kind == Kind::kFloat;
                const uint64_t one = isFloat ? numbers::encodeDouble(f.types[n]->number, 1) : 1;
                const bool isKnown = terms_.constantOf(operand).has_value();
                others[n] = kind == 0 || isKnown ? terms_[operand].bits
                            : kind == 1          ? 0
                            : kind == 2          ? one & allOf(operand)
                                                 : allOf(operand);
            }
            addCandidates(term, free, others, value, tried);
        }
    constexpr size_t kMostRight = 8;
    for (size_t first = 0; first < tried.size() && right.size() < kMostRight; first += kAtOnce) {
        const size_t end = std::min(tried.size(), first + kAtOnce);
        std::vector<Values> operands(count);
        for (size_t n = first; n < end; ++n)
            for (uint32_t o = 0; o < count; ++o) operands[o].bits[n - first] = tried[n][o];
        std::vector<const Values*> pointers;
        for (const Values& one : operands) pointers.push_back(&one);
        Values result;
        machine_.apply(f, pointers, result);
        for (size_t n = first; n < end && right.size() < kMostRight; ++n)
            if (result.bits[n - first] == value && !result.undefined.test(uint32_t(n - first)) &&
                std::ranges::find(right, tried[n]) == right.end())
                right.push_back(tried[n]);
    }
    return right;
}

// Level by level.
std::vector<Solver::Reached> Solver::reachedFrom(std::span<const TermId> roots) const {
    constexpr size_t kMostReached = 4096;
    std::vector<Reached> all;
    std::unordered_set<TermId> seen;
    const auto add = [&](TermId term, uint32_t from, TermId choice, bool isThen) {
        if (all.size() < kMostReached && !terms_.constantOf(term) && seen.insert(term).second)
            all.push_back({term, from, choice, isThen});
    };
    for (const TermId root : roots) add(root, uint32_t(all.size()), 0, false);
    for (uint32_t n = 0; n < all.size(); ++n) {
        const TermId term = all[n].term;
        if (terms_[term].kind == TermKind::kJoined) {
            for (const Piece& p : terms_.pieces(term))
                if (!p.isConstant()) add(p.term, n, 0, false);
        } else {
            for (uint32_t o = 0; o < terms_[term].count; ++o) {
                const bool isChoice = terms_[term].kind == TermKind::kChosen && o > 0;
                add(terms_.operand(term, o), n, isChoice ? terms_.operand(term, 0) : 0, o == 1);
            }
        }
    }
    return all;
}

std::vector<Contents> Solver::turned(std::span<const TermId> roots, size_t most) {
    std::vector<Contents> found;
    const std::vector<Reached> all = reachedFrom(roots);
    for (uint32_t n = 0; n < all.size() && found.size() < most; ++n) {
        const TermId term = all[n].term;
        const TermKind kind = terms_[term].kind;
        if (terms_[term].width != 1 || kind == TermKind::kByte || kind == TermKind::kJoined)
            continue;
        Wanted wanted;
        bool is = want(term, terms_[term].bits ^ 1, wanted);
        for (uint32_t at = n; is && all[at].from != at; at = all[at].from)
            if (all[at].choice != 0) is = want(all[at].choice, all[at].isThen, wanted);
        steps_ = 0;
        if (!is || !solve(wanted, kMostSteps)) continue;
        Contents contents;
        for (const auto& [byte, bits] : wanted)
            contents[byte] = {uint8_t(bits[0]), uint8_t(bits[1])};
        if (std::ranges::find(found, contents) == found.end()) found.push_back(std::move(contents));
    }
    return found;
}

}  // namespace coopvk::reference::symbols
