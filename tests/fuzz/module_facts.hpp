// SPDX-License-Identifier: Apache-2.0
//
// Facts about a module that changes need: types, definitions, functions, blocks.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "words.hpp"

namespace coopvk::fuzz {

class Random;

class Facts {
 public:
    explicit Facts(const Module& module);

    // Position of the instruction that defines the id; kNone if there is none.
    static constexpr size_t kNone = ~size_t{0};
    size_t definition(uint32_t id) const;
    const Instruction* find(uint32_t id) const;
    uint32_t typeOf(uint32_t id) const;
    // Position of the first OpFunction; of the end if there is none.
    size_t firstFunction() const { return firstFunction_; }
    // Positions in blocks of functions, after variables and phis, before merges and terminators: an
    // instruction may be inserted before them.
    const std::vector<size_t>& places() const { return places_; }
    // Values that may be used at the position: constants and globals, values that its own block
    // defines before it, values that the function's first block defines, parameters.
    std::vector<uint32_t> valuesAt(size_t place) const;
    // The same, of that type only.
    std::vector<uint32_t> valuesAt(size_t place, uint32_t type) const;
    size_t blockOf(size_t place) const;     // position of its OpLabel
    size_t functionOf(size_t place) const;  // position of its OpFunction
    bool isGlobal(uint32_t id) const { return definition(id) < firstFunction_; }
    uint32_t globalOf(spv::Op opcode) const;  // some result of that opcode, else 0

    // An id of this module that is defined as that one is in the other module; any id otherwise.
    uint32_t alike(const Facts& other, uint32_t id, Random& random) const;

 private:
    const Module& module_;
    std::unordered_map<uint32_t, size_t> definitions_;
    std::vector<size_t> places_;
    std::vector<size_t> values_;  // positions of what has a type and a result
    size_t firstFunction_ = 0;
};

bool isTerminator(spv::Op opcode);

}  // namespace coopvk::fuzz
