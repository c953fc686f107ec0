// SPDX-License-Identifier: Apache-2.0
//
// Sums of products of floats. Vulkan, "Precision of Individual Operations":
// OpCooperativeMatrixMulAddKHR "performs its operations in an implementation-dependent order and
// internal precision". So a sum is a multiset of products and numbers. Here precision is that of
// the result at least.
#include <cmath>

#include "coopvk_reference/symbols.hpp"
#include "execution/opcode_table.hpp"
#include "symbols/comparison.hpp"

namespace coopvk::reference::symbols {
namespace {

using numbers::Number;

// Numbers of any format, as the bits of the double.
Factor constantFactor(Terms& terms, Number number, uint64_t bits) {
    const double value = numbers::decodeDouble(number, bits);
    return {Number::f64, terms.constant(std::bit_cast<uint64_t>(value), 64)};
}

// Conversions to a format in which sums may be rounded: nothing else changes the number.
bool isRounding(const Conversion& c, Number result) {
    return numbers::format(c.from).floating() && numbers::format(c.to).floating() &&
           contains(c.to, result) && c.rule.toFloat == numbers::Overflow::special &&
           !c.rule.flushOperand && !c.rule.flushResult;
}

}  // namespace

Factor Comparison::factorOf(Number number, TermId term, Of side) {
    for (;;) {
        if (const auto bits = terms_.constantOf(term)) return constantFactor(terms_, number, *bits);
        if (isPermitted(term, side)) {
            term = terms_.operand(term, 0);
            continue;
        }
        if (terms_[term].kind == TermKind::kConverted) {
            const Conversion& c = terms_.conversionOf(term);
            if (c.to == number && isExact(c)) {
                number = c.from;
                term = terms_.operand(term, 0);
                continue;
            }
        }
        // The bits of bfloat16 are the upper ones of f32.
        if (number == Number::f32 && terms_[term].kind == TermKind::kJoined) {
            const Piece first = terms_.pieces(term)[0];
            if (first.isConstant() && first.first == 0 && first.count >= 16) {
                number = Number::bf16;
                term = terms_.part(term, 16, 16);
                continue;
            }
        }
        return {number, term};
    }
}

// Where the whole sum has liberties, its parts may have them.
TermId Comparison::summandIn(TermId term, Of side) {
    for (;;) {
        term = recognised(term);
        if (!isPermitted(term, side)) return term;
        term = terms_.operand(term, 0);
    }
}
// Natively the plain result must be one of those that the device may choose; in the rewritten
// module all that it may choose must be permitted.
bool Comparison::isPermitted(TermId term, Of side) const {
    if (!terms_.isFree(term)) return false;
    const Function& f = terms_.functionOf(term);
    if (side == Of::kNative && !f.allowsPlain) return false;
    return f.isPlain || areWithin(f.liberties, permitted_);
}

void Comparison::addOne(Factor factor, bool isNegative, Addends& to) {
    if (const auto bits = terms_.constantOf(factor.term)) {
        const double value = numbers::decodeDouble(factor.number, *bits);
        if (value == 0) return void(assumptions_ |= kZeroSigns);
    }
    to.push_back({factor, {}, isNegative});
}

void Comparison::addProduct(Factor x, Factor y, bool isNegative, Addends& to) {
    const auto a = terms_.constantOf(x.term), b = terms_.constantOf(y.term);
    if (a && b) {
        // Both are doubles: see factorOf. The product of two floats is exact in a double.
        const double product = std::bit_cast<double>(*a) * std::bit_cast<double>(*b);
        const double size = std::abs(product);
        if (((size < 0x1p64 && size > 0x1p-64) || size == 0) &&
            double(float(std::bit_cast<double>(*a))) == std::bit_cast<double>(*a) &&
            double(float(std::bit_cast<double>(*b))) == std::bit_cast<double>(*b)) {
            const TermId bits = terms_.constant(std::bit_cast<uint64_t>(product), 64);
            return addOne({Number::f64, bits}, isNegative, to);
        }
    }
    if (y < x) std::swap(x, y);
    to.push_back({x, y, isNegative});
}

// Those of a sum, without its addend.
void Comparison::addProducts(TermId term, bool isNegative, Addends& to, Of side) {
    const Sum sum = terms_.sumOf(term);
    for (uint32_t k = 0; k + 1 < terms_[term].count; k += 2)
        addProduct(factorOf(sum.a, terms_.operand(term, k), side),
                   factorOf(sum.b, terms_.operand(term, k + 1), side), isNegative, to);
}

// Of the rewritten side, as all that collects.
void Comparison::collectSum(TermId term, bool isNegative, const Walk& walk, Addends& to) {
    addProducts(term, isNegative, to, Of::kRewritten);
    const TermId addend = terms_.operand(term, terms_[term].count - 1);
    collect(addend, terms_.sumOf(term).c, isNegative, walk, to);
}

bool Comparison::collectApplied(TermId term, bool isNegative, const Walk& walk, Addends& to) {
    const Function& f = terms_.functionOf(term);
    const Number number = f.type().number;
    if (f.type().kind != reference::Kind::kFloat || !contains(number, walk.result)) return false;
    if (walk.isExact && f.mayContract) return false;
    const auto one = [&](uint32_t n, bool isOpposite) {
        collect(terms_.operand(term, n), number, isNegative != isOpposite, walk, to);
    };
    const auto product = [&] {
        addProduct(factorOf(number, terms_.operand(term, 0), Of::kRewritten),
                   factorOf(number, terms_.operand(term, 1), Of::kRewritten), isNegative, to);
    };
    switch (f.opcode) {
        case numberIn(OpFAdd):
            one(0, false);
            one(1, false);
            return true;
        case numberIn(OpFSub):
            one(0, false);
            one(1, true);
            return true;
        case numberIn(OpFNegate):
            one(0, true);
            return true;
        case numberIn(OpFMul):
            product();
            return true;
        case numberIn(GLSLstd450Fma):
        case numberIn(OpFmaKHR):
            product();
            one(2, false);
            return true;
        default:
            return false;
    }
}

void Comparison::collect(TermId term, Number number, bool isNegative, const Walk& walk,
                         Addends& to) {
    if (to.size() > walk.most) return;
    const Factor factor = factorOf(number, term, Of::kRewritten);
    const TermId id = summandIn(factor.term, Of::kRewritten);
    const auto isLikeTo = [&](TermId other) {
        if (other == 0 || terms_[other].kind != terms_[id].kind) return false;
        return terms_[id].kind == TermKind::kApplied
                   ? terms_.functionOf(other).base == terms_.functionOf(id).base
                   : terms_[other].function == terms_[id].function;
    };
    const bool isLike = isLikeTo(walk.like);
    if (id == walk.stop || id == walk.like ||
        (isLike && isAsExact(walk.like, id) && allows(walk.like, id, factor.number)))
        return addOne(factor, isNegative, to);
    const TermKind kind = terms_[id].kind;
    if (kind == TermKind::kConverted && terms_.conversionOf(id).to == factor.number &&
        isRounding(terms_.conversionOf(id), walk.result))
        return collect(terms_.operand(id, 0), terms_.conversionOf(id).from, isNegative, walk, to);
    if (isFloatSum(id) && contains(terms_.sumOf(id).result, walk.result) &&
        !(walk.isExact && terms_.sumOf(id).mayContract) &&
        (walk.isMatrix || !terms_.sumOf(id).isMatrix))
        return collectSum(id, isNegative, walk, to);
    if (kind == TermKind::kApplied && collectApplied(id, isNegative, walk, to)) return;
    addOne(factor, isNegative, to);
}

// Of a sum, or what rounds one.
Number Comparison::formatOf(TermId term) const {
    if (isFloatSum(term)) return terms_.sumOf(term).result;
    if (terms_[term].kind == TermKind::kConverted) return terms_.conversionOf(term).to;
    return terms_[term].kind == TermKind::kApplied ? terms_.functionOf(term).type().number
                                                   : Number::f64;
}

// How many addends a term has.
size_t Comparison::countOf(TermId term, const Walk& walk, Of side) {
    term = summandIn(term, side);
    const std::tuple which(walk.result, permitted_, side);
    if (std::exchange(countsOf_, which) != which) counts_.clear();
    if (const auto* known = valueIn(counts_, term)) return *known;
    const TermKind kind = terms_[term].kind;
    const auto of = [&](uint32_t n) { return countOf(terms_.operand(term, n), walk, side); };
    size_t count = 1;
    if (const auto bits = terms_.constantOf(term)) {
        count = (*bits << 1 & numbers::lowBits(terms_[term].width)) != 0 ? 1 : 0;
    } else if (kind == TermKind::kConverted &&
               (isExact(terms_.conversionOf(term)) ||
                isRounding(terms_.conversionOf(term), walk.result))) {
        count = of(0);
    } else if (isFloatSum(term) && contains(terms_.sumOf(term).result, walk.result)) {
        count = terms_[term].count / 2 + of(terms_[term].count - 1);
    } else if (kind == TermKind::kApplied &&
               terms_.functionOf(term).type().kind == reference::Kind::kFloat &&
               contains(terms_.functionOf(term).type().number, walk.result)) {
        const uint32_t opcode = terms_.functionOf(term).opcode;
        if (opcode == numberIn(OpFAdd) || opcode == numberIn(OpFSub)) count = of(0) + of(1);
        if (opcode == numberIn(OpFNegate)) count = of(0);
        if (opcode == numberIn(GLSLstd450Fma) || opcode == numberIn(OpFmaKHR)) count = 1 + of(2);
    }
    counts_[term] = count;
    return count;
}

// A term in this sum of the rewritten side that has so many addends; 0: there is none. Of sums
// along K there is one at most.
TermId Comparison::partWith(TermId term, size_t count, const Walk& walk) {
    while (countOf(term, walk, Of::kRewritten) > count) {
        TermId next = 0;
        term = summandIn(term, Of::kRewritten);
        const TermKind kind = terms_[term].kind;
        if (kind == TermKind::kConverted) next = terms_.operand(term, 0);
        if (isFloatSum(term)) next = terms_.operand(term, terms_[term].count - 1);
        if (kind == TermKind::kApplied) {
            const uint32_t operands = terms_[term].count;
            for (uint32_t n = operands == 3 ? 2 : 0; n < operands; ++n) {
                const TermId operand = terms_.operand(term, n);
                if (next == 0 ||
                    countOf(operand, walk, Of::kRewritten) > countOf(next, walk, Of::kRewritten))
                    next = operand;
            }
        }
        if (next == 0) return 0;
        term = next;
    }
    return countOf(term, walk, Of::kRewritten) == count ? term : 0;
}

// The addend of the native sum stands, as one number, in that of the other side.
bool Comparison::allowsInOrder(TermId native, TermId rewritten) {
    const Sum sum = terms_.sumOf(native);
    const TermId last = terms_.operand(native, terms_[native].count - 1);
    const Factor addend = factorOf(sum.c, last, Of::kNative);
    Walk walk{.result = sum.result, .isExact = !sum.mayContract, .isMatrix = sum.isMatrix};
    Addends wanted, got;
    addProducts(native, false, wanted, Of::kNative);
    const bool isFree = terms_.isFree(addend.term);
    const TermId inner = isFree ? terms_.operand(addend.term, 0) : addend.term;
    if (isFloatSum(inner)) {
        const size_t count = countOf(inner, walk, Of::kNative);
        TermId part = partWith(rewritten, count, walk);
        if (part != 0) part = factorOf(formatOf(part), part, Of::kRewritten).term;
        if (part == 0 || !allows(addend.term, part, addend.number)) return false;
        walk.stop = part;
        wanted.push_back({{addend.number, part}, {}, false});
    } else {
        walk.like = addend.term;
        addOne(addend, false, wanted);
    }
    walk.most = wanted.size();
    collect(rewritten, sum.result, false, walk, got);
    return matches(std::move(wanted), std::move(got));
}

// The addend of the native sum is a sum that nothing else reads: both are one sum.
bool Comparison::allowsOpen(TermId native, TermId rewritten) {
    const Sum first = terms_.sumOf(native);
    const Number result = first.result;
    std::vector<std::pair<TermId, TermId>> chain;
    TermId last = native;
    for (;;) {
        const TermId addend = factorOf(terms_.sumOf(last).c,
                                       terms_.operand(last, terms_[last].count - 1), Of::kNative)
                                  .term;
        if (!isFloatSum(addend)) break;
        const Sum& sum = terms_.sumOf(addend);
        if (sum.result != result || sum.isRounded || sum.isMatrix != first.isMatrix) break;
        chain.emplace_back(addend, last);
        last = addend;
    }
    if (chain.empty()) return false;
    Addends wanted, got;
    addProducts(native, false, wanted, Of::kNative);
    for (const auto& [inner, outer] : chain) addProducts(inner, false, wanted, Of::kNative);
    const Factor addend =
        factorOf(terms_.sumOf(last).c, terms_.operand(last, terms_[last].count - 1), Of::kNative);
    addOne(addend, false, wanted);
    Walk walk{.result = result, .like = addend.term, .most = wanted.size()};
    walk.isExact = !first.mayContract;
    walk.isMatrix = first.isMatrix;
    collect(rewritten, result, false, walk, got);
    if (!matches(std::move(wanted), std::move(got))) return false;
    for (const auto& [inner, outer] : chain) {
        // One sum, whoever reads it.
        const TermId one = terms_.unrounded(inner), in = terms_.unrounded(outer);
        const auto [found, isNew] = dissolved_.emplace(one, in);
        if (isNew) note(Decided::kDissolved, one);
        if (images_.contains(one) || found->second != in) return false;
    }
    assumptions_ |= kOpenSums;
    return true;
}

bool Comparison::allowsSum(TermId native, TermId rewritten) {
    const Mark before = mark();
    if (allowsInOrder(native, rewritten)) return setImage(native, rewritten);
    undoTo(before);
    return allowsOpen(native, rewritten) && setImage(native, rewritten);
}

}  // namespace coopvk::reference::symbols
