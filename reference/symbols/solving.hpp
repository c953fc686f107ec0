// SPDX-License-Identifier: Apache-2.0
//
// Contents of memory with which conditions in terms are not as in the sample: where two sides are
// not shown to be equal, an execution with such contents may show that they differ. Nothing here is
// part of a proof.
#pragma once

#include "symbols/trial.hpp"

namespace coopvk::reference::symbols {

// Of bytes of memory: which bits, and their values. All others are as in the sample.
using Contents = std::map<TermId, std::array<uint8_t, 2>>;

class Solver {
 public:
    explicit Solver(const Terms& terms) : terms_(terms) {}

    // For the conditions in these terms, the nearest to the terms first.
    std::vector<Contents> turned(std::span<const TermId> roots, size_t most);

 private:
    static constexpr uint32_t kMostSteps = 8192;
    // A term on the way from a root, and the choices that lead there.
    struct Reached {
        TermId term;
        uint32_t from;      // number of one nearer to the root
        TermId choice = 0;  // 0: none
        bool isThen = false;
    };
    // Values of all operands of an instruction.
    using Operands = std::vector<uint64_t>;
    // Bits of terms, and their values. Operands have lower numbers than what is made of them, so
    // all that is wanted of a term is known when it is the last one.
    using Wanted = std::map<TermId, std::array<uint64_t, 2>>;

    uint64_t allOf(TermId term) const { return numbers::lowBits(terms_[term].width); }
    bool want(TermId term, uint64_t mask, uint64_t value, Wanted& to) const;
    bool want(TermId term, uint64_t value, Wanted& to) const {
        return want(term, allOf(term), value, to);
    }
    bool isPossible(TermId term, uint64_t value) const;
    bool hold(TermId term, uint64_t mask, Wanted& to, size_t& steps) const;
    // Becomes what is wanted of bytes; false: none is found.
    bool solve(Wanted& wanted, uint32_t steps);
    bool solveAnew(TermId term, uint64_t mask, uint64_t value, Wanted& rest, uint32_t steps);
    bool wantPieces(TermId term, uint64_t mask, uint64_t value, Wanted& to) const;
    std::vector<Wanted> waysTo(TermId term, uint64_t value, const Wanted& rest);
    bool wantAddend(TermId term, double value, Wanted& to) const;
    bool wantProducts(TermId term, double value, Wanted& to) const;
    std::vector<Operands> operandsFor(TermId term, uint64_t value);
    void addCandidates(TermId term, uint32_t free, const Operands& others, uint64_t value,
                       std::vector<Operands>& to) const;
    std::vector<Reached> reachedFrom(std::span<const TermId> roots) const;

    const Terms& terms_;
    Machine machine_;
    uint32_t steps_ = 0;
};

}  // namespace coopvk::reference::symbols
