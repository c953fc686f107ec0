// SPDX-License-Identifier: Apache-2.0
//
// Reductions of matrices. SPV_NV_cooperative_matrix2, OpCooperativeMatrixReduceNV: CombineFunc "is
// called to combine pairs of elements (or intermediate results)". So the result is a tree of calls,
// in which each element stands once; which tree, nothing says. Each call computes what its function
// says: a rounding in it stays.
#include <cmath>

#include "execution/opcode_table.hpp"
#include "symbols/comparison.hpp"

namespace coopvk::reference::symbols {

// Those that the tree of the rewritten side still lacks.
struct Comparison::Elements {
    const Reduction& of;
    Float number;
    std::map<TermId, uint32_t> left;  // how often each
    uint32_t comparisons = 0;
};

// Others need no comparison.
bool Comparison::isNearInSample(TermId native, TermId rewritten, Float number, double most) const {
    const uint64_t a = terms_[native].bits, b = terms_[rewritten].bits;
    if (!number || terms_[native].width != terms_[rewritten].width) return a == b;
    const double x = numbers::decodeDouble(*number, a), y = numbers::decodeDouble(*number, b);
    return a == b || std::abs(x - y) <= (std::abs(x) + std::abs(y)) * most;
}

// Whether a term is what the function makes of two others: its parts.
bool Comparison::fits(TermId pattern, TermId term, Float number, const Reduction& of,
                      Parts& parts) {
    if (number) {
        const Factor wanted = factorOf(*number, pattern, Of::kNative),
                     got = factorOf(*number, term, Of::kRewritten);
        if (wanted.number != got.number) return false;
        number = wanted.number;
        pattern = recognised(wanted.term);
        term = recognised(got.term);
        assumptions_ |= kNanBits;
    }
    if (pattern == of.left || pattern == of.right) {
        TermId& part = parts[pattern == of.left ? 0 : 1];
        if (part != 0) return part == term;
        if (terms_[term].width != terms_[pattern].width) return false;
        part = term;
        return true;
    }
    if (pattern == term) return true;
    const Term &wanted = terms_[pattern], &got = terms_[term];
    if (wanted.kind != got.kind || wanted.width != got.width) return false;
    const Parts before = parts;
    if (fitsOperands(pattern, term, of, parts)) return true;
    parts = before;
    return false;
}

bool Comparison::fitsOperands(TermId pattern, TermId term, const Reduction& of, Parts& parts) {
    const uint32_t count = terms_[pattern].count;
    if (count != terms_[term].count) return false;
    const auto one = [&](uint32_t n, uint32_t m, Float number) {
        return fits(terms_.operand(pattern, n), terms_.operand(term, m), number, of, parts);
    };
    switch (terms_[pattern].kind) {
        case TermKind::kConverted: {
            const numbers::Number from = terms_.conversionOf(pattern).from;
            return terms_[pattern].function == terms_[term].function &&
                   one(0, 0, numbers::format(from).floating() ? Float(from) : std::nullopt);
        }
        case TermKind::kChosen:
            return one(0, 0, {}) && one(1, 1, {}) && one(2, 2, {});
        case TermKind::kJoined: {
            const Pieces a = terms_.pieces(pattern), b = terms_.pieces(term);
            for (size_t n = 0; n < a.size(); ++n)
                if (layoutOf(a[n]) != layoutOf(b[n]) ||
                    (!a[n].isConstant() && !fits(a[n].term, b[n].term, {}, of, parts)))
                    return false;
            return true;
        }
        case TermKind::kApplied:
            break;
        default:
            return false;
    }
    const Function &f = terms_.functionOf(pattern), &g = terms_.functionOf(term);
    // A placeholder stands for elements of the original, or for what the function makes of two.
    const auto isPlaceholder = [&](TermId id) { return id == of.left || id == of.right; };
    const bool mayContractElements = f.mayContract && areElementsLoose_ &&
                                     std::ranges::any_of(terms_.operands(pattern), isPlaceholder);
    if (f.base != g.base || (mayContract(term) && !mayContract(pattern) && !mayContractElements))
        return false;
    assumptions_ |= kSameFunctions;
    const Parts before = parts;
    const auto inOrder = [&](bool isSwapped) {
        parts = before;
        for (uint32_t n = 0; n < count; ++n) {
            const uint32_t other = isSwapped ? count - 1 - n : n;
            const bool isLoose = isPlaceholder(terms_.operand(pattern, n)) && areElementsLoose_;
            if (Contractions::contracts(g) && !isLoose &&
                !isAsExact(terms_.operand(pattern, n), terms_.operand(term, other)))
                return false;
            if (!one(n, other, floatOf(*f.types[n]))) return false;
        }
        return true;
    };
    return inOrder(false) || (count == 2 && isSymmetric(f) && inOrder(true));
}

// Where each call returns one of its operands, the tree's result is an element, and it may be each.
bool Comparison::isElement(TermId native, TermId rewritten) {
    const numbers::Number number = terms_.reductionOf(native).number;
    const bool isFloat = numbers::format(number).floating();
    for (uint32_t n = 0; n + 1 < terms_[native].count; ++n)
        if (allows(terms_.operand(native, n), rewritten, isFloat ? Float(number) : std::nullopt))
            return true;
    return false;
}

bool Comparison::takeElements(TermId term, Elements& elements) {
    if (elements.number) term = recognised(factorOf(*elements.number, term, Of::kRewritten).term);
    const auto take = [&](TermId element) {
        uint32_t& often = elements.left[element];
        if (--often == 0) elements.left.erase(element);
        return true;
    };
    if (elements.left.contains(term) && noteSame(term)) return take(term);
    const auto takeNear = [&](double most) {
        constexpr uint32_t kMostComparisons = 4096;
        for (const auto& [element, often] : elements.left) {
            if (!isNearInSample(element, term, elements.number, most)) continue;
            if (++elements.comparisons > kMostComparisons) return false;
            if (allows(element, term, elements.number)) return take(element);
        }
        return false;
    };
    if (takeNear(0)) return true;
    Parts parts{};
    if (fits(elements.of.combined, term, elements.number, elements.of, parts) && parts[0] != 0 &&
        parts[1] != 0) {
        const auto before = elements.left;
        if (takeElements(parts[0], elements) && takeElements(parts[1], elements)) return true;
        elements.left = before;
    }
    return takeNear(0x1p-10);
}

// Whatever element of the result it is.
bool Comparison::isTree(TermId native, TermId rewritten) {
    const Reduction reduction = terms_.reductionOf(native);
    const auto operands = terms_.operands(native);
    const TermId any = terms_.reduced(reduction, {operands.begin(), operands.end() - 1},
                                      ~uint32_t{0}, terms_[native].bits);
    const auto [known, isNew] = trees_.emplace(std::pair(any, rewritten), false);
    if (!isNew) return known->second;
    Elements elements{.of = reduction, .number = {}, .left = {}};
    if (numbers::format(reduction.number).floating()) elements.number = reduction.number;
    for (uint32_t n = 0; n + 1 < terms_[native].count; ++n)
        ++elements.left[terms_.operand(native, n)];
    note(Decided::kTree, uint64_t{any} << 32 | rewritten);
    const bool areLoose = std::ranges::all_of(elements.left, [&](const auto& element) {
        return (contractions_.operationsIn(element.first) & ~Contractions::kLoose) == 0;
    });
    // Elements that no operation gives are numbers on both sides.
    const bool isLoose =
        (contractions_.operationsIn(reduction.combined) & ~Contractions::kLoose) == 0;
    const bool before = std::exchange(areElementsLoose_, areLoose && isLoose);
    const bool isOneOfThem =
        reduction.combined == reduction.left || reduction.combined == reduction.right;
    // Comparisons of elements add trees.
    const bool is = isOneOfThem ? isElement(native, rewritten)
                                : takeElements(rewritten, elements) && elements.left.empty();
    areElementsLoose_ = before;
    return trees_[{any, rewritten}] = is;
}

bool Comparison::allowsReduction(TermId native, TermId rewritten) {
    return isTree(native, rewritten) && setImage(native, rewritten);
}

}  // namespace coopvk::reference::symbols
