// SPDX-License-Identifier: Apache-2.0
//
// Integers modulo 2^n: sums of products of terms, in any order. SPIR-V, OpIAdd, OpIMul: the result
// is "the low-order N bits of the correct result R".
#include "execution/opcode_table.hpp"
#include "symbols/comparison.hpp"

namespace coopvk::reference::symbols {
namespace {

constexpr size_t kMostMonomials = 1u << 16;

}  // namespace

bool Comparison::isInteger(TermId term) const {
    if (terms_[term].kind == TermKind::kProduct) return !isFloatSum(term);
    if (terms_[term].kind == TermKind::kConverted)
        return numbers::format(terms_.conversionOf(term).from).floating() &&
               numbers::format(terms_.conversionOf(term).to).integer();
    if (terms_[term].kind != TermKind::kApplied) return false;
    switch (terms_.functionOf(term).opcode) {
        case numberIn(OpIAdd):
        case numberIn(OpISub):
        case numberIn(OpIMul):
        case numberIn(OpSNegate):
            return true;
        default:
            return false;
    }
}

// As the format says.
TermId Comparison::extended(numbers::Number number, TermId term, uint32_t width) {
    const numbers::Format& f = numbers::format(number);
    if (f.bits == width) return term;
    if (f.bits > width) return terms_.part(term, 0, width);
    const auto to = numbers::integerOf(width, f.isSigned());
    if (!to) return 0;
    return terms_.converted({number, *to, numbers::conversionRule(false)}, term);
}

bool Comparison::addMonomials(TermId a, TermId b, uint64_t factor, uint32_t width, Polynomial& to) {
    Polynomial x, y;
    if (!addPolynomial(a, 1, width, x) || !addPolynomial(b, 1, width, y)) return false;
    if (x.size() * y.size() > kMostMonomials) return false;
    for (const auto& [left, times] : x)
        for (const auto& [right, often] : y) {
            std::vector<TermId> monomial = left;
            monomial.insert(monomial.end(), right.begin(), right.end());
            std::ranges::sort(monomial);
            to[monomial] += times * often * factor;
        }
    return true;
}

// The largest magnitude of an integer whose upper bits are zeros or copies of its sign; 0: not
// known.
uint64_t Comparison::magnitudeOf(TermId term, bool isSigned) const {
    if (const auto bits = terms_.constantOf(term)) {
        const int64_t value = signExtend(*bits, terms_[term].width);
        return !isSigned ? *bits : uint64_t(value < 0 ? -value : value);
    }
    const Pieces pieces = terms_.pieces(term);
    const Piece& last = pieces.back();
    const uint32_t width = terms_[term].width;
    if (!last.isFill) return width <= 32 ? uint64_t{1} << (width - isSigned) : 0;
    const uint32_t rest = width - last.count;
    if (last.isConstant() && last.first == 0) return uint64_t{1} << rest;
    if (!isSigned || last.isConstant()) return 0;
    // The copies may be of the bit before them.
    const Piece* before = pieces.size() > 1 ? &pieces[pieces.size() - 2] : nullptr;
    const bool isCopy = before != nullptr && !before->isFill && before->term == last.term &&
                        before->isNegated == last.isNegated &&
                        before->first + before->count == last.first + 1;
    return uint64_t{1} << (isCopy ? rest - 1 : rest);
}

// A number in a float that is an integer: its term, as wide as the sum.
TermId Comparison::integerIn(TermId term, uint32_t width, uint64_t& bound) {
    if (terms_[term].kind != TermKind::kConverted) return 0;
    const Conversion& c = terms_.conversionOf(term);
    const numbers::Format& from = numbers::format(c.from);
    if (!from.integer()) return 0;
    const TermId integer = terms_.operand(term, 0);
    bound = magnitudeOf(integer, from.isSigned());
    return bound != 0 && bound <= uint64_t{2} << numbers::format(c.to).mantissaBits
               ? extended(c.from, integer, width)
               : 0;
}

// A sum of products of integers in floats, all of whose partial sums are exact: their magnitudes
// together are at most 2 to the number of significant bits. Returns this bound; 0: it is none.
uint64_t Comparison::addExact(TermId term, uint64_t factor, uint32_t width, Polynomial& to) {
    if (const auto bits = terms_.constantOf(term)) return *bits == 0 ? 1 : 0;
    if (terms_[term].kind != TermKind::kApplied) return 0;
    const Function& f = terms_.functionOf(term);
    if (f.type().kind != reference::Kind::kFloat) return 0;
    const uint64_t most = uint64_t{2} << numbers::format(f.type().number).mantissaBits;
    const auto product = [&]() -> uint64_t {
        uint64_t x = 0, y = 0;
        const TermId a = integerIn(terms_.operand(term, 0), width, x);
        const TermId b = integerIn(terms_.operand(term, 1), width, y);
        return a != 0 && b != 0 && x <= most / y && addMonomials(a, b, factor, width, to) ? x * y
                                                                                          : 0;
    };
    uint64_t bound = 0;
    if (f.opcode == numberIn(OpFMul)) bound = product();
    const bool isFused = f.opcode == numberIn(GLSLstd450Fma) || f.opcode == numberIn(OpFmaKHR);
    if (isFused || f.opcode == numberIn(OpFAdd)) {
        const uint64_t first =
            isFused ? product() : addExact(terms_.operand(term, 0), factor, width, to);
        const uint64_t rest =
            first != 0 ? addExact(terms_.operand(term, isFused ? 2 : 1), factor, width, to) : 0;
        bound = rest != 0 ? first + rest : 0;
    }
    return bound <= most ? bound : 0;
}

// Copies of a sign are a multiple of it: bits above bit p that are all b are -b * 2^p. A last bit
// that is the opposite of what follows the bits before it is 1 less it. So bytes with and without
// signs, and with an offset of 128, have the same terms.
void Comparison::addBits(TermId term, uint64_t factor, Polynomial& to) {
    if (terms_[term].kind != TermKind::kJoined) return void(to[{term}] += factor);
    Pieces pieces = terms_.pieces(term);
    const uint32_t width = terms_[term].width;
    Piece last = pieces.back();
    if (last.isFill && !last.isConstant() && last.count > 1) {
        // The first opposite stays: see below.
        if (last.isNegated) --last.count;
        const uint32_t at = width - last.count;
        to[{terms_.part(last.term, last.first, 1)}] -=
            (last.isNegated ? ~uint64_t{0} : 1) * (factor << at);
        if (last.isNegated) to[{}] -= factor << at;
        pieces.back().count = uint8_t(pieces.back().count - last.count);
        if (pieces.back().count == 0) pieces.pop_back();
        pieces.push_back({0, 0, last.count, true});
    }
    uint32_t at = 0;
    for (size_t n = 0; n < pieces.size(); ++n) {
        Piece& p = pieces[n];
        if (p.isNegated && p.count == 1) {
            // ~b = b + 1 - 2 b
            to[{}] += factor << at;
            to[{terms_.part(p.term, p.first, 1)}] -= factor << (at + 1);
            p.isNegated = false;
        }
        at += p.count;
    }
    const TermId rest = terms_.joined(pieces);
    if (const auto bits = terms_.constantOf(rest))
        to[{}] += *bits * factor;
    else
        to[{rest}] += factor;
}

bool Comparison::addSum(TermId term, uint64_t factor, uint32_t width, Polynomial& to) {
    const Sum sum = terms_.sumOf(term);
    const uint32_t count = terms_[term].count;
    for (uint32_t k = 0; k + 1 < count; k += 2) {
        const TermId a = extended(sum.a, terms_.operand(term, k), width);
        const TermId b = extended(sum.b, terms_.operand(term, k + 1), width);
        if (a == 0 || b == 0 || !addMonomials(a, b, factor, width, to)) return false;
    }
    const TermId c = extended(sum.c, terms_.operand(term, count - 1), width);
    return c != 0 && addPolynomial(c, factor, width, to);
}

// A sum in floats. SPIR-V, OpConvertFToS: the result is undefined if the type is too narrow for it.
bool Comparison::addConverted(TermId term, uint64_t factor, uint32_t width, Polynomial& to) {
    const Conversion& c = terms_.conversionOf(term);
    if (terms_[term].width != width || !numbers::format(c.from).floating() ||
        !numbers::format(c.to).isSigned())
        return false;
    Polynomial exact;
    const uint64_t bound = addExact(terms_.operand(term, 0), factor, width, exact);
    if (bound == 0 || bound > numbers::lowBits(width - 1)) return false;
    for (const auto& [monomial, times] : exact) to[monomial] += times;
    return true;
}

// Adds factor * term, modulo 2^width, which is a rest of what is modulo more. False: too large.
bool Comparison::addPolynomial(TermId term, uint64_t factor, uint32_t width, Polynomial& to) {
    if (to.size() > kMostMonomials) return false;
    if (terms_[term].width > width && !isInteger(term)) term = terms_.part(term, 0, width);
    if (const auto bits = terms_.constantOf(term)) {
        to[{}] += *bits * factor;
        return true;
    }
    const auto one = [&](uint32_t n, uint64_t times) {
        return addPolynomial(terms_.operand(term, n), factor * times, width, to);
    };
    const TermKind kind = terms_[term].kind;
    if (kind == TermKind::kProduct && !isFloatSum(term) && !terms_.sumOf(term).saturates)
        return addSum(term, factor, width, to);
    if (kind == TermKind::kApplied && terms_[term].width >= width) {
        switch (terms_.functionOf(term).opcode) {
            case numberIn(OpIAdd):
                return one(0, 1) && one(1, 1);
            case numberIn(OpISub):
                return one(0, 1) && one(1, ~uint64_t{0});
            case numberIn(OpSNegate):
                return one(0, ~uint64_t{0});
            case numberIn(OpIMul):
                return addMonomials(terms_.operand(term, 0), terms_.operand(term, 1), factor, width,
                                    to);
            default:
                break;
        }
    }
    if (kind == TermKind::kConverted && addConverted(term, factor, width, to)) return true;
    if (kind == TermKind::kJoined) {
        // Bits from the first one on, above zeros: a multiple of a sum.
        const Pieces pieces = terms_.pieces(term);
        const uint32_t by = pieces[0].isConstant() && pieces[0].first == 0 ? pieces[0].count : 0;
        const size_t at = by > 0 ? 1 : 0;
        if (pieces.size() == at + 1 && !pieces[at].isFill && pieces[at].first == 0 &&
            terms_[pieces[at].term].width >= width && isInteger(pieces[at].term) &&
            pieces[at].count + by == width) {
            // ~x = -1 - x
            const bool isNegated = pieces[at].isNegated;
            const uint64_t times = isNegated ? 0 - (factor << by) : factor << by;
            if (isNegated) to[{}] += times;
            return addPolynomial(pieces[at].term, times, width, to);
        }
    }
    addBits(terms_[term].width > width ? terms_.part(term, 0, width) : term, factor, to);
    return true;
}

// Bits of terms that are equal in the sample. Others are not tried: most bits are equal there.
bool Comparison::arePartsAlike(TermId native, TermId rewritten) const {
    if (terms_[native].kind != TermKind::kJoined || terms_[rewritten].kind != TermKind::kJoined)
        return terms_[native].width > 4;
    const Pieces a = terms_.pieces(native), b = terms_.pieces(rewritten);
    return std::ranges::equal(a, b, [&](const Piece& x, const Piece& y) {
        return layoutOf(x) == layoutOf(y) &&
               (x.isConstant() || terms_[x.term].bits == terms_[y.term].bits);
    });
}

// Terms of the rewritten side's products become those of the native side that allow them.
bool Comparison::unify(const Polynomial& native, Polynomial& rewritten) {
    std::vector<TermId> wanted;
    std::unordered_set<TermId> known;
    for (const auto& [monomial, times] : native)
        for (const TermId term : monomial)
            if (known.insert(term).second) wanted.push_back(term);
    std::unordered_map<TermId, TermId> images;
    const auto imageOf = [&](TermId term) {
        if (known.contains(term)) return term;
        const auto [found, isNew] = images.emplace(term, TermId{0});
        if (const TermId narrow = isNew ? narrowing_.of(term) : 0; known.contains(narrow))
            found->second = noteSame(narrow) ? narrow : 0;
        for (size_t n = 0; isNew && n < wanted.size() && found->second == 0; ++n)
            if (terms_[wanted[n]].width == terms_[term].width &&
                terms_[wanted[n]].bits == terms_[term].bits && arePartsAlike(wanted[n], term) &&
                allows(wanted[n], term, std::nullopt))
                found->second = wanted[n];
        return found->second;
    };
    Polynomial result;
    for (const auto& [monomial, times] : rewritten) {
        std::vector<TermId> of;
        for (const TermId term : monomial) {
            const TermId image = imageOf(term);
            if (image == 0) return false;
            of.push_back(image);
        }
        std::ranges::sort(of);
        result[of] += times;
    }
    rewritten = std::move(result);
    return true;
}

bool Comparison::allowsPolynomial(TermId native, TermId rewritten) {
    const Mark before = mark();
    const bool is = isPolynomial(native, rewritten);
    if (!is) undoTo(before);
    return is;
}

bool Comparison::isPolynomial(TermId native, TermId rewritten) {
    const uint32_t width = terms_[native].width;
    Polynomial wanted, got;
    if (!addPolynomial(native, 1, width, wanted) || !addPolynomial(rewritten, 1, width, got))
        return false;
    const auto dropZeros = [&](Polynomial& of) {
        std::erase_if(
            of, [&](const auto& each) { return (each.second & numbers::lowBits(width)) == 0; });
    };
    const auto areSame = [&] {
        return std::ranges::equal(wanted, got, [&](const auto& a, const auto& b) {
            return a.first == b.first && ((a.second - b.second) & numbers::lowBits(width)) == 0;
        });
    };
    dropZeros(wanted);
    dropZeros(got);
    std::unordered_set<TermId> others;
    for (const auto& [monomial, times] : got) others.insert(monomial.begin(), monomial.end());
    if (!areSame()) {
        if (!unify(wanted, got)) return false;
        dropZeros(got);
        if (!areSame()) return false;
    }
    for (const auto& [monomial, times] : wanted)
        for (const TermId term : monomial)
            if (others.contains(term) && !noteSame(term)) return false;
    return true;
}

}  // namespace coopvk::reference::symbols
