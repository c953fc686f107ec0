// SPDX-License-Identifier: Apache-2.0
//
// Terms that are bits of others behind each other.
#include "execution/opcode_table.hpp"
#include "symbols/narrowing.hpp"

namespace coopvk::reference::symbols {
namespace {

Piece decoded(TermId term, uint32_t bits) {
    return {term, uint8_t(bits), uint8_t(bits >> 8), (bits >> 16 & 1) != 0, (bits >> 17 & 1) != 0};
}

// Adds a piece behind others so that equal bits give equal pieces: slices are as long as they can
// be, and one bit alone is a fill. No term has more than 64 bits; all components of a vector have.
constexpr uint32_t kWordBits = 64;
void append(Pieces& pieces, Piece piece) {
    if (piece.count == 0) return;
    if (piece.count == 1) piece.isFill = true;
    Piece* last = pieces.empty() ? nullptr : &pieces.back();
    if (last == nullptr || last->term != piece.term || last->isNegated != piece.isNegated ||
        last->count + piece.count > kWordBits)
        return pieces.push_back(piece);
    if (piece.isConstant()) {
        if (last->first != piece.first) return pieces.push_back(piece);
        last->count = uint8_t(last->count + piece.count);
        return;
    }
    if (piece.isFill) {
        if (!last->isFill && last->first + last->count == piece.first) {
            ++last->count;
            return append(
                pieces, {piece.term, piece.first, uint8_t(piece.count - 1), true, piece.isNegated});
        }
        if (last->isFill && last->first == piece.first) {
            last->count = uint8_t(last->count + piece.count);
            return;
        }
        if (last->isFill && last->first + 1 == piece.first) {
            const TermId term = piece.term;
            const uint8_t bit = last->first;
            if (--last->count == 0) pieces.pop_back();
            append(pieces, {term, bit, 2, false, piece.isNegated});
            return append(pieces,
                          {term, piece.first, uint8_t(piece.count - 1), true, piece.isNegated});
        }
        return pieces.push_back(piece);
    }
    if (last->isFill && last->first + 1 == piece.first) {
        const Piece longer{piece.term, last->first, uint8_t(piece.count + 1), false,
                           piece.isNegated};
        if (--last->count == 0) pieces.pop_back();
        return append(pieces, longer);
    }
    if (!last->isFill && last->first + last->count == piece.first) {
        last->count = uint8_t(last->count + piece.count);
        return;
    }
    pieces.push_back(piece);
}

void appendConstant(Pieces& pieces, uint64_t bits, uint32_t count) {
    for (uint32_t b = 0; b < count; ++b) append(pieces, {0, uint8_t(bits >> b & 1), 1, true});
}

// What two pieces of the same length give; nothing: more than a piece.
using Combine = std::optional<Piece> (*)(const Piece& a, const Piece& b);
bool isAll(const Piece& p, uint32_t bit) { return p.isConstant() && p.first == bit; }
std::optional<Piece> both(const Piece& a, const Piece& b) {
    if (isAll(a, 0) || isAll(b, 1) || a == b) return a;
    if (isAll(b, 0) || isAll(a, 1)) return b;
    return std::nullopt;
}
std::optional<Piece> either(const Piece& a, const Piece& b) {
    if (isAll(a, 1) || isAll(b, 0) || a == b) return a;
    if (isAll(b, 1) || isAll(a, 0)) return b;
    return std::nullopt;
}
std::optional<Piece> one(const Piece& a, const Piece& b) {
    if (isAll(b, 0)) return a;
    if (isAll(a, 0)) return b;
    if (a.isConstant() && b.isConstant())
        return Piece{0, uint8_t(a.first ^ b.first), a.count, true};
    if (a == b) return Piece{0, 0, a.count, true};
    if (!isAll(a, 1) && !isAll(b, 1)) return std::nullopt;
    Piece piece = isAll(a, 1) ? b : a;
    piece.isNegated = !piece.isNegated;
    return piece;
}
// Sums without a carry.
std::optional<Piece> apart(const Piece& a, const Piece& b) {
    if (isAll(b, 0)) return a;
    if (isAll(a, 0)) return b;
    return std::nullopt;
}

// Bits that stand for bools: logic, which is a choice.
std::optional<Piece> logical(Terms& terms, const Piece& a, const Piece& b, bool isAnd) {
    const auto isBool = [&](const Piece& p) {
        return p.count == 1 && !p.isNegated && !p.isConstant() && terms[p.term].width == 1;
    };
    if (!isBool(a) || !isBool(b)) return std::nullopt;
    const TermId first = std::min(a.term, b.term), second = std::max(a.term, b.term);
    const TermId of = isAnd ? terms.chosen(first, second, terms.constant(0, 1))
                            : terms.chosen(first, terms.constant(1, 1), second);
    Pieces bit;
    terms.addPieces(of, 0, 1, bit);
    return bit[0];
}

TermId combined(Terms& terms, TermId x, TermId y, Combine combine) {
    Pieces as = terms.pieces(x), bs = terms.pieces(y), pieces;
    for (size_t a = 0, b = 0; a < as.size() && b < bs.size();) {
        const uint32_t count = std::min(as[a].count, bs[b].count);
        const Piece left = frontOf(as[a], count), right = frontOf(bs[b], count);
        auto piece = combine(left, right);
        if (!piece && (combine == both || combine == either))
            piece = logical(terms, left, right, combine == both);
        if (!piece) return 0;
        pieces.push_back(*piece);
        if (as[a].count == 0) ++a;
        if (bs[b].count == 0) ++b;
    }
    return terms.joined(pieces);
}

}  // namespace

Piece frontOf(Piece& piece, uint32_t count) {
    Piece taken = piece;
    taken.count = uint8_t(count);
    piece.count = uint8_t(piece.count - count);
    if (!piece.isFill) piece.first = uint8_t(piece.first + count);
    return taken;
}

uint32_t layoutOf(const Piece& p) {
    return p.first | uint32_t{p.count} << 8 | uint32_t{p.isFill} << 16 |
           uint32_t{p.isNegated} << 17 | uint32_t{p.isConstant()} << 18;
}

void Terms::addPieces(TermId id, uint32_t first, uint32_t count, Pieces& to) const {
    const Term& term = terms_[id];
    if (term.kind == TermKind::kConstant) return appendConstant(to, term.bits >> first, count);
    if (term.kind != TermKind::kJoined)
        return append(to, {id, uint8_t(first), uint8_t(count), false});
    const auto all = operands(id);
    uint32_t at = 0;
    for (size_t n = 0; n + 1 < all.size() && count > 0; n += 2) {
        const Piece piece = decoded(all[n], all[n + 1]);
        const uint32_t end = at + piece.count;
        if (first < end) {
            const uint32_t skipped = first - at;
            const uint32_t taken = std::min(count, piece.count - skipped);
            const uint32_t bit = piece.isFill ? piece.first : piece.first + skipped;
            append(to, {piece.term, uint8_t(bit), uint8_t(taken), piece.isFill, piece.isNegated});
            first += taken;
            count -= taken;
        }
        at = end;
    }
}

Pieces Terms::pieces(TermId id) const {
    Pieces pieces;
    addPieces(id, 0, terms_[id].width, pieces);
    return pieces;
}

TermId Terms::joined(const Pieces& from) {
    Pieces pieces;
    for (const Piece& piece : from) append(pieces, piece);
    uint32_t width = 0;
    uint64_t sample = 0;
    bool isConstant = true;
    std::vector<TermId> operands;
    for (const Piece& p : pieces) {
        isConstant &= p.isConstant();
        for (uint32_t b = 0; b < p.count; ++b, ++width) {
            const uint32_t bit = p.isFill ? p.first : p.first + b;
            const uint64_t value = p.isConstant() ? p.first : terms_[p.term].bits >> bit & 1;
            sample |= (value ^ p.isNegated) << width;
        }
        operands.insert(operands.end(), {p.term, layoutOf(p)});
    }
    if (isConstant) return constant(sample, width);
    const Piece& first = pieces[0];
    if (pieces.size() == 1 && !first.isNegated && first.count == terms_[first.term].width &&
        (!first.isFill || first.count == 1))
        return first.term;
    return intern({.kind = TermKind::kJoined, .width = uint8_t(width), .bits = sample}, operands);
}

TermId Terms::part(TermId term, uint32_t first, uint32_t count) {
    if (first == 0 && count == terms_[term].width) return term;
    Pieces pieces;
    addPieces(term, first, count, pieces);
    return joined(pieces);
}

TermId combinedBits(Terms& terms, uint32_t opcode, TermId x, TermId y) {
    switch (opcode) {
        case numberIn(OpBitwiseAnd):
            return combined(terms, x, y, both);
        case numberIn(OpBitwiseOr):
            return combined(terms, x, y, either);
        case numberIn(OpBitwiseXor):
            return combined(terms, x, y, one);
        case numberIn(OpIAdd):
            return combined(terms, x, y, apart);
        default:
            return 0;
    }
}

}  // namespace coopvk::reference::symbols
