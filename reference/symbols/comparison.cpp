// SPDX-License-Identifier: Apache-2.0
#include "symbols/comparison.hpp"

#include "execution/opcode_table.hpp"

namespace coopvk::reference::symbols {

using numbers::Number;

TermId withoutRoundTrip(const Terms& terms, TermId id, Number number) {
    while (terms[id].kind == TermKind::kConverted) {
        const Conversion& outer = terms.conversionOf(id);
        if (outer.to != number) break;
        const TermId between = terms.operand(id, 0);
        if (terms[between].kind != TermKind::kConverted) break;
        const Conversion& inner = terms.conversionOf(between);
        if (inner.from != outer.to || inner.to != outer.from || !isExact(inner) ||
            outer.rule.flushOperand || outer.rule.flushResult ||
            outer.rule.toFloat != numbers::Overflow::special)
            break;
        id = terms.operand(between, 0);
    }
    return id;
}

namespace {

// Of what flushes denormals, no operand is the result.
bool flushes(const Function& f) { return f.program->controls(f.type()).flushDenorms; }

// Without what adds -0 to it. IEEE 754, 6.3: "x + x [...] retains the same sign as x even when x is
// zero", and the sum of zeros of opposite signs "is +0 in all rounding-direction attributes except
// roundTowardNegative", which Vulkan has not. So the sum is x, but for bits of NaN: `isSum` says of
// which sums these do not matter. On the native side it may have any.
template <typename IsSum>
TermId withoutNegativeZero(const Terms& terms, TermId id, const IsSum& isSum) {
    const auto isZero = [&](uint32_t n) {
        const auto bits = terms.constantOf(terms.operand(id, n));
        return bits && *bits == uint64_t{1} << (terms[id].width - 1);
    };
    while (terms.isApplied(id, numberIn(OpFAdd)) && isSum(terms.functionOf(id)) &&
           !flushes(terms.functionOf(id)) && (isZero(0) || isZero(1)))
        id = terms.operand(id, isZero(1) ? 0 : 1);
    return id;
}

struct Stricter {
    uint32_t native, rewritten;
};
// What the second one gives, the first one may give: "Which operand is the result is undefined if
// one of the operands is a NaN" (GLSL.std.450, FMin, FMax, FClamp).
constexpr Stricter kStricter[] = {
    {numberIn(GLSLstd450FMin), numberIn(GLSLstd450NMin)},
    {numberIn(GLSLstd450FMax), numberIn(GLSLstd450NMax)},
    {numberIn(GLSLstd450FClamp), numberIn(GLSLstd450NClamp)},
};
// Of both orders; of zeros of both signs either is the result.
constexpr uint32_t kSymmetric[] = {numberIn(GLSLstd450FMin), numberIn(GLSLstd450FMax),
                                   numberIn(GLSLstd450NMin), numberIn(GLSLstd450NMax)};

}  // namespace

// What is not defined, but fixed, natively is any number, always the same.
static bool isFrozen(const Terms& terms, TermId id) {
    return terms[id].kind == TermKind::kOpaque &&
           terms.functionOf(id).opcode == numberIn(OpFreezeKHR);
}

bool isSymmetric(const Function& f) {
    return f.commutes || std::ranges::find(kSymmetric, f.opcode) != std::end(kSymmetric);
}

bool Comparison::allows(TermId native, TermId rewritten, Float number) {
    if (number) {
        const TermId n = withoutRoundTrip(terms_, native, *number),
                     r = withoutRoundTrip(terms_, rewritten, *number);
        if (n != native || r != rewritten) assumptions_ |= kNanBits;
        native = n;
        rewritten = r;
    }
    const Mark before = mark();
    if (native == rewritten) {
        const bool is = noteSame(native);
        if (!is) undoTo(before);
        return is;
    }
    const uint64_t key = uint64_t{native} << 32 | rewritten;
    if (const auto* known = valueIn(knownAs(number), key)) return *known;
    knownAs(number)[key] = false;  // where it is asked again on the way
    const uint32_t permitted = std::exchange(permitted_, 0);
    const bool is = terms_[native].width == terms_[rewritten].width &&
                    !differsInSample(native, rewritten, number) &&
                    isAllowed(native, rewritten, number);
    permitted_ = permitted;
    if (!is && innermost_.first == 0) innermost_ = {native, rewritten};
    if (!is) outermost_ = {native, rewritten};
    if (!is) undoTo(before);
    if (is) note(Decided::kKnown, key, number);
    knownAs(number)[key] = is;
    return is;
}

bool Comparison::allowsExpression(TermId native, TermId rewritten, Float number) {
    const TermId expression = inheritedFrom(terms_, native);
    return expression != 0 && allows(expression, rewritten, number) &&
           noteChoice(native, rewritten);
}

bool Comparison::isAllowed(TermId native, TermId rewritten, Float number) {
    const auto isOfFormat = [&](const Function& f) { return floatOf(f.type()) == number; };
    const TermId n0 = withoutNegativeZero(terms_, native, [](const auto&) { return true; });
    const TermId r0 = withoutNegativeZero(terms_, rewritten, isOfFormat);
    if (n0 != native || r0 != rewritten) {
        assumptions_ |= kNanBits;
        return (r0 == rewritten || isAsLoose(n0, r0)) && allows(n0, r0, number);
    }
    if (terms_.isFree(native) || terms_.isFree(rewritten))
        return allowsFree(native, rewritten, number);
    if (allowsKnown(native, rewritten, number)) return true;
    const TermKind n = terms_[native].kind, r = terms_[rewritten].kind;
    if (isFloatSum(native) && allowsSum(native, rewritten)) return true;
    if (n == TermKind::kReduced) return allowsReduction(native, rewritten);
    if ((isInteger(native) || isInteger(rewritten)) && allowsPolynomial(native, rewritten))
        return true;
    if ((n == TermKind::kJoined || r == TermKind::kJoined) && allowsPieces(native, rewritten))
        return true;
    if (n == TermKind::kApplied && allowsApplied(native, rewritten)) return true;
    if (number && allowsHalfProduct(native, rewritten)) return true;
    if (allowsInAnyOrder(native, rewritten)) return true;
    if (number && allowsFloat(native, rewritten, *number)) return true;
    if (n == r && n == TermKind::kConverted &&
        terms_[native].function == terms_[rewritten].function) {
        Float from = terms_.conversionOf(native).from;
        if (!numbers::format(*from).floating()) from.reset();
        assumptions_ |= kSameFunctions;
        const TermId before = terms_.operand(native, 0), after = terms_.operand(rewritten, 0);
        if (isAsExact(before, after) && allows(before, after, from)) return true;
    }
    if (n == r && n == TermKind::kOpaque &&
        terms_.functionOf(native).base == terms_.functionOf(rewritten).base &&
        isCombinedAlike(native, rewritten)) {
        assumptions_ |= kSameFunctions;
        if (allowsOperands(native, rewritten, terms_.functionOf(native).types)) return true;
    }
    if (n == TermKind::kOpaque && allowsExpression(native, rewritten, number)) return true;
    if (n == r && n == TermKind::kChosen && allowsChosen(native, rewritten, number)) return true;
    if (allowsByTrial(native, number, rewritten, number)) return true;
    if (const TermId as = number ? recognised(rewritten) : rewritten;
        as != rewritten && allows(native, as, number))
        return true;
    const TermId narrow = narrowing_.of(native), other = narrowing_.of(rewritten);
    if ((narrow != native || other != rewritten) && allows(narrow, other, number)) return true;
    return allowsByCut(native, number, rewritten, number) ||
           allowsByCircuit(native, rewritten, number);
}

// A result that devices choose. In the original, one that gives what the instruction says is one of
// them; in the rewritten module, each must be one that the original's instruction allows.
bool Comparison::allowsFree(TermId native, TermId rewritten, Float number) {
    const bool isNative = terms_.isFree(native), isRewritten = terms_.isFree(rewritten);
    const Mark before = mark();
    if (isNative && isRewritten) {
        const Function &n = terms_.functionOf(native), &r = terms_.functionOf(rewritten);
        const bool is = n.base == r.base && areWithin(r.liberties, n.liberties);
        if (is) assumptions_ |= kSameFunctions;
        if (is && allowsOperands(native, rewritten, n.types)) return true;
        undoTo(before);
        if (is && n.commutes && allowsSwapped(native, rewritten)) return true;
        undoTo(before);
    }
    if (isRewritten && terms_.functionOf(rewritten).isPlain &&
        allows(native, terms_.operand(rewritten, 0), number))
        return true;
    undoTo(before);
    if (!isNative) return false;
    const TermId plain = terms_.operand(native, 0);
    if (!terms_.functionOf(native).allowsPlain) return false;
    if (isFloatSum(plain)) {
        permitted_ = terms_.functionOf(native).liberties;
        const bool is = allowsSum(plain, rewritten);
        permitted_ = 0;
        if (is) return setImage(native, rewritten);
        undoTo(before);
    }
    return allows(plain, rewritten, number) && setImage(native, rewritten);
}

// Behind the plain result.
bool Comparison::allowsSwapped(TermId native, TermId rewritten) {
    const std::vector<const Type*> types = terms_.functionOf(native).types;
    for (const uint32_t n : {0u, 1u, 2u})
        if (!allows(terms_.operand(native, n), terms_.operand(rewritten, n == 0 ? 0 : 3 - n),
                    floatOf(*types[n])))
            return false;
    return noteChoice(native, imageOf(native, rewritten, true));
}

// Of constants: the original may give what the reference device computes of them, and where each
// device computes the same, the rewritten side gives that.
bool Comparison::allowsKnown(TermId native, TermId rewritten, Float number) {
    if (isFrozen(terms_, native)) return setImage(native, rewritten);
    const auto bits = terms_.constantOf(rewritten);
    if (!bits)
        return (contractions_.isSettled(rewritten) ||
                (number && contractions_.isSettledNumber(rewritten))) &&
               allows(native, terms_.constant(terms_[rewritten].bits, terms_[rewritten].width), {});
    if (*bits != terms_[native].bits) return false;
    std::vector<TermId> choices;
    std::unordered_set<TermId> seen;
    const auto isKnown = [&](const auto& self, TermId term) -> bool {
        constexpr size_t kMost = 64;
        if (!seen.insert(term).second || terms_.constantOf(term)) return true;
        const TermKind kind = terms_[term].kind;
        if (kind == TermKind::kByte || seen.size() > kMost) return false;
        if (isChoice(term)) choices.push_back(term);
        if (kind == TermKind::kJoined)
            return std::ranges::all_of(terms_.pieces(term), [&](const Piece& piece) {
                return piece.isConstant() || self(self, piece.term);
            });
        // A number of which nothing is known.
        if (kind == TermKind::kOpaque && terms_.functionOf(term).opcode == numberIn(OpUndef))
            return false;
        return std::ranges::all_of(terms_.operands(term),
                                   [&](TermId of) { return self(self, of); });
    };
    if (!isKnown(isKnown, native)) return false;
    return std::ranges::all_of(choices, [&](TermId choice) {
        return setImage(choice, terms_.constant(terms_[choice].bits, terms_[choice].width));
    });
}

bool Comparison::allowsChosen(TermId native, TermId rewritten, Float number) {
    const auto operands = [&](uint32_t at, Float of) {
        return allows(terms_.operand(native, at), terms_.operand(rewritten, at), of);
    };
    return operands(0, std::nullopt) && operands(1, number) && operands(2, number);
}

// Numbers without exact conversions; and products with 1: IEEE 754, 3.1: the result is the exact
// one where it is a number of the format.
bool Comparison::allowsFloat(TermId native, TermId rewritten, Number number) {
    const Factor n = factorOf(number, native, Of::kNative),
                 r = factorOf(number, rewritten, Of::kRewritten);
    if (n.number == r.number && (n.term != native || r.term != rewritten)) {
        assumptions_ |= kNanBits;
        if (allows(n.term, r.term, n.number)) return true;
    }
    const auto timesOne = [&](TermId id) {
        for (const uint32_t at : {0u, 1u}) {
            const bool isProduct = terms_.isApplied(id, numberIn(OpFMul)) &&
                                   terms_.functionOf(id).type().number == number &&
                                   !flushes(terms_.functionOf(id));
            const auto one = isProduct ? terms_.constantOf(terms_.operand(id, at)) : std::nullopt;
            if (one && numbers::decodeDouble(number, *one) == 1) return terms_.operand(id, 1 - at);
        }
        return id;
    };
    const TermId left = timesOne(native), right = timesOne(rewritten);
    assumptions_ |= kNanBits;
    if (right != rewritten && !isAsLoose(left, right)) return false;
    return (left != native || right != rewritten) && allows(left, right, number);
}

// What devices choose in a term that both sides have: each stands for itself.
bool Comparison::noteSame(TermId term) {
    if (!same_.insert(term).second) return true;
    note(Decided::kSame, term);
    bool isRight = true;
    if (isChoice(term)) isRight = setImage(term, imageOf(term, term, false));
    isRight &= !contractions_.contractsMore(term);
    if (terms_[term].kind == TermKind::kJoined) {
        for (const Piece& piece : terms_.pieces(term))
            if (!piece.isConstant()) isRight &= noteSame(piece.term);
    } else {
        for (uint32_t n = 0; n < terms_[term].count; ++n)
            isRight &= noteSame(terms_.operand(term, n));
    }
    if (!isRight) same_.erase(term);
    return isRight;
}

bool Comparison::allowsPieces(TermId native, TermId rewritten) {
    const Pieces a = terms_.pieces(native), b = terms_.pieces(rewritten);
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
        Piece like = b[i];
        like.term = a[i].term;
        if (like != a[i] || a[i].isConstant() != b[i].isConstant()) return false;
        if (a[i].term == b[i].term) continue;
        TermId one = a[i].term, other = b[i].term;
        if (terms_[one].width != terms_[other].width) {
            const uint32_t count = a[i].isFill ? 1 : a[i].count;
            one = terms_.part(one, a[i].first, count);
            other = terms_.part(other, b[i].first, count);
            if (one == native && other == rewritten) return false;
        } else if (one == native) {
            return false;
        }
        if (!allows(one, other, std::nullopt)) return false;
    }
    return a.size() > 1 || terms_[native].kind == TermKind::kJoined;
}

bool Comparison::allowsOperands(TermId native, TermId rewritten,
                                std::span<const Type* const> types) {
    const uint32_t count = terms_[native].count;
    if (count != terms_[rewritten].count) return false;
    const auto inOrder = [&](bool isSwapped) {
        for (uint32_t n = 0; n < count; ++n) {
            const uint32_t other = isSwapped ? count - 1 - n : n;
            if (Contractions::contracts(terms_.functionOf(rewritten)) &&
                !isAsExact(terms_.operand(native, n), terms_.operand(rewritten, other)))
                return false;
            if (!allows(terms_.operand(native, n), terms_.operand(rewritten, other),
                        floatOf(*types[n])))
                return false;
        }
        return noteChoice(native, imageOf(native, rewritten, isSwapped));
    };
    const Mark before = mark();
    if (inOrder(false)) return true;
    undoTo(before);
    return count == 2 && isSymmetric(terms_.functionOf(native)) && inOrder(true);
}

// What devices may combine within one instruction, they may on the native side.
bool Comparison::isCombinedAlike(TermId native, TermId rewritten) const {
    const Function &n = terms_.functionOf(native), &r = terms_.functionOf(rewritten);
    return n.mayContract || !r.mayContract || !isComposed(r);
}

// What may be computed as one with operations of the rewritten side, may so on the native side.
bool Comparison::isAsExact(TermId native, TermId rewritten) {
    using enum Contractions::Operations;
    const uint8_t after = contractions_.operationsIn(rewritten),
                  before = contractions_.operationsIn(native);
    if ((after & kLoose) != 0) return before == kLoose;
    return (after & kStored) == 0 ||
           (before != 0 && (before & kExact) == 0 && !contractions_.isSeenMore(native, rewritten));
}

// The same, of an operation that the rewritten side adds to it.
bool Comparison::isAsLoose(TermId native, TermId rewritten) {
    using enum Contractions::Operations;
    const uint8_t before = contractions_.operationsIn(native);
    return (contractions_.operationsIn(rewritten) & Contractions::kSeen) == 0 ||
           (before != 0 && (before & kExact) == 0 && !contractions_.isSeenMore(native, rewritten));
}

bool Comparison::allowsApplied(TermId native, TermId rewritten) {
    if (allowsContracted(native, rewritten)) return true;
    if (terms_[rewritten].kind != TermKind::kApplied) return false;
    const Function &n = terms_.functionOf(native), &r = terms_.functionOf(rewritten);
    bool isSame = n.base == r.base;
    if (!isSame)
        for (const Stricter& row : kStricter)
            isSame |= row.native == n.opcode && row.rewritten == r.opcode && n.form == r.form;
    if (!isSame) return false;
    if (mayContract(rewritten) && !mayContract(native)) return false;
    if (!isCombinedAlike(native, rewritten)) return false;
    assumptions_ |= kSameFunctions;
    return allowsOperands(native, rewritten, n.types);
}

// A product of halves that is computed in f32, and rounded. Vulkan, "Precision of Individual
// Operations": OpFMul is "correctly rounded". IEEE 754, 4.3: "as if it first produced an
// intermediate result correct to infinite precision and with unbounded range". Factors of 11 bits
// have a product of 22, of which f32 keeps all (24, from 2^-48 to 2^32), so the conversion alone
// rounds.
bool Comparison::allowsHalfProduct(TermId native, TermId rewritten) {
    if (!terms_.isApplied(native, numberIn(OpFMul)) ||
        terms_[rewritten].kind != TermKind::kConverted)
        return false;
    const Function& f = terms_.functionOf(native);
    const FloatControls& controls = f.program->controls(f.type());
    const Conversion& c = terms_.conversionOf(rewritten);
    const TermId product = terms_.operand(rewritten, 0);
    const bool isNearest = controls.rounding == numbers::Rounding::nearestEven &&
                           c.rule.rounding == numbers::Rounding::nearestEven &&
                           f.at.rounding == kNone && !f.at.saturates;
    const bool isPlain = !controls.flushDenorms && !c.rule.flushOperand && !c.rule.flushResult &&
                         c.rule.toFloat == numbers::Overflow::special;
    if (f.type().number != Number::f16 || c.from != Number::f32 || c.to != Number::f16 ||
        !isNearest || !isPlain || !terms_.isApplied(product, numberIn(OpFMul)))
        return false;
    const Function& g = terms_.functionOf(product);
    if (g.type().number != Number::f32 || g.at.saturates) return false;
    const auto factors = [&](TermId of, Number number, Of side) {
        return Addend{factorOf(number, terms_.operand(of, 0), side),
                      factorOf(number, terms_.operand(of, 1), side)};
    };
    assumptions_ |= kNanBits;
    return allowsFactors(factors(native, Number::f16, Of::kNative),
                         factors(product, Number::f32, Of::kRewritten));
}

// A product and a sum where the native side has one instruction for both, or the other way round.
// Vulkan, "Precision of Individual Operations": the precision of fma() is "inherited from OpFMul
// followed by OpFAdd"; without NoContraction both may be "combined".
bool Comparison::allowsContracted(TermId native, TermId rewritten) {
    const auto isFused = [&](TermId id) {
        return terms_.isApplied(id, numberIn(GLSLstd450Fma)) ||
               terms_.isApplied(id, numberIn(OpFmaKHR));
    };
    if (terms_[rewritten].kind != TermKind::kApplied) return false;
    const bool isExact = isFused(rewritten) && mayContract(native);
    const bool isLoose = terms_.isApplied(native, numberIn(GLSLstd450Fma)) &&
                         terms_.functionOf(native).mayContract &&
                         terms_.isApplied(rewritten, numberIn(OpFAdd));
    if (!isExact && !isLoose) return false;
    const TermId fused = isExact ? rewritten : native, sum = isExact ? native : rewritten;
    const Function& f = terms_.functionOf(fused);
    if (!terms_.isApplied(sum, numberIn(OpFAdd)) ||
        f.type().number != terms_.functionOf(sum).type().number)
        return false;
    const auto one = [&](TermId a, TermId b) {
        return isExact ? allows(b, a, f.type().number) : allows(a, b, f.type().number);
    };
    const Mark before = mark();
    for (const uint32_t n : {0u, 1u}) {
        const TermId product = terms_.operand(sum, n), addend = terms_.operand(sum, 1 - n);
        undoTo(before);
        if (!terms_.isApplied(product, numberIn(OpFMul))) continue;
        if (isExact && contractions_.operationsIn(product) != Contractions::kLoose) continue;
        const TermId last = terms_.operand(fused, 2), mine = isExact ? addend : last;
        if (!isAsExact(mine, isExact ? last : addend)) continue;
        if (!one(last, addend)) continue;
        for (const uint32_t m : {0u, 1u})
            if (one(terms_.operand(fused, 0), terms_.operand(product, m)) &&
                one(terms_.operand(fused, 1), terms_.operand(product, 1 - m))) {
                assumptions_ |= kContractions;
                return noteChoice(native, rewritten);
            }
    }
    return false;
}

bool Comparison::isFloatSum(TermId term) const {
    return terms_[term].kind == TermKind::kProduct &&
           numbers::format(terms_.sumOf(term).result).floating();
}

// Of which a device chooses an order.
bool Comparison::isOpen(TermId term) const {
    return isFloatSum(term) || terms_[term].kind == TermKind::kReduced;
}

// Of which a device chooses the value: an order, a contraction, an operand, or how precise it is.
bool Comparison::isChoice(TermId term) {
    switch (terms_[term].kind) {
        case TermKind::kApplied:
            return !isDetermined(terms_.functionOf(term)) || mayContract(term);
        case TermKind::kOpaque:
            return true;
        default:
            return isOpen(term);
    }
}

// What an instruction makes of equal operands is one value, whatever terms these are. Of sums that
// may be contracted the operands say whether they are.
uint64_t Comparison::imageOf(TermId native, TermId rewritten, bool isSwapped) {
    constexpr uint64_t kIsFunction = uint64_t{1} << 63, kIsSwapped = uint64_t{1} << 62;
    rewritten = terms_.unrounded(rewritten);
    if (isOpen(native) || mayContract(native)) return rewritten;
    return terms_[rewritten].function | kIsFunction |
           (isSwapped && !terms_.functionOf(native).commutes ? kIsSwapped : 0);
}

// The native side computes it once: one value stands for it.
bool Comparison::setImage(TermId native, uint64_t image) {
    native = terms_.unrounded(native);
    if (image <= ~TermId{0}) image = terms_.unrounded(TermId(image));
    if (dissolved_.contains(native)) return false;
    const auto [found, isNew] = images_.emplace(native, image);
    if (isNew) note(Decided::kImage, native);
    return isNew || found->second == image;
}

void Comparison::undoTo(const Mark& mark) {
    if (images_.size() + dissolved_.size() == mark.choices) return;
    for (; trail_.size() > mark.steps; trail_.pop_back()) {
        const auto [what, number, key] = trail_.back();
        if (what == Decided::kKnown) knownAs(number).erase(key);
        if (what == Decided::kImage) images_.erase(TermId(key));
        if (what == Decided::kDissolved) dissolved_.erase(TermId(key));
        if (what == Decided::kSame) same_.erase(TermId(key));
        if (what == Decided::kTree) trees_.erase({TermId(key >> 32), TermId(key)});
    }
}

}  // namespace coopvk::reference::symbols
