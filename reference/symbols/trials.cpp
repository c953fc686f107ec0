// SPDX-License-Identifier: Apache-2.0
//
// Terms that are functions of one or two bytes: both sides for all values of these.
#include <cmath>

#include "coopvk_reference/symbols.hpp"
#include "execution/opcode_table.hpp"
#include "symbols/trial.hpp"

namespace coopvk::reference::symbols {
namespace {

using numbers::Number;

constexpr size_t kMostBytes = 2;

// Instructions on floats that have one result, whatever the device, but for what it contracts.
constexpr uint32_t kDetermined[] = {
    numberIn(OpFAdd),
    numberIn(OpFSub),
    numberIn(OpFMul),
    numberIn(OpFmaKHR),
    numberIn(OpFNegate),
    numberIn(OpFOrdEqual),
    numberIn(OpFOrdNotEqual),
    numberIn(OpFOrdLessThan),
    numberIn(OpFOrdLessThanEqual),
    numberIn(OpFOrdGreaterThan),
    numberIn(OpFOrdGreaterThanEqual),
    numberIn(OpFUnordEqual),
    numberIn(OpFUnordNotEqual),
    numberIn(OpFUnordLessThan),
    numberIn(OpFUnordLessThanEqual),
    numberIn(OpFUnordGreaterThan),
    numberIn(OpFUnordGreaterThanEqual),
    numberIn(OpIsNan),
    numberIn(OpIsInf),
    numberIn(GLSLstd450FAbs),
    numberIn(GLSLstd450Floor),
    numberIn(GLSLstd450Ceil),
    numberIn(GLSLstd450Trunc),
    numberIn(GLSLstd450RoundEven),
};

constexpr TermKind kUntried[] = {TermKind::kProduct, TermKind::kReduced, TermKind::kOpaque};

// What the terms are, whatever the first ones are, which stand for all of their values.
std::vector<uint32_t> shapeOf(const Terms& terms, const Order& order, size_t leaves) {
    std::vector<uint32_t> shape;
    const auto add = [&](TermId id) { shape.push_back(order.numbers.find(id)->second); };
    for (size_t n = 0; n < leaves; ++n) shape.push_back(terms[order.terms[n]].width);
    shape.push_back(~uint32_t{0});
    for (const TermId id : std::span(order.terms).subspan(leaves)) {
        const Term& term = terms[id];
        shape.push_back(uint32_t(term.kind) | uint32_t{term.width} << 8 | term.function << 16);
        if (term.kind == TermKind::kConstant)
            shape.insert(shape.end(), {uint32_t(term.bits), uint32_t(term.bits >> 32)});
        if (term.kind == TermKind::kJoined) {
            for (const Piece& p : terms.pieces(id)) {
                shape.push_back(layoutOf(p));
                if (!p.isConstant()) add(p.term);
            }
        } else {
            for (const TermId operand : terms.operands(id)) add(operand);
        }
    }
    return shape;
}

// The same bits; of floats the same number, or NaN.
bool areSame(uint64_t native, Float number, uint64_t rewritten, Float other) {
    if (!number || !other) return native == rewritten;
    const double a = numbers::decodeDouble(*number, native);
    const double b = numbers::decodeDouble(*other, rewritten);
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

}  // namespace

bool isDetermined(const Function& f) {
    const auto isInteger = [](const Type* type) { return type->kind != Kind::kFloat; };
    if (isInteger(&f.type()) && std::ranges::all_of(f.types, isInteger)) return true;
    return isDetermined(f.opcode);
}
bool isDetermined(uint32_t opcode) {
    return std::ranges::find(kDetermined, opcode) != std::end(kDetermined);
}

const std::vector<TermId>& Comparison::bytesOf(TermId term) {
    if (const auto* known = valueIn(bytes_, term)) return *known;
    std::vector<TermId> bytes;
    const auto add = [&](TermId operand) {
        if (bytes.size() > kMostBytes) return;
        for (const TermId byte : bytesOf(operand))
            if (std::ranges::find(bytes, byte) == bytes.end()) bytes.push_back(byte);
    };
    if (terms_[term].kind == TermKind::kByte) {
        bytes = {term};
    } else if (terms_[term].kind == TermKind::kJoined) {
        for (const Piece& p : terms_.pieces(term))
            if (!p.isConstant()) add(p.term);
    } else {
        for (uint32_t n = 0; n < terms_[term].count; ++n) add(terms_.operand(term, n));
    }
    std::ranges::sort(bytes);
    if (bytes.size() > kMostBytes) bytes.resize(kMostBytes + 1);
    return bytes_[term] = std::move(bytes);
}

// It has one value on every device.
bool Comparison::isFixed(TermId term) {
    if (const auto* known = valueIn(fixed_, term)) return *known;
    const TermKind kind = terms_[term].kind;
    bool is = std::ranges::find(kUntried, kind) == std::end(kUntried);
    if (kind == TermKind::kProduct) is = !isFloatSum(term);
    if (kind == TermKind::kApplied)
        is = isDetermined(terms_.functionOf(term)) && !terms_.functionOf(term).mayContract;
    if (kind == TermKind::kJoined) {
        for (const Piece& p : terms_.pieces(term)) is = is && (p.isConstant() || isFixed(p.term));
    } else {
        for (uint32_t n = 0; is && n < terms_[term].count; ++n)
            is = isFixed(terms_.operand(term, n));
    }
    return fixed_[term] = is;
}

// What the sample shows: most pairs that are no pairs. That it shows nothing proves nothing.
bool Comparison::differsInSample(TermId native, TermId rewritten, Float number) {
    const uint64_t a = terms_[native].bits, b = terms_[rewritten].bits;
    if (a == b || !isFixed(native) || !isFixed(rewritten)) return false;
    if (!number || numbers::format(*number).bits != terms_[native].width) return true;
    const double x = numbers::decodeDouble(*number, a), y = numbers::decodeDouble(*number, b);
    return !(std::isnan(x) && std::isnan(y)) && !(x == 0 && y == 0);
}

bool Comparison::areTried(std::span<const TermId> all, std::span<const TermId> rewritten) {
    for (const TermId id : all)
        if (std::ranges::find(kUntried, terms_[id].kind) != std::end(kUntried)) return false;
    for (const TermId id : rewritten)
        if (terms_[id].kind == TermKind::kApplied &&
            ((!isDetermined(terms_.functionOf(id)) && !hasTwoResults(terms_.functionOf(id))) ||
             mayContract(id)))
            return false;
    return true;
}

// Bytes and cuts of which both are functions; nothing: there are more than can be tried.
std::optional<std::vector<TermId>> Comparison::leavesOf(TermId native, TermId rewritten,
                                                        std::span<const TermId> cuts) {
    constexpr size_t kMostVisited = 4096;
    std::vector<TermId> leaves;
    if (cuts.empty()) {
        leaves = bytesOf(native);
        for (const TermId byte : bytesOf(rewritten))
            if (std::ranges::find(leaves, byte) == leaves.end()) leaves.push_back(byte);
        return leaves.size() <= kMostBytes ? std::optional(leaves) : std::nullopt;
    }
    uint32_t bits = 0;
    std::unordered_set<TermId> seen;
    std::vector<TermId> open = {native, rewritten};
    while (!open.empty()) {
        const TermId id = open.back();
        open.pop_back();
        if (!seen.insert(id).second) continue;
        const TermKind kind = terms_[id].kind;
        const bool isLeaf = kind == TermKind::kByte || std::ranges::find(cuts, id) != cuts.end();
        if (isLeaf) {
            leaves.push_back(id);
            bits += terms_[id].width;
        } else if (kind == TermKind::kJoined) {
            for (const Piece& p : terms_.pieces(id))
                if (!p.isConstant()) open.push_back(p.term);
        } else {
            if (std::ranges::find(kUntried, kind) != std::end(kUntried)) return std::nullopt;
            for (const TermId operand : terms_.operands(id)) open.push_back(operand);
        }
        if (bits > kMostBytes * 8 || seen.size() > kMostVisited) return std::nullopt;
    }
    return leaves;
}

// For all values of the leaves, and of what instructions with two results give. What the native
// side gives may be the device's own NaN, too: it is any of them.
static bool isSameInAll(Trial& trial, uint32_t payload, const std::pair<TermId, Float>& native,
                        const std::pair<TermId, Float>& rewritten, uint32_t bits) {
    constexpr size_t kMostOpen = 5;
    const auto isSame = [&](const Values& a, const Values& b) {
        if ((b.undefined & ~a.any).any()) return false;
        for (uint32_t lane = 0; lane < kAtOnce; ++lane)
            if (!a.any.test(lane) &&
                !areSame(a.bits[lane], native.second, b.bits[lane], rewritten.second))
                return false;
        return true;
    };
    for (uint32_t choices = 0; choices >> trial.open().size() == 0; ++choices) {
        trial.choose(choices);
        for (uint32_t first = 0; first < 1u << bits; first += kAtOnce) {
            if (payload > 0 && !trial.hasNan(first)) continue;
            trial.setPayload(payload);
            trial.run(first);
            const Values b = trial.of(rewritten.first);
            if (trial.open().size() > kMostOpen) return false;
            if (isSame(trial.of(native.first), b)) continue;
            trial.setPayload(0);
            trial.run(first);
            if (payload == 0 || !isSame(trial.of(native.first), b)) return false;
        }
    }
    return true;
}

bool Comparison::allowsByTrial(TermId native, Float number, TermId rewritten, Float other,
                               std::span<const TermId> cuts) {
    const auto found = leavesOf(native, rewritten, cuts);
    if (!found || (found->empty() && !cuts.empty())) return false;
    const std::vector<TermId>& leaves = *found;
    Order order, ofRewritten;
    uint32_t bits = 0;
    for (const TermId leaf : leaves) {
        for (Order* one : {&order, &ofRewritten}) {
            one->numbers.emplace(leaf, uint32_t(one->terms.size()));
            one->terms.push_back(leaf);
        }
        bits += terms_[leaf].width;
    }
    if (!addTo(terms_, native, order) || !addTo(terms_, rewritten, order)) return false;
    const size_t last = order.numbers[native];
    (void)addTo(terms_, rewritten, ofRewritten);
    const auto others = [&](const Order& of) { return std::span(of.terms).subspan(leaves.size()); };
    if (!areTried(others(order), others(ofRewritten))) return false;
    std::vector<uint32_t> shape = shapeOf(terms_, order, leaves.size());
    const auto formatOf = [](Float of) { return of ? uint32_t(*of) : ~uint32_t{0}; };
    shape.insert(shape.end(), {order.numbers[native], order.numbers[rewritten], formatOf(number),
                               formatOf(other)});
    const auto [kept, isNew] = tried_.trials.emplace(std::move(shape), Tried::Result{});
    Tried::Result& known = kept->second;
    if (isNew) {
        Trial trial(terms_, order, ofRewritten, leaves);
        const auto isSame = [&](uint32_t first, uint32_t end) {
            bool is = true;
            for (uint32_t n = first; is && n < end && (n == 0 || trial.hasNan()); ++n)
                is = isSameInAll(trial, n, {native, number}, {rewritten, other}, bits);
            return is;
        };
        known.is = isSame(0, Trial::kPayloadsWithSigns);
        if (known.is && trial.hasNan()) known.assumptions = kNanBits;
        if (known.is && !isSame(Trial::kPayloadsWithSigns, Trial::kPayloads))
            known.assumptions |= kNanSigns;
    }
    if (!known.is) return false;
    // What devices choose on the native side was what this one computes, or is on both sides.
    const auto isOne = [&](TermId id) {
        const bool isShared = ofRewritten.numbers.contains(id);
        return noteChoice(id, isShared ? imageOf(id, id, false) : 0);
    };
    for (size_t n = leaves.size(); n <= last; ++n)
        if (!isOne(order.terms[n])) return false;
    assumptions_ |= known.assumptions;
    return true;
}

}  // namespace coopvk::reference::symbols
