// SPDX-License-Identifier: Apache-2.0
//
// Terms of integers and bits as functions of bits: of both sides, by decision diagrams. So code in
// integers is compared with what it stands for, such as a conversion, for all values.
#pragma once

#include "symbols/comparison.hpp"
#include "symbols/diagrams.hpp"

namespace coopvk::reference::symbols {

// Of each bit the leaves come first, then what is any number.
inline constexpr uint32_t kMostLeaves = 8, kMostVariables = 64;

inline bool isIntegerType(const Type& type) { return type.kind != reference::Kind::kFloat; }
inline Bits slice(const Bits& bits, size_t first, size_t count) {
    return {bits.begin() + std::ptrdiff_t(first), bits.begin() + std::ptrdiff_t(first + count)};
}
Bit isNan(Diagrams& diagrams, const Bits& bits, const numbers::Format& format);
// Instructions that have circuits.
bool isOperation(const Terms& terms, TermId term);
// A number without a sign, and a power of two: code that rounds adds them.
bool addsPower(const Terms& terms, TermId term);
// Conversions whose denormal numbers have the exponent of denormal results, or become zero.
bool hasCircuit(const Conversion& conversion);
Bits roundedBits(Diagrams& diagrams, const Conversion& conversion, const Bits& bits);
// A saturating sum whose products together do not overflow.
bool isSaturating(const Terms& terms, TermId term);

// The bits of both sides' terms; `leaves`: terms that are variables.
class Circuits {
 public:
    Circuits(Comparison& comparison, std::vector<uint32_t>& shape)
        : comparison_(comparison), terms_(comparison.terms()), shape_(shape) {}

    // What the terms are but for their leaves. False: it has too many.
    bool describe(TermId term, bool isRewritten) {
        auto& numbers = numbers_[isRewritten];
        if (numbers.contains(term)) return true;
        if (isRewritten && standsForLeaf(term)) images_.emplace(term, leafOf(term, true));
        if (!isBlasted(term, isRewritten)) {
            const uint32_t leaf = leafOf(term, isRewritten);
            if (leaf >= kMostLeaves) return false;
            shape_.insert(shape_.end(), {~uint32_t{0}, leaf, terms_[term].width});
        } else {
            const std::vector<TermId> parts = partsOf(term);
            for (const TermId part : parts)
                if (!describe(part, isRewritten)) return false;
            addShape(term, parts, numbers);
        }
        numbers.emplace(term, uint32_t(numbers.size()));
        if (!isRewritten) nativeLeaves_ = leaves_.size();
        return numbers.size() < 4096;
    }
    bool isBlasted(TermId term, bool isRewritten) const;

    const Bits& bitsOf(TermId term, bool isRewritten);
    std::span<const TermId> leaves() const { return leaves_; }
    // Those that are terms of both sides.
    std::span<const TermId> shared() const { return shared_; }
    Diagrams& diagrams() { return diagrams_; }

 private:
    // A sum of products that the native side does not take apart.
    bool standsForLeaf(TermId term) {
        const std::span native = std::span(leaves_).first(nativeLeaves_);
        return comparison_.isInteger(term) && std::ranges::any_of(native, [&](TermId leaf) {
                   return terms_[leaf].width == terms_[term].width && comparison_.isInteger(leaf) &&
                          !comparison_.differsInSample(leaf, term, {}) &&
                          comparison_.allowsPolynomial(leaf, term);
               });
    }
    // The products of a sum, and its addend.
    std::vector<TermId> partsOfSum(TermId term) {
        Sum sum = terms_.sumOf(term);
        sum.saturates = false;
        sum.c = sum.result;
        std::vector<TermId> operands(terms_.operands(term).begin(), terms_.operands(term).end());
        const TermId addend = operands.back();
        operands.back() = comparison_.terms().constant(0, terms_[term].width);
        uint64_t sample = 0;
        for (size_t k = 0; k + 1 < operands.size(); k += 2) {
            const auto factor = [&](numbers::Number number, TermId of) {
                const numbers::Format& format = numbers::format(number);
                return format.isSigned() ? signExtend(terms_[of].bits, format.bits)
                                         : int64_t(terms_[of].bits);
            };
            sample += uint64_t(factor(sum.a, operands[k]) * factor(sum.b, operands[k + 1]));
        }
        sample &= numbers::lowBits(terms_[term].width);
        return {comparison_.terms().product(sum, operands, sample), addend};
    }
    std::vector<TermId> partsOf(TermId term) {
        std::vector<TermId> parts;
        if (terms_[term].kind == TermKind::kProduct) return partsOfSum(term);
        if (terms_[term].kind == TermKind::kJoined) {
            int at = 0;
            for (const Piece& p : terms_.pieces(term)) {
                if (!p.isConstant()) {
                    parts.push_back(p.term);
                    places_.emplace(p.term, at - int(p.first));
                }
                at += p.count;
            }
        } else {
            for (const TermId operand : terms_.operands(term)) parts.push_back(operand);
        }
        return parts;
    }
    void addShape(TermId term, std::span<const TermId> parts,
                  std::unordered_map<TermId, uint32_t>& numbers) {
        const Term& t = terms_[term];
        shape_.insert(shape_.end(), {uint32_t(t.kind), t.width, t.function, uint32_t(t.count)});
        if (t.kind == TermKind::kConstant)
            shape_.insert(shape_.end(), {uint32_t(t.bits), uint32_t(t.bits >> 32)});
        if (t.kind == TermKind::kJoined)
            for (const Piece& p : terms_.pieces(term)) shape_.push_back(layoutOf(p));
        for (const TermId part : parts) shape_.push_back(numbers[part]);
    }
    // Those of the rewritten side stand for those of the native side that allow them.
    uint32_t leafOf(TermId term, bool isRewritten) {
        for (uint32_t n = 0; n < leaves_.size(); ++n)
            if (leaves_[n] == term) {
                if (isRewritten && n < nativeLeaves_) shared_.push_back(term);
                return n;
            }
        for (uint32_t n = 0; n < nativeLeaves_ && isRewritten; ++n)
            if (terms_[leaves_[n]].width == terms_[term].width &&
                comparison_.allows(leaves_[n], term, std::nullopt)) {
                images_[term] = n;
                return n;
            }
        leaves_.push_back(term);
        return uint32_t(leaves_.size() - 1);
    }
    const uint32_t* imageOf(TermId term) const;
    Bits leafBits(TermId term);
    Bits joined(TermId term, bool isRewritten);
    Bits applied(TermId term, bool isRewritten);
    Bits saturated(TermId term, bool isRewritten);
    Bits addedPower(TermId term, bool isRewritten);
    Bits shifted(TermId term, uint32_t opcode, const Bits& a, const Bits& by, bool isRewritten);

    Comparison& comparison_;
    const Terms& terms_;
    std::vector<uint32_t>& shape_;
    Diagrams diagrams_;
    std::vector<TermId> leaves_, shared_;
    size_t nativeLeaves_ = 0;
    std::unordered_map<TermId, uint32_t> images_;
    // Of bytes: where they are in a word. Bits at one place of several words are asked together.
    std::unordered_map<TermId, int> places_;
    std::unordered_map<TermId, uint32_t> numbers_[2];
    std::unordered_map<TermId, Bits> bits_[2];
    Bits anyBits(size_t width);
    uint32_t fresh_ = kMostLeaves;
};

}  // namespace coopvk::reference::symbols
