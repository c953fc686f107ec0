// SPDX-License-Identifier: Apache-2.0
//
// Indices and pointers that depend on data, but have few values: the instruction is executed for
// each of them, and its result is a choice.
#pragma once

#include <functional>

#include "symbols/shadow.hpp"

namespace coopvk::reference::symbols {

class Alternatives {
 public:
    explicit Alternatives(Computation& all) : all_(all) {}

    // With an operand that would have to be known. `again` executes the instruction with operands
    // that are known better. Nothing: it does more than compute a result of each lane, or the
    // operand has many values.
    std::optional<Step> execute(Subgroup& s, uint32_t operands, const std::function<Step()>& again);

 private:
    // Of one lane: what decides there, and the operands' components before.
    struct Lane;
    struct Result;

    // The term as choices between constants; 0: it has too many values.
    TermId choicesOf(const Program& program, TermId term);
    bool find(Subgroup& s, uint32_t operands, std::vector<Lane>& lanes);
    Step executeWith(Subgroup& s, std::span<const Lane> lanes, bool isTrue, Result& result,
                     const std::function<Step()>& again);
    bool merge(Subgroup& s, std::span<const Lane> lanes, const Result& then, const Result& other);

    static constexpr uint32_t kMostRounds = 512;
    Computation& all_;
    std::unordered_map<TermId, TermId> choices_;
    uint32_t depth_ = 0, rounds_ = 0;
};

// Values that a term may have, and perhaps more, in their order; none: they are more than `most`.
std::vector<uint64_t> fewValuesOf(const Terms& terms, TermId term, size_t most);

}  // namespace coopvk::reference::symbols
