// SPDX-License-Identifier: Apache-2.0
//
// Contents of memory with which executions show that a rewritten module differs: where a proof
// fails, for those who read its answer.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "check.hpp"
#include "symbolic_memory.hpp"

namespace coopvk::check {

struct Counterexample {
    Outcome outcome;
    std::string contents;  // bytes that were changed for it, in words; empty: none
};

class Counterexamples {
 public:
    // `failed`: the memory with which the proof failed.
    Counterexamples(const Subject& subject, Options check, const Memory& failed,
                    const SymbolicMemory& symbolic, const reference::Symbols& symbols)
        : subject_(subject),
          check_(std::move(check)),
          failed_(failed),
          symbolic_(symbolic),
          symbols_(symbols) {}

    std::optional<Counterexample> find() const;

 private:
    std::optional<Counterexample> with(const Options& check) const;
    std::optional<Counterexample> in(Memory memory) const;
    std::optional<Counterexample> solved() const;
    std::string fill(std::span<const reference::KnownBits> bits, Memory& memory) const;

    const Subject& subject_;
    const Options check_;
    const Memory& failed_;
    const SymbolicMemory& symbolic_;
    const reference::Symbols& symbols_;
};

}  // namespace coopvk::check
