// SPDX-License-Identifier: Apache-2.0
//
// Changes of a SPIR-V module that know its structure: some keep it valid, some may, some do not.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "rewrite_input.hpp"
#include "words.hpp"

namespace coopvk::fuzz {

class Random {
 public:
    explicit Random(uint32_t seed) : engine_(seed) {}
    // Below the bound; 0 where that is 0.
    size_t below(size_t bound) { return bound == 0 ? 0 : engine_() % bound; }
    bool oneOf(size_t count) { return below(count) == 0; }
    uint32_t word() { return static_cast<uint32_t>(engine_()); }
    template <typename Range>
    auto& from(Range& range) {
        return range[below(std::size(range))];
    }

 private:
    std::minstd_rand engine_;
};

void mutateOptions(Options& options, Random& random);
void mutate(Module& module, Random& random);
// A piece of the other module, its ids replaced by new ones or by ones of the same kind.
void splice(Module& module, const Module& other, Random& random);

// The same for a fuzzer's bytes; empty if there is nothing to change.
std::vector<uint8_t> mutateInput(std::span<const uint8_t> bytes, Random& random);
std::vector<uint8_t> spliceInputs(std::span<const uint8_t> bytes, std::span<const uint8_t> other,
                                  Random& random);

// One change; false if the module has no place for it.
using Move = bool (*)(Module&, Random&);
// One of the changes that nearly always keep a valid module valid.
std::span<const Move> gentleMoves();

}  // namespace coopvk::fuzz
