// SPDX-License-Identifier: Apache-2.0
//
// Operations on floats that devices may compute as one with others, or rearrange. Vulkan,
// "Evaluation of Expressions": "Implementations may rearrange floating-point operations using any
// of the mathematical properties governing the expressions in precise arithmetic [...] This
// rearrangement can be prevented for particular operations by using the NoContraction decoration."
#pragma once

#include "symbols/terms.hpp"

namespace coopvk::reference::symbols {

// Instructions that stand for several, which a device may combine.
bool isComposed(const Function& f);
// A float is computed; a float is computed or read.
bool isOperation(const Function& f);
bool isOfFloats(const Function& f);

class Contractions {
 public:
    explicit Contractions(const Terms& terms) : terms_(terms) {}

    // Stored: memory of several invocations had them, or another lane, or they are bits. What the
    // original computes of them is computed of numbers; but where an invocation reads what it
    // wrote, or a part of the subgroup is one lane, a compiler may see the operation.
    enum Operations : uint8_t { kLoose = 1, kExact = 2, kStored = 4 };
    static constexpr uint8_t kSeen = kLoose | kStored;
    // The operations that give the float, also by its bits; those that are chosen, too.
    uint8_t operationsIn(TermId term);
    // Whether a device may compute operands of an instruction as one with it.
    static bool contracts(const Function& f) { return f.mayContract && !f.isFree; }
    // The same, of operands that are operations without NoContraction.
    bool mayContract(TermId term);
    // It is made of constants, and each device computes the same of them. A NaN that is computed
    // may have any bits.
    bool isSettled(TermId term) { return isSettledNumber(term) && !isComputedNan(term); }
    // As a float: all NaN are one.
    bool isSettledNumber(TermId term);
    // A device may compute the operation that gives a number as one with what reads it in the
    // rewritten module, and may not in the original.
    bool isSeenMore(TermId native, TermId rewritten) {
        return isReadBy(native, kByOthers) && isReadBy(rewritten, kByItself);
    }
    // The same, of operands of an instruction that both sides have.
    bool contractsMore(TermId term);
    // What may be the result, for all that compilers find out, where that is no operation on
    // floats.
    std::vector<TermId> resultsOf(TermId term) const;

 private:
    const Terms& terms_;
    std::unordered_map<TermId, uint8_t> operations_;
    std::unordered_map<TermId, bool> settled_, readBy_[2];

    bool isComputedNan(TermId term) const;
    bool isReadBy(TermId term, ReadBy by);
};

}  // namespace coopvk::reference::symbols
