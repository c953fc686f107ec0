// SPDX-License-Identifier: Apache-2.0
//
// Symbols as what travels beside values.
#pragma once

#include "coopvk_reference/symbols.hpp"
#include "execution/shadow.hpp"
#include "symbols/contractions.hpp"
#include "symbols/deciding.hpp"
#include "symbols/obligations.hpp"
#include "symbols/readers.hpp"
#include "symbols/terms.hpp"

namespace coopvk::reference::symbols {

// Bits of a term.
uint32_t widthOf(const Type& scalar);

// What all comparisons of a computation have in common.
struct Tried {
    struct Result {
        bool is = false;
        uint32_t assumptions = 0;
    };
    std::map<std::vector<uint32_t>, Result> trials;  // by what the terms are but for their bytes
    std::map<std::vector<uint32_t>, bool> circuits;  // the same, but for what is no bits
};

struct Computation {
    Terms terms;
    std::string obstacle;
    std::unordered_map<const Instruction*, uint32_t> functions;
    bool readsSymbols = false;  // the instruction that executes
    LanesParted parted;
    Tried tried;
    Deciding deciding;              // what stopped the execution
    bool decidesAddress = false;    // the same: where a physical pointer points
    std::vector<TermId> undecided;  // the same, or what was not shown to be the same

    // Ends the execution: nothing can be said of it.
    void stop(Subgroup& s, uint32_t lane, std::string_view what);
    TermId termOf(const Value& value, uint32_t component, uint32_t lane);
    // 0: of it all devices compute the same, although it is a term.
    Deviation deviationOf(const Value& value, uint32_t component, uint32_t lane) {
        const Deviation term = value.deviationAt(component, lane);
        return term != 0 && settles && contractions.isSettled(term) ? 0 : term;
    }
    // One that equals no other.
    TermId anyNumber(const Program& program, const Type& type, uint64_t sample, spv::Op opcode);

    // The first program that is executed is the original.
    const Program* original = nullptr;
    Contractions contractions{terms};
    Readers readers{terms, contractions};
    Obligations obligations;
    bool settles = true;  // the instruction that executes does not pass products on to sums
    // Nothing: those that all instructions have in the original, and no others.
    std::optional<uint32_t> libertiesOf(const Program& program, const Instruction& at);
    uint32_t usualLiberties(const Program& program, const Instruction& at) const;
    // The number of the device in its group: both sides have the same one.
    TermId deviceIndex();

 private:
    TermId deviceIndex_ = 0;
    uint64_t numbers_ = 0;
    std::unordered_map<const Instruction*, std::optional<uint32_t>> liberties_;
};

const Type& boolType();
const Type& integerType(uint32_t bits);
// What an instruction on two integers makes of them.
TermId operated(Terms& terms, const Program& program, uint32_t opcode, const Type& result,
                const Type& operand, std::array<TermId, 2> operands, uint64_t sample);

// An instruction with operands that are terms.
struct Transferred {
    Computation& all;
    Subgroup& s;
    const Instruction& at;
    LaneMask mask;
    bool isOpen = false;  // results of known operands need not be known

    Terms& terms() const { return all.terms; }
    const Value& result() const { return s.values[at.result]; }
    const Value& operand(uint32_t n) const { return s.values[at[n].slot]; }
    // Of a component of the result, or of the only one.
    TermId term(uint32_t n, uint32_t component, uint32_t lane) const {
        const Value& from = operand(n);
        return all.termOf(from, from.components() > 1 ? component : 0, lane);
    }
    std::optional<uint64_t> constant(uint32_t n, uint32_t component, uint32_t lane) const {
        const Value& from = operand(n);
        const uint32_t c = from.components() > 1 ? component : 0;
        return all.deviationOf(from, c, lane) == 0 ? std::optional(from.at(c, lane)) : std::nullopt;
    }
    bool isDefined(uint32_t n, uint32_t component, uint32_t lane) const {
        const Value& from = operand(n);
        return from.isDefined(from.components() > 1 ? component : 0, lane);
    }
    // Stops if the term is not what the handler computed.
    void set(uint32_t component, uint32_t lane, TermId term) const;
    // Calls f(component, lane), which returns a term; 0: see `otherwise`.
    template <typename F>
    void each(F&& f) const {
        for (uint32_t c = 0; c < result().components(); ++c)
            mask.forEach([&](uint32_t lane) {
                if (isConstant(c, lane) && !isOpenAt(c, lane))
                    return result().setDeviation(c, lane, 0);
                const TermId term = f(c, lane);
                set(c, lane, term != 0 ? term : applied(c, lane));
            });
    }
    bool isConstant(uint32_t component, uint32_t lane) const;
    bool isOpenAt(uint32_t component, uint32_t lane) const;
    // Results, or values that are stored, that devices choose with these liberties.
    void free(const Value& of, uint32_t liberties) const;
    // Results that are numbers before anything reads them.
    void round() const;
    // NaN that are computed of known numbers: which NaN a device gives, no text says.
    void openNans() const;
    // The instruction itself, of one component.
    TermId applied(uint32_t component, uint32_t lane) const;

 private:
    void openPackedNans() const;
    TermId freed(const Value& of, const Type& type, uint32_t c, uint32_t lane,
                 uint32_t liberties) const;
};
using Transfer = void (*)(const Transferred&);

struct TransferRow {
    uint32_t opcode;
    Transfer transfer;             // null: the handler carries terms as it does bits
    uint32_t data = ~uint32_t{0};  // operands that may be terms: a bit for each
    bool isOpen = false;           // results of known floats need not be known
};
std::span<const TransferRow> bitTransfers();
std::span<const TransferRow> otherTransfers();
std::span<const TransferRow> wholeTransfers();
std::span<const TransferRow> boundTransfers();
std::span<const TransferRow> derivativeTransfers();
const TransferRow* findTransfer(uint32_t opcode);

bool isOpen(const Instruction& at, const TransferRow* row);
// It does not only move values.
bool computes(const Instruction& at);
bool passesProducts(uint32_t opcode);
// Of known numbers that a function combines two by two, the result is the same in each order.
bool isInAnyOrder(uint32_t opcode, std::span<const double> members, numbers::Number result);
bool isExactSum(std::span<const double> numbers, numbers::Number result);
// The instruction on integers does not wrap. `width`: of the first operand, bits.
bool fits(uint32_t opcode, uint32_t width, std::span<const uint64_t> operands, bool isSigned);
// The number is that of the product, without any rounding.
bool isExactProduct(double x, double y, double product);

std::unique_ptr<Shadow> makeSymbolShadow(Symbols& symbols);

}  // namespace coopvk::reference::symbols
