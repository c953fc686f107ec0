// SPDX-License-Identifier: Apache-2.0
//
// Copies of the values of a loop whose tensor loads move (load_prefetch.hpp).
#pragma once

#include "tensor/prefetch_loop.hpp"

namespace coopvk::rewrite {

// Which iteration a copy is of. The next one follows the present one.
enum class When { kFirst, kPresent, kNext };

class LoopCopies {
 public:
    // `loaded`: what holds the present iteration's loads, by the loads' results.
    LoopCopies(Module& module, const LoopValues& values, const std::map<Id, Id>& loaded)
        : module_(module), values_(values), loaded_(loaded) {}

    // The value at that time. Appends the instructions that compute it to `out`, once each.
    Id at(When when, Id value, InstructionList& out);
    // A copy of an instruction, with a new result.
    Id copy(When when, const Instruction& i, InstructionList& out);

 private:
    using Key = std::pair<When, Id>;

    Key source(const Key& key) const;
    Id known(const Key& key) const;

    Module& module_;
    const LoopValues& values_;
    const std::map<Id, Id>& loaded_;
    std::map<Key, Id> copies_;
};

}  // namespace coopvk::rewrite
