// SPDX-License-Identifier: Apache-2.0
//
// What changes of a module want to know about it: types, definitions, functions, blocks.
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

    // Position of what defines the id; kNone where nothing does.
    static constexpr size_t kNone = ~size_t{0};
    size_t definition(uint32_t id) const;
    const Instruction* find(uint32_t id) const;
    uint32_t typeOf(uint32_t id) const;
    // Position of the first OpFunction; of the end where there is none.
    size_t firstFunction() const { return firstFunction_; }
    // Positions in blocks of functions, behind variables and phis, before merges and terminators:
    // places where an instruction may be put in front of.
    const std::vector<size_t>& places() const { return places_; }
    // Values that may be used at the place: constants and globals, what its own block defines
    // before it, what the function's first block defines, parameters.
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
