// SPDX-License-Identifier: Apache-2.0
//
// Whether a term of the rewritten side has, for all contents of memory, a value that a term of the
// native side may have.
#pragma once

#include <tuple>
#include <unordered_set>

#include "symbols/contractions.hpp"
#include "symbols/narrowing.hpp"
#include "symbols/shadow.hpp"

namespace coopvk::reference::symbols {

// The format of a term that is a float, of which all NaN are one; nothing: bits.
using Float = std::optional<numbers::Number>;

inline Float floatOf(const Type& type) {
    return type.kind == reference::Kind::kFloat ? Float(type.number) : std::nullopt;
}
// Of a float that an instruction makes.
Float madeFormat(const Terms& terms, TermId id);
// The expression from which an instruction on vectors inherits its precision; 0: none.
TermId inheritedFrom(Terms& terms, TermId of);
// No result of these is other than those of the others.
bool areWithin(uint32_t liberties, uint32_t others);
// Two operands may be swapped.
bool isSymmetric(const Function& f);
// It has one result, whatever the device, but for what that contracts.
bool isDetermined(const Function& f);
bool isDetermined(uint32_t opcode);  // on floats

// A float without the exact conversions around it.
struct Factor {
    numbers::Number number = numbers::Number::f32;
    TermId term = 0;
    auto operator<=>(const Factor&) const = default;
};

// What a sum adds: a product, or one number.
struct Addend {
    Factor x, y;  // of one number: y.term is 0
    bool isNegative = false;
    auto operator<=>(const Addend&) const = default;
};
using Addends = std::vector<Addend>;

class Comparison {
 public:
    Comparison(Terms& terms, Tried& tried)
        : terms_(terms), tried_(tried), narrowing_(terms), contractions_(terms) {}

    bool allows(TermId native, TermId rewritten, Float number);
    uint32_t assumptions() const { return assumptions_; }
    std::string reason() const;
    Terms& terms() { return terms_; }
    // Its value is a sum of products of integers.
    bool isInteger(TermId term) const;
    bool allowsPolynomial(TermId native, TermId rewritten);
    // Neither is what a device chooses, and they are not equal.
    bool differsInSample(TermId native, TermId rewritten, Float number);

 private:
    // By the expression from which a function of vectors inherits its precision.
    bool allowsExpression(TermId native, TermId rewritten, Float number);
    bool isAllowed(TermId native, TermId rewritten, Float number);
    bool allowsChosen(TermId native, TermId rewritten, Float number);
    bool allowsPieces(TermId native, TermId rewritten);
    bool allowsOperands(TermId native, TermId rewritten, std::span<const Type* const> types);
    bool allowsApplied(TermId native, TermId rewritten);
    bool allowsContracted(TermId native, TermId rewritten);
    bool allowsHalfProduct(TermId native, TermId rewritten);
    bool mayContract(TermId sum) { return contractions_.mayContract(sum); }
    bool allowsFree(TermId native, TermId rewritten, Float number);
    bool allowsKnown(TermId native, TermId rewritten, Float number);
    bool isAsExact(TermId native, TermId rewritten);
    bool isAsLoose(TermId native, TermId rewritten);
    bool isCombinedAlike(TermId native, TermId rewritten) const;
    bool allowsSwapped(TermId native, TermId rewritten);
    bool allowsInAnyOrder(TermId native, TermId rewritten);
    bool allowsFloat(TermId native, TermId rewritten, numbers::Number number);
    bool noteSame(TermId term);
    bool isFixed(TermId term);

    // What was decided on the way to a comparison that fails is taken back: it needed none of it.
    enum class Decided : uint8_t { kKnown, kImage, kDissolved, kSame, kTree };
    struct Mark {
        size_t steps, choices;
    };
    Mark mark() const { return {trail_.size(), images_.size() + dissolved_.size()}; }
    void note(Decided what, uint64_t key, Float number = {}) {
        trail_.push_back({what, number, key});
    }
    // Of pairs of terms as numbers of a format.
    std::unordered_map<uint64_t, bool>& knownAs(Float number) {
        return known_[number ? uint8_t(*number) + 1 : 0];
    }
    void undoTo(const Mark& mark);

    // Sums of floats.
    enum class Of : bool { kNative, kRewritten };  // the side of a term
    struct Walk {
        numbers::Number result;    // sums have its precision at least
        TermId stop = 0;           // a term that is one number, whatever it is made of
        TermId like = 0;           // of the native side: so is what it allows
        size_t most = ~size_t{0};  // addends: more match nothing
        bool isExact = false;      // nothing may be contracted
        bool isMatrix = false;     // the precision is open
    };
    bool allowsSum(TermId native, TermId rewritten);
    bool allowsInOrder(TermId native, TermId rewritten);
    bool allowsOpen(TermId native, TermId rewritten);
    bool matches(Addends native, Addends rewritten);
    bool matchesRest(Addends& native, Addends& rewritten);
    uint32_t likenessOf(const Addend& native, const Addend& rewritten) const;
    bool allowsFactors(const Addend& native, const Addend& rewritten);
    void collect(TermId term, numbers::Number number, bool isNegative, const Walk& walk,
                 Addends& to);
    void addProducts(TermId term, bool isNegative, Addends& to, Of side);
    void collectSum(TermId term, bool isNegative, const Walk& walk, Addends& to);
    bool collectApplied(TermId term, bool isNegative, const Walk& walk, Addends& to);
    TermId summandIn(TermId term, Of side);
    bool isPermitted(TermId term, Of side) const;
    void addOne(Factor factor, bool isNegative, Addends& to);
    void addProduct(Factor x, Factor y, bool isNegative, Addends& to);
    Factor factorOf(numbers::Number number, TermId term, Of side);
    numbers::Number formatOf(TermId term) const;
    size_t countOf(TermId term, const Walk& walk, Of side);
    TermId partWith(TermId term, size_t count, const Walk& walk);
    bool setImage(TermId native, uint64_t image);
    bool isChoice(TermId term);
    bool noteChoice(TermId native, uint64_t image) {
        return !isChoice(native) || setImage(native, image);
    }
    uint64_t imageOf(TermId native, TermId rewritten, bool isSwapped);
    bool isFloatSum(TermId term) const;
    bool isOpen(TermId term) const;

    // Reductions of matrices: reductions.cpp.
    struct Elements;
    using Parts = std::array<TermId, 2>;
    bool allowsReduction(TermId native, TermId rewritten);
    bool isTree(TermId native, TermId rewritten);
    bool isElement(TermId native, TermId rewritten);
    bool takeElements(TermId term, Elements& elements);
    bool isNearInSample(TermId native, TermId rewritten, Float number, double most) const;
    bool fits(TermId pattern, TermId term, Float number, const Reduction& of, Parts& parts);
    bool fitsOperands(TermId pattern, TermId term, const Reduction& of, Parts& parts);

    // Integers: polynomials modulo 2^n, by products of terms.
    using Polynomial = std::map<std::vector<TermId>, uint64_t>;
    bool isPolynomial(TermId native, TermId rewritten);
    bool addPolynomial(TermId term, uint64_t factor, uint32_t width, Polynomial& to);
    bool arePartsAlike(TermId native, TermId rewritten) const;
    bool unify(const Polynomial& native, Polynomial& rewritten);
    bool addConverted(TermId term, uint64_t factor, uint32_t width, Polynomial& to);
    bool addSum(TermId term, uint64_t factor, uint32_t width, Polynomial& to);
    bool addMonomials(TermId a, TermId b, uint64_t factor, uint32_t width, Polynomial& to);
    void addBits(TermId term, uint64_t factor, Polynomial& to);
    uint64_t magnitudeOf(TermId term, bool isSigned) const;
    TermId integerIn(TermId term, uint32_t width, uint64_t& bound);
    uint64_t addExact(TermId term, uint64_t factor, uint32_t width, Polynomial& to);
    TermId extended(numbers::Number number, TermId term, uint32_t width);

    // By all values of the bytes of which both are functions, if these are few.
    bool allowsByTrial(TermId native, Float number, TermId rewritten, Float other,
                       std::span<const TermId> cuts = {});
    // The same, with all values of numbers of few bits that both sides compute: cuts.cpp.
    struct Cuts {
        TermId whole = 0;
        std::vector<TermId> terms = {};
        std::unordered_map<TermId, TermId> images = {}, made = {};
        std::unordered_map<TermId, TermId> loose = {};     // that are equal up to NaN; 0: exactly
        std::unordered_map<TermId, uint32_t> slices = {};  // where they are in the cut
        bool isComplete = true;  // the other side has no such number elsewhere
    };
    bool allowsByCut(TermId native, Float number, TermId rewritten, Float other);
    bool allowsOtherFormat(const Factor& native, const Factor& rewritten);
    TermId cutFor(TermId term, Cuts& cuts);
    bool isOneImage(TermId cut, TermId image, Cuts& cuts);
    std::vector<TermId> findSlices(TermId term, Cuts& cuts);
    bool isSliceOfCut(Piece& piece, const Cuts& cuts);
    TermId withCuts(TermId id, Cuts& cuts);
    // A conversion, where the term is code in integers that converts.
    TermId recognised(TermId term);
    TermId recognisedByte(TermId term);
    TermId recognisedSingle(TermId narrow);
    // By the bits of both, as functions of those of other terms.
    bool allowsByCircuit(TermId native, TermId rewritten, Float number);
    // `isSame`: leaves of both sides are those of one dispatch.
    bool allowsBits(TermId native, TermId rewritten, Float number, bool isSame);
    bool areTried(std::span<const TermId> all, std::span<const TermId> rewritten);
    std::optional<std::vector<TermId>> leavesOf(TermId native, TermId rewritten,
                                                std::span<const TermId> cuts);
    // At most kMostBytes of them and one more.
    const std::vector<TermId>& bytesOf(TermId term);

    Terms& terms_;
    Tried& tried_;
    uint32_t assumptions_ = 0;
    std::unordered_map<uint8_t, std::unordered_map<uint64_t, bool>> known_;  // by both terms
    std::unordered_map<TermId, uint64_t> images_;      // of what devices choose: what stands for it
    std::unordered_map<TermId, TermId> dissolved_;     // open sums in another one
    std::map<std::pair<TermId, TermId>, bool> trees_;  // of reductions, wherever the result is
    bool areElementsLoose_ = false;    // of the reduction that is compared: products, to contract
    std::unordered_set<TermId> same_;  // terms of both sides
    struct Step {
        Decided what;
        Float number;
        uint64_t key;
    };
    std::vector<Step> trail_;
    uint32_t permitted_ = 0;  // liberties of the native sum that is compared
    std::unordered_map<TermId, size_t> counts_;
    std::tuple<numbers::Number, uint32_t, Of> countsOf_ = {};
    std::unordered_map<TermId, std::vector<TermId>> bytes_;
    std::unordered_map<TermId, TermId> recognised_;
    std::unordered_map<TermId, bool> fixed_;
    Narrowing narrowing_;
    Contractions contractions_;
    uint32_t circuitDepth_ = 0, cutDepth_ = 0, tooLarge_ = 0;
    std::pair<TermId, TermId> innermost_, outermost_;  // that differ
};

}  // namespace coopvk::reference::symbols
