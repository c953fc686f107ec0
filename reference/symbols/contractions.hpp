// SPDX-License-Identifier: Apache-2.0
//
// What sums may be computed with as one instruction: products. Vulkan, "Precision of Individual
// Operations": without NoContraction, operations may be "combined".
#pragma once

#include "symbols/terms.hpp"

namespace coopvk::reference::symbols {

// Instructions that stand for several, which a device may combine.
bool isComposed(const Function& f);
// What it gives is a product, or a sum of some.
bool givesProduct(const Function& f);

class Contractions {
 public:
    explicit Contractions(const Terms& terms) : terms_(terms) {}

    // Stored: memory of several invocations had them, or another lane. What the original computes
    // of them is computed of numbers; but where an invocation reads what it wrote, or a part of the
    // subgroup is one lane, a compiler may see the product.
    enum Products : uint8_t { kLooseProducts = 1, kExactProducts = 2, kStoredProducts = 4 };
    // Products, also with another sign, and those that are chosen.
    uint8_t productsIn(TermId term);
    // Whether a device may compute operands of an instruction as one with it.
    static bool contractsWith(const Function& f);
    // Whether a device may compute the sum and a product in it as one.
    bool mayContract(TermId sum);
    // It is made of constants, and each device computes the same of them. A NaN that is computed
    // may have any bits.
    bool isSettled(TermId term) { return isSettledNumber(term) && !isComputedNan(term); }
    // As a float: all NaN are one.
    bool isSettledNumber(TermId term);

 private:
    const Terms& terms_;
    std::unordered_map<TermId, uint8_t> products_;
    std::unordered_map<TermId, bool> settled_;

    bool isComputedNan(TermId term) const;
    std::vector<TermId> resultsOf(TermId term) const;
};

}  // namespace coopvk::reference::symbols
