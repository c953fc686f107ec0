// SPDX-License-Identifier: Apache-2.0
//
// Comparisons of integers that have one result for all contents of memory: so loops end that data
// only make shorter.
#include "symbols/bounds.hpp"

#include "execution/opcode_table.hpp"
#include "symbols/shadow.hpp"

namespace coopvk::reference::symbols {
namespace {

constexpr uint32_t kBoundDepth = 8;

class Finder {
 public:
    explicit Finder(const Terms& terms) : terms_(terms) {}

    Bounds of(TermId id, uint32_t depth) const {
        const uint64_t all = numbers::lowBits(terms_[id].width);
        if (const auto bits = terms_.constantOf(id)) return {*bits, *bits};
        if (depth == 0) return {0, all};
        if (terms_[id].kind == TermKind::kJoined) return ofJoined(id, depth);
        if (terms_[id].kind == TermKind::kChosen) {
            const Bounds a = of(terms_.operand(id, 1), depth - 1);
            const Bounds b = of(terms_.operand(id, 2), depth - 1);
            return {std::min(a.least, b.least), std::max(a.most, b.most)};
        }
        if (terms_[id].kind == TermKind::kApplied && terms_[id].count == 2)
            if (const auto bounds = ofApplied(id, all, depth)) return *bounds;
        return {0, all};
    }

 private:
    // Each piece has its lowest and its highest bits.
    Bounds ofJoined(TermId id, uint32_t depth) const {
        Bounds bounds{0, 0};
        uint32_t at = 0;
        for (const Piece& p : terms_.pieces(id)) {
            const uint64_t ones = numbers::lowBits(p.count);
            Bounds piece{0, ones};
            if (p.isConstant()) {
                piece = p.first != 0 ? Bounds{ones, ones} : Bounds{0, 0};
            } else if (!p.isFill && !p.isNegated && p.first == 0) {
                const Bounds whole = of(p.term, depth - 1);
                if (whole.most <= ones) piece = whole;
            }
            bounds.least |= piece.least << at;
            bounds.most |= piece.most << at;
            at += p.count;
        }
        return bounds;
    }
    std::optional<Bounds> ofApplied(TermId id, uint64_t all, uint32_t depth) const {
        const Function& f = terms_.functionOf(id);
        const auto isWord = [&](const Type* type) {
            return type->kind == Kind::kInt && type->width == terms_[id].width;
        };
        if (!isWord(&f.type()) || !std::ranges::all_of(f.types, isWord)) return std::nullopt;
        const Bounds a = of(terms_.operand(id, 0), depth - 1);
        const Bounds b = of(terms_.operand(id, 1), depth - 1);
        switch (f.opcode) {
            case numberIn(OpUMod):
                if (b.least == 0) return std::nullopt;
                return Bounds{0, std::min(a.most, b.most - 1)};
            case numberIn(OpUDiv):
                if (b.least == 0) return std::nullopt;
                return Bounds{a.least / b.most, a.most / b.least};
            case numberIn(OpIAdd):
                if (a.most > all - b.most) return std::nullopt;
                return Bounds{a.least + b.least, a.most + b.most};
            case numberIn(OpIMul):
                if (b.most != 0 && a.most > all / b.most) return std::nullopt;
                return Bounds{a.least * b.least, a.most * b.most};
            case numberIn(OpBitwiseAnd):
                return Bounds{0, std::min(a.most, b.most)};
            case numberIn(GLSLstd450UMin):
                return Bounds{std::min(a.least, b.least), std::min(a.most, b.most)};
            case numberIn(GLSLstd450UMax):
                return Bounds{std::max(a.least, b.least), std::max(a.most, b.most)};
            default:
                return std::nullopt;
        }
    }

    const Terms& terms_;
};

// Whether the first operand is less, or less or equal; of the operands in this order or the other.
// Signs: numbers of half the range have none.
template <bool kSigned, bool kSwapped, bool kOrEqual>
TermId isLess(const Transferred& t, uint32_t c, uint32_t lane) {
    Terms& terms = t.terms();
    const TermId left = t.term(kSwapped ? 1 : 0, c, lane);
    const TermId right = t.term(kSwapped ? 0 : 1, c, lane);
    const Bounds a = boundsOf(terms, left), b = boundsOf(terms, right);
    const uint64_t half = numbers::lowBits(terms[left].width) >> 1;
    if (kSigned && (a.most > half || b.most > half)) return 0;
    if (kOrEqual ? a.most <= b.least : a.most < b.least) return terms.constant(1, 1);
    if (kOrEqual ? a.least > b.most : a.least >= b.most) return terms.constant(0, 1);
    return 0;
}
template <auto kOf>
void eachBound(const Transferred& t) {
    t.each([&](uint32_t c, uint32_t lane) { return kOf(t, c, lane); });
}

constexpr TransferRow boundRow(Transfer transfer, auto opcode) {
    return {numberIn(opcode), transfer};
}
constexpr TransferRow kBoundRows[] = {
    boundRow(eachBound<isLess<false, false, false>>, OpULessThan),
    boundRow(eachBound<isLess<false, true, false>>, OpUGreaterThan),
    boundRow(eachBound<isLess<false, false, true>>, OpULessThanEqual),
    boundRow(eachBound<isLess<false, true, true>>, OpUGreaterThanEqual),
    boundRow(eachBound<isLess<true, false, false>>, OpSLessThan),
    boundRow(eachBound<isLess<true, true, false>>, OpSGreaterThan),
    boundRow(eachBound<isLess<true, false, true>>, OpSLessThanEqual),
    boundRow(eachBound<isLess<true, true, true>>, OpSGreaterThanEqual),
};

}  // namespace

Bounds boundsOf(const Terms& terms, TermId id) { return Finder(terms).of(id, kBoundDepth); }

std::span<const TransferRow> boundTransfers() { return kBoundRows; }

}  // namespace coopvk::reference::symbols
