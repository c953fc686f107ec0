// SPDX-License-Identifier: Apache-2.0
//
// Bits of a term, without what they do not depend on: of words in which code packs several numbers,
// each number for itself. SPIR-V, OpBitwiseOr: "Results are computed per component, and within each
// component, per bit". Low bits of sums and products depend on low bits of the operands ("the
// low-order N bits of the correct result R"), and no carry leaves a bit that is 0 in both, and
// no borrow one from which it need not be taken.
#include "symbols/narrowing.hpp"

#include "execution/opcode_table.hpp"

namespace coopvk::reference::symbols {
namespace {

// Bits that are 1.
uint64_t certainBits(const Terms& terms, TermId id) {
    uint64_t bits = 0;
    uint32_t at = 0;
    for (const Piece& p : terms.pieces(id)) {
        if (p.isConstant() && p.first != 0) bits |= numbers::lowBits(p.count) << at;
        at += p.count;
    }
    return bits;
}

// Bits that may be 1.
uint64_t possibleBits(const Terms& terms, TermId id) {
    uint64_t bits = 0;
    uint32_t at = 0;
    for (const Piece& p : terms.pieces(id)) {
        if (!p.isConstant() || p.first != 0) bits |= numbers::lowBits(p.count) << at;
        at += p.count;
    }
    return bits;
}

bool isInteger(const Function& f) {
    return f.type().kind == Kind::kInt && std::ranges::all_of(f.types, [&](const Type* type) {
               return type->kind == Kind::kInt && type->width == f.type().width;
           });
}

uint64_t computed(uint32_t opcode, uint64_t a, uint64_t b) {
    switch (opcode) {
        case numberIn(OpBitwiseAnd):
            return a & b;
        case numberIn(OpBitwiseOr):
            return a | b;
        case numberIn(OpBitwiseXor):
            return a ^ b;
        case numberIn(OpIAdd):
            return a + b;
        case numberIn(OpISub):
            return a - b;
        default:
            return a * b;
    }
}

}  // namespace

TermId Narrowing::of(TermId id) {
    if (const auto* known = valueIn(known_, id)) return *known;
    if (++depth_ > kMostDepth) {
        --depth_;
        return id;
    }
    const TermId result = made(id);
    --depth_;
    known_[result] = result;
    return known_[id] = result;
}

TermId Narrowing::made(TermId id) {
    const Term term = terms_[id];
    if (term.kind == TermKind::kJoined) {
        Pieces pieces;
        for (const Piece& p : terms_.pieces(id)) {
            if (p.isConstant()) {
                pieces.push_back(p);
                continue;
            }
            const uint32_t count = p.isFill ? 1 : p.count;
            Pieces part;
            const TermId bits = bitsOf(p.term, p.first, count);
            terms_.addPieces(bits, 0, count, part);
            for (Piece& piece : part) {
                if (p.isFill) piece.count = p.count, piece.isFill = true;
                if (p.isNegated && piece.isConstant()) piece.first ^= 1;
                if (p.isNegated && !piece.isConstant()) piece.isNegated = !piece.isNegated;
                pieces.push_back(piece);
            }
        }
        return terms_.joined(pieces);
    }
    const bool isFunction = term.kind == TermKind::kApplied || term.kind == TermKind::kConverted ||
                            term.kind == TermKind::kChosen;
    if (!isFunction) return id;
    std::vector<TermId> operands;
    for (uint32_t n = 0; n < term.count; ++n) operands.push_back(of(terms_.operand(id, n)));
    if (std::ranges::equal(operands, terms_.operands(id))) return id;
    if (term.kind == TermKind::kChosen) return terms_.chosen(operands[0], operands[1], operands[2]);
    if (term.kind == TermKind::kConverted) {
        const Conversion conversion = terms_.conversionOf(id);
        return terms_.converted(conversion, operands[0], term.bits);
    }
    // In the sample it has the value that it always has.
    const auto isKnown = [&](TermId operand) { return terms_.constantOf(operand).has_value(); };
    if (isInteger(terms_.functionOf(id)) && std::ranges::all_of(operands, isKnown))
        return terms_.constant(term.bits, term.width);
    return terms_.applied(term.function, operands, term.bits);
}

// The bits from `first` on, zeros below and above them.
TermId Narrowing::only(TermId id, uint32_t first, uint32_t count) {
    Pieces pieces;
    if (first > 0) pieces.push_back({0, 0, uint8_t(first), true});
    terms_.addPieces(bitsOf(id, first, count), 0, count, pieces);
    if (const uint32_t rest = terms_[id].width - first - count; rest > 0)
        pieces.push_back({0, 0, uint8_t(rest), true});
    return terms_.joined(pieces);
}

// The first bit on which bits from `first` on of a sum or product depend.
uint32_t Narrowing::lowestFor(TermId id, uint32_t first) const {
    const TermId a = terms_.operand(id, 0), b = terms_.operand(id, 1);
    const uint64_t x = possibleBits(terms_, a), y = possibleBits(terms_, b);
    if (terms_.functionOf(id).opcode == numberIn(OpIAdd)) {
        for (uint32_t at = first; at-- > 0;)
            if (((x | y) >> at & 1) == 0) return at + 1;
        return 0;
    }
    if (terms_.functionOf(id).opcode == numberIn(OpISub)) {
        const uint64_t apart = certainBits(terms_, a) & ~y;  // no borrow from beyond them
        for (uint32_t at = first; at-- > 0;)
            if ((apart >> at & 1) != 0) return at + 1;
        return 0;
    }
    const auto left = terms_.constantOf(a), right = terms_.constantOf(b);
    if (!left && !right) return 0;
    const uint64_t factor = left ? *left : *right, bits = left ? y : x;
    for (uint32_t at = first; at > 0; --at) {
        const uint64_t low = bits & numbers::lowBits(at);
        if (factor < (uint64_t{1} << 32) && low * factor < uint64_t{1} << at) return at;
    }
    return 0;
}

// Of an instruction on two integers.
TermId Narrowing::ofWord(TermId id, uint32_t first, uint32_t count) {
    const Term term = terms_[id];
    const uint32_t opcode = terms_.functionOf(id).opcode;
    const bool isBitwise = opcode == numberIn(OpBitwiseAnd) || opcode == numberIn(OpBitwiseOr) ||
                           opcode == numberIn(OpBitwiseXor);
    if (!isBitwise && opcode != numberIn(OpIAdd) && opcode != numberIn(OpISub) &&
        opcode != numberIn(OpIMul))
        return 0;
    const uint32_t from = isBitwise ? first : lowestFor(id, first);
    const uint32_t bits = first + count - from;
    // All bits of a constant factor count.
    const auto taken = [&](uint32_t n) {
        const TermId operand = terms_.operand(id, n);
        const bool isFactor = opcode == numberIn(OpIMul) && terms_.constantOf(operand);
        return isFactor ? operand : only(operand, from, bits);
    };
    const TermId operands[] = {taken(0), taken(1)};
    TermId whole = combinedBits(terms_, opcode, operands[0], operands[1]);
    const auto left = terms_.constantOf(operands[0]), right = terms_.constantOf(operands[1]);
    if (left && right) whole = terms_.constant(computed(opcode, *left, *right), term.width);
    if (whole == 0) {
        const uint64_t sample =
            computed(opcode, terms_[operands[0]].bits, terms_[operands[1]].bits);
        whole = terms_.applied(term.function, operands, sample & numbers::lowBits(term.width));
    }
    return terms_.part(whole, first, count);
}

TermId Narrowing::bitsOf(TermId id, uint32_t first, uint32_t count) {
    const TermId all = of(id);
    const Term term = terms_[all];
    if (first == 0 && count == term.width) return all;
    if (++depth_ > kMostDepth) {
        --depth_;
        return terms_.part(all, first, count);
    }
    TermId result = 0;
    // Of fewer bits each piece may depend on less.
    if (term.kind == TermKind::kJoined) result = of(terms_.part(all, first, count));
    if (term.kind == TermKind::kChosen)
        result = terms_.chosen(terms_.operand(all, 0), bitsOf(terms_.operand(all, 1), first, count),
                               bitsOf(terms_.operand(all, 2), first, count));
    if (term.kind == TermKind::kApplied && term.width <= 32 && term.count == 2 &&
        isInteger(terms_.functionOf(all)))
        result = ofWord(all, first, count);
    --depth_;
    return result != 0 ? result : terms_.part(all, first, count);
}

}  // namespace coopvk::reference::symbols
