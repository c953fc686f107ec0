// SPDX-License-Identifier: Apache-2.0
//
// Terms: what values are as functions of bytes of memory. Equal terms are one, so that two
// executions which compute the same have the same numbers of terms.
#pragma once

#include <deque>
#include <map>
#include <unordered_map>

#include "execution/frame.hpp"

namespace coopvk::reference::symbols {

using TermId = Deviation;  // 0: none

enum class TermKind : uint8_t {
    kByte,  // of memory that nothing wrote
    kConstant,
    kJoined,     // pieces of other terms, and constant bits, behind each other
    kConverted,  // between formats; function: of conversions
    kApplied,    // an instruction on a component of each operand; function: of instructions
    kChosen,     // condition, then, else
    kProduct,    // sums of products: see Sum
    kReduced,    // elements that a function combines two by two in any order: see Reduction
    kOpaque,     // what an instruction makes of its operands, which may be of many lanes
};

struct Term {
    TermKind kind = TermKind::kConstant;
    uint8_t width = 0;              // bits; of a bool 1
    uint32_t function = 0;          // index in a table, by kind
    uint64_t bits = 0;              // of a constant; in the sample
    uint32_t first = 0, count = 0;  // operands
};

// Bits of a term, or their opposites; or the same bit, again and again. Without a term: a constant
// bit.
struct Piece {
    TermId term = 0;
    uint8_t first = 0, count = 0;
    bool isFill = false;
    bool isNegated = false;

    bool isConstant() const { return term == 0; }
    bool operator==(const Piece&) const = default;
};
using Pieces = std::vector<Piece>;
// Which bits of terms these are, and how; not which terms.
uint32_t layoutOf(const Piece& piece);
// Takes the first bits off.
Piece frontOf(Piece& piece, uint32_t count);

// What an instruction computes of one component of each of its operands.
struct Function {
    const Program* program = nullptr;
    Instruction at;                  // with types of scalars
    uint32_t opcode = 0;             // of the row; of products with a scalar that of any product
    std::vector<const Type*> types;  // of the operands
    std::vector<uint32_t> details = {};         // what else the result depends on
    bool mayContract = false, isLoose = false;  // as of instructions
    bool isRounded = false;  // a number before any other instruction reads it: see rounded()
    uint32_t base = 0;  // that of functions with and without contraction, and with any liberties
    uint32_t form = 0;  // the same, and of any opcode
    // Of a result that devices may make of another term, the first operand: see open_results.cpp.
    bool isFree = false;
    uint32_t liberties = 0;
    // The other term is one of these results; it is the only one.
    bool allowsPlain = false, isPlain = false;
    // Of both orders of two operands the value is the same.
    bool commutes = false;

    const Type& type() const { return *at.type; }
};

struct Conversion {
    numbers::Number from, to;
    numbers::ConversionRule rule;
};

// A sum of products of matrices or vectors, or of a dot product. Operands: pairs of factors, then
// the addend.
struct Sum {
    numbers::Number a, b, c, result;
    bool saturates = false;
    bool mayContract = false, isLoose = false;  // as those of Function
    bool isMatrix = false;                      // of floats, in any precision
    bool isRounded = false;                     // as Function::isRounded
    auto operator<=>(const Sum&) const = default;
};

// The elements of one row, column or neighborhood of a matrix. Operands: these, and which element
// of the result it is.
struct Reduction {
    numbers::Number number;
    TermId combined = 0;  // what the function makes of two placeholders
    TermId left = 0, right = 0;
    auto operator<=>(const Reduction&) const = default;
};

// Whether the invocation that computes a number reads it, in the rewritten module; and whether
// another one does, in the original. See Readers.
enum ReadBy : uint8_t { kByItself = 1, kByOthers = 2 };

class Terms {
 public:
    Terms();

    // Consecutive terms for bytes of memory, with what the sample has in them.
    TermId bytes(const std::byte* sample, uint64_t size);
    // The parameters of a function that combines two numbers of a format.
    std::array<TermId, 2> placeholders(numbers::Number number);
    TermId constant(uint64_t bits, uint32_t width);
    TermId joined(const Pieces& pieces);
    // Bits of a term.
    TermId part(TermId term, uint32_t first, uint32_t count);
    TermId converted(const Conversion& conversion, TermId from, uint64_t sample);
    TermId converted(const Conversion& conversion, TermId from);
    TermId applied(uint32_t function, std::span<const TermId> operands, uint64_t sample);
    TermId chosen(TermId condition, TermId then, TermId other);
    TermId product(const Sum& sum, std::span<const TermId> operands, uint64_t sample);
    TermId reduced(const Reduction& reduction, std::vector<TermId> elements, uint32_t place,
                   uint64_t sample);
    TermId opaque(uint32_t function, std::span<const TermId> operands, uint64_t sample);
    // Not 0, as a bool.
    TermId truth(TermId word);
    // The same number, but as one that memory of several invocations had, or another lane: of that,
    // nothing is computed as one with what reads it.
    TermId rounded(TermId term);
    // What a device chooses once for both.
    TermId unrounded(TermId term) const {
        const TermId* found = valueIn(unrounded_, term);
        return found != nullptr ? *found : term;
    }

    void noteReadBy(TermId number, ReadBy by) { readBy_[number] |= by; }
    bool isReadBy(TermId number, ReadBy by) const {
        const uint8_t* all = valueIn(readBy_, number);
        return all != nullptr && (*all & by) != 0;
    }

    uint32_t function(Function&& function);
    uint32_t sumKind(const Sum& sum) { return indexIn(sums_, sum); }

    const Term& operator[](TermId id) const { return terms_[id]; }
    std::span<const TermId> operands(TermId id) const {
        return std::span(operands_).subspan(terms_[id].first, terms_[id].count);
    }
    TermId operand(TermId id, uint32_t n) const { return operands_[terms_[id].first + n]; }
    void addPieces(TermId id, uint32_t first, uint32_t count, Pieces& to) const;
    Pieces pieces(TermId id) const;
    const Function& functionOf(TermId id) const { return functions_[terms_[id].function]; }
    const Conversion& conversionOf(TermId id) const { return conversions_[terms_[id].function]; }
    const Sum& sumOf(TermId id) const { return sums_[terms_[id].function]; }
    const Reduction& reductionOf(TermId id) const { return reductions_[terms_[id].function]; }
    std::optional<uint64_t> constantOf(TermId id) const {
        return terms_[id].kind == TermKind::kConstant ? std::optional(terms_[id].bits)
                                                      : std::nullopt;
    }
    bool isApplied(TermId id, uint32_t opcode) const {
        return terms_[id].kind == TermKind::kApplied && functionOf(id).opcode == opcode;
    }
    bool isFree(TermId id) const {
        return terms_[id].kind == TermKind::kOpaque && functionOf(id).isFree;
    }
    size_t count() const { return terms_.size(); }

 private:
    template <typename List, typename T>
    static uint32_t indexIn(List& list, const T& value);
    TermId roundedAnew(TermId term);
    TermId intern(Term term, std::span<const TermId> operands);
    size_t hashOf(const Term& term, std::span<const TermId> operands) const;
    bool areOther(const Term& a, const Term& b) const;
    bool isSame(TermId id, const Term& term, std::span<const TermId> operands) const;
    void grow();

    std::vector<Term> terms_;
    std::vector<TermId> operands_;
    std::vector<TermId> table_;  // by hash
    std::deque<Function> functions_;
    std::map<std::vector<uint32_t>, uint32_t> functionByKey_;
    std::vector<Conversion> conversions_;
    std::vector<Sum> sums_;
    std::vector<Reduction> reductions_;
    std::map<numbers::Number, std::array<TermId, 2>> placeholders_;
    std::unordered_map<TermId, TermId> rounded_, unrounded_;
    std::unordered_map<TermId, uint8_t> readBy_;
};

inline bool isAmong(std::span<const uint32_t> opcodes, uint32_t opcode) {
    return std::ranges::find(opcodes, opcode) != opcodes.end();
}
// Whether a format has each number of another one.
bool contains(numbers::Number format, numbers::Number of);
bool isExact(const Conversion& conversion);
// To a wider format and back where the number came from it: the number, but for bits of NaN.
TermId withoutRoundTrip(const Terms& terms, TermId id, numbers::Number number);

}  // namespace coopvk::reference::symbols
