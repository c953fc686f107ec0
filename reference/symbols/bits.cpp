// SPDX-License-Identifier: Apache-2.0
//
// Instructions that move bits: by amounts that are known, they only put pieces together.
#include "execution/opcode_table.hpp"
#include "symbols/narrowing.hpp"
#include "symbols/shadow.hpp"

namespace coopvk::reference::symbols {
namespace {

uint32_t widthAt(const Terms& terms, TermId term) { return terms[term].width; }

// `count` times the term's last bit.
void addSign(const Terms& terms, TermId term, uint32_t count, Pieces& to) {
    if (count == 0) return;
    Pieces bit;
    terms.addPieces(term, widthAt(terms, term) - 1, 1, bit);
    bit[0].count = uint8_t(count);
    to.push_back(bit[0]);
}
Piece zeros(uint32_t count) { return {0, 0, uint8_t(count), true}; }

TermId shiftedLeft(const Transferred& t, uint32_t c, uint32_t lane) {
    const auto by = t.constant(1, c, lane);
    const TermId from = t.term(0, c, lane);
    const uint32_t width = widthAt(t.terms(), from);
    if (!by || *by >= width) return 0;
    Pieces pieces;
    if (*by > 0) pieces.push_back(zeros(uint32_t(*by)));
    t.terms().addPieces(from, 0, width - uint32_t(*by), pieces);
    return t.terms().joined(pieces);
}

template <bool kSigned>
TermId shiftedRight(const Transferred& t, uint32_t c, uint32_t lane) {
    const auto by = t.constant(1, c, lane);
    const TermId from = t.term(0, c, lane);
    const uint32_t width = widthAt(t.terms(), from);
    if (!by || *by >= width) return 0;
    Pieces pieces;
    t.terms().addPieces(from, uint32_t(*by), width - uint32_t(*by), pieces);
    if (kSigned)
        addSign(t.terms(), from, uint32_t(*by), pieces);
    else if (*by > 0)
        pieces.push_back(zeros(uint32_t(*by)));
    return t.terms().joined(pieces);
}

template <spv::Op kOpcode>
TermId combines(const Transferred& t, uint32_t c, uint32_t lane) {
    return combinedBits(t.terms(), numberIn(kOpcode), t.term(0, c, lane), t.term(1, c, lane));
}

TermId opposites(const Transferred& t, uint32_t c, uint32_t lane) {
    Pieces pieces = t.terms().pieces(t.term(0, c, lane));
    for (Piece& piece : pieces) {
        if (piece.isConstant())
            piece.first ^= 1;
        else
            piece.isNegated = !piece.isNegated;
    }
    return t.terms().joined(pieces);
}

// By a power of two, or by zero.
TermId multiplied(const Transferred& t, uint32_t c, uint32_t lane) {
    for (const uint32_t n : {0u, 1u}) {
        const auto factor = t.constant(n, c, lane);
        if (factor && *factor == 0) return t.term(n, c, lane);
        if (!factor || !std::has_single_bit(*factor)) continue;
        const auto by = uint32_t(std::countr_zero(*factor));
        const TermId from = t.term(1 - n, c, lane);
        Pieces pieces;
        if (by > 0) pieces.push_back(zeros(by));
        t.terms().addPieces(from, 0, widthAt(t.terms(), from) - by, pieces);
        return t.terms().joined(pieces);
    }
    return 0;
}

template <bool kRest>
TermId divided(const Transferred& t, uint32_t c, uint32_t lane) {
    const auto by = t.constant(1, c, lane);
    if (!by || !std::has_single_bit(*by)) return 0;
    const auto bits = uint32_t(std::countr_zero(*by));
    const TermId from = t.term(0, c, lane);
    const uint32_t width = widthAt(t.terms(), from);
    Pieces pieces;
    if (kRest)
        t.terms().addPieces(from, 0, bits, pieces);
    else
        t.terms().addPieces(from, bits, width - bits, pieces);
    if (const uint32_t rest = kRest ? width - bits : bits; rest > 0) pieces.push_back(zeros(rest));
    return t.terms().joined(pieces);
}

// Base, offset, count.
template <bool kSigned>
TermId extracted(const Transferred& t, uint32_t c, uint32_t lane) {
    const auto offset = t.constant(1, c, lane), count = t.constant(2, c, lane);
    const TermId from = t.term(0, c, lane);
    const uint32_t width = widthAt(t.terms(), from);
    if (!offset || !count || *offset + *count > width || *count == 0) return 0;
    Terms& terms = t.terms();
    const TermId field = terms.part(from, uint32_t(*offset), uint32_t(*count));
    Pieces pieces = terms.pieces(field);
    const uint32_t rest = width - uint32_t(*count);
    if (kSigned)
        addSign(terms, field, rest, pieces);
    else if (rest > 0)
        pieces.push_back(zeros(rest));
    return terms.joined(pieces);
}

// Base, inserted, offset, count.
TermId inserted(const Transferred& t, uint32_t c, uint32_t lane) {
    const auto offset = t.constant(2, c, lane), count = t.constant(3, c, lane);
    const TermId base = t.term(0, c, lane);
    const uint32_t width = widthAt(t.terms(), base);
    if (!offset || !count || *offset + *count > width) return 0;
    const auto first = uint32_t(*offset), bits = uint32_t(*count);
    Pieces pieces;
    t.terms().addPieces(base, 0, first, pieces);
    t.terms().addPieces(t.term(1, c, lane), 0, bits, pieces);
    t.terms().addPieces(base, first + bits, width - first - bits, pieces);
    return t.terms().joined(pieces);
}

template <auto kOf>
void eachBits(const Transferred& t) {
    t.each([&](uint32_t c, uint32_t lane) { return kOf(t, c, lane); });
}

// The same bits as components of another width. These are the bits of numbers. What is not defined
// is any number, as a part of one that counts as defined, too.
void casts(const Transferred& t) {
    const Value &result = t.result(), &from = t.operand(0);
    const auto termOf = [&](uint32_t c, uint32_t lane) {
        if (from.isDefined(c, lane) || t.s.program == t.all.original)
            return t.all.termOf(from, c, lane);
        return t.all.anyNumber(*t.s.program, scalarOf(*from.type, c), from.at(c, lane),
                               t.at.opcode);
    };
    t.mask.forEach([&](uint32_t lane) {
        Pieces all;
        for (uint32_t c = 0; c < from.components(); ++c) {
            const TermId operation = termOf(c, lane), term = t.terms().rounded(operation);
            const bool isSeen =
                (t.all.contractions.operationsIn(operation) & Contractions::kLoose) != 0;
            if (isSeen && t.s.program != t.all.original) t.all.readers.note(term, kByItself);
            t.terms().addPieces(term, 0, widthAt(t.terms(), term), all);
        }
        const TermId first = t.all.termOf(from, 0, lane);
        const uint32_t total = widthAt(t.terms(), first) * from.components();
        const uint32_t width = total / result.components();
        size_t next = 0;
        for (uint32_t c = 0; c < result.components(); ++c) {
            Pieces pieces;
            for (uint32_t bits = 0; bits < width;) {
                const uint32_t count = std::min<uint32_t>(width - bits, all[next].count);
                pieces.push_back(frontOf(all[next], count));
                bits += count;
                if (all[next].count == 0) ++next;
            }
            t.set(c, lane, t.terms().joined(pieces));
        }
    });
}

// SPV_EXT_ocp_microscaling_types: bits from an offset on.
TermId extractsBits(const Transferred& t, uint32_t c, uint32_t lane) {
    const auto offset = t.constant(1, c, lane);
    const TermId from = t.term(0, c, lane);
    const uint32_t width = scalarOf(*t.result().type).width;
    if (!offset || *offset + width > widthAt(t.terms(), from)) return 0;
    return t.terms().part(from, uint32_t(*offset), width);
}

TermId convertedBy(const Transferred& t, numbers::Number from, numbers::Number to, TermId term,
                   uint64_t sample) {
    numbers::ConversionRule rule = numbers::conversionRule(false);
    rule.flushOperand = from == numbers::Number::f16 && t.s.program->controls(16).flushDenorms;
    return t.terms().converted({from, to, rule}, term, sample);
}

using numbers::Number;

void packsHalves(const Transferred& t) {
    t.mask.forEach([&](uint32_t lane) {
        Pieces pieces;
        const uint64_t word = t.result().at(0, lane);
        for (uint32_t c = 0; c < 2; ++c) {
            const uint64_t half = word >> c * 16 & 0xFFFF;
            const TermId from = t.term(0, c, lane);
            const TermId to = t.terms().constantOf(from)
                                  ? t.terms().constant(half, 16)
                                  : convertedBy(t, Number::f32, Number::f16, from, half);
            t.terms().addPieces(to, 0, 16, pieces);
        }
        t.set(0, lane, t.terms().joined(pieces));
    });
}
void unpacksHalves(const Transferred& t) {
    t.mask.forEach([&](uint32_t lane) {
        for (uint32_t c = 0; c < 2; ++c) {
            const TermId half = t.terms().part(t.term(0, 0, lane), c * 16, 16);
            const uint64_t bits = t.result().at(c, lane);
            t.set(c, lane,
                  t.terms().constantOf(half)
                      ? t.terms().constant(bits, 32)
                      : convertedBy(t, Number::f16, Number::f32, half, bits));
        }
    });
}

constexpr TransferRow eachRow(Transfer transfer, auto opcode) {
    return {numberIn(opcode), transfer};
}

constexpr TransferRow kBitRows[] = {
    TransferRow{numberIn(OpBitcast), casts, ~uint32_t{0}, true},
    eachRow(casts, OpBitCastArrayQCOM),
    eachRow(packsHalves, GLSLstd450PackHalf2x16),
    eachRow(unpacksHalves, GLSLstd450UnpackHalf2x16),
    eachRow(casts, GLSLstd450PackDouble2x32),
    eachRow(casts, GLSLstd450UnpackDouble2x32),
    eachRow(eachBits<extractsBits>, OpBitcastExtractEXT),
    eachRow(eachBits<shiftedLeft>, OpShiftLeftLogical),
    eachRow(eachBits<shiftedRight<false>>, OpShiftRightLogical),
    eachRow(eachBits<shiftedRight<true>>, OpShiftRightArithmetic),
    eachRow(eachBits<combines<OpBitwiseAnd>>, OpBitwiseAnd),
    eachRow(eachBits<combines<OpBitwiseOr>>, OpBitwiseOr),
    eachRow(eachBits<combines<OpBitwiseXor>>, OpBitwiseXor),
    eachRow(eachBits<opposites>, OpNot),
    eachRow(eachBits<combines<OpIAdd>>, OpIAdd),
    eachRow(eachBits<multiplied>, OpIMul),
    eachRow(eachBits<divided<false>>, OpUDiv),
    eachRow(eachBits<divided<true>>, OpUMod),
    eachRow(eachBits<inserted>, OpBitFieldInsert),
    eachRow(eachBits<extracted<false>>, OpBitFieldUExtract),
    eachRow(eachBits<extracted<true>>, OpBitFieldSExtract),
};

}  // namespace

std::span<const TransferRow> bitTransfers() { return kBitRows; }

}  // namespace coopvk::reference::symbols
