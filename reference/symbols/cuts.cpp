// SPDX-License-Identifier: Apache-2.0
//
// Numbers of few bits on the way: where the native side converts to a small format and goes on with
// the result, the code of the rewritten side has such a number, too, as bits of a word. If it is
// what the conversion may give, the rest of both sides is compared for all values of the number.
#include "symbols/comparison.hpp"

namespace coopvk::reference::symbols {
namespace {

constexpr size_t kMostVisited = 96, kMostSlices = 512;
constexpr uint32_t kMostBits = 16, kMostDepth = 2;

// The first of these in a term, whatever they are made of.
void addCuts(const Terms& terms, TermId id, std::unordered_set<TermId>& seen,
             std::vector<TermId>& to) {
    if (seen.size() == kMostVisited || !seen.insert(id).second) return;
    if (terms[id].width <= kMostBits && madeFormat(terms, id)) return to.push_back(id);
    switch (terms[id].kind) {
        case TermKind::kJoined:
            for (const Piece& p : terms.pieces(id))
                if (!p.isConstant()) addCuts(terms, p.term, seen, to);
            break;
        case TermKind::kConverted:
        case TermKind::kApplied:
        case TermKind::kChosen:
            for (const TermId operand : terms.operands(id)) addCuts(terms, operand, seen, to);
            break;
        default:
            break;
    }
}

// All half floats in code.
void addHalves(const Terms& terms, TermId id, std::unordered_set<TermId>& seen,
               std::vector<TermId>& to) {
    if (seen.size() == kMostVisited || !seen.insert(id).second) return;
    const Term& term = terms[id];
    if (madeFormat(terms, id) == numbers::Number::f16) to.push_back(id);
    if (term.kind == TermKind::kJoined) {
        for (const Piece& p : terms.pieces(id))
            if (!p.isConstant()) addHalves(terms, p.term, seen, to);
    } else if (term.kind != TermKind::kProduct) {
        for (const TermId operand : terms.operands(id)) addHalves(terms, operand, seen, to);
    }
}

// Slices of one bit, and of all but one; the outermost come first.
void addSlices(Terms& terms, TermId id, uint32_t width, std::vector<TermId>& magnitudes,
               std::vector<TermId>& signs) {
    std::unordered_set<TermId> seen;
    std::vector<TermId> open = {id};
    const auto addTo = [](std::vector<TermId>& list, TermId slice) {
        if (std::ranges::find(list, slice) == list.end()) list.push_back(slice);
    };
    for (size_t next = 0; next < open.size() && open.size() < kMostSlices; ++next) {
        const TermId at = open[next];
        if (!seen.insert(at).second) continue;
        if (terms[at].kind == TermKind::kJoined) {
            for (const Piece& p : terms.pieces(at)) {
                if (p.isConstant()) continue;
                const TermId slice = terms.part(p.term, p.first, p.isFill ? 1 : p.count);
                if (terms[slice].width == 1) addTo(signs, slice);
                if (terms[slice].width == width - 1) addTo(magnitudes, slice);
                open.push_back(p.term);
            }
        } else if (terms[at].kind != TermKind::kProduct) {
            for (const TermId operand : terms.operands(at)) open.push_back(operand);
        }
    }
}

// The first numbers of f32 that instructions on floats make.
void addSingles(const Terms& terms, TermId id, std::unordered_set<TermId>& seen,
                std::vector<TermId>& to) {
    if (seen.size() == kMostVisited || !seen.insert(id).second) return;
    const Term& term = terms[id];
    if (madeFormat(terms, id) == numbers::Number::f32) return to.push_back(id);
    if (term.kind == TermKind::kJoined) {
        for (const Piece& p : terms.pieces(id))
            if (!p.isConstant()) addSingles(terms, p.term, seen, to);
    } else if (term.kind != TermKind::kProduct) {
        for (const TermId operand : terms.operands(id)) addSingles(terms, operand, seen, to);
    }
}

}  // namespace

Float madeFormat(const Terms& terms, TermId id) {
    const Term& term = terms[id];
    Float number;
    if (term.kind == TermKind::kConverted) number = terms.conversionOf(id).to;
    if (term.kind == TermKind::kProduct) number = terms.sumOf(id).result;
    if (term.kind == TermKind::kApplied) number = floatOf(terms.functionOf(id).type());
    const bool isFloat = number && numbers::format(*number).floating();
    return isFloat && numbers::format(*number).bits == term.width ? number : std::nullopt;
}

// What low bits of a term stand for; 0: for none of these. All that stand for a cut are equal: in
// each bit what the native side computes, or else one term, which may be another NaN.
TermId Comparison::cutFor(TermId term, Cuts& cuts) {
    const auto [known, isNew] = cuts.images.emplace(term, TermId{0});
    if (!isNew) return known->second;
    if (std::ranges::find(cuts.terms, term) != cuts.terms.end()) {
        cuts.isComplete &= noteSame(term) && isOneImage(term, 0, cuts);
        return cuts.images[term] = term;
    }
    for (const TermId cut : cuts.terms) {
        const uint32_t width = terms_[cut].width;
        if (terms_[term].width < width || term == cuts.whole) continue;
        const TermId low = terms_.part(term, 0, width);
        const Float number = madeFormat(terms_, cut);
        const auto isNan = [&](TermId id) {
            const double value = numbers::decodeDouble(*number, terms_[id].bits);
            return value != value;
        };
        if (terms_[low].bits != terms_[cut].bits && !(isNan(low) && isNan(cut))) continue;
        const bool isExact = allows(cut, low, std::nullopt);
        if (!isExact && !allows(cut, low, number)) continue;
        cuts.isComplete &= isOneImage(cut, isExact ? 0 : narrowing_.of(low), cuts);
        return cuts.images[term] = cut;
    }
    return 0;
}

bool Comparison::isOneImage(TermId cut, TermId image, Cuts& cuts) {
    return cuts.loose.emplace(cut, image).first->second == image;
}

// Bits of the rewritten side that are those of the cut's magnitude; and terms that are its sign,
// but for that of a NaN.
std::vector<TermId> Comparison::findSlices(TermId term, Cuts& cuts) {
    constexpr size_t kMostTried = 12;
    const TermId cut = cuts.terms[0];
    const uint32_t width = terms_[cut].width;
    std::vector<TermId> magnitudes, signs, right;
    addSlices(terms_, term, width, magnitudes, signs);
    TermId magnitude = 0;
    const TermId wanted = terms_.part(cut, 0, width - 1);
    for (size_t n = magnitudes.size(); n-- > 0 && magnitude == 0;)
        if (terms_[wanted].bits == terms_[magnitudes[n]].bits &&
            allows(wanted, magnitudes[n], std::nullopt))
            magnitude = magnitudes[n];
    if (magnitude == 0) return right;
    for (uint32_t first = 0; first + 1 < width; ++first)
        for (uint32_t count = 1; first + count < width; ++count)
            cuts.slices.emplace(narrowing_.of(terms_.part(magnitude, first, count)), first);
    for (size_t n = 0; n < std::min(signs.size(), kMostTried); ++n) {
        Pieces pieces;
        terms_.addPieces(magnitude, 0, width - 1, pieces);
        terms_.addPieces(signs[n], 0, 1, pieces);
        const TermId whole = terms_.joined(pieces);
        if (terms_[whole].bits == terms_[cut].bits && allows(cut, whole, madeFormat(terms_, cut)))
            right.push_back(signs[n]);
    }
    return right;
}

bool Comparison::isSliceOfCut(Piece& piece, const Cuts& cuts) {
    const TermId slice = terms_.part(piece.term, piece.first, piece.isFill ? 1 : piece.count);
    const auto* first = valueIn(cuts.slices, slice);
    if (first == nullptr || terms_.constantOf(slice)) return false;
    piece.term = cuts.terms[0];
    piece.first = uint8_t(*first);
    return true;
}

TermId Comparison::withCuts(TermId id, Cuts& cuts) {
    if (const auto* known = valueIn(cuts.made, id)) return *known;
    cuts.isComplete &= cuts.made.size() < kMostVisited * 4;
    if (!cuts.isComplete) return id;
    const Term term = terms_[id];
    const bool isFunction = term.kind == TermKind::kApplied || term.kind == TermKind::kConverted ||
                            term.kind == TermKind::kChosen;
    TermId result = id;
    if (term.kind == TermKind::kJoined) {
        Pieces pieces;
        for (Piece p : terms_.pieces(id)) {
            const TermId cut = p.isConstant() ? 0 : cutFor(p.term, cuts);
            if (cut != 0 && p.first + (p.isFill ? 1 : p.count) <= terms_[cut].width) {
                p.term = cut;
            } else if (!p.isConstant() && !isSliceOfCut(p, cuts) &&
                       terms_[p.term].kind != TermKind::kJoined) {
                p.term = withCuts(p.term, cuts);
            }
            // Pieces of what is itself joined.
            const bool isNested = !p.isConstant() && terms_[p.term].kind == TermKind::kJoined;
            if (!isNested || p.isFill) {
                pieces.push_back(p);
                continue;
            }
            Pieces inner;
            terms_.addPieces(p.term, p.first, p.count, inner);
            for (Piece& piece : inner) {
                if (p.isNegated && piece.isConstant()) piece.first ^= 1;
                if (p.isNegated && !piece.isConstant()) piece.isNegated = !piece.isNegated;
                pieces.push_back(piece);
            }
        }
        result = terms_.joined(pieces);
    } else if (isFunction) {
        const TermId cut = term.width <= kMostBits ? cutFor(id, cuts) : 0;
        std::vector<TermId> operands;
        for (uint32_t n = 0; cut == 0 && n < term.count; ++n)
            operands.push_back(withCuts(terms_.operand(id, n), cuts));
        if (cut != 0)
            result = terms_[cut].width == term.width ? cut : id;
        else if (term.kind == TermKind::kChosen)
            result = terms_.chosen(operands[0], operands[1], operands[2]);
        else if (term.kind == TermKind::kConverted)
            result = terms_.converted(Conversion(terms_.conversionOf(id)), operands[0], term.bits);
        else
            result = terms_.applied(term.function, operands, term.bits);
    }
    return cuts.made[id] = result;
}

// A NaN of a cut is each NaN, so that of the rewritten side is one of them.
bool Comparison::allowsByCut(TermId native, Float number, TermId rewritten, Float other) {
    if (cutDepth_ == kMostDepth) return false;
    Cuts cuts{.whole = rewritten};
    std::unordered_set<TermId> seen;
    addCuts(terms_, native, seen, cuts.terms);
    if (cuts.terms.empty() || cuts.terms.size() > 2) return false;
    ++cutDepth_;
    // With one sign each: of a NaN others may have another one.
    std::vector<TermId> signs;
    if (cuts.terms.size() == 1 && terms_[cuts.terms[0]].width == 8)
        signs = findSlices(rewritten, cuts);
    bool is = false;
    for (size_t n = 0; !is && n <= signs.size(); ++n) {
        Cuts some = cuts;
        if (n == signs.size()) some.slices.clear();
        if (n < signs.size()) {
            some.slices.emplace(signs[n], terms_[cuts.terms[0]].width - 1);
            some.loose.emplace(cuts.terms[0], signs[n]);
        }
        const TermId cut = withCuts(rewritten, some);
        is = some.isComplete && allowsByTrial(native, number, cut, other, some.terms);
    }
    --cutDepth_;
    if (is) assumptions_ |= kNanBits;
    return is;
}

// Of two formats: numbers that are equal for all values of what they are made of.
bool Comparison::allowsOtherFormat(const Factor& native, const Factor& rewritten) {
    const double a = numbers::decodeDouble(native.number, terms_[native.term].bits);
    const double b = numbers::decodeDouble(rewritten.number, terms_[rewritten.term].bits);
    if (a != b && !(a != a && b != b) && isFixed(native.term) && isFixed(rewritten.term))
        return false;
    if (allowsByTrial(native.term, native.number, rewritten.term, rewritten.number)) return true;
    const TermId n = narrowing_.of(native.term), r = narrowing_.of(rewritten.term);
    const bool isNarrower = n != native.term || r != rewritten.term;
    if (isNarrower && allowsByTrial(n, native.number, r, rewritten.number)) return true;
    return allowsByCut(n, native.number, r, rewritten.number);
}

// Code that converts a half float to an 8-bit float, as that conversion.
TermId Comparison::recognisedByte(TermId term) {
    if (const auto* known = valueIn(recognised_, term)) return *known;
    const TermId narrow = narrowing_.of(term);
    std::unordered_set<TermId> seen;
    std::vector<TermId> halves;
    addHalves(terms_, narrow, seen, halves);
    for (const TermId half : halves) {
        if (leavesOf(narrow, narrow, {&half, 1}) != std::vector{half}) continue;
        for (const auto to : {numbers::Number::e4m3, numbers::Number::e5m2}) {
            const TermId converted =
                terms_.converted({numbers::Number::f16, to, numbers::conversionRule(false)}, half);
            if (allowsByTrial(converted, to, narrow, to, {&half, 1}))
                return recognised_[term] = converted;
        }
    }
    const TermId converted = recognisedSingle(narrow);
    return recognised_[term] = converted != 0 ? converted : term;
}

// The same of a number in f32; 0: it is none.
TermId Comparison::recognisedSingle(TermId narrow) {
    constexpr size_t kMostSingles = 4;
    std::unordered_set<TermId> seen;
    std::vector<TermId> singles;
    addSingles(terms_, narrow, seen, singles);
    for (size_t n = 0; n < std::min(singles.size(), kMostSingles); ++n)
        for (const auto to : {numbers::Number::e4m3, numbers::Number::e5m2})
            for (const bool saturates : {false, true}) {
                const TermId converted = terms_.converted(
                    {numbers::Number::f32, to, numbers::conversionRule(saturates)}, singles[n]);
                if (terms_[converted].bits == terms_[narrow].bits &&
                    allowsByCut(converted, to, narrow, to))
                    return converted;
            }
    return 0;
}

}  // namespace coopvk::reference::symbols
