// SPDX-License-Identifier: Apache-2.0
#include "symbols/circuits.hpp"

#include "coopvk_reference/symbols.hpp"

namespace coopvk::reference::symbols {

// What is rounded stands for the leaf for which the number before does.
const uint32_t* Circuits::imageOf(TermId term) const {
    const uint32_t* image = valueIn(images_, term);
    return image != nullptr ? image : valueIn(images_, terms_.unrounded(term));
}

bool Circuits::isBlasted(TermId term, bool isRewritten) const {
    if (isRewritten && imageOf(term) != nullptr) return false;
    switch (terms_[term].kind) {
        case TermKind::kProduct:
            return isSaturating(terms_, term);
        case TermKind::kConstant:
        case TermKind::kJoined:
        case TermKind::kChosen:
            return true;
        case TermKind::kConverted:
            return !isRewritten && hasCircuit(terms_.conversionOf(term));
        case TermKind::kApplied:
            return addsPower(terms_, term) || isOperation(terms_, term);
        default:
            return false;
    }
}

Bits Circuits::leafBits(TermId term) {
    const uint32_t* image = imageOf(term);
    const auto leaf =
        image != nullptr ? *image : uint32_t(std::ranges::find(leaves_, term) - leaves_.begin());
    const auto* place = valueIn(places_, leaves_[leaf]);
    const int first = place != nullptr && terms_[term].width == 8 ? std::max(*place, 0) : 0;
    Bits bits(terms_[term].width);
    for (uint32_t n = 0; n < bits.size(); ++n)
        bits[n] = diagrams_.variable((63 - (n + uint32_t(first)) % 64) * kMostVariables + leaf);
    return bits;
}

// Asked beside the leaves' bits of the same place: sums of both are small then.
Bits Circuits::anyBits(size_t width) {
    Bits bits(width);
    const uint32_t number = fresh_++, group = number / kMostVariables;
    for (uint32_t n = 0; n < width; ++n)
        bits[n] =
            diagrams_.variable((group * 64 + 63 - n) * kMostVariables + number % kMostVariables);
    return bits;
}

Bits Circuits::joined(TermId term, bool isRewritten) {
    Bits bits;
    for (const Piece& p : terms_.pieces(term)) {
        if (p.isConstant()) {
            bits.resize(bits.size() + p.count, p.first != 0 ? kTrue : kFalse);
            continue;
        }
        const Bits from = bitsOf(p.term, isRewritten);
        for (uint32_t n = 0; n < p.count; ++n) {
            const Bit bit = from[p.isFill ? p.first : p.first + n];
            bits.push_back(p.isNegated ? diagrams_.negate(bit) : bit);
        }
    }
    return bits;
}

const Bits& Circuits::bitsOf(TermId term, bool isRewritten) {
    auto& known = bits_[isRewritten];
    if (const auto* found = valueIn(known, term)) return *found;
    Bits bits;
    const Term& t = terms_[term];
    const auto operand = [&](uint32_t n) -> const Bits& {
        return bitsOf(terms_.operand(term, n), isRewritten);
    };
    if (!isBlasted(term, isRewritten)) {
        bits = leafBits(term);
    } else if (t.kind == TermKind::kConstant) {
        bits = Diagrams::constant(t.bits, t.width);
    } else if (t.kind == TermKind::kJoined) {
        bits = joined(term, isRewritten);
    } else if (t.kind == TermKind::kProduct) {
        bits = saturated(term, isRewritten);
    } else if (t.kind == TermKind::kChosen) {
        const Bits condition = operand(0), then = operand(1), other = operand(2);
        bits = diagrams_.choose(condition[0], then, other);
    } else if (t.kind == TermKind::kConverted) {
        const Bits from = operand(0);
        bits = roundedBits(diagrams_, terms_.conversionOf(term), from);
    } else if (addsPower(terms_, term)) {
        bits = addedPower(term, isRewritten);
    } else {
        bits = applied(term, isRewritten);
    }
    return known[term] = std::move(bits);
}

// Formats to which code in integers converts.
struct Target {
    uint8_t width;
    numbers::Number number;
};
constexpr Target kTargets[] = {{16, numbers::Number::f16}, {16, numbers::Number::bf16}};

TermId Comparison::recognised(TermId term) {
    const Term& t = terms_[term];
    const bool isCode =
        t.kind == TermKind::kJoined || t.kind == TermKind::kChosen ||
        (t.kind == TermKind::kApplied && isIntegerType(terms_.functionOf(term).type()));
    if (isCode && t.width == 8) return recognisedByte(term);
    if (!isCode || t.width != kTargets[0].width) return term;
    if (const auto* known = valueIn(recognised_, term)) return *known;
    std::vector<uint32_t> shape;
    Circuits circuits(*this, shape);
    TermId result = term;
    if (circuits.describe(term, true) && circuits.leaves().size() == 1) {
        const TermId leaf = circuits.leaves()[0];
        for (const Target& target : kTargets) {
            if (terms_[leaf].width != 32 || terms_[leaf].kind == TermKind::kByte) continue;
            const Conversion conversion{numbers::Number::f32, target.number,
                                        numbers::conversionRule(false)};
            const TermId converted = terms_.converted(conversion, leaf);
            if (allowsBits(converted, term, target.number, false)) result = converted;
        }
    }
    return recognised_[term] = result;
}

bool Comparison::allowsByCircuit(TermId native, TermId rewritten, Float number) {
    constexpr uint32_t kMostDepth = 8;
    if (circuitDepth_ == kMostDepth) return false;
    ++circuitDepth_;
    const bool is = allowsBits(native, rewritten, number, true);
    --circuitDepth_;
    return is;
}

bool Comparison::allowsBits(TermId native, TermId rewritten, Float number, bool isSame) {
    std::vector<uint32_t> shape;
    Circuits circuits(*this, shape);
    if (!circuits.isBlasted(native, false) && !circuits.isBlasted(rewritten, true)) return false;
    if (!circuits.describe(native, false) || !circuits.describe(rewritten, true)) return false;
    shape.push_back(number ? uint32_t(*number) : ~uint32_t{0});
    const auto noted = [&](bool is) {
        if (is && number) assumptions_ |= kNanBits;
        return is && (!isSame || std::ranges::all_of(circuits.shared(),
                                                     [&](TermId leaf) { return noteSame(leaf); }));
    };
    if (const auto known = tried_.circuits.find(shape); known != tried_.circuits.end())
        return noted(known->second);
    constexpr uint32_t kMostTooLarge = 16;  // each takes a second
    if (tooLarge_ == kMostTooLarge) return false;
    const Bits a = circuits.bitsOf(native, false), b = circuits.bitsOf(rewritten, true);
    Diagrams& d = circuits.diagrams();
    Bit same = d.equal(a, b);
    if (number && numbers::format(*number).bits == a.size()) {
        const numbers::Format& format = numbers::format(*number);
        same = d.either(same, d.both(isNan(d, a, format), isNan(d, b, format)));
    }
    if (d.isTooLarge()) ++tooLarge_;
    const bool is = same == kTrue && !d.isTooLarge();
    tried_.circuits.emplace(std::move(shape), is);
    return noted(is);
}

}  // namespace coopvk::reference::symbols
